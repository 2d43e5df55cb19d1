/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h: stored states on a device, their index, and the candidates to be interned.
 *
 * The host side of kernels/store.cl. One thread at a time.
 */
#ifndef OM_DEVICE_TABLE_H
#define OM_DEVICE_TABLE_H

#include "pool.h"

#include "../../kernels/om_step.h"

enum {
    OM_K_INTERN,
    OM_K_COMPACT,
    OM_K_REINSERT,
    OM_K_PLAIN_KERNELS,
    /* For weak parts alone. */
    OM_K_TALLY = OM_K_PLAIN_KERNELS,
    OM_K_LIST,
    OM_K_UNTALLY,
    OM_K_BEFORE,
    OM_K_STORE_KERNELS
};

/* Records of steps: see kernels/om_step.h. */
enum { OM_RECORDS = 16, OM_CONTROL_WORDS = OM_C_WORDS + OM_RECORDS * OM_R_WORDS };

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
    uint32_t row;    /* words */
    om_build *build; /* NULL: none is under way */
    om_built built;
    om_buffer control;              /* what goes wrong, what is wanted, the records of steps */
    om_buffer rows, parents, index; /* stored states */
    om_buffer candidates, from;     /* rows to intern and the states they come from */
    om_buffer place, won;           /* of candidates: their entries, and who became a state */
    uint64_t buckets;
    /* `stored` as the host last heard. */
    uint32_t stored, capacity, candidate_capacity;
} om_table;

/* Orders the kernels (with those for weak parts or without), and waits for them and takes buffers.
 * A table may be closed behind either, whatever it returned. */
int om_table__order(om_table *t, om_pool *pool, uint32_t row, bool weak);
int om_table__open(om_table *t, const om_tuning *tuning);
void om_table__close(om_table *t);

/* Room for n candidates; loses those that are there. Nothing may be queued that uses them. */
int om_table__candidates(om_table *t, uint32_t n);

/* Room for all candidates behind what is stored, in the table and the index. Nothing may be queued.
 */
int om_table__room(om_table *t);

/* A step: what expand() needs to know, too. */
typedef struct om_table_step {
    cl_uint number, then; /* records of this step and the next one, below OM_RECORDS */
    cl_uint chunk;
    bool places;             /* those of all candidates are wanted */
    const om_buffer *wanted; /* a byte per automaton state; or NULL */
} om_table_step;

/* Queue the two halves of a step behind its expansion. */
int om_table__intern(om_table *t, const om_table_step *s);
int om_table__compact(om_table *t, const om_table_step *s);

/* Writes the head of the control words and record 0: `record` has OM_R_WORDS. */
int om_table__control(om_table *t, const cl_ulong *record);

/*
 * Interns the first n candidates at once: new ones are stored behind what is there. `record`
 * (OM_R_WORDS) is made the next step's. `wanted` as above; *hit becomes the lowest new state so
 * marked, or OM_NO_STATE.
 */
int om_table__put(
    om_table *t, uint32_t n, const om_buffer *wanted, cl_ulong *record, uint32_t *hit);

/* Finds the entries of n candidates, all of which are stored (else OM_EINTERNAL). */
int om_table__find(om_table *t, uint32_t n);

#endif
