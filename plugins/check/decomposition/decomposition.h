/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decomposition.h: components that several workers explore together while they are live, over
 * classes that they share (om_scc_sets); Bloemen, Laarman, van de Pol, "Multi-core on-the-fly SCC
 * decomposition", PPoPP 2016, section 3; with generalized Buchi marks on classes, and edges that
 * are left out, as in Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2 and 3.3.2. The checkers
 * ufscc, favoid and streett are made of it; names here are the plug-in's own.
 *
 * Edges with a mark that is to be avoided do not belong to the graph that is decomposed: what they
 * lead to is told to who asked for it, and nothing else is done.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_H
#define OMEN_CHECK_DECOMPOSITION_H

#include <omen/plugin/dfs.h>
#include <omen/plugin/scc_sets.h>

#include "../inf_clauses.h"

/*
 * For a condition that more marks may break, as Streett's does: marks of a class are those of a
 * cycle (F5 in decomposition.c), and what is said of a component is said of all its marks. `self`
 * is that of decomposition_join(); the functions but the first give OM_OK, or why to end the
 * search.
 */
typedef struct decomposition_exact {
    /* Does a component with exactly these marks accept? If so, what a cycle in it must see, and
     * avoid, to do so. */
    bool (*accepts)(const void *self, om_marks marks, om_marks *see, om_marks *avoid);
    /* Is this state of the graph that is decomposed? Edges to others are left out, and told to
     * nobody. NULL: each is. */
    int (*is_inside)(void *self, om_id to, bool *inside);
    /* A component, that of this state, has been explored, has exactly these marks, and does not
     * accept. It is said at least once of each, before anybody sees it dead. */
    int (*explored)(void *self, om_id id, om_marks marks);
    /* The worker has left a component that is dead, and may run searches of others, with its
     * cursor, before it goes on. */
    int (*left)(void *self);
} decomposition_exact;

/* What workers share. Any thread; nothing in it changes but the classes. */
typedef struct decomposition {
    om_task *task;
    om_scc_sets *classes;
    om_marks avoid;      /* edges with one of these are left out */
    const om_marks *see; /* a component with all marks of one of these accepts */
    size_t see_count;    /* at least 1, but where there is `accepts` or `exact` */
    /* The same for who has read them with inf_clauses_read(), or NULL. */
    const inf_clauses *accepts;
    om_marks seen; /* what any of them asks for: no others are noted */
    /* By state of the automaton: may an accepting component be reached from there? Edges to others
     * are left out, too, and told to nobody. NULL: from anywhere. */
    const bool *useful;
    const decomposition_exact *exact; /* or NULL; then `see` is not looked at */
    bool again;                       /* its states have been in a search before */
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
