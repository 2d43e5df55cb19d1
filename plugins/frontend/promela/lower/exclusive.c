/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `xr` and `xs`: a channel that one process alone receives from, or sends to. The reductions of
 * SPIN's verifier rely on such claims, and it reports an error if another process even tries to
 * use the channel. Here nothing relies on them, and each is an assertion. Reading the number of
 * messages uses both ends, because `full` and `nempty` change with either. (The SPIN manual pages
 * "xr" and "len"; for what its verifier does beyond them, see README.md.)
 *
 * A process claims an end from its start to its end; one that is active from the beginning, for
 * ever. `_xr` and `_xs` hold the owner of each channel's end: the number of an instance plus 1, or
 * 0. So a use looks at one element, whatever the number of processes.
 *
 * E1  `_claim` is 0 until a claim fails: then it is the number of the claim and why, and every run
 *     ends.
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

static bool is_constant(const om_model *m, om_expr e, om_value *out)
{
    const om_node *n = om_model_node(m, e);
    *out = n->op == OM_OP_CONST ? n->value : 0;
    return n->op == OM_OP_CONST;
}

static bool is_false(const om_model *m, om_expr e)
{
    om_value value;
    return is_constant(m, e, &value) && value == 0;
}

/* ---- owners ---- */

/* The element of a channel in the table of owners; a channel has a number up to the last one's. */
static om_expr element_of(const pml_lowering *l, om_expr channel)
{
    om_value value;
    const om_expr count = om_expr_const(l->model, (om_value) l->channel_count + 1);
    return is_constant(l->model, channel, &value)
               ? channel
               : om_expr_binary(l->model, OM_OP_MOD, channel, count);
}

static om_expr owner_of(const pml_lowering *l, bool sends, om_expr channel)
{
    return om_expr_element(l->model, l->owners[sends], element_of(l, channel));
}

/* Returns the number by which an instance owns channels. */
static om_expr number_of(const pml_lowering *l, const pml_instance *i)
{
    const om_expr first = om_expr_const(l->model, (om_value) i->number + 1);
    return i->at == 0 ? first : om_expr_binary(l->model, OM_OP_ADD, i->at, first);
}

static int own(pml_move *v, const pml_exclusive *x, om_expr channel, om_expr owner)
{
    const om_written at = { x->channel->at.line, x->channel->at.column };
    return pml_move_assign(v, at, v->l->owners[x->sends], element_of(v->l, channel), owner);
}

static int channel_of(
    pml_lowering *l, const pml_instance *i, const pml_exclusive *x, om_expr *channel)
{
    const pml_scope scope = { .l = l, .self = i };
    return pml_lower_expression(&scope, x->channel, channel);
}

/* ---- claims ---- */

/* Why a claim fails */
enum { NO_CHANNEL, RENDEZVOUS, CLAIMED, REASONS };
static const char *const WHY[] = { [NO_CHANNEL] = "the channel does not exist yet",
    [RENDEZVOUS] = "a rendezvous channel",
    [CLAIMED] = "another process claims it, too" };

static om_value failure(const pml_exclusive *x, unsigned why)
{
    return (om_value) (x->number * REASONS + why + 1);
}

/* Returns "the number is that of a rendezvous channel". */
static om_expr is_rendezvous(const pml_lowering *l, om_expr channel)
{
    om_model *m = l->model;
    om_expr any = om_expr_const(m, 0);
    for (uint32_t c = 0; c < l->channel_count; c++)
        if (l->channels[c].init->capacity == 0)
            any = om_expr_binary(m, OM_OP_OR, any,
                om_expr_binary(m, OM_OP_EQ, channel, om_expr_const(m, (om_value) c + 1)));
    return any;
}

/* Adds: `_claim` gets the number of the failure under this condition, unless it is set. */
static int fail_if(pml_move *v, const pml_exclusive *x, unsigned why, om_expr condition)
{
    pml_lowering *l = v->l;
    om_model *m = l->model;
    if (is_false(m, condition))
        return OM_OK;
    const om_expr before = om_expr_slot(m, l->claim);
    const om_expr now = om_expr_binary(m, OM_OP_MUL, om_expr_const(m, failure(x, why)), condition);
    const om_expr unset = om_expr_binary(m, OM_OP_EQ, before, om_expr_const(m, 0));
    return pml_move_assign(v, (om_written){ 0, 0 }, l->claim, 0,
        om_expr_binary(m, OM_OP_ADD, before, om_expr_binary(m, OM_OP_MUL, unset, now)));
}

int pml_claim(pml_move *v, const pml_instance *i)
{
    om_model *m = v->l->model;
    int rc = OM_OK;
    if (!v->l->file->exclusive)
        return OM_OK;
    for (const pml_exclusive *x = i->type->exclusive; x != NULL && rc == OM_OK; x = x->next) {
        om_expr channel = 0;
        rc = channel_of(v->l, i, x, &channel);
        if (rc != OM_OK)
            return rc;
        const om_expr zero = om_expr_const(m, 0), me = number_of(v->l, i),
                      owner = owner_of(v->l, x->sends, channel);
        rc = fail_if(v, x, NO_CHANNEL, om_expr_binary(m, OM_OP_EQ, channel, zero));
        if (rc == OM_OK)
            rc = fail_if(v, x, RENDEZVOUS, is_rendezvous(v->l, channel));
        if (rc == OM_OK)
            rc = fail_if(v, x, CLAIMED,
                om_expr_binary(m, OM_OP_AND, om_expr_binary(m, OM_OP_NE, owner, zero),
                    om_expr_binary(m, OM_OP_NE, owner, me)));
        if (rc == OM_OK)
            rc = own(v, x, channel, me);
    }
    return rc;
}

/* Returns true if the channel of a claim is the same while its process runs. */
static bool is_kept(const pml_lowering *l, const pml_exclusive *x, om_expr channel)
{
    om_value value;
    const pml_expr *e = x->channel;
    return is_constant(l->model, channel, &value) ||
           (e->a == NULL && e->field == NULL && !e->variable->assigned);
}

/* Releases all channels whose end the process owns. */
static int release_all(pml_move *v, const pml_instance *i, const pml_exclusive *x)
{
    om_model *m = v->l->model;
    int rc = OM_OK;
    for (uint32_t c = 0; c <= v->l->channel_count && rc == OM_OK; c++) {
        const om_expr channel = om_expr_const(m, (om_value) c),
                      owner = owner_of(v->l, x->sends, channel),
                      others = om_expr_binary(m, OM_OP_NE, owner, number_of(v->l, i));
        rc = own(v, x, channel, om_expr_binary(m, OM_OP_MUL, owner, others));
    }
    return rc;
}

int pml_release(pml_move *v, const pml_instance *i)
{
    int rc = OM_OK;
    if (!v->l->file->exclusive || i->site == OM_NONE)
        return OM_OK;
    for (const pml_exclusive *x = i->type->exclusive; x != NULL && rc == OM_OK; x = x->next) {
        om_expr channel = 0;
        rc = channel_of(v->l, i, x, &channel);
        if (rc == OM_OK)
            rc = is_kept(v->l, x, channel) ? own(v, x, channel, om_expr_const(v->l->model, 0))
                                           : release_all(v, i, x);
    }
    return rc;
}

/* ---- the tables ---- */

/* The initial values of the slots, by end and channel, and of `_claim`. */
typedef struct beginning {
    om_value *owners[2];
    om_value claim;
} beginning;

/* Enters the claim of a process that is active from the beginning. */
static int begin_with(pml_lowering *l, const pml_instance *i, const pml_exclusive *x, beginning *b)
{
    const pml_scope scope = { .l = l, .self = i };
    om_value channel = 0;
    int rc = pml_lower_constant(&scope, x->channel, &channel);
    if (rc != OM_OK)
        return rc;
    om_value *owner = &b->owners[x->sends][channel];
    const om_value me = (om_value) i->number + 1;
    const om_expr unbuffered = is_rendezvous(l, om_expr_const(l->model, channel));
    const unsigned why = channel == 0                      ? NO_CHANNEL
                         : !is_false(l->model, unbuffered) ? RENDEZVOUS
                         : *owner != 0 && *owner != me     ? CLAIMED
                                                           : REASONS;
    if (why != REASONS && b->claim == 0)
        b->claim = failure(x, why);
    *owner = me;
    return OM_OK;
}

static int begin(pml_lowering *l, beginning *b)
{
    int rc = OM_OK;
    for (uint32_t k = 0; k < l->instance_count && rc == OM_OK; k++) {
        const pml_instance *i = &l->instances[k];
        const pml_scope scope = { .l = l, .self = i };
        for (const pml_exclusive *x = i->type->exclusive; x != NULL && rc == OM_OK; x = x->next) {
            rc = pml_check_channel(&scope, x->channel);
            if (rc == OM_OK && i->site == OM_NONE)
                rc = begin_with(l, i, x, b);
        }
    }
    return rc;
}

/* Numbers the claims, so that each has a failure of its own. */
static void number_claims(const pml_file *f)
{
    uint32_t count = 0;
    for (pml_proctype *t = f->proctypes; t != NULL; t = t->next)
        for (pml_exclusive *x = t->exclusive; x != NULL; x = x->next)
            x->number = count++;
}

int pml_make_owners(pml_lowering *l)
{
    const uint32_t count = l->channel_count + 1;
    beginning b = { .claim = 0 };
    if (!l->file->exclusive)
        return OM_OK;
    for (unsigned k = 0; k < 2; k++)
        if ((b.owners[k] = om_region_take(&l->file->region, count, sizeof(om_value))) == NULL)
            return om_fail_memory(l->file->ctx);
    number_claims(l->file);
    int rc = begin(l, &b);
    om_slot slot = {
        .type = OM_U16, .length = count, .process = OM_NONE, .place = { l->file->file, 1, 1 }
    };
    for (unsigned k = 0; k < 2 && rc == OM_OK; k++) {
        slot.name = k == 0 ? "_xr" : "_xs";
        slot.initial = b.owners[k];
        rc = om_model_add_slot(l->model, &slot, &l->owners[k]);
    }
    slot.name = "_claim";
    slot.length = 0;
    slot.initial = &b.claim;
    return rc == OM_OK ? om_model_add_slot(l->model, &slot, &l->claim) : rc;
}

/* Adds the assertion that the claim does not fail for this reason. */
static int assert_claim(
    pml_lowering *l, const pml_proctype *t, const pml_exclusive *x, unsigned why)
{
    om_model *m = l->model;
    om_text text = { .heap = l->file->region.heap };
    const om_expr claim = om_expr_slot(m, l->claim),
                  same = om_expr_binary(m, OM_OP_EQ, claim, om_expr_const(m, failure(x, why)));
    /* A conjunction that begins with the value: executors look for its assertion by it. */
    om_assertion made = { .condition = om_expr_unary(
                              m, OM_OP_NOT, om_expr_binary(m, OM_OP_AND, same, claim)),
        .place = x->channel->at };
    om_text_printf(&text, "%s: %s %s: %s", t->name, word(x), x->channel->name, WHY[why]);
    made.text = text.text;
    int rc = text.failed ? om_fail_memory(l->file->ctx) : om_model_expr_check(m, &made.place);
    if (rc == OM_OK)
        rc = om_model_add_assertion(m, &made);
    om_text_free(&text);
    return rc == OM_OK ? om_model_set_final(m) : rc; /* E1 */
}

int pml_lower_exclusive(pml_lowering *l)
{
    int rc = OM_OK;
    if (!l->file->exclusive)
        return OM_OK;
    for (const pml_proctype *t = l->file->proctypes; t != NULL; t = t->next)
        for (const pml_exclusive *x = t->exclusive; x != NULL; x = x->next)
            for (unsigned why = 0; why < REASONS && rc == OM_OK; why++)
                rc = assert_claim(l, t, x, why);
    return rc;
}

/* ---- uses ---- */

/* The processes that may own an end: how many, 2 for several, and the number of the last one. */
typedef struct owners {
    uint32_t count, last;
} owners;

static void add_owner(owners *o, uint32_t instance)
{
    if (o->count < 2 && (o->count == 0 || o->last != instance))
        o->count++;
    o->last = instance;
}

/* Adds the processes that may own this end of the channel. *any is true if there are some. */
static int find_owners(const use *u, bool sends, bool others, owners *all, bool *any)
{
    const pml_lowering *l = u->l;
    om_value used, claimed;
    const bool known = is_constant(l->model, u->value, &used);
    *any = false;
    for (uint32_t k = 0; k < l->instance_count; k++)
        for (const pml_exclusive *x = l->instances[k].type->exclusive; x != NULL; x = x->next) {
            om_expr channel = 0;
            if (x->sends != sends || (others && k == u->i->number))
                continue;
            const int rc = channel_of(u->l, &l->instances[k], x, &channel);
            if (rc != OM_OK)
                return rc;
            const bool fixed = is_constant(l->model, channel, &claimed);
            if ((fixed && claimed == 0) || (fixed && known && claimed != used))
                continue;
            add_owner(all, k);
            *any = true;
        }
    return OM_OK;
}

/* Sets *out to: another process owns an end that the use needs, or, for out_of_order, any process
 * owns the receiving end; 0: never. Adds those that may. */
static int claimed_by(const use *u, bool out_of_order, om_expr *out, owners *all)
{
    om_model *m = u->l->model;
    int rc = OM_OK;
    *out = 0;
    for (unsigned sends = 0; sends < 2 && rc == OM_OK; sends++) {
        bool any = false;
        if (out_of_order ? sends != 0 : (u->how & (sends != 0 ? SENDS : RECEIVES)) == 0)
            continue;
        rc = find_owners(u, sends != 0, !out_of_order, all, &any);
        if (rc != OM_OK || !any)
            continue;
        const om_expr is = owner_of(u->l, sends != 0, u->value);
        om_expr claimed = om_expr_binary(m, OM_OP_NE, is, om_expr_const(m, 0));
        if (!out_of_order)
            claimed = om_expr_binary(
                m, OM_OP_AND, claimed, om_expr_binary(m, OM_OP_NE, is, number_of(u->l, u->i)));
        *out = pml_or(m, *out, claimed);
    }
    return rc;
}

static int forbid(const use *u, bool out_of_order)
{
    om_text text = { .heap = u->l->file->region.heap };
    owners all = { 0, 0 };
    om_expr claimed = 0;
    int rc = claimed_by(u, out_of_order, &claimed, &all);
    if (rc != OM_OK || claimed == 0)
        return rc;
    om_text_printf(&text, "%s: ", u->i->name);
    pml_add_words(u->leaf->s->first, u->leaf->s->last, &text);
    om_text_printf(&text, ": %s has exclusive access to the channel (%s)",
        all.count == 1 ? u->l->instances[all.last].name : "another process",
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
