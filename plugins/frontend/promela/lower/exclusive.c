/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `xr` and `xs`: a channel that one process alone receives from, or sends to. The reductions of
 * SPIN's verifier rely on such claims, and it reports an error if another process even tries to
 * use the channel. Here nothing relies on them, and each is an assertion. Reading the number of
 * messages uses both ends, because `full` and `nempty` change with either. (The SPIN manual pages
 * "xr" and "len"; for what its verifier does beyond them, see README.md.)
 */
#include "steps.h"

enum { RECEIVES = 1, SENDS = 2 };

/* A statement that reads or uses a channel. */
typedef struct use {
    pml_lowering *l;
    const pml_instance *i;
    const pml_node *n, *leaf;
    om_expr value; /* the channel */
    om_expr under; /* the use is tried under this condition; 0: always */
    unsigned how;
    /* `!!` or `??`: forbidden even to the process that claims the receiving end */
    bool out_of_order;
} use;

static const char *word(const pml_exclusive *x)
{
    return x->sends ? "xs" : "xr";
}

static bool is_false(const om_model *m, om_expr e)
{
    const om_node *n = om_model_node(m, e);
    return n->op == OM_OP_CONST && n->value == 0;
}

/* Sets *out to: the process claims that channel. A claim holds from the start of the process until
 * its end; for a process that is active from the beginning, it holds forever. */
static int claims(
    pml_lowering *l, const pml_instance *i, const pml_exclusive *x, om_expr channel, om_expr *out)
{
    om_model *m = l->model;
    const pml_scope scope = { .l = l, .self = i };
    om_expr value = 0, zero = om_expr_const(m, 0);
    int rc = pml_lower_expression(&scope, x->channel, &value);
    if (rc != OM_OK)
        return rc;
    *out = om_expr_binary(m, OM_OP_AND, om_expr_binary(m, OM_OP_EQ, channel, value),
        om_expr_binary(m, OM_OP_NE, channel, zero));
    if (i->site != OM_NONE)
        *out = pml_and(m, *out, om_expr_binary(m, OM_OP_NE, om_expr_slot(m, i->location), zero));
    return pml_made(&scope, x->channel, *out, out);
}

/* ---- claims ---- */

static int add_claim_fault(pml_lowering *l, const pml_instance *i, const pml_exclusive *x,
    om_expr condition, const char *what, const char *more)
{
    om_text text = { .heap = l->file->region.heap };
    om_assertion made = { .condition = om_expr_unary(l->model, OM_OP_NOT, condition),
        .place = x->channel->at };
    om_text_printf(&text, "%s: %s %s: %s%s", i->name, word(x), x->channel->name, what, more);
    made.text = text.text;
    int rc =
        text.failed ? om_fail_memory(l->file->ctx) : om_model_expr_check(l->model, &made.place);
    if (rc == OM_OK && !is_false(l->model, condition))
        rc = om_model_add_assertion(l->model, &made);
    om_text_free(&text);
    return rc;
}

/* Adds the assertions that the claimed channel exists and is buffered. */
static int lower_claimed(pml_lowering *l, const pml_instance *i, const pml_exclusive *x)
{
    om_model *m = l->model;
    const pml_scope scope = { .l = l, .self = i };
    om_expr value = 0, zero = om_expr_const(m, 0);
    int rc = pml_check_channel(&scope, x->channel);
    if (rc == OM_OK)
        rc = pml_lower_expression(&scope, x->channel, &value);
    if (rc != OM_OK)
        return rc;
    om_expr runs = om_expr_binary(m, OM_OP_NE, om_expr_slot(m, i->location), zero);
    rc = add_claim_fault(l, i, x,
        om_expr_binary(m, OM_OP_AND, runs, om_expr_binary(m, OM_OP_EQ, value, zero)),
        "the channel does not exist yet", "");
    for (uint32_t c = 0; c < l->channel_count && rc == OM_OK; c++) {
        om_expr same = om_expr_binary(m, OM_OP_EQ, value, om_expr_const(m, (om_value) c + 1));
        if (l->channels[c].init->capacity == 0)
            rc = add_claim_fault(l, i, x, om_expr_binary(m, OM_OP_AND, runs, same),
                "a rendezvous channel, ", l->channels[c].name);
    }
    return rc;
}

/* Adds the assertions that no other process claims the channel. Only instances after i are
 * compared, so each pair occurs once. */
static int lower_claimed_twice(pml_lowering *l, const pml_instance *i, const pml_exclusive *x)
{
    const pml_scope scope = { .l = l, .self = i };
    om_expr value = 0, mine = 0, theirs = 0;
    int rc = pml_lower_expression(&scope, x->channel, &value);
    if (rc == OM_OK)
        rc = claims(l, i, x, value, &mine);
    for (uint32_t k = i->number + 1; k < l->instance_count && rc == OM_OK; k++)
        for (const pml_exclusive *o = l->instances[k].type->exclusive; o != NULL && rc == OM_OK;
             o = o->next) {
            if (o->sends != x->sends)
                continue;
            rc = claims(l, &l->instances[k], o, value, &theirs);
            if (rc == OM_OK)
                rc = add_claim_fault(l, i, x, om_expr_binary(l->model, OM_OP_AND, mine, theirs),
                    "so does ", l->instances[k].name);
        }
    return rc;
}

int pml_lower_exclusive(pml_lowering *l)
{
    int rc = OM_OK;
    if (!l->file->exclusive)
        return OM_OK;
    for (uint32_t k = 0; k < l->instance_count; k++)
        for (const pml_exclusive *x = l->instances[k].type->exclusive; x != NULL && rc == OM_OK;
             x = x->next) {
            rc = lower_claimed(l, &l->instances[k], x);
            if (rc == OM_OK)
                rc = lower_claimed_twice(l, &l->instances[k], x);
        }
    return rc;
}

/* ---- uses ---- */

/* Sets *out to: another process claims an end that the use needs, or, for out_of_order, any
 * process claims the receiving end. *who is the claiming process, or NULL if there are several. */
static int claimed_by(const use *u, bool out_of_order, om_expr *out, const pml_instance **who)
{
    const pml_lowering *l = u->l;
    om_expr claimed = 0;
    int rc = OM_OK;
    for (uint32_t k = 0; k < l->instance_count; k++)
        for (const pml_exclusive *x = l->instances[k].type->exclusive; x != NULL && rc == OM_OK;
             x = x->next) {
            const bool counts =
                out_of_order ? !x->sends
                             : (u->how & (x->sends ? SENDS : RECEIVES)) != 0 && k != u->i->number;
            if (!counts)
                continue;
            rc = claims(u->l, &l->instances[k], x, u->value, &claimed);
            if (rc != OM_OK || is_false(l->model, claimed))
                continue;
            *who = *out == 0 || *who == &l->instances[k] ? &l->instances[k] : NULL;
            *out = pml_or(l->model, *out, claimed);
        }
    return rc;
}

static int forbid(const use *u, bool out_of_order)
{
    om_text text = { .heap = u->l->file->region.heap };
    const pml_instance *who = NULL;
    om_expr claimed = 0;
    int rc = claimed_by(u, out_of_order, &claimed, &who);
    if (rc != OM_OK || claimed == 0)
        return rc;
    om_text_printf(&text, "%s: ", u->i->name);
    pml_add_words(u->leaf->s->first, u->leaf->s->last, &text);
    om_text_printf(&text, ": %s has exclusive access to the channel (%s)",
        who == NULL ? "another process" : who->name,
        out_of_order         ? "xr, for messages in order"
        : u->how == SENDS    ? "xs"
        : u->how == RECEIVES ? "xr"
                             : "xr, xs");
    rc = text.failed ? om_fail_memory(u->l->file->ctx)
                     : pml_add_fault(u->l, u->i, u->n, u->leaf,
                           pml_and(u->l->model, u->under, claimed), &u->leaf->s->at, text.text);
    om_text_free(&text);
    return rc;
}

static int lower_use(const use *u)
{
    int rc = u->out_of_order ? forbid(u, true) : OM_OK;
    return rc == OM_OK ? forbid(u, false) : rc;
}

static int lower_channel(const use *u, const pml_expr *channel, unsigned how)
{
    const pml_scope scope = { .l = u->l, .self = u->i };
    use here = *u;
    here.how = how;
    int rc = pml_lower_expression(&scope, channel, &here.value);
    return rc == OM_OK ? lower_use(&here) : rc;
}

/* Narrows the condition of the use to that under which operand b (c if `last`) of the expression
 * is computed. */
static int narrow(const use *u, const pml_expr *e, bool last, use *out)
{
    om_model *m = u->l->model;
    const pml_scope scope = { .l = u->l, .self = u->i };
    const bool either = e->kind == PML_BINARY && e->op == OM_OP_OR;
    const bool both = e->kind == PML_BINARY && e->op == OM_OP_AND;
    om_expr first = 0;
    *out = *u;
    if (!either && !both && e->kind != PML_COND)
        return OM_OK;
    int rc = pml_lower_expression(&scope, e->a, &first);
    if (rc == OM_OK && (either || last))
        rc = pml_made(&scope, e, om_expr_unary(m, OM_OP_NOT, first), &first);
    out->under = pml_and(m, u->under, first);
    return rc;
}

static int lower_list(const use *u, const pml_expr *list);

/* The recursion is as deep as expressions are. */
static int lower_looks(const use *u, const pml_expr *e)
{
    use then = *u;
    int rc = OM_OK;
    if (e == NULL)
        return OM_OK;
    if (e->kind == PML_POLL || e->kind == PML_LEN)
        rc = lower_channel(u, e->a,
            e->kind == PML_LEN && e->word == PML_OF_NFULL    ? SENDS
            : e->kind == PML_LEN && e->word == PML_OF_NEMPTY ? RECEIVES
                                                             : SENDS | RECEIVES);
    if (rc == OM_OK)
        rc = lower_looks(u, e->a);
    if (rc == OM_OK && e->b != NULL)
        rc = narrow(u, e, false, &then);
    if (rc == OM_OK)
        rc = lower_looks(&then, e->b);
    if (rc == OM_OK && e->c != NULL)
        rc = narrow(u, e, true, &then);
    if (rc == OM_OK)
        rc = lower_looks(&then, e->c);
    if (rc == OM_OK)
        rc = lower_looks(u, e->field);
    return rc == OM_OK ? lower_list(u, e->args) : rc;
}

static int lower_list(const use *u, const pml_expr *list)
{
    int rc = OM_OK;
    for (const pml_expr *e = list; e != NULL && rc == OM_OK; e = e->next)
        rc = lower_looks(u, e);
    return rc;
}

static bool looks(const pml_expr *e);

static bool any_looks(const pml_expr *list)
{
    while (list != NULL && !looks(list))
        list = list->next;
    return list != NULL;
}

/* The recursion is as deep as expressions are. */
static bool looks(const pml_expr *e)
{
    return e != NULL && (e->kind == PML_LEN || e->kind == PML_POLL || looks(e->a) || looks(e->b) ||
                            looks(e->c) || looks(e->field) || any_looks(e->args));
}

bool pml_looks_at_channels(const pml_statement *s)
{
    return looks(s->target) || looks(s->a) || any_looks(s->args);
}

int pml_lower_uses(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways)
{
    const pml_node *leaf = leaves->at[k].node;
    const pml_statement *s = leaf->s;
    use u = { .l = l, .i = i, .n = n, .leaf = leaf };
    if (!l->file->exclusive || leaf->kind != PML_N_LEAF)
        return OM_OK;
    int rc = pml_before(l, i, leaves, k, &u.under);
    if (rc == OM_OK && (s->kind == PML_S_SEND || s->kind == PML_S_RECEIVE)) {
        u.out_of_order = s->sorted;
        rc = lower_channel(&u, s->target, s->kind == PML_S_SEND ? SENDS : RECEIVES);
        u.out_of_order = false;
    }
    if (!pml_looks_at_channels(s))
        return rc;
    if (rc == OM_OK && s->kind == PML_S_SEND) /* the values are computed only if there is room */
        u.under = pml_any_way(l->model, ways);
    if (rc == OM_OK)
        rc = lower_looks(&u, s->target);
    if (rc == OM_OK)
        rc = lower_looks(&u, s->a);
    return rc == OM_OK ? lower_list(&u, s->args) : rc;
}
