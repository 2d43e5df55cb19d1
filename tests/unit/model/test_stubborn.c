/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relations of partial order reduction: those of single accesses for all values of a small
 * domain, and those of random models in their reachable states, by trying both orders of each two
 * steps (D1), looking at every guard after every step (D2), and for cycles without a sticky step
 * (D3). Memory that runs out.
 */
#include "forge.h"
#include "heap.h"

#include "stubborn/depend.h"
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
                all[n++] = (om_access){ (om_access_kind) kind, 7, 1, v };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            compare(&all[i], &all[k]);
    const om_access read = { OM_READ, 6, 3, 0 }, write = { OM_WRITE, 7, 1, 0 };
    for (size_t i = 0; i < n; i++) {
        const om_access far = { all[i].kind, 9, 1, all[i].value };
        assert_true(om_access__conflict(&all[i], &write));
        assert_true(om_access__conflict(&all[i], &read) == om_access__writes(&all[i]));
        assert_false(om_access__conflict(&all[i], &far) || om_access__exclude(&all[i], &far));
        assert_false(om_access__may_enable(&write, &far));
    }
    assert_false(om_access__conflict(&read, &read));
    assert_true(om_access__conflict(&write, &write) && om_access__may_enable(&write, &read));
}

/* ---- random models ---- */

enum { STATES = 120, MOST_WORDS = 64 };

typedef struct run {
    const om_model *m;
    om_executor *x;
    om_depend d;
    om_successors first, second, third; /* of a state, of one after a step, after two steps */
    uint64_t pairs, guards;
} run;

static bool has(const om_lists *l, uint32_t list, uint32_t transition)
{
    for (uint32_t i = l->first[list]; i < l->first[list + 1]; i++)
        if (l->at[i] == transition)
            return true;
    return false;
}

/* Returns the row of a transition, or NULL. */
static const uint32_t *row_of(const om_successors *s, uint32_t transition)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->transition[i] == transition)
            return s->words + i * s->stride;
    return NULL;
}

static void successors(const run *r, const uint32_t *vector, om_successors *out)
{
    out->fault = 0;
    assert_int_equal(om_executor_successors(r->x, vector, out), OM_OK);
}

/* D1: both orders of t (taken first) and u lead to the same state. */
static void try_both(run *r, uint32_t t, uint32_t u)
{
    if (has(&r->d.rivals, t, u))
        return;
    const uint32_t *after_t = row_of(&r->second, u);
    assert_non_null(after_t);
    successors(r, row_of(&r->first, u), &r->third);
    if (r->third.fault != 0)
        return;
    const uint32_t *after_u = row_of(&r->third, t);
    assert_non_null(after_u);
    assert_memory_equal(after_t, after_u, r->x->words * sizeof *after_u);
    r->pairs++;
}

/* D2: a guard becomes true only by an enabler of one of its conjuncts. */
static void look_at_guards(run *r, uint32_t t)
{
    const om_footprint *f = &r->d.footprint;
    for (size_t i = 0; i < r->second.count; i++) {
        const uint32_t u = r->second.transition[i];
        bool enabler = false;
        if (row_of(&r->first, u) != NULL)
            continue;
        for (uint32_t c = f->first_conjunct[u]; c < f->first_conjunct[u + 1]; c++)
            enabler = enabler || has(&r->d.enablers, r->d.enabler_of[c], t);
        assert_true(enabler);
        r->guards++;
    }
}

static void look_at_state(run *r, const uint32_t *vector)
{
    successors(r, vector, &r->first);
    if (r->first.fault != 0)
        return;
    for (size_t i = 0; i < r->first.count; i++) {
        const uint32_t t = r->first.transition[i];
        successors(r, r->first.words + i * r->first.stride, &r->second);
        if (r->second.fault != 0)
            continue;
        for (size_t k = 0; k < r->first.count; k++)
            if (k != i)
                try_both(r, t, r->first.transition[k]);
        look_at_guards(r, t);
    }
}

/* Walks through the model, and looks at each state on the way. */
static void walk(run *r, om_random *random)
{
    uint32_t vector[MOST_WORDS];
    assert_true(r->x->words <= MOST_WORDS);
    r->x->initial(r->x, vector);
    for (int i = 0; i < STATES; i++) {
        look_at_state(r, vector);
        if (r->first.fault != 0 || r->first.count == 0)
            r->x->initial(r->x, vector);
        else
            memcpy(vector,
                r->first.words + om_random_below(random, r->first.count) * r->first.stride,
                r->x->words * sizeof *vector);
    }
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

/* Explores the first states, with the steps that are not sticky as edges; returns their number. */
static uint64_t reach(const run *r, reached *g, uint32_t *into)
{
    om_successors out = { .heap = om_heap_default() };
    uint32_t vector[MOST_WORDS];
    uint64_t edges = 0;
    memset(g, 0, sizeof *g);
    r->x->initial(r->x, vector);
    (void) number_of(g, vector, r->x->words);
    for (uint32_t i = 0; i < g->count; i++) {
        successors(r, g->vectors[i], &out);
        for (size_t k = 0; out.fault == 0 && k < out.count; k++) {
            const uint32_t to = number_of(g, out.words + k * out.stride, r->x->words);
            if (to == MOST_STATES || r->d.sticky[out.transition[k]] || g->edge[i][to])
                continue;
            g->edge[i][to] = 1;
            into[to]++;
            edges++;
        }
    }
    om_successors_free(&out);
    return edges;
}

/* D3: without sticky steps there is no cycle: each state can be removed when no other one leads to
 * it. */
static uint64_t look_for_cycles(const run *r, reached *g)
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

/* Cells without processes, as in a net: most transitions move a token, some set a cell. */
static om_model *cells(om_context *ctx, om_random *random)
{
    om_model *m = NULL;
    uint32_t slots[4];
    assert_int_equal(om_model_new(&m, ctx, "cells"), OM_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const char name[] = { (char) ('a' + (int) i), '\0' };
        const om_slot s = { .name = name,
            .type = OM_U8,
            .process = OM_NONE,
            .initial = &(om_value){ (om_value) om_random_below(random, 3) } };
        assert_int_equal(om_model_add_slot(m, &s, &slots[i]), OM_OK);
    }
    for (int i = 0; i < 7; i++) {
        const uint32_t from = slots[om_random_below(random, 4)],
                       to = slots[om_random_below(random, 4)];
        const om_expr one = om_expr_const(m, 1), x = om_expr_slot(m, from), y = om_expr_slot(m, to);
        const om_expr room = om_expr_binary(m, OM_OP_LT, y, om_expr_const(m, 3));
        const uint64_t kind = om_random_below(random, 6);
        om_assign as[2] = { { from, 0, om_expr_binary(m, OM_OP_SUB, x, one) },
            { to, 0, om_expr_binary(m, OM_OP_ADD, y, one) } };
        om_transition t = { .process = OM_NONE,
            .partner = OM_NONE,
            .guard = om_expr_binary(m, OM_OP_AND, om_expr_binary(m, OM_OP_GE, x, one), room),
            .assigns = as,
            .assign_count = kind == 0 ? 1 : 2,
            .label = "t" };
        if (kind == 1) /* a token from nowhere */
            as[0] = (om_assign){ from, 0, om_expr_const(m, (om_value) om_random_below(random, 3)) };
        if (kind == 1 && om_random_below(random, 2) == 0)
            t.guard = room;
        assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    }
    assert_int_equal(om_model_finish(m), OM_OK);
    return m;
}

static forge the_forge;

/* Adds what was looked at to the sums. */
static void look_at_model(om_model *m, uint64_t seed, run *sums, uint64_t *steps)
{
    static reached g;
    const om_heap *heap = om_heap_default();
    om_random random = { seed };
    run r = {
        .m = m, .first = { .heap = heap }, .second = { .heap = heap }, .third = { .heap = heap }
    };
    assert_int_equal(om_executor_open(&r.x, m, OM_EXEC_VM, NULL, 0), OM_OK);
    assert_int_equal(om_depend__open(&r.d, m, NULL, 0), OM_OK);
    walk(&r, &random);
    *steps += look_for_cycles(&r, &g);
    sums->pairs += r.pairs;
    sums->guards += r.guards;
    om_depend__close(&r.d);
    om_executor_close(r.x);
    om_successors_free(&r.first);
    om_successors_free(&r.second);
    om_successors_free(&r.third);
}

static void test_relations(void **state)
{
    (void) state;
    run sums = { .pairs = 0 };
    uint64_t steps = 0;
    for (uint64_t seed = 0; seed < 130; seed++) {
        om_context *ctx = NULL;
        om_random random = { seed };
        the_forge = (forge){ .random = { seed },
            .fault_chance = seed % 3 == 0 ? 40 : 0,
            .narrow = seed % 2 == 0,
            .asserting = seed % 5 == 0 };
        assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
        om_model *m = seed < 30 ? forge_model(&the_forge, ctx) : cells(ctx, &random);
        look_at_model(m, seed, &sums, &steps);
        om_model_free(m);
        om_context_free(ctx);
    }
    print_message("%llu pairs of steps that commute, %llu guards that became true, %llu steps that "
                  "are not sticky\n",
        (unsigned long long) sums.pairs, (unsigned long long) sums.guards,
        (unsigned long long) steps);
    assert_true(sums.pairs > 1000 && sums.guards > 1000 && steps > 1000);
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
        assert_true(figures.worth && figures.transitions == 2 && om_stubborn__below(x) != NULL);
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
