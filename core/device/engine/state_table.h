/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_table.h: stored states on a device, their index, and the candidates to be interned.
 *
 * The host side of kernels/store.cl, whose index holds fingerprints and numbers, and (quotient.c)
 * of kernels/quotient.cl, whose index holds the states themselves. Used by one thread at a time.
 *
 *  P1  The rows of the states base .. stored - 1 are present, and there is room for `capacity`
 *      rows. States below `low` are expanded.
 */
#ifndef OM_DEVICE_STATE_TABLE_H
#define OM_DEVICE_STATE_TABLE_H

#include "builds.h"
#include "segments.h"

#include "om_step.h"

enum {
    OM_K_INTERN,
    OM_K_COMPACT,
    OM_K_REINSERT,
    OM_K_PLAIN_KERNELS,
    /* For weak parts only. */
    OM_K_TALLY = OM_K_PLAIN_KERNELS,
    OM_K_LIST,
    OM_K_UNTALLY,
    OM_K_BEFORE,
    OM_K_STORE_KERNELS
};

/* The kernels of kernels/quotient.cl; shapes for tables in one buffer, and in segments. */
enum { OM_K_PUT, OM_K_ADVANCE, OM_K_MOVE, OM_K_QUOTIENT_KERNELS };
extern const om_shape om_quotient__shapes[2][OM_K_QUOTIENT_KERNELS];
/* Argument kinds of a segmented argument in these two cases. */
#define OM_ONE_BUFFER "m"
#define OM_FOUR_BUFFERS "mnnnU"

/* The layout of a row. */
enum { OM_KEY_WORDS = 8 };
typedef struct om_row_shape {
    uint32_t words;
    uint32_t key_bits;          /* number of bits used in all words; 0 if there are too many for a
                                 * key */
    uint8_t bits[OM_KEY_WORDS]; /* bits used of each word, its lowest ones */
    bool weak;                  /* with the kernels for weak parts */
    bool paths;                 /* rows and parents are kept for om_engine_path() */
    size_t path_bytes;          /* if not 0: paths may be dropped when they take more bytes than
                                 * this */
} om_row_shape;
/* Sets the shape of a product's rows, without weak parts and paths. */
void om_state_keys__shape(om_row_shape *shape, const om_model *m, const om_automaton *a);
/* Returns the positions of the words' bits in the key, one byte a word. */
uint64_t om_state_keys__shifts(const om_row_shape *shape);

/* Records of steps: see kernels/om_step.h. */
enum { OM_RECORDS = 16, OM_CONTROL_WORDS = OM_C_WORDS + OM_RECORDS * OM_R_WORDS };

/* Initial sizes, all of which grow; tests make them small. */
typedef struct om_tuning {
    uint32_t states, candidates, buckets /* a power of two */, chunk;
    /* Limits to which chunks and their candidates grow for speed. Candidates exceed theirs if a
     * single state has more. */
    uint32_t largest_chunk, most_candidates;
    bool numbers;     /* the index holds numbers even if states would fit */
    bool eager_trial; /* every batch of steps counts in a trial of sizes: see tune.c */
    uint32_t tries;   /* buckets that a state may be in, in an index of states; 0: the maximum */
} om_tuning;
extern const om_tuning om_tuning__default;

typedef struct om_state_table {
    om_queue *queue;
    om_row_shape shape;
    bool quotient;   /* the index holds the states themselves */
    om_build *build; /* NULL if none is pending */
    om_built built;
    om_buffer control;          /* faults, wanted states, the records of steps */
    om_segments rows, index;    /* stored states */
    om_buffer parents;          /* the state that each stored state was found from */
    om_buffer candidates, from; /* rows to intern and the states they come from */
    om_buffer place, won;       /* of candidates: their entries; the numbers of those that became
                                 * states */
    uint64_t buckets;
    /* `stored`, and `low`, the first state that is not expanded, as last read by the host. The
     * first row is that of state `base`: 0, or in an index of states without paths the first state
     * that has not been dropped. */
    uint32_t stored, low, base, capacity, candidate_capacity;
    bool overfull;      /* the index must grow even if it is not full */
    bool sources;       /* the origin of each candidate is recorded, with paths or without */
    bool faults_end;    /* any fault of the model ends the steps */
    bool faults_repeat; /* as in om_engine_spec */
} om_state_table;

/* Orders the build of the kernels; then waits for it and allocates the buffers. A table may be
 * closed after either, whatever it returned. */
int om_state_table__order(
    om_state_table *t, om_queue *queue, const om_row_shape *shape, const om_tuning *tuning);
int om_state_table__open(om_state_table *t, const om_tuning *tuning);
void om_state_table__close(om_state_table *t);

/* Resets the table to its state after opening, with its present capacity. Nothing may be queued. */
int om_state_table__clear(om_state_table *t);

/* Makes room for n candidates; discards the present ones. No command that uses them may be
 * queued. */
int om_state_table__candidates(om_state_table *t, uint32_t n);
/* Returns how many of n candidates there would be room for if other buffers take `beside` bytes for
 * each. */
uint64_t om_state_table__candidate_room(const om_state_table *t, uint64_t n, size_t beside);

/* Moves rows to the host's memory, if that is another one, until other buffers have room for
 * `bytes` bytes in all, if possible. Nothing may be queued. */
int om_state_table__make_room(om_state_table *t, uint64_t bytes);

/* Makes room for all candidates in addition to the stored states, in the table and the index.
 * Nothing may be queued. Rows below t->low may be dropped. */
int om_state_table__reserve(om_state_table *t);
/* Undoes the step of this record if it was void (OM_R_FULL, which is cleared). */
int om_state_table__void(om_state_table *t, uint64_t *record);

/* A step; expand() uses it, too. */
typedef struct om_level_step {
    uint32_t number, then; /* records of this step and the next one, below OM_RECORDS */
    uint32_t chunk;
    bool places;             /* the places of all candidates are wanted */
    const om_buffer *wanted; /* one byte per automaton state; or NULL */
} om_level_step;

/* Queue the two halves of a step, after its expansion. */
int om_state_table__intern(om_state_table *t, const om_level_step *s);
int om_state_table__compact(om_state_table *t, const om_level_step *s);

/* Writes the head of the control words and record 0: `record` has OM_R_WORDS words. */
int om_state_table__control(om_state_table *t, const uint64_t *record);

/*
 * Interns the first n candidates at once: new ones are appended to the stored states. `record`
 * (OM_R_WORDS words) becomes that of the next step. `wanted` is as above; *hit becomes the lowest
 * new state marked in it, or OM_NO_STATE.
 */
int om_state_table__put(
    om_state_table *t, uint32_t n, const om_buffer *wanted, uint64_t *record, uint32_t *hit);

/* Finds the entries of n candidates, all of which must be stored (else OM_EINTERNAL). */
int om_state_table__find(om_state_table *t, uint32_t n);
/* Finds the entry of each row that is present (else OM_EINTERNAL). If there is hardly any room for
 * candidates, the index grows, and is rebuilt from the rows if all of them are present. */
int om_state_table__find_rows(om_state_table *t);
/* Counts the entries of the index. */
int om_state_table__count(om_state_table *t, uint64_t *entries);

/* ---- shared by state_table.c and quotient.c ---- */

/* Returns how many states and candidates together there is room for. */
uint64_t om_state_table__most(const om_state_table *t);
/* Takes an index of `buckets` buckets, all empty. */
int om_state_table__index(om_state_table *t, uint64_t buckets);
/* Make room for `need` rows, the first of which is that of the base; and for `entries` entries in
 * an index of numbers. */
int om_state_table__grow_rows(om_state_table *t, uint64_t need);
int om_state_table__grow_index(om_state_table *t, uint64_t entries);
/* Fills in the arguments of the functions in sizing.h; `index` is the present index, of `buckets`
 * buckets. */
void om_state_table__extent(const om_state_table *t, const om_segments *index, uint64_t buckets,
    om_sizing_room *room, om_sizing_table *now);
/*
 * Replaces the index by an empty one for `entries` entries, with at least `least` buckets. `old` is
 * empty, or an index of `buckets` buckets that is kept meanwhile, in the host's memory if
 * necessary. Rows may move there, too.
 */
int om_state_table__renew(
    om_state_table *t, om_segments *old, uint64_t buckets, uint64_t entries, uint64_t least);

/* Returns the initial number of buckets of an index of states, at least `buckets`; 0 if the index
 * is not to hold states. */
uint64_t om_quotient__buckets(const om_row_shape *shape, const om_queue *queue, uint64_t buckets);
int om_quotient__put(om_state_table *t, const om_level_step *s);
int om_quotient__advance(om_state_table *t, const om_level_step *s);
int om_quotient__forget(om_state_table *t, uint32_t winners);
int om_quotient__grow(om_state_table *t, uint64_t entries);
int om_quotient__slide(om_state_table *t, bool *slid);

#endif
