/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scc_search.h: the depth-first search that checkers by components with one worker share. They
 * differ in what they store for a state, and in how they process an edge to a state that they know.
 *
 * Edges to known states are processed when the state that they leave is entered, all at once: their
 * memory is fetched together, they never take room on the stack, and a cycle is seen as early as
 * possible. A state that is live when an edge to it is met stays live for as long as the state that
 * the edge leaves is on the path, so the components come out the same.
 */
#ifndef OMEN_CHECK_SCC_SEARCH_H
#define OMEN_CHECK_SCC_SEARCH_H

#include <omen/plugin/dfs.h>

typedef struct searcher searcher; /* defined by the checker */

/* Each function returns OM_OK, OM_ESTOP after it has reported a cycle, or its error. */
typedef struct scc_algorithm {
    /* Prefetches the memory that look() reads for a state. */
    void (*fetch)(const searcher *s, om_id id);
    /* Looks at an edge that leaves the last state of the path, or that leads into an initial state.
     * Sets *fresh if it leads to a state that was never on the path; otherwise it has processed the
     * edge. */
    int (*look)(searcher *s, om_dfs_edge e, bool *fresh);
    /* Called after such a state was put on the path. */
    int (*push)(searcher *s, om_dfs_edge by);
    /* Called after all edges of the last state of the path have been followed: takes it off. */
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
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (rc == OM_OK && n-- > 0) {
        bool fresh = steps[n].fresh;
        if (!fresh)
            rc = a->look(s, (om_dfs_edge){ steps[n].to, steps[n].marks }, &fresh);
        if (fresh)
            om_dfs_add(d, &steps[n]);
    }
    return rc;
}

/* Searches from all initial states. Returns OM_OK if the whole product was searched and nothing was
 * found. */
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
