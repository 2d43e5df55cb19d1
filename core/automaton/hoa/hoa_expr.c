/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label expressions and acceptance conditions. Both are read by operator precedence with a stack on
 * the heap, so that nesting does not use the call stack.
 */
#include "hoa.h"

#include <string.h>

/* The operators and operands of a kind of expression. */
typedef struct om_hoa_algebra {
    bool negates; /* has the prefix operator "!" */
    const char *operand_name;
    int (*operand)(om_hoa_reader *r); /* reads an operand and moves past it */
    int (*apply)(om_hoa_reader *r, char op);
} om_hoa_algebra;

static int rank(char op)
{
    return op == '!' ? 3 : op == '&' ? 2 : op == '|' ? 1 : 0; /* '(' is below all operators */
}

/* Applies the operators on the stack that bind at least as tightly as `least`. */
static int reduce(om_hoa_reader *r, const om_hoa_algebra *a, int least)
{
    while (r->operators.count > 0) {
        char op = (char) r->operators.items[r->operators.count - 1];
        if (rank(op) < least)
            break;
        r->operators.count--;
        int rc = a->apply(r, op);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

/* ("!" | "(")* operand */
static int read_prefix(om_hoa_reader *r, const om_hoa_algebra *a, size_t *open)
{
    while (om_hoa__is_sign(r, '(') || (a->negates && om_hoa__is_sign(r, '!'))) {
        *open += om_hoa__is_sign(r, '(');
        int rc = om_hoa__push(r, &r->operators, (uint64_t) r->token.text[0]);
        if (rc == OM_OK)
            rc = om_hoa__next(r);
        if (rc != OM_OK)
            return rc;
    }
    return a->operand(r);
}

/* ")"* */
static int read_suffix(om_hoa_reader *r, const om_hoa_algebra *a, size_t *open)
{
    while (*open > 0 && om_hoa__is_sign(r, ')')) {
        int rc = reduce(r, a, 1);
        if (rc != OM_OK)
            return rc;
        r->operators.count--; /* the '(' */
        (*open)--;
        rc = om_hoa__next(r);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

static int read_expression(om_hoa_reader *r, const om_hoa_algebra *a)
{
    size_t open = 0;
    r->operators.count = r->operands.count = 0;
    for (;;) {
        int rc = read_prefix(r, a, &open);
        if (rc == OM_OK)
            rc = read_suffix(r, a, &open);
        if (rc != OM_OK)
            return rc;
        if (!om_hoa__is_sign(r, '&') && !om_hoa__is_sign(r, '|'))
            break;
        char op = r->token.text[0];
        rc = reduce(r, a, rank(op));
        if (rc == OM_OK)
            rc = om_hoa__push(r, &r->operators, (uint64_t) op);
        if (rc == OM_OK)
            rc = om_hoa__next(r);
        if (rc != OM_OK)
            return rc;
    }
    if (open > 0)
        return om_hoa__expected(r, "')', '&' or '|'");
    return reduce(r, a, 1);
}

/* ---- labels ---- */

/* Returns the index entry of the alias of this name, or the free entry where it would be. */
static size_t alias_place(const om_hoa_reader *r, const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char) text[i]) * UINT64_C(0x100000001b3);
    size_t at = (size_t) ((hash ^ hash >> 32) & (r->alias_places - 1));
    for (; r->alias_index[at] != 0; at = (at + 1) & (r->alias_places - 1)) {
        const om_hoa_alias *alias = &r->aliases[r->alias_index[at] - 1];
        if (alias->length == length && memcmp(alias->text, text, length) == 0)
            break;
    }
    return at;
}

const om_hoa_alias *om_hoa__find_alias(const om_hoa_reader *r)
{
    if (r->alias_count == 0)
        return NULL;
    size_t at = alias_place(r, r->token.text, r->token.length);
    return r->alias_index[at] == 0 ? NULL : &r->aliases[r->alias_index[at] - 1];
}

static int grow_alias_index(om_hoa_reader *r)
{
    size_t places = r->alias_places == 0 ? 64 : 2 * r->alias_places;
    uint32_t *index = om_alloc(r->heap, places, sizeof *index);
    if (index == NULL)
        return om_fail_memory(r->ctx);
    om_free(r->heap, r->alias_index);
    r->alias_index = index;
    r->alias_places = places;
    for (size_t i = 0; i < r->alias_count; i++)
        index[alias_place(r, r->aliases[i].text, r->aliases[i].length)] = (uint32_t) i + 1;
    return OM_OK;
}

int om_hoa__add_alias(om_hoa_reader *r, om_hoa_alias alias)
{
    if (2 * (r->alias_count + 1) > r->alias_places) {
        int rc = grow_alias_index(r);
        if (rc != OM_OK)
            return rc;
    }
    om_hoa_alias *moved =
        om_grow(r->heap, r->aliases, &r->alias_capacity, r->alias_count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    r->aliases = moved;
    size_t at = alias_place(r, alias.text, alias.length);
    r->aliases[r->alias_count++] = alias;
    r->alias_index[at] = (uint32_t) r->alias_count;
    return OM_OK;
}

int om_hoa__label_failure(om_hoa_reader *r, const om_hoa_token *at)
{
    int rc = om_context_stopped(r->ctx);
    if (om_bdd_space_status(r->bdd) == OM_ENOMEM)
        return om_fail_memory(r->ctx);
    return rc != OM_OK ? rc
                       : om_fail(r->ctx, OM_ELIMIT, om_hoa__at(r, at), "this label is too large");
}

static int label_operand(om_hoa_reader *r)
{
    om_bdd label = OM_BDD_FALSE;
    if (om_hoa__is_word(r, OM_HOA_IDENTIFIER, "t"))
        label = OM_BDD_TRUE;
    else if (r->token.kind == OM_HOA_INT) {
        bool known = (r->seen & OM_HOA_SEEN_AP) == 0 || r->token.value < r->ap_count;
        if (r->token.value >= OM_MAX_APS || !known)
            return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
                "there is no atomic proposition with number %s", om_hoa__show(r));
        label = om_bdd_variable(r->bdd, (uint32_t) r->token.value, true);
        if (r->token.value >= r->ap_used) {
            r->ap_used = r->token.value + 1;
            r->ap_used_at = r->token;
        }
    } else if (r->token.kind == OM_HOA_ALIAS) {
        const om_hoa_alias *alias = om_hoa__find_alias(r);
        if (alias == NULL)
            return om_fail(
                r->ctx, OM_EINPUT, om_hoa__here(r), "there is no alias %s", om_hoa__show(r));
        label = alias->label;
    } else if (!om_hoa__is_word(r, OM_HOA_IDENTIFIER, "f"))
        return om_hoa__expected(r, "a label expression");
    if (label == OM_BDD_NONE)
        return om_hoa__label_failure(r, &r->token);
    int rc = om_hoa__push(r, &r->operands, label);
    return rc == OM_OK ? om_hoa__next(r) : rc;
}

static int label_apply(om_hoa_reader *r, char op)
{
    uint64_t *last = &r->operands.items[r->operands.count - 1];
    if (op == '!')
        *last = om_bdd_not(r->bdd, (om_bdd) *last);
    else {
        om_bdd left = (om_bdd) last[-1], right = (om_bdd) *last;
        last[-1] = op == '&' ? om_bdd_and(r->bdd, left, right) : om_bdd_or(r->bdd, left, right);
        r->operands.count--;
    }
    return om_bdd_space_status(r->bdd) == OM_OK ? OM_OK : om_hoa__label_failure(r, &r->token);
}

int om_hoa__label(om_hoa_reader *r, om_bdd *label)
{
    static const om_hoa_algebra labels = { true, "a label expression", label_operand, label_apply };
    int rc = read_expression(r, &labels);
    if (rc == OM_OK)
        *label = (om_bdd) r->operands.items[0];
    return rc;
}

/* ---- acceptance ---- */

static int put_acc(om_hoa_reader *r, om_acc_op op, uint8_t set)
{
    om_acc *moved = om_grow(r->heap, r->acc, &r->acc_capacity, r->acc_length + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    r->acc = moved;
    r->acc[r->acc_length++] = (om_acc){ (uint8_t) op, set };
    return OM_OK;
}

static int expect_sign(om_hoa_reader *r, char sign, const char *what)
{
    return om_hoa__is_sign(r, sign) ? om_hoa__next(r) : om_hoa__expected(r, what);
}

/* IDENTIFIER "(" "!"? INT ")". A complemented set i is stored as i | 128 until
 * settle_complements(). */
static int acceptance_set(om_hoa_reader *r, om_acc_op op)
{
    uint8_t complement = 0;
    int rc = om_hoa__next(r);
    if (rc == OM_OK)
        rc = expect_sign(r, '(', "'('");
    if (rc == OM_OK && om_hoa__is_sign(r, '!')) {
        complement = 128;
        rc = om_hoa__next(r);
    }
    if (rc != OM_OK)
        return rc;
    if (r->token.kind != OM_HOA_INT)
        return om_hoa__expected(r, "the number of an acceptance set");
    if (r->token.value >= r->sets)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "there is no acceptance set with number %s", om_hoa__show(r));
    uint8_t set = (uint8_t) r->token.value;
    *(complement != 0 ? &r->complemented : &r->plain) |= UINT64_C(1) << set;
    rc = put_acc(r, op, set | complement);
    if (rc == OM_OK)
        rc = om_hoa__next(r);
    return rc == OM_OK ? expect_sign(r, ')', "')'") : rc;
}

static int acceptance_operand(om_hoa_reader *r)
{
    bool yes = om_hoa__is_word(r, OM_HOA_IDENTIFIER, "t");
    if (om_hoa__is_word(r, OM_HOA_IDENTIFIER, "Fin"))
        return acceptance_set(r, OM_ACC_FIN);
    if (om_hoa__is_word(r, OM_HOA_IDENTIFIER, "Inf"))
        return acceptance_set(r, OM_ACC_INF);
    if (!yes && !om_hoa__is_word(r, OM_HOA_IDENTIFIER, "f"))
        return om_hoa__expected(r, "Fin, Inf, t, f or '('");
    int rc = put_acc(r, yes ? OM_ACC_TRUE : OM_ACC_FALSE, 0);
    return rc == OM_OK ? om_hoa__next(r) : rc;
}

static int acceptance_apply(om_hoa_reader *r, char op)
{
    return put_acc(r, op == '&' ? OM_ACC_AND : OM_ACC_OR, 0);
}

int om_hoa__acceptance(om_hoa_reader *r)
{
    static const om_hoa_algebra conditions = { false, "an acceptance condition", acceptance_operand,
        acceptance_apply };
    om_hoa_token start = r->token;
    int rc = read_expression(r, &conditions);
    if (rc == OM_OK && om_acc__depth(r->acc, r->acc_length, 255) > OM_MAX_ACC_DEPTH)
        rc = om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &start),
            "this acceptance condition is nested too deeply");
    return rc;
}
