/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_table.h: stored states on a device, their index, and the candidates to be interned.
 *
 * The host side of kernels/store.cl, whose index holds fingerprints and numbers, and (quotient.c)
 * of kernels/quotient.cl, whose index holds the states themselves. One thread at a time.
 */
#ifndef OM_DEVICE_STATE_TABLE_H
#define OM_DEVICE_STATE_TABLE_H

#include "builds.h"
#include "segments.h"

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

/* Those of kernels/quotient.cl; with tables in one buffer, and in segments. */
enum { OM_K_PUT, OM_K_ADVANCE, OM_K_MOVE, OM_K_QUOTIENT_KERNELS };
extern const om_shape om_quotient__shapes[2][OM_K_QUOTIENT_KERNELS];
/* A segmented argument's kinds, in the one and the other. */
#define OM_ONE_BUFFER "m"
#define OM_FOUR_BUFFERS "mnnnU"

/* What a row is. */
enum { OM_KEY_WORDS = 8 };
typedef struct om_row_shape {
    uint32_t words;
    uint32_t key_bits;          /* that are used, all in all; 0: too many for a key */
    uint8_t bits[OM_KEY_WORDS]; /* of each word, the lowest */
    bool weak;                  /* with the kernels for weak parts */
    bool paths;                 /* rows and parents are kept for om_engine_path() */
    size_t path_bytes;          /* not 0: until they take more than that, where they can go */
} om_row_shape;
/* The shape of a product's rows, for no weak parts and no paths. */
void om_keys__shape(om_row_shape *shape, const om_model *m, const om_automaton *a);
/* Where the bits of each word go in the key: a byte each. */
uint64_t om_keys__shifts(const om_row_shape *shape);

/* Records of steps: see kernels/om_step.h. */
enum { OM_RECORDS = 16, OM_CONTROL_WORDS = OM_C_WORDS + OM_RECORDS * OM_R_WORDS };

/* Sizes to begin with, all of which grow; tests make them small. */
typedef struct om_tuning {
    uint32_t states, candidates, buckets /* a power of two */, chunk;
    /* How far chunks and their candidates grow for speed; a single state that has more candidates
     * makes room for them all the same. */
    uint32_t largest_chunk, most_candidates;
    bool numbers;     /* the index holds numbers even where states fit */
    bool eager_trial; /* every batch of steps counts in a trial of sizes: see tune.c */
    uint32_t tries; /* buckets that a state may be in, where they do; 0: as many as there can be */
} om_tuning;
extern const om_tuning om_tuning__default;

typedef struct om_state_table {
    om_queue *queue;
    om_row_shape shape;
    bool quotient;   /* the index holds the states themselves */
    om_build *build; /* NULL: none is under way */
    om_built built;
    om_buffer control;          /* what goes wrong, what is wanted, the records of steps */
    om_segments rows, index;    /* stored states */
    om_buffer parents;          /* of them */
    om_buffer candidates, from; /* rows to intern and the states they come from */
    om_buffer place, won;       /* of candidates: their entries, and who became a state */
    uint64_t buckets;
    /* `stored` and `low`, the first that is not expanded, as the host last heard. Rows begin with
     * that of number `base`: 0, or with a quotient and no paths whatever is not dropped yet. */
    uint32_t stored, low, base, capacity, candidate_capacity;
    bool overfull;      /* the index shall be larger, full or not */
    bool sources;       /* which state a candidate comes from is kept, paths or not */
    bool faults_end;    /* any fault of the model ends the steps */
    bool faults_repeat; /* as om_engine_spec has it */
} om_state_table;

/* Orders the kernels, and waits for them and takes buffers. A table may be closed behind either,
 * whatever it returned. */
int om_state_table__order(
    om_state_table *t, om_queue *queue, const om_row_shape *shape, const om_tuning *tuning);
int om_state_table__open(om_state_table *t, const om_tuning *tuning);
void om_state_table__close(om_state_table *t);

/* As it was when it was opened, with the room that it has now. Nothing may be queued. */
int om_state_table__clear(om_state_table *t);

/* Room for n candidates; loses those that are there. Nothing may be queued that uses them. */
int om_state_table__candidates(om_state_table *t, uint32_t n);
/* How many of n candidates there would be room for, others keeping `beside` bytes for each. */
uint64_t om_state_table__candidate_room(const om_state_table *t, uint64_t n, size_t beside);

/* Sends rows to the host's memory, where that is another one, until a buffer of others, or several,
 * have room for so many bytes; if that can be had. Nothing may be queued. */
int om_state_table__make_room(om_state_table *t, uint64_t bytes);

/* Room for all candidates behind what is stored, in the table and the index. Nothing may be queued.
 * Rows below t->low may be dropped. */
int om_state_table__reserve(om_state_table *t);
/* The step of this record was void (OM_R_FULL, which it clears): makes it as if it had not been. */
int om_state_table__void(om_state_table *t, uint64_t *record);

/* A step: what expand() needs to know, too. */
typedef struct om_level_step {
    uint32_t number, then; /* records of this step and the next one, below OM_RECORDS */
    uint32_t chunk;
    bool places;             /* those of all candidates are wanted */
    const om_buffer *wanted; /* a byte per automaton state; or NULL */
} om_level_step;

/* Queue the two halves of a step behind its expansion. */
int om_state_table__intern(om_state_table *t, const om_level_step *s);
int om_state_table__compact(om_state_table *t, const om_level_step *s);

/* Writes the head of the control words and record 0: `record` has OM_R_WORDS. */
int om_state_table__control(om_state_table *t, const uint64_t *record);

/*
 * Interns the first n candidates at once: new ones are stored behind what is there. `record`
 * (OM_R_WORDS) is made the next step's. `wanted` as above; *hit becomes the lowest new state so
 * marked, or OM_NO_STATE.
 */
int om_state_table__put(
    om_state_table *t, uint32_t n, const om_buffer *wanted, uint64_t *record, uint32_t *hit);

/* Finds the entries of n candidates, all of which are stored (else OM_EINTERNAL). */
int om_state_table__find(om_state_table *t, uint32_t n);
/* Finds the entry of each row that is there (else OM_EINTERNAL). Where there is hardly any room for
 * candidates the index grows, and is made from the rows if they are all there. */
int om_state_table__find_rows(om_state_table *t);
/* Counts the entries of the index. */
int om_state_table__count(om_state_table *t, uint64_t *entries);

/* ---- what state_table.c and quotient.c share ---- */

/* States and candidates together that there is room for. */
uint64_t om_state_table__most(const om_state_table *t);
/* Takes an index of so many buckets, all empty. */
int om_state_table__index(om_state_table *t, uint64_t buckets);
/* Room for so many rows, which begin with that of the base; and in an index of numbers for so many
 * entries. */
int om_state_table__grow_rows(om_state_table *t, uint64_t need);
int om_state_table__grow_index(om_state_table *t, uint64_t entries);
/* What sizing.h wants to know; `index` is what there is of one, with so many buckets. */
void om_state_table__extent(const om_state_table *t, const om_segments *index, uint64_t buckets,
    om_sizing_room *room, om_sizing_table *now);
/*
 * An empty index in place of the one that is there, for so many entries and of at least so many
 * buckets. `old` is none, or one of `buckets` buckets that stays beside, in the host's memory if
 * need be; rows leave for it, too.
 */
int om_state_table__renew(
    om_state_table *t, om_segments *old, uint64_t buckets, uint64_t entries, uint64_t least);

/* How many buckets an index of states begins with, at least `buckets`; 0: it shall be none. */
uint64_t om_quotient__buckets(const om_row_shape *shape, const om_queue *queue, uint64_t buckets);
int om_quotient__put(om_state_table *t, const om_level_step *s);
int om_quotient__advance(om_state_table *t, const om_level_step *s);
int om_quotient__forget(om_state_table *t, uint32_t winners);
int om_quotient__grow(om_state_table *t, uint64_t entries);
int om_quotient__slide(om_state_table *t, bool *slid);

#endif
