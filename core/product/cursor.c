/* SPDX-License-Identifier: Apache-2.0 */
#include "product_impl.h"

#include <assert.h>
#include <string.h>

int om_cursor_open(om_cursor **out, om_product *p, unsigned worker)
{
    if (worker >= p->spec.workers)
        return om_fail(p->ctx, OM_EINVAL, NULL, "worker %u of %u", worker, p->spec.workers);
    om_cursor *c = om_alloc(p->heap, 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(p->ctx);
    c->p = p;
    c->worker = worker;
    c->succ.heap = p->heap;
    c->fault_vector = om_alloc(p->heap, p->model_words, sizeof *c->fault_vector);
    c->row = om_alloc(p->heap, om_store_row_words(p->store), sizeof *c->row);
    if (c->fault_vector == NULL || c->row == NULL) {
        om_cursor_close(c);
        return om_fail_memory(p->ctx);
    }
    *out = c;
    return OM_OK;
}

void om_cursor_close(om_cursor *c)
{
    if (c == NULL)
        return;
    om_successors_free(&c->succ);
    om_free(c->p->heap, c->matches);
    om_free(c->p->heap, c->rows);
    om_free(c->p->heap, c->row);
    om_free(c->p->heap, c->ids);
    om_free(c->p->heap, c->fresh);
    om_free(c->p->heap, c->steps);
    om_free(c->p->heap, c->seen);
    om_free(c->p->heap, c->fault_vector);
    om_free(c->p->heap, c);
}

static int fail_memory(const om_cursor *c)
{
    return om_fail_memory(c->p->ctx);
}

static int set_fault(om_cursor *c, om_fault fault, const uint32_t *vector)
{
    c->fault = fault;
    memcpy(c->fault_vector, vector, c->p->model_words * sizeof *vector);
    return OM_EMODEL;
}

om_fault om_cursor_fault(const om_cursor *c, uint32_t *vector)
{
    if (c->fault != 0 && vector != NULL)
        memcpy(vector, c->fault_vector, c->p->model_words * sizeof *vector);
    return c->fault;
}

/* Room for n steps, their ids, and the table that finds duplicates among them. */
static bool room_for_steps(om_cursor *c, size_t n)
{
    const om_heap *heap = c->p->heap;
    if (n <= c->room)
        return true;
    size_t room = c->room < 16 ? 16 : c->room;
    while (room < n)
        room *= 2;
    om_id *ids = om_resize(heap, c->ids, room, sizeof *ids);
    c->ids = ids == NULL ? c->ids : ids;
    bool *fresh = om_resize(heap, c->fresh, room, sizeof *fresh);
    c->fresh = fresh == NULL ? c->fresh : fresh;
    om_step *steps = om_resize(heap, c->steps, room, sizeof *steps);
    c->steps = steps == NULL ? c->steps : steps;
    struct om_seen *seen = om_alloc(heap, 2 * room, sizeof *seen);
    if (ids == NULL || fresh == NULL || steps == NULL || seen == NULL) {
        om_free(heap, seen);
        return false;
    }
    om_free(heap, c->seen);
    c->seen = seen;
    c->seen_room = 2 * room;
    c->stamp = 0;
    c->room = room;
    return true;
}

/* Is a step to the same state with the same marks among steps[0 .. n-1]? Else remembers step n. */
static bool seen_before(om_cursor *c, size_t n)
{
    const om_step *s = &c->steps[n];
    size_t mask = c->seen_room - 1;
    size_t at = (size_t) ((s->to * 0x9e3779b97f4a7c15u ^ s->marks * 0xbf58476d1ce4e5b9u) >> 20);

    for (at &= mask; c->seen[at].stamp == c->stamp; at = (at + 1) & mask) {
        const om_step *t = &c->steps[c->seen[at].step];
        if (t->to == s->to && t->marks == s->marks)
            return true;
    }
    c->seen[at] = (struct om_seen){ c->stamp, (uint32_t) n };
    return false;
}

static void new_stamp(om_cursor *c)
{
    if (++c->stamp == 0) {
        memset(c->seen, 0, c->seen_room * sizeof *c->seen);
        c->stamp = 1;
    }
}

/*
 * The worker's own order: a function of the seed, the worker and the state alone, so that asking
 * twice gives the same order. Worker 0 of seed 0 keeps the model's.
 */
static void permute(om_cursor *c, om_id from, size_t n)
{
    if (c->p->spec.seed == 0 && c->worker == 0)
        return;
    om_random r = { c->p->spec.seed * 0xd1342543de82ef95u + c->worker };
    r.state = om_random_next(&r) ^ from * 0x9e3779b97f4a7c15u;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t) om_random_below(&r, i);
        om_step swap = c->steps[i - 1];
        c->steps[i - 1] = c->steps[j];
        c->steps[j] = swap;
    }
}

/* The automaton's moves from state q under a label, exact duplicates once. */
static int match_edges(om_cursor *c, uint32_t q, om_label label)
{
    uint32_t count;
    const om_edge *edges = om_automaton_edges(c->p->spec.automaton, q, &count);
    const om_cube *cubes = om_automaton_cubes(c->p->spec.automaton);

    om_match *m = om_grow(c->p->heap, c->matches, &c->match_room, count, sizeof *m);
    if (m == NULL)
        return fail_memory(c);
    c->matches = m;
    c->match_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (om_edge_matches(&edges[i], cubes, label))
            m[c->match_count++] = (om_match){ edges[i].dst, edges[i].marks };
    return OM_OK;
}

/* Interns all rows gathered; their steps have marks and transitions already. */
static int settle(om_cursor *c)
{
    size_t n = c->step_count;
    int rc =
        om_store_intern(c->p->store, c->worker, c->rows, c->p->words, n, NULL, c->ids, c->fresh);
    if (rc != OM_OK)
        return om_product__fail(c->p, rc);
    for (size_t i = 0; i < n; i++) {
        c->steps[i].to = c->ids[i];
        c->steps[i].fresh = c->fresh[i];
    }
    return OM_OK;
}

/* Drops exact duplicates (the first stays, and is fresh where one of them was). */
static size_t drop_duplicates(om_cursor *c, size_t n)
{
    size_t kept = 0;
    if (n < 2)
        return n;
    new_stamp(c);
    for (size_t i = 0; i < n; i++) {
        c->steps[kept] = c->steps[i];
        kept += !seen_before(c, kept);
    }
    return kept;
}

/* Room for n more steps and their rows. */
static bool room_for(om_cursor *c, size_t n)
{
    n += c->step_count;
    if (n > SIZE_MAX / c->p->words || !room_for_steps(c, n))
        return false;
    uint32_t *rows = om_grow(c->p->heap, c->rows, &c->row_room, n * c->p->words, sizeof *c->rows);
    if (rows == NULL)
        return false;
    c->rows = rows;
    return true;
}

static void put(om_cursor *c, const uint32_t *model, om_step step)
{
    memcpy(c->rows + c->step_count * c->p->words, model, c->p->model_words * sizeof *model);
    c->steps[c->step_count++] = step;
}

/* Every model move with every automaton move that matched. */
static int cross(om_cursor *c, const uint32_t *moves, size_t count, bool stutter)
{
    uint32_t words = c->p->words, model_words = c->p->model_words;
    if (!room_for(c, count * c->match_count))
        return fail_memory(c);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < c->match_count; j++) {
            c->rows[c->step_count * words + model_words] = c->matches[j].dst;
            put(c, moves + i * model_words,
                (om_step){ .marks = c->matches[j].marks,
                    .transition = stutter ? OM_STUTTER : c->succ.transition[i] });
        }
    c->all_edges += count * c->match_count;
    return OM_OK;
}

/* The model alone. */
static int bare(om_cursor *c, const uint32_t *moves, size_t count, bool stutter)
{
    if (!room_for(c, count))
        return fail_memory(c);
    for (size_t i = 0; i < count; i++)
        put(c, moves + i * c->p->model_words,
            (om_step){ .transition = stutter ? OM_STUTTER : c->succ.transition[i] });
    c->all_edges += stutter ? 0 : count;
    return OM_OK;
}

static int label_of(om_cursor *c, const uint32_t *vector, om_label *label)
{
    const om_executor *x = c->p->spec.executor;
    om_fault fault = 0;
    uint32_t ap = c->p->spec.deadlock_ap;

    *label = x->aps == 0 ? 0 : x->labels(x, vector, &fault);
    if (fault != 0)
        return set_fault(c, fault, vector);
    if (ap != OM_NONE) {
        om_label bit = UINT64_C(1) << ap;
        *label = c->model_successors == 0 ? *label | bit : *label & ~bit;
    }
    return OM_OK;
}

/* Adds the edges of a state to those gathered. */
static int gather(om_cursor *c, om_id from)
{
    om_product *p = c->p;
    const uint32_t *vector = om_store_row(p->store, from, c->row);
    om_label label;

    assert(from < om_store_bound(p->store));
    c->fault = 0;
    int rc = om_executor_successors(p->spec.executor, vector, &c->succ);
    if (rc != OM_OK)
        return rc == OM_ENOMEM ? fail_memory(c) : rc;
    if (c->succ.fault != 0)
        return set_fault(c, c->succ.fault, vector);
    c->model_successors = (uint32_t) c->succ.count;
    c->deadlocks += c->succ.count == 0;
    bool stutter = c->succ.count == 0 && p->spec.stutter;
    const uint32_t *moves = stutter ? vector : c->succ.words;
    size_t count = stutter ? 1 : c->succ.count;
    if (p->spec.automaton == NULL)
        return bare(c, moves, count, stutter);
    rc = label_of(c, vector, &label);
    if (rc == OM_OK)
        rc = match_edges(c, vector[p->model_words], label);
    return rc == OM_OK ? cross(c, moves, count, stutter) : rc;
}

int om_cursor__expand(
    om_cursor *c, const om_id *from, size_t n, const om_step **steps, size_t *count)
{
    int rc = OM_OK;
    c->step_count = 0;
    for (size_t i = 0; i < n && rc == OM_OK; i++) {
        if (i + 1 < n)
            om_store_prefetch(c->p->store, from[i + 1]);
        rc = gather(c, from[i]);
    }
    if (rc == OM_OK)
        rc = settle(c);
    *steps = c->steps;
    *count = c->step_count;
    return rc;
}

int om_cursor_successors(om_cursor *c, om_id from, const om_step **steps, size_t *count)
{
    size_t n;
    int rc = om_cursor__expand(c, &from, 1, steps, &n);
    if (rc != OM_OK)
        return rc;
    _Atomic uint64_t *edges = &c->p->counters[c->worker].edges;
    /* relaxed: a figure, written by this worker alone. Before duplicates are merged, as the device
     * and the published figures count. */
    atomic_store_explicit(
        edges, atomic_load_explicit(edges, memory_order_relaxed) + n, memory_order_relaxed);
    n = drop_duplicates(c, n);
    permute(c, from, n);
    *count = n;
    return OM_OK;
}

int om_cursor_initial(om_cursor *c, const om_step **steps, size_t *count)
{
    const om_product *p = c->p;
    const om_automaton *a = p->spec.automaton;
    size_t n = a == NULL ? 1 : om_automaton_initial_count(a);

    c->fault = 0;
    c->step_count = 0;
    if (!room_for(c, n + 1))
        return fail_memory(c);
    /* The model's initial state lies behind the rows made from it. */
    uint32_t *model = c->rows + n * p->words;
    p->spec.executor->initial(p->spec.executor, model);
    for (size_t i = 0; i < n; i++) {
        if (a != NULL)
            c->rows[i * p->words + p->model_words] = om_automaton_initial(a, (uint32_t) i);
        put(c, model, (om_step){ .transition = OM_NONE });
    }
    int rc = settle(c);
    if (rc != OM_OK)
        return rc;
    n = drop_duplicates(c, n);
    permute(c, OM_NO_ID, n);
    *steps = c->steps;
    *count = n;
    return OM_OK;
}

void om_cursor_vector(const om_cursor *c, om_id id, uint32_t *vector)
{
    memcpy(vector, om_store_row(c->p->store, id, c->row), c->p->words * sizeof *vector);
}

uint32_t om_cursor_automaton_state(const om_cursor *c, om_id id)
{
    if (c->p->spec.automaton == NULL)
        return 0;
    return om_store_row(c->p->store, id, c->row)[c->p->model_words];
}

int om_cursor_intern(om_cursor *c, const uint32_t *vector, om_id *id, bool *fresh)
{
    return om_product__fail(
        c->p, om_store_intern(c->p->store, c->worker, vector, c->p->words, 1, NULL, id, fresh));
}

uint64_t om_cursor_edge_count(const om_cursor *c)
{
    return atomic_load_explicit(&c->p->counters[c->worker].edges, memory_order_relaxed);
}
