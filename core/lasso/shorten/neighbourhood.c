/* SPDX-License-Identifier: Apache-2.0 */
#include "neighbourhood.h"

#include "product.h"
#include "extract/seek.h"

#include <assert.h>

bool om_neighbourhood__must_stop(const om_neighbourhood *b)
{
    return om_context_stopped(b->ctx) != OM_OK || om_seek__timed_out(b->until_ns, 0);
}

/* ---- states ---- */

/* Returns in *number the number of a state of the model, and adds the state if it is new. */
static int meet(om_neighbourhood *b, om_id id, uint32_t *number)
{
    uint32_t *at = om_side_at(b->numbers, id);
    if (at == NULL || b->count >= OM_NONE - 1)
        return om_fail_memory(b->ctx);
    if (*at == 0) {
        om_neighbourhood_state *s = om_grow(b->heap, b->states, &b->room, b->count + 1, sizeof *s);
        if (s == NULL)
            return om_fail_memory(b->ctx);
        b->states = s;
        s[b->count] = (om_neighbourhood_state){ .id = id, .place = OM_NONE };
        *at = (uint32_t) ++b->count;
    }
    *number = *at - 1;
    return OM_OK;
}

/* Computes the label of a state. If it cannot be evaluated, the model has a fault there, and *good
 * is false. */
static int read_letter(om_neighbourhood *b, om_id id, bool deadlock, bool *good, uint32_t *letter)
{
    const om_executor *x = om_product_spec_of(b->product)->executor;
    om_fault fault = 0;
    om_label label = 0;
    om_cursor_vector(b->cursor, id, b->vector);
    if (x->aps != 0)
        label = x->labels(x, b->vector, &fault);
    if (b->deadlock_ap != OM_NONE) {
        om_label bit = UINT64_C(1) << b->deadlock_ap;
        label = deadlock ? label | bit : label & ~bit;
    }
    *good = fault == 0;
    return *good ? om_profiles__letter(&b->profiles, label, letter) : OM_OK;
}

static int expand(om_neighbourhood *b, uint32_t state)
{
    const om_step *steps;
    size_t n = 0;
    bool good = true;
    uint32_t letter = 0, to = 0;
    const om_id id = b->states[state].id;
    int rc = om_cursor_successors(b->cursor, id, &steps, &n);
    if (rc == OM_OK && n != 0)
        rc = read_letter(b, id, steps[0].transition == OM_STUTTER, &good, &letter);
    if (rc != OM_OK)
        return rc;
    if (!good)
        n = 0;
    uint32_t *edges =
        om_grow(b->heap, b->edges, &b->edge_room, b->edge_count + n + 1, sizeof *edges);
    if (edges == NULL)
        return om_fail_memory(b->ctx);
    b->edges = edges;
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        rc = meet(b, steps[i].to, &to);
        edges[b->edge_count + i] = to;
    }
    om_neighbourhood_state *s = &b->states[state];
    s->first = b->edge_count;
    s->edges = (uint32_t) n;
    s->letter = letter;
    s->expanded = true;
    b->edge_count += n;
    return rc;
}

/* ---- places ---- */

static bool is_covered(const om_neighbourhood *b, uint32_t state, uint32_t set)
{
    uint32_t i = b->states[state].place;
    while (i != OM_NONE && !om_profiles__covers(&b->profiles, b->places[i].set, set))
        i = b->places[i].other;
    return i != OM_NONE;
}

static int come_to(om_neighbourhood *b, uint32_t state, uint32_t set, uint32_t parent)
{
    if (is_covered(b, state, set))
        return OM_OK;
    om_neighbourhood_place *p =
        om_grow(b->heap, b->places, &b->place_room, b->place_count + 1, sizeof *p);
    if (p == NULL || b->place_count >= OM_NONE - 1)
        return om_fail_memory(b->ctx);
    b->places = p;
    p[b->place_count] = (om_neighbourhood_place){ .state = state,
        .set = set,
        .parent = parent,
        .depth = parent == OM_NONE ? 0 : p[parent].depth + 1,
        .other = b->states[state].place };
    b->states[state].place = (uint32_t) b->place_count++;
    return OM_OK;
}

static int go_on(om_neighbourhood *b, uint32_t place)
{
    const om_neighbourhood_place at = b->places[place];
    uint32_t set = OM_NONE;
    int rc = b->states[at.state].expanded ? OM_OK : expand(b, at.state);
    const om_neighbourhood_state s = b->states[at.state];
    if (rc == OM_OK && s.edges != 0)
        rc = om_profiles__after(&b->profiles, at.set, s.letter, &set);
    for (uint32_t i = 0; rc == OM_OK && set != OM_NONE && i < s.edges; i++)
        rc = come_to(b, b->edges[s.first + i], set, place);
    return rc;
}

int om_neighbourhood__grow(om_neighbourhood *b, size_t depth)
{
    int rc = OM_OK;
    while (rc == OM_OK && b->done < b->place_count && b->places[b->done].depth <= depth) {
        rc = om_neighbourhood__must_stop(b) ? OM_ELIMIT : go_on(b, (uint32_t) b->done);
        b->done += rc == OM_OK;
    }
    return rc;
}

int om_neighbourhood__open(
    om_neighbourhood *b, om_context *ctx, const om_product_spec *spec, uint64_t until_ns)
{
    om_product_spec model = *spec;
    const om_step *steps;
    uint32_t state = 0, set = 0;
    size_t n = 0;
    *b = (om_neighbourhood){ .ctx = ctx,
        .heap = om_context_heap(ctx),
        .deadlock_ap = spec->deadlock_ap,
        .until_ns = until_ns };
    model.automaton = NULL;
    model.deadlock_ap = OM_NONE;
    model.workers = 1;
    model.states = NULL;
    model.first_worker = 0;
    int rc = om_product__new(&b->product, ctx, &model);
    if (rc == OM_OK)
        rc = om_cursor__open(&b->cursor, b->product, 0);
    if (rc == OM_OK)
        rc = om_side_new(&b->numbers, b->product, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = om_profiles__open(&b->profiles, ctx, spec->automaton);
    if (rc != OM_OK)
        return rc;
    b->vector = om_alloc(b->heap, om_product_words(b->product), sizeof *b->vector);
    if (b->vector == NULL)
        return om_fail_memory(ctx);
    rc = om_profiles__initial(&b->profiles, &set);
    if (rc == OM_OK)
        rc = om_cursor_initial(b->cursor, &steps, &n);
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        rc = meet(b, steps[i].to, &state);
        if (rc == OM_OK)
            rc = come_to(b, state, set, OM_NONE);
    }
    return rc;
}

void om_neighbourhood__close(om_neighbourhood *b)
{
    if (b->ctx == NULL)
        return;
    om_side_free(b->numbers);
    om_cursor__close(b->cursor);
    om_product__free(b->product);
    om_profiles__close(&b->profiles);
    om_free(b->heap, b->vector);
    om_free(b->heap, b->states);
    om_free(b->heap, b->edges);
    om_free(b->heap, b->places);
}

/* ---- accepting components of the product ---- */

/* A state of the product: `node` is the number of the model's state times the number of automaton
 * states, plus the automaton's state. */
typedef struct frame {
    uint64_t node;
    uint32_t low;
    uint32_t move;
    uint32_t edge;
} frame;

/* Tarjan, "Depth-first search and linear graph algorithms", 1972. */
typedef struct tarjan {
    om_neighbourhood *b;
    uint32_t *number; /* by node, from 1 on; 0: new; DONE */
    uint64_t *stack;
    size_t stacked, stack_room;
    frame *frames;
    size_t depth, room;
    uint32_t met;
} tarjan;

#define DONE UINT32_MAX

static int enter(tarjan *t, uint64_t node)
{
    om_neighbourhood *b = t->b;
    frame *f = om_grow(b->heap, t->frames, &t->room, t->depth + 1, sizeof *f);
    t->frames = f == NULL ? t->frames : f;
    uint64_t *stack = om_grow(b->heap, t->stack, &t->stack_room, t->stacked + 1, sizeof *stack);
    t->stack = stack == NULL ? t->stack : stack;
    if (f == NULL || stack == NULL || t->met >= DONE - 1)
        return om_fail_memory(b->ctx);
    t->number[node] = ++t->met;
    stack[t->stacked++] = node;
    f[t->depth++] = (frame){ .node = node, .low = t->met };
    return om_neighbourhood__must_stop(b) ? OM_ELIMIT : OM_OK;
}

/* Returns the next edge of a product state whose target is expanded, too. */
static bool next_edge(const om_neighbourhood *b, frame *f, uint64_t *to, om_marks *marks)
{
    uint32_t states = b->profiles.states;
    const om_neighbourhood_state *s = &b->states[f->node / states];
    size_t n;
    if (s->edges == 0) /* it may have no letter */
        return false;
    const struct om_profile_move *m =
        om_profiles__moves(&b->profiles, s->letter, (uint32_t) (f->node % states), &n);
    for (; f->move < n; f->move++, f->edge = 0)
        while (f->edge < s->edges) {
            uint32_t state = b->edges[s->first + f->edge++];
            if (!b->states[state].expanded)
                continue;
            *to = (uint64_t) state * states + m[f->move].to;
            *marks = m[f->move].marks;
            return true;
        }
    return false;
}

/*
 * Pops a component, the nodes on the stack from `from` on, and marks its states good if it accepts.
 */
static void close_component(tarjan *t, size_t from)
{
    om_neighbourhood *b = t->b;
    uint32_t root = t->number[t->stack[from]];
    om_marks seen = 0, marks = 0;
    bool cycle = false;
    for (size_t i = from; i < t->stacked; i++) {
        frame f = { .node = t->stack[i] };
        uint64_t to = 0;
        while (next_edge(b, &f, &to, &marks))
            if (t->number[to] != DONE && t->number[to] >= root) {
                cycle = true;
                seen |= marks;
            }
    }
    for (size_t i = from; i < t->stacked; i++) {
        t->number[t->stack[i]] = DONE;
        if (cycle && seen == b->profiles.all)
            b->states[t->stack[i] / b->profiles.states].good = true;
    }
    t->stacked = from;
}

static void leave(tarjan *t)
{
    const frame f = t->frames[--t->depth];
    if (f.low != t->number[f.node]) {
        frame *below = &t->frames[t->depth - 1];
        below->low = f.low < below->low ? f.low : below->low;
        return;
    }
    size_t from = t->stacked;
    while (t->stack[--from] != f.node) {
    }
    close_component(t, from);
}

static int visit(tarjan *t, uint64_t start)
{
    uint64_t to = 0;
    om_marks marks;
    int rc = t->number[start] == 0 ? enter(t, start) : OM_OK;
    while (rc == OM_OK && t->depth > 0) {
        frame *f = &t->frames[t->depth - 1];
        if (!next_edge(t->b, f, &to, &marks))
            leave(t);
        else if (t->number[to] == 0)
            rc = enter(t, to);
        else if (t->number[to] < f->low) /* false for DONE */
            f->low = t->number[to];
    }
    return rc;
}

int om_neighbourhood__find_good(om_neighbourhood *b)
{
    const uint32_t states = b->profiles.states;
    tarjan t = { .b = b, .number = om_alloc(b->heap, b->count * states, sizeof *t.number) };
    int rc = t.number == NULL ? om_fail_memory(b->ctx) : OM_OK;
    for (size_t i = 0; i < b->count; i++)
        b->states[i].good = false;
    /* The first places are the initial ones. */
    for (size_t i = 0; rc == OM_OK && i < b->place_count && b->places[i].depth == 0; i++)
        for (uint32_t q = 0; rc == OM_OK && q < states; q++)
            if (b->states[b->places[i].state].expanded &&
                om_profiles__has(&b->profiles, b->places[i].set, q))
                rc = visit(&t, (uint64_t) b->places[i].state * states + q);
    om_free(b->heap, t.number);
    om_free(b->heap, t.stack);
    om_free(b->heap, t.frames);
    return rc;
}
