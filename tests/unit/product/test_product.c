/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/omen.h>

#include "explore.h"
#include "heap.h"
#include "product.h"

#include <omen/plugin/guide.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <cmocka.h>

/*
 * Two counters up to SIDE - 1 that go up one at a time: SIDE * SIDE states, the last one without a
 * successor. AP 0 is x > y; AP 1 has an arbitrary value, which must be ignored. Transition 2
 * duplicates transition 0. In `faulty` mode, the state (3, 4) divides by zero.
 */
enum { SIDE = 60 };

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = vector[1] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    out->fault =
        x->self != NULL && vector[0] == 3 && vector[1] == 4 ? OM_FAULT(OM_FAULT_DIVISION, 1) : 0;
    if (om_successors_reserve(out, out->count + 3, 2) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t side = t % 2;
        if (vector[side] + 1 == SIDE)
            continue;
        uint32_t *row = out->words + out->stride * out->count;
        row[0] = vector[0] + (side == 0);
        row[1] = vector[1] + (side == 1);
        out->transition[out->count++] = t;
    }
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x;
    *fault = 0;
    return (vector[0] > vector[1]) | 2u;
}

static const om_executor counters = { .size = sizeof(om_executor),
    .name = "counters",
    .words = 2,
    .aps = 2,
    .initial = initial,
    .append = append,
    .labels = labels };

/* State 0 has a self-loop under any label and two under a: with mark 0, and without. Under b, it
 * has an edge to state 1, which has a self-loop. */
static om_automaton *make_automaton(om_context *ctx)
{
    static const char *const aps[] = { "a", "b" };
    om_cube any = { 0, 0 }, a = { 1, 0 }, b = { 2, 0 };
    om_automaton *m = NULL;
    uint32_t first;
    if (om_automaton_new(&m, ctx, 2, aps) == OM_OK &&
        om_automaton_add_states(m, 2, &first) == OM_OK &&
        om_automaton_set_generalized_buchi(m, 1) == OM_OK &&
        om_automaton_add_initial(m, 0) == OM_OK && om_automaton_add_initial(m, 1) == OM_OK &&
        om_automaton_add_initial(m, 0) == OM_OK &&
        om_automaton_add_edge(m, 0, 0, 0, &any, 1) == OM_OK &&
        om_automaton_add_edge(m, 0, 0, 1, &a, 1) == OM_OK &&
        om_automaton_add_edge(m, 0, 0, 0, &a, 1) == OM_OK &&
        om_automaton_add_edge(m, 0, 1, 0, &b, 1) == OM_OK &&
        om_automaton_add_edge(m, 1, 1, 1, &any, 1) == OM_OK && om_automaton_finish(m) == OM_OK)
        return m;
    om_automaton_free(m);
    return NULL;
}

static om_id store(om_cursor *c, uint32_t x, uint32_t y, uint32_t q)
{
    uint32_t vector[] = { x, y, q };
    om_id id;
    bool fresh;
    assert_int_equal(om_cursor_intern(c, vector, &id, &fresh), OM_OK);
    return id;
}

static bool has_step(const om_step *steps, size_t n, om_id to, om_marks marks, uint32_t transition)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].to == to && steps[i].marks == marks && steps[i].transition == transition)
            return true;
    return false;
}

static void edges_of_the_product(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_cursor *c = NULL;
    const om_step *steps;
    size_t n;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = make_automaton(ctx);
    assert_non_null(a);
    /* AP 1 is true exactly if the model has no successor. */
    om_product_spec spec = {
        .executor = &counters, .automaton = a, .stutter = true, .deadlock_ap = 1, .workers = 1
    };
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    assert_int_equal(om_product_words(p), 3);
    assert_int_equal(om_cursor__open(&c, p, 0), OM_OK);

    assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
    assert_int_equal(n, 2); /* state 0 was added twice */
    assert_true(steps[0].to == store(c, 0, 0, 0) && steps[0].fresh);
    assert_int_equal(om_cursor_automaton_state(c, steps[1].to), 1);

    /* a does not hold: two moves; the third is a duplicate of the first. */
    assert_int_equal(om_cursor_successors(c, store(c, 0, 0, 0), &steps, &n), OM_OK);
    assert_int_equal(n, 2);
    assert_true(steps[0].fresh && steps[1].fresh && steps[0].transition == 0);
    assert_true(has_step(steps, n, store(c, 1, 0, 0), 0, 0));
    assert_int_equal(om_cursor_successors(c, store(c, 0, 0, 0), &steps, &n), OM_OK);
    assert_true(!steps[0].fresh && !steps[1].fresh);
    assert_true(has_step(steps, n, store(c, 0, 1, 0), 0, 1));

    /* a holds: each move with mark 0 and without. */
    assert_int_equal(om_cursor_successors(c, store(c, 2, 1, 0), &steps, &n), OM_OK);
    assert_int_equal(n, 4);
    om_id right = store(c, 3, 1, 0), up = store(c, 2, 2, 0);
    assert_int_equal(om_cursor_successors(c, store(c, 2, 1, 0), &steps, &n), OM_OK);
    assert_true(has_step(steps, n, right, 0, 0) && has_step(steps, n, right, 1, 0) &&
                has_step(steps, n, up, 0, 1) && has_step(steps, n, up, 1, 1));
    /* 3 moves times 1 edge and times 3 edges, each twice, before duplicates were merged. */
    assert_int_equal(om_cursor__edge_count(c), 2 * (3 + 9));

    /* The final state stutters, with the deadlock's AP. */
    om_id end = store(c, SIDE - 1, SIDE - 1, 0), there = store(c, SIDE - 1, SIDE - 1, 1);
    assert_int_equal(om_cursor_successors(c, end, &steps, &n), OM_OK);
    assert_int_equal(n, 2);
    assert_true(has_step(steps, n, end, 0, OM_STUTTER) && has_step(steps, n, there, 0, OM_STUTTER));
    om_cursor__close(c);
    om_product__free(p);

    /* Without stuttering, it has no successor. */
    spec.stutter = false;
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    assert_int_equal(om_cursor__open(&c, p, 0), OM_OK);
    assert_int_equal(om_cursor_successors(c, store(c, SIDE - 1, SIDE - 1, 0), &steps, &n), OM_OK);
    assert_int_equal(n, 0);
    om_cursor__close(c);
    om_product__free(p);
    om_automaton_free(a);
    om_context_free(ctx);
}

/* Returns true if a step leads to this vector with these marks and with its automaton state. */
static bool has_row(const uint32_t *rows, const om_step *steps, size_t n, const uint32_t *vector,
    const om_step *like)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(rows + steps[i].to * 3, vector, 3 * sizeof *vector) == 0 &&
            steps[i].marks == like->marks && steps[i].transition == like->transition &&
            steps[i].automaton_state == vector[2] && !steps[i].fresh)
            return true;
    return false;
}

/* The steps from a vector are those from the stored state, except for duplicates, in the worker's
 * own order; nothing is stored. */
static void edges_of_a_vector(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_cursor *c = NULL;
    const om_step *steps;
    const uint32_t *rows;
    size_t n, m, other_order = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = make_automaton(ctx);
    for (uint64_t seed = 0; seed < 2; seed++) {
        om_product_spec spec = { .executor = &counters,
            .automaton = a,
            .stutter = true,
            .deadlock_ap = 1,
            .workers = 1,
            .seed = seed };
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_cursor__open(&c, p, 0), OM_OK);
        assert_int_equal(om_cursor_unstored(c, NULL, &rows, &steps, &n), OM_OK);
        assert_true(n == 2 && om_product_state_count(p) == 0);
        for (uint32_t i = 0; i < SIDE * SIDE * 2; i++) {
            const uint32_t vector[] = { i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE) };
            uint64_t edges = om_cursor__edge_count(c);
            om_product *q = NULL; /* stores the same state */
            om_cursor *d = NULL;
            const om_step *like;
            assert_int_equal(om_cursor_unstored(c, vector, &rows, &steps, &n), OM_OK);
            assert_int_equal(om_cursor__edge_count(c), edges + n);
            assert_int_equal(om_product_state_count(p), 0);
            assert_int_equal(om_product__new(&q, ctx, &spec), OM_OK);
            assert_int_equal(om_cursor__open(&d, q, 0), OM_OK);
            om_id id = store(d, vector[0], vector[1], vector[2]);
            assert_int_equal(om_cursor_successors(d, id, &like, &m), OM_OK);
            assert_true(m <= n && (m > 0) == (n > 0));
            for (size_t k = 0; k < m; k++) {
                uint32_t to[3];
                om_cursor_vector(d, like[k].to, to);
                assert_true(has_row(rows, steps, n, to, &like[k]));
            }
            for (size_t k = 0; k < n; k++) {
                const uint32_t *to = rows + steps[k].to * 3;
                om_id target = store(d, to[0], to[1], to[2]);
                bool there = false; /* of duplicates (transition 0 or 2), the first is kept */
                for (size_t l = 0; l < m; l++)
                    there = there || (like[l].to == target && like[l].marks == steps[k].marks);
                assert_true(there);
                other_order += steps[k].to != k;
            }
            om_cursor__close(d);
            om_product__free(q);
        }
        assert_true((other_order > 0) == (seed != 0)); /* worker 0, seed 0: the model's order */
        om_cursor__close(c);
        om_product__free(p);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

/* Workers see the same edges, each in its own fixed order. */
static void orders_of_workers(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_cursor *c[2];
    unsigned differ = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_product_spec spec = { .executor = &counters, .deadlock_ap = OM_NONE, .workers = 2 };
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    assert_int_equal(om_cursor__open(&c[0], p, 0), OM_OK);
    assert_int_equal(om_cursor__open(&c[1], p, 1), OM_OK);
    for (uint32_t x = 0; x < 20; x++) {
        const om_step *s0, *s1, *again;
        size_t n0, n1;
        om_id id = store(c[0], x, x, 0);
        assert_int_equal(om_cursor_successors(c[0], id, &s0, &n0), OM_OK);
        assert_int_equal(om_cursor_successors(c[1], id, &s1, &n1), OM_OK);
        assert_true(n0 == 2 && n1 == 2 && s0[0].transition == 0 && s0[1].transition == 1);
        assert_true(s0[0].to < om_product_id_bound(p) && s0[1].to < om_product_id_bound(p));
        assert_true(has_step(s1, 2, s0[0].to, 0, 0) && has_step(s1, 2, s0[1].to, 0, 1));
        differ += s1[0].to != s0[0].to;
        om_id first = s1[0].to;
        assert_int_equal(om_cursor_successors(c[1], id, &again, &n1), OM_OK);
        assert_true(again[0].to == first);
    }
    assert_true(differ > 3 && differ < 17);
    om_cursor__close(c[0]);
    om_cursor__close(c[1]);
    om_product__free(p);
    om_context_free(ctx);
}

/* A steady guide that prefers small values of the second counter */
static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    (void) run;
    for (size_t i = 0; i < states->count; i++)
        estimates[i] = states->rows[3 * i + 1];
}

/* Near successors come first, for workers of even number, and nothing else changes. */
static void orders_of_a_guide(void **state)
{
    static const om_guide guide = { .measure = measure, .steady = true };
    const om_guiding guiding = { &guide, NULL };
    om_context *ctx = NULL;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = make_automaton(ctx);
    om_product_spec spec = {
        .executor = &counters, .automaton = a, .deadlock_ap = OM_NONE, .workers = 3, .seed = 5
    };
    om_product *p = NULL;
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    for (unsigned w = 0; w < 3; w++) {
        om_cursor *c = NULL;
        om_step before[16];
        size_t n, others = 0, sorted = 0, count = 0;
        const om_step *steps;
        uint32_t vector[3];
        assert_int_equal(om_cursor__open(&c, p, w), OM_OK);
        for (uint32_t x = 2; x < 30; x++) {
            const om_id id = store(c, x, 1, 0);
            om_product__guide(p, NULL);
            assert_int_equal(om_cursor_successors(c, id, &steps, &n), OM_OK);
            assert_in_range(n, 2, 16);
            memcpy(before, steps, n * sizeof *steps);
            om_product__guide(p, &guiding);
            assert_int_equal(om_cursor_successors(c, id, &steps, &count), OM_OK);
            assert_int_equal(count, n);
            uint32_t last = 0;
            bool rises = true;
            for (size_t i = 0; i < n; i++) {
                others += steps[i].to != before[i].to;
                assert_true(has_step(before, n, steps[i].to, steps[i].marks, steps[i].transition));
            }
            om_step after[16];
            memcpy(after, steps, n * sizeof *steps);
            for (size_t i = 0; i < n; i++) {
                om_cursor_vector(c, after[i].to, vector);
                rises &= vector[1] >= last;
                last = vector[1];
            }
            sorted += rises;
        }
        assert_true((others > 0) == (w % 2 == 0));
        assert_true((sorted == 28) == (w % 2 == 0));
        om_cursor__close(c);
    }
    om_product__free(p);
    om_automaton_free(a);
    om_context_free(ctx);
}

static bool count_visit(void *self, unsigned worker, om_cursor *c, om_id id)
{
    (void) worker;
    uint32_t vector[3];
    om_cursor_vector(c, id, vector);
    (void) atomic_fetch_add_explicit((atomic_uint *) self, 1, memory_order_relaxed);
    return vector[0] + vector[1] < 10;
}

static void exploration(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned workers = 1; workers <= 4; workers++) {
        om_product_spec spec = {
            .executor = &counters, .deadlock_ap = OM_NONE, .workers = workers
        };
        om_product *p = NULL;
        om_exploration e;
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_OK);
        assert_true(e.states == SIDE * SIDE && e.transitions == 3 * SIDE * (SIDE - 1));
        assert_true(e.levels == 2 * SIDE - 1 && e.deadlocks == 1 && e.fault == 0);
        assert_true(e.memory_bytes > SIDE * SIDE * 8);
        om_product__free(p);

        /* Up to the level of the eleven states with x + y = 10. */
        atomic_uint visits = 0;
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_explore__all(ctx, p, count_visit, &visits, true, &e), OM_OK);
        assert_int_equal(atomic_load(&visits), 66);
        assert_true(e.states == 78 && e.levels == 11);
        om_product__free(p);
    }
    om_context_free(ctx);
}

static void exploration_that_ends_early(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_exploration e;
    om_limits limits = { .max_states = 100 };
    om_executor faulty = counters;
    faulty.self = &faulty;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned workers = 1; workers <= 2; workers++) {
        om_control_start(om_context_control(ctx), &limits);
        om_product_spec spec = {
            .executor = &counters, .deadlock_ap = OM_NONE, .workers = workers
        };
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_ELIMIT);
        assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_STATES);
        assert_true(e.states <= 100 && e.states > 80);
        om_product__free(p);
        om_control_start(om_context_control(ctx), NULL);

        spec.executor = &faulty;
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_EMODEL);
        assert_int_equal(e.fault, OM_FAULT(OM_FAULT_DIVISION, 1));
        assert_true(e.fault_vector[0] == 3 && e.fault_vector[1] == 4);
        om_free(om_context_heap(ctx), e.fault_vector);
        om_free(om_context_heap(ctx), e.fault_path);
        om_product__free(p);
        om_context_clear(ctx);
    }
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 1; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_product *p = NULL;
        om_side *side = NULL;
        om_exploration e = { .states = 0 };
        test_heap_init(&heap, n);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        om_automaton *a = make_automaton(ctx);
        rc = a == NULL ? OM_ENOMEM : OM_OK;
        om_product_spec spec = {
            .executor = &counters, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1
        };
        if (rc == OM_OK)
            rc = om_product__new(&p, ctx, &spec);
        if (rc == OM_OK)
            rc = om_side_new(&side, p, 8);
        if (rc == OM_OK && om_side_at(side, 1500) == NULL)
            rc = OM_ENOMEM;
        if (rc == OM_OK)
            rc = om_explore__all(ctx, p, NULL, NULL, true, &e);
        assert_true(rc == OM_OK || om_exit_status(rc) == 30);
        om_side_free(side);
        om_product__free(p);
        om_automaton_free(a);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

/* Ids with the same quotient share one element, initially zero, which other ids do not affect. For
 * groups of four ids, a quarter of the bytes suffices. */
static void one_element_for_several_ids(void **state)
{
    (void) state;
    enum { IDS = 1 << 16 };
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_side *one = NULL, *four = NULL;
    const om_product_spec spec = { .executor = &counters, .deadlock_ap = OM_NONE, .workers = 1 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    assert_int_equal(om_side_new(&one, p, 1), OM_OK);
    assert_int_equal(om_side_new_grouped(&four, p, 1, 2), OM_OK);
    for (om_id id = 0; id < IDS; id++) {
        om_side_fetch(four, id);
        const unsigned char *alone = om_side_at(one, id);
        unsigned char *at = om_side_at(four, id);
        assert_true(alone != NULL && *alone == 0 && at != NULL && *at >> (id & 3) * 2 == 0);
        *at |= (unsigned char) ((id * 2654435761u >> 16 & 3) << (id & 3) * 2);
    }
    for (om_id id = 0; id < IDS; id++) {
        const unsigned char *at = om_side_at(four, id);
        assert_int_equal(*at >> (id & 3) * 2 & 3, id * 2654435761u >> 16 & 3);
        assert_ptr_equal(at, om_side_at(four, id & ~(om_id) 3));
    }
    assert_int_equal(om_side_bytes(one), 4 * om_side_bytes(four));
    om_side_free(one);
    om_side_free(four);
    om_product__free(p);
    om_context_free(ctx);
}

static void misuse_is_refused(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_cursor *c = NULL;
    om_side *side = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_product_spec spec = { .executor = &counters, .deadlock_ap = OM_NONE };
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_EINVAL);
    spec.workers = 1;
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    assert_int_equal(om_cursor__open(&c, p, 1), OM_EINVAL);
    assert_int_equal(om_side_new(&side, p, 3), OM_EINVAL);
    assert_int_equal(om_side_new(&side, p, 128), OM_EINVAL);
    assert_int_equal(om_side_new_grouped(&side, p, 1, 17), OM_EINVAL);
    om_product__free(p);
    om_context_free(ctx);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_of_the_product),
        cmocka_unit_test(edges_of_a_vector),
        cmocka_unit_test(orders_of_workers),
        cmocka_unit_test(orders_of_a_guide),
        cmocka_unit_test(exploration),
        cmocka_unit_test(exploration_that_ends_early),
        cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(one_element_for_several_ids),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
