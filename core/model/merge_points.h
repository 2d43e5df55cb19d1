/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_points.h: the locations that statement merging passes: which they are, and what leaves
 * them. What makes a location one, and why that is sound, is at the head of merge.c.
 */
#ifndef OM_MODEL_MERGE_POINTS_H
#define OM_MODEL_MERGE_POINTS_H

#include "rewrite.h"

/* What merging looks at: all expressions are of `m`, which has the slots and processes. */
typedef struct om_merge_input {
    om_model *m;
    const om_transition *transitions; /* `guard` and assignments are of m */
    const bool *certain; /* by transition: it never faults, and no value of it overflows */
    uint32_t transition_count;
    const om_expr *conditions; /* of assertions */
    uint32_t condition_count;
    const om_expr *aps;
    uint32_t ap_count;
    om_expr visible; /* or 0 */
} om_merge_input;

/* A location of a process. */
typedef struct om_point {
    bool passed;
    uint32_t first;        /* of the transitions that leave it, or OM_NONE; see next[] */
    uint32_t paths, depth; /* of what follows, through passed ones */
} om_point;

/* A way on from a passed location: what its guard says beside where the process is. */
typedef struct om_residue {
    uint32_t first, count;               /* conjuncts[] that read what the process alone knows... */
    uint32_t steady_first, steady_count; /* ... and those that are of `visible` */
} om_residue;

typedef struct om_points {
    const om_merge_input *in;
    const om_heap *heap;
    uint32_t *base;       /* by process: of its first point; OM_NONE: it has none that can be */
    uint32_t *process_of; /* by slot: whose location it is, or OM_NONE */
    om_point *points;
    uint32_t point_count, passed;
    uint32_t *next;      /* by transition: the next one that leaves its point */
    om_residue *residue; /* by transition that leaves a passed point */
    om_expr *conjuncts;
    size_t conjunct_count, conjunct_room;
    struct om_points_work *work; /* while they are found */
} om_points;

/* Finds them. OM_OK; OM_ENOMEM; what went wrong in an expression is m's to tell. To be closed in
 * any case. */
int om_points__open(om_points *x, const om_merge_input *in);
void om_points__close(om_points *x);

/* The point of a process in a location; NULL where it has none. */
static inline om_point *om_points__at(const om_points *x, uint32_t process, uint32_t location)
{
    return x->base[process] == OM_NONE ? NULL : &x->points[x->base[process] + location];
}

#endif
