/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first search, level by level, by one worker or several.
 *
 * Each worker has a list of the states of this level that it stored first, and one of the next. The
 * store numbers what a worker stores consecutively, a chunk of ids at a time, so a list is a few
 * ranges of ids, and a level is read from the store in the order in which it lies there. The lists
 * of a level are constant while it is expanded; blocks of them are handed out by a counter per
 * list, so a worker that is done with its own goes on with the others'.
 *
 * Worker 0 leads (gang.h): between two levels it alone looks at all lists. It expands a level by
 * itself where sharing it would cost more than it saves.
 */
#include "breadth.h"

#include "machine.h"

#include "product_impl.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_LEAST = 8, /* states handed out at once */
    BLOCK_MOST = 256,
    STATE_NS = 500,            /* what a state takes, before there is an experience */
    SLOWEST_STATE_NS = 1000000 /* a worker that was put aside is no experience */
};

/* Between two barriers lie at least two changes of threads on each processor, and more where
 * workers take turns; a level should take ten times that. */
#define NARROW_NS UINT64_C(200000)

static bool stopped(const om_breadth *b)
{
    /* relaxed: a hint to stop early; what came of it is read when the level is over. */
    return atomic_load_explicit(&b->stop, memory_order_relaxed) ||
           om_control_stopped(b->control) != OM_STOP_NONE;
}

/* The first failure stands; everybody stops soon, at the end of the level at the latest. */
static void fail(om_breadth *b, unsigned worker, int rc)
{
    b->workers[worker].rc = rc;
    pthread_mutex_lock(&b->lock);
    if (b->rc == OM_OK)
        b->rc = rc;
    pthread_mutex_unlock(&b->lock);
    atomic_store_explicit(&b->stop, true, memory_order_relaxed);
}

static void hit(om_breadth *b, om_id id)
{
    pthread_mutex_lock(&b->lock);
    if (b->hit == OM_NO_ID)
        b->hit = id;
    pthread_mutex_unlock(&b->lock);
    atomic_store_explicit(&b->stop, true, memory_order_relaxed);
}

/* ---- what is stored ---- */

static int push(const om_breadth *b, om_level_list *l, om_id first, size_t n)
{
    if (l->count > 0) {
        const om_id_range *last = &l->ranges[l->count - 1];
        if (last->first + (l->states - last->at) == first) {
            l->states += n;
            return OM_OK;
        }
    }
    om_id_range *ranges = om_grow(b->heap, l->ranges, &l->room, l->count + 1, sizeof *ranges);
    if (ranges == NULL)
        return om_fail_memory(b->ctx);
    l->ranges = ranges;
    ranges[l->count++] = (om_id_range){ .first = first, .at = l->states };
    l->states += n;
    return OM_OK;
}

/* States first .. first + n - 1 came fresh of a batch. */
static int take(om_breadth *b, om_breadth_worker *w, unsigned level, om_id first, size_t n,
    om_id source, size_t sources)
{
    int rc = push(b, &w->lists[level % 2], first, n);
    if (rc != OM_OK || !b->spec.paths)
        return rc;
    return om_breadth__remember(b, w,
        (om_origin){ .first = first,
            .source = source,
            .count = (uint32_t) n,
            .sources = (uint32_t) sources });
}

/* The same where the ids are in several pieces. */
static int take_pieces(
    om_breadth *b, om_breadth_worker *w, unsigned level, const om_batch *batch, om_id source)
{
    int rc = OM_OK;
    size_t n = 0;
    om_id first = 0;
    for (size_t i = 0; i < batch->count && rc == OM_OK; i++) {
        if (!batch->fresh[i])
            continue;
        if (n > 0 && batch->ids[i] != first + n) {
            rc = take(b, w, level, first, n, source, batch->sources);
            n = 0;
        }
        first = n == 0 ? batch->ids[i] : first;
        n++;
    }
    return rc == OM_OK && n > 0 ? take(b, w, level, first, n, source, batch->sources) : rc;
}

/* Eight at a time: which ones are fresh is hard to foretell. */
static size_t count_fresh(const om_batch *batch)
{
    size_t n = 0, i = 0;
    for (; i + 8 <= batch->count; i += 8) {
        uint64_t word;
        memcpy(&word, batch->fresh + i, sizeof word);
        n += word * UINT64_C(0x0101010101010101) >> 56; /* all bytes are 0 or 1: their sum */
    }
    for (; i < batch->count; i++)
        n += batch->fresh[i];
    return n;
}

/* Puts what came fresh of a batch into the list of a level, and looks for what is wanted. */
static int take_fresh(
    om_breadth *b, unsigned worker, unsigned level, const om_batch *batch, om_id source)
{
    om_breadth_worker *w = &b->workers[worker];
    size_t n = count_fresh(batch), first = 0, last = batch->count - 1;
    int rc;

    if (n == 0)
        return OM_OK;
    while (!batch->fresh[first])
        first++;
    while (!batch->fresh[last])
        last--;
    /* Mostly they are consecutive. */
    if (om_store__ids_rise(w->cursor->p->store, worker) &&
        batch->ids[last] - batch->ids[first] == n - 1)
        rc = take(b, w, level, batch->ids[first], n, source, batch->sources);
    else
        rc = take_pieces(b, w, level, batch, source);
    if (rc != OM_OK || b->spec.wanted == NULL)
        return rc;
    const uint32_t *row = batch->rows;
    for (size_t i = 0; i < batch->count; i++, row += b->words)
        if (batch->fresh[i] && b->spec.wanted(b->spec.self, worker, batch->ids[i], row)) {
            hit(b, batch->ids[i]);
            break;
        }
    return OM_OK;
}

/* ---- a level ---- */

static bool ends_search(const om_breadth *b, om_fault fault)
{
    return b->spec.faults_end || OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
}

/* Expands states with consecutive ids. */
static int expand(om_breadth *b, unsigned worker, om_id first, size_t n)
{
    om_breadth_worker *w = &b->workers[worker];
    om_batch batch = { .count = 0 };
    int rc = OM_OK;

    for (; n > 0 && rc == OM_OK && !stopped(b); first += batch.sources, n -= batch.sources) {
        size_t most = n < OM_CURSOR_BATCH ? n : OM_CURSOR_BATCH;
        rc = om_cursor__expand(w->cursor, first, most, &batch);
        if (rc == OM_OK && w->cursor->fault != 0 && ends_search(b, w->cursor->fault))
            rc = OM_EMODEL;
        if (rc == OM_OK)
            rc = take_fresh(b, worker, b->level + 1, &batch, first);
        /* After the batch was used: who is called may ask the cursor for another. */
        for (size_t i = 0; i < batch.sources && rc == OM_OK && b->spec.expanded != NULL; i++)
            if (!b->spec.expanded(b->spec.self, worker, w->cursor, first + i))
                atomic_store_explicit(&b->last_level, true, memory_order_relaxed);
    }
    return rc;
}

/* The range that the state of this number of a list lies in. */
static size_t range_of(const om_level_list *l, uint64_t number)
{
    size_t low = 0, high = l->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (l->ranges[middle].at <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int expand_block(
    om_breadth *b, unsigned worker, const om_level_list *l, uint64_t at, uint64_t end)
{
    int rc = OM_OK;
    for (size_t i = range_of(l, at); at < end && rc == OM_OK; i++) {
        const om_id_range *r = &l->ranges[i];
        uint64_t stop = i + 1 < l->count ? r[1].at : l->states;
        if (stop > end)
            stop = end;
        rc = expand(b, worker, r->first + (at - r->at), (size_t) (stop - at));
        at = stop;
    }
    return rc;
}

static void expand_list(om_breadth *b, unsigned worker, om_level_list *l)
{
    uint64_t at;
    /* relaxed, both: a ticket; the list itself was made before the level began. */
    while (atomic_load_explicit(&l->taken, memory_order_relaxed) < l->states && !stopped(b)) {
        at = atomic_fetch_add_explicit(&l->taken, b->block, memory_order_relaxed);
        if (at >= l->states)
            return;
        uint64_t end = l->states - at < b->block ? l->states : at + b->block;
        int rc = expand_block(b, worker, l, at, end);
        if (rc != OM_OK) {
            fail(b, worker, rc);
            return;
        }
    }
}

static void expand_level(om_breadth *b, unsigned worker)
{
    for (unsigned i = 0; i < b->count; i++)
        expand_list(b, worker, &b->workers[(worker + i) % b->count].lists[b->level % 2]);
}

/* ---- from level to level ---- */

/* By the leader while nobody works: `level` is complete. Is there anything in the next one? */
static void prepare(om_breadth *b)
{
    assert(b->count > 0);
    b->width = 0;
    for (unsigned i = 0; i < b->count; i++) {
        om_level_list *done = &b->workers[i].lists[b->level % 2];
        done->count = 0;
        done->states = 0;
        atomic_store_explicit(&done->taken, 0, memory_order_relaxed);
        b->width += b->workers[i].lists[(b->level + 1) % 2].states;
    }
    uint64_t block = b->width / (8 * (uint64_t) b->count);
    b->block = block < BLOCK_LEAST ? BLOCK_LEAST : block > BLOCK_MOST ? BLOCK_MOST : block;
    bool stop = stopped(b);
    b->over = stop || b->width == 0 || atomic_load_explicit(&b->last_level, memory_order_relaxed);
    b->complete = b->over && !stop;
    if (b->over)
        return;
    b->level++;
    om_product__begin_level(b->spec.product, b->width);
}

/* What a state takes a worker, of late. More workers than processors take turns: counting all of
 * them would make a state seem slow, and levels be shared that are done before anybody wakes up. */
static void learn(om_breadth *b, uint64_t ns, unsigned workers)
{
    assert(b->width > 0);
    uint64_t now = ns * (workers < b->processors ? workers : b->processors) / b->width;
    if (now > SLOWEST_STATE_NS)
        now = SLOWEST_STATE_NS;
    b->state_ns = (7 * b->state_ns + now) / 8;
}

static void lead(om_breadth *b)
{
    uint64_t before = om_clock_ns();
    while (!b->over) {
        bool together = b->count > 1 && b->width * (b->state_ns + 1) >= b->narrow_ns;
        if (together)
            om_gang_start(&b->gang);
        expand_level(b, 0);
        if (together)
            om_gang_join(&b->gang);
        uint64_t now = om_clock_ns();
        learn(b, now - before, together ? b->count : 1);
        before = now;
        prepare(b);
    }
    om_gang_start(&b->gang); /* they see that it is over */
}

static void help(om_breadth *b, unsigned worker)
{
    unsigned seen = 0;
    for (;;) {
        om_gang_wait(&b->gang, &seen);
        if (b->over)
            return;
        expand_level(b, worker);
        om_gang_done(&b->gang);
    }
}

/* The initial states are level 0, as if there were a level before. */
static void begin(om_breadth *b)
{
    om_batch batch;
    om_product__begin_search(b->spec.product);
    int rc = om_cursor__initial(b->workers[0].cursor, &batch);
    if (rc == OM_OK)
        rc = take_fresh(b, 0, 0, &batch, OM_NO_ID);
    if (rc != OM_OK)
        fail(b, 0, rc);
    b->level = UINT32_MAX;
    prepare(b);
    if (b->over)
        b->level = 0;
}

int om_breadth_work(om_breadth *b, unsigned worker, om_cursor *cursor)
{
    om_breadth_worker *w = &b->workers[worker];
    /* One that comes when the others have finished may meet om_breadth_fault(). */
    pthread_mutex_lock(&b->lock);
    w->cursor = cursor;
    pthread_mutex_unlock(&b->lock);
    if (worker == 0) {
        begin(b);
        lead(b);
    } else {
        help(b, worker);
    }
    return w->rc != OM_OK ? w->rc : b->complete ? OM_OK : OM_ESTOP;
}

/* ---- as a whole ---- */

int om_breadth_new(om_breadth **out, const om_breadth_spec *spec)
{
    om_product *p = spec->product;
    om_breadth *b = om_alloc(p->heap, 1, sizeof *b);
    if (b == NULL)
        return om_fail_memory(p->ctx);
    b->workers = om_alloc(p->heap, p->spec.workers, sizeof *b->workers);
    if (b->workers == NULL) {
        om_free(p->heap, b);
        return om_fail_memory(p->ctx);
    }
    b->ctx = p->ctx;
    b->heap = p->heap;
    b->control = om_context_control(p->ctx);
    b->words = p->words;
    b->spec = *spec;
    b->count = p->spec.workers;
    b->state_ns = STATE_NS;
    b->processors = om_machine_processors();
    b->narrow_ns = NARROW_NS * ((b->count + b->processors - 1) / b->processors);
    b->hit = OM_NO_ID;
    (void) pthread_mutex_init(&b->lock, NULL);
    om_gang_init(&b->gang, b->count - 1);
    *out = b;
    return OM_OK;
}

void om_breadth_free(om_breadth *b)
{
    if (b == NULL)
        return;
    for (unsigned i = 0; i < b->count; i++) {
        om_free(b->heap, b->workers[i].lists[0].ranges);
        om_free(b->heap, b->workers[i].lists[1].ranges);
        om_free(b->heap, b->workers[i].origins);
    }
    om_free(b->heap, b->workers);
    om_gang_destroy(&b->gang);
    pthread_mutex_destroy(&b->lock);
    om_free(b->heap, b);
}

om_id om_breadth_hit(const om_breadth *b)
{
    return b->hit;
}

om_fault om_breadth_fault(om_breadth *b, om_id *at)
{
    om_fault fault = 0;
    pthread_mutex_lock(&b->lock);
    for (unsigned i = 0; i < b->count; i++) {
        const om_cursor *c = b->workers[i].cursor;
        if (c == NULL || c->fault == 0 ||
            (fault != 0 && OM_FAULT_KIND(c->fault) != OM_FAULT_ASSERTION))
            continue;
        fault = c->fault;
        *at = c->fault_at;
    }
    pthread_mutex_unlock(&b->lock);
    return fault;
}

uint64_t om_breadth_bytes(const om_breadth *b)
{
    uint64_t n = sizeof *b + b->count * sizeof *b->workers;
    for (unsigned i = 0; i < b->count; i++) {
        const om_breadth_worker *w = &b->workers[i];
        n += (w->lists[0].room + w->lists[1].room) * sizeof(om_id_range) +
             w->origin_room * sizeof *w->origins;
        n += w->cursor == NULL ? 0 : om_cursor__bytes(w->cursor);
    }
    return n;
}
