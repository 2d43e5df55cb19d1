/* SPDX-License-Identifier: Apache-2.0 */
#include "fstates.h"

#include <assert.h>
#include <stdatomic.h>

/* A list is an array in blocks, each as large as all before it and never moved: the first has
 * 2^FIRST states, and so has the second. */
enum { FIRST = 6, BLOCKS = 40 - FIRST + 1, PIECE = 32, CACHE_LINE = 64 };

/* A worker's list; any worker may read its states below `added`. */
typedef struct list {
    /* Written by its worker; others read it only when they have nothing to do. */
    _Alignas(CACHE_LINE) _Atomic uint64_t added;
    om_id *blocks[BLOCKS];
    /* Below `taken` all states are taken; below `dead` all are dead. */
    _Alignas(CACHE_LINE) _Atomic uint64_t taken, dead;
    /* Private to its worker: the piece of list `from` that it has taken, and the random start of
     * its rounds */
    _Alignas(CACHE_LINE) unsigned from;
    uint64_t begin, next, end;
    om_random round;
    uint64_t retries;
} list;

struct fstates {
    om_context *ctx;
    const om_heap *heap;
    om_side *marked; /* one bit for each state: it is in a list */
    void *room;
    list *lists; /* aligned, in `room` */
    unsigned workers;
    _Atomic uint64_t bytes; /* of lists and their blocks; no other data depends on it: relaxed */
};

enum { GROUP = 6 }; /* log2 of the bits in a group of `marked` */
typedef _Atomic uint64_t group;

int fstates_new(fstates **out, om_task *task, unsigned workers)
{
    const om_heap *heap = om_task_heap(task);
    fstates *f = om_alloc(heap, 1, sizeof *f);
    if (f == NULL)
        return om_fail_memory(om_task_context(task));
    f->ctx = om_task_context(task);
    f->heap = heap;
    f->workers = workers;
    int rc = om_side_new_grouped(&f->marked, om_task_product(task), sizeof(group), GROUP);
    f->room = om_alloc(heap, (size_t) workers + 1, sizeof(list));
    if (rc == OM_OK && f->room == NULL)
        rc = om_fail_memory(f->ctx);
    if (rc != OM_OK) {
        fstates_free(f);
        return rc;
    }
    size_t over = (uintptr_t) f->room % CACHE_LINE;
    f->lists = (list *) (void *) ((char *) f->room + (over == 0 ? 0 : CACHE_LINE - over));
    for (unsigned i = 0; i < workers; i++)
        f->lists[i].round.state = i;
    atomic_init(&f->bytes, ((uint64_t) workers + 1) * sizeof(list));
    *out = f;
    return OM_OK;
}

void fstates_free(fstates *f)
{
    if (f == NULL)
        return;
    for (unsigned i = 0; f->lists != NULL && i < f->workers; i++)
        for (unsigned k = 0; k < BLOCKS; k++)
            om_free(f->heap, f->lists[i].blocks[k]);
    om_side_free(f->marked);
    OM_FREE_ALL(f->heap, f->room, f);
}

static uint64_t block_size(unsigned block)
{
    return UINT64_C(1) << (block == 0 ? FIRST : FIRST + block - 1);
}

uint64_t fstates_bytes(const fstates *f)
{
    return om_side_bytes(f->marked) + atomic_load_explicit(&f->bytes, memory_order_relaxed);
}

uint64_t fstates_retries(const fstates *f)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < f->workers; i++)
        n += f->lists[i].retries;
    return n;
}

/* ---- adding ---- */

/* Returns the block of the state of this number, and its index there. */
static unsigned place_of(uint64_t number, uint64_t *in_block)
{
    unsigned log2 = number >> FIRST == 0 ? FIRST - 1 : 63 - (unsigned) __builtin_clzll(number);
    *in_block = log2 < FIRST ? number : number - (UINT64_C(1) << log2);
    return log2 + 1 - FIRST;
}

/* Appends a state; only the list's worker calls this. */
static int append(fstates *f, list *l, om_id id)
{
    uint64_t at, number = atomic_load_explicit(&l->added, memory_order_relaxed);
    unsigned block = place_of(number, &at);
    assert(block < BLOCKS && at < block_size(block));
    if (l->blocks[block] == NULL) {
        l->blocks[block] = om_resize(f->heap, NULL, block_size(block), sizeof(om_id));
        if (l->blocks[block] == NULL)
            return om_fail_memory(f->ctx);
        (void) atomic_fetch_add_explicit(
            &f->bytes, block_size(block) * sizeof(om_id), memory_order_relaxed);
    }
    l->blocks[block][at] = id;
    /* release: the state and its block; pairs with length_of(). */
    atomic_store_explicit(&l->added, number + 1, memory_order_release);
    return OM_OK;
}

int fstates_add(fstates *f, unsigned worker, om_id id)
{
    group *g = om_side_at(f->marked, id);
    const uint64_t bit = UINT64_C(1) << (id & ((1u << GROUP) - 1));
    assert(worker < f->workers);
    if (g == NULL)
        return om_fail_memory(f->ctx);
    /* acquire: the list that it is in; pairs with the release below (S1). */
    if ((atomic_load_explicit(g, memory_order_acquire) & bit) != 0)
        return OM_OK;
    int rc = append(f, &f->lists[worker], id);
    if (rc == OM_OK)
        /* release: see above. */
        (void) atomic_fetch_or_explicit(g, bit, memory_order_release);
    return rc;
}

/* ---- picking ---- */

static uint64_t length_of(const list *l)
{
    /* acquire: pairs with append(). */
    return atomic_load_explicit(&l->added, memory_order_acquire);
}

static om_id state_of(const list *l, uint64_t number)
{
    uint64_t at;
    unsigned block = place_of(number, &at);
    assert(number < length_of(l));
    return l->blocks[block][at];
}

/* Takes a piece of a list: half of the states that are left, but at most PIECE. */
static bool take(fstates *f, list *own, unsigned from)
{
    list *l = &f->lists[from];
    assert(own->begin == own->end); /* its piece is used up */
    /* relaxed: only a number; the states below it are known by length_of(). */
    uint64_t first = atomic_load_explicit(&l->taken, memory_order_relaxed), length = length_of(l);
    while (first < length) {
        uint64_t n = (length - first + 1) / 2;
        n = n < PIECE ? n : PIECE;
        if (atomic_compare_exchange_strong_explicit(
                &l->taken, &first, first + n, memory_order_relaxed, memory_order_relaxed)) {
            own->from = from;
            own->begin = own->next = first;
            own->end = first + n;
            return true;
        }
        own->retries++;
    }
    return false;
}

/* Called after all states of a piece were found dead. */
static void settle(fstates *f, const list *own)
{
    uint64_t expected = own->begin;
    assert(own->next == own->end);
    /* relaxed: only saves further checks of dead states. */
    if (own->begin < own->end)
        (void) atomic_compare_exchange_strong_explicit(&f->lists[own->from].dead, &expected,
            own->end, memory_order_relaxed, memory_order_relaxed);
}

int fstates_take(fstates *f, unsigned worker, bool any, fstates_dead *dead, void *self, om_id *out)
{
    list *own = &f->lists[worker];
    *out = OM_NO_ID;
    for (unsigned k = 0; k < (any ? f->workers : 1);) {
        while (own->next < own->end) {
            bool is = false;
            om_id id = state_of(&f->lists[own->from], own->next++);
            int rc = dead(self, id, &is);
            if (rc != OM_OK || !is) {
                *out = id;
                return rc;
            }
        }
        settle(f, own);
        own->begin = own->end;
        if (!take(f, own, (worker + k) % f->workers))
            k++;
    }
    return OM_OK;
}

/* Finds the first state that is not dead in a range of a list, or OM_NO_ID. */
static int first_live(
    const list *l, uint64_t from, uint64_t to, fstates_dead *dead, void *self, om_id *out)
{
    int rc = OM_OK;
    for (uint64_t i = from; i < to && rc == OM_OK && *out == OM_NO_ID; i++) {
        bool is = false;
        om_id id = state_of(l, i);
        rc = dead(self, id, &is);
        if (rc == OM_OK && !is)
            *out = id;
    }
    return rc;
}

/* Advances `dead` past the dead states at the beginning, so that they are not checked again. */
static int pass_dead(list *l, uint64_t length, fstates_dead *dead, void *self)
{
    uint64_t first = atomic_load_explicit(&l->dead, memory_order_relaxed), i = first;
    bool is = true;
    int rc = OM_OK;
    while (i < length && is && rc == OM_OK) {
        rc = dead(self, state_of(l, i), &is);
        i += is && rc == OM_OK;
    }
    /* relaxed: as in settle(). */
    if (i > first)
        (void) atomic_compare_exchange_strong_explicit(
            &l->dead, &first, i, memory_order_relaxed, memory_order_relaxed);
    return rc;
}

/* Goes round a list from a random state. */
static int go_round(
    list *l, uint64_t length, om_random *r, fstates_dead *dead, void *self, om_id *out)
{
    int rc = pass_dead(l, length, dead, self);
    uint64_t begin = atomic_load_explicit(&l->dead, memory_order_relaxed);
    if (rc != OM_OK || begin >= length)
        return rc;
    assert(length <= length_of(l));
    uint64_t middle = begin + om_random_below(r, length - begin);
    rc = first_live(l, middle, length, dead, self, out);
    return rc == OM_OK && *out == OM_NO_ID ? first_live(l, begin, middle, dead, self, out) : rc;
}

int fstates_live(fstates *f, unsigned worker, fstates_dead *dead, void *self, om_id *out)
{
    int rc = OM_OK;
    *out = OM_NO_ID;
    for (unsigned k = 0; k < f->workers && rc == OM_OK && *out == OM_NO_ID; k++) {
        list *l = &f->lists[(worker + k) % f->workers];
        rc = go_round(l, length_of(l), &f->lists[worker].round, dead, self, out);
    }
    return rc;
}

uint64_t fstates_length(const fstates *f)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < f->workers; i++)
        n += length_of(&f->lists[i]);
    return n;
}

int fstates_pick(fstates *f, unsigned worker, fstates_dead *dead, void *self, om_id *out)
{
    uint64_t before;
    int rc;
    do {
        /* Lists only grow: an equal sum means equal lengths. */
        before = fstates_length(f);
        rc = fstates_take(f, worker, true, dead, self, out);
        if (rc == OM_OK && *out == OM_NO_ID)
            rc = fstates_live(f, worker, dead, self, out);
    } while (rc == OM_OK && *out == OM_NO_ID && fstates_length(f) != before);
    return rc;
}
