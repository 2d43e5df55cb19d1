/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dfs.h: the stack of a depth-first search over a worker's cursor: the path from an initial state
 * to the current state and, for each of its states, the edges that remain to be followed.
 *
 * The treatment of edges and of states without remaining edges distinguishes the algorithms. It is
 * the checker's, as is the data kept per state (side arrays, om_live_stack, om_unionfind):
 *
 *     rc = om_dfs_start(d);
 *     while (rc == OM_OK)
 *         if (om_dfs_next(d, &e))
 *             rc = follow(d, e);            calls om_dfs_enter() to descend
 *         else if (om_dfs_depth(d) > 0)
 *             rc = leave(d);                reads om_dfs_top(), calls om_dfs_cut()
 *         else
 *             break;                        the search is complete
 *
 * One thread at a time. No allocation per state: one flat array with 8 bytes for each state of the
 * path and for each remaining edge, 16 if the automaton has more than 23 sets.
 */
#ifndef OMEN_DFS_H
#define OMEN_DFS_H

#include <omen/plugin/check.h>

typedef struct om_dfs om_dfs;

typedef struct om_dfs_edge {
    om_id to;
    om_marks marks; /* 0 for an edge into an initial state */
} om_dfs_edge;

/* Creates a stack over the cursor of this worker; the task must outlive it. */
OM_API int om_dfs_new(om_dfs **out, om_task *task, unsigned worker);
/*
 * Creates another stack over the same cursor, which begins where the path of `below` ends, like the
 * second search of a nested depth-first search: the first state entered on it while it is empty is
 * the last state of that path, or a successor of it. Evidence and faults found on it have the path
 * of `below` as a prefix. `below` must outlive it and must not change while this stack has a state.
 * (A search that begins elsewhere may enter the path to that state on `below` before it reports.)
 * When one stack enters a state, pending edges that the other one has received are lost.
 */
OM_API int om_dfs_new_above(om_dfs **out, const om_dfs *below);
OM_API void om_dfs_free(om_dfs *d);
OM_API uint64_t om_dfs_bytes(const om_dfs *d);
OM_API om_cursor *om_dfs_cursor(const om_dfs *d);

/* Makes the edges into all initial states pending; the path is empty. Errors as
 * om_cursor_initial(). */
OM_API int om_dfs_start(om_dfs *d);
/* Takes the next edge that leaves the last state of the path (or an edge into an initial state).
 * Returns false if none remains. */
OM_API bool om_dfs_next(om_dfs *d, om_dfs_edge *edge);

/*
 * Appends a state to the path and returns the edges that leave it. The edges to be followed must be
 * passed to om_dfs_add(), each at most once and before any other call with the stack or the cursor;
 * the last one added is followed first. OM_ESTOP if the task was stopped; other errors and the
 * lifetime of the steps as for om_cursor_successors(). If the model has a fault in the state, the
 * path to it is kept for the report.
 */
OM_API int om_dfs_enter(om_dfs *d, om_dfs_edge by, const om_step **steps, size_t *count);
OM_API void om_dfs_add(om_dfs *d, const om_step *step);

/* Returns the number of states on the path. */
OM_API uint64_t om_dfs_depth(const om_dfs *d);
/* Returns the place of the last state of the path, which must not be empty. A state keeps its place
 * as long as it is on the path; later states have greater places. */
OM_API uint64_t om_dfs_top(const om_dfs *d);
/* Returns the edge by which the state at a place was entered: the state and the marks. */
OM_API om_dfs_edge om_dfs_at(const om_dfs *d, uint64_t place);
/* Removes the state at a place, all states after it, and their remaining edges. */
OM_API void om_dfs_cut(om_dfs *d, uint64_t place);
/*
 * Reports the path as evidence. The path is handed over without a copy: the stack is empty
 * afterwards (a stack below it is not). In `e` (NULL: nothing more is known) this function sets the
 * path, its length and `entry`. The argument `entry` is a state on the path in the accepting
 * component (OM_NO_ID: the last state only reaches one). Returns OM_ESTOP.
 */
OM_API int om_dfs_found(om_dfs *d, om_id entry, const om_evidence *e);

#endif
