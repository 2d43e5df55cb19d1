/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fairness to processes, from the definition (core/plan/property/fairness.h): the processes that
 * can move in a state are those of its outgoing transitions. It shares no code with the part that
 * assigns marks to edges.
 */
#include "fair.h"
#include "states.h"

typedef struct tally {
    om_context *ctx;
    const om_lasso *l;
    om_model *m;
    om_executor *x;
    om_successors next;
    uint32_t processes;
    om_lasso_process *of;
    size_t *seen; /* by process: the last state in which it was able to move, plus 1 */
} tally;

static void note_able(tally *t, uint32_t process, size_t state)
{
    if (process >= t->processes || t->seen[process] == state + 1)
        return;
    t->seen[process] = state + 1;
    t->of[process].able++;
}

static void note_move(tally *t, uint32_t process)
{
    if (process < t->processes)
        t->of[process].moves++;
}

/* Counts state i of the cycle and the transition that leaves it. */
static int look(tally *t, const uint32_t *state, size_t i)
{
    const uint32_t taken = t->l->transitions[i];
    if (om_executor_successors(t->x, state, &t->next) != OM_OK)
        return om_fail_memory(t->ctx);
    for (size_t k = 0; k < t->next.count; k++) {
        const om_transition *by = om_model_transition(t->m, t->next.transition[k]);
        note_able(t, by->process, i);
        note_able(t, by->partner, i);
    }
    if (taken < om_model_transition_count(t->m)) {
        const om_transition *by = om_model_transition(t->m, taken);
        note_move(t, by->process);
        if (by->partner != by->process)
            note_move(t, by->partner);
    }
    return OM_OK;
}

static int look_at_cycle(tally *t)
{
    om_lasso_states states = { 0 };
    const uint32_t *state, *before;
    int rc = om_lasso_states__open(&states, t->l, t->m);
    for (size_t i = 0; rc == OM_OK && i < t->l->count; i++) {
        rc = om_context_stopped(t->ctx);
        if (rc == OM_OK)
            rc = om_lasso_states__next(&states, &state, &before);
        if (rc == OM_OK && i >= t->l->loop)
            rc = look(t, state, i);
    }
    om_lasso_states__close(&states);
    return rc;
}

int om_lasso__processes(om_context *ctx, const om_lasso *l, om_model *m, om_lasso_process **out)
{
    const om_heap *heap = om_context_heap(ctx);
    tally t = {
        .ctx = ctx, .l = l, .m = m, .next = { .heap = heap }, .processes = om_model_process_count(m)
    };
    int rc = OM_NEW(heap, t.of, t.processes + (size_t) 1) &&
                     OM_NEW(heap, t.seen, t.processes + (size_t) 1)
                 ? om_executor_open(&t.x, m, OM_EXEC_VM, NULL, 0)
                 : om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = look_at_cycle(&t);
    om_executor_close(t.x);
    om_successors_free(&t.next);
    om_free(heap, t.seen);
    if (rc == OM_OK)
        *out = t.of;
    else
        om_free(heap, t.of);
    return rc;
}

int om_lasso__check_fairness(
    om_context *ctx, const om_lasso *l, om_model *m, om_process_fairness kind)
{
    const bool weak = kind == OM_FAIRNESS_WEAK;
    const size_t cycle = l->count - l->loop;
    om_lasso_process *of = NULL;
    int rc = om_lasso__processes(ctx, l, m, &of);
    for (uint32_t i = 0; rc == OM_OK && i < om_model_process_count(m); i++)
        if (of[i].moves == 0 && (weak ? of[i].able == cycle : of[i].able > 0))
            rc = om_fail(ctx, OM_EINPUT, NULL,
                "the model has this run, but it is not %sly fair: process %s can move in %s of the "
                "cycle, but never does",
                om_process_fairness_name(kind), om_model_process(m, i)->name,
                weak ? "each state" : "a state");
    om_free(om_context_heap(ctx), of);
    return rc;
}
