/* SPDX-License-Identifier: Apache-2.0 */
/* The deep search between rounds: its states, when a round is due, where it begins, its end. */
#include "dive.h"

#include "product.h"

#include <assert.h>
#include <string.h>

/*
 * Until the levels have expanded EVEN states, the deep search may expand and store as many as they
 * do: a search that ends early is the same on all machines. After that, or when that has cost
 * EVEN_NS, time decides. A state takes longer in the deep search than on a level, which would have
 * to expand it, too, but has to read its record instead (about AGAIN_NS): the difference may be one
 * part in EXTRA of all time, and the deep search's time one part in MOST. (The difference is taken
 * to be one part in LEAST_MORE of a level's time for a state, at least.) A search in the other
 * orders alone leaves one state in OTHERS to the levels.
 */
enum { EVEN = 1 << 14, EXTRA = 24, MOST = 3, LEAST_MORE = 8, OTHERS = 32 };
enum { EVEN_NS = 20 * 1000 * 1000, AGAIN_NS = 400 };

/* States of a round: ROUND_LEAST at least, and as many as were expanded so far; ROUND_MOST at most.
 * LOOK_LEAST: states that levels may expand after a target was found. STATE_NS: initial estimate of
 * the time per state. */
enum { ROUND_LEAST = 16, ROUND_MOST = 1 << 17, LOOK_LEAST = 1024, STATE_NS = 1000 };

/* The word of an owned state: flags, and from this bit on its deep parent. Workers share the flags
 * for depth-first search if there are too many. */
enum { PARENT_BIT = 24, ENTERED_BITS = 20 };
static const uint64_t NO_PARENT = UINT64_MAX >> PARENT_BIT;

/* ---- states ---- */

enum { BLOCK = 1 << OM_DEEP_BLOCK_BITS };

/* The states of a block of ids */
typedef _Atomic(om_deep_state *) block;

/* Returns the data of a state, or NULL if its block has no owned state. */
static om_deep_state *state_of(const om_deep *d, om_id id)
{
    const block *b = om_side_at(d->blocks, id);
    /* acquire: pairs with the release in make_block(). */
    om_deep_state *states = b == NULL ? NULL : atomic_load_explicit(b, memory_order_acquire);
    return states == NULL ? NULL : &states[id & (BLOCK - 1)];
}

/* Makes the block of an id, unless another worker has. Returns false if memory runs out. */
static bool make_block(om_diver *v, om_id id)
{
    block *b = om_side_at(v->d->blocks, id);
    om_deep_state *known = NULL, *made = om_region_take(&v->blocks, BLOCK, sizeof *made);
    v->block_count += BLOCK;
    if (b == NULL || made == NULL)
        return false;
    /* If another worker was faster, the memory is unused until the end. */
    (void) atomic_compare_exchange_strong_explicit(
        b, &known, made, memory_order_release, memory_order_acquire);
    return true;
}

/* Returns the data of an owned state. */
static om_deep_state *owned(const om_deep *d, om_id id)
{
    om_deep_state *s = state_of(d, id);
    assert(s != NULL);
    return s;
}

static uint64_t flags_of(const om_deep_state *s)
{
    /* relaxed: D1, and D2 for the rest. */
    return s == NULL ? 0 : atomic_load_explicit(&s->word, memory_order_relaxed);
}

static uint64_t set_flag(om_deep_state *s, uint64_t flag)
{
    return atomic_fetch_or_explicit(&s->word, flag, memory_order_relaxed);
}

int om_deep__own(om_diver *v, om_id id, om_id parent)
{
    if (state_of(v->d, id) == NULL && !make_block(v, id))
        return om_fail_memory(v->d->b->ctx);
    om_deep_state *s = owned(v->d, id);
    assert((flags_of(s) & OM_DEEP_OWNED) == 0);
    const uint64_t from = parent == OM_NO_ID ? NO_PARENT : parent;
    atomic_store_explicit(&s->word, from << PARENT_BIT | OM_DEEP_OWNED, memory_order_relaxed);
    return OM_OK;
}

void om_deep__mark_target(const om_deep *d, om_id id)
{
    om_deep_state *s = owned(d, id);
    assert((flags_of(s) & OM_DEEP_OWNED) != 0);
    (void) set_flag(s, OM_DEEP_TARGET);
}

bool om_deep__claim(const om_deep *d, om_id id)
{
    om_deep_state *s = owned(d, id);
    return (flags_of(s) & OM_DEEP_OWNED) != 0 &&
           (set_flag(s, OM_DEEP_CLAIMED) & OM_DEEP_CLAIMED) == 0;
}

bool om_deep__is_open(const om_deep *d, om_id id)
{
    return (flags_of(state_of(d, id)) & (OM_DEEP_OWNED | OM_DEEP_CLAIMED)) == OM_DEEP_OWNED;
}

bool om_deep__is_pending(const om_deep *d, om_id id)
{
    const uint64_t deep = OM_DEEP_OWNED | OM_DEEP_CLAIMED;
    return (flags_of(state_of(d, id)) & (deep | OM_DEEP_ON_LEVEL)) == deep &&
           om_deep__known(d, id) == NULL;
}

bool om_deep__enter(const om_deep *d, unsigned worker, om_id id)
{
    om_deep_state *s = state_of(d, id);
    const uint64_t flag = (uint64_t) OM_DEEP_ENTERED << worker % ENTERED_BITS;
    return (flags_of(s) & OM_DEEP_OWNED) != 0 && (set_flag(s, flag) & flag) == 0;
}

bool om_deep__is_owned(const om_deep *d, om_id id)
{
    return (flags_of(state_of(d, id)) & OM_DEEP_OWNED) != 0;
}

const om_id *om_deep__known(const om_deep *d, om_id id)
{
    /* acquire: pairs with the release in om_deep__set_record(). */
    return atomic_load_explicit(&owned(d, id)->record, memory_order_acquire);
}

void om_deep__set_record(const om_deep *d, om_id id, const om_id *record)
{
    om_deep_state *s = state_of(d, id);
    assert((flags_of(s) & OM_DEEP_CLAIMED) != 0); /* D2 */
    /* release: walks of other workers read it during the round. */
    atomic_store_explicit(&s->record, record, memory_order_release);
}

bool om_deep__is_target(const om_deep *d, om_id id)
{
    assert((flags_of(state_of(d, id)) & OM_DEEP_OWNED) != 0);
    return atomic_load_explicit(&d->over, memory_order_relaxed) &&
           (flags_of(state_of(d, id)) & OM_DEEP_TARGET) != 0;
}

const om_id *om_deep__record(om_deep *d, om_id id)
{
    om_deep_state *s = owned(d, id);
    const uint64_t before = set_flag(s, OM_DEEP_CLAIMED);
    assert((before & OM_DEEP_CLAIMED) == 0 || s->record != NULL); /* D2 */
    if ((before & OM_DEEP_CLAIMED) != 0)
        return atomic_load_explicit(&s->record, memory_order_relaxed);
    (void) set_flag(s, OM_DEEP_ON_LEVEL);
    return NULL;
}

om_id om_deep__parent(const om_deep *d, om_id id)
{
    const uint64_t word = flags_of(state_of(d, id));
    const uint64_t parent = word >> PARENT_BIT;
    return (word & OM_DEEP_OWNED) == 0 || parent == NO_PARENT ? OM_NO_ID : parent;
}

/* ---- rounds ---- */

/* What the deep search costs, so far on average */
typedef struct costs {
    uint64_t all_ns;           /* the time of the search */
    uint64_t deep_ns, more_ns; /* for a state; and more than on a level */
} costs;

static costs costs_of(const om_deep *d)
{
    const uint64_t all_ns = om_turn__clock_ns(d->b->turn) - d->begun_ns;
    const uint64_t level_ns = (all_ns - d->spent_ns) / (d->b->expanded + 1);
    const uint64_t deep_ns = d->expanded == 0 ? STATE_NS : d->spent_ns / d->expanded + 1;
    const uint64_t least_ns = level_ns / LEAST_MORE + 1, both_ns = deep_ns + AGAIN_NS;
    return (
        costs){ all_ns, deep_ns, both_ns > level_ns + least_ns ? both_ns - level_ns : least_ns };
}

/* Returns the number of states that the deep search may expand in all in its share of the time. */
static uint64_t most_in_time(const costs *c)
{
    const uint64_t in_extra = c->all_ns / EXTRA / c->more_ns,
                   in_most = c->all_ns / MOST / c->deep_ns;
    return in_extra < in_most ? in_extra : in_most;
}

/* Returns the number of states that the deep search may expand now. */
static uint64_t growth(const om_deep *d)
{
    const uint64_t levels = d->b->expanded;
    if ((d->b->spec.going->orders & OM_ORDER_BREADTH) == 0)
        return d->expanded < levels * (OTHERS - 1) ? levels * (OTHERS - 1) - d->expanded : 0;
    const costs c = costs_of(d);
    if (levels > EVEN || d->expanded > EVEN_NS / c.more_ns) {
        const uint64_t most = most_in_time(&c);
        return d->expanded < most ? most - d->expanded : 0;
    }
    if (d->expanded >= levels || 2 * d->stored > om_product_state_count(d->b->spec.product))
        return 0;
    return levels - d->expanded;
}

bool om_deep__due(const om_deep *d)
{
    uint64_t least = d->expanded < ROUND_LEAST ? ROUND_LEAST : d->expanded;
    if (least > EVEN / 4)
        least = EVEN / 4;
    /* relaxed: written in rounds, which have ended. */
    return !atomic_load_explicit(&d->over, memory_order_relaxed) && growth(d) >= least;
}

/* Takes the last state of the next level, or of the level that a search begins with; OM_NO_ID if
 * there is none. */
static om_id take_from_level(const om_bfs *b, om_bfs_list **list)
{
    for (unsigned i = 0; i < b->count; i++) {
        om_bfs_list *l = &b->workers[i].lists[(b->level + 1) % 2];
        if (l->states == 0)
            continue;
        const om_bfs_range *last = &l->ranges[l->count - 1];
        const om_id id = last->first + (--l->states - last->at);
        if (l->states == last->at)
            l->count--;
        *list = &b->workers[i].owned[(b->level + 1) % 2];
        return id;
    }
    return OM_NO_ID;
}

/* Gives a worker a state to begin with (D4). */
static int give_start(om_diver *v)
{
    om_deep *d = v->d;
    om_bfs_list *list = NULL;
    const om_id id = take_from_level(d->b, &list);
    if (id == OM_NO_ID)
        return OM_OK;
    int rc = om_deep__own(v, id, OM_NO_ID);
    if (rc == OM_OK)
        rc = om_bfs__push(d->b, list, id, 1);
    return rc == OM_OK ? om_dive__begin_at(v, id) : rc;
}

int om_deep__begin(om_deep *d)
{
    int rc = OM_OK;
    const uint64_t may = growth(d);
    d->round_ns = om_turn__clock_ns(d->b->turn);
    d->round = may < ROUND_MOST ? may : ROUND_MOST;
    atomic_store_explicit(&d->left, (int64_t) d->round, memory_order_relaxed);
    for (unsigned i = 0; i < d->b->count && rc == OM_OK; i++)
        if (om_dive__is_dry(&d->divers[i]))
            rc = give_start(&d->divers[i]);
    return rc;
}

static void drop_maps(const om_deep *d)
{
    om_free(d->b->heap, d->map);
    om_free(d->b->heap, d->waiting);
}

/* Words of `waiting`, and of `map`, for ids below a bound. */
static size_t words_of(om_id bound)
{
    return (size_t) (bound / 64);
}
static size_t map_words_of(om_id bound)
{
    return (size_t) (bound >> OM_DEEP_GROUP_BITS) / 64;
}

/* Makes the maps cover all ids that are stored (D5). */
static int cover_ids(om_deep *d)
{
    const om_heap *heap = d->b->heap;
    const om_id least = om_product_id_bound(d->b->spec.product);
    om_id bound = d->bound == 0 ? (om_id) 1 << (OM_DEEP_GROUP_BITS + 6) : d->bound;
    while (bound < least)
        bound *= 2;
    if (bound == d->bound)
        return OM_OK;
    uint64_t *map = NULL;
    _Atomic uint64_t *waiting = NULL;
    if (!OM_NEW(heap, map, map_words_of(bound)) || !OM_NEW(heap, waiting, words_of(bound))) {
        om_free(heap, map);
        return om_fail_memory(d->b->ctx);
    }
    if (d->bound > 0) {
        memcpy(map, d->map, map_words_of(d->bound) * sizeof *map);
        for (size_t i = 0; i < words_of(d->bound); i++)
            atomic_init(&waiting[i], atomic_load_explicit(&d->waiting[i], memory_order_relaxed));
    }
    drop_maps(d);
    d->map = map;
    d->waiting = waiting;
    d->bound = bound;
    return OM_OK;
}

/* Adds this round's states to the maps. */
static void add_news(const om_deep *d, om_diver *v)
{
    for (size_t i = 0; i < v->news.count; i++) {
        const om_id id = v->news.ids[i];
        assert(id < d->bound);
        d->map[id >> OM_DEEP_GROUP_BITS >> 6] |= UINT64_C(1) << (id >> OM_DEEP_GROUP_BITS) % 64;
        (void) atomic_fetch_or_explicit(
            &d->waiting[id / 64], UINT64_C(1) << id % 64, memory_order_relaxed);
    }
    v->news.count = 0;
}

int om_deep__end(om_deep *d)
{
    const int rc = cover_ids(d);
    d->spent_ns += om_turn__clock_ns(d->b->turn) - d->round_ns;
    d->expanded = d->stored = 0;
    for (unsigned i = 0; i < d->b->count && rc == OM_OK; i++) {
        add_news(d, &d->divers[i]);
        d->expanded += d->divers[i].expanded;
        d->stored += d->divers[i].stored;
    }
    if (atomic_load_explicit(&d->over, memory_order_relaxed)) {
        const uint64_t so_far = d->b->expanded + d->expanded;
        d->until = d->b->expanded + (so_far < LOOK_LEAST ? LOOK_LEAST : so_far);
    }
    return rc;
}

/* ---- the whole ---- */

int om_deep__new(om_deep **out, om_bfs *b)
{
    const om_going *g = b->spec.going;
    om_deep *d = NULL;
    if (g == NULL || (g->orders & OM_ORDER_ALL & ~(uint32_t) OM_ORDER_BREADTH) == 0)
        return OM_OK;
    if (!OM_NEW(b->heap, d, 1))
        return om_fail_memory(b->ctx);
    d->b = b;
    d->hit = OM_NO_ID;
    d->begun_ns = om_turn__clock_ns(b->turn);
    int rc = om_side_new_grouped(&d->blocks, b->spec.product, sizeof(block), OM_DEEP_BLOCK_BITS);
    if (rc == OM_OK && !OM_NEW(b->heap, d->divers, b->count))
        rc = om_fail_memory(b->ctx);
    for (unsigned i = 0; i < b->count && rc == OM_OK; i++)
        rc = om_dive__init(&d->divers[i], d, i);
    *out = d;
    return rc;
}

void om_deep__free(om_deep *d)
{
    if (d == NULL)
        return;
    for (unsigned i = 0; d->divers != NULL && i < d->b->count; i++)
        om_dive__drop(&d->divers[i]);
    om_side_free(d->blocks);
    drop_maps(d);
    OM_FREE_ALL(d->b->heap, d->divers, d);
}

uint64_t om_deep__bytes(const om_deep *d)
{
    uint64_t n = sizeof *d + om_side_bytes(d->blocks) +
                 (map_words_of(d->bound) + words_of(d->bound)) * sizeof *d->map;
    for (unsigned i = 0; i < d->b->count; i++)
        n += om_dive__bytes(&d->divers[i]);
    return n;
}
