/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence of the Tarjan strategy that takes two workers (Renault et al. 2017, section 3.7): when
 * one of them finds all marks in a component, some states of the cycle are only on the other's
 * stack.
 *
 *   0 -> 1 -> 3 -> 0      a holds in 3, b in 5
 *             3 -> 4 -> 6 -> 6
 *   0 -> 2 -> 5 -> 0
 *
 * The worker that reaches 4 has united 3 and 0. It stays in 4 until the other one, which waits in 5
 * for that, has found b and then a and b. (The other one must not find a alone: it stays in 1.)
 */
#include "oracle.h"

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

/* After the workers have met, the wait for a stop always succeeds; before, both may take the same
 * branch. */
enum { WAIT_MS = 40, STOP_MS = 10000, SEEDS = 400, ENOUGH = 8, CASES = 40, A = 1, B = 2 };

static uint32_t moves[][GRAPH_OUT] = { { 1, 2 }, { 3 }, { 5 }, { 0, 4 }, { 6 }, { 0 }, { 6 } };
static uint32_t outs[] = { 2, 1, 1, 2, 1, 1, 1 };
static uint64_t names[] = { 0, 0, 0, 1, 0, 2, 0 };
static const graph two_ways = { 7, moves, outs, names };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    om_automaton *a;  /* GF a & GF b */
    int without_path; /* number of runs whose evidence came from a consumer */
} fixture;

static struct {
    om_control *control;
    atomic_bool in_4;
    atomic_bool met; /* one worker was in 4 while the other was in 5 */
} gate;

static bool is_over(bool for_5)
{
    return for_5 ? atomic_load(&gate.in_4) : om_control_stopped(gate.control) != OM_STOP_NONE;
}

static bool wait_for(bool for_5)
{
    const struct timespec ms = { .tv_nsec = 1000000 };
    for (int i = 0; i < (atomic_load(&gate.met) ? STOP_MS : WAIT_MS) && !is_over(for_5); i++)
        (void) nanosleep(&ms, NULL);
    return is_over(for_5);
}

static int successors(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    om_executor sound;
    graph_executor(x->self, &sound);
    if (vector[0] == 4)
        atomic_store(&gate.in_4, true);
    if (vector[0] == 4 || (vector[0] == 1 && atomic_load(&gate.met))) {
        (void) wait_for(false);
    } else if (vector[0] == 5 && wait_for(true)) {
        atomic_store(&gate.met, true);
    }
    return sound.append(&sound, vector, out);
}

static om_automaton *often_a_and_b(om_context *ctx)
{
    static const char *const aps[] = { "a", "b", "c" };
    static const om_cube cubes[] = { { A, B }, { B, A }, { A | B, 0 }, { 0, A | B } };
    static const om_marks marks[] = { 1, 2, 3, 0 };
    om_automaton *a = NULL;
    uint32_t first;
    bool ok = om_automaton_new(&a, ctx, GRAPH_APS, aps) == OM_OK &&
              om_automaton_add_states(a, 1, &first) == OM_OK &&
              om_automaton_set_generalized_buchi(a, 2) == OM_OK &&
              om_automaton_add_initial(a, 0) == OM_OK;
    for (size_t i = 0; i < 4 && ok; i++)
        ok = om_automaton_add_edge(a, 0, 0, marks[i], &cubes[i], 1) == OM_OK;
    return ok && om_automaton_finish(a) == OM_OK ? a : NULL;
}

/* Checks that the component, as far as the evidence knows it, has all states of the two cycles. */
static void expect_both_cycles(om_task *t)
{
    static const bool on_cycle[] = { true, true, true, true, false, true, false };
    const om_evidence *e = om_task_evidence_of(t);
    om_product *p = om_task_product(t);
    om_cursor *c = NULL;
    assert_non_null(e);
    assert_non_null(e->same);
    assert_true(e->entry < e->length);
    assert_int_equal(om_task_cursor(t, 0, &c), OM_OK);
    for (om_id id = 0; id < om_product_id_bound(p); id++) {
        uint32_t vector[3];
        if (!om_product_has(p, id))
            continue;
        om_cursor_vector(c, id, vector);
        assert_int_equal(e->same(e->self, id, e->path[e->entry]), on_cycle[vector[0]]);
    }
}

/* Returns true if the two workers met. */
static bool run(fixture *f, const char *name, const char *options, unsigned workers, uint64_t seed)
{
    const om_plugin *p = NULL;
    om_executor executor;
    om_task *t = NULL;
    om_task_result r;
    graph_executor(&two_ways, &executor);
    executor.append = successors;
    om_task_spec spec = { .product = { .executor = &executor,
                              .automaton = f->a,
                              .stutter = true,
                              .deadlock_ap = OM_NONE,
                              .workers = workers,
                              .seed = seed },
        .strength = OM_STRONG };
    gate.control = om_context_control(f->ctx);
    atomic_store(&gate.in_4, false);
    atomic_store(&gate.met, false);
    assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, name, &p), OM_OK);
    assert_int_equal(om_task_new(&t, f->ctx, &spec), OM_OK);
    int rc = om_task_run(t, (const om_checker *) (const void *) p, options, &r);
    om_control_forget(om_context_control(f->ctx));
    assert_int_equal(rc, OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    bool met = atomic_load(&gate.met);
    if (met)
        expect_both_cycles(t);
    f->without_path += met && om_task_evidence_of(t)->length == 1;
    om_task_free(t);
    return met;
}

/* The branch that a worker takes depends on the seed. */
static void meet(fixture *f, const char *name, const char *options, unsigned workers)
{
    int met = 0;
    f->without_path = 0;
    for (uint64_t seed = 0; seed < SEEDS && met < ENOUGH; seed++)
        met += run(f, name, options, workers, seed);
    assert_int_equal(met, ENOUGH);
}

static void tarjan(void **state)
{
    meet(*state, "tarjan", NULL, 2);
    meet(*state, "tarjan", "dead=class", 2);
}

static void mixed(void **state)
{
    meet(*state, "mixed", NULL, 2);
    meet(*state, "mixed", "dead=class", 2);
}

/* A consumer finds the component and has no path; messages still in the queues count. */
static void async(void **state)
{
    static const char *const options[] = { "", "strategy=tarjan", "strategy=tarjan,consumers=2" };
    fixture *f = *state;
    for (unsigned i = 0; i < 3; i++) {
        meet(f, "async", options[i], i == 2 ? 4 : 3);
        assert_true(f->without_path > 0);
    }
}

/* ---- options ---- */

static void agree(fixture *f, const om_task_spec *spec, bool empty, const char *name, const char *o)
{
    const om_plugin *p = NULL;
    om_task *t = NULL;
    om_task_result r;
    om_lasso l = { 0 };
    assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, name, &p), OM_OK);
    assert_int_equal(om_task_new(&t, f->ctx, spec), OM_OK);
    int rc = om_task_run(t, (const om_checker *) (const void *) p, o, &r);
    om_control_forget(om_context_control(f->ctx));
    if (rc != OM_OK || r.verdict != (empty ? OM_HOLDS : OM_VIOLATED))
        fail_msg("%s:%s with %u workers, seed %llu", name, o, spec->product.workers,
            (unsigned long long) spec->product.seed);
    if (!empty)
        assert_int_equal(om_lasso_extract(&l, f->ctx, t), OM_OK);
    om_lasso_free(&l);
    om_task_free(t);
}

static void all_options(fixture *f, const om_task_spec *spec, bool empty)
{
    static const char *const variants[] = { "", "link=rank", "union-find=finegrain",
        "union-find=finegrain,link=rank" };
    static const char *const names_of[] = { "dijkstra", "tarjan", "mixed", "async" };
    char text[96];
    for (size_t v = 0; v < 4; v++) {
        for (size_t i = 0; i < 4; i++)
            agree(f, spec, empty, names_of[i], variants[v]);
        for (size_t i = 0; i < 3; i++) {
            (void) snprintf(text, sizeof text, "dead=class%s%s", v == 0 ? "" : ",", variants[v]);
            agree(f, spec, empty, names_of[i], text);
        }
        for (int consumers = 1; consumers <= 3; consumers++) {
            (void) snprintf(text, sizeof text, "consumers=%d,strategy=%s%s%s", consumers,
                consumers == 2 ? "dijkstra" : "tarjan", v == 0 ? "" : ",", variants[v]);
            agree(f, spec, empty, "async", text);
        }
    }
}

/* With all options, the verdict is that of a plain search. */
static void options_agree(void **state)
{
    static const unsigned workers[] = { 1, 2, 3, 8 };
    fixture *f = *state;
    for (uint64_t i = 0; i < CASES; i++) {
        om_random r = { i * 0x9e3779b97f4a7c15u };
        om_executor executor;
        oracle o;
        graph g;
        graph_new(&g, &r, 60, true);
        graph_executor(&g, &executor);
        om_automaton *a = random_automaton(f->ctx, &r, SHAPE_STRONG, true);
        assert_non_null(a);
        oracle_new(&o, &g, a, true, OM_NONE);
        om_task_spec spec = { .product = { .executor = &executor,
                                  .automaton = a,
                                  .stutter = true,
                                  .deadlock_ap = OM_NONE,
                                  .workers = workers[i % 4],
                                  .seed = i },
            .strength = OM_STRONG };
        all_options(f, &spec, o.empty);
        oracle_free(&o);
        om_automaton_free(a);
        graph_free(&g);
    }
}

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    f.a = often_a_and_b(f.ctx);
    *state = &f;
    return f.a == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_automaton_free(f->a);
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(tarjan), cmocka_unit_test(mixed),
        cmocka_unit_test(async), cmocka_unit_test(options_agree) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
