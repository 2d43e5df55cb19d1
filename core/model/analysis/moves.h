/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moves.h: the location graphs of a model's processes: for each process, the transitions that move
 * it and their source and target locations. A process moves in its own transitions, in those it is
 * the partner of, and in those that assign its location (which is how another process starts it).
 */
#ifndef OM_MODEL_MOVES_H
#define OM_MODEL_MOVES_H

#include "form/form.h"

/* Special targets. */
#define OM_MOVE_STAYS UINT32_MAX          /* the location does not change */
#define OM_MOVE_ANYWHERE (UINT32_MAX - 1) /* the location is computed */

typedef struct om_move {
    uint32_t transition;
    uint32_t from; /* OM_NONE: the guard tests no location */
    uint32_t to;   /* or OM_MOVE_STAYS */
} om_move;

typedef struct om_moves {
    const om_heap *heap;
    om_move *at;     /* grouped by process, each group in transition order */
    uint32_t *first; /* by process: its first move; one entry more at the end */
    bool *readable;  /* by process: it has a location, and all sources and targets are known */
} om_moves;

/* Builds the graphs in time linear in the size of the model. Returns OM_OK, OM_ENOMEM, or the
 * status of a stopped context. Call om_moves__close() in any case. */
int om_moves__open(om_moves *x, const om_model *m);
void om_moves__close(om_moves *x);

/* Return the location that a guard requires (OM_NONE: none), and the target of a transition. */
uint32_t om_move__source(const om_model *m, om_expr guard, uint32_t location);
uint32_t om_move__target(const om_model *m, const om_transition *t, uint32_t location);

#endif
