/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cursors. Executors write successors in the layout that the store reads, rows of product vectors.
 * The first move of the automaton is written into those rows; only further moves copy rows.
 */
#include "product_impl.h"

#include <assert.h>
#include <string.h>

enum {
    UNPACK = 16,       /* rows read at a time */
    NOTE_STATES = 1024 /* states between two notes of the use of code; a power of two */
};

static const om_match bare_move[] = { { 0, 0 } };

static int cross(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock);

int om_cursor__open(om_cursor **out, om_product *p, unsigned worker)
{
    if (worker >= p->spec.workers)
        return om_fail(p->ctx, OM_EINVAL, NULL, "worker %u of %u", worker, p->spec.workers);
    om_cursor *c = om_alloc(p->heap, 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(p->ctx);
    c->p = p;
    c->worker = worker;
    c->cross = (p->spec.variants & OM_PRODUCT_TESTING) != 0 ? om_testing_product__cross : cross;
    c->succ.heap = c->beyond.heap = p->heap;
    c->steps_of = OM_NO_ID;
    c->succ.stride = p->words;
    c->row_words = om_store__row_words(p->store);
    c->incremental = c->row_words > p->words;
    if (!OM_NEW(p->heap, c->fault_vector, p->model_words) ||
        !OM_NEW(p->heap, c->row, c->row_words) ||
        !OM_NEW(p->heap, c->source, (size_t) OM_CURSOR_BATCH * c->row_words)) {
        om_cursor__close(c);
        return om_fail_memory(p->ctx);
    }
    *out = c;
    return OM_OK;
}

void om_cursor__close(om_cursor *c)
{
    if (c == NULL)
        return;
    const om_heap *heap = c->p->heap;
    om_successors_free(&c->succ);
    OM_FREE_ALL(heap, c->source, c->near, c->ids, c->fresh, c->matches.all, c->steps, c->labels);
    om_successors_free(&c->beyond);
    om_testing_product__close(c);
    OM_FREE_ALL(heap, c->row, c->seen, c->fault_vector, c);
}

void om_cursor__counts(const om_cursor *c, uint64_t *edges, uint64_t *deadlocks)
{
    *edges = c->all_edges - c->edges_again;
    *deadlocks = c->deadlocks - c->deadlocks_again;
}

void om_cursor__count_edges(om_cursor *c, bool yes)
{
    /* What was gathered in between is subtracted from the totals. */
    const uint64_t sign = yes ? 1 : UINT64_MAX;
    if (c->again == !yes)
        return;
    c->edges_again += sign * c->all_edges;
    c->deadlocks_again += sign * c->deadlocks;
    c->again = !yes;
}

uint64_t om_cursor__deadlocks_met(const om_cursor *c)
{
    return c->deadlocks;
}

uint64_t om_cursor__bytes(const om_cursor *c)
{
    size_t row = sizeof *c->ids + sizeof *c->fresh + (c->incremental ? sizeof *c->near : 0);
    return sizeof *c + c->succ.capacity * (c->p->words + 1) * sizeof *c->succ.words +
           c->capacity * row + (size_t) (OM_CURSOR_BATCH + 1) * c->row_words * sizeof *c->row +
           c->matches.capacity * sizeof *c->matches.all + c->step_capacity * sizeof *c->steps +
           c->seen_capacity * sizeof *c->seen + c->label_capacity * sizeof *c->labels +
           c->beyond.capacity * (c->p->words + 1) * sizeof *c->beyond.words +
           om_testing_product__bytes(c);
}

static int fail_memory(const om_cursor *c)
{
    return om_fail_memory(c->p->ctx);
}

/* Keeps the first fault of each cursor; a failed assertion, which is a violation, replaces a fault
 * of another kind. */
static void note_fault(om_cursor *c, om_fault fault, const uint32_t *vector)
{
    assert(fault != 0);
    bool assertion = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
    if (c->fault != 0 && (!assertion || OM_FAULT_KIND(c->fault) == OM_FAULT_ASSERTION))
        return;
    c->fault = fault;
    c->fault_at = c->expanded;
    memcpy(c->fault_vector, vector, c->p->model_words * sizeof *vector);
}

om_fault om_cursor_fault(const om_cursor *c, om_id *at, uint32_t *vector)
{
    if (c->fault != 0 && vector != NULL)
        memcpy(vector, c->fault_vector, c->p->model_words * sizeof *vector);
    if (at != NULL)
        *at = c->fault_at;
    return c->fault;
}

om_fault om_cursor__take_fault(om_cursor *c, om_id *at)
{
    const om_fault fault = om_cursor_fault(c, at, NULL);
    c->fault = 0;
    return fault;
}

/* Reserves the per-row arrays for n rows. */
static bool reserve_rows(om_cursor *c, size_t n)
{
    const om_heap *heap = c->p->heap;
    if (n <= c->capacity)
        return true;
    size_t capacity = n < 64 ? 64 : n + n / 2;
    om_id *ids = om_resize(heap, c->ids, capacity, sizeof *ids);
    c->ids = ids == NULL ? c->ids : ids;
    bool *fresh = om_resize(heap, c->fresh, capacity, sizeof *fresh);
    c->fresh = fresh == NULL ? c->fresh : fresh;
    if (ids == NULL || fresh == NULL)
        return false;
    if (c->incremental) {
        const uint32_t **near = om_resize(heap, (void *) c->near, capacity, sizeof *near);
        if (near == NULL)
            return false;
        c->near = near;
    }
    c->capacity = capacity;
    return true;
}

/* ---- the edges of a state ---- */

om_label om_cursor__label(
    const om_cursor *c, const uint32_t *vector, bool deadlock, om_fault *fault)
{
    const om_executor *x = c->p->spec.executor;
    uint32_t ap = c->p->spec.deadlock_ap;
    om_label label = x->aps == 0 ? 0 : x->labels(x, vector, fault);
    if (ap == OM_NONE)
        return label;
    om_label bit = UINT64_C(1) << ap;
    return deadlock ? label | bit : label & ~bit;
}

/* The model goes wrong in this state: the state has no edges, but is no deadlock. */
int om_cursor__go_wrong(om_cursor *c, om_fault fault, const uint32_t *vector, size_t first)
{
    assert(first <= c->succ.count);
    note_fault(c, fault, vector);
    c->wrong = true;
    c->succ.fault = 0;
    c->succ.overflows = 0;
    c->succ.count = first;
    c->move_rows = 0;
    return OM_OK;
}

/* Turns the rows from `first` on, which are model moves from `vector`, into product moves. */
static int cross(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock)
{
    const om_product *p = c->p;
    om_successors *s = &c->succ;
    size_t n = s->count - first, stride = s->stride, moves;
    assert(n == c->move_rows); /* R1 */
    om_fault fault = 0;
    om_label label = om_cursor__label(c, vector, deadlock, &fault);
    if (fault != 0)
        return om_cursor__go_wrong(c, fault, vector, first);
    c->label = label;
    const om_match *m = om_matches__find(&c->matches, p->heap, p->spec.automaton,
        vector[p->model_words], label & p->own_aps, &moves);
    if (m == NULL || (moves > 1 && n > (SIZE_MAX - first) / moves))
        return fail_memory(c);
    c->moves = m;
    c->move_count = moves;
    if (moves > 1 && om_successors_reserve(s, first + n * moves, p->model_words) != OM_OK)
        return fail_memory(c);
    for (size_t j = 0; j < moves; j++) {
        uint32_t *rows = s->words + (first + j * n) * stride;
        if (j > 0) {
            memcpy(rows, s->words + first * stride, n * stride * sizeof *rows);
            memcpy(s->transition + first + j * n, s->transition + first, n * sizeof *s->transition);
        }
        for (size_t i = 0; i < n; i++)
            rows[i * stride + p->model_words] = m[j].dst;
    }
    s->count = first + n * moves;
    c->all_edges += n * moves;
    return OM_OK;
}

/* Adds a self-loop to a state without successors. */
static int stutter(om_cursor *c, const uint32_t *vector)
{
    om_successors *s = &c->succ;
    if (om_successors_reserve(s, s->count + 1, c->p->model_words) != OM_OK)
        return fail_memory(c);
    memcpy(s->words + s->count * s->stride, vector, c->p->model_words * sizeof *vector);
    s->transition[s->count++] = OM_STUTTER;
    return OM_OK;
}

/* Records the overflows met while a state was expanded. */
static void note_overflows(om_cursor *c, const uint32_t *vector)
{
    om_product *p = c->p;
    om_product_counter *k = &p->counters[c->worker];
    _Atomic uint64_t *own = c->again ? &k->overflows_again : &k->overflows;
    /* relaxed: a counter that this worker alone writes; the vector is read after the join. */
    uint64_t before = atomic_load_explicit(own, memory_order_relaxed);
    if (before == 0 && !atomic_flag_test_and_set_explicit(&p->overflown, memory_order_relaxed))
        memcpy(p->overflow_vector, vector, p->model_words * sizeof *vector);
    atomic_store_explicit(own, before + c->succ.overflows, memory_order_relaxed);
    c->succ.overflows = 0;
}

/* Adds the edges of a state, given by its row, to the gathered ones. */
static int gather(om_cursor *c, om_id id, const uint32_t *row)
{
    const om_product *p = c->p;
    const om_executor *x = p->spec.executor;
    om_successors *s = &c->succ;
    size_t first = s->count;

    c->expanded = id;
    int rc = x->append(x, row, s);
    if (rc != OM_OK)
        return rc == OM_ENOMEM ? fail_memory(c) : rc;
    assert(s->count >= first);
    bool wrong = s->fault != 0;
    if (wrong)
        (void) om_cursor__go_wrong(c, s->fault, row, first);
    if (wrong && !p->spec.faults_repeat)
        return OM_OK;
    bool deadlock = s->count == first && !wrong;
    if (p->spec.automaton == NULL)
        c->all_edges += s->count - first;
    if (deadlock) {
        c->deadlocks++;
        rc = p->spec.stutter ? stutter(c, row) : OM_OK;
    }
    if (wrong)
        rc = stutter(c, row);
    c->move_rows = s->count - first;
    if (rc == OM_OK && p->spec.automaton != NULL)
        rc = c->cross(c, row, first, deadlock);
    if (rc != OM_OK)
        return rc;
    if (!reserve_rows(c, s->count))
        return fail_memory(c);
    if (c->incremental)
        for (size_t i = first; i < s->count; i++)
            c->near[i] = row;
    return OM_OK;
}

static void begin(om_cursor *c)
{
    c->succ.count = 0;
    c->wrong = false;
    c->moves = bare_move;
    c->move_count = 1;
}

/* relaxed: a counter that this worker alone writes. */
static inline void add_figure(_Atomic uint64_t *to, uint64_t n)
{
    atomic_store_explicit(
        to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

/* Counts all gathered rows as edges of `sources` states. They are counted before duplicates are
 * merged, as on the device and in published figures. */
static void count_expansions(om_cursor *c, size_t sources)
{
    om_product_counter *k = &c->p->counters[c->worker];
    const uint64_t before = atomic_load_explicit(&k->expansions, memory_order_relaxed);
    if (!c->again)
        add_figure(&k->edges, c->succ.count);
    add_figure(&k->expansions, sources);
    if ((before ^ (before + sources)) >= NOTE_STATES)
        om_cursor__note_use(c);
}

/* Interns all gathered rows, which are edges of `sources` states. */
static int settle(om_cursor *c, size_t sources)
{
    om_product *p = c->p;
    size_t n = c->succ.count;
    assert(n <= c->capacity); /* R2 */
    int rc = om_product__intern(
        p, c->worker, c->succ.words, n, c->incremental ? c->near : NULL, c->ids, c->fresh);
    if (rc != OM_OK)
        return om_product__fail(p, rc);
    count_expansions(c, sources);
    return (p->spec.variants & OM_PRODUCT_TESTING) != 0 ? om_testing_product__keep(c) : OM_OK;
}

static void give_batch(const om_cursor *c, size_t sources, om_batch *out)
{
    *out = (om_batch){ .rows = c->succ.words,
        .ids = c->ids,
        .fresh = c->fresh,
        .count = c->succ.count,
        .sources = sources,
        .ends = c->ends,
        .source_rows = c->source_rows };
}

/* Reads the rows of ids[0], ids[1], ..., at most UNPACK of them; returns how many. */
static size_t read_rows(om_cursor *c, const om_id *ids, size_t n, uint32_t *rows)
{
    size_t k = n < UNPACK ? n : UNPACK;
    om_store__rows(c->p->store, ids, k, rows);
    return k;
}

int om_cursor__expand(om_cursor *c, const om_id *ids, size_t n, om_batch *out)
{
    const om_store *store = c->p->store;
    size_t i = 0, ready = 0;
    int rc = OM_OK;

    assert(n <= OM_CURSOR_BATCH);
    begin(c);
    for (; i < n && rc == OM_OK && c->succ.count < OM_CURSOR_ROWS && !c->wrong; i++) {
        assert(ids[i] < om_store__bound(store));
        /* Not all rows at once: the successors of some states may fill the batch. */
        if (c->incremental && i == ready)
            ready += read_rows(c, ids + i, n - i, c->source + i * c->row_words);
        /* The rows of a plain store are contiguous in memory and need no prefetch. */
        const uint32_t *row =
            c->incremental ? c->source + i * c->row_words : om_store__row(store, ids[i], c->row);
        c->source_rows[i] = row;
        rc = gather(c, ids[i], row);
        c->ends[i] = c->succ.count;
        if (c->succ.overflows != 0)
            note_overflows(c, row);
    }
    if (rc == OM_OK)
        rc = settle(c, i);
    give_batch(c, i, out);
    return rc;
}

int om_cursor__leads(om_cursor *c, om_id from, om_id to, bool *out)
{
    const om_product *p = c->p;
    uint64_t all_edges = c->all_edges, deadlocks = c->deadlocks;

    begin(c);
    int rc = gather(c, from, om_store__row(p->store, from, c->source));
    c->all_edges = all_edges;
    c->deadlocks = deadlocks;
    c->succ.overflows = 0;
    const uint32_t *vector = om_store__row(p->store, to, c->row);
    *out = false;
    for (size_t i = 0; i < c->succ.count && rc == OM_OK && !*out; i++)
        *out = memcmp(c->succ.words + i * p->words, vector, p->words * sizeof *vector) == 0;
    return rc;
}

/* Gathers the rows of the initial states. */
static int gather_initial(om_cursor *c)
{
    om_product *p = c->p;
    const om_automaton *a = p->spec.automaton;
    om_successors *s = &c->succ;
    size_t n = a == NULL ? 1 : om_automaton_initial_count(a);

    begin(c);
    if (om_successors_reserve(s, n + 1, p->model_words) != OM_OK || !reserve_rows(c, n))
        return fail_memory(c);
    /* The model's initial state is written after the rows made from it. */
    uint32_t *model = s->words + n * p->words;
    p->spec.executor->initial(p->spec.executor, model);
    for (size_t i = 0; i < n; i++) {
        memcpy(s->words + i * p->words, model, p->model_words * sizeof *model);
        if (a != NULL)
            s->words[i * p->words + p->model_words] = om_automaton_initial(a, (uint32_t) i);
        s->transition[i] = OM_NONE;
    }
    s->count = c->move_rows = n;
    if ((p->spec.variants & OM_PRODUCT_TESTING) == 0)
        return OM_OK;
    int rc = om_testing_product__initial(c);
    return rc == OM_OK && !reserve_rows(c, s->count) ? fail_memory(c) : rc;
}

int om_cursor__initial(om_cursor *c, om_batch *out)
{
    om_product *p = c->p;
    int rc = gather_initial(c);
    assert(rc != OM_OK || c->succ.count <= c->capacity); /* R2 */
    if (rc == OM_OK)
        rc = om_product__fail(p,
            om_product__intern(p, c->worker, c->succ.words, c->succ.count, NULL, c->ids, c->fresh));
    if (rc == OM_OK && (p->spec.variants & OM_PRODUCT_TESTING) != 0)
        rc = om_testing_product__keep(c);
    give_batch(c, 0, out);
    return rc;
}

int om_cursor__rows(om_cursor *c, const uint32_t *vector)
{
    if (vector == NULL)
        return gather_initial(c);
    begin(c);
    int rc = gather(c, OM_NO_ID, vector);
    if (c->succ.overflows != 0)
        note_overflows(c, vector);
    if (rc == OM_OK)
        count_expansions(c, 1);
    return rc;
}

/* ---- stored states ---- */

void om_cursor_vector(const om_cursor *c, om_id id, uint32_t *vector)
{
    memcpy(vector, om_store__row(c->p->store, id, c->row), c->p->words * sizeof *vector);
}

uint32_t om_cursor_automaton_state(const om_cursor *c, om_id id)
{
    if (c->p->spec.automaton == NULL)
        return 0;
    return om_store__row(c->p->store, id, c->row)[c->p->model_words];
}

int om_cursor_intern(om_cursor *c, const uint32_t *vector, om_id *id, bool *fresh)
{
    return om_product__fail(c->p, om_product__intern(c->p, c->worker, vector, 1, NULL, id, fresh));
}

uint64_t om_cursor__edge_count(const om_cursor *c)
{
    return atomic_load_explicit(&c->p->counters[c->worker].edges, memory_order_relaxed);
}
