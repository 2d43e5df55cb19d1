/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scc_search.h: the depth-first search that checkers of one worker by components have in common.
 * What differs is what they know of a state, and what they do at an edge to one that they know.
 *
 * Edges to states that are known are dealt with when the state that they leave is entered, all at
 * once: their memory is fetched together, they never take room on the stack, and a cycle is seen
 * as soon as it can be. A state that is live when an edge to it is met stays so for as long as the
 * state that the edge leaves is on the path, so components come out the same.
 */
#ifndef OMEN_CHECK_SCC_SEARCH_H
#define OMEN_CHECK_SCC_SEARCH_H

#include <omen/plugin/dfs.h>

typedef struct searcher searcher; /* the checker's own */

/* Each returns OM_OK; OM_ESTOP when a cycle was reported; or its failure. */
typedef struct scc_algorithm {
    /* Has the memory fetched that look() will read of a state. */
    void (*fetch)(const searcher *s, om_id id);
    /* An edge that leaves the last state of the path, or the way into an initial state: *fresh
     * where it leads to a state that was never on the path; else it has been dealt with. */
    int (*look)(searcher *s, om_dfs_edge e, bool *fresh);
    /* Such a state has just been put on the path. */
    int (*push)(searcher *s, om_dfs_edge by);
    /* The last state of the path has been left by all its edges: takes it off. */
    int (*pop)(searcher *s);
} scc_algorithm;

static inline int scc_search_enter(om_dfs *d, const scc_algorithm *a, searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    int rc = om_dfs_enter(d, by, &steps, &n);
    if (rc == OM_OK)
        rc = a->push(s, by);
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        if (!steps[i].fresh)
            a->fetch(s, steps[i].to);
    /* The last one is followed first: the cursor's order, backwards. */
    while (rc == OM_OK && n-- > 0) {
        bool fresh = steps[n].fresh;
        if (!fresh)
            rc = a->look(s, (om_dfs_edge){ steps[n].to, steps[n].marks }, &fresh);
        if (fresh)
            om_dfs_add(d, &steps[n]);
    }
    return rc;
}

/* Searches from all initial states. OM_OK: everything has been searched, and nothing was found. */
static inline int scc_search(om_dfs *d, const scc_algorithm *a, searcher *s)
{
    om_dfs_edge e;
    int rc = om_dfs_start(d);
    while (rc == OM_OK) {
        bool fresh = false;
        if (om_dfs_next(d, &e))
            rc = a->look(s, e, &fresh);
        else if (om_dfs_depth(d) > 0)
            rc = a->pop(s);
        else
            break;
        if (fresh && rc == OM_OK)
            rc = scc_search_enter(d, a, s, e);
    }
    return rc;
}

#endif
