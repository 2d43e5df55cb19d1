/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dive.h: the open states of one worker of a deep search (deep.h), and the orders in which it
 * expands them.
 *
 * Each turn has one order: depth-first (the top of a stack), best-first (the first of a guide's
 * queue), or a random walk. The worker claims a state in each turn and expands these states
 * together, because the store then waits for memory once. All turns share the open states: each
 * state is in the pool and in all queues, except that those of depth-first turns are on the stack
 * alone. A state that was claimed meanwhile is skipped when it comes up.
 */
#ifndef OM_SEARCH_DIVE_H
#define OM_SEARCH_DIVE_H

#include "deep.h"

#include <omen/plugin/region.h>

typedef struct om_dive_list {
    om_id *ids;
    size_t count, room;
} om_dive_list;

/* The open states by their estimates: exact up to a number, in ranges above it. Of equal ones, any
 * may come next, so that none waits for all that are newer. */
enum {
    OM_DIVE_EXACT = 512,
    OM_DIVE_STEPS = 4,
    OM_DIVE_RANGES = OM_DIVE_EXACT + 64 * OM_DIVE_STEPS
};
typedef struct om_dive_queue {
    om_dive_list ranges[OM_DIVE_RANGES];
    size_t lowest; /* all ranges below it are empty */
} om_dive_queue;

typedef struct om_diver {
    om_deep *d;
    unsigned worker;
    om_random random;
    om_region records, blocks; /* memory of records, and of the data of states */
    uint64_t block_count;
    om_dive_list stack, pool;
    om_dive_queue *queues; /* by guide; NULL without */
    size_t queue_count;
    /* Turns: the orders, and for BEST the guides, one after the other */
    unsigned turn, turns;
    om_id next;          /* of a walk, or OM_NO_ID */
    uint64_t *estimates; /* of a batch's rows */
    size_t estimate_room;
    om_fault fault; /* of the last batch, and its state */
    om_id fault_at;
    om_dive_list news;         /* states that it stored in this round */
    uint64_t expanded, stored; /* by all its rounds */
    int64_t drawn;             /* states of the round that it may expand */
    unsigned char padding[64];
} om_diver;

/* Initialises a zeroed diver. OM_OK or OM_ENOMEM. */
int om_dive__init(om_diver *v, om_deep *d, unsigned worker);
void om_dive__drop(om_diver *v);
uint64_t om_dive__bytes(const om_diver *v);
/* Returns true if the worker has nothing to expand. Not during a round. */
bool om_dive__is_dry(om_diver *v);
/* Adds a state to a list. OM_OK or OM_ENOMEM. */
int om_dive__add(const om_diver *v, om_dive_list *l, om_id id);
/* Opens an owned state. OM_OK or OM_ENOMEM. */
int om_dive__begin_at(om_diver *v, om_id id);

/* deep.c: the states. */
/* Makes a stored state an owned one. OM_OK or OM_ENOMEM. */
int om_deep__own(om_diver *v, om_id id, om_id parent);
void om_deep__mark_target(const om_deep *d, om_id id);
/* Claims a state. Returns false if it is claimed, or not owned. */
bool om_deep__claim(const om_deep *d, om_id id);
/* Returns true if a state is owned, and not claimed. */
bool om_deep__is_open(const om_deep *d, om_id id);
/* Returns true if a worker expands the state at the moment, and will give it a record. */
bool om_deep__is_pending(const om_deep *d, om_id id);
/* Enters a state in the worker's depth-first search. Returns false if it was entered before, or is
 * not owned. */
bool om_deep__enter(const om_deep *d, unsigned worker, om_id id);
bool om_deep__is_owned(const om_deep *d, om_id id);
/* Returns the record of an owned state, or NULL if there is none (yet). */
const om_id *om_deep__known(const om_deep *d, om_id id);
void om_deep__set_record(const om_deep *d, om_id id, const om_id *record);

#endif
