/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h: which variables of a process are dead in which of its locations, and which transitions
 * have to reset them. What a candidate is, and why a dead one may be given any value, is at the
 * head of reset.c.
 */
#ifndef OM_MODEL_DEAD_H
#define OM_MODEL_DEAD_H

#include "moves.h"
#include "rewrite.h"

/* A list of numbers: a transition, a location, a slot. */
typedef struct om_dead_item {
    uint32_t number, next; /* next: in `items`, or OM_NONE */
} om_dead_item;

/* An expression that reads what a process owns, though the process does not move. */
typedef struct om_dead_outside {
    uint32_t process;
    om_expr e;
} om_dead_outside;

typedef struct om_dead {
    om_model *m;
    om_moves moves;
    uint32_t transitions, slots, processes;
    uint32_t *number;  /* by slot: of the candidate, or OM_NONE */
    uint32_t *slot_of; /* by candidate: process by process, each in the order of the slots */
    uint32_t *first;   /* by process: of its candidates; one more at the end */
    uint32_t count;    /* candidates */

    /* By candidate: transitions that read it before they have written it whole, that write all of
     * it and that write something of it; and locations in which something else reads it. */
    uint32_t *uses, *kills, *writes, *seeds;
    bool *everywhere; /* by candidate: something else may read it in any location */
    om_dead_item *items;
    size_t item_count, item_room;

    om_dead_outside *outside; /* by process, once they are sorted; */
    size_t outside_count, outside_room;
    uint32_t *outside_first; /* by process; one more at the end */

    /* Of the process that was solved last, by transition: slots to reset, in order (items). */
    uint32_t *wanted;

    uint32_t *mover, *noted;       /* by process: stamps */
    uint32_t *used, *killed;       /* by candidate: stamps */
    uint64_t *elements;            /* by candidate: elements written so far */
    uint32_t *from, *to;           /* by transition: of the process that is solved */
    uint32_t *killing, *writing;   /* by transition: stamps, of candidates */
    uint32_t *incoming, *outgoing; /* by location of that process: in links[] */
    uint32_t *live, *queue;        /* by location: stamps; and the locations to go on from */
    size_t location_room[4];       /* of these four */
    om_dead_item *links;           /* moves, by where they lead and by where they leave */
    size_t link_count, link_room;
    om_reading reading;
    bool *barren; /* by node, as many as there were: no candidate is read below */
    uint32_t stamp, expressions;
    uint64_t rewritten; /* nodes */
    uint64_t steps;     /* of the searches */
    size_t seed_count;
    bool failed; /* memory */
} om_dead;

/* Finds the candidates of a finished model, and what its transitions do with them. OM_OK,
 * OM_ENOMEM, or that the work was stopped; to be closed in any case. */
int om_dead__open(om_dead *d, om_model *m, const om_expr *aps, uint32_t ap_count);
void om_dead__close(om_dead *d);

/* Finds what transitions have to reset when they move the process: wanted[], of its moves. None if
 * its location graph cannot be read off the model, or if that takes too long. Likewise. */
int om_dead__solve(om_dead *d, uint32_t process);

#endif
