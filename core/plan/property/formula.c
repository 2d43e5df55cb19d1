/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of the user are read in the grammar of the model's language, if it has one, so that a
 * text means the same inside and outside of a model. Omen's own grammar reads what that grammar
 * does not accept, and everything if the user asks for it (om_plan_options.own_grammar).
 *
 * If both grammars read a formula and the readings differ, the user is warned. Two readings are the
 * same if they are the same tree of temporal operators over the same expressions. Operators that
 * one grammar leaves to the expression, such as the '!' in Promela's "!p", may be logic in the
 * other.
 */
#include "formula.h"

#include <string.h>

/* One reading of a formula */
typedef struct reading {
    om_ltl *l;
    om_ltl_ref f;
    om_expr *states; /* [subformula]: its expression, or 0 if it is temporal */
    om_expr *aps;
    bool *needed; /* [subformula]: true if it is a part of f */
} reading;

static void drop(om_plan *p, reading *r)
{
    OM_FREE_ALL(p->heap, r->states, r->aps, r->needed);
}

/* Operands have smaller references than their operators. */
static void mark_needed(reading *r)
{
    r->needed[r->f] = true;
    for (om_ltl_ref f = r->f; f > 0; f--) {
        const om_ltl_op op = om_ltl_operator(r->l, f);
        if (!r->needed[f] || op == OM_LTL_AP)
            continue;
        r->needed[om_ltl_left(r->l, f)] = true;
        r->needed[om_ltl_right(r->l, f)] = true;
    }
}

/* An error is reported when the proposition is read for the check, not here. */
static bool read_aps(om_plan *p, reading *r)
{
    for (om_ltl_ref f = 1; f <= r->f; f++) {
        if (!r->needed[f] || om_ltl_operator(r->l, f) != OM_LTL_AP)
            continue;
        const uint32_t i = om_ltl_left(r->l, f);
        const char *name = om_ltl_ap_name(r->l, i);
        if (p->frontend->expression(p->model, "LTL formula", name, &r->aps[i]) != OM_OK) {
            om_context_clear(p->ctx);
            return false;
        }
    }
    return true;
}

static om_expr truth(om_model *m, om_expr e)
{
    return om_expr_unary(m, OM_OP_NOT, om_expr_unary(m, OM_OP_NOT, e));
}

/* Returns the subformula as an expression, from those of its operands; 0 if it is temporal. */
static om_expr state_of(om_plan *p, const reading *r, om_ltl_ref f)
{
    const om_ltl_op op = om_ltl_operator(r->l, f);
    if (op == OM_LTL_AP)
        return r->aps[om_ltl_left(r->l, f)];
    if (op == OM_LTL_TRUE || op == OM_LTL_FALSE)
        return om_expr_const(p->model, op == OM_LTL_TRUE);
    const om_expr a = r->states[om_ltl_left(r->l, f)];
    if (op == OM_LTL_NOT)
        return a == 0 ? 0 : om_expr_unary(p->model, OM_OP_NOT, a);
    const om_expr b = op > OM_LTL_XOR ? 0 : r->states[om_ltl_right(r->l, f)];
    if (a == 0 || b == 0)
        return 0;
    switch (op) {
    case OM_LTL_AND:
        return om_expr_binary(p->model, OM_OP_AND, a, b);
    case OM_LTL_OR:
        return om_expr_binary(p->model, OM_OP_OR, a, b);
    case OM_LTL_IMPLIES:
        return om_expr_binary(p->model, OM_OP_IMPLY, a, b);
    default:
        return om_expr_binary(p->model, op == OM_LTL_EQUIV ? OM_OP_EQ : OM_OP_NE,
            truth(p->model, a), truth(p->model, b));
    }
}

/* Returns OM_EINPUT, without a message, if a proposition cannot be read. */
static int prepare(om_plan *p, reading *r)
{
    const size_t count = (size_t) r->f + 1;
    if (!OM_NEW(p->heap, r->states, count) || !OM_NEW(p->heap, r->needed, count) ||
        !OM_NEW(p->heap, r->aps, (size_t) om_ltl_ap_count(r->l) + 1))
        return om_fail_memory(p->ctx);
    mark_needed(r);
    if (!read_aps(p, r))
        return OM_EINPUT;
    for (om_ltl_ref f = 1; f <= r->f; f++)
        if (r->needed[f])
            r->states[f] = state_of(p, r, f);
    return om_model_expr_check(p->model, NULL);
}

/* Returns the formula with each maximal non-temporal subformula replaced by one proposition that is
 * named by its expression. Returns 0 if the arena is full or memory runs out. */
static om_ltl_ref outline(om_plan *p, const reading *r, om_ltl *to)
{
    om_ltl_ref *made = om_alloc(p->heap, (size_t) r->f + 1, sizeof *made);
    om_text name = { .heap = p->heap };
    bool ok = made != NULL;
    for (om_ltl_ref f = 1; f <= r->f && ok; f++)
        r->needed[f] = false;
    for (om_ltl_ref f = r->f; f > 0 && ok; f--) {
        r->needed[f] = r->needed[f] || f == r->f;
        if (!r->needed[f] || r->states[f] != 0)
            continue;
        r->needed[om_ltl_left(r->l, f)] = true;
        r->needed[om_ltl_right(r->l, f)] = true;
    }
    for (om_ltl_ref f = 1; f <= r->f && ok; f++) {
        if (!r->needed[f])
            continue;
        name.length = 0;
        om_text_printf(&name, "e%u", (unsigned) r->states[f]);
        if (r->states[f] != 0)
            made[f] = name.failed ? 0 : om_ltl_ap_ref(to, name.text);
        else
            made[f] = om_ltl_make(to, om_ltl_operator(r->l, f), made[om_ltl_left(r->l, f)],
                made[om_ltl_right(r->l, f)]);
        ok = made[f] != 0;
    }
    const om_ltl_ref result = ok ? made[r->f] : 0;
    om_text_free(&name);
    om_free(p->heap, made);
    return result;
}

/* Determines whether the readings are the same. Readings that cannot be compared count as the
 * same. */
static int compare(om_plan *p, reading *a, reading *b, bool *same)
{
    om_ltl *to = NULL;
    int rc = prepare(p, a);
    if (rc == OM_OK)
        rc = prepare(p, b);
    if (rc == OM_OK)
        rc = om_ltl_new(&to, p->ctx);
    if (rc == OM_OK) {
        const om_ltl_ref first = outline(p, a, to), second = outline(p, b, to);
        *same = first == 0 || second == 0 || first == second;
    }
    om_ltl_free(to);
    drop(p, a);
    drop(p, b);
    return rc == OM_EINPUT ? OM_OK : rc;
}

static int warn_of_readings(
    om_plan *p, const char *file, const reading *language, const reading *own)
{
    om_text first = { .heap = p->heap }, second = { .heap = p->heap };
    int rc = om_ltl_print_as(language->l, language->f, OM_LTL_SPIN, &first);
    if (rc == OM_OK)
        rc = om_ltl_print_as(own->l, own->f, OM_LTL_SPIN, &second);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_WARNING, NULL,
            "%s: read with the precedence of the model's language: %s; omen's own grammar "
            "(--spelling omen) reads: %s",
            file, first.text, second.text);
    om_text_free(&first);
    om_text_free(&second);
    if (rc == OM_ELIMIT) { /* too long to be shown */
        om_context_clear(p->ctx);
        om_note(p->ctx, OM_NOTE_WARNING, NULL,
            "%s: omen's own grammar (--spelling omen) reads this formula differently", file);
        return OM_OK;
    }
    return rc;
}

/* Warns if omen's own grammar reads the text differently from f. */
static int compare_with_own(
    om_plan *p, om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref f)
{
    reading language = { .l = l, .f = f }, own = { .l = NULL };
    bool same = true;
    int rc = om_ltl_new(&own.l, p->ctx);
    if (rc != OM_OK)
        return rc;
    rc = om_ltl_parse(own.l, file, text, length, &own.f);
    if (rc == OM_EINPUT)
        om_context_clear(p->ctx);
    else if (rc == OM_OK)
        rc = compare(p, &language, &own, &same);
    if (rc == OM_OK && !same)
        rc = warn_of_readings(p, file, &language, &own);
    om_ltl_free(own.l);
    return rc == OM_EINPUT ? OM_OK : rc;
}

/* Reads the text in omen's own grammar after the language's grammar has rejected it. If that fails,
 * too, the message of the language's grammar is reported. */
static int read_own(
    om_plan *p, om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref *out)
{
    char *said = om_strdup(p->heap, om_context_error(p->ctx));
    reading own = { .l = l };
    om_context_clear(p->ctx);
    if (said == NULL)
        return om_fail_memory(p->ctx);
    int rc = om_ltl_parse(l, file, text, length, &own.f);
    if (rc == OM_OK)
        rc = prepare(p, &own);
    drop(p, &own);
    if (rc == OM_OK) {
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "%s: read in omen's own grammar, because the model's language rejects it: %s", file,
            said);
        *out = own.f;
    } else if (rc == OM_EINPUT) {
        om_context_clear(p->ctx);
        rc = om_fail(p->ctx, OM_EINPUT, NULL, "%s", said);
    }
    om_free(p->heap, said);
    return rc;
}

int om_plan__parse_formula(
    om_plan *p, om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref *out)
{
    om_text read = { .heap = p->heap };
    if (p->options.own_grammar || p->frontend == NULL || p->frontend->formula == NULL ||
        memchr(text, '\0', length) != NULL)
        return om_ltl_parse(l, file, text, length, out);
    int rc = p->frontend->formula(p->model, file, text, &read);
    if (rc == OM_OK) {
        rc = om_ltl_parse(l, file, read.text, read.length, out);
        if (rc == OM_OK)
            rc = compare_with_own(p, l, file, text, length, *out);
    } else if (rc == OM_EINPUT || rc == OM_EUNSUPPORTED)
        rc = read_own(p, l, file, text, length, out);
    om_text_free(&read);
    return rc;
}
