/* SPDX-License-Identifier: Apache-2.0 */
#include "text/lexer.h"
#include "ends.h"
#include "trace.h"

#include <assert.h>

enum { LONGEST_LABEL = 60, LONGEST_CHAIN = 4096 };
static const om_written NOWHERE = { 0, 0 };

/* ---- labels, for traces ---- */

/* Appends the words of a statement. */
void pml_add_words(const pml_token *at, const pml_token *last, om_text *out)
{
    size_t begin = out->length;
    for (const pml_token *t = at; t != NULL && t < last; t++) {
        if (out->length - begin > LONGEST_LABEL) {
            om_text_add(out, " ...");
            return;
        }
        if (t != at && t->spaced)
            om_text_add(out, " ");
        om_text_add_n(out, t->text, t->length);
    }
}

static void add_statement(const pml_node *leaf, om_text *out)
{
    if (leaf->kind == PML_N_END)
        om_text_add(out, "-end-");
    else if (leaf->s == NULL)
        om_text_add(out, "goto");
    else
        pml_add_words(leaf->s->first, leaf->s->last, out);
}

static void add_label(
    pml_lowering *l, const pml_instance *i, const pml_node *leaf, const pml_way *way, om_text *out)
{
    om_text_printf(out, "%s: ", i->name);
    add_statement(leaf, out);
    if (way->partner != NULL) {
        om_text_printf(out, " | %s: ", way->partner->name);
        add_statement(way->with, out);
        om_text_printf(out, " (%s)", pml_channel_name(l, &way->on));
    } else if (leaf->s != NULL && leaf->kind == PML_N_LEAF &&
               (leaf->s->kind == PML_S_SEND || leaf->s->kind == PML_S_RECEIVE))
        om_text_printf(
            out, " (%s%c)", pml_channel_name(l, &way->on), leaf->s->kind == PML_S_SEND ? '!' : '?');
}

/* ---- targets of steps ---- */

/* Returns true if a step from the leaf to n stays within the same atomic sequence or d_step. */
static bool goes_on(const pml_node *leaf, const pml_node *n)
{
    return (leaf->atomic && n->inside) || (leaf->d_step != NULL && n->d_step == leaf->d_step);
}

/* Returns the node by which n can always be left, in exactly one way, so that it can be merged
 * into the step before; NULL if there is none. */
static const pml_node *simple(pml_lowering *l, const pml_instance *i, const pml_node *n)
{
    if (n->kind == PML_N_BLOCK)
        return simple(l, i, n->first);
    if (n->escapes != NULL && n->d_step == NULL)
        return NULL;
    if (n->kind == PML_N_JUMP)
        return n;
    if (n->kind != PML_N_LEAF)
        return NULL;
    if (l->file->exclusive && pml_looks_at_channels(n->s))
        return NULL;
    const pml_expr *run = pml_run_in(n->s);
    const bool certain = run != NULL && l->pools[run->site].once && pml_runs_always(n->s);
    switch (n->s->kind) {
    case PML_S_ASSIGN:
    case PML_S_PRINT:
        return run == NULL || certain ? n : NULL;
    case PML_S_EXPR:
        return certain || (n->s->a->kind == PML_NUMBER && n->s->a->value != 0) ? n : NULL;
    default:
        return NULL;
    }
    (void) i;
}

static int stand(pml_move *v, const pml_instance *i, const pml_node *n)
{
    assert(n->location != 0 && n->location <= i->type->graph->location_count); /* G1 */
    i->stands[n->location - 1] = true;
    return pml_move_assign(
        v, NOWHERE, i->location, 0, om_expr_const(v->l->model, (om_value) n->location));
}

/* Records an accepting label passed within an atomic sequence, where properties see no state. */
static void pass(pml_lowering *l, const pml_node *leaf, const pml_node *n)
{
    if (n->is_accept && leaf->atomic && n->inside)
        l->unseen = n;
}

/* Continues through statements that are certain to be executed, and stops the process where it may
 * have to wait. */
static int arrive(pml_move *v, const pml_instance *i, const pml_node *leaf)
{
    om_model *m = v->l->model;
    const pml_node *n = pml_after(leaf), *next;
    int rc = OM_OK;
    pass(v->l, leaf, n);
    for (int k = 0; k < LONGEST_CHAIN && goes_on(leaf, n) && i->type->provided == NULL; k++) {
        next = simple(v->l, i, n);
        /* Another process may go first there, or pc_value may observe the point in between. */
        if (next == NULL || v->l->file->priorities || v->l->file->places)
            break;
        rc = pml_effect(v, i, next, &(pml_way){ .guard = 0 });
        if (rc == OM_OK)
            rc = pml_move_step(v, i, n, next);
        if (rc != OM_OK)
            return rc;
        leaf = next;
        n = pml_after(leaf);
        pass(v->l, leaf, n);
    }
    rc = stand(v, i, n);
    if (rc != OM_OK || v->l->atomic == OM_NONE)
        return rc;
    om_expr holder = om_expr_const(m, 0);
    if (goes_on(leaf, n)) {
        om_expr enabled = 0;
        holder = om_expr_const(m, (om_value) i->number + 1);
        v->l->held = true;
        if (n->d_step == NULL || n->d_step != leaf->d_step) {
            const bool before = v->l->no_timeout;
            v->l->no_timeout = true; /* before a timeout holds, other processes are let go on */
            rc = pml_enabled(v->l, i, n, &enabled);
            v->l->no_timeout = before;
            enabled = om_expr_binary(m, OM_OP_NE, enabled, om_expr_const(m, 0));
            if (i->outranked != 0)
                enabled = pml_and(m, enabled, om_expr_unary(m, OM_OP_NOT, i->outranked));
            holder = om_expr_binary(m, OM_OP_MUL, holder, enabled);
        }
    }
    return rc == OM_OK ? pml_move_assign(v, NOWHERE, v->l->atomic, 0, holder) : rc;
}

/* ---- transitions ---- */

om_expr pml_nobody_holds(pml_lowering *l)
{
    return om_expr_binary(
        l->model, OM_OP_EQ, om_expr_slot(l->model, l->atomic), om_expr_const(l->model, 0));
}

/* Returns "no other process is in the middle of an atomic sequence, or has a higher priority and
 * can move". */
static om_expr may_move(pml_lowering *l, const pml_instance *i, const pml_node *n)
{
    om_model *m = l->model;
    assert(l->atomic != OM_NONE || n->d_step == NULL); /* P1 */
    om_expr first = i->outranked == 0 ? 0 : om_expr_unary(m, OM_OP_NOT, i->outranked);
    if (l->atomic == OM_NONE)
        return first;
    om_expr holder = om_expr_slot(m, l->atomic);
    om_expr mine = om_expr_binary(m, OM_OP_EQ, holder, om_expr_const(m, (om_value) i->number + 1));
    om_expr nobody = pml_nobody_holds(l);
    if (n->d_step != NULL)
        return mine;
    return pml_and(m, n->inside ? om_expr_binary(m, OM_OP_OR, nobody, mine) : nobody, first);
}

/* A process waits as long as one of a higher priority can move. */
static int outrank(pml_lowering *l)
{
    om_model *m = l->model;
    const om_heap *heap = l->file->region.heap;
    om_expr *can = om_alloc(heap, (size_t) l->instance_count + 1, sizeof *can);
    int rc = can == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    for (uint32_t i = 0; i < l->instance_count && rc == OM_OK; i++)
        rc = pml_enabled_anywhere(l, &l->instances[i], &can[i]);
    for (uint32_t i = 0; i < l->instance_count && rc == OM_OK; i++) {
        pml_instance *a = &l->instances[i];
        for (uint32_t k = 0; k < l->instance_count; k++) {
            om_expr higher = om_expr_binary(m, OM_OP_GT, om_expr_slot(m, l->instances[k].priority),
                om_expr_slot(m, a->priority));
            if (k != i)
                a->outranked = pml_or(m, a->outranked, pml_and(m, higher, can[k]));
        }
    }
    om_free(heap, can);
    return rc;
}

/* Returns true if a guard requires that no process can move otherwise. */
static bool waits_for_timeout(const pml_lowering *l, om_expr guard)
{
    const om_node *n = om_model_node(l->model, guard);
    if (guard == 0 || guard == l->stuck)
        return guard != 0;
    return n->op == OM_OP_AND && (waits_for_timeout(l, n->a) || waits_for_timeout(l, n->b));
}

static int emit(
    pml_move *v, const pml_instance *i, const pml_node *n, const pml_node *leaf, const pml_way *way)
{
    pml_lowering *l = v->l;
    om_text label = { .heap = l->file->region.heap };
    om_transition made = { .process = i->process,
        .partner = way->partner == NULL ? OM_NONE : way->partner->process,
        .guard = v->guard,
        .assigns = v->assigns,
        .assign_count = (uint32_t) v->count,
        .written = v->written,
        .place = leaf->s != NULL ? leaf->s->at
                 : n->s != NULL  ? n->s->at
                                 : i->type->end_at };
    add_label(l, i, leaf, way, &label);
    made.label = label.text;
    int rc =
        label.failed ? om_fail_memory(l->file->ctx) : om_model_expr_check(l->model, &made.place);
    if (rc == OM_OK && ++l->transitions > PML_MAX_TRANSITIONS)
        rc = PML_REFUSE(l->file, made.place, "the model has more than %d transitions",
            (int) PML_MAX_TRANSITIONS);
    if (rc == OM_OK)
        rc = om_model_add_transition(l->model, &made, NULL);
    if (rc == OM_OK && waits_for_timeout(l, made.guard))
        rc = om_model_set_last_resort(l->model);
    if (rc == OM_OK)
        rc = pml_name_steps(v, OM_FOREIGN_TRANSITION);
    if (rc == OM_OK)
        rc = pml_name_prints(v);
    om_text_free(&label);
    return rc;
}

static int lower_way(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_node *leaf, const pml_way *way)
{
    assert(!way->miscounted); /* P3 */
    pml_move v = { .l = l };
    pml_move_guard(&v, pml_at(l->model, i, n));
    pml_move_guard(&v, may_move(l, i, n));
    pml_move_guard(&v, way->guard);
    pml_trace_way trace = { 0, 0 };
    int rc = pml_trace_way_of(l, i, leaf, way, &trace);
    if (rc == OM_OK && trace.to != 0)
        rc = pml_move_assign(&v, NOWHERE, l->trace, 0, trace.to);
    if (rc == OM_OK)
        rc = pml_effect(&v, i, leaf, way);
    if (rc == OM_OK)
        rc = pml_move_step(&v, i, n, leaf);
    if (rc == OM_OK && way->partner != NULL)
        rc = pml_move_step(&v, way->partner, way->at, way->with);
    if (rc == OM_OK && l->file->last)
        rc = pml_move_assign(&v, NOWHERE, l->last, 0,
            om_expr_slot(l->model, way->partner != NULL ? way->partner->pid : i->pid));
    if (rc == OM_OK && leaf->kind == PML_N_END)
        rc = pml_end_process(&v, i);
    else if (rc == OM_OK && way->partner != NULL) {
        /* The sender moves on, and the atomic sequence, if any, passes to the receiver. */
        rc = stand(&v, i, pml_after(leaf));
        if (rc == OM_OK)
            rc = arrive(&v, way->partner, way->with);
    } else if (rc == OM_OK)
        rc = arrive(&v, i, leaf);
    if (rc == OM_OK)
        rc = emit(&v, i, n, leaf, way);
    pml_move_free(&v);
    return rc;
}

static int add_assertion(pml_lowering *l, om_expr condition, const om_place *at, const char *text)
{
    om_assertion made = { .condition = condition, .text = text, .place = *at };
    int rc = om_model_expr_check(l->model, at);
    return rc == OM_OK ? om_model_add_assertion(l->model, &made) : rc;
}

/* Adds an error of the language; no state after it has a meaning. */
static int add_final(pml_lowering *l, om_expr condition, const om_place *at, const char *text)
{
    int rc = add_assertion(l, condition, at, text);
    return rc == OM_OK ? om_model_set_final(l->model) : rc;
}

/* Returns true if an assertion of the control point that is being lowered has this condition. */
static bool is_asserted(const pml_lowering *l, om_expr condition)
{
    uint32_t k = om_model_assertion_count(l->model);
    while (k > l->first_here && om_model_assertion(l->model, k - 1)->condition != condition)
        k--;
    return k > l->first_here;
}

int pml_add_fault(pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf,
    om_expr condition, const om_place *at, const char *text)
{
    om_model *m = l->model;
    om_expr here = pml_and(m, pml_and(m, pml_at(m, i, n), may_move(l, i, n)), condition);
    om_expr never = om_expr_unary(m, OM_OP_NOT, here);
    pml_move v = { .l = l };
    /* The first assertion that fails is reported, so an equal one would only cost time. */
    if (is_asserted(l, never))
        return om_model_expr_check(m, at);
    int rc = add_final(l, never, at, text);
    if (rc == OM_OK)
        rc = pml_move_step(&v, i, n, leaf);
    if (rc == OM_OK)
        rc = pml_name_steps(&v, OM_FOREIGN_ASSERTION);
    pml_move_free(&v);
    return rc;
}

/* Adds the assertion of an `assert`, wherever it is enabled; for set_priority, that the priority
 * is from 1 to 255. */
static int lower_assertion(
    pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf, om_expr guard)
{
    om_model *m = l->model;
    const pml_statement *s = leaf->s;
    pml_move v = { .l = l };
    pml_scope scope = { .l = l, .self = i };
    om_text text = { .heap = l->file->region.heap };
    om_expr condition = 0;
    if (pml_run_in(s) != NULL)
        scope.run = om_expr_slot(m, l->processes);
    int rc = pml_lower_expression(&scope, s->kind == PML_S_ASSERT ? s->a : s->args, &condition);
    if (rc != OM_OK)
        return rc;
    if (s->kind == PML_S_PRIORITY)
        condition = om_expr_binary(m, OM_OP_AND,
            om_expr_binary(m, OM_OP_GE, condition, om_expr_const(m, 1)),
            om_expr_binary(m, OM_OP_LE, condition, om_expr_const(m, UINT8_MAX)));
    om_expr here = pml_and(m, pml_and(m, pml_at(m, i, n), may_move(l, i, n)), guard);
    om_text_printf(&text, "%s: ", i->name);
    pml_add_words(s->first, s->last, &text);
    rc = text.failed
             ? om_fail_memory(l->file->ctx)
             : add_assertion(l, om_expr_binary(m, OM_OP_IMPLY, here, condition), &s->at, text.text);
    if (rc == OM_OK && s->kind == PML_S_PRIORITY)
        rc = om_model_set_final(m);
    if (rc == OM_OK)
        rc = pml_move_step(&v, i, n, leaf);
    if (rc == OM_OK)
        rc = pml_name_steps(&v, OM_FOREIGN_ASSERTION);
    pml_move_free(&v);
    om_text_free(&text);
    return rc;
}

/* Adds an error if the channel is a rendezvous channel: a send in a d_step would have to wait for
 * its receiver. */
static int lower_offer(
    pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_leaves *leaves, size_t k)
{
    om_model *m = l->model;
    pml_scope scope = { .l = l, .self = i };
    const pml_node *leaf = leaves->at[k].node;
    om_expr before = 0, any = 0;
    bool offered = false;
    pml_reference r = { .l = l };
    pml_meant c;
    int rc = pml_before(l, i, leaves, k, &before);
    if (rc == OM_OK)
        rc = pml_open_reference(&scope, leaf->s->target, &r);
    while (rc == OM_OK && pml_next_meant(&r, &c)) {
        if (l->channels[c.channel].init->capacity != 0)
            continue;
        offered = true;
        any = pml_or(m, any, c.when == 0 ? om_expr_const(m, 1) : c.when);
    }
    if (rc != OM_OK || !offered)
        return rc;
    om_expr here = pml_and(m, pml_and(m, pml_at(m, i, n), may_move(l, i, n)), before);
    return add_final(l, om_expr_unary(m, OM_OP_NOT, pml_and(m, here, any)), &leaf->s->at,
        "a rendezvous in a d_step");
}

/* If the pool of a `run` is full, the transition writes out of bounds, so that the result is an
 * error and never a wrong answer. */
static int lower_pool(
    pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_statement *s)
{
    om_model *m = l->model;
    const pml_expr *run = pml_run_in(s);
    const pml_pool *p = &l->pools[run->site];
    const pml_scope scope = { .l = l, .self = i };
    om_expr condition = 0;
    if (p->enough)
        return OM_OK;
    int rc = pml_run_condition(&scope, s, &condition);
    if (rc != OM_OK)
        return rc;
    assert(p->count != 0 && p->first + p->count <= l->instance_count); /* P4 */
    om_expr full = p->new != NULL
                       ? om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, p->running),
                             om_expr_const(m, (om_value) p->count))
                       : om_expr_binary(m, OM_OP_NE,
                             om_expr_slot(m, l->instances[p->first + p->count - 1].location),
                             om_expr_const(m, 0));
    om_expr here = pml_and(m, pml_and(m, pml_at(m, i, n), may_move(l, i, n)), condition);
    om_assign assign = { l->overfull, full, om_expr_const(m, 1) };
    om_transition made = { .process = i->process,
        .partner = OM_NONE,
        .guard = pml_and(m, here, full),
        .assigns = &assign,
        .assign_count = 1,
        .label = "run: too many processes at a time, see the option \"pool\"",
        .place = s->at };
    rc = om_model_expr_check(m, &made.place);
    return rc == OM_OK ? om_model_add_transition(m, &made, NULL) : rc;
}

/* A statement within a d_step must not have to wait. */
static int lower_d_step(pml_lowering *l, const pml_instance *i, const pml_node *n)
{
    om_model *m = l->model;
    om_expr enabled = 0;
    if (n->d_step == NULL)
        return OM_OK;
    int rc = pml_enabled(l, i, n, &enabled);
    om_expr here = pml_and(m, pml_at(m, i, n), may_move(l, i, n));
    return rc != OM_OK ? rc
                       : add_final(l, om_expr_binary(m, OM_OP_IMPLY, here, enabled),
                             n->s != NULL ? &n->s->at : &n->d_step->s->at, "a d_step that blocks");
}

/* A message with another number of fields than the channel's is an error of the process that sends
 * or receives it. */
static int lower_miscounted(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_node *leaf, const pml_way *way)
{
    const pml_chan_init *init = l->channels[way->on.channel].init;
    const pml_statement *s = way->partner != NULL ? way->with->s : leaf->s;
    om_text text = { .heap = l->file->region.heap };
    om_text_printf(&text, "%s: ", way->partner != NULL ? way->partner->name : i->name);
    pml_add_words(s->first, s->last, &text);
    om_text_printf(
        &text, ": %u of %u fields", (unsigned) s->arg_count, (unsigned) init->field_count);
    int rc = text.failed ? om_fail_memory(l->file->ctx)
                         : pml_add_fault(l, i, n, leaf, way->guard, &s->at, text.text);
    om_text_free(&text);
    return rc;
}

static int lower_leaf(
    pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_leaves *leaves, size_t k)
{
    const pml_node *leaf = leaves->at[k].node;
    pml_ways ways = { .at = NULL };
    int rc = pml_ways_of(l, i, leaves, k, &ways);
    for (size_t w = 0; w < ways.count && rc == OM_OK; w++) {
        if (ways.at[w].miscounted) {
            rc = lower_miscounted(l, i, n, leaf, &ways.at[w]);
            continue;
        }
        rc = lower_way(l, i, n, leaf, &ways.at[w]);
        if (rc == OM_OK && leaf->kind == PML_N_LEAF &&
            (leaf->s->kind == PML_S_ASSERT || leaf->s->kind == PML_S_PRIORITY))
            rc = lower_assertion(l, i, n, leaf, ways.at[w].guard);
    }
    if (rc == OM_OK && leaf->d_step != NULL && leaf->kind == PML_N_LEAF &&
        leaf->s->kind == PML_S_SEND)
        rc = lower_offer(l, i, n, leaves, k);
    if (rc == OM_OK)
        rc = pml_lower_trace(l, i, n, leaves, k, &ways);
    if (rc == OM_OK)
        rc = pml_lower_uses(l, i, n, leaves, k, &ways);
    if (rc == OM_OK && leaf->kind == PML_N_LEAF && pml_run_in(leaf->s) != NULL)
        rc = lower_pool(l, i, n, leaf->s);
    om_free(l->file->region.heap, ways.at);
    return rc;
}

static int lower_point(pml_lowering *l, const pml_instance *i, const pml_node *n)
{
    pml_leaves leaves = { .at = NULL };
    l->first_here = om_model_assertion_count(l->model);
    int rc = pml_leaves_of(l->file, n, &leaves);
    for (size_t j = 0; j < leaves.count && rc == OM_OK; j++)
        rc = lower_leaf(l, i, n, &leaves, j);
    om_free(l->file->region.heap, leaves.at);
    return rc == OM_OK ? lower_d_step(l, i, n) : rc;
}

/* Lowers the control points at which a process may stop, until no new ones are found. Points that
 * every step passes at once get no transitions. */
int pml_lower_transitions(pml_lowering *l)
{
    size_t all = 0;
    for (uint32_t k = 0; k < l->instance_count; k++)
        all += l->instances[k].type->graph->location_count;
    bool *done = om_alloc(l->file->region.heap, all + 1, sizeof *done), again = true;
    int rc = done == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    if (rc == OM_OK && l->file->priorities)
        rc = outrank(l);
    while (again && rc == OM_OK) {
        size_t at = 0;
        again = false;
        for (uint32_t k = 0; k < l->instance_count; k++) {
            const pml_instance *i = &l->instances[k];
            for (uint32_t n = 0; n < i->type->graph->location_count; n++, at++) {
                if (rc != OM_OK || done[at] || !i->stands[n])
                    continue;
                again = done[at] = true;
                rc = lower_point(l, i, i->type->graph->locations[n]);
            }
        }
    }
    om_free(l->file->region.heap, done);
    return rc;
}
