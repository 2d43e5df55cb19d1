/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `trace` and `notrace`: an automaton over the sends and receives on the channels that it names,
 * which moves with them; the slot `_trace` is its location. The rules are those of SPIN's
 * verifier:
 *
 *   - a send is an event once the message is in its channel, a receive before it is taken out. The
 *     automaton looks at the last message and at the first one, whatever `!!` or `??` chose;
 *   - a rendezvous is two events. Its send is one as soon as it is tried: an error if no
 *     statement matches, even if no process receives;
 *   - a jump at the automaton's location is taken with any event; two ways to move are an error;
 *   - without a way to move, a `trace` is violated, and a `notrace` is satisfied from there on; a
 *     `notrace` is violated when it reaches its end.
 *
 * Fields that are neither constants nor `eval` match any value; so do negative numbers in sends.
 * Labels "accept..." and "progress..." have no meaning there.
 */
#include "trace.h"

#include <assert.h>

/* ---- check of the statements ---- */

static int check_target(pml_lowering *l, const pml_expr *e)
{
    const pml_scope s = { .l = l };
    if (!e->variable->is_global)
        return PML_FAIL(l->file, e->at, "the channels of a trace must be global");
    for (const pml_expr *f = e; f != NULL; f = f->field)
        if (f->a != NULL && f->a->kind != PML_NUMBER)
            return PML_FAIL(
                l->file, f->a->at, "the channels of a trace must have constant indices");
    return pml_check_channel(&s, e);
}

static int check_event(pml_lowering *l, const pml_statement *s)
{
    if ((s->kind != PML_S_SEND && s->kind != PML_S_RECEIVE) || s->sorted || s->keep)
        return PML_FAIL(l->file, s->at,
            "a trace may have only events \"c!...\" and \"c?...\", choices and jumps");
    return check_target(l, s->target);
}

/* The recursion is as deep as statements are nested. */
static int check_sequence(pml_lowering *l, const pml_statement *s)
{
    int rc = OM_OK;
    for (; s != NULL && rc == OM_OK; s = s->next) {
        for (const pml_option *o = s->options; o != NULL && rc == OM_OK; o = o->next)
            rc = check_sequence(l, o->body);
        if (rc == OM_OK)
            rc = check_sequence(l, s->body);
        if (rc == OM_OK)
            rc = check_sequence(l, s->escape);
        switch (s->kind) {
        case PML_S_IF:
        case PML_S_DO:
        case PML_S_BLOCK:
        case PML_S_ATOMIC:
        case PML_S_UNLESS:
        case PML_S_GOTO:
        case PML_S_BREAK:
            break;
        default:
            rc = rc == OM_OK ? check_event(l, s) : rc;
        }
    }
    return rc;
}

/* ---- the slot ---- */

static uint32_t end_location(const pml_graph *g)
{
    return g->end->location != 0 ? g->end->location : g->location_count + 1;
}

static int add_slot(pml_lowering *l, const pml_proctype *t)
{
    const pml_graph *g = t->graph;
    const char **names = NULL;
    om_value start = (om_value) g->start->location;
    om_slot slot = { .name = "_trace",
        .type = OM_ENUM,
        .process = OM_NONE,
        .initial = &start,
        .enumerators = g->location_count + 2,
        .place = t->at };
    int rc = pml_location_names(l, g, &names);
    if (rc != OM_OK)
        return rc;
    names[g->location_count + 1] = g->end->location != 0 ? "-" : "-end-";
    slot.enumerator_names = names;
    return om_model_add_slot(l->model, &slot, &l->trace);
}

int pml_make_trace(pml_lowering *l)
{
    pml_proctype *t = l->file->trace;
    if (t == NULL)
        return OM_OK;
    int rc = pml_build_graph(l->file, t);
    return rc == OM_OK ? add_slot(l, t) : rc;
}

int pml_check_trace(pml_lowering *l)
{
    const pml_proctype *t = l->file->trace;
    if (t != NULL && t->body == NULL)
        return PML_FAIL(l->file, t->at, "this trace has no event");
    return t == NULL ? OM_OK : check_sequence(l, t->body);
}

static om_expr at_location(pml_lowering *l, uint32_t location)
{
    return om_expr_binary(l->model, OM_OP_EQ, om_expr_slot(l->model, l->trace),
        om_expr_const(l->model, (om_value) location));
}

om_expr pml_trace_ended(pml_lowering *l)
{
    const pml_graph *g = l->file->trace->graph;
    om_expr all = at_location(l, end_location(g));
    for (uint32_t n = 0; n < g->location_count; n++)
        if (g->locations[n]->is_end)
            all = pml_or(l->model, all, at_location(l, g->locations[n]->location));
    return all;
}

/* ---- observed events ---- */

/* Adds the condition under which the channel is one that a statement of this kind names. */
static int add_scope(
    pml_lowering *l, const pml_statement *s, const pml_event *e, om_expr *all, bool *possible)
{
    const pml_scope nobody = { .l = l };
    int rc = OM_OK;
    for (; s != NULL && rc == OM_OK; s = s->next) {
        for (const pml_option *o = s->options; o != NULL && rc == OM_OK; o = o->next)
            rc = add_scope(l, o->body, e, all, possible);
        if (rc == OM_OK)
            rc = add_scope(l, s->body, e, all, possible);
        if (rc == OM_OK)
            rc = add_scope(l, s->escape, e, all, possible);
        if (rc != OM_OK || s->kind != (e->sent ? PML_S_SEND : PML_S_RECEIVE))
            continue;
        om_expr means = 0;
        bool may = false;
        const pml_meant c = { .channel = e->channel };
        rc = pml_means(&nobody, s->target, &c, &means, &may);
        if (rc == OM_OK && may)
            *all = pml_or(l->model, *all, means == 0 ? om_expr_const(l->model, 1) : means);
        *possible = *possible || may;
    }
    return rc;
}

/* ---- moves ---- */

static bool is_negative(const pml_expr *e)
{
    return e->kind == PML_UNARY && e->op == OM_OP_NEG && e->a->kind == PML_NUMBER;
}

/* Sets *guard to the condition under which the statement matches the event; *possible is false if
 * it never does. */
static int fits(
    pml_lowering *l, const pml_statement *s, const pml_event *e, om_expr *guard, bool *possible)
{
    const pml_scope nobody = { .l = l };
    const pml_chan_init *init = l->channels[e->channel].init;
    uint32_t i = 0;
    if (s->kind != (e->sent ? PML_S_SEND : PML_S_RECEIVE))
        return OM_OK;
    const pml_meant c = { .channel = e->channel };
    int rc = pml_means(&nobody, s->target, &c, guard, possible);
    if (rc == OM_OK && *possible && s->arg_count > init->field_count)
        return pml_fail_fields(
            &nobody, &s->target->at, s->arg_count, init, l->channels[e->channel].name);
    for (const pml_expr *a = s->args; a != NULL && rc == OM_OK && *possible; a = a->next, i++) {
        om_expr value = 0;
        if (a->kind != PML_NUMBER && a->kind != PML_EVAL && (e->sent || !is_negative(a)))
            continue;
        rc = pml_lower_expression(&nobody, a->kind == PML_EVAL ? a->a : a, &value);
        if (rc == OM_OK)
            rc = pml_made(&nobody, a,
                pml_and(l->model, *guard, om_expr_binary(l->model, OM_OP_EQ, e->items[i], value)),
                guard);
    }
    return rc;
}

typedef struct ways {
    om_expr here;             /* the automaton is at the current location */
    om_expr to, count, ended; /* sums over all ways */
} ways;

static int add_way(pml_lowering *l, const pml_node *leaf, const pml_event *e, ways *w)
{
    om_model *m = l->model;
    om_expr guard = w->here, fit = 0;
    /* The only statements that are no events are the `skip`s before labelled jumps. */
    bool possible =
        leaf->kind == PML_N_JUMP || (leaf->kind == PML_N_LEAF && leaf->s->kind == PML_S_EXPR);
    int rc = leaf->kind == PML_N_LEAF ? fits(l, leaf->s, e, &fit, &possible) : OM_OK;
    if (rc != OM_OK || !possible)
        return rc;
    guard = pml_and(m, guard, fit);
    const pml_node *after = pml_after(leaf);
    assert(after->location != 0); /* G1 */
    om_expr go = om_expr_binary(m, OM_OP_MUL, guard, om_expr_const(m, (om_value) after->location));
    w->to = om_expr_binary(m, OM_OP_ADD, w->to, go);
    w->count = om_expr_binary(m, OM_OP_ADD, w->count, guard);
    if (after->kind == PML_N_END)
        w->ended = pml_or(m, w->ended, guard);
    return OM_OK;
}

/* Finds all ways to move from `at`, a value of the slot. */
static int find_ways(pml_lowering *l, om_expr at, const pml_event *e, ways *w)
{
    om_model *m = l->model;
    const pml_graph *g = l->file->trace->graph;
    pml_leaves leaves = { .at = NULL };
    int rc = OM_OK;
    w->to = w->count = om_expr_const(m, 0);
    for (uint32_t n = 0; n < g->location_count && rc == OM_OK; n++) {
        w->here = om_expr_binary(m, OM_OP_EQ, at, om_expr_const(m, (om_value) n + 1));
        rc = pml_leaves_of(l->file, g->locations[n], &leaves);
        for (size_t k = 0; k < leaves.count && rc == OM_OK; k++)
            rc = add_way(l, leaves.at[k].node, e, w);
    }
    om_free(l->file->region.heap, leaves.at);
    return rc;
}

int pml_trace_move(pml_lowering *l, om_expr at, const pml_event *e, pml_trace_way *out)
{
    om_model *m = l->model;
    const pml_proctype *t = l->file->trace;
    ways w = { .ended = 0 };
    om_expr scope = 0, one = om_expr_const(m, 1);
    bool possible = false;
    *out = (pml_trace_way){ 0, 0 };
    int rc = add_scope(l, t->body, e, &scope, &possible);
    if (rc != OM_OK || !possible)
        return rc;
    rc = find_ways(l, at, e, &w);
    if (rc != OM_OK)
        return rc;
    om_expr none = om_expr_binary(m, OM_OP_EQ, w.count, om_expr_const(m, 0));
    om_expr stray = om_expr_const(m, (om_value) end_location(t->graph));
    if (!t->negated)
        out->fails = om_expr_binary(m, OM_OP_NE, w.count, one);
    else {
        out->fails = pml_or(m, om_expr_binary(m, OM_OP_GT, w.count, one), w.ended);
        w.to = om_expr_binary(m, OM_OP_ADD, w.to, om_expr_binary(m, OM_OP_MUL, none, stray));
    }
    out->fails = pml_and(m, scope, out->fails);
    out->to = om_expr_binary(m, OM_OP_ADD, om_expr_binary(m, OM_OP_MUL, scope, w.to),
        om_expr_binary(m, OM_OP_MUL, om_expr_unary(m, OM_OP_NOT, scope), at));
    return OM_OK;
}
