/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to execute a statement, each with its guard. */
#include "steps.h"

#include <assert.h>

static int add_way(pml_lowering *l, pml_ways *ways, pml_way way)
{
    if (!OM_ROOM(l->file->region.heap, ways->at, &ways->capacity, ways->count + 1))
        return om_fail_memory(l->file->ctx);
    ways->at[ways->count++] = way;
    return OM_OK;
}

/* ---- buffered channels ---- */

/* Sets *out to: the message at a position is greater than the one to be sent. As in SPIN, the
 * values to be sent are not truncated to the widths of the fields. */
static int is_greater(
    const pml_scope *s, const pml_statement *t, const pml_meant *c, uint32_t position, om_expr *out)
{
    om_model *m = s->l->model;
    const pml_chan_init *init = s->l->channels[c->channel].init;
    assert(t->arg_count == init->field_count && position < init->capacity); /* P3 */
    const pml_expr *e = t->args;
    om_expr same = 0; /* the fields before this one are equal */
    *out = 0;
    for (uint32_t i = 0; i < init->field_count; i++, e = e->next) {
        om_expr value = 0;
        int rc = pml_lower_expression(s, e, &value);
        if (rc != OM_OK)
            return rc;
        om_expr item = pml_read(m, pml_item_of(s->l, c, i, om_expr_const(m, (om_value) position)));
        *out = pml_or(m, *out, pml_and(m, same, om_expr_binary(m, OM_OP_GT, item, value)));
        same = pml_and(m, same, om_expr_binary(m, OM_OP_EQ, item, value));
    }
    return OM_OK;
}

static int send_ways(const pml_scope *s, const pml_statement *t, pml_way way, pml_ways *out)
{
    om_model *m = s->l->model;
    const uint32_t capacity = s->l->channels[way.on.channel].init->capacity;
    const om_expr count = pml_read(m, pml_count_of(s->l, &way.on));
    const om_expr room = om_expr_binary(m, OM_OP_LT, count, om_expr_const(m, (om_value) capacity));
    int rc = OM_OK;
    way.position = OM_NONE;
    if (s->l->lossy) {
        pml_way lost = way;
        lost.guard = pml_and(m, way.guard, om_expr_unary(m, OM_OP_NOT, room));
        lost.lost = true;
        rc = add_way(s->l, out, lost);
    }
    way.guard = pml_and(m, way.guard, room);
    if (rc == OM_OK && (!t->sorted || way.miscounted))
        return add_way(s->l, out, way);
    /* The message is inserted before the first greater one, or else at the end. The messages need
     * not be sorted, because '!' sends some, too. */
    om_expr guard = way.guard;
    for (uint32_t k = 0; k < capacity && rc == OM_OK; k++) {
        om_expr greater = 0;
        om_expr place = om_expr_const(m, (om_value) k);
        rc = is_greater(s, t, &way.on, k, &greater);
        if (rc != OM_OK)
            return rc;
        om_expr end = om_expr_binary(m, OM_OP_EQ, count, place);
        way.guard = pml_and(m, guard, om_expr_binary(m, OM_OP_OR, end, greater));
        way.position = k;
        rc = add_way(s->l, out, way);
        guard = pml_and(m, guard, om_expr_binary(m, OM_OP_GT, count, place));
        guard = pml_and(m, guard, om_expr_unary(m, OM_OP_NOT, greater));
    }
    return rc;
}

/* '?' receives the first message, '??' the first one that matches. */
static int receive_ways(const pml_scope *s, const pml_statement *t, pml_way way, pml_ways *out)
{
    om_model *m = s->l->model;
    uint32_t last = t->sorted ? s->l->channels[way.on.channel].init->capacity : 1;
    om_expr guard = way.guard;
    int rc = OM_OK;
    for (uint32_t k = 0; k < last && rc == OM_OK; k++) {
        om_expr here = 0;
        rc = pml_matches(s, t->args, t->sorted, &way.on, k, &here);
        way.guard = pml_and(m, guard, here);
        way.position = k;
        if (rc == OM_OK)
            rc = add_way(s->l, out, way);
        guard = pml_and(m, guard, om_expr_unary(m, OM_OP_NOT, here));
    }
    return rc;
}

/* ---- rendezvous ---- */

/* Adds the condition that the constants among the receiver's arguments equal the values sent.
 * There are as many values as the channel has fields; further arguments are compared with 0. */
static int fits(const pml_scope *from, const pml_statement *send, const pml_scope *to,
    const pml_statement *receive, uint32_t c, om_expr *guard)
{
    om_model *m = from->l->model;
    const pml_variable *f = from->l->channels[c].init->fields;
    const pml_expr *e = send->args;
    for (const pml_expr *r = receive->args; r != NULL; r = r->next) {
        om_expr sent = om_expr_const(m, 0), wanted = 0;
        int rc = OM_OK;
        if (r->kind != PML_VARIABLE && r->kind != PML_IGNORE) {
            if (f != NULL)
                rc = pml_lower_expression(from, e, &sent);
            if (rc == OM_OK)
                rc = pml_lower_expression(to, r->kind == PML_EVAL ? r->a : r, &wanted);
            if (rc != OM_OK)
                return rc;
            sent = f == NULL ? sent : pml_truncated(m, f, sent);
            *guard = pml_and(m, *guard, om_expr_binary(m, OM_OP_EQ, sent, wanted));
        }
        e = f == NULL ? NULL : e->next;
        f = f == NULL ? NULL : f->next;
    }
    return OM_OK;
}

static int provided(pml_lowering *l, const pml_instance *i, om_expr *guard)
{
    pml_scope s = { .l = l, .self = i };
    om_expr e = 0;
    if (i->type->provided == NULL)
        return OM_OK;
    int rc = pml_lower_expression(&s, i->type->provided, &e);
    *guard = pml_and(l->model, *guard, e);
    return rc;
}

/* A send by the process of `s` on a channel, and a control point of process j. */
typedef struct meeting {
    const pml_scope *s;
    const pml_statement *send;
    pml_way way;
    const pml_instance *j;
    const pml_node *at;
} meeting;

/* Adds the condition under which j receives the message with this leaf; *possible is false if it
 * never does. */
static int takes(const meeting *e, const pml_node *leaf, om_expr *guard, bool *possible)
{
    pml_lowering *l = e->s->l;
    pml_scope other = { .l = l, .self = e->j };
    const pml_statement *r = leaf->kind == PML_N_LEAF ? leaf->s : NULL;
    om_expr means = 0;
    *possible = false;
    if (r == NULL || r->kind != PML_S_RECEIVE)
        return OM_OK;
    int rc = pml_means(&other, r->target, &e->way.on, &means, possible);
    if (rc != OM_OK || !*possible)
        return rc;
    if (r->keep)
        rc = PML_FAIL(l->file, r->at, "a rendezvous leaves no message for \"?<...>\" to keep");
    *guard = pml_and(l->model, *guard, means);
    return rc == OM_OK ? fits(e->s, e->send, &other, r, e->way.on.channel, guard) : rc;
}

/* Adds the way in which the partner receives with leaf k, if no escape of its own receives the
 * message first. */
static int partner_way(const meeting *e, const pml_leaves *leaves, size_t k, pml_ways *out)
{
    om_model *m = e->s->l->model;
    pml_way way = e->way;
    bool possible = false;
    om_expr taken = 0;
    way.partner = e->j;
    way.at = e->at;
    way.with = leaves->at[k].node;
    int rc = takes(e, way.with, &taken, &possible);
    if (rc != OM_OK || !possible)
        return rc;
    way.guard = pml_and(m, pml_and(m, way.guard, pml_at(m, e->j, e->at)), taken);
    way.miscounted = way.with->s->arg_count != e->s->l->channels[way.on.channel].init->field_count;
    for (size_t i = 0; leaves->at[i].rank < leaves->at[k].rank && rc == OM_OK; i++) {
        om_expr before = 0;
        rc = takes(e, leaves->at[i].node, &before, &possible);
        if (!possible)
            continue;
        before = before == 0 ? om_expr_const(m, 1) : before;
        way.guard = pml_and(m, way.guard, om_expr_unary(m, OM_OP_NOT, before));
    }
    if (rc == OM_OK)
        rc = provided(e->s->l, e->j, &way.guard);
    return rc == OM_OK ? add_way(e->s->l, out, way) : rc;
}

static int rendezvous_ways(const pml_scope *s, const pml_statement *t, pml_way way, pml_ways *out)
{
    pml_leaves leaves = { .at = NULL };
    meeting e = { .s = s, .send = t, .way = way };
    if (way.miscounted) /* an error as soon as the send is tried, with any receiver */
        return add_way(s->l, out, way);
    int rc = s->l->file->priorities
                 ? PML_REFUSE(s->l->file, t->at,
                       "a rendezvous of processes with priorities is not supported")
                 : OM_OK;
    for (uint32_t k = 0; k < s->l->instance_count && rc == OM_OK; k++) {
        e.j = &s->l->instances[k];
        if (e.j == s->self)
            continue;
        for (uint32_t n = 0; n < e.j->type->graph->location_count && rc == OM_OK; n++) {
            e.at = e.j->type->graph->locations[n];
            rc = pml_leaves_of(s->l->file, e.at, &leaves);
            for (size_t i = 0; i < leaves.count && rc == OM_OK; i++)
                rc = partner_way(&e, &leaves, i, out);
        }
    }
    om_free(s->l->file->region.heap, leaves.at);
    return rc;
}

/* ---- statements ---- */

/* A send on a channel variable with an initialiser is an error of the text if it has more fields
 * than that channel. */
static int check_fields(const pml_scope *s, const pml_statement *t)
{
    const pml_expr *last = t->target;
    while (last->field != NULL)
        last = last->field;
    const pml_chan_init *own = last->variable->channel;
    if (t->kind != PML_S_SEND || own == NULL || t->arg_count <= own->field_count)
        return OM_OK;
    return pml_fail_fields(s, &t->target->at, t->arg_count, own, last->name);
}

/* A copy of a message may have fewer fields. */
static bool is_miscounted(const pml_statement *t, const pml_chan_init *init)
{
    return t->keep ? t->arg_count > init->field_count : t->arg_count != init->field_count;
}

static int channel_ways(const pml_scope *s, const pml_node *leaf, pml_ways *out)
{
    const pml_statement *t = leaf->s;
    pml_reference r = { .l = s->l };
    pml_way way = { .guard = 0 };
    int rc = pml_check_channel(s, t->target);
    if (rc == OM_OK)
        rc = check_fields(s, t);
    if (rc == OM_OK)
        rc = pml_open_reference(s, t->target, &r);
    while (rc == OM_OK && pml_next_meant(&r, &way.on)) {
        const pml_chan_init *init = s->l->channels[way.on.channel].init;
        way.guard = way.on.when;
        way.miscounted = is_miscounted(t, init);
        if (init->capacity != 0)
            rc = t->kind == PML_S_SEND ? send_ways(s, t, way, out) : receive_ways(s, t, way, out);
        else if (t->kind == PML_S_SEND && leaf->d_step == NULL) /* in a d_step it is an error */
            rc = rendezvous_ways(s, t, way, out);
    }
    return rc;
}

/* Returns "there is room for one more process of the pool". */
static om_expr has_room(pml_lowering *l, const pml_pool *p)
{
    om_model *m = l->model;
    return om_expr_binary(
        m, OM_OP_LT, om_expr_slot(m, p->running), om_expr_const(m, (om_value) p->count));
}

/* The first process of the pool that does not run is started. */
static int run_ways(const pml_scope *s, const pml_statement *t, pml_ways *out)
{
    pml_lowering *l = s->l;
    om_model *m = l->model;
    const pml_pool *p = &l->pools[pml_run_in(t)->site];
    assert(p->count != 0 && p->first + p->count <= l->instance_count); /* P4 */
    om_expr condition = 0;
    int rc = pml_run_condition(s, t, &condition);
    out->always = true;
    if (rc == OM_OK && condition != 0)
        rc = add_way(l, out,
            (pml_way){ .guard = om_expr_unary(m, OM_OP_NOT, condition), .position = OM_NONE });
    if (rc == OM_OK && p->new != NULL)
        return add_way(
            l, out, (pml_way){ .guard = pml_and(m, condition, has_room(l, p)), .position = 0 });
    for (uint32_t k = 0; k < p->count && rc == OM_OK; k++) {
        pml_way way = { .position = k };
        om_expr zero = om_expr_const(m, 0);
        om_expr here = om_expr_slot(m, l->instances[p->first + k].location);
        if (!p->once)
            way.guard = om_expr_binary(m, OM_OP_EQ, here, zero);
        if (k > 0)
            way.guard = pml_and(m, way.guard,
                om_expr_binary(
                    m, OM_OP_NE, om_expr_slot(m, l->instances[p->first + k - 1].location), zero));
        way.guard = pml_and(m, condition, way.guard);
        rc = add_way(l, out, way);
    }
    return rc;
}

static int end_ways(pml_lowering *l, const pml_instance *i, pml_ways *out)
{
    om_model *m = l->model;
    /* SPIN removes a process after the processes that were started later are gone. */
    om_expr youngest = om_expr_binary(m, OM_OP_EQ,
        om_expr_binary(m, OM_OP_ADD, om_expr_slot(m, i->pid), om_expr_const(m, 1)),
        om_expr_slot(m, l->processes));
    return add_way(l, out, (pml_way){ .guard = youngest });
}

static int plain_ways(const pml_scope *s, const pml_node *leaf, pml_ways *out)
{
    const pml_statement *t = leaf->s;
    pml_way way = { .guard = 0 };
    if (leaf->kind == PML_N_END)
        return end_ways(s->l, s->self, out);
    if (t == NULL || leaf->kind == PML_N_JUMP)
        return add_way(s->l, out, way);
    if (pml_run_in(t) != NULL)
        return run_ways(s, t, out);
    if (t->kind == PML_S_SEND || t->kind == PML_S_RECEIVE)
        return channel_ways(s, leaf, out);
    int rc = t->kind == PML_S_EXPR ? pml_lower_expression(s, t->a, &way.guard) : OM_OK;
    const om_node *n = way.guard == 0 ? NULL : om_model_node(s->l->model, way.guard);
    if (n != NULL && n->op == OM_OP_CONST && n->value != 0)
        way.guard = 0;
    return rc == OM_OK ? add_way(s->l, out, way) : rc;
}

om_expr pml_any_way(om_model *m, const pml_ways *ways)
{
    om_expr all = ways->count == 0 ? om_expr_const(m, 0) : 0;
    if (ways->always)
        return ways->tried == 0 ? om_expr_const(m, 1) : ways->tried;
    for (size_t i = 0; i < ways->count; i++) {
        om_expr one = ways->at[i].guard == 0 ? om_expr_const(m, 1) : ways->at[i].guard;
        all = pml_or(m, all, one);
    }
    return all;
}

/* Adds the condition that no leaf of from .. to - 1 is enabled. */
static int none_of(pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t from,
    size_t to, om_expr *guard)
{
    assert(from <= to && to <= leaves->count);
    pml_scope s = { .l = l, .self = i };
    int rc = OM_OK;
    for (size_t k = from; k < to && rc == OM_OK; k++) {
        pml_ways ways = { .at = NULL };
        rc = plain_ways(&s, leaves->at[k].node, &ways);
        if (rc == OM_OK)
            *guard = pml_and(
                l->model, *guard, om_expr_unary(l->model, OM_OP_NOT, pml_any_way(l->model, &ways)));
        om_free(l->file->region.heap, ways.at);
    }
    return rc;
}

static bool is_else(const pml_node *leaf)
{
    return leaf->kind == PML_N_LEAF && leaf->s->kind == PML_S_ELSE;
}

/* Returns the first leaf of the rank of leaf k. */
static size_t first_of_rank(const pml_leaves *leaves, size_t k)
{
    while (k > 0 && leaves->at[k - 1].rank == leaves->at[k].rank)
        k--;
    return k;
}

/* If an option begins with another choice, SPIN puts the options of both into one list; `else`
 * negates those before it. A rendezvous counts for its sender, if it is possible; its receiver
 * never makes the choice. */
static int else_guard(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, om_expr *guard)
{
    size_t from = first_of_rank(leaves, k);
    for (size_t n = from; n < leaves->count; n++)
        if (n != k && leaves->at[n].rank == leaves->at[k].rank && is_else(leaves->at[n].node))
            return PML_FAIL(l->file, leaves->at[n].node->s->at,
                "a process would have to choose between two \"else\" here");
    return none_of(l, i, leaves, from, k, guard);
}

/* In a d_step the first enabled statement is executed. */
static int earlier(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, om_expr *guard)
{
    size_t from = k;
    const pml_node *d_step = leaves->at[k].node->d_step;
    if (d_step == NULL)
        return OM_OK;
    while (from > first_of_rank(leaves, k) && leaves->at[from - 1].node->d_step == d_step)
        from--;
    for (size_t n = from; n < k; n++)
        if (is_else(leaves->at[n].node))
            return PML_REFUSE(
                l->file, leaves->at[n].node->s->at, "in a d_step \"else\" must come last");
    return none_of(l, i, leaves, from, k, guard);
}

int pml_before(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, om_expr *guard)
{
    int rc = is_else(leaves->at[k].node) ? else_guard(l, i, leaves, k, guard)
                                         : earlier(l, i, leaves, k, guard);
    if (rc == OM_OK) /* escapes take precedence */
        rc = none_of(l, i, leaves, 0, first_of_rank(leaves, k), guard);
    /* A d_step is executed as a whole, whatever becomes of `provided` on the way. */
    return rc == OM_OK && !leaves->in_d_step ? provided(l, i, guard) : rc;
}

int pml_ways_of(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, pml_ways *out)
{
    assert(k < leaves->count);
    pml_scope s = { .l = l, .self = i };
    om_expr guard = 0;
    out->count = 0;
    out->always = false;
    int rc = pml_before(l, i, leaves, k, &guard);
    if (rc == OM_OK)
        rc = plain_ways(&s, leaves->at[k].node, out);
    out->tried = guard;
    for (size_t n = 0; n < out->count && guard != 0; n++)
        out->at[n].guard = pml_and(l->model, guard, out->at[n].guard);
    return rc;
}

int pml_enabled(pml_lowering *l, const pml_instance *i, const pml_node *n, om_expr *out)
{
    assert(n->location != 0); /* G1 */
    om_expr *kept =
        l->no_timeout ? &i->blocked_enabled[n->location - 1] : &i->enabled[n->location - 1];
    pml_leaves leaves = { .at = NULL };
    pml_ways ways = { .at = NULL };
    om_expr all = 0;
    int rc = OM_OK;
    if (*kept == 0)
        rc = pml_leaves_of(l->file, n, &leaves);
    for (size_t k = 0; k < leaves.count && rc == OM_OK; k++) {
        rc = pml_ways_of(l, i, &leaves, k, &ways);
        all = pml_or(l->model, all, pml_any_way(l->model, &ways));
    }
    if (*kept == 0)
        *kept = all;
    *out = *kept;
    OM_FREE_ALL(l->file->region.heap, leaves.at, ways.at);
    const om_place *place = n->s != NULL ? &n->s->at : &i->type->end_at;
    return rc != OM_OK || *out != 0 ? rc : om_model_expr_check(l->model, place);
}

int pml_enabled_anywhere(pml_lowering *l, const pml_instance *i, om_expr *out)
{
    const pml_graph *g = i->type->graph;
    om_expr *all = om_alloc(l->file->region.heap, (size_t) g->location_count + 1, sizeof *all);
    int rc = all == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    for (uint32_t n = 0; n < g->location_count && rc == OM_OK; n++) {
        om_expr enabled = 0;
        rc = pml_enabled(l, i, g->locations[n], &enabled);
        all[n] = pml_and(l->model, pml_at(l->model, i, g->locations[n]), enabled);
    }
    if (rc == OM_OK)
        *out = pml_any(l->model, all, g->location_count);
    om_free(l->file->region.heap, all);
    return rc;
}

/* Sets *out to: no process can move from its control point. */
int pml_stuck(pml_lowering *l, om_expr *out)
{
    om_model *m = l->model;
    int rc = OM_OK;
    if (l->stuck != 0) {
        *out = l->stuck;
        return OM_OK;
    }
    om_expr *all = om_alloc(l->file->region.heap, (size_t) l->instance_count + 1, sizeof *all);
    if (all == NULL)
        return om_fail_memory(l->file->ctx);
    bool before = l->no_timeout;
    l->no_timeout = true;
    for (uint32_t i = 0; i < l->instance_count && rc == OM_OK; i++)
        rc = pml_enabled_anywhere(l, &l->instances[i], &all[i]);
    l->no_timeout = before;
    if (rc == OM_OK)
        l->stuck = *out = om_expr_unary(m, OM_OP_NOT, pml_any(m, all, l->instance_count));
    om_free(l->file->region.heap, all);
    return rc != OM_OK || *out != 0 ? rc
                                    : om_model_expr_check(m, &(om_place){ l->file->file, 1, 1 });
}
