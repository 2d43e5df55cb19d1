/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dfs.h: the stack of a depth-first search over a worker's cursor: the path from an initial state
 * to where the search is, and between its states the edges that are still to be followed.
 *
 * What to do at an edge and at a state that has been left by all its edges makes the algorithm; it
 * is the checker's, and so is what it knows of each state (side arrays, om_live_stack,
 * om_unionfind):
 *
 *     rc = om_dfs_start(d);
 *     while (rc == OM_OK)
 *         if (om_dfs_next(d, &e))
 *             rc = follow(d, e);            calls om_dfs_enter() where it wants to go there
 *         else if (om_dfs_depth(d) > 0)
 *             rc = leave(d);                looks at om_dfs_top(), calls om_dfs_cut()
 *         else
 *             break;                        everything has been searched
 *
 * One thread at a time. No allocation per state: one flat array with 8 bytes for each state of the
 * path and for each edge still to be followed, 16 where the automaton has more than 23 sets.
 */
#ifndef OMEN_DFS_H
#define OMEN_DFS_H

#include <omen/plugin/check.h>

typedef struct om_dfs om_dfs;

typedef struct om_dfs_edge {
    om_id to;
    om_marks marks; /* 0 for the way into an initial state */
} om_dfs_edge;

/* With the cursor of this worker; the task must outlive it. */
OM_API int om_dfs_new(om_dfs **out, om_task *task, unsigned worker);
/*
 * A further stack over the same cursor, which begins where the path of `below` ends, as the second
 * search of a nested one does: the first state that is entered on it, while it is empty, is the
 * last of that path, again, or a successor of it. Evidence and faults found on it have the path of
 * `below` in front. That one must outlive it, and stays as it is while there is a state on this (a
 * search that begins anywhere may enter the way there on it before it reports); edges that are at
 * hand from either stack are lost when the other enters a state.
 */
OM_API int om_dfs_new_above(om_dfs **out, const om_dfs *below);
OM_API void om_dfs_free(om_dfs *d);
OM_API uint64_t om_dfs_bytes(const om_dfs *d);
OM_API om_cursor *om_dfs_cursor(const om_dfs *d);

/* Edges into all initial states, with nothing on the path. Errors as om_cursor_initial(). */
OM_API int om_dfs_start(om_dfs *d);
/* Takes the next edge that leaves the last state of the path (or is the way into an initial state).
 * false: there is none any more. */
OM_API bool om_dfs_next(om_dfs *d, om_dfs_edge *edge);

/*
 * Puts a state at the end of the path, and gives the edges that leave it. Those that are to be
 * followed must be handed to om_dfs_add(), each at most once and before anything else is done with
 * the stack or the cursor; the last one added is the first followed. OM_ESTOP when the task was
 * stopped; other errors and the lifetime of the steps as om_cursor_successors(). Where the model
 * goes wrong in the state, the way there is kept for the report.
 */
OM_API int om_dfs_enter(om_dfs *d, om_dfs_edge by, const om_step **steps, size_t *count);
OM_API void om_dfs_add(om_dfs *d, const om_step *step);

/* States on the path. */
OM_API uint64_t om_dfs_depth(const om_dfs *d);
/* The place of the last state of the path, which is not empty. A state keeps its place for as long
 * as it is on the path; those behind it have greater ones. */
OM_API uint64_t om_dfs_top(const om_dfs *d);
/* The edge by which the state at a place was entered: it and the marks. */
OM_API om_dfs_edge om_dfs_at(const om_dfs *d, uint64_t place);
/* Takes off the state at a place, all behind it, and the edges that they still have. */
OM_API void om_dfs_cut(om_dfs *d, uint64_t place);
/*
 * Reports the path as evidence, which is taken over as it is: the stack is empty afterwards (one
 * below it is not). Of `e` (NULL: nothing more is known) the path, its length and `entry` are set
 * here; `entry`, a state on the path in the accepting component, comes from the caller (OM_NO_ID:
 * the last one only reaches it). Returns OM_ESTOP.
 */
OM_API int om_dfs_found(om_dfs *d, om_id entry, const om_evidence *e);

#endif
