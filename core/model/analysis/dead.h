/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h: finds the variables of a process that are dead in each of its locations, and the
 * transitions that must reset them. reset.c defines a candidate and explains why a dead one may be
 * given any value.
 */
#ifndef OM_MODEL_DEAD_H
#define OM_MODEL_DEAD_H

#include "moves.h"
#include "form/rewrite.h"

/* An item of a list of numbers: transitions, locations or slots. */
typedef struct om_dead_item {
    uint32_t number, next; /* next: an index into `items`, or OM_NONE */
} om_dead_item;

/* An expression that reads slots of a process but is evaluated while the process does not move. */
typedef struct om_dead_outside {
    uint32_t process;
    om_expr e;
} om_dead_outside;

typedef struct om_dead {
    om_model *m;
    om_moves moves;
    uint32_t transitions, slots, processes;
    uint32_t *number;  /* by slot: number of the candidate, or OM_NONE */
    uint32_t *slot_of; /* by candidate: grouped by process, each group in slot order */
    uint32_t *first;   /* by process: its first candidate; one entry more at the end */
    uint32_t count;    /* number of candidates */

    /* By candidate: lists of the transitions that read it before they have written all of it, that
     * write all of it, and that write part of it; and of the locations in which it is read from
     * outside (seeds). */
    uint32_t *uses, *kills, *writes, *seeds;
    bool *everywhere; /* by candidate: it may be read from outside in any location */
    om_dead_item *items;
    size_t item_count, item_room;

    om_dead_outside *outside; /* grouped by process after sorting */
    size_t outside_count, outside_room;
    uint32_t *outside_first; /* by process; one entry more at the end */

    /* By transition of the process that was solved last: list of the slots to reset, in order. */
    uint32_t *wanted;

    uint32_t *mover, *noted;       /* by process: stamps */
    uint32_t *used, *killed;       /* by candidate: stamps */
    uint64_t *elements;            /* by candidate: elements written so far */
    uint32_t *from, *to;           /* by transition of the process being solved */
    uint32_t *killing, *writing;   /* by transition: stamps of candidates */
    uint32_t *incoming, *outgoing; /* by location of that process: lists in links[] */
    uint32_t *live, *queue;        /* by location: stamps; and the work list of locations */
    size_t location_room[4];       /* capacities of the four arrays above */
    om_dead_item *links;           /* moves, by target and by source */
    size_t link_count, link_room;
    om_reading reading;
    bool *barren; /* by node, as many as there were: no candidate is read below */
    uint32_t stamp, expressions;
    uint64_t rewritten; /* number of nodes */
    uint64_t steps;     /* steps of the searches */
    size_t seed_count;
    bool failed; /* memory ran out */
} om_dead;

/* Finds the candidates of a finished model and what its transitions do with them. Returns OM_OK,
 * OM_ENOMEM, or the status of a stopped context. Call om_dead__close() in any case. */
int om_dead__open(om_dead *d, om_model *m, const om_expr *aps, uint32_t ap_count);
void om_dead__close(om_dead *d);

/* Finds the slots that each transition must reset when it moves the process: sets wanted[] for its
 * moves. None if its location graph cannot be read off the model, or if that takes too long.
 * Returns as om_dead__open(). */
int om_dead__solve(om_dead *d, uint32_t process);

#endif
