/* SPDX-License-Identifier: Apache-2.0 */
#include "dive.h"

#include "product.h"

#include <assert.h>

enum {
    GROUP = 32,  /* states expanded at once, at most; ... */
    WIDE = 2,    /* ... and of those, states of a depth-first turn */
    DRAWN = 64,  /* states drawn from the round at once */
    SLICE = 128, /* states of one order before another one may come */
    STUCK = 2 * SLICE,
    COSTLY = 4,    /* times as much as another order gets */
    STUCK_PART = 2 /* the part is one in so many */
};

/* ---- open states ---- */

static int fail_memory(const om_diver *v)
{
    return om_fail_memory(v->d->b->ctx);
}

/* Returns the word with the bit of a state, or NULL if memory runs out. */
static _Atomic uint64_t *word_of(om_diver *v, om_side *bits, om_id id)
{
    _Atomic uint64_t *word = om_side_at(bits, id);
    v->starved = v->starved || word == NULL;
    return word;
}

static uint64_t bit_of(om_id id)
{
    return UINT64_C(1) << id % 64;
}

/* Returns true if the order has entered the state, or memory runs out. */
static bool is_entered(om_diver *v, unsigned order, om_id id)
{
    const _Atomic uint64_t *word = word_of(v, v->d->orders[order].entered, id);
    /* relaxed, here and below: only the bit itself is read. */
    return word == NULL || (atomic_load_explicit(word, memory_order_relaxed) & bit_of(id)) != 0;
}

/* Sets the bit of a state. Returns false if it was set, or memory runs out. */
static bool set_bit(om_diver *v, om_side *bits, om_id id)
{
    _Atomic uint64_t *word = word_of(v, bits, id);
    return word != NULL && (atomic_load_explicit(word, memory_order_relaxed) & bit_of(id)) == 0 &&
           (atomic_fetch_or_explicit(word, bit_of(id), memory_order_relaxed) & bit_of(id)) == 0;
}

/* Enters a state (D2). Returns false if it was entered, or memory runs out. */
static bool enter(om_diver *v, unsigned order, om_id id)
{
    return set_bit(v, v->d->orders[order].entered, id);
}

static om_id pop(om_deep_list *l)
{
    return l->count == 0 ? OM_NO_ID : l->ids[--l->count];
}

/* Takes a random state from a list. */
static om_id take_from(om_diver *v, om_deep_list *l)
{
    if (l->count == 0)
        return OM_NO_ID;
    om_id *at = &l->ids[om_random_below(&v->random, l->count)];
    const om_id id = *at;
    *at = l->ids[--l->count];
    return id;
}

/* Takes a state from a list: a random one or, which is faster, the newest. */
static om_id take_some(om_diver *v, om_deep_list *l)
{
    return (om_random_next(&v->random) & 1) != 0 ? pop(l) : take_from(v, l);
}

/* Returns the range of an estimate. */
static size_t range_of(uint64_t estimate)
{
    if (estimate >> OM_DIVE_EXACT_BITS == 0)
        return (size_t) estimate;
    if (estimate >> OM_DIVE_MOST_BITS != 0)
        return OM_DIVE_RANGES - 1;
    const unsigned bits = 63 - (unsigned) __builtin_clzll(estimate); /* after the first one */
    const uint64_t step = estimate >> (bits - OM_DIVE_STEP_BITS);    /* with the first one */
    return (1u << OM_DIVE_EXACT_BITS) +
           ((size_t) (bits - OM_DIVE_EXACT_BITS) << OM_DIVE_STEP_BITS) +
           (size_t) (step - (1u << OM_DIVE_STEP_BITS));
}

static int add_to_queue(
    const om_diver *v, om_dive_open *o, size_t guide, om_id id, uint64_t estimate)
{
    om_dive_queue *q = &o->queues[guide];
    const size_t range = range_of(estimate);
    assert(range < OM_DIVE_RANGES);
    q->lowest = range < q->lowest ? range : q->lowest;
    if (estimate < q->least - 1) {
        q->least = estimate + 1;
        o->nearer = o->expanded;
    }
    return om_deep__add(v->d, &q->ranges[range], id);
}

/* Skips empty ranges. */
static om_deep_list *lowest_of(om_dive_queue *q)
{
    while (q->lowest < OM_DIVE_RANGES - 1 && q->ranges[q->lowest].count == 0)
        q->lowest++;
    return &q->ranges[q->lowest];
}

static size_t guides_of(const om_diver *v)
{
    return v->d->b->spec.going->guide_count;
}

bool om_dive__is_dry(const om_diver *v, unsigned order)
{
    const om_dive_open *o = &v->open[order];
    bool dry = o->list.count == 0 && o->next == OM_NO_ID;
    for (size_t i = 0; o->queues != NULL && dry && i < guides_of(v); i++)
        dry = lowest_of(&o->queues[i])->count == 0;
    return dry;
}

/* Takes the state that comes next in a queue. OM_NO_ID: none. */
static om_id take_best(om_diver *v, unsigned order, om_dive_queue *q)
{
    om_id id;
    do
        id = take_some(v, lowest_of(q));
    while (id != OM_NO_ID && !v->starved && !set_bit(v, v->d->orders[order].taken, id));
    return id;
}

/* Enters the state that comes next in an order, in its turn number `turn`. OM_NO_ID: none. */
static om_id enter_next(om_diver *v, unsigned order, size_t turn)
{
    om_dive_open *o = &v->open[order];
    const bool depth = v->d->orders[order].order == OM_ORDER_DEPTH;
    om_id id = o->next;
    if (o->queues != NULL)
        return take_best(v, order, &o->queues[turn]);
    o->next = OM_NO_ID;
    while (id == OM_NO_ID || !enter(v, order, id)) {
        if (o->list.count == 0 || v->starved)
            return OM_NO_ID;
        id = depth ? pop(&o->list) : take_from(v, &o->list);
    }
    return id;
}

/* ---- the edges of a state ---- */

/* Puts targets on the stack, the last on top: that is a step of the process that was added last,
 * and so of the youngest one in a model that starts processes. */
static int open_deeper(om_diver *v, unsigned order, const om_batch *b)
{
    int rc = OM_OK;
    for (size_t i = 0; i < b->count && rc == OM_OK; i++)
        if (!is_entered(v, order, b->ids[i]))
            rc = om_deep__add(v->d, &v->open[order].list, b->ids[i]);
    return rc;
}

/* Enters the targets that were not entered; returns true if there are any. */
static bool choose(om_diver *v, unsigned order, const om_batch *b)
{
    bool any = false;
    for (size_t i = 0; i < b->count; i++) {
        v->chosen[i] = enter(v, order, b->ids[i]);
        any = any || v->chosen[i];
    }
    return any;
}

/* Puts targets that were not entered into the queues of the order's guides, and enters them. */
static int open_best(om_diver *v, unsigned order, const om_batch *b)
{
    const om_guiding *guides = v->d->b->spec.going->guides;
    const om_guided guided = {
        .source = b->source_rows[0], .rows = b->rows, .fresh = v->chosen, .count = b->count
    };
    int rc = OM_OK;
    if (!choose(v, order, b))
        return OM_OK;
    for (size_t g = 0; g < guides_of(v) && rc == OM_OK; g++) {
        if (guides[g].guide->costly != v->d->orders[order].costly)
            continue;
        guides[g].guide->measure(guides[g].run, &guided, v->estimates);
        for (size_t i = 0; i < b->count && rc == OM_OK; i++)
            if (v->chosen[i])
                rc = add_to_queue(v, &v->open[order], g, b->ids[i], v->estimates[i]);
    }
    return rc;
}

/* Draws the target to which a walk goes, among those that it has not entered; the others stay open,
 * for a walk that begins again. */
static int walk_on(om_diver *v, unsigned order, const om_batch *b)
{
    om_dive_open *o = &v->open[order];
    uint64_t some = 0;
    int rc = OM_OK;
    for (size_t i = 0; i < b->count && rc == OM_OK; i++) {
        om_id other = b->ids[i];
        if (is_entered(v, order, other))
            continue;
        if (om_random_below(&v->random, ++some) == 0) {
            other = o->next;
            o->next = b->ids[i];
        }
        if (other != OM_NO_ID)
            rc = om_deep__add(v->d, &o->list, other);
    }
    return rc;
}

static int open_targets(om_diver *v, unsigned order, const om_batch *b)
{
    if (b->count == 0)
        return OM_OK;
    if (!OM_ROOM(v->d->b->heap, v->estimates, &v->estimate_room, b->count) ||
        !OM_ROOM(v->d->b->heap, v->chosen, &v->chosen_room, b->count))
        return fail_memory(v);
    switch (v->d->orders[order].order) {
    case OM_ORDER_DEPTH:
        return open_deeper(v, order, b);
    case OM_ORDER_BEST:
        return open_best(v, order, b);
    default:
        return walk_on(v, order, b);
    }
}

int om_dive__begin_at(om_diver *v, unsigned order, om_id id)
{
    const om_bfs *b = v->d->b;
    const bool fresh = true;
    uint32_t *vector = NULL;
    if (is_entered(v, order, id))
        return v->starved ? fail_memory(v) : OM_OK;
    if (!OM_NEW(b->heap, vector, b->words))
        return fail_memory(v);
    /* Only the leader certainly has a cursor by now. */
    om_cursor_vector(b->workers[0].cursor, id, vector);
    const uint32_t *none = NULL;
    const int rc = open_targets(v, order,
        &(om_batch){
            .rows = vector, .ids = &id, .fresh = &fresh, .count = 1, .source_rows = &none });
    om_free(b->heap, vector);
    return rc;
}

/* ---- what is stored ---- */

/* Remembers that a source has stored a state; with the one before if their ids are consecutive and
 * it has the same source. */
static int remember(om_diver *v, om_id source, om_id id)
{
    om_bfs_origins *o = &v->origins;
    om_bfs_origin *last = o->count == 0 ? NULL : &o->list[o->count - 1];
    if (last != NULL && last->source == source && last->sources == 1 &&
        last->first + last->count == id) {
        last->count++;
        return OM_OK;
    }
    return om_bfs__remember(
        v->d->b, o, (om_bfs_origin){ .first = id, .source = source, .count = 1, .sources = 1 });
}

/* Keeps what levels and paths need to know of the states that a source has stored (D4). */
static int keep_stored(om_diver *v, om_id source, const om_batch *b)
{
    int rc = OM_OK;
    for (size_t i = 0; i < b->count && rc == OM_OK; i++) {
        if (!b->fresh[i])
            continue;
        v->stored++;
        rc = om_deep__add(v->d, &v->news, b->ids[i]);
        if (rc == OM_OK && v->d->b->spec.paths)
            rc = remember(v, source, b->ids[i]);
    }
    return rc;
}

static void end_rounds(om_deep *d)
{
    atomic_store_explicit(&d->over, true, memory_order_relaxed);
}

/* Notes a target. */
static int note_target(om_deep *d, om_id id)
{
    pthread_mutex_lock(&d->b->lock);
    d->hit = d->hit == OM_NO_ID ? id : d->hit;
    const int rc = om_deep__add(d, &d->targets, id);
    pthread_mutex_unlock(&d->b->lock);
    end_rounds(d);
    return rc;
}

/* Looks at all states that were stored, also after a target: the levels are to recognise each. */
static int look_for_targets(const om_diver *v, const om_batch *batch)
{
    om_bfs *b = v->d->b;
    const uint32_t *row = batch->rows;
    int rc = OM_OK;
    for (size_t i = 0; b->spec.wanted != NULL && i < batch->count && rc == OM_OK; i++) {
        if (batch->fresh[i] && b->spec.wanted(b->spec.self, v->worker, batch->ids[i], row))
            rc = note_target(v->d, batch->ids[i]);
        row += b->words;
    }
    return rc;
}

/* Notes the fault of an expanded state (0: it has none). */
static void note_fault(const om_diver *v, om_id id, om_fault fault)
{
    om_deep *d = v->d;
    const bool ends = om_bfs__ends_search(d->b, fault);
    if (fault == 0)
        return;
    pthread_mutex_lock(&d->b->lock);
    if (d->fault == 0 || (ends && !om_bfs__ends_search(d->b, d->fault))) {
        d->fault = fault;
        d->fault_at = id;
    }
    pthread_mutex_unlock(&d->b->lock);
    if (ends)
        end_rounds(d);
}

/* ---- rounds ---- */

/* States that an order has entered */
typedef struct group {
    om_id ids[GROUP];
    size_t count;
    unsigned order;
} group;

/* Takes what the sources of a batch have stored, then opens their targets: backwards, so that those
 * of the state that was on top of the stack come on top. */
static int take_batch(om_diver *v, const group *g, size_t first, const om_batch *all)
{
    int rc = OM_OK;
    for (size_t i = 0; i < all->sources && rc == OM_OK; i++) {
        const om_batch one = om_batch__of(all, i, v->d->b->words);
        const om_id id = g->ids[first + i];
        rc = keep_stored(v, id, &one);
        if (rc == OM_OK)
            rc = look_for_targets(v, &one);
        note_fault(v, id, v->fault_at == id ? v->fault : 0);
    }
    for (size_t i = all->sources; i-- > 0 && rc == OM_OK;) {
        const om_batch one = om_batch__of(all, i, v->d->b->words);
        rc = open_targets(v, g->order, &one);
    }
    v->expanded += all->sources;
    return rc == OM_OK && v->starved ? fail_memory(v) : rc;
}

/* Expands the states of a group from number `first` on, or some of them; *done is their number. */
static int expand_some(om_diver *v, const group *g, size_t first, size_t *done)
{
    om_bfs *b = v->d->b;
    om_cursor *c = b->workers[v->worker].cursor;
    om_batch batch = { .count = 0 };
    int rc = om_cursor__expand(c, g->ids + first, g->count - first, &batch);
    v->fault_at = OM_NO_ID;
    v->fault = om_cursor__take_fault(c, &v->fault_at);
    if (rc == OM_OK)
        rc = take_batch(v, g, first, &batch);
    /* After the last use of the batch: the callback may make the cursor produce another. */
    for (size_t i = 0; i < batch.sources && rc == OM_OK && b->spec.expanded != NULL; i++)
        if (!b->spec.expanded(b->spec.self, v->worker, c, g->ids[first + i]))
            atomic_store_explicit(&b->last_level, true, memory_order_relaxed);
    *done = batch.sources;
    return rc;
}

/* Draws states of the round. Returns false if none is left. */
static bool draw(om_diver *v)
{
    _Atomic int64_t *left = &v->d->left;
    if (v->drawn > 0)
        return true;
    /* relaxed, both: only a number; several workers together may draw slightly too many. */
    const int64_t n = atomic_load_explicit(left, memory_order_relaxed);
    if (n <= 0)
        return false;
    v->drawn = n < DRAWN ? n : DRAWN;
    (void) atomic_fetch_sub_explicit(left, v->drawn, memory_order_relaxed);
    return true;
}

/* `states`: those that the worker has expanded since the last call. */
static bool goes_on(const om_diver *v, size_t states)
{
    return !atomic_load_explicit(&v->d->over, memory_order_relaxed) &&
           om_bfs__goes_on(v->d->b, states);
}

/* Returns the number of states that an order takes in a turn: one for each guide; in a depth-first
 * turn some from the top of the stack, for those below the top would come up a little later. */
static size_t width_of(const om_diver *v, unsigned order)
{
    switch (v->d->orders[order].order) {
    case OM_ORDER_DEPTH:
        return WIDE;
    case OM_ORDER_BEST:
        return guides_of(v);
    default:
        return 1;
    }
}

/* Enters the states of a turn, as far as the round allows. */
static void take_turn(om_diver *v, group *g)
{
    const size_t most = width_of(v, g->order);
    g->count = 0;
    for (size_t i = 0; i < most && g->count < GROUP && draw(v); i++) {
        const om_id id = enter_next(v, g->order, i);
        if (id == OM_NO_ID)
            continue;
        g->ids[g->count++] = id;
        v->drawn--;
    }
}

/* Returns what an order has had, of states while the search is even, or of time. It counts more for
 * guides when they are stuck, and less for the costly ones while they come nearer. */
static uint64_t had_by(const om_diver *v, unsigned order)
{
    const om_dive_open *o = &v->open[order];
    const uint64_t had = v->d->even ? o->expanded : o->spent_ns;
    if (v->d->orders[order].order != OM_ORDER_BEST)
        return had;
    if (o->expanded - o->nearer > o->nearer / 2 + STUCK)
        return had * STUCK_PART;
    return v->d->orders[order].costly ? had / COSTLY : had;
}

/* Returns the order that has had least, among those that are not idle: of time, or of states while
 * the search is even. Returns false if there is none. */
static bool next_order(const om_diver *v, unsigned *out)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < v->d->order_count; i++) {
        const om_dive_open *o = &v->open[i];
        const uint64_t had = had_by(v, i);
        if (o->idle || had >= least)
            continue;
        least = had;
        *out = i;
    }
    return least != UINT64_MAX;
}

/* Takes turns of one order. An order that has nothing left, or a round, makes it idle. */
static int take_slice(om_diver *v, unsigned order, size_t *states)
{
    om_dive_open *o = &v->open[order];
    const uint64_t since_ns = om_clock_ns();
    group g = { .order = order };
    int rc = OM_OK;
    *states = 0;
    while (rc == OM_OK && !o->idle && *states < SLICE &&
           !atomic_load_explicit(&v->d->over, memory_order_relaxed)) {
        take_turn(v, &g);
        rc = v->starved ? fail_memory(v) : OM_OK;
        for (size_t i = 0, done; i < g.count && rc == OM_OK; i += done)
            rc = expand_some(v, &g, i, &done);
        o->idle = g.count == 0;
        *states += g.count;
    }
    o->expanded += *states;
    o->spent_ns += om_clock_ns() - since_ns;
    return rc;
}

int om_deep__work(om_deep *d, unsigned worker)
{
    om_diver *v = &d->divers[worker];
    om_cursor *c = d->b->workers[worker].cursor;
    om_id id = OM_NO_ID;
    unsigned order = 0;
    size_t states = 0;
    int rc = OM_OK;
    /* The search has noted it; the cursor is to note the next. */
    (void) om_cursor__take_fault(c, &id);
    om_cursor__count_edges(c, false); /* levels count them */
    for (unsigned i = 0; i < d->order_count; i++)
        v->open[i].idle = false;
    while (rc == OM_OK && goes_on(v, states) && next_order(v, &order))
        rc = take_slice(v, order, &states);
    om_cursor__count_edges(c, true);
    (void) atomic_fetch_add_explicit(&d->left, v->drawn, memory_order_relaxed);
    v->drawn = 0;
    return rc;
}

/* ---- the whole ---- */

int om_dive__init(om_diver *v, om_deep *d, unsigned worker)
{
    v->d = d;
    v->worker = worker;
    v->random.state = om_product_spec_of(d->b->spec.product)->seed * 0xd1342543de82ef95u + worker;
    if (!OM_NEW(d->b->heap, v->open, d->order_count))
        return fail_memory(v);
    for (unsigned i = 0; i < d->order_count; i++) {
        v->open[i].next = OM_NO_ID;
        if (d->orders[i].order == OM_ORDER_BEST &&
            !OM_NEW(d->b->heap, v->open[i].queues, guides_of(v)))
            return fail_memory(v);
    }
    return OM_OK;
}

void om_dive__drop(om_diver *v)
{
    if (v->d == NULL)
        return;
    const om_heap *heap = v->d->b->heap;
    for (unsigned i = 0; v->open != NULL && i < v->d->order_count; i++) {
        om_dive_queue *q = v->open[i].queues;
        for (size_t k = 0; q != NULL && k < guides_of(v) * OM_DIVE_RANGES; k++)
            om_free(heap, q[k / OM_DIVE_RANGES].ranges[k % OM_DIVE_RANGES].ids);
        OM_FREE_ALL(heap, q, v->open[i].list.ids);
    }
    OM_FREE_ALL(heap, v->open, v->estimates, v->chosen, v->news.ids, v->origins.list);
}

uint64_t om_dive__bytes(const om_diver *v)
{
    uint64_t n = v->news.room * sizeof(om_id) + v->origins.room * sizeof *v->origins.list +
                 v->estimate_room * sizeof *v->estimates + v->chosen_room;
    for (unsigned i = 0; i < v->d->order_count; i++) {
        const om_dive_queue *q = v->open[i].queues;
        n += v->open[i].list.room * sizeof(om_id);
        for (size_t k = 0; q != NULL && k < guides_of(v) * OM_DIVE_RANGES; k++)
            n += q[k / OM_DIVE_RANGES].ranges[k % OM_DIVE_RANGES].room * sizeof(om_id);
    }
    return n;
}
