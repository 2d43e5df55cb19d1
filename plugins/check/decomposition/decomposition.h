/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decomposition.h: components that several workers explore together while they are live, over
 * classes that they share (om_scc_sets); Bloemen, Laarman, van de Pol, "Multi-core on-the-fly SCC
 * decomposition", PPoPP 2016, section 3; with generalized Buchi marks on classes, and edges that
 * are left out, as in Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2 and 3.3.2. The checkers
 * ufscc and favoid are made of it; names here are the plug-in's own.
 *
 * Edges with a mark that is to be avoided do not belong to the graph that is decomposed: what they
 * lead to is told to who asked for it, and nothing else is done.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_H
#define OMEN_CHECK_DECOMPOSITION_H

#include <omen/plugin/dfs.h>
#include <omen/plugin/scc_sets.h>

/* What workers share. Any thread; nothing in it changes but the classes. */
typedef struct decomposition {
    om_task *task;
    om_scc_sets *classes;
    om_marks avoid;      /* edges with one of these are left out */
    const om_marks *see; /* a component with all marks of one of these accepts */
    size_t see_count;    /* at least 1 */
    om_marks seen;       /* the union of `see`: no others are noted */
    /* By state of the automaton: may an accepting component be reached from there? Edges to others
     * are left out, too, and told to nobody. NULL: from anywhere. */
    const bool *useful;
} decomposition;

typedef struct decomposition_worker decomposition_worker;

/* A worker's part, for as many decompositions as it likes one after the other: its stacks are empty
 * between two searches. *out is the caller's to free; OM_OK, or as om_dfs_new(). */
int decomposition_new(decomposition_worker **out, om_task *task, unsigned worker);
/* Adds its bytes and counts to the task's. NULL is fine. */
void decomposition_free(decomposition_worker *s);

/*
 * What is told of an edge that is left out: the state that it leads to, which nobody has entered
 * yet. It comes before the state that the edge leaves is done. OM_OK, or why to end the search.
 */
typedef int decomposition_avoided(void *self, om_id to);
/* The decomposition that the next searches are about; `avoided` may be NULL where nothing is. */
void decomposition_join(
    decomposition_worker *s, const decomposition *d, decomposition_avoided *avoided, void *self);

/*
 * From all initial states, or from this one. OM_OK: they, and all that can be reached from them,
 * are dead, and no component there accepts. OM_ESTOP: the task was stopped, or evidence was given;
 * else a failure of a cursor, of memory, or of avoided().
 */
int decomposition_search(decomposition_worker *s);
int decomposition_search_from(decomposition_worker *s, om_id id);

#endif
