/* SPDX-License-Identifier: Apache-2.0 */
/* product_impl.h: internals of products and cursors, for the files of this folder.
 *
 *  R1  The rows of one state are `move_rows` rows for each of its `move_count` moves.
 *  R2  There are `near`, `ids` and `fresh` for each gathered row.
 */
#ifndef OM_PRODUCT_IMPL_H
#define OM_PRODUCT_IMPL_H

#include "product.h"
#include "store.h"

#include <omen/plugin/fair_processes.h>

#include <pthread.h>

/* Counters of one worker. Only that worker writes them; any thread may read them (a progress line).
 * There is padding on both sides because all threads read the memory before the first counter. */
typedef struct om_product_counter {
    unsigned char padding_before[64];
    _Atomic uint64_t edges;                      /* produced */
    _Atomic uint64_t overflows, overflows_again; /* again: in expansions that do not count */
    _Atomic uint64_t states; /* met first by this worker; counted if the states are shared */
    _Atomic uint64_t expansions;
    om_code_use use; /* read after the worker has ended */
    unsigned char padding_after[32];
} om_product_counter;

/* The last levels of a search. The leader of the search writes them once a level; any thread may
 * read them (a progress line). The padding separates them from data that all workers read. */
typedef struct om_level_board {
    unsigned char padding_before[64];
    _Atomic uint32_t count;
    _Atomic uint64_t
        widths[OM_LEVELS_SHOWN]; /* width of level l (from 0) is widths[l % OM_LEVELS_SHOWN] */
    unsigned char padding_after[64];
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
    om_states *own;              /* the states if this product owns them, or NULL */
    bool shared;                 /* the store belongs to other products too */
    unsigned first_worker;       /* number of this product's worker 0 in the store */
    om_memory memory;            /* accounting of side arrays */
    om_side *labels;             /* _Atomic uint64_t: see state_labels.c; NULL if not requested */
    const om_fairness *fairness; /* NULL if not requested */
    const om_fair_processes
        *fair_processes;              /* set if fairness depends on the moving processes; or NULL */
    const struct om_guiding *guiding; /* om_product__guide() */
    om_label own_aps;                 /* APs of the executor that the automaton reads */
    om_pages seen; /* if shared: one bit for each id that this product has met (V1) */
    om_product_counter *counters;
    om_level_board levels;
    /* The source state of one of the first overflows; written by the thread that sets
     * `overflown`. */
    atomic_flag overflown;
    uint32_t *overflow_vector;
};

/* An automaton edge whose label matched. */
typedef struct om_match {
    uint32_t dst;
    om_marks marks;
} om_match;

/*
 * Cache of the automaton's moves by state and label. A search meets few labels again and again, and
 * an automaton of the size of a formula has many edges to scan. Direct-mapped.
 */
enum { OM_MATCH_ENTRIES = 64 };
typedef struct om_matches {
    struct om_match_entry {
        om_label label;
        uint32_t state; /* plus one; 0: empty */
        uint32_t first, count;
    } entries[OM_MATCH_ENTRIES];
    om_match *all;
    size_t count, capacity;
} om_matches;

/* Returns the moves from state q under a label, valid until the next call; NULL: out of memory. */
const om_match *om_matches__find(om_matches *m, const om_heap *heap, const om_automaton *a,
    uint32_t q, om_label label, size_t *count);

struct om_cursor {
    om_product *p;
    unsigned worker;
    bool incremental;   /* the store uses the source of each row */
    uint32_t row_words; /* words of a row of the store */
    /* Product vectors as executors append them, to be interned next. For each source they hold the
     * model's moves under the first automaton move, then under the second, and so on. */
    om_successors succ;
    uint32_t *source;      /* rows of the sources, if the store has to unpack them */
    const uint32_t **near; /* per row: the row of its source; NULL unless incremental */
    om_id *ids;
    bool *fresh;
    size_t capacity;              /* of near, ids and fresh */
    size_t ends[OM_CURSOR_BATCH]; /* [source]: number of the row after its last one */
    const uint32_t *source_rows[OM_CURSOR_BATCH];
    om_matches matches;
    const om_match *moves; /* of the state expanded last; one without marks for a bare model */
    size_t move_count, move_rows; /* rows per move */
    om_step *steps;
    size_t step_count, step_capacity;
    uint64_t guidable; /* steps that a guide could have ordered */
    om_id steps_of;    /* the source of the steps; OM_NO_ID if they lead to the initial states */
    om_label *labels;  /* of the steps' targets, if requested */
    /* Turns the rows from `first` on, which are model moves from `vector`, into product moves. The
     * variants of the product differ in this function. */
    int (*cross)(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock);
    /* Per row, for a product with a testing automaton: */
    om_match *row_moves;  /* the automaton's move */
    om_label *row_labels; /* the row's label, encoded as in state_labels.c */
    size_t row_capacity;
    size_t label_capacity;
    om_successors beyond;   /* scratch for has_deadlock(): successors of a target */
    om_label label;         /* of the state expanded last, if there is an automaton */
    struct om_fair_source { /* memo of fairness_marks.c: the last query and its result */
        uint64_t able;
        om_label label;
        om_marks marks;
        bool known;
    } fair;
    uint32_t *row; /* scratch: an unpacked row of the store */
    /* Table of the steps already kept, to find duplicates: step numbers. An entry is valid if its
     * stamp equals `stamp`. */
    struct om_seen {
        uint32_t stamp, step;
    } * seen;
    size_t seen_capacity; /* a power of two */
    uint32_t stamp;
    uint64_t all_edges; /* before merging duplicates; without stuttering steps of a bare model */
    uint64_t deadlocks; /* expanded states without a successor in the model */
    uint64_t edges_again, deadlocks_again; /* of them, those that do not count */
    bool again;                            /* expansions do not count now */
    om_id expanded;                        /* the state whose edges are being gathered */
    om_fault fault; /* the first fault met, and the state that it was met in */
    om_id fault_at;
    uint32_t *fault_vector;
    bool wrong; /* the last expanded state has a fault */
    /* When om_cursor__note_use() was called last: the code that was in use, the states that the
     * worker had expanded, the calling thread and its processor time; 0: it was not called. */
    om_code_kind code;
    uint64_t noted, noted_ns;
    pthread_t noted_by;
};

/* cursor.c: records a fault in a state given by its row, and drops its edges. Returns OM_OK. */
int om_cursor__go_wrong(om_cursor *c, om_fault fault, const uint32_t *vector, size_t first);
/* Returns the label of a state that is given as a vector; sets *fault to a fault or leaves it. */
om_label om_cursor__label(
    const om_cursor *c, const uint32_t *vector, bool deadlock, om_fault *fault);

/* state_labels.c: gives the label of a state: the one kept for its id (OM_NO_ID: none), else the
 * one computed from its vector. `deadlock` says whether the state is a deadlock (used if there is
 * such a proposition); if it is NULL, the function determines that. *word is the value to keep for
 * the state (0: nothing to keep). Returns OM_OK, OM_ENOMEM, or the executor's failure. */
int om_label__find(om_cursor *c, om_id id, const uint32_t *vector, const bool *deadlock,
    om_label *out, om_label *word, om_fault *fault);
/* Keeps the word of an id. Returns OM_OK or OM_ENOMEM. */
int om_label__keep(const om_product *p, om_id id, om_label word);

/* testing_product.c: the variant with a testing automaton (OM_PRODUCT_TESTING).
 * om_testing_product__cross() implements `cross`; om_testing_product__initial() turns the row of
 * the model's initial state into the rows of the product's; om_testing_product__keep() keeps the
 * labels of rows that were stored. */
int om_testing_product__cross(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock);
int om_testing_product__initial(om_cursor *c);
int om_testing_product__keep(om_cursor *c);
uint64_t om_testing_product__bytes(const om_cursor *c);
void om_testing_product__close(om_cursor *c);

/* fairness_marks.c: returns the fairness marks that all edges of a state have in common. The
 * gathered rows must be those of this state alone. */
om_marks om_fair__source(om_cursor *c);
/* The fairness marks of one edge, in addition to those of its source. */
static inline om_marks om_fair__edge(const om_fairness *f, uint32_t transition)
{
    return transition < f->transitions ? f->moves[transition] : 0;
}

/* cursor.c: gathers the rows of the edges that leave a state, given as a vector, or (NULL) the rows
 * of the initial states, without interning any. Statuses as om_cursor_successors(). */
int om_cursor__rows(om_cursor *c, const uint32_t *vector);
/* Records the status of the store in the context. */
int om_product__fail(const om_product *p, int rc);
/* Interns vectors with a stride of the product's words, as om_store__intern() does; `fresh` refers
 * to this product. Returns the status of the store. */
int om_product__intern(om_product *p, unsigned worker, const uint32_t *vectors, size_t n,
    const uint32_t *const *near, om_id *ids, bool *fresh);
/* shared_states.c: om_product__has_seen() returns true if this product has met the state;
 * om_product__see() marks n states as met and sets fresh[i] for those that it had not met. Returns
 * OM_OK or OM_ENOMEM. */
bool om_product__has_seen(const om_product *p, om_id id);
int om_product__see(om_product *p, unsigned worker, const om_id *ids, bool *fresh, size_t n);

#endif
