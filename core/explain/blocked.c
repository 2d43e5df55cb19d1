/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why no transition is enabled in a state: for each transition whose process is at its start, the
 * parts of the guard that are false. The parts of a guard are the operands of its conjunctions; a
 * part that compares the location of a moving process tells where the transition starts.
 */
#include "parts.h"

#include "states.h"

#include <string.h>

enum { PARTS = 64 };

typedef struct guard {
    om_expr part[PARTS]; /* the first of them, in order */
    uint32_t count;
} guard;

static void collect(const om_model *m, om_expr e, guard *g)
{
    const om_node n = *om_model_node(m, e);
    if (n.op == OM_OP_AND) {
        collect(m, n.a, g);
        collect(m, n.b, g);
    } else if (g->count < PARTS)
        g->part[g->count++] = e;
}

/* Returns true if the part compares the process's location with a constant. */
static bool is_place(const om_model *m, om_expr e, uint32_t process)
{
    const om_node *n = om_model_node(m, e);
    if (process == OM_NONE || n->op != OM_OP_EQ)
        return false;
    const om_node *a = om_model_node(m, n->a), *b = om_model_node(m, n->b);
    return a->op == OM_OP_SLOT && b->op == OM_OP_CONST &&
           a->a == om_model_process(m, process)->location;
}

static bool is_at_location(const om_model *m, om_expr e, const uint32_t *state)
{
    const om_node *n = om_model_node(m, e);
    const om_slot *slot = om_model_slot(m, om_model_node(m, n->a)->a);
    return om_slot_get(slot, state, 0) == om_model_node(m, n->b)->value;
}

/* Returns true if a process of the transition is where the transition starts. */
static bool begins(const om_model *m, const om_transition *t, const guard *g, const uint32_t *state)
{
    bool names_location = false;
    for (uint32_t i = 0; i < g->count; i++) {
        if (!is_place(m, g->part[i], t->process) && !is_place(m, g->part[i], t->partner))
            continue;
        if (is_at_location(m, g->part[i], state))
            return true;
        names_location = true;
    }
    return !names_location;
}

/* Computes which parts are true, and for how many that is known: a part that cannot be evaluated
 * follows one that is false. */
static int evaluate(
    om_model *m, const guard *g, const uint32_t *state, uint64_t *out, uint32_t *known)
{
    om_fault fault = 1;
    *known = g->count;
    while (fault != 0) {
        om_executor *x = NULL;
        int rc = om_executor_open(&x, m, OM_EXEC_VM, g->part, *known);
        if (rc != OM_OK)
            return rc;
        fault = 0;
        *out = x->labels(x, state, &fault);
        om_executor_close(x);
        if (fault != 0)
            *known = OM_FAULT_SUBJECT(fault) < *known ? OM_FAULT_SUBJECT(fault) : *known - 1;
    }
    return OM_OK;
}

static int look_at(
    om_context *ctx, om_model *m, uint32_t transition, const uint32_t *state, om_explanation *out)
{
    const om_transition *t = om_model_transition(m, transition);
    guard g = { .count = 0 };
    om_text why = { .heap = out->heap };
    uint64_t truth = 0;
    uint32_t known = 0;
    int rc = OM_OK;
    if (t->guard != 0)
        collect(m, t->guard, &g);
    if (!begins(m, t, &g, state))
        return OM_OK;
    if (g.count > 0)
        rc = evaluate(m, &g, state, &truth, &known);
    for (uint32_t i = 0; rc == OM_OK && i < known; i++) {
        if (truth >> i & 1)
            continue;
        om_text_add(&why, why.length == 0 ? "" : ", ");
        om_explain__put_expression(m, g.part[i], &why);
    }
    if (rc == OM_OK && why.length == 0)
        om_text_add(&why, "its guard");
    if (rc == OM_OK && why.failed)
        rc = om_fail_memory(ctx);
    if (rc != OM_OK) {
        om_text_free(&why);
        return rc;
    }
    out->blocked[out->blocked_count++] = (om_blocked){ transition, why.text };
    return OM_OK;
}

static int last_state(om_context *ctx, om_model *m, const om_lasso *run, uint32_t *to)
{
    om_lasso_states states = { 0 };
    const uint32_t *state, *before;
    int rc = om_lasso_states__open(&states, run, m);
    for (size_t i = 0; rc == OM_OK && i < run->count; i++) {
        rc = om_lasso_states__next(&states, &state, &before);
        if (rc == OM_OK && i + 1 == run->count)
            memcpy(to, state, run->words * sizeof *to);
    }
    om_lasso_states__close(&states);
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}

int om_explain__blocked(om_context *ctx, om_model *m, const om_lasso *run, om_explanation *out)
{
    const uint32_t transitions = om_model_transition_count(m);
    uint32_t *state = om_alloc(out->heap, run->words, sizeof *state);
    out->blocked = om_alloc(out->heap, transitions, sizeof *out->blocked);
    int rc = state == NULL || out->blocked == NULL ? om_fail_memory(ctx)
                                                   : last_state(ctx, m, run, state);
    for (uint32_t t = 0; rc == OM_OK && t < transitions; t++) {
        rc = om_context_stopped(ctx);
        if (rc == OM_OK)
            rc = look_at(ctx, m, t, state, out);
    }
    om_free(out->heap, state);
    return rc;
}
