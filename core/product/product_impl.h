/* SPDX-License-Identifier: Apache-2.0 */
/* product_impl.h: the inside of products and cursors, for the files of this folder. */
#ifndef OM_PRODUCT_IMPL_H
#define OM_PRODUCT_IMPL_H

#include "product.h"
#include "store.h"

#include <omen/plugin/movers.h>

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
    om_states *own;              /* what has the store, or NULL: */
    bool shared;                 /* it belongs to others, too */
    unsigned first_worker;       /* that this product is, there */
    om_memory memory;            /* of side arrays */
    om_side *labels;             /* _Atomic uint64_t: see labels.c; NULL: they were not asked for */
    const om_fairness *fairness; /* NULL: it was not asked for */
    const om_movers *movers;     /* fairness goes by who moves; or NULL */
    om_label own_aps;            /* those of the executor's that the automaton reads */
    om_pages seen; /* where shared: a bit for each id that this product has met (V1) */
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
    /* Makes moves of the product of the rows from `first` on, which are moves of the model from
     * `vector`: what the variant of the product differs in. */
    int (*cross)(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock);
    /* Of a product with a testing automaton, per row: */
    om_match *row_moves;  /* the automaton's move */
    om_label *row_labels; /* its label, as labels.c keeps it */
    size_t row_capacity;
    size_t label_capacity;
    om_successors beyond;   /* of a target: is it a deadlock? */
    om_label label;         /* of the state expanded last, where there is an automaton */
    struct om_fair_source { /* see fair.c; of what was asked for last: */
        uint64_t able;
        om_label label;
        om_marks marks;
        bool known;
    } fair;
    uint32_t *row; /* scratch: a row of the store, unpacked */
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

/* cursor.c: a fault in a state that is given with its row. It has no edges; OM_OK. */
int om_cursor__go_wrong(om_cursor *c, om_fault fault, const uint32_t *vector, size_t first);
/* Of a state that is given as a vector; a fault, or 0, in *fault. */
om_label om_cursor__label(
    const om_cursor *c, const uint32_t *vector, bool deadlock, om_fault *fault);

/* labels.c: the label of a state by what is kept beside its id (OM_NO_ID: nothing), else of its
 * vector. `deadlock`: is it one (asked where there is such a proposition)? NULL: that is found out.
 * In *word what is to be kept of it (0: nothing). OM_OK, OM_ENOMEM, or the executor's failure. */
int om_label__find(om_cursor *c, om_id id, const uint32_t *vector, const bool *deadlock,
    om_label *out, om_label *word, om_fault *fault);
/* Keeps it. OM_OK or OM_ENOMEM. */
int om_label__keep(const om_product *p, om_id id, om_label word);

/* testing.c: the variant with a testing automaton (OM_PRODUCT_TESTING). As cross; the rows of the
 * initial states, of one that is the model's; and what is kept of rows that were stored. */
int om_testing__cross(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock);
int om_testing__initial(om_cursor *c);
int om_testing__keep(om_cursor *c);
uint64_t om_testing__bytes(const om_cursor *c);
void om_testing__close(om_cursor *c);

/* fair.c: the marks that all edges of the state have for its fairness. Its rows are gathered, and
 * those of no other. */
om_marks om_fair__source(om_cursor *c);
/* Those of an edge beside them. */
static inline om_marks om_fair__edge(const om_fairness *f, uint32_t transition)
{
    return transition < f->transitions ? f->moves[transition] : 0;
}

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
