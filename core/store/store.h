/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h: concurrent storage of distinct fixed-width vectors, each with a dense id.
 *
 * A plain store is one set of vectors (set.h). A store of trees begins as one; when there are
 * enough vectors to see which shape suits them, it becomes two sets (tree.h): the roots, whose ids
 * are the vectors', and the inner nodes, whose ids are the references. Vectors of three words or
 * fewer would be their own roots: they stay as they are.
 *
 * Who may call what: om_store__intern() by each worker from one thread at a time, any number of
 * workers at once; om_store__row() and the figures by any thread (an id must have come to that
 * thread from om_store__intern() or over a synchronising edge from one who had it); new and free
 * alone. Linearisation, progress and invariants I1 to I5 and I8 are in set.h; the store of trees
 * adds
 *
 *  I6  An inner node is in its set before a pair that refers to it is put anywhere; equal subtrees
 *      have equal references (I3), so two vectors are equal if and only if their roots are.
 *  I7  Compression begins in one pause (I4): every vector so far gets its root under the id that
 *      it has, the first set is closed, and `compressed` is set. Ids are taken inside, so those of
 *      the first set are all known in the pause, and none is given out after it. The pages of the
 *      first set stay for those who read rows from outside and have not seen `compressed`. The
 *      worker that leads this pause chose the shape before it, outside, from copies of vectors
 *      that it took in an earlier one: until `compressed` is seen only the shape's places, which
 *      stay, are anybody else's to read.
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
    uint32_t words;   /* of a vector, at least 1 */
    unsigned workers; /* at least 1 */
    uint64_t entries; /* to start with; 0: the default. It grows anyway. */
    om_set_hooks hooks;
    const om_nodes *nodes; /* what is large is spread over them; may be NULL */
} om_store_spec;

int om_store__new(om_store **out, const om_store_spec *spec);
void om_store__free(om_store *s);
om_memory *om_store__memory(om_store *s);

/* Words of a row: a vector, and what a store of this kind keeps about it beside. */
uint32_t om_store__row_words(const om_store *s);
/*
 * The row of an id, its vector first. Either the store's own, which stays where it is, or put into
 * `buffer` (om_store__row_words() words); any thread.
 */
const uint32_t *om_store__row(const om_store *s, uint64_t id, uint32_t *buffer);

/* The rows of n ids, put into `buffer`; of stores whose rows are more than vectors. That is faster
 * than one by one, mostly where the ids follow each other. */
void om_store__rows(const om_store *s, const uint64_t *ids, size_t n, uint32_t *buffer);

/*
 * Finds or stores `count` vectors, `stride` words apart: ids[i] is vector i's id, fresh[i] whether
 * this call stored it first. near[i], where `near` is given, is the row of a stored vector that
 * vector i differs little from, or NULL: what they share need not be looked for.
 * They are hashed and their entries fetched, many at a time, before the first is looked up.
 * OM_OK, OM_ENOMEM, OM_ELIMIT (a limit of the control, which was stopped with the reason, 2^40
 * states, or 2^32 inner nodes). After a failure the ones before it are stored and their ids are
 * given.
 */
int om_store__intern(om_store *s, unsigned worker, const uint32_t *vectors, size_t stride,
    size_t count, const uint32_t *const *near, uint64_t *ids, bool *fresh);

/* Vectors stored (exact while nobody interns), a bound that all ids are below, and bytes in use. */
uint64_t om_store__count(const om_store *s);
uint64_t om_store__bound(const om_store *s);
/* Is there a vector of this id? Ids below the bound are stored but for those that workers have
 * taken and not used yet. While nobody interns. */
bool om_store__has(const om_store *s, uint64_t id);

/* Which ids there are at one moment: those below `bound` that are in no gap. */
typedef struct om_store_ids {
    uint64_t bound;
    size_t gaps;
    struct om_store_gap {
        uint64_t begin, end;
    } gap[];
} om_store_ids;

/* Those of now; NULL: no memory. The caller's, from the heap. While nobody interns. */
om_store_ids *om_store__ids(const om_store *s, const om_heap *heap);
bool om_store__among(const om_store_ids *ids, uint64_t id);
/* The ids of states that the worker stored first went up all the time. They always do but where a
 * limit on states is near. Asked by the worker itself. */
bool om_store__ids_rise(const om_store *s, unsigned worker);
uint64_t om_store__bytes(const om_store *s);
om_store_figures om_store__figures(const om_store *s);
/* Entries of the index of states now. */
uint64_t om_store__entries(const om_store *s);

/* ---- inside ---- */

struct om_store {
    const om_heap *heap;
    uint32_t words;
    unsigned workers;
    bool compact; /* memory counts more than time */
    om_worker *worker;
    om_memory memory;
    om_arena arena;           /* of all indices */
    om_quiescence quiescence; /* one for all sets: a worker goes in once for a batch */
    om_growth growth;
    om_set vectors; /* of a plain store, or before trees begin */
    om_set_hooks hooks;
    _Atomic uint64_t compress_at; /* trees begin at so many vectors */
    om_tree tree;                 /* no words: plain for ever */
    atomic_bool compressed;       /* I7 */
    om_set roots, nodes;
};

/* Sets up a set of the store: number 0 gives ids to states, 1 to inner nodes. */
int om_store__start_set(
    om_store *s, om_set *set, uint32_t words, unsigned number, uint64_t entries);

/* ---- compression.c: trees in a store ---- */

int om_store__prepare_compression(om_store *s);
/* The roots of vectors, OM_SET_BATCH at most, their inner nodes interned (I6); the worker is
 * inside. OM_OK, or why they are not all there. */
int om_store__make_roots(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, const uint32_t *const *near, uint32_t *roots);
/* The rows of states ids[0], ids[1], ... */
void om_store__unpack(const om_store *s, const uint64_t *ids, size_t n, uint32_t *rows);

/* Moves a vector from the first set into the trees, in a pause. OM_OK, or as
 * om_set__intern_paused(). */
int om_store__compress_vector(om_store *s, om_worker *w, uint64_t id);
/* What a worker remembers of inner nodes is none any more. */
void om_store__forget(om_worker *w);

/* ---- change.c ---- */

/* Begins with trees, from outside; OM_OK also where another worker has done so. */
int om_store__compress(om_store *s);

/* acquire: pairs with om_store__compress(), so that the roots are there. */
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
