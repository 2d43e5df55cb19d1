/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decomposition.h: components that several workers explore together while they are live, over
 * shared classes (om_scc_sets); Bloemen, Laarman, van de Pol, "Multi-core on-the-fly SCC
 * decomposition", PPoPP 2016, section 3; with generalized Buchi marks on classes, and edges that
 * are left out, as in Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2 and 3.3.2. The checkers
 * ufscc, favoid and streett use it; names here are private to the plug-in.
 *
 * Edges with a mark to avoid do not belong to the graph that is decomposed: their targets are
 * reported to a callback, and no more.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_H
#define OMEN_CHECK_DECOMPOSITION_H

#include <omen/plugin/dfs.h>
#include <omen/plugin/scc_sets.h>

#include "inf_clauses.h"

/*
 * Callbacks for a condition that further marks may break, such as Streett's. The marks of a class
 * are then those of a cycle (F5 in decomposition.c), and reports about a component are about all
 * its marks. `self` is that of decomposition_join(). All functions but the first return OM_OK, or
 * the reason to end the search.
 */
typedef struct decomposition_exact {
    /* Returns true if a component with exactly these marks accepts; sets the marks that a cycle in
     * it must see and avoid. */
    bool (*accepts)(const void *self, om_marks marks, om_marks *see, om_marks *avoid);
    /* Sets *inside if a state is in the graph that is decomposed. Edges to other states are left
     * out and not reported. NULL: every state is. */
    int (*is_inside)(void *self, om_id to, bool *inside);
    /* Called when the component of this state has been explored, has exactly these marks, and does
     * not accept: at least once for each such component, before any worker sees it dead. */
    int (*explored)(void *self, om_id id, om_marks marks);
    /* Called when the worker has left a dead component. It may run other searches with its cursor
     * before it returns. */
    int (*left)(void *self);
} decomposition_exact;

/* Data that workers share. Any thread may use it; only the classes change. */
typedef struct decomposition {
    om_task *task;
    om_scc_sets *classes;
    om_marks avoid;      /* edges with one of these marks are left out */
    const om_marks *see; /* a component with all marks of one of these accepts */
    size_t see_count;    /* at least 1, unless there is `accepts` or `exact` */
    /* The same condition, read with inf_clauses_read(), or NULL */
    const inf_clauses *accepts;
    om_marks seen; /* all marks that the condition uses: others are not recorded */
    /* By automaton state: true if an accepting component may be reachable from it. Edges to other
     * states are left out, too, and not reported. NULL: from every state. */
    const bool *useful;
    const decomposition_exact *exact; /* or NULL; replaces `see` */
    bool again;                       /* its states have been in a search before */
} decomposition;

typedef struct decomposition_worker decomposition_worker;

/* Creates a worker's data, for any number of decompositions, one after the other: its stacks are
 * empty between two searches. The caller frees *out. Returns OM_OK, or as om_dfs_new(). */
int decomposition_new(decomposition_worker **out, om_task *task, unsigned worker);
/* Frees a worker, and adds its bytes and counts to those of the task. NULL is allowed. */
void decomposition_free(decomposition_worker *s);

/*
 * Called with the target of an edge that is left out, if no worker has entered it yet. The call
 * comes before the state that the edge leaves is done. Returns OM_OK, or the reason to end the
 * search.
 */
typedef int decomposition_avoided(void *self, om_id to);
/* Selects the decomposition for the next searches; `avoided` may be NULL if no mark is avoided. */
void decomposition_join(
    decomposition_worker *s, const decomposition *d, decomposition_avoided *avoided, void *self);

/*
 * Search from all initial states, or from this one. Return OM_OK if these states, and all that can
 * be reached from them, are dead and no component there accepts; OM_ESTOP if the task was stopped
 * or evidence was reported; else an error of a cursor, of memory, or of avoided().
 */
int decomposition_search(decomposition_worker *s);
int decomposition_search_from(decomposition_worker *s, om_id id);

#endif
