/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h: concurrent storage of distinct fixed-width vectors, each with a dense id.
 *
 * A plain store is one set of vectors (set.h). A store of trees begins as one. When there are
 * enough vectors to find the shape that suits them, it becomes two sets (tree.h): the roots, which
 * keep the ids of the vectors, and the inner nodes, whose ids are the references. Vectors of three
 * words or fewer would be their own roots: they stay as they are.
 *
 * Thread-safety: any number of workers may call om_store__intern() at once, each from one thread at
 * a time. Any thread may call om_store__row() and the functions that return figures; it must have
 * received an id from om_store__intern(), or over a synchronising edge from a thread that had it.
 * New and free must not run concurrently with any other call. Linearisation, progress and
 * invariants I1 to I5 and I8 are in set.h; the store of trees adds
 *
 *  I6  An inner node is in its set before any pair that refers to it is stored. Equal subtrees have
 *      equal references (I3), so two vectors are equal if and only if their roots are.
 *  I7  Compression begins in one pause (I4): every vector so far gets its root under its id, the
 *      first set is closed, and `compressed` is set. Ids are taken inside, so all ids of the first
 *      set are known in the pause, and none is handed out after it. The pages of the first set stay
 *      for threads that read rows from outside and have not seen `compressed`. The worker that
 *      leads this pause chose the shape before it, outside, from copies of vectors that it took in
 *      an earlier pause: until a thread sees `compressed`, it may read only the places of the
 *      shape, which do not change.
 */
#ifndef OM_STORE_STORE_H
#define OM_STORE_STORE_H

#include "growth.h"
#include "tree.h"

#include <omen/plugin/store.h>

typedef struct om_store om_store;

typedef struct om_store_spec {
    const om_heap *heap;
    om_control *control; /* limits; may be NULL */
    om_store_kind kind;
    uint32_t words;   /* words of a vector, at least 1 */
    unsigned workers; /* at least 1 */
    uint64_t entries; /* initial entries; 0: the default. The index grows. */
    om_set_hooks hooks;
    const om_nodes *nodes; /* NUMA nodes to spread large memory over; may be NULL */
} om_store_spec;

int om_store__new(om_store **out, const om_store_spec *spec);
void om_store__free(om_store *s);
om_memory *om_store__memory(om_store *s);

/* Returns the words of a row: a vector, and the data that a store of this kind keeps with it. */
uint32_t om_store__row_words(const om_store *s);
/* Returns the row of an id, its vector first. The row either lies in the store and never moves, or
 * is written to `buffer` (om_store__row_words() words). Any thread. */
const uint32_t *om_store__row(const om_store *s, uint64_t id, uint32_t *buffer);

/* Writes the rows of n ids to `buffer`; for stores whose rows are more than vectors. Faster than
 * one call per id, mostly if the ids are consecutive. At first the buffer is zeroed; later it holds
 * what such calls, or om_store__row(), have written there for this store. */
void om_store__rows(const om_store *s, const uint64_t *ids, size_t n, uint32_t *buffer);

/*
 * Finds or stores `count` vectors, `stride` words apart. ids[i] is the id of vector i; fresh[i] is
 * true if this call stored it first. near[i], if `near` is not NULL, is the row of a stored vector
 * from which vector i differs little, or NULL: their common parts are not looked up again. Batches
 * of vectors are hashed and their entries prefetched before the first look-up. Returns OM_OK,
 * OM_ENOMEM or OM_ELIMIT (a limit of the control, which was stopped with the reason, 2^40 states,
 * or 2^32 inner nodes). After a failure, the vectors before the failed one are stored and have
 * their ids.
 */
int om_store__intern(om_store *s, unsigned worker, const uint32_t *vectors, size_t stride,
    size_t count, const uint32_t *const *near, uint64_t *ids, bool *fresh);

/* Vectors stored (exact while no worker interns), an upper bound that all ids are below, and,
 * further down, the bytes in use. */
uint64_t om_store__count(const om_store *s);
uint64_t om_store__bound(const om_store *s);
/* Returns true if a vector of this id is stored. Ids below the bound are stored unless a worker has
 * taken and not yet used them. No worker may be interning. */
bool om_store__has(const om_store *s, uint64_t id);

/* The set of ids at one moment: those below `bound` that are in no gap. */
typedef struct om_store_ids {
    uint64_t bound;
    size_t gaps;
    struct om_store_gap {
        uint64_t begin, end;
    } gap[];
} om_store_ids;

/* Returns the current ids, or NULL if memory runs out. The caller frees the result with the heap.
 * No worker may be interning. */
om_store_ids *om_store__ids(const om_store *s, const om_heap *heap);
bool om_store__among(const om_store_ids *ids, uint64_t id);
/* Returns true if the ids of the states that the worker stored first have only risen. They always
 * do unless a limit on states is near. Only the worker itself may call this. */
bool om_store__ids_rise(const om_store *s, unsigned worker);
uint64_t om_store__bytes(const om_store *s);
om_store_figures om_store__figures(const om_store *s);
/* Returns the current number of entries of the index of states. */
uint64_t om_store__entries(const om_store *s);

/* ---- internals ---- */

struct om_store {
    const om_heap *heap;
    uint32_t words;
    unsigned workers;
    bool compact; /* memory matters more than time */
    om_worker *worker;
    om_memory memory;
    om_arena arena;           /* memory of all indices */
    om_quiescence quiescence; /* shared by all sets: a worker enters once for a batch */
    om_growth growth;
    om_set vectors; /* of a plain store, or before trees begin */
    om_set_hooks hooks;
    _Atomic uint64_t compress_at; /* number of vectors at which trees begin */
    om_tree tree;                 /* 0 words: plain for ever */
    atomic_bool compressed;       /* I7 */
    om_set roots, nodes;
};

/* Sets up a set of the store: number 0 gives ids to states, 1 to inner nodes. */
int om_store__start_set(
    om_store *s, om_set *set, uint32_t words, unsigned number, uint64_t entries);

/* ---- compression.c: trees in a store ---- */

int om_store__prepare_compression(om_store *s);
/* Frees what the former and intern calls made for a worker. */
void om_store__free_worker(const om_store *s, om_worker *w);
/* Computes the roots of at most OM_SET_BATCH vectors and interns their inner nodes (I6); the worker
 * is inside. Returns OM_OK, or the error that left some of them undone. */
int om_store__make_roots(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, const uint32_t *const *near, uint32_t *roots);
/* Writes the rows of states ids[0], ids[1], ... Rows of long vectors are made of others, which
 * share most subtrees: each of the one before, the first of its former contents, if `written`. */
void om_store__unpack(
    const om_store *s, const uint64_t *ids, size_t n, uint32_t *rows, bool written);

/* Moves a vector from the first set into the trees, in a pause. OM_OK, or as
 * om_set__intern_paused(). */
int om_store__compress_vector(om_store *s, om_worker *w, uint64_t id);
/* Empties the worker's cache of inner nodes. */
void om_store__forget(om_worker *w);

/* ---- change.c ---- */

/* Begins with trees; the caller is outside. OM_OK also if another worker has done so. */
int om_store__compress(om_store *s);

/* acquire: pairs with om_store__compress(), so that the roots are visible. */
static inline bool om_store__is_compressed(const om_store *s)
{
    return atomic_load_explicit(&s->compressed, memory_order_acquire);
}

static inline bool om_store__compression_is_due(const om_store *s)
{
    return !om_store__is_compressed(s) &&
           om_set__bound(&s->vectors) >=
               atomic_load_explicit(&s->compress_at, memory_order_relaxed);
}

static inline const om_set *om_store__states(const om_store *s)
{
    return om_store__is_compressed(s) ? &s->roots : &s->vectors;
}

#endif
