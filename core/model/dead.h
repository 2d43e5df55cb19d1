/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h: which variables of a process are dead in which of its locations. What a candidate is, and
 * why a dead one may be given any value, is at the head of reset.c.
 */
#ifndef OM_MODEL_DEAD_H
#define OM_MODEL_DEAD_H

#include "rewrite.h"

typedef struct om_dead_bits {
    uint64_t *at;
    size_t words; /* of one row */
} om_dead_bits;

/* An expression that reads what a process owns, though it does not move. */
typedef struct om_dead_outside {
    uint32_t process;
    om_expr e;
} om_dead_outside;

/* The analysis; columns of its rows are candidates. */
typedef struct om_dead {
    om_model *m;
    uint32_t transitions, slots;
    uint32_t *number;                 /* by slot: of the candidate, or OM_NONE */
    uint32_t *slot_of;                /* by candidate */
    uint32_t count;                   /* candidates */
    om_dead_bits uses, kills, writes; /* rows: transitions */
    om_dead_bits live;                /* rows: locations of the process that was solved last */
    om_dead_outside *outside;
    size_t outside_count, outside_room;
    uint32_t *noted, expressions; /* by process: the last one of `outside`, by its number */
    om_reading reading;
    uint64_t work;      /* nodes that were made anew */
    bool failed;        /* memory */
    uint64_t *done;     /* candidates written whole so far, one row */
    uint64_t *elements; /* by candidate: elements written so far */
} om_dead;

/* Finds the candidates of a finished model, and what its transitions do with them. OM_OK or
 * OM_ENOMEM; to be closed in any case. */
int om_dead__open(om_dead *d, om_model *m, const om_expr *aps, uint32_t ap_count);
void om_dead__close(om_dead *d);

/* What is live in the locations of a process. *known is false where they cannot be read off the
 * model: nothing is known to be dead. OM_OK or OM_ENOMEM. */
int om_dead__solve(om_dead *d, uint32_t process, bool *known);
/* Then: is candidate c dead in that location? And does transition t write it, or a part? */
bool om_dead__in(const om_dead *d, uint32_t c, uint32_t location);
bool om_dead__written(const om_dead *d, uint32_t c, uint32_t t);

/* Does the process move, or is it moved: by who starts it? */
bool om_dead__involves(const om_model *m, const om_transition *t, uint32_t process);

/* The location that a guard asks for (OM_NONE: none), and the one that a transition leads to: */
uint32_t om_dead__source(const om_model *m, om_expr guard, uint32_t location);
uint32_t om_dead__target(const om_model *m, const om_transition *t, uint32_t location);
#define OM_DEAD_STAYS UINT32_MAX          /* no location: it is left as it is */
#define OM_DEAD_ANYWHERE (UINT32_MAX - 1) /* no location: it is computed */

#endif
