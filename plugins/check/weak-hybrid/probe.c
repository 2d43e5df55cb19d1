/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes: now and then, each worker searches outside depth-first, in order to find early a
 * violation that is far from the initial states but easy to find without visiting all nearer states
 * first. A state that a probe stores is stored once, as always; it is only expanded out of turn.
 * Probes end together: all draw on one budget of states that may be expanded, and a worker with no
 * states left gets half of another's.
 */
#include "hybrid.h"

#include <string.h>

/* PROBE_PART: probes may expand this fraction of the states that their workers have stored. */
enum { PROBE_PART = 4, DRAWN = 64 /* at once */ };

/* Expands a state outside. New successors go onto the stack or, if inside, to the ends. */
static int expand(searcher *s, om_id id)
{
    const om_run *run = s->run;
    om_cursor *c = om_dfs_cursor(s->dfs);
    const om_step *steps;
    size_t n;
    int rc = om_task_stopped(run->task) ? OM_ESTOP : om_cursor_successors(c, id, &steps, &n);
    if (rc == OM_OK && om_cursor_failed(c, id))
        rc = OM_EMODEL;
    if (rc != OM_OK)
        return rc;
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK) {
        if (!steps[n].fresh)
            continue;
        bool inside = run->accepting[steps[n].automaton_state];
        rc = om_bfs_tell_parent(run->bfs, s->worker, steps[n].to, id);
        if (rc == OM_OK)
            rc = hybrid_add(s, inside ? &s->found : &s->stack, steps[n].to);
    }
    return rc;
}

/* Draws one state from the budget. Returns false if it is used up. */
static bool draw(searcher *s)
{
    if (s->left == 0) {
        /* relaxed, both: only a number; several workers together may draw slightly too many. */
        int64_t left = atomic_load_explicit(&s->run->left, memory_order_relaxed);
        if (left <= 0)
            return false;
        s->left = left < DRAWN ? left : DRAWN;
        (void) atomic_fetch_sub_explicit(&s->run->left, s->left, memory_order_relaxed);
    }
    s->left--;
    return true;
}

/* Gives the older half of the stack, which leads to more states, to workers with nothing to do. */
static int give(searcher *s)
{
    om_run *run = s->run;
    size_t n = s->stack.count / 2;
    int rc = OM_OK;
    (void) pthread_mutex_lock(&run->lock);
    if (run->given.count == 0) {
        for (size_t i = 0; i < n && rc == OM_OK; i++)
            rc = hybrid_add(s, &run->given, s->stack.ids[i]);
        if (rc == OM_OK) {
            s->stack.count -= n;
            memmove(s->stack.ids, s->stack.ids + n, s->stack.count * sizeof *s->stack.ids);
        }
        /* relaxed: a worker that sees it takes the lock. */
        atomic_store_explicit(&run->given_count, run->given.count, memory_order_relaxed);
    }
    (void) pthread_mutex_unlock(&run->lock);
    return rc;
}

bool hybrid_take_given(searcher *s, bool idle, int *rc)
{
    om_run *run = s->run;
    if (atomic_load_explicit(&run->given_count, memory_order_relaxed) == 0)
        return false;
    (void) pthread_mutex_lock(&run->lock);
    bool any = run->given.count > 0;
    if (any && idle)
        (void) atomic_fetch_sub_explicit(&run->done, 1, memory_order_relaxed);
    while (run->given.count > 0 && *rc == OM_OK)
        *rc = hybrid_add(s, &s->stack, run->given.ids[--run->given.count]);
    run->given.count = 0;
    atomic_store_explicit(&run->given_count, 0, memory_order_relaxed);
    (void) pthread_mutex_unlock(&run->lock);
    return any;
}

/* Expands the states on the stack, until the budget is used up. */
static int go_on(searcher *s)
{
    const om_run *run = s->run;
    int rc = OM_OK;
    while (rc == OM_OK && s->stack.count > 0 && draw(s)) {
        rc = expand(s, s->stack.ids[--s->stack.count]);
        while (rc == OM_OK && s->found.count > 0)
            rc = hybrid_search(s, s->found.ids[--s->found.count]);
        if (rc == OM_OK && s->stack.count > 1 &&
            atomic_load_explicit(&run->idle, memory_order_relaxed) > 0 &&
            atomic_load_explicit(&run->given_count, memory_order_relaxed) == 0)
            rc = give(s);
    }
    while (rc == OM_OK && s->stack.count > 0)
        rc = om_bfs_add(run->bfs, s->worker, s->stack.ids[--s->stack.count]);
    (void) atomic_fetch_add_explicit(&s->run->left, s->left, memory_order_relaxed);
    s->left = 0;
    return rc;
}

int hybrid_probe(searcher *s)
{
    int rc = OM_OK;
    if (s->probe != OM_NO_ID) {
        (void) atomic_fetch_add_explicit(
            &s->run->left, (int64_t) (s->stored / PROBE_PART), memory_order_relaxed);
        rc = hybrid_add(s, &s->stack, s->probe);
        s->probe = OM_NO_ID;
    }
    do
        rc = rc == OM_OK ? go_on(s) : rc;
    while (rc == OM_OK && hybrid_take_given(s, false, &rc)); /* maybe its own */
    return rc;
}
