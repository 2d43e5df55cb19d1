/* SPDX-License-Identifier: Apache-2.0 */
#include "dive.h"

#include "product.h"

#include <assert.h>
#include <string.h>

enum {
    GROUP = 8,   /* states expanded at once */
    DRAWN = 32,  /* states drawn from the round at once */
    THROUGH = 16 /* steps of a walk through states that have been expanded */
};

/* ---- open states ---- */

static int fail_memory(const om_diver *v)
{
    return om_fail_memory(v->d->b->ctx);
}

int om_dive__add(const om_diver *v, om_dive_list *l, om_id id)
{
    if (!OM_ROOM(v->d->b->heap, l->ids, &l->room, l->count + 1))
        return fail_memory(v);
    l->ids[l->count++] = id;
    return OM_OK;
}

static om_id pop(om_dive_list *l)
{
    return l->count == 0 ? OM_NO_ID : l->ids[--l->count];
}

/* Takes a random state from a list. */
static om_id take_from(om_diver *v, om_dive_list *l)
{
    if (l->count == 0)
        return OM_NO_ID;
    om_id *at = &l->ids[om_random_below(&v->random, l->count)];
    const om_id id = *at;
    *at = l->ids[--l->count];
    return id;
}

/* Takes a state from a list: a random one or, which is faster, the newest. */
static om_id take_some(om_diver *v, om_dive_list *l)
{
    return (om_random_next(&v->random) & 1) != 0 ? pop(l) : take_from(v, l);
}

static om_id take_any(om_diver *v)
{
    return take_from(v, &v->pool);
}

/* Returns the range of an estimate: above OM_DIVE_EXACT, OM_DIVE_STEPS for each power of two. */
static size_t range_of(uint64_t estimate)
{
    if (estimate < OM_DIVE_EXACT)
        return (size_t) estimate;
    const unsigned bits = 63 - (unsigned) __builtin_clzll(estimate);
    return OM_DIVE_EXACT + (size_t) bits * OM_DIVE_STEPS +
           (estimate >> (bits - 2) & (OM_DIVE_STEPS - 1));
}

static int add_to_queue(om_diver *v, om_dive_queue *q, om_id id, uint64_t estimate)
{
    const size_t range = range_of(estimate);
    assert(range < OM_DIVE_RANGES);
    q->lowest = range < q->lowest ? range : q->lowest;
    return om_dive__add(v, &q->ranges[range], id);
}

static om_id take_best(om_diver *v, om_dive_queue *q)
{
    while (q->lowest < OM_DIVE_RANGES - 1 && q->ranges[q->lowest].count == 0)
        q->lowest++;
    return take_some(v, &q->ranges[q->lowest]);
}

bool om_dive__is_dry(om_diver *v)
{
    while (v->pool.count > 0 && !om_deep__is_open(v->d, v->pool.ids[v->pool.count - 1]))
        v->pool.count--;
    while (v->stack.count > 0 && !om_deep__is_open(v->d, v->stack.ids[v->stack.count - 1]))
        v->stack.count--;
    return v->pool.count == 0 && v->stack.count == 0;
}

/* Puts the recorded targets on the stack, the last on top: that is a step of the process that was
 * added last, and so of the youngest one in a model that starts processes. Those that are not owned
 * are passed when they come up: to look at all of them now would be a cache miss for each. */
static int stack_known(om_diver *v, const om_id *record)
{
    int rc = OM_OK;
    for (size_t i = 1; i <= om_deep__edges(record) && rc == OM_OK; i++)
        rc = om_dive__add(v, &v->stack, record[i]);
    return rc;
}

/* ---- turns ---- */

typedef struct turn {
    uint32_t order;
    size_t guide;
} turn;

/* Returns a turn of the worker: the best states of each guide, then the others. */
static turn turn_of(const om_diver *v, unsigned number)
{
    const om_going *g = v->d->b->spec.going;
    const bool best = (g->orders & OM_ORDER_BEST) != 0;
    if (best && number < g->guide_count)
        return (turn){ OM_ORDER_BEST, number };
    number -= best ? (unsigned) g->guide_count : 0;
    if ((g->orders & OM_ORDER_DEPTH) != 0 && number-- == 0)
        return (turn){ OM_ORDER_DEPTH, 0 };
    return (turn){ OM_ORDER_WALK, 0 };
}

/* Returns the state on top of the stack that was not entered before, and enters it. States that
 * another order has expanded are passed: their recorded targets go onto the stack. A state that is
 * being expanded for another order stays there, else the search would leave its path. */
static int enter_next(om_diver *v, om_id *out)
{
    int rc = OM_OK;
    *out = OM_NO_ID;
    while (rc == OM_OK && *out == OM_NO_ID && v->stack.count > 0) {
        if (om_deep__is_pending(v->d, v->stack.ids[v->stack.count - 1]))
            break;
        const om_id id = pop(&v->stack);
        if (!om_deep__enter(v->d, v->worker, id))
            continue;
        const om_id *record = om_deep__known(v->d, id);
        if (record == NULL)
            *out = id;
        else
            rc = stack_known(v, record);
    }
    return rc;
}

/* Draws a target of a state that has been expanded, among those that can be walked to. */
static om_id draw_known(om_diver *v, const om_id *record)
{
    uint64_t some = 0;
    om_id next = OM_NO_ID;
    for (size_t i = 1; i <= om_deep__edges(record); i++)
        if (om_deep__is_owned(v->d, record[i]) && om_random_below(&v->random, ++some) == 0)
            next = record[i];
    return next;
}

/* Walks through states that have been expanded, for some steps at most, to one that has not. */
static om_id walk(om_diver *v)
{
    om_id id = v->next != OM_NO_ID ? v->next : take_any(v);
    const om_id *record;
    v->next = OM_NO_ID;
    for (unsigned i = 0; id != OM_NO_ID && (record = om_deep__known(v->d, id)) != NULL; i++)
        id = i < THROUGH ? draw_known(v, record) : OM_NO_ID;
    return id != OM_NO_ID ? id : take_any(v);
}

/* Finds the state that comes next in this turn; it may have been claimed. OM_NO_ID: none. */
static int next_of(om_diver *v, const turn *t, om_id *out)
{
    int rc = OM_OK;
    if (t->order == OM_ORDER_BEST)
        *out = take_best(v, &v->queues[t->guide]);
    else if (t->order == OM_ORDER_WALK)
        *out = walk(v);
    else {
        rc = enter_next(v, out);
        if (rc == OM_OK && *out == OM_NO_ID)
            *out = take_any(v);
    }
    return rc;
}

/* Claims the state that comes next. OM_NO_ID: none. */
static int claim_next(om_diver *v, const turn *t, om_id *out)
{
    int rc;
    do
        rc = next_of(v, t, out);
    while (rc == OM_OK && *out != OM_NO_ID && !om_deep__claim(v->d, *out));
    return rc;
}

/* ---- the edges of a state ---- */

/* Adds the state of a row, of `count`, to the pool and, with its estimates, to the queues. */
static int open_state(om_diver *v, om_id id, size_t row, size_t count)
{
    int rc = om_dive__add(v, &v->pool, id);
    for (size_t i = 0; i < v->queue_count && rc == OM_OK; i++)
        rc = add_to_queue(v, &v->queues[i], id, v->estimates[i * count + row]);
    return rc;
}

/* Writes the estimates of rows: those of guide i from element i * count on. */
static int measure(om_diver *v, const om_guided *guided)
{
    const om_going *g = v->d->b->spec.going;
    const size_t count = guided->count;
    if (v->queue_count == 0)
        return OM_OK;
    if (!OM_ROOM(v->d->b->heap, v->estimates, &v->estimate_room, count * g->guide_count))
        return fail_memory(v);
    for (size_t i = 0; i < g->guide_count; i++)
        g->guides[i].guide->measure(g->guides[i].run, guided, v->estimates + i * count);
    return OM_OK;
}

/* Opens the targets that were stored: they are owned from now on. Those of a depth-first turn go
 * onto the stack only, which takes much less time. */
static int open_targets(om_diver *v, const turn *t, om_id source, const om_batch *b)
{
    const bool depth = t->order == OM_ORDER_DEPTH;
    const om_guided guided = {
        .source = b->source_rows[0], .rows = b->rows, .fresh = b->fresh, .count = b->count
    };
    int rc = depth ? OM_OK : measure(v, &guided);
    for (size_t i = 0; i < b->count && rc == OM_OK; i++) {
        if (!b->fresh[i])
            continue;
        v->stored++;
        rc = om_deep__own(v, b->ids[i], source);
        if (rc == OM_OK)
            rc = om_dive__add(v, &v->news, b->ids[i]);
        if (rc == OM_OK && !depth)
            rc = open_state(v, b->ids[i], i, b->count);
    }
    return rc;
}

/* Draws a target that was stored. */
static om_id draw_fresh(om_diver *v, const om_batch *b)
{
    uint64_t some = 0;
    om_id next = OM_NO_ID;
    for (size_t i = 0; i < b->count; i++)
        if (b->fresh[i] && om_random_below(&v->random, ++some) == 0)
            next = b->ids[i];
    return next;
}

static int record(om_diver *v, om_id source, const om_batch *b, om_fault fault, const om_id **out)
{
    om_id *record = om_region_take(&v->records, b->count + 1, sizeof *record);
    if (record == NULL)
        return fail_memory(v);
    record[0] = b->count | (uint64_t) fault << 32;
    if (b->count > 0)
        memcpy(record + 1, b->ids, b->count * sizeof *record);
    om_deep__set_record(v->d, source, record);
    *out = record;
    return OM_OK;
}

static int take_targets(om_diver *v, const turn *t, om_id source, const om_batch *b, om_fault fault)
{
    const om_id *known = NULL;
    int rc = open_targets(v, t, source, b);
    if (rc == OM_OK)
        rc = record(v, source, b, fault, &known);
    if (rc == OM_OK && t->order == OM_ORDER_DEPTH)
        rc = stack_known(v, known);
    if (rc == OM_OK && t->order == OM_ORDER_WALK)
        v->next = draw_fresh(v, b);
    return rc;
}

/* ---- what is looked for ---- */

static void end_rounds(om_deep *d)
{
    atomic_store_explicit(&d->over, true, memory_order_relaxed);
}

/* Looks at all states that were stored, also after a target: the levels are to recognise each. */
static void look_for_targets(const om_diver *v, const om_batch *batch)
{
    om_deep *d = v->d;
    om_bfs *b = d->b;
    const uint32_t *row = batch->rows;
    for (size_t i = 0; b->spec.wanted != NULL && i < batch->count; i++, row += b->words) {
        if (!batch->fresh[i] || !b->spec.wanted(b->spec.self, v->worker, batch->ids[i], row))
            continue;
        om_deep__mark_target(d, batch->ids[i]);
        pthread_mutex_lock(&b->lock);
        d->hit = d->hit == OM_NO_ID ? batch->ids[i] : d->hit;
        pthread_mutex_unlock(&b->lock);
        end_rounds(d);
    }
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

/* States that were claimed, and in which turns */
typedef struct group {
    om_id ids[GROUP];
    turn turns[GROUP];
    size_t count;
} group;

/* Takes the rows of source `number` of a batch. */
static int take_rows(om_diver *v, const turn *t, om_id id, const om_batch *all, size_t number)
{
    const om_batch rows = om_batch__of(all, number, v->d->b->words);
    const om_fault fault = v->fault_at == id ? v->fault : 0;
    const int rc = take_targets(v, t, id, &rows, fault);
    if (rc != OM_OK)
        return rc;
    v->expanded++;
    look_for_targets(v, &rows);
    note_fault(v, id, fault);
    return OM_OK;
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
    for (size_t i = 0; i < batch.sources && rc == OM_OK; i++)
        rc = take_rows(v, &g->turns[first + i], g->ids[first + i], &batch, i);
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

/* Claims a state for each turn, as far as the round allows. */
static int claim_group(om_diver *v, group *g)
{
    int rc = OM_OK;
    g->count = 0;
    for (unsigned i = 0; i < v->turns && g->count < GROUP && rc == OM_OK && draw(v); i++) {
        om_id id = OM_NO_ID;
        const turn t = turn_of(v, v->turn);
        v->turn = (v->turn + 1) % v->turns;
        rc = claim_next(v, &t, &id);
        if (id == OM_NO_ID)
            continue;
        g->ids[g->count] = id;
        g->turns[g->count++] = t;
        v->drawn--;
    }
    return rc;
}

int om_deep__work(om_deep *d, unsigned worker)
{
    om_diver *v = &d->divers[worker];
    group g = { .count = 1 };
    om_id id = OM_NO_ID;
    int rc = OM_OK;
    /* The search has noted it; the cursor is to note the next. */
    (void) om_cursor__take_fault(d->b->workers[worker].cursor, &id);
    while (rc == OM_OK && g.count > 0 && goes_on(v, g.count)) {
        rc = claim_group(v, &g);
        for (size_t i = 0, done; i < g.count && rc == OM_OK; i += done)
            rc = expand_some(v, &g, i, &done);
    }
    (void) atomic_fetch_add_explicit(&d->left, v->drawn, memory_order_relaxed);
    v->drawn = 0;
    return rc;
}

int om_dive__begin_at(om_diver *v, om_id id)
{
    const om_bfs *b = v->d->b;
    const bool fresh = true;
    uint32_t *vector = NULL;
    if (!OM_NEW(b->heap, vector, b->words))
        return fail_memory(v);
    /* Only the leader certainly has a cursor by now. */
    om_cursor_vector(b->workers[0].cursor, id, vector);
    int rc = measure(v, &(om_guided){ .rows = vector, .fresh = &fresh, .count = 1 });
    if (rc == OM_OK)
        rc = open_state(v, id, 0, 1);
    om_free(b->heap, vector);
    return rc == OM_OK ? om_dive__add(v, &v->stack, id) : rc;
}

/* ---- the whole ---- */

int om_dive__init(om_diver *v, om_deep *d, unsigned worker)
{
    const om_going *g = d->b->spec.going;
    const om_product_spec *spec = om_product_spec_of(d->b->spec.product);
    const bool best = (g->orders & OM_ORDER_BEST) != 0 && g->guide_count > 0;
    v->d = d;
    v->worker = worker;
    v->records.heap = v->blocks.heap = d->b->heap;
    v->random.state = spec->seed * 0xd1342543de82ef95u + worker;
    v->next = OM_NO_ID;
    v->turns = (best ? (unsigned) g->guide_count : 0) + ((g->orders & OM_ORDER_DEPTH) != 0) +
               ((g->orders & OM_ORDER_WALK) != 0);
    if (v->turns == 0)
        v->turns = 1; /* best-first without a guide: walks */
    v->turn = worker % v->turns;
    if (best && !OM_NEW(d->b->heap, v->queues, g->guide_count))
        return fail_memory(v);
    v->queue_count = best ? g->guide_count : 0;
    return OM_OK;
}

void om_dive__drop(om_diver *v)
{
    if (v->d == NULL)
        return;
    const om_heap *heap = v->d->b->heap;
    om_region_free(&v->records);
    om_region_free(&v->blocks);
    for (size_t i = 0; v->queues != NULL && i < v->queue_count; i++)
        for (size_t k = 0; k < OM_DIVE_RANGES; k++)
            om_free(heap, v->queues[i].ranges[k].ids);
    OM_FREE_ALL(heap, v->queues, v->stack.ids, v->pool.ids, v->estimates, v->news.ids);
}

uint64_t om_dive__bytes(const om_diver *v)
{
    uint64_t n = (v->stack.room + v->pool.room + v->news.room) * sizeof(om_id) +
                 v->estimate_room * sizeof(uint64_t) +
                 (v->stored + 2 * v->expanded) * sizeof(om_id) + /* records, about */
                 v->block_count * sizeof(om_deep_state);
    for (size_t i = 0; i < v->queue_count; i++)
        for (size_t k = 0; k < OM_DIVE_RANGES; k++)
            n += v->queues[i].ranges[k].room * sizeof(om_id);
    return n;
}
