/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers of streett: how often it expands each state, the run that Figure 3 of the paper
 * misses, strong fairness as one-state automata (Duret-Lutz, Poitrenaud, Couvreur 2009, section
 * 3.4), and the formula of section 5 as an automaton of two states.
 */
#include "definition.h"
#include "fairness.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
} fixture;

typedef struct line {
    uint32_t src, dst;
    om_marks marks;
} line;

static const om_checker *checker(const fixture *f, const char *name)
{
    const om_plugin *p = NULL;
    assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, name, &p), OM_OK);
    return (const om_checker *) (const void *) p;
}

/* Makes an automaton without propositions. */
static om_automaton *graph_of(
    om_context *ctx, uint32_t states, const formula *f, const line *lines, size_t count)
{
    static const om_cube all = { 0, 0 };
    om_automaton *a = NULL;
    uint32_t first;
    assert_int_equal(om_automaton_new(&a, ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, &first), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(a, f->sets, f->at, f->length), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(
            om_automaton_add_edge(a, lines[i].src, lines[i].dst, lines[i].marks, &all, 1), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

static om_task_result run(om_context *ctx, const om_executor *x, const om_automaton *a,
    const om_checker *c, om_lasso *lasso)
{
    const om_task_spec spec = { .product = { .executor = x,
                                    .automaton = a,
                                    .stutter = true,
                                    .deadlock_ap = OM_NONE,
                                    .workers = 1 },
        .strength = OM_STRONG };
    om_task *t = NULL;
    om_task_result r;
    assert_int_equal(om_task_new(&t, ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(t, c, NULL, &r), OM_OK);
    om_control_forget(om_context_control(ctx)); /* the evidence has stopped it */
    if (lasso != NULL && r.verdict == OM_VIOLATED)
        assert_int_equal(om_lasso_extract(lasso, ctx, t), OM_OK);
    om_task_free(t);
    return r;
}

/* Runs streett on the automaton itself. */
static om_task_result run_alone(const fixture *f, uint32_t states, const formula *condition,
    const line *lines, size_t count, om_lasso *lasso)
{
    graph g;
    om_executor x;
    om_automaton *a = graph_of(f->ctx, states, condition, lines, count);
    graph_one(&g);
    graph_executor(&g, &x);
    om_task_result r = run(f->ctx, &x, a, checker(f, "streett"), lasso);
    om_automaton_free(a);
    graph_free(&g);
    return r;
}

#define RUN(f, states, condition, lines, lasso) \
    run_alone(f, states, condition, lines, sizeof(lines) / sizeof *(lines), lasso)

static void expect(const om_task_result *r, om_verdict verdict, uint64_t states, uint64_t expanded)
{
    assert_int_equal(r->verdict, verdict);
    assert_int_equal(r->states, states);
    assert_int_equal(r->counts[OM_COUNT_EXPANSIONS], expanded);
}

/*
 * 0 -> 3 -> 0 accepts. If 0 -> 1 is followed first, the component has been visited once when that
 * cycle is found; with thresholds, 3 would have been removed by then.
 */
static void the_run_that_the_figure_misses(void **state)
{
    const formula one = streett_pairs(1);
    static const line short_way_first[] = { { 0, 3, 0 }, { 0, 1, 0 }, { 1, 2, 0 }, { 2, 3, 1 },
        { 3, 0, 0 } };
    static const line long_way_first[] = { { 0, 1, 0 }, { 0, 3, 0 }, { 1, 2, 0 }, { 2, 3, 1 },
        { 3, 0, 0 } };
    om_lasso l = { 0 };
    om_task_result r = RUN(*state, 4, &one, short_way_first, NULL);
    expect(&r, OM_VIOLATED, 3, 2); /* 2 was not met */
    r = RUN(*state, 4, &one, long_way_first, &l);
    expect(&r, OM_VIOLATED, 4, 8);
    assert_int_equal(r.counts[OM_COUNT_RED], 4);
    assert_true(l.count > 0 && l.loop < l.count);
    om_lasso_free(&l);
}

/* An accepting component comes after an edge to be avoided, which is not used for the path. */
static void behind_an_avoided_edge(void **state)
{
    const formula one = streett_pairs(1);
    static const line lines[] = { { 0, 1, 1 }, { 1, 2, 0 }, { 2, 1, 0 }, { 2, 0, 0 } };
    static const line both[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 1, 1 }, { 2, 0, 0 } };
    static const line seen[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 1, 1 }, { 2, 0, 2 } };
    om_lasso l = { 0 };
    om_task_result r = RUN(*state, 3, &one, lines, &l);
    expect(&r, OM_VIOLATED, 3, 6);
    assert_true(l.count > 0 && l.loop < l.count);
    om_lasso_free(&l);
    r = RUN(*state, 3, &one, both, NULL);
    expect(&r, OM_HOLDS, 3, 6);
    assert_int_equal(r.sccs, 1);
    r = RUN(*state, 3, &one, seen, NULL);
    assert_int_equal(r.verdict, OM_VIOLATED);
}

/* Each visit finds one more pair that cannot be met: k+1 -> k has l of pair k and u of pair k+1. */
static void nested_components(void **state)
{
    enum { MOST = 6 };
    for (size_t n = 1; n <= MOST; n++) {
        const formula f = streett_pairs((uint32_t) n);
        line lines[2 * MOST + 1];
        uint64_t expanded = n + 1;
        for (size_t k = 0; k < n; k++) {
            om_marks l = UINT64_C(1) << (2 * k), u = k + 1 < n ? UINT64_C(1) << (2 * k + 3) : 0;
            lines[2 * k] = (line){ (uint32_t) k, (uint32_t) k + 1, 0 };
            lines[2 * k + 1] = (line){ (uint32_t) k + 1, (uint32_t) k, l | u };
            expanded += n + 1 - k;
        }
        /* The first visit avoids this edge, and so do all later ones. */
        lines[2 * n] = (line){ (uint32_t) n, (uint32_t) n, 1 };
        om_task_result r = run_alone(*state, (uint32_t) n + 1, &f, lines, 2 * n + 1, NULL);
        expect(&r, OM_HOLDS, n + 1, expanded);
        assert_int_equal(r.sccs, 1);
    }
}

/* All pairs that cannot be met are avoided at once. */
static void pairs_together(void **state)
{
    const formula two = streett_pairs(2);
    static const line lines[] = { { 0, 0, 1 }, { 0, 1, 4 }, { 1, 0, 0 } };
    om_task_result r = RUN(*state, 2, &two, lines, NULL);
    expect(&r, OM_HOLDS, 2, 4);
}

/* A component in which no accepting cycle is left is not visited again. */
static void hopeless_components(void **state)
{
    static const formula mixed = { .at = { { OM_ACC_INF, 0 }, { OM_ACC_FIN, 1 }, { OM_ACC_INF, 2 },
                                       { OM_ACC_OR, 0 }, { OM_ACC_AND, 0 } },
        .length = 5,
        .sets = 3 };
    static const formula fin = { .at = { { OM_ACC_FIN, 0 } }, .length = 1, .sets = 1 };
    static const line without[] = { { 0, 1, 2 }, { 1, 0, 0 } };
    static const line with[] = { { 0, 1, 2 }, { 1, 0, 1 } };
    static const line beside[] = { { 0, 1, 2 }, { 1, 0, 1 }, { 1, 1, 1 } };
    static const line forbidden[] = { { 0, 1, 1 }, { 1, 2, 0 }, { 2, 0, 0 } };
    om_task_result r = RUN(*state, 2, &mixed, without, NULL);
    expect(&r, OM_HOLDS, 2, 2); /* no Inf(0) */
    r = RUN(*state, 2, &mixed, with, NULL);
    expect(&r, OM_HOLDS, 2, 4); /* without 0 -> 1 no cycle is left */
    r = RUN(*state, 2, &mixed, beside, NULL);
    assert_int_equal(r.verdict, OM_VIOLATED);
    r = RUN(*state, 3, &fin, forbidden, NULL);
    expect(&r, OM_HOLDS, 3, 3); /* 0 -> 1 is not taken for part of a cycle */
    assert_int_equal(r.sccs, UINT64_MAX);
}

/* ---- strong fairness ---- */

/* Compares Streett acceptance, as it is and converted, with the definition on random graphs. */
static void compare(const fixture *f, const om_automaton *a, uint32_t cases, uint64_t *violated)
{
    om_automaton *buchi = NULL;
    size_t length = 0;
    const om_acc *condition = om_automaton_acceptance(a, &length);
    assert_true((om_automaton_acceptance_classes(a) & OM_ACCEPT_STREETT) != 0);
    assert_int_equal(om_automaton_to_generalized_buchi(a, f->ctx, &buchi), OM_OK);
    om_random r = { 11 };
    for (uint32_t i = 0; i < cases; i++) {
        graph g;
        oracle o;
        om_executor x;
        graph_new(&g, &r, 30, false);
        for (uint32_t s = 0; s < g.n; s++) {
            g.label[s] = P(FAIRNESS_APS) - 1;
            for (uint32_t k = 0; k <= i % 4; k++) /* many propositions hold at a time, or few */
                g.label[s] &= om_random_next(&r);
        }
        graph_executor(&g, &x);
        x.aps = FAIRNESS_APS;
        oracle_new(&o, &g, a, true, OM_NONE);
        om_verdict want = definition_nonempty(&o, condition, length) ? OM_VIOLATED : OM_HOLDS;
        assert_int_equal(run(f->ctx, &x, a, checker(f, "streett"), NULL).verdict, want);
        assert_int_equal(run(f->ctx, &x, buchi, checker(f, "dijkstra"), NULL).verdict, want);
        *violated += want == OM_VIOLATED;
        oracle_free(&o);
        graph_free(&g);
    }
    om_automaton_free(buchi);
}

static void strong_fairness(void **state)
{
    const fixture *f = *state;
    for (uint32_t n = 1; n <= 3; n++) {
        uint64_t violated = 0;
        om_automaton *a = fairness(f->ctx, eight_hypotheses, n, 0);
        assert_int_equal(om_automaton_state_count(a), 1);
        compare(f, a, 100, &violated);
        assert_in_range(violated, 10, 100);
        om_automaton_free(a);
    }
}

static void the_formula_of_section_5(void **state)
{
    const fixture *f = *state;
    uint64_t violated = 0;
    om_automaton *a = fairness(f->ctx, eight_hypotheses, 8, P(8));
    assert_int_equal(om_automaton_state_count(a), 2);
    compare(f, a, 60, &violated);
    assert_in_range(violated, 10, 50);
    om_automaton_free(a);
}

/* ---- failures ---- */

static void lack_of_memory(void **state)
{
    const fixture *f = *state;
    const formula one = streett_pairs(1);
    static const line lines[] = { { 0, 1, 0 }, { 0, 3, 0 }, { 1, 2, 0 }, { 2, 3, 1 }, { 3, 0, 0 } };
    bool done = false;
    graph g;
    om_executor x;
    graph_one(&g);
    graph_executor(&g, &x);
    for (size_t n = 0; !done; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_task *t = NULL;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        om_automaton *a = graph_of(ctx, 4, &one, lines, sizeof lines / sizeof *lines);
        const om_task_spec spec = {
            .product = { .executor = &x, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1 },
            .strength = OM_STRONG
        };
        heap.fail_at = heap.calls + n;
        int rc = om_task_new(&t, ctx, &spec);
        if (rc == OM_OK) {
            om_task_result r;
            rc = om_task_run(t, checker(f, "streett"), NULL, &r);
            if (rc == OM_OK)
                assert_true(r.verdict == OM_VIOLATED ||
                            (r.verdict == OM_UNKNOWN && r.reason == OM_STOP_MEMORY));
        }
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        done = heap.calls <= heap.fail_at;
        assert_true(!done || rc == OM_OK);
        om_task_free(t);
        om_automaton_free(a);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
    graph_free(&g);
}

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_that_the_figure_misses),
        cmocka_unit_test(behind_an_avoided_edge),
        cmocka_unit_test(nested_components),
        cmocka_unit_test(pairs_together),
        cmocka_unit_test(hopeless_components),
        cmocka_unit_test(strong_fairness),
        cmocka_unit_test(the_formula_of_section_5),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
