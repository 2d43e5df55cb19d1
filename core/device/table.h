/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h: stored states on a device, their index, and the candidates to be interned.
 *
 * The host side of kernels/store.cl. One thread at a time.
 */
#ifndef OM_DEVICE_TABLE_H
#define OM_DEVICE_TABLE_H

#include "pool.h"

enum {
    OM_K_INTERN,
    OM_K_COUNT,
    OM_K_COMPACT,
    OM_K_REINSERT,
    OM_K_TALLY,
    OM_K_LIST,
    OM_K_UNTALLY,
    OM_K_BEFORE,
    OM_K_STORE_KERNELS
};

/* Sizes to begin with, all of which grow; tests make them small. */
typedef struct om_tuning {
    uint32_t states, candidates, buckets /* a power of two */, chunk;
    /* How far chunks and their candidates grow for speed; a single state that has more candidates
     * makes room for them all the same. */
    uint32_t largest_chunk, most_candidates;
} om_tuning;
extern const om_tuning om_tuning_default;

typedef struct om_table {
    om_pool *pool;
    uint32_t row; /* words */
    om_built built;
    om_buffer rows, parents, index; /* stored states */
    om_buffer candidates, from;     /* rows to intern and the states they come from */
    om_buffer place, won, hit;
    uint64_t buckets;
    uint32_t stored, capacity, candidate_capacity;
    uint32_t *host_won; /* counts per block, then their prefix sums */
    size_t host_won_room;
} om_table;

int om_table__open(om_table *t, om_pool *pool, uint32_t row, const om_tuning *tuning);
void om_table__close(om_table *t);

/* Room for n candidates; loses those that are there. */
int om_table__candidates(om_table *t, uint32_t n);

/*
 * Interns the first n candidates: new ones are stored behind what is there. `wanted`, where given,
 * has one byte per automaton state; *hit becomes the lowest new state so marked, or stays.
 */
int om_table__intern(om_table *t, uint32_t n, const om_buffer *wanted, uint32_t *hit);

/* Finds the entries of n candidates, all of which are stored (else OM_EINTERNAL). */
int om_table__find(om_table *t, uint32_t n);

#endif
