/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_points.h: finds the locations that statement merging passes, and the transitions that leave
 * them. merge.c proves that this is sound.
 *
 * A location l of a process p is *passed* if
 *
 *   M1  every transition that leaves it is taken by p alone, depends only on slots that p writes
 *       exclusively or that never change, writes only slots that no other process writes, and
 *       cannot fault;
 *   M2  at least one of these transitions is always enabled; in addition, guards may require only
 *       conditions that hold again some time after every state (om_model_set_visible());
 *   M3  no other process, no assertion and no proposition depends on it: with l substituted for the
 *       location of p, their expressions are the same as in the successor locations, and read
 *       nothing that is written on the way; but an assertion may be true in l and, unless movers
 *       count, a guard false, such as one that waits until no process can move;
 *   M4  no cycle of locations is passed.
 */
#ifndef OM_MODEL_MERGE_POINTS_H
#define OM_MODEL_MERGE_POINTS_H

#include "form/rewrite.h"

/* The input of merging. All expressions are of `m`, which has the slots and processes. */
typedef struct om_merge_input {
    om_model *m;
    const om_transition *transitions; /* guards and assignments are expressions of m */
    const bool *certain;              /* by transition: it never faults or overflows */
    uint32_t transition_count;
    const om_expr *conditions; /* of assertions */
    uint32_t condition_count;
    const om_expr *aps;
    uint32_t ap_count;
    om_expr visible; /* or 0 */
    bool movers;     /* it matters which processes can move, and when: process fairness */
} om_merge_input;

/* A location of a process. */
typedef struct om_point {
    bool passed;
    uint32_t first;        /* the first transition that leaves it, or OM_NONE; see next[] */
    uint32_t paths, depth; /* of the continuations through passed locations */
} om_point;

/* A transition from a passed location: the conjuncts of its guard other than the location test. */
typedef struct om_residue {
    uint32_t first, count; /* conjuncts[] that read only slots private to the process */
    uint32_t steady_first, steady_count; /* conjuncts[] of `visible` */
} om_residue;

typedef struct om_points {
    const om_merge_input *in;
    const om_heap *heap;
    uint32_t *base; /* by process: its first point; OM_NONE: no location of it can be passed */
    uint32_t *process_of; /* by slot: the process whose location it is, or OM_NONE */
    om_point *points;
    uint32_t point_count, passed;
    uint32_t *next;      /* by transition: the next one that leaves its point */
    om_residue *residue; /* by transition that leaves a passed point */
    om_expr *conjuncts;
    size_t conjunct_count, conjunct_room;
    struct om_points_work *work; /* only while the points are being found */
} om_points;

/* Finds the points. Returns OM_OK or OM_ENOMEM; errors in expressions are recorded in in->m. Call
 * om_points__close() in any case. */
int om_points__open(om_points *x, const om_merge_input *in);
void om_points__close(om_points *x);

/* Returns the point of a process in a location, or NULL if the process has no points. */
static inline om_point *om_points__at(const om_points *x, uint32_t process, uint32_t location)
{
    return x->base[process] == OM_NONE ? NULL : &x->points[x->base[process] + location];
}

#endif
