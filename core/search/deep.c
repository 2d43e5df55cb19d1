/* SPDX-License-Identifier: Apache-2.0 */
/* The deep search between rounds: its states, when a round is due, where it begins, its end. */
#include "dive.h"

#include "product.h"

#include <assert.h>
#include <string.h>

/*
 * Until the levels have expanded EVEN states, the deep search may expand as many as they do: a
 * search that ends early is the same on all machines. After that, or when that has cost EVEN_NS,
 * time decides. The deep search may take one part in EARLY of the first LONG_NS, and one part in
 * LATE of what follows: levels grow, so that a long search hardly gets any deeper by them. When a
 * level has less than half the states of the widest one, the levels come to an end: the deep search
 * may take one part in FALLING. A search in the other orders alone leaves one state in OTHERS to
 * the levels, while an order has anything to expand.
 */
enum { EVEN = 1 << 14, EARLY = 20, LATE = 6, FALLING = 40, OTHERS = 32 };
enum { EVEN_NS = 100 * 1000 * 1000, LONG_NS = 250 * 1000 * 1000 };

/* States of a round: ROUND_LEAST at least, and as many as were expanded so far; ROUND_MOST at most.
 * LOOK_LEAST to LOOK_MOST: states that levels may expand after a target was found: as many as were
 * expanded so far, up to LOOK_ALL, then one part in LOOK_PART of them. STATE_NS: initial estimate
 * of the time per state. LAST: states of a level that a worker may be given to begin with. */
enum {
    ROUND_LEAST = 16,
    ROUND_MOST = 1 << 17,
    LOOK_LEAST = 1024,
    LOOK_ALL = 1 << 18,
    LOOK_PART = 8,
    LOOK_MOST = 1 << 20,
    STATE_NS = 1000,
    LAST = 8
};

int om_deep__add(const om_deep *d, om_deep_list *l, om_id id)
{
    if (!OM_ROOM(d->b->heap, l->ids, &l->room, l->count + 1))
        return om_fail_memory(d->b->ctx);
    l->ids[l->count++] = id;
    return OM_OK;
}

bool om_deep__is_target(const om_deep *d, om_id id)
{
    /* relaxed: written in rounds, which have ended (D1). */
    if (!atomic_load_explicit(&d->over, memory_order_relaxed))
        return false;
    for (size_t i = 0; i < d->targets.count; i++)
        if (d->targets.ids[i] == id)
            return true;
    return false;
}

const om_bfs_origin *om_deep__origin(om_deep *d, om_id id)
{
    const om_bfs_origin *found = NULL;
    for (unsigned i = 0; i < d->b->count && found == NULL; i++) {
        om_bfs__sort_origins(&d->divers[i].origins);
        found = om_bfs__find_origin(&d->divers[i].origins, id);
    }
    return found;
}

/* ---- rounds ---- */

/* Adds the part of the time since the last call that the deep search may take. */
static void add_share(om_deep *d)
{
    const uint64_t now_ns = om_turn__clock_ns(d->b->turn), width = d->b->width;
    d->widest = width > d->widest ? width : d->widest;
    d->share_ns += (now_ns - d->shared_ns) / (width < d->widest / 2               ? FALLING
                                                 : now_ns - d->begun_ns < LONG_NS ? EARLY
                                                                                  : LATE);
    d->shared_ns = now_ns;
}

/* Returns the number of states that the deep search may expand in all in its share of the time. */
static uint64_t most_in_time(const om_deep *d)
{
    const uint64_t state_ns = d->expanded == 0 ? STATE_NS : d->spent_ns / d->expanded + 1;
    return d->share_ns / state_ns;
}

static bool is_even(const om_deep *d)
{
    return d->b->expanded <= EVEN && d->spent_ns <= EVEN_NS;
}

/* Returns the number of states that the deep search may expand now. */
static uint64_t growth(const om_deep *d)
{
    uint64_t most = d->b->expanded;
    if ((d->b->spec.going->orders & OM_ORDER_BREADTH) == 0)
        most *= OTHERS - 1;
    else if (!is_even(d))
        most = most_in_time(d);
    return d->expanded < most ? most - d->expanded : 0;
}

bool om_deep__due(om_deep *d)
{
    uint64_t least = d->expanded < ROUND_LEAST ? ROUND_LEAST : d->expanded;
    if (least > EVEN / 4)
        least = EVEN / 4;
    add_share(d);
    /* relaxed: written in rounds, which have ended. */
    return !d->dry && !atomic_load_explicit(&d->over, memory_order_relaxed) && growth(d) >= least;
}

/* Opens the last states of the next level, or some of them, until one was not entered. */
static int begin_on_level(const om_deep *d, unsigned order, om_diver *v)
{
    int rc = OM_OK;
    for (unsigned i = 0; i < d->b->count && rc == OM_OK && om_dive__is_dry(v, order); i++) {
        const om_bfs_list *l = &d->b->workers[i].lists[(d->b->level + 1) % 2];
        if (l->states == 0)
            continue;
        const om_bfs_range *last = &l->ranges[l->count - 1];
        const uint64_t states = l->states - last->at, least = states > LAST ? states - LAST : 0;
        for (uint64_t k = states; k > least && rc == OM_OK && om_dive__is_dry(v, order); k--)
            rc = om_dive__begin_at(v, order, last->first + (k - 1));
    }
    return rc;
}

/* Gives a worker something to expand in an order: an initial state, or one of the next level. */
static int give_start(const om_deep *d, unsigned order, om_diver *v)
{
    int rc = OM_OK;
    for (size_t i = 0; i < d->initial.count && rc == OM_OK; i++)
        rc = om_dive__begin_at(v, order, d->initial.ids[i]);
    return rc == OM_OK && om_dive__is_dry(v, order) ? begin_on_level(d, order, v) : rc;
}

int om_deep__begin(om_deep *d)
{
    const uint64_t may = growth(d);
    int rc = OM_OK;
    d->round_ns = om_turn__clock_ns(d->b->turn);
    atomic_store_explicit(
        &d->left, (int64_t) (may < ROUND_MOST ? may : ROUND_MOST), memory_order_relaxed);
    d->even = is_even(d);
    d->dry = true;
    for (unsigned i = 0; i < d->b->count && rc == OM_OK; i++)
        for (unsigned k = 0; k < d->order_count && rc == OM_OK; k++) {
            if (om_dive__is_dry(&d->divers[i], k))
                rc = give_start(d, k, &d->divers[i]);
            d->dry = d->dry && om_dive__is_dry(&d->divers[i], k);
        }
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

/* Makes the maps cover all ids that are stored (D4). */
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

/* Returns the number of states that levels may expand for a nearer target. */
static uint64_t look_after(uint64_t so_far)
{
    uint64_t n = so_far < LOOK_ALL               ? so_far
                 : so_far / LOOK_PART < LOOK_ALL ? LOOK_ALL
                                                 : so_far / LOOK_PART;
    n = n < LOOK_LEAST ? LOOK_LEAST : n;
    return n < LOOK_MOST ? n : LOOK_MOST;
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
    if (atomic_load_explicit(&d->over, memory_order_relaxed))
        d->until = d->b->expanded + look_after(d->b->expanded + d->expanded);
    return rc;
}

/* ---- the whole ---- */

/* Creates a bit for each state. */
static int new_bits(const om_deep *d, om_side **out)
{
    return om_side_new_grouped(
        out, d->b->spec.product, sizeof(_Atomic uint64_t), OM_DEEP_WORD_BITS);
}

static int add_order(om_deep *d, uint32_t order, bool costly)
{
    om_deep_order *o = &d->orders[d->order_count++];
    o->order = order;
    o->costly = costly;
    const int rc = new_bits(d, &o->entered);
    return rc == OM_OK && order == OM_ORDER_BEST ? new_bits(d, &o->taken) : rc;
}

/* Adds a best-first order if there are guides of this kind. */
static int add_best(om_deep *d, bool costly)
{
    const om_going *g = d->b->spec.going;
    for (size_t i = 0; (g->orders & OM_ORDER_BEST) != 0 && i < g->guide_count; i++)
        if (g->guides[i].guide->costly == costly)
            return add_order(d, OM_ORDER_BEST, costly);
    return OM_OK;
}

/* Makes the orders that are asked for: best-first without a guide are walks. */
static int make_orders(om_deep *d)
{
    const uint32_t orders = d->b->spec.going->orders;
    int rc = add_best(d, false);
    if (rc == OM_OK)
        rc = add_best(d, true);
    if (rc == OM_OK && (orders & OM_ORDER_DEPTH) != 0)
        rc = add_order(d, OM_ORDER_DEPTH, false);
    if (rc == OM_OK && ((orders & OM_ORDER_WALK) != 0 || d->order_count == 0))
        rc = add_order(d, OM_ORDER_WALK, false);
    return rc;
}

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
    d->begun_ns = d->shared_ns = om_turn__clock_ns(b->turn);
    int rc = make_orders(d);
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
    for (unsigned i = 0; i < d->order_count; i++) {
        om_side_free(d->orders[i].entered);
        om_side_free(d->orders[i].taken);
    }
    drop_maps(d);
    OM_FREE_ALL(d->b->heap, d->divers, d->initial.ids, d->targets.ids, d);
}

uint64_t om_deep__bytes(const om_deep *d)
{
    uint64_t n = sizeof *d + (map_words_of(d->bound) + words_of(d->bound)) * sizeof *d->map;
    for (unsigned i = 0; i < d->order_count; i++)
        n += om_side_bytes(d->orders[i].entered) +
             (d->orders[i].taken == NULL ? 0 : om_side_bytes(d->orders[i].taken));
    for (unsigned i = 0; i < d->b->count; i++)
        n += om_dive__bytes(&d->divers[i]);
    return n;
}
