/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first search, level by level, by one worker or several.
 *
 * Each worker has a list of the states of this level that it stored first, and one of the next
 * level. The store gives consecutive ids to the states of a worker, in chunks, so a list is a few
 * ranges of ids, and a level is read from the store in storage order. The lists of a level are
 * constant while it is expanded. A counter per list hands out blocks of it, so a worker that has
 * finished its own list continues with those of others.
 *
 * Worker 0 leads (team.h): between two levels it alone reads all lists. It expands a level by
 * itself if sharing would cost more than it saves. The work of the caller between two levels
 * (spec.between) is a round of its own.
 */
#include "deep.h"

#include "process/processors.h"

#include "model.h"
#include "product.h"
#include "sized.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_LEAST = 8, /* states handed out at once */
    BLOCK_MOST = 256,
    BLOCKS_EACH = 4, /* the rest of a list is at least this many blocks for each worker */
    STATE_NS = 500,  /* initial estimate of the time per state */
    SLOWEST_STATE_NS = 1000000, /* cap on measurements: the worker may have been preempted */
    BETWEEN_MOST = 1 << 16,     /* maximum states expanded between two calls of spec.between() */
    /* States of a level between two deep rounds: SLICE_LEAST, and one part in SLICES of those of
     * all levels so far */
    SLICE_LEAST = 1 << 12,
    SLICES = 8
};

/*
 * A level that takes one worker less time than this is not shared. Half of it is the least work for
 * a helper, because starting a helper costs time. Helpers that have a processor each poll for work,
 * and the leader does not wait for a late one. Other helpers have to be woken up, and displace
 * another thread.
 */
#define NARROW_NS UINT64_C(30000)
#define NARROW_CROWDED_NS UINT64_C(200000)

bool om_bfs__stopped(const om_bfs *b)
{
    /* relaxed: a hint to stop early; results are read after the level. */
    return atomic_load_explicit(&b->stop, memory_order_relaxed) ||
           om_control_stopped(b->control) != OM_STOP_NONE;
}

bool om_bfs__goes_on(om_bfs *b, uint64_t states)
{
    om_turn__spend(b->turn, states);
    return !om_bfs__stopped(b);
}

/* Records the first failure. All workers stop soon, at the end of the level at the latest. */
static void fail(om_bfs *b, unsigned worker, int rc)
{
    assert(rc != OM_OK && worker < b->count);
    b->workers[worker].rc = rc;
    pthread_mutex_lock(&b->lock);
    if (b->rc == OM_OK)
        b->rc = rc;
    pthread_mutex_unlock(&b->lock);
    atomic_store_explicit(&b->stop, true, memory_order_relaxed);
}

static void hit(om_bfs *b, om_id id)
{
    pthread_mutex_lock(&b->lock);
    if (b->hit == OM_NO_ID)
        b->hit = id;
    pthread_mutex_unlock(&b->lock);
    atomic_store_explicit(&b->stop, true, memory_order_relaxed);
}

/* ---- stored states ---- */

int om_bfs__push(const om_bfs *b, om_bfs_list *l, om_id first, size_t n)
{
    assert(n > 0 &&
           (l->count == 0 ? l->states == 0 : l->ranges[l->count - 1].at < l->states)); /* L1 */
    if (l->count > 0) {
        const om_bfs_range *last = &l->ranges[l->count - 1];
        if (last->first + (l->states - last->at) == first) {
            l->states += n;
            return OM_OK;
        }
    }
    if (!OM_ROOM(b->heap, l->ranges, &l->capacity, l->count + 1))
        return om_fail_memory(b->ctx);
    l->ranges[l->count++] = (om_bfs_range){ .first = first, .at = l->states };
    l->states += n;
    return OM_OK;
}

/*
 * States first .. first + n - 1 of a batch are fresh: adds them to a list (NULL: they are on it).
 */
static int take(om_bfs *b, om_bfs_worker *w, om_bfs_list *list, om_id first, size_t n, om_id source,
    size_t sources)
{
    int rc = list == NULL ? OM_OK : om_bfs__push(b, list, first, n);
    if (rc != OM_OK || !b->spec.paths)
        return rc;
    return om_bfs__remember(b, &w->origins,
        (om_bfs_origin){ .first = first,
            .source = source,
            .count = (uint32_t) n,
            .sources = (uint32_t) sources });
}

/* The same for ids in several pieces. */
static int take_pieces(
    om_bfs *b, om_bfs_worker *w, om_bfs_list *list, const om_batch *batch, om_id source)
{
    int rc = OM_OK;
    size_t n = 0;
    om_id first = 0;
    for (size_t i = 0; i < batch->count && rc == OM_OK; i++) {
        if (!batch->fresh[i])
            continue;
        if (n > 0 && batch->ids[i] != first + n) {
            rc = take(b, w, list, first, n, source, batch->sources);
            n = 0;
        }
        first = n == 0 ? batch->ids[i] : first;
        n++;
    }
    return rc == OM_OK && n > 0 ? take(b, w, list, first, n, source, batch->sources) : rc;
}

/* The same if the caller keeps some of the states. */
static int sift(om_bfs *b, unsigned worker, om_bfs_list *list, const om_batch *batch, om_id source)
{
    om_bfs_worker *w = &b->workers[worker];
    const uint32_t *row = batch->rows;
    int rc = OM_OK;
    for (size_t i = 0; i < batch->count && rc == OM_OK; i++, row += b->words) {
        bool kept = false;
        if (!batch->fresh[i])
            continue;
        rc = b->spec.keep(b->spec.self, worker, batch->ids[i], row, &kept);
        w->kept = w->kept || kept;
        if (rc == OM_OK && !kept)
            rc = om_bfs__push(b, list, batch->ids[i], 1);
    }
    return rc == OM_OK && b->spec.paths ? take_pieces(b, w, NULL, batch, source) : rc;
}

/* Counts eight at a time: which states are fresh is unpredictable. */
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

/* A level has reached the state from one of `sources` states: puts it on the next one if the deep
 * search stored it and no level has reached it. */
static int reach(om_bfs *b, unsigned worker, unsigned level, om_id id, om_id source, size_t sources)
{
    om_bfs_worker *w = &b->workers[worker];
    if (!om_deep__reach(b->deep, id))
        return OM_OK;
    int rc = om_bfs__push(b, &w->owned[level % 2], id, 1);
    if (rc == OM_OK)
        rc = take(b, w, NULL, id, 1, source, sources);
    if (rc == OM_OK && (om_deep__is_target(b->deep, id) ||
                           (b->spec.reached != NULL && b->spec.reached(b->spec.self, worker, id))))
        hit(b, id);
    return rc;
}

/* Puts the states of a batch that the deep search stored on the level. */
static int take_owned(
    om_bfs *b, unsigned worker, unsigned level, const om_batch *batch, om_id source)
{
    const om_deep *d = b->deep;
    int rc = OM_OK;
    /* In this order, because which states are fresh is unpredictable. */
    for (size_t i = 0; i < batch->count && rc == OM_OK; i++)
        if (om_deep__may_own(d, batch->ids[i]) && !batch->fresh[i])
            rc = reach(b, worker, level, batch->ids[i], source, batch->sources);
    return rc;
}

/* Adds the fresh states of a batch to the list of a level, and looks for a wanted state. */
static int take_fresh(
    om_bfs *b, unsigned worker, unsigned level, const om_batch *batch, om_id source)
{
    om_bfs_worker *w = &b->workers[worker];
    om_bfs_list *list = &w->lists[level % 2];
    assert(worker < b->count);
    size_t n = count_fresh(batch), first = 0, last = batch->count - 1;
    int rc = b->deep == NULL || b->deep->stored == 0 || n == batch->count
                 ? OM_OK
                 : take_owned(b, worker, level, batch, source);

    if (n == 0 || rc != OM_OK)
        return rc;
    while (!batch->fresh[first])
        first++;
    while (!batch->fresh[last])
        last--;
    /* Usually the ids are consecutive. */
    if (b->spec.keep != NULL)
        rc = sift(b, worker, list, batch, source);
    else if (om_product__ids_rise(b->spec.product, worker) &&
             batch->ids[last] - batch->ids[first] == n - 1)
        rc = take(b, w, list, batch->ids[first], n, source, batch->sources);
    else
        rc = take_pieces(b, w, list, batch, source);
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

/* Records the level on which the worker's cursor met its fault: faults are compared by level. */
static void note_fault(const om_bfs *b, om_bfs_worker *w, om_fault fault, om_id at)
{
    const bool assertion = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
    if (fault == 0 ||
        (w->fault != 0 && (!assertion || OM_FAULT_KIND(w->fault) == OM_FAULT_ASSERTION)))
        return;
    w->fault = fault;
    w->fault_level = b->level;
    w->fault_at = at;
}

static void note_fault_of_cursor(const om_bfs *b, om_bfs_worker *w)
{
    om_id at = OM_NO_ID;
    const om_fault fault = om_cursor_fault(w->cursor, &at, NULL);
    note_fault(b, w, fault, at);
}

bool om_bfs__ends_search(const om_bfs *b, om_fault fault)
{
    const om_model *m = om_product_spec_of(b->spec.product)->executor->model;
    if (fault == 0 || OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION)
        return fault != 0;
    if (m != NULL && om_model__is_outgrown(m, fault))
        return true;
    return b->spec.faults_end && (m == NULL || !om_model__is_limit(m, fault));
}

/* Passes on the edges of a state that is a batch of its own. */
static int give_edges(om_bfs *b, unsigned worker, om_id from)
{
    assert(b->workers[worker].cursor != NULL);
    om_cursor *c = b->workers[worker].cursor;
    const om_step *steps;
    size_t count;
    int rc = om_cursor__steps(c, from, &steps, &count);
    if (rc == OM_OK && !b->spec.edges(b->spec.self, worker, c, from, steps, count))
        hit(b, from);
    return rc;
}

/* Takes the rows of each source of a batch for themselves: the ids of the sources are not
 * consecutive. */
static int take_apart(om_bfs *b, unsigned worker, const om_id *ids, const om_batch *batch)
{
    int rc = OM_OK;
    for (size_t i = 0; i < batch->sources && rc == OM_OK; i++) {
        const om_batch one = om_batch__of(batch, i, b->words);
        if (one.count > 0)
            rc = take_fresh(b, worker, b->level + 1, &one, ids[i]);
    }
    return rc;
}

/* Expands the first of these states, or more; *done is their number. `apart`: their ids are not
 * consecutive. */
static int expand(om_bfs *b, unsigned worker, const om_id *ids, size_t n, bool apart, size_t *done)
{
    om_bfs_worker *w = &b->workers[worker];
    om_batch batch = { .count = 0 };
    int rc = om_cursor__expand(w->cursor, ids, n, &batch);
    assert(rc != OM_OK || (batch.sources > 0 && batch.sources <= n));
    if (rc == OM_OK)
        note_fault_of_cursor(b, w);
    if (rc == OM_OK && om_bfs__ends_search(b, w->fault))
        rc = OM_EMODEL;
    if (rc == OM_OK)
        rc = apart ? take_apart(b, worker, ids, &batch)
                   : take_fresh(b, worker, b->level + 1, &batch, ids[0]);
    if (rc == OM_OK && b->spec.edges != NULL)
        rc = give_edges(b, worker, ids[0]);
    /* After the last use of the batch: the callback may make the cursor produce another. */
    for (size_t i = 0; i < batch.sources && rc == OM_OK && b->spec.expanded != NULL; i++)
        if (!b->spec.expanded(b->spec.self, worker, w->cursor, ids[i]))
            atomic_store_explicit(&b->last_level, true, memory_order_relaxed);
    *done = batch.sources;
    return rc;
}

/* Returns the range that contains element `number` of a list. */
static size_t range_of(const om_bfs_list *l, uint64_t number)
{
    assert(number < l->states); /* L1 */
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

/* Collects the ids of at most `most` elements at .. end - 1 of a list; returns their number.
 * Origins need consecutive ids: if paths are recorded, all ids are of one range. `apart`: they need
 * not be consecutive. */
static size_t gather_ids(const om_bfs *b, const om_bfs_list *l, uint64_t at, uint64_t end,
    bool apart, om_id *ids, size_t most)
{
    size_t n = 0;
    for (size_t i = range_of(l, at); at < end && n < most; i++) {
        const om_bfs_range *r = &l->ranges[i];
        uint64_t stop = i + 1 < l->count ? r[1].at : l->states;
        assert(r->at <= at && at < stop); /* L1 */
        for (; at < stop && at < end && n < most; at++)
            ids[n++] = r->first + (at - r->at);
        if (b->spec.paths && !apart)
            break;
    }
    return n;
}

/* `owned`: they were stored in deep rounds, so that their ids are anywhere. */
static int expand_block(
    om_bfs *b, unsigned worker, const om_bfs_list *l, uint64_t at, uint64_t end, bool owned)
{
    const size_t most = b->spec.edges != NULL ? 1 : OM_CURSOR_BATCH;
    om_id ids[OM_CURSOR_BATCH];
    int rc = OM_OK;
    while (at < end && rc == OM_OK && !om_bfs__stopped(b)) {
        const size_t n = gather_ids(b, l, at, end, owned, ids, most);
        size_t done = 0;
        assert(n > 0 && n <= most);
        rc = expand(b, worker, ids, n, owned, &done);
        at += done;
    }
    return rc;
}

/*
 * Number of states to hand out at once if `left` are left: fewer towards the end, so that all
 * workers finish at the same time (guided self-scheduling: C. Polychronopoulos, D. Kuck, IEEE
 * Transactions on Computers 36, 1987).
 */
static uint64_t block_of(const om_bfs *b, uint64_t left)
{
    uint64_t block = left / (BLOCKS_EACH * (uint64_t) b->count);
    return block < BLOCK_LEAST ? BLOCK_LEAST : block > BLOCK_MOST ? BLOCK_MOST : block;
}

static void expand_list(om_bfs *b, unsigned worker, om_bfs_list *l, bool owned)
{
    uint64_t at;
    /* relaxed, all: tickets; the list was completed before the level began. */
    while ((at = atomic_load_explicit(&l->taken, memory_order_relaxed)) < l->states &&
           atomic_load_explicit(&b->slice, memory_order_relaxed) > 0 && !om_bfs__stopped(b)) {
        uint64_t block = block_of(b, l->states - at);
        (void) atomic_fetch_sub_explicit(&b->slice, (int64_t) block, memory_order_relaxed);
        at = atomic_fetch_add_explicit(&l->taken, block, memory_order_relaxed);
        if (at >= l->states)
            return;
        uint64_t end = l->states - at < block ? l->states : at + block;
        int rc = expand_block(b, worker, l, at, end, owned);
        if (rc != OM_OK) {
            fail(b, worker, rc);
            return;
        }
        om_turn__spend(b->turn, end - at);
    }
}

static void expand_level(om_bfs *b, unsigned worker)
{
    for (unsigned i = 0; i < b->count; i++) {
        om_bfs_worker *w = &b->workers[(worker + i) % b->count];
        expand_list(b, worker, &w->lists[b->level % 2], false);
        expand_list(b, worker, &w->owned[b->level % 2], true);
    }
}

/* ---- from level to level ---- */

/* Empties a list that was handed out. */
static void clear(const om_bfs *b, om_bfs_list *done)
{
    assert(om_bfs__stopped(b) ||
           atomic_load_explicit(&done->taken, memory_order_relaxed) >= done->states); /* L2 */
    (void) b;
    done->count = 0;
    done->states = 0;
    atomic_store_explicit(&done->taken, 0, memory_order_relaxed);
}

/* Returns true if the search gives up looking for a target that is nearer than the one that the
 * deep search has found. */
static bool is_near_enough(const om_bfs *b)
{
    return b->deep != NULL && atomic_load_explicit(&b->deep->over, memory_order_relaxed) &&
           b->expanded > b->deep->until;
}

/* Ends level `level`, which is complete, and begins the next, if it has any states. Leader only,
 * while no helper works. */
static void prepare(om_bfs *b)
{
    assert(b->count > 0);
    b->width = 0;
    for (unsigned i = 0; i < b->count; i++) {
        om_bfs_worker *w = &b->workers[i];
        clear(b, &w->lists[b->level % 2]);
        clear(b, &w->owned[b->level % 2]);
        b->width += w->lists[(b->level + 1) % 2].states + w->owned[(b->level + 1) % 2].states;
    }
    b->expanded += b->width;
    bool stop = om_bfs__stopped(b) || (b->width > 0 && is_near_enough(b));
    b->over = stop || b->width == 0 || atomic_load_explicit(&b->last_level, memory_order_relaxed);
    b->complete = b->over && !stop;
    if (b->over)
        return;
    b->level++;
    om_product__begin_level(b->spec.product, b->width);
}

/*
 * Updates the recent time per state and worker. More workers than processors take turns: counting
 * all of them would make a state seem slow, and short levels would be shared that are done before
 * any helper wakes up.
 */
static void learn(om_bfs *b, uint64_t ns, unsigned workers, uint64_t states)
{
    if (states == 0)
        return;
    uint64_t now = ns * (workers < b->processors ? workers : b->processors) / states;
    if (now > SLOWEST_STATE_NS)
        now = SLOWEST_STATE_NS;
    b->state_ns = (7 * b->state_ns + now) / 8;
}

/* The work of one worker in a round. */
static void take_part(om_bfs *b, unsigned worker)
{
    if (b->round == OM_BFS_LEVEL) {
        expand_level(b, worker);
        return;
    }
    assert(worker == 0 || !b->over);
    int rc = b->round == OM_BFS_DEEP
                 ? om_deep__work(b->deep, worker)
                 : b->spec.between(b->spec.self, worker, b->workers[worker].cursor);
    if (rc != OM_OK)
        fail(b, worker, rc);
}

/* A round of all workers that is no level. Leader only. */
static void go_round(om_bfs *b, om_bfs_round round)
{
    assert(b->round == OM_BFS_LEVEL && round != OM_BFS_LEVEL);
    b->round = round;
    om_team__start(&b->team, b->count - 1);
    take_part(b, 0);
    om_team__join(&b->team);
    b->round = OM_BFS_LEVEL;
}

/* Returns true if spec.between() is due. Leader only, while no helper works. */
static bool due(om_bfs *b)
{
    bool kept = false, next = false;
    for (unsigned i = 0; i < b->count; i++) {
        kept = kept || b->workers[i].kept;
        next = next || b->workers[i].lists[(b->level + 1) % 2].states > 0;
    }
    return kept && !om_bfs__stopped(b) && (!next || b->expanded >= b->due);
}

static void go_between(om_bfs *b)
{
    assert(b->spec.between != NULL);
    for (unsigned i = 0; i < b->count; i++)
        b->workers[i].kept = false;
    b->due = b->expanded + (b->expanded < BETWEEN_MOST ? b->expanded : BETWEEN_MOST);
    go_round(b, OM_BFS_BETWEEN);
}

static void go_deep(om_bfs *b)
{
    int rc = om_deep__begin(b->deep);
    if (rc == OM_OK)
        go_round(b, OM_BFS_DEEP);
    const int ended = om_deep__end(b->deep);
    rc = rc == OM_OK ? ended : rc;
    if (rc != OM_OK)
        fail(b, 0, rc);
}

static void go_deep_if_due(om_bfs *b)
{
    if (b->deep != NULL && !om_bfs__stopped(b) && om_deep__due(b->deep))
        go_deep(b);
}

/* Ends the level and begins the next one. */
static void next_level(om_bfs *b)
{
    if (due(b))
        go_between(b);
    go_deep_if_due(b);
    prepare(b);
}

/* The number of states of the level that are not handed out. Leader only, while no helper works. */
static uint64_t left_of_level(const om_bfs *b)
{
    uint64_t left = 0;
    for (unsigned i = 0; i < b->count; i++) {
        const om_bfs_worker *w = &b->workers[i];
        const om_bfs_list *lists[] = { &w->lists[b->level % 2], &w->owned[b->level % 2] };
        for (unsigned k = 0; k < 2; k++) {
            const uint64_t taken = atomic_load_explicit(&lists[k]->taken, memory_order_relaxed);
            left += taken < lists[k]->states ? lists[k]->states - taken : 0;
        }
    }
    return left;
}

/* Sets how many states of the level are expanded before the deep search may have a round: a large
 * level takes as long as all before it. */
static void cut_slice(om_bfs *b)
{
    const uint64_t states = b->slice_least + b->expanded / SLICES;
    atomic_store_explicit(
        &b->slice, b->deep == NULL ? INT64_MAX : (int64_t) states, memory_order_relaxed);
}

/* The number of helpers that the level is worth. */
static unsigned helpers_for(const om_bfs *b)
{
    uint64_t ns = b->width * (b->state_ns + 1);
    if (ns < b->narrow_ns)
        return 0;
    uint64_t shares = b->narrow_ns < 2 ? UINT64_MAX : ns / (b->narrow_ns / 2);
    return shares - 1 < b->count - 1 ? (unsigned) (shares - 1) : b->count - 1;
}

static void lead(om_bfs *b)
{
    uint64_t before = om_clock_ns();
    while (!b->over) {
        const uint64_t left = left_of_level(b);
        unsigned helpers = helpers_for(b);
        assert(helpers < b->count);
        cut_slice(b);
        om_team__start(&b->team, helpers);
        expand_level(b, 0);
        helpers -= om_team__withdraw(&b->team);
        om_team__join(&b->team);
        uint64_t now = om_clock_ns();
        learn(b, now - before, 1 + helpers, left - left_of_level(b));
        if (left_of_level(b) > 0 && !om_bfs__stopped(b))
            go_deep_if_due(b);
        else
            next_level(b);
        before = om_clock_ns();
    }
    om_team__start(&b->team, b->count - 1); /* the helpers see that the search is over */
}

static void help(om_bfs *b, unsigned worker)
{
    uint32_t seen = 0;
    for (;;) {
        om_team__wait(&b->team, &seen);
        if (b->over)
            return;
        take_part(b, worker);
        om_team__done(&b->team);
    }
}

/* Makes the initial states level 0, as if there were a level before it. */
static void begin(om_bfs *b)
{
    om_batch batch = { .count = 0 };
    om_product__begin_search(b->spec.product);
    int rc = om_cursor__initial(b->workers[0].cursor, &batch);
    for (size_t i = 0; b->deep != NULL && i < batch.count && rc == OM_OK; i++)
        rc = om_deep__add(b->deep, &b->deep->initial, batch.ids[i]);
    if (rc == OM_OK)
        rc = take_fresh(b, 0, 0, &batch, OM_NO_ID);
    if (rc != OM_OK)
        fail(b, 0, rc);
    b->level = UINT32_MAX;
    next_level(b);
    if (b->over)
        b->level = 0;
}

/* Returns true if the search has ended because of a fault that no level has met. */
static bool ends_at_deep_fault(const om_bfs *b)
{
    return b->deep != NULL && !b->complete && b->rc == OM_OK && om_bfs_hit(b) == OM_NO_ID &&
           om_bfs__ends_search(b, b->deep->fault);
}

/* Returns true if the search is complete but for runs that a limit of the language has ended. */
static bool is_limited(om_bfs *b)
{
    om_id at;
    return b->spec.faults_end && b->complete && b->rc == OM_OK && om_bfs_hit(b) == OM_NO_ID &&
           om_bfs_fault(b, &at) != 0;
}

int om_bfs_work(om_bfs *b, unsigned worker, om_cursor *cursor)
{
    assert(worker < b->count);
    om_bfs_worker *w = &b->workers[worker];
    /* A worker that arrives after the others have finished may run concurrently with
     * om_bfs_fault(). */
    pthread_mutex_lock(&b->lock);
    w->cursor = cursor;
    pthread_mutex_unlock(&b->lock);
    if (worker == 0) {
        begin(b);
        lead(b);
    } else {
        help(b, worker);
    }
    if (worker == 0 && w->rc == OM_OK && (ends_at_deep_fault(b) || is_limited(b)))
        fail(b, 0, OM_EMODEL);
    return w->rc != OM_OK ? w->rc : b->complete ? OM_OK : OM_ESTOP;
}

/* ---- the search as a whole ---- */

int om_bfs_new(om_bfs **out, const om_bfs_spec *spec)
{
    om_context *ctx = om_product_context(spec->product);
    const om_heap *heap = om_context_heap(ctx);
    om_bfs_spec known;
    if (!om_sized__copy(&known, sizeof known, offsetof(om_bfs_spec, faults_end) + 1, spec))
        return om_fail(ctx, OM_EINVAL, NULL,
            "the specification of a breadth-first search has an unknown version");
    const unsigned most = om_product_spec_of(known.product)->workers;
    const unsigned workers = known.workers == 0 ? most : known.workers;
    if (workers > most)
        return om_fail(ctx, OM_EINVAL, NULL, "%u workers for a product with %u", workers, most);
    om_bfs *b = om_alloc(heap, 1, sizeof *b);
    if (b == NULL)
        return om_fail_memory(ctx);
    b->ctx = ctx;
    b->heap = heap;
    b->control = om_context_control(ctx);
    b->turn = om_control__turn(b->control);
    b->words = om_product_words(spec->product);
    b->spec = known;
    /* With ids that are not consecutive, an origin would cover one state only. */
    b->spec.paths = known.paths && !om_product__shares(known.product);
    b->count = workers;
    if (!OM_NEW(heap, b->workers, b->count)) {
        om_free(heap, b);
        return om_fail_memory(ctx);
    }
    b->slice_least = SLICE_LEAST;
    b->state_ns = STATE_NS;
    b->processors = om_processors__count();
    b->hit = OM_NO_ID;
    (void) pthread_mutex_init(&b->lock, NULL);
    om_team__init(&b->team, b->count - 1);
    b->narrow_ns = b->team.spins != 0 ? NARROW_NS : NARROW_CROWDED_NS;
    int rc = om_deep__new(&b->deep, b);
    if (rc == OM_OK)
        *out = b;
    else
        om_bfs_free(b);
    return rc;
}

void om_bfs_free(om_bfs *b)
{
    if (b == NULL)
        return;
    for (unsigned i = 0; i < b->count; i++) {
        OM_FREE_ALL(b->heap, b->workers[i].lists[0].ranges, b->workers[i].lists[1].ranges,
            b->workers[i].owned[0].ranges, b->workers[i].owned[1].ranges,
            b->workers[i].origins.list);
    }
    om_deep__free(b->deep);
    om_free(b->heap, b->workers);
    om_team__destroy(&b->team);
    pthread_mutex_destroy(&b->lock);
    om_free(b->heap, b);
}

int om_bfs_add(om_bfs *b, unsigned worker, om_id id)
{
    assert(worker < b->count);
    return om_bfs__push(b, &b->workers[worker].lists[(b->level + 1) % 2], id, 1);
}

int om_bfs_tell_parent(om_bfs *b, unsigned worker, om_id id, om_id parent)
{
    if (!b->spec.paths)
        return OM_OK;
    return om_bfs__remember(b, &b->workers[worker].origins,
        (om_bfs_origin){ .first = id, .source = parent, .count = 1, .sources = 1 });
}

om_id om_bfs_hit(const om_bfs *b)
{
    return b->hit != OM_NO_ID || b->deep == NULL ? b->hit : b->deep->hit;
}

bool om_bfs__is_deep(const om_bfs *b)
{
    return b->round == OM_BFS_DEEP;
}

bool om_bfs_nearest(const om_bfs *b)
{
    if (b->spec.between != NULL)
        return false; /* its states are on no exact level */
    return b->deep == NULL || b->hit != OM_NO_ID ||
           (b->deep->hit == OM_NO_ID && !ends_at_deep_fault(b));
}

uint64_t om_bfs_in_levels(const om_bfs *b)
{
    assert(b->width <= b->expanded);
    return b->expanded - b->width; /* the last level may be unfinished */
}

/* Returns true if fault a is to be reported rather than b: failed assertions first, then lower
 * levels. */
static bool goes_before(const om_bfs_worker *a, const om_bfs_worker *b)
{
    bool fails = OM_FAULT_KIND(a->fault) == OM_FAULT_ASSERTION;
    if (b == NULL || fails != (OM_FAULT_KIND(b->fault) == OM_FAULT_ASSERTION))
        return b == NULL || fails;
    return a->fault_level < b->fault_level;
}

om_fault om_bfs_fault(om_bfs *b, om_id *at)
{
    const om_bfs_worker *first = NULL;
    pthread_mutex_lock(&b->lock);
    for (unsigned i = 0; i < b->count; i++) {
        om_bfs_worker *w = &b->workers[i];
        if (w->cursor != NULL)
            note_fault_of_cursor(b, w); /* a fault that it met outside of levels */
        if (w->fault != 0 && goes_before(w, first))
            first = w;
    }
    om_fault fault = first == NULL ? 0 : first->fault;
    *at = first == NULL ? OM_NO_ID : first->fault_at;
    if (b->deep != NULL && b->deep->fault != 0 && (fault == 0 || ends_at_deep_fault(b))) {
        fault = b->deep->fault;
        *at = b->deep->fault_at;
    }
    pthread_mutex_unlock(&b->lock);
    return fault;
}

uint64_t om_bfs_bytes(const om_bfs *b)
{
    uint64_t n = sizeof *b + b->count * sizeof *b->workers;
    n += b->deep == NULL ? 0 : om_deep__bytes(b->deep);
    for (unsigned i = 0; i < b->count; i++) {
        const om_bfs_worker *w = &b->workers[i];
        n += (w->lists[0].capacity + w->lists[1].capacity + w->owned[0].capacity +
                 w->owned[1].capacity) *
                 sizeof(om_bfs_range) +
             w->origins.room * sizeof *w->origins.list;
        n += w->cursor == NULL ? 0 : om_cursor__bytes(w->cursor);
    }
    return n;
}
