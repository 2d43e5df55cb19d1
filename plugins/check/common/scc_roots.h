/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scc_roots.h: the roots stack of Couvreur, "On-the-fly verification of linear temporal logic", FM
 * 1999; Gaiser and Schwoon 2009, section 4, Figure 2 (`Roots`).
 *
 * A depth-first search numbers its live states in the order in which it enters them. The states of
 * one component, as far as it is known, have consecutive numbers: from that of its root, which is
 * on the path, up to but excluding that of the next root. Each root carries the marks seen within
 * its component and, because marks are on edges, those of the edge by which the root was entered.
 * That edge lies within a component as soon as the root's component is merged with the one below
 * it.
 */
#ifndef OMEN_CHECK_SCC_ROOTS_H
#define OMEN_CHECK_SCC_ROOTS_H

#include <omen/plugin/dfs.h>

#include "inf_clauses.h"

#include <assert.h>

typedef struct scc_root {
    om_id state;
    uint64_t number; /* of the state */
    om_marks within; /* the component */
    om_marks by;     /* of the edge into the root */
} scc_root;

typedef struct scc_roots {
    scc_root *stack;
    size_t count, room;
} scc_roots;

/* Adds a new state as a component of its own. Returns OM_OK or OM_ENOMEM. */
static inline int scc_roots_push(scc_roots *r, om_task *task, uint64_t number, om_dfs_edge by)
{
    if (!OM_ROOM(om_task_heap(task), r->stack, &r->room, r->count + 1))
        return om_fail_memory(om_task_context(task));
    assert(r->count == 0 || r->stack[r->count - 1].number < number);
    r->stack[r->count++] = (scc_root){ .state = by.to, .number = number, .by = by.marks };
    return OM_OK;
}

/*
 * Merges all components from that of the live state `number` to the end of the path, because an
 * edge with `marks` leads from the last state of the path to that state. Returns true as soon as
 * the marks merged so far accept; *see is then set for the evidence.
 */
static inline bool scc_roots_merge(
    scc_roots *r, uint64_t number, om_marks marks, const inf_clauses *accepts, om_marks *see)
{
    size_t i = r->count - 1;
    for (;;) {
        marks |= r->stack[i].within;
        if (inf_clauses_met(accepts, marks)) {
            *see = inf_clauses_see(accepts, marks);
            return true;
        }
        if (r->stack[i].number <= number)
            break;
        assert(i > 0); /* the first root has the least live number */
        marks |= r->stack[i--].by;
    }
    r->stack[i].within = marks;
    r->count = i + 1;
    return false;
}

/* Returns the root of the component of the live state with this number. */
static inline const scc_root *scc_roots_of(const scc_roots *r, uint64_t number)
{
    size_t i = r->count - 1;
    assert(r->count > 0 && r->stack[0].number <= number); /* the least live number */
    while (r->stack[i].number > number)
        i--;
    return &r->stack[i];
}

#endif
