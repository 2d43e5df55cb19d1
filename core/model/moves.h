/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moves.h: the location graphs of a model's processes: which transitions move a process, from which
 * of its locations and to which. A process moves in a transition that is its own or that it is the
 * partner of, and in one that assigns its location (which is how another process starts it).
 */
#ifndef OM_MODEL_MOVES_H
#define OM_MODEL_MOVES_H

#include "form.h"

/* Targets that are no locations. */
#define OM_MOVE_STAYS UINT32_MAX          /* the location is left as it is */
#define OM_MOVE_ANYWHERE (UINT32_MAX - 1) /* it is computed */

typedef struct om_move {
    uint32_t transition;
    uint32_t from; /* OM_NONE: the guard asks for no location */
    uint32_t to;   /* or OM_MOVE_STAYS */
} om_move;

typedef struct om_moves {
    const om_heap *heap;
    om_move *at;     /* process by process, each in the order of the transitions */
    uint32_t *first; /* by process: of its moves; one more at the end */
    bool *readable;  /* by process: it has a location, and all sources and targets are known */
} om_moves;

/* Time is linear in the size of the model. OM_OK, OM_ENOMEM, or that the work was stopped; to be
 * closed in any case. */
int om_moves__open(om_moves *x, const om_model *m);
void om_moves__close(om_moves *x);

/* The location that a guard asks for (OM_NONE: none), and the one that a transition leads to. */
uint32_t om_move__source(const om_model *m, om_expr guard, uint32_t location);
uint32_t om_move__target(const om_model *m, const om_transition *t, uint32_t location);

#endif
