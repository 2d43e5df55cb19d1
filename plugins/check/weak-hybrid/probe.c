/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes: now and then each worker searches outside depth-first, so that a violation far from the
 * beginning, which is easy to find for who does not look at everything nearer first, is found
 * early. What a probe stores is stored once, as always; it only comes out of turn.
 */
#include "hybrid.h"

/* A probe expands as many states as this part of those that its worker has stored. */
enum { PROBE_PART = 4 };

/* Expands a state outside. What comes new of it goes onto the stack, or is an end. */
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
    /* The last one is followed first: the cursor's order, backwards. */
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

int hybrid_probe(searcher *s)
{
    uint64_t left = s->stored / PROBE_PART;
    int rc = hybrid_add(s, &s->stack, s->probe);
    s->probe = OM_NO_ID;
    while (rc == OM_OK && s->stack.count > 0 && left-- > 0) {
        rc = expand(s, s->stack.ids[--s->stack.count]);
        while (rc == OM_OK && s->found.count > 0)
            rc = hybrid_search(s, s->found.ids[--s->found.count]);
    }
    while (rc == OM_OK && s->stack.count > 0)
        rc = om_bfs_add(s->run->bfs, s->worker, s->stack.ids[--s->stack.count]);
    return rc;
}
