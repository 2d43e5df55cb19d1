/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relations of partial order reduction: those of single accesses for all values of a small
 * domain, and those of random models in their reachable states, by trying both orders of each two
 * steps (D1), looking at every guard after every step (D2), and for cycles without a sticky step
 * (D3). Memory that runs out.
 */
#include "forge.h"
#include "heap.h"
#include "relations.h"

#include "execute/executor.h"
#include "stubborn/stubborn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- single accesses ---- */

enum { LOW = -3, HIGH = 3 };

static om_value written(const om_access *w, om_value v)
{
    return w->kind == OM_WRITE_CONST ? w->value : v + w->value;
}

/* What holds for all values must be said; conflicts and enabling may be said too often. */
static void compare(const om_access *a, const om_access *b)
{
    const bool tests = om_access__tests(a), test_too = om_access__tests(b);
    for (om_value v = LOW; v <= HIGH; v++) {
        if (tests && test_too && om_access__passes(a, v) && om_access__passes(b, v))
            assert_false(om_access__exclude(a, b));
        if (tests && !test_too) {
            const bool before = om_access__passes(a, v),
                       after = om_access__passes(a, written(b, v));
            if (before && !after)
                assert_true(om_access__conflict(a, b) && om_access__conflict(b, a));
            if (!before && after)
                assert_true(om_access__may_enable(b, a));
        }
        if (!tests && !test_too && written(a, written(b, v)) != written(b, written(a, v)))
            assert_true(om_access__conflict(a, b));
    }
}

static void test_accesses(void **state)
{
    (void) state;
    om_access all[6 * (HIGH - LOW + 1)];
    size_t n = 0;
    for (om_value v = LOW; v <= HIGH; v++)
        for (int kind = OM_TEST_EQUAL; kind <= OM_WRITE_ADD; kind++)
            if (kind != OM_WRITE)
                all[n++] = (om_access){ (om_access_kind) kind, 7, 1, v, OM_MIDDLE };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            compare(&all[i], &all[k]);
    const om_access read = { OM_READ, 6, 3, 0, OM_MIDDLE },
                    write = { OM_WRITE, 7, 1, 0, OM_MIDDLE };
    for (size_t i = 0; i < n; i++) {
        const om_access far = { all[i].kind, 9, 1, all[i].value, OM_MIDDLE };
        assert_true(om_access__conflict(&all[i], &write));
        assert_true(om_access__conflict(&all[i], &read) == om_access__writes(&all[i]));
        assert_false(om_access__conflict(&all[i], &far) || om_access__exclude(&all[i], &far));
        assert_false(om_access__may_enable(&write, &far));
    }
    assert_false(om_access__conflict(&read, &read));
    assert_true(om_access__conflict(&write, &write) && om_access__may_enable(&write, &read));
}

/* ---- cycles ---- */

enum { MOST_STATES = 400 };

typedef struct reached {
    uint32_t vectors[MOST_STATES][MOST_WORDS];
    uint32_t count;
    uint8_t edge[MOST_STATES][MOST_STATES]; /* a step that is not sticky */
} reached;

static uint32_t number_of(reached *g, const uint32_t *vector, uint32_t words)
{
    uint32_t i = 0;
    while (i < g->count && memcmp(g->vectors[i], vector, words * sizeof *vector) != 0)
        i++;
    if (i == g->count && i < MOST_STATES) {
        memcpy(g->vectors[i], vector, words * sizeof *vector);
        g->count++;
    }
    return i;
}

/* Explores the first states from one with a choice on, with the steps that are not sticky, and the
 * sequences that they start, as edges; returns their number. */
static uint64_t reach(relations *r, reached *g, uint32_t *into)
{
    uint64_t edges = 0;
    memset(g, 0, sizeof *g);
    (void) number_of(g, r->choice, r->x->words);
    for (uint32_t i = 0; i < g->count; i++) {
        r->first.fault = 0;
        assert_int_equal(om_executor_successors(r->x, g->vectors[i], &r->first), OM_OK);
        for (size_t k = 0; r->first.fault == 0 && k < r->first.count; k++) {
            ends e = { .count = 0 };
            bool disabled;
            (void) relations_ends(r, g->vectors[i], r->first.transition[k], &e, &disabled);
            for (uint32_t n = 0; n < e.count; n++) {
                const uint32_t to = number_of(g, e.at[n], r->x->words);
                if (to == MOST_STATES || r->d.sticky[r->first.transition[k]] || g->edge[i][to])
                    continue;
                g->edge[i][to] = 1;
                into[to]++;
                edges++;
            }
        }
    }
    return edges;
}

/* D3: without sticky steps there is no cycle: each state can be removed when no other one leads to
 * it. */
static uint64_t look_for_cycles(relations *r, reached *g)
{
    uint32_t into[MOST_STATES] = { 0 }, removed[MOST_STATES], count = 0;
    const uint64_t edges = reach(r, g, into);
    for (uint32_t i = 0; i < g->count; i++)
        if (into[i] == 0)
            removed[count++] = i;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t to = 0; to < g->count; to++)
            if (g->edge[removed[k]][to] && --into[to] == 0)
                removed[count++] = to;
    assert_int_equal(count, g->count);
    return edges;
}

/* Cells without processes, as in a net: most transitions move a token, some set a cell. The values
 * are from 0 or from -1 on. */
static om_model *cells(om_context *ctx, om_random *random)
{
    om_model *m = NULL;
    uint32_t slots[4];
    const om_value low = -(om_value) om_random_below(random, 2);
    assert_int_equal(om_model_new(&m, ctx, "cells"), OM_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const char name[] = { (char) ('a' + (int) i), '\0' };
        const om_slot s = { .name = name,
            .type = low < 0 ? OM_I16 : OM_U8,
            .process = OM_NONE,
            .initial = &(om_value){ low + (om_value) om_random_below(random, 3) } };
        assert_int_equal(om_model_add_slot(m, &s, &slots[i]), OM_OK);
    }
    for (int i = 0; i < 7; i++) {
        const uint32_t from = slots[om_random_below(random, 4)],
                       to = slots[om_random_below(random, 4)];
        const om_expr one = om_expr_const(m, 1), x = om_expr_slot(m, from), y = om_expr_slot(m, to);
        const om_expr room = om_expr_binary(
            m, om_random_below(random, 2) == 0 ? OM_OP_LT : OM_OP_NE, y, om_expr_const(m, low + 3));
        const om_expr any = om_expr_binary(
            m, om_random_below(random, 2) == 0 ? OM_OP_GT : OM_OP_NE, x, om_expr_const(m, low));
        const uint64_t kind = om_random_below(random, 6);
        om_assign as[2] = { { from, 0, om_expr_binary(m, OM_OP_SUB, x, one) },
            { to, 0, om_expr_binary(m, OM_OP_ADD, y, one) } };
        om_transition t = { .process = OM_NONE,
            .partner = OM_NONE,
            .guard = om_expr_binary(m, OM_OP_AND, any, room),
            .assigns = as,
            .assign_count = kind == 0 ? 1 : 2,
            .label = "t" };
        if (om_random_below(random, 4) == 0)
            t.guard = om_expr_binary(
                m, OM_OP_AND, t.guard, om_expr_binary(m, OM_OP_NE, x, om_expr_const(m, low + 1)));
        if (kind == 1) /* a token from nowhere */
            as[0] = (om_assign){ from, 0,
                om_expr_const(m, low + (om_value) om_random_below(random, 3)) };
        if (kind == 2)
            as[1] = (om_assign){ to, 0,
                om_expr_const(m, low + 1 + (om_value) om_random_below(random, 2)) };
        if (kind == 1 && om_random_below(random, 2) == 0)
            t.guard = room;
        assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    }
    if (om_random_below(random, 2) == 0)
        assert_int_equal(om_model_narrow(m), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    return m;
}

/* ---- processes with channels ---- */

/* A model with an initial process that binds the channel of each of two other processes, and starts
 * them. These send, receive, poll and compute, some of them in atomic sequences; now and then they
 * use a channel as no language would. */
enum { CAPACITY = 2, LOCATIONS = 4 };

typedef struct station {
    om_model *m;
    om_random *random;
    uint32_t lengths, items, holder, location[3], channel[2], own[2], shared;
    bool loose; /* some steps do not care who holds */
} station;

static uint32_t add_slot(
    station *s, const char *name, uint32_t process, uint32_t length, bool location)
{
    const om_value zeros[2] = { 0, 0 };
    const om_slot slot = { .name = name,
        .type = location ? OM_ENUM : OM_U8,
        .enumerators = location ? LOCATIONS + 1 : 0,
        .length = length,
        .process = process,
        .initial = zeros };
    uint32_t number = 0;
    assert_int_equal(om_model_add_slot(s->m, &slot, &number), OM_OK);
    return number;
}

static void add_slots(station *s)
{
    static const char *const names[] = { "init", "p", "q" }, *const channels[] = { "to", "from" },
                             *const owns[] = { "x", "y" };
    uint32_t lengths[2], items[2];
    s->holder = add_slot(s, "holder", OM_NONE, 0, false);
    s->shared = add_slot(s, "shared", OM_NONE, 0, false);
    for (uint32_t p = 0; p < 3; p++) {
        assert_int_equal(om_model_add_process(s->m, names[p], NULL), OM_OK);
        s->location[p] = add_slot(s, names[p], p, 0, true);
        assert_int_equal(om_model_set_location(s->m, p, s->location[p]), OM_OK);
    }
    for (uint32_t p = 0; p < 2; p++) {
        s->channel[p] = add_slot(s, channels[p], p + 1, 0, false);
        s->own[p] = add_slot(s, owns[p], p + 1, 0, false);
        lengths[p] = add_slot(s, p == 0 ? "n0" : "n1", OM_NONE, 0, false);
        items[p] = add_slot(s, p == 0 ? "c0" : "c1", OM_NONE, CAPACITY, false);
    }
    assert_int_equal(om_model_join_slots(s->m, "n", lengths, 2, &s->lengths), OM_OK);
    assert_int_equal(om_model_join_slots(s->m, "c", items, 2, &s->items), OM_OK);
}

static om_expr constant(const station *s, om_value v)
{
    return om_expr_const(s->m, v);
}

static om_expr binary(const station *s, om_op op, om_expr a, om_expr b)
{
    return om_expr_binary(s->m, op, a, b);
}

static om_expr equal(const station *s, uint32_t slot, om_value v)
{
    return binary(s, OM_OP_EQ, om_expr_slot(s->m, slot), constant(s, v));
}

static bool one_in(const station *s, uint64_t n)
{
    return om_random_below(s->random, n) == 0;
}

/* A conjunct that reads the first element of a channel, and another variable: of the last place of
 * the other channel, perhaps. */
static om_expr compare_first(const station *s, uint32_t p, om_expr first)
{
    const uint32_t place = (uint32_t) om_random_below(s->random, 2) * CAPACITY + CAPACITY - 1;
    const om_expr other = one_in(s, 2)
                              ? om_expr_element(s->m, s->items, constant(s, (om_value) place))
                          : one_in(s, 3) ? om_expr_element(s->m, s->lengths, constant(s, 0))
                                         : om_expr_slot(s->m, s->own[p]);
    return binary(s, one_in(s, 3) ? OM_OP_GT : OM_OP_EQ, first, other);
}

/* Adds what one step does with the channel of a process. */
static om_expr use_channel(station *s, uint32_t p, om_assign *assigns, uint32_t *count)
{
    const om_expr channel = om_expr_slot(s->m, s->channel[p]), one = constant(s, 1),
                  length = om_expr_element(s->m, s->lengths, channel),
                  base = binary(s, OM_OP_MUL, channel, constant(s, CAPACITY)),
                  first = om_expr_element(s->m, s->items, base),
                  own = om_expr_slot(s->m, s->own[p]);
    switch (om_random_below(s->random, 5)) {
    case 0: /* send */
        assigns[(*count)++] = (om_assign){ s->items, binary(s, OM_OP_ADD, base, length),
            one_in(s, 2) ? constant(s, 2) : own };
        if (!one_in(s, 9))
            assigns[(*count)++] =
                (om_assign){ s->lengths, channel, binary(s, OM_OP_ADD, length, one) };
        return binary(s, OM_OP_LT, length, constant(s, one_in(s, 5) ? CAPACITY + 1 : CAPACITY));
    case 1: /* receive */
        assigns[(*count)++] = (om_assign){ s->own[p], 0, first };
        assigns[(*count)++] =
            (om_assign){ s->items, one_in(s, 9) ? binary(s, OM_OP_ADD, base, one) : base, 0 };
        if (!one_in(s, 9))
            assigns[(*count)++] =
                (om_assign){ s->lengths, channel, binary(s, OM_OP_SUB, length, one) };
        if (one_in(s, 9)) /* of the next one */
            assigns[(*count)++] = (om_assign){ s->shared, 0, first };
        return binary(s, OM_OP_AND,
            one_in(s, 9) ? binary(s, OM_OP_EQ, length, constant(s, CAPACITY))
                         : binary(s, OM_OP_GT, length, constant(s, 0)),
            one_in(s, 3) ? one : compare_first(s, p, first));
    case 2: /* poll */
        return binary(s, OM_OP_AND,
            one_in(s, 9) ? one : binary(s, OM_OP_GT, length, constant(s, 0)),
            binary(s, OM_OP_EQ, first, constant(s, one_in(s, 3) ? 0 : 2)));
    case 3: /* all is lost but the contents */
        if (one_in(s, 3))
            assigns[(*count)++] = (om_assign){ s->lengths, channel, constant(s, 0) };
        return binary(s, OM_OP_GT, length, constant(s, 0));
    default:
        return binary(s, OM_OP_EQ, length, constant(s, 0));
    }
}

static om_expr compute(station *s, uint32_t p, om_assign *assigns, uint32_t *count)
{
    if (one_in(s, 6)) /* it looks at the other process */
        return equal(s, one_in(s, 2) ? s->channel[1 - p] : s->own[1 - p], 0);
    const uint32_t slot = one_in(s, 3) ? s->shared : s->own[p];
    const om_expr x = om_expr_slot(s->m, slot), bound = om_expr_slot(s->m, s->channel[p]);
    const om_expr seen = one_in(s, 3)   ? binary(s, OM_OP_ADD, bound, x)
                         : one_in(s, 3) ? binary(s, OM_OP_MUL, x, bound)
                                        : x;
    const om_expr less = one_in(s, 4) ? binary(s, OM_OP_EQ, seen, constant(s, 2))
                                      : binary(s, OM_OP_LT, seen, constant(s, 3));
    assigns[(*count)++] = (om_assign){ slot, 0,
        one_in(s, 2) ? binary(s, OM_OP_ADD, x, constant(s, 1)) : constant(s, 0) };
    return less;
}

/* One step of a process from a location to another; the last location is its end. */
static void add_step(station *s, uint32_t p, om_value from, om_value to, int number_of_step)
{
    om_assign assigns[8];
    uint32_t count = 0;
    const om_value number = (om_value) p + 1;
    const bool inside = from == 3, goes_on = to == 3; /* location 3 lies in an atomic sequence */
    om_expr guard = equal(s, s->location[p + 1], from), may = equal(s, s->holder, 0);
    if (inside)
        may = binary(s, OM_OP_OR, may, equal(s, s->holder, number));
    if (s->loose && one_in(s, 4))
        may = constant(s, 1);
    /* The last step from location 3 is always possible: who holds can go on. */
    const om_expr own = number_of_step == 2 ? constant(s, 1)
                        : one_in(s, 2)      ? compute(s, p, assigns, &count)
                                            : use_channel(s, p, assigns, &count);
    guard = binary(s, OM_OP_AND, binary(s, OM_OP_AND, guard, may), own);
    assigns[count++] = (om_assign){ s->location[p + 1], 0, constant(s, to) };
    if (to == 0) /* the end: what it has held is forgotten */
        assigns[count++] = (om_assign){ s->channel[p], 0, constant(s, 0) };
    assigns[count++] = (om_assign){ s->holder, 0,
        !goes_on       ? constant(s, 0)
        : one_in(s, 2) ? constant(s, number)
                       : binary(s, OM_OP_MUL, constant(s, number),
                             binary(s, OM_OP_LT, om_expr_slot(s->m, s->shared), constant(s, 2))) };
    const om_transition t = { .process = p + 1,
        .partner = OM_NONE,
        .guard = guard,
        .assigns = assigns,
        .assign_count = count,
        .label = "step" };
    assert_int_equal(om_model_add_transition(s->m, &t, NULL), OM_OK);
}

/* The initial process starts one process after the other. */
static void add_starts(station *s)
{
    for (uint32_t p = 0; p < 2; p++) {
        const om_assign assigns[] = { { s->channel[p], 0,
                                          constant(s, (om_value) om_random_below(s->random, 2)) },
            { s->location[p + 1], 0, constant(s, 1) },
            { s->location[0], 0, constant(s, (om_value) p + 1) },
            { s->holder, 0, constant(s, p == 0 ? 3 : 0) } };
        const om_transition t = { .process = 0,
            .partner = OM_NONE,
            .guard = binary(s, OM_OP_AND, equal(s, s->location[0], (om_value) p),
                binary(s, OM_OP_OR, equal(s, s->holder, 0), equal(s, s->holder, 3))),
            .assigns = assigns,
            .assign_count = 4,
            .label = "start" };
        assert_int_equal(om_model_add_transition(s->m, &t, NULL), OM_OK);
    }
}

/* What processes do when no other step is possible */
static void add_timeouts(station *s)
{
    om_expr stuck = 0;
    const uint32_t count = om_model_transition_count(s->m);
    for (uint32_t t = 0; t < count; t++) {
        const om_expr blocked = om_expr_unary(s->m, OM_OP_NOT, om_model_transition(s->m, t)->guard);
        stuck = stuck == 0 ? blocked : binary(s, OM_OP_AND, stuck, blocked);
    }
    for (uint32_t p = 0; p < 2; p++)
        for (int i = 0; i < 2; i++) {
            const om_assign assigns[] = { { i == 0 ? s->shared : s->own[1 - p], 0, constant(s, 1) },
                { s->location[p + 1], 0, constant(s, 1 + i) } };
            const om_transition t = { .process = p + 1,
                .partner = OM_NONE,
                .guard = binary(s, OM_OP_AND, equal(s, s->location[p + 1], 2 - i), stuck),
                .assigns = assigns,
                .assign_count = 2,
                .label = "timeout" };
            assert_int_equal(om_model_add_transition(s->m, &t, NULL), OM_OK);
            assert_int_equal(om_model_set_last_resort(s->m), OM_OK);
        }
}

static om_model *stations(om_context *ctx, om_random *random, om_expr *aps)
{
    station s = { .random = random };
    assert_int_equal(om_model_new(&s.m, ctx, "stations"), OM_OK);
    s.loose = one_in(&s, 5);
    add_slots(&s);
    add_starts(&s);
    for (uint32_t p = 0; p < 2; p++)
        for (om_value from = 1; from <= 3; from++)
            for (int i = 0; i < (from == 3 ? 3 : 2); i++)
                add_step(
                    &s, p, from, one_in(&s, 12) ? 0 : 1 + (om_value) om_random_below(random, 3), i);
    if (one_in(&s, 3))
        add_timeouts(&s);
    if (one_in(&s, 3)) {
        const om_assertion a = {
            .condition = binary(&s, OM_OP_IMPLY, equal(&s, s.location[1], 3),
                binary(&s, OM_OP_LT, om_expr_slot(s.m, s.shared), constant(&s, 2))),
            .text = "shared < 2"
        };
        assert_int_equal(om_model_add_assertion(s.m, &a), OM_OK);
    }
    assert_int_equal(om_model_set_visible(s.m, equal(&s, s.holder, 0)), OM_OK);
    aps[0] = equal(&s, s.channel[0], 1);
    aps[1] = binary(&s, OM_OP_LT, om_expr_slot(s.m, s.own[1]), constant(&s, 2));
    assert_int_equal(om_model_finish(s.m), OM_OK);
    return s.m;
}

/* ---- whole graphs ---- */

enum { MOST_OF_GRAPH = 1500 };

/* States without successors, and with a fault */
typedef struct graph {
    uint32_t vectors[MOST_OF_GRAPH][MOST_WORDS], last[MOST_OF_GRAPH];
    uint32_t count, last_count;
    bool faults;
} graph;

static void add_state(graph *g, const uint32_t *vector, uint32_t words)
{
    uint32_t i = 0;
    while (i < g->count && memcmp(g->vectors[i], vector, words * sizeof *vector) != 0)
        i++;
    if (i == g->count && i < MOST_OF_GRAPH)
        memcpy(g->vectors[g->count++], vector, words * sizeof *vector);
}

/* Returns false if the graph is too large. */
static bool explore(const om_executor *x, graph *g)
{
    om_successors out = { .heap = om_heap_default() };
    uint32_t vector[MOST_WORDS];
    memset(g, 0, sizeof *g);
    x->initial(x, vector);
    add_state(g, vector, x->words);
    for (uint32_t i = 0; i < g->count; i++) {
        out.fault = 0;
        assert_int_equal(om_executor_successors(x, g->vectors[i], &out), OM_OK);
        g->faults = g->faults || out.fault != 0;
        if (out.fault == 0 && out.count == 0)
            g->last[g->last_count++] = i;
        for (size_t k = 0; out.fault == 0 && k < out.count; k++)
            add_state(g, out.words + k * out.stride, x->words);
    }
    om_successors_free(&out);
    return g->count < MOST_OF_GRAPH;
}

/* Makes a sum of the transitions that a state keeps. */
static uint64_t kept_in(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    uint64_t sum = 0;
    assert_int_equal(om_executor_successors(x, vector, out), OM_OK);
    for (size_t k = 0; k < out->count; k++)
        sum = sum * 31 + out->transition[k] + 1;
    return sum;
}

/* What a state keeps does not depend on what was asked before: a second reduction of the model,
 * which meets the states in another order, keeps the same. */
static void compare_choices(om_model *m, om_reduction kept, const om_executor *x, const graph *g)
{
    om_successors out = { .heap = om_heap_default() };
    om_executor *y = NULL;
    om_reduced_figures figures;
    assert_int_equal(om_executor_open(&y, m, OM_EXEC_VM, NULL, 0), OM_OK);
    assert_int_equal(om_stubborn__reduce(&y, m, NULL, kept, true, NULL, 0, &figures), OM_OK);
    for (uint32_t i = g->count; i-- > 0;)
        assert_true(kept_in(y, g->vectors[i], &out) == kept_in(x, g->vectors[i], &out));
    om_successors_free(&out);
    om_executor_close(y);
}

/* The reduced graph has all states without successors, and a fault if the full one has. */
static bool compare_graphs(om_model *m, om_reduction kept)
{
    static graph full, reduced;
    om_executor *x = NULL;
    om_reduced_figures figures;
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, NULL, 0), OM_OK);
    const bool small = explore(x, &full);
    assert_int_equal(om_stubborn__reduce(&x, m, NULL, kept, true, NULL, 0, &figures), OM_OK);
    if (small) {
        assert_true(explore(x, &reduced));
        compare_choices(m, kept, x, &reduced);
        assert_true(reduced.faults == full.faults);
        assert_int_equal(reduced.last_count, full.last_count);
        for (uint32_t i = 0; i < reduced.last_count; i++) {
            bool found = false;
            for (uint32_t k = 0; k < full.last_count && !found; k++)
                found = memcmp(reduced.vectors[reduced.last[i]], full.vectors[full.last[k]],
                            x->words * sizeof(uint32_t)) == 0;
            assert_true(found);
        }
    }
    om_executor_close(x);
    return small && reduced.count < full.count;
}

static forge the_forge;
static size_t sequences; /* transitions that follow others in atomic sequences */

/* Adds what was looked at to the sums. */
static void look_at_model(om_model *m, uint64_t seed, const om_expr *aps, uint32_t ap_count,
    relations *sums, uint64_t *steps)
{
    static reached g;
    const om_heap *heap = om_heap_default();
    om_random random = { seed };
    relations r = { .m = m, .out = { .heap = heap }, .first = { .heap = heap } };
    assert_int_equal(om_executor_open(&r.x, m, OM_EXEC_VM, aps, ap_count), OM_OK);
    assert_int_equal(om_depend__open(&r.d, m, r.x, aps, ap_count), OM_OK);
    assert_int_equal(om_tests__open(&r.tests, &r.d.footprint, NULL), OM_OK);
    r.leavers_of = om_alloc(heap, r.tests.question_count + (size_t) 1, sizeof *r.leavers_of);
    assert_non_null(r.leavers_of);
    assert_int_equal(om_leavers__list(&r.d, &r.tests, r.leavers_of, &r.leavers), OM_OK);
    sequences += r.d.footprint.follower_count;
    relations_walk(&r, &random);
    if (r.chooses)
        *steps += look_for_cycles(&r, &g);
    sums->pairs += r.pairs;
    sums->guards += r.guards;
    sums->kept += r.kept;
    om_free(heap, r.leavers.first);
    om_free(heap, r.leavers.at);
    om_free(heap, r.leavers_of);
    om_tests__close(&r.tests);
    om_depend__close(&r.d);
    om_executor_close(r.x);
    om_successors_free(&r.out);
    om_successors_free(&r.first);
}

static void test_relations(void **state)
{
    (void) state;
    relations sums = { .pairs = 0 };
    uint64_t steps = 0, smaller = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        om_context *ctx = NULL;
        om_random random = { seed };
        om_expr aps[2];
        the_forge = (forge){ .random = { seed },
            .fault_chance = seed % 3 == 0 ? 40 : 0,
            .narrow = seed % 2 == 0,
            .asserting = seed % 5 == 0 };
        assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
        om_model *m = seed < 30    ? forge_model(&the_forge, ctx)
                      : seed < 130 ? cells(ctx, &random)
                                   : stations(ctx, &random, aps);
        look_at_model(m, seed, aps, seed < 130 ? 0 : 2, &sums, &steps);
        smaller += seed >= 130 && compare_graphs(m, OM_REDUCE_TO_DEADLOCKS);
        smaller += seed >= 130 && compare_graphs(m, OM_REDUCE_TO_RUNS);
        om_model_free(m);
        om_context_free(ctx);
    }
    print_message(
        "%llu pairs of steps that commute, %llu guards that became true, %llu values that "
        "steps kept, %llu steps that are not sticky, %zu transitions in sequences, %llu "
        "smaller graphs\n",
        (unsigned long long) sums.pairs, (unsigned long long) sums.guards,
        (unsigned long long) sums.kept, (unsigned long long) steps, sequences,
        (unsigned long long) smaller);
    assert_true(sums.pairs > 1000 && sums.guards > 1000 && sums.kept > 1000 && steps > 1000 &&
                smaller > 50 && sequences > 300);
}

/* ---- memory ---- */

/* Two counters that have nothing to do with each other, and an assertion. */
static om_model *counters(om_context *ctx)
{
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "counters"), OM_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const om_slot s = { .name = i == 0 ? "a" : "b",
            .type = OM_U8,
            .process = OM_NONE,
            .initial = &(om_value){ 9 } };
        uint32_t slot = 0;
        assert_int_equal(om_model_add_slot(m, &s, &slot), OM_OK);
        const om_expr x = om_expr_slot(m, slot);
        const om_assign less = { slot, 0, om_expr_binary(m, OM_OP_SUB, x, om_expr_const(m, 1)) };
        const om_transition t = { .process = OM_NONE,
            .partner = OM_NONE,
            .guard = om_expr_binary(m, OM_OP_GT, x, om_expr_const(m, 0)),
            .assigns = &less,
            .assign_count = 1,
            .label = s.name };
        assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    }
    const om_assertion a = { .condition = om_expr_binary(
                                 m, OM_OP_LE, om_expr_slot(m, 0), om_expr_const(m, 9)),
        .text = "a <= 9" };
    assert_int_equal(om_model_add_assertion(m, &a), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    return m;
}

/* Reduces an executor of the counters, and expands the initial state. Returns the status. */
static int reduce(om_context *ctx, om_model *m, size_t *rows)
{
    om_executor *x = NULL;
    om_successors out = { .heap = om_context_heap(ctx) };
    om_reduced_figures figures;
    uint32_t vector[MOST_WORDS];
    int rc = om_executor_open(&x, m, OM_EXEC_VM, NULL, 0);
    if (rc == OM_OK)
        rc = om_stubborn__reduce(&x, m, NULL, OM_REDUCE_TO_RUNS, false, NULL, 0, &figures);
    if (rc == OM_OK) {
        assert_true(figures.worth && figures.transitions == 2 && om_executor__below(x) != NULL);
        x->initial(x, vector);
        rc = om_executor_successors(x, vector, &out);
        *rows = out.count;
    }
    om_successors_free(&out);
    om_executor_close(x);
    return rc;
}

static void test_memory(void **state)
{
    (void) state;
    for (size_t k = 0, done = 0; done == 0; k++) {
        test_heap heap;
        om_context *ctx = NULL;
        size_t rows = 0;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        om_model *m = counters(ctx);
        const size_t live = heap.live;
        heap.fail_at = heap.calls + k;
        const int rc = reduce(ctx, m, &rows);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        done = rc == OM_OK && heap.calls <= heap.fail_at;
        assert_true(!done || (rows == 1 && k > 20));
        assert_int_equal(heap.live, live);
        om_model_free(m);
        om_context_free(ctx);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_relations), cmocka_unit_test(test_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
