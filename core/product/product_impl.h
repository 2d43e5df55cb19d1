/* SPDX-License-Identifier: Apache-2.0 */
/* product_impl.h: the inside of products and cursors, for the files of this folder. */
#ifndef OM_PRODUCT_IMPL_H
#define OM_PRODUCT_IMPL_H

#include "product.h"
#include "store.h"

/* What a worker counts; written by it alone, read by anybody (a progress line). The padding is to
 * both sides: what lies before the first is read by all. */
typedef struct om_product_counter {
    unsigned char before[64];
    _Atomic uint64_t edges; /* given out */
    _Atomic uint64_t overflows;
    _Atomic uint64_t states; /* met first by it, where the states are shared */
    _Atomic uint64_t expansions;
    unsigned char behind[32];
} om_product_counter;

/* The last levels of a search; written by its leader once a level, read by anybody (a progress
 * line). The padding keeps that away from what all workers read. */
typedef struct om_level_board {
    unsigned char before[64];
    _Atomic uint32_t count;
    _Atomic uint64_t
        widths[OM_LEVELS_SHOWN]; /* of level l, from 0 on: widths[l % OM_LEVELS_SHOWN] */
    unsigned char behind[64];
} om_level_board;

struct om_states {
    om_context *ctx;
    const om_heap *heap;
    uint32_t words;
    unsigned workers;
    om_store *store;
};

struct om_product {
    om_context *ctx;
    const om_heap *heap;
    om_product_spec spec;
    uint32_t model_words, words;
    om_store *store;
    om_states *own;        /* what has the store, or NULL: */
    bool shared;           /* it belongs to others, too */
    unsigned first_worker; /* that this product is, there */
    om_memory memory;      /* of side arrays */
    om_side *labels;       /* _Atomic uint64_t: see labels.c; NULL: they were not asked for */
    om_pages seen;         /* where shared: a bit for each id that this product has met (V1) */
    om_product_counter *counters;
    om_level_board levels;
    /* A state that one of the first overflows leaves. Whoever sets `overflown` writes it. */
    atomic_flag overflown;
    uint32_t *overflow_vector;
};

/* An automaton edge whose label matched. */
typedef struct om_match {
    uint32_t dst;
    om_marks marks;
} om_match;

/*
 * The automaton's moves by state and label: a walk meets few labels again and again, and an
 * automaton of the size of a formula has many edges to look through. Direct-mapped.
 */
enum { OM_MATCH_ENTRIES = 64 };
typedef struct om_matches {
    struct om_match_entry {
        om_label label;
        uint32_t state; /* plus one; 0 is empty */
        uint32_t first, count;
    } entries[OM_MATCH_ENTRIES];
    om_match *all;
    size_t count, capacity;
} om_matches;

/* The moves from state q under a label, valid until the next call; NULL when memory is out. */
const om_match *om_matches__find(om_matches *m, const om_heap *heap, const om_automaton *a,
    uint32_t q, om_label label, size_t *count);

struct om_cursor {
    om_product *p;
    unsigned worker;
    bool incremental;   /* the store wants to know the sources of rows */
    uint32_t row_words; /* of the store */
    /* Product vectors as executors append them, on their way to the store. For each source the
     * moves of the model under the first automaton move, then under the second, ... */
    om_successors succ;
    uint32_t *source;      /* rows of the sources, where the store has to unpack them */
    const uint32_t **near; /* per row: that of its source; NULL where not incremental */
    om_id *ids;
    bool *fresh;
    size_t capacity; /* of near, ids and fresh */
    om_matches matches;
    const om_match *moves; /* of the last state expanded; one without marks for a bare model */
    size_t move_count, move_rows; /* rows for each of them */
    om_step *steps;
    size_t step_count, step_capacity;
    om_id steps_of;   /* the state that they leave, or OM_NO_ID: the way into initial ones */
    om_label *labels; /* of their targets, where they were asked for */
    size_t label_capacity;
    om_successors beyond; /* of a target: is it a deadlock? */
    uint32_t *row;        /* scratch: a row of the store, unpacked */
    /* Steps already kept, to find duplicates: step number + 1, valid where its stamp is `stamp`. */
    struct om_seen {
        uint32_t stamp, step;
    } * seen;
    size_t seen_capacity; /* a power of two */
    uint32_t stamp;
    uint64_t all_edges; /* before duplicates were merged, stuttering of a bare model left out */
    uint64_t deadlocks; /* states without a successor in the model, of those expanded */
    om_id expanded;     /* the state that edges are gathered of */
    om_fault fault;     /* the first one met; in this state */
    om_id fault_at;
    uint32_t *fault_vector;
};

/* cursor.c: gathers the rows of the edges that leave a state, given as a vector, or (NULL) of the
 * initial states, without interning any. Statuses as om_cursor_successors(). */
int om_cursor__rows(om_cursor *c, const uint32_t *vector);
/* Records the status of the store in the context. */
int om_product__fail(const om_product *p, int rc);
/* Interns vectors, product words apart, as om_store__intern() does; `fresh` is as seen from this
 * product. The status is that of the store. */
int om_product__intern(om_product *p, unsigned worker, const uint32_t *vectors, size_t n,
    const uint32_t *const *near, om_id *ids, bool *fresh);
/* states.c: which of these states has nobody met in this product before? OM_OK or OM_ENOMEM. */
bool om_product__has_seen(const om_product *p, om_id id);
int om_product__see(om_product *p, unsigned worker, const om_id *ids, bool *fresh, size_t n);

#endif
