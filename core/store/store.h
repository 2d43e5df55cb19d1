/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h: concurrent storage of distinct fixed-width vectors, each with a dense id.
 *
 * Vectors lie in append-only pages, at the place of their id. An index of 64-bit words, open
 * addressing with linear probing, finds them: 0 is an empty slot, else the low 40 bits are id + 1
 * and the high 24 bits a fingerprint (the top bits of the hash; the home slot is its low bits).
 *
 * Who may call what: om_store_intern() by each worker from one thread at a time, any number of
 * workers at once; om_store_vector() and the figures by any thread (an id must have come to that
 * thread from om_store_intern() or over a synchronising edge from one who had it); new and free
 * alone.
 *
 * Interning a vector linearises at the compare-and-swap that fills an empty slot (it was new) or at
 * the acquire load of the slot that holds it (it was there). Between growths a call is lock-free.
 * An index that is too small grows in a short pause (growth.c): all workers leave the index, those
 * who arrive help moving the entries, then all go on in the new one.
 *
 * Invariants:
 *  I1  The ids handed out are never more than 5/8 of the index's slots, so a probe ends.
 *  I2  A word is in the index only after its vector was written (release); words never change.
 *  I3  A vector is in the index at most once: all who look for it probe the same slots in the same
 *      order, slots never become empty again, and only an empty slot is filled, by one of them.
 *  I4  The index changes hands only while no worker is inside (`inside` is 0 for all).
 */
#ifndef OM_STORE_STORE_H
#define OM_STORE_STORE_H

#include "pages.h"

#include <omen/store.h>

typedef struct om_store om_store;

typedef struct om_store_spec {
    const om_heap *heap;
    om_control *control; /* limits; may be NULL */
    om_store_kind kind;
    uint32_t words;   /* of a vector, at least 1 */
    unsigned workers; /* at least 1 */
    uint64_t slots;   /* to start with, a power of two; 0: the default. It grows anyway. */
} om_store_spec;

int om_store_new(om_store **out, const om_store_spec *spec);
void om_store_free(om_store *s);
om_pool *om_store_pool(om_store *s);

/* Words of a row: a vector, and what a store of this kind keeps about it beside. */
uint32_t om_store_row_words(const om_store *s);
/*
 * The row of an id, its vector first. Either the store's own, which stays where it is, or put into
 * `room` (om_store_row_words() words); any thread.
 */
const uint32_t *om_store_row(const om_store *s, uint64_t id, uint32_t *room);

/*
 * Finds or stores `count` vectors, `stride` words apart: ids[i] is vector i's id, fresh[i] whether
 * this call stored it first. near[i], where `near` is given, is the row of a stored vector that
 * vector i differs little from, or NULL: what they share need not be looked for.
 * All are hashed and their slots fetched before the first is looked up.
 * OM_OK, OM_ENOMEM, OM_ELIMIT (a limit of the control, which was stopped with the reason, or 2^40
 * states). After a failure the ones before it are stored and their ids are given.
 */
int om_store_intern(om_store *s, unsigned worker, const uint32_t *vectors, size_t stride,
    size_t count, const uint32_t *const *near, uint64_t *ids, bool *fresh);

/* Fetches what om_store_row() will want first. */
static inline void om_store_prefetch(const om_store *s, uint64_t id);

/* Vectors stored (exact while nobody interns), a bound that all ids are below, and bytes in use. */
uint64_t om_store_count(const om_store *s);
uint64_t om_store_bound(const om_store *s);
uint64_t om_store_bytes(const om_store *s);
om_store_figures om_store_figures_of(const om_store *s);
/* Slots of the index now; nobody may be interning. For tests. */
uint64_t om_store_slots(const om_store *s);

/* ---- inside: shared by store.c and growth.c ---- */

typedef struct om_store_index {
    _Atomic uint64_t *slots;
    const unsigned char *bytes; /* the same, to prefetch: a cast would lose the atomic quality */
    uint64_t mask;              /* slots - 1 */
} om_store_index;

/* One worker's corner. The padding keeps what two workers write on different cache lines. */
typedef struct om_store_worker {
    atomic_uint inside;     /* 1 while it probes the index (I4) */
    _Atomic uint64_t count; /* stored by it; written by it alone */
    uint64_t next, end;     /* ids it owns and has not used */
    unsigned char padding[96];
} om_store_worker;
_Static_assert(sizeof(om_store_worker) >= 128, "workers share a cache line");

/* The gate of the index: who finds it not open stays outside. */
enum { OM_GATE_OPEN, OM_GATE_CLOSED, OM_GATE_MOVING };

struct om_store {
    const om_heap *heap;
    om_pool pool;
    om_pages vectors;
    uint32_t words;
    unsigned workers;
    om_store_worker *worker;
    om_store_index index;               /* changes under I4 */
    _Atomic uint64_t next_id, most_ids; /* ids handed out; how many the index can bear (I1) */
    atomic_uint gate, helpers;
    om_store_index to; /* while moving: the index that will be */
    _Atomic uint64_t next_block, done_blocks;
};

/* Enters the index; waits, and helps, while it grows. */
void om_store__enter(om_store *s, om_store_worker *w);
static inline void om_store__leave(om_store_worker *w)
{
    /* release: what the worker did inside is before what the grower does after (growth.c). */
    atomic_store_explicit(&w->inside, 0, memory_order_release);
}
/* Makes the index fit for `ids` ids; the caller is outside. Statuses as om_pool_take(). */
int om_store__grow(om_store *s, uint64_t ids);
int om_store__index_new(om_store *s, uint64_t slots, om_store_index *out);
void om_store__index_free(om_store *s, om_store_index *x);
uint64_t om_store__hash(const om_store *s, const uint32_t *vector);

static inline void om_store__prefetch(const om_store_index *x, uint64_t hash)
{
    __builtin_prefetch(x->bytes + (hash & x->mask) * sizeof *x->slots);
}

static inline uint64_t om_store__most_ids(uint64_t slots)
{
    return slots / 8 * 5;
}

enum { OM_STORE_ID_BITS = 40 };
_Static_assert((int) OM_STORE_ID_BITS == (int) OM_PAGES_ID_BITS, "an id is what a page can hold");
#define OM_STORE_ID_MASK ((UINT64_C(1) << OM_STORE_ID_BITS) - 1)

static inline const uint32_t *om_store__vector(const om_store *s, uint64_t id)
{
    return (const uint32_t *) om_pages_find(&s->vectors, id);
}

static inline void om_store_prefetch(const om_store *s, uint64_t id)
{
    __builtin_prefetch(om_store__vector(s, id));
}

#endif
