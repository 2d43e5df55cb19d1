/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dive.h: one worker of a deep search (deep.h): its open states of each order, and how it expands
 * them.
 *
 * Orders take turns of about the same time: depth-first (the top of a stack), best-first (the first
 * of each guide's queue), a random walk. The states of a turn are expanded together, because the
 * store then waits for memory once. Turns of one order come one after the other: its states have
 * much in common, which is then in the cache.
 */
#ifndef OM_SEARCH_DIVE_H
#define OM_SEARCH_DIVE_H

#include "deep.h"

/* The open states by their estimates: exact up to a number, in ranges above it, which are narrow:
 * else a guide whose estimates are large could not tell near from far. Of equal ones, any may come
 * next, so that none waits for all that are newer. */
enum {
    OM_DIVE_EXACT_BITS = 13, /* estimates of so many bits are exact; ... */
    OM_DIVE_STEP_BITS = 6,   /* so many of the bits after the first count in larger ones; ... */
    OM_DIVE_MOST_BITS = 32,  /* and those of more bits are all as large */
    OM_DIVE_RANGES =
        (1 << OM_DIVE_EXACT_BITS) + ((OM_DIVE_MOST_BITS - OM_DIVE_EXACT_BITS) << OM_DIVE_STEP_BITS)
};
typedef struct om_dive_queue {
    om_deep_list ranges[OM_DIVE_RANGES];
    size_t lowest;  /* all ranges below it are empty */
    uint64_t least; /* the smallest estimate so far, plus 1; 0: none */
} om_dive_queue;

/* The open states of one order */
typedef struct om_dive_open {
    om_deep_list list; /* a stack, or those that a walk has passed; entered when they are taken */
    /* Of OM_ORDER_BEST, one for each guide: each state is in those of the order's guides, so that
     * what one guide finds is a start for the others, and is passed if it was taken from another.
     */
    om_dive_queue *queues;
    om_id next; /* of a walk, or OM_NO_ID */
    uint64_t expanded, spent_ns;
    uint64_t nearer; /* `expanded` when a guide last met a smaller estimate than ever */
    bool idle;       /* until the end of the round */
} om_dive_open;

typedef struct om_diver {
    om_deep *d;
    unsigned worker;
    om_random random;
    om_dive_open *open;  /* by order */
    uint64_t *estimates; /* of the rows of a state, guide after guide */
    bool *chosen;        /* the rows that are opened */
    size_t estimate_room, chosen_room;
    om_fault fault; /* of the last batch, and its state */
    om_id fault_at;
    om_deep_list news;         /* states that it stored in this round */
    om_bfs_origins origins;    /* of all states that it stored, if paths are kept */
    uint64_t expanded, stored; /* by all its rounds */
    int64_t drawn;             /* states of the round that it may expand */
    bool starved;              /* there was no memory for a bit */
    unsigned char padding[64];
} om_diver;

/* Initialises a zeroed diver. OM_OK or OM_ENOMEM. */
int om_dive__init(om_diver *v, om_deep *d, unsigned worker);
void om_dive__drop(om_diver *v);
uint64_t om_dive__bytes(const om_diver *v);
/* Returns true if the worker has nothing to expand in an order. Not during a round. */
bool om_dive__is_dry(const om_diver *v, unsigned order);
/* Opens a stored state for an order, unless it was entered. OM_OK or OM_ENOMEM. */
int om_dive__begin_at(om_diver *v, unsigned order, om_id id);

#endif
