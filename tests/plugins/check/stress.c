/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one checker on many tiny products, with a few relevant states and up to 16 workers, all in
 * the same few states at once: interference between two steps of a worker shows here. Arguments:
 * the checker's name, first case, number of cases. A case is a function of its number.
 */
#include "random_case.h"

#include <omen/host/omen.h>
#include "oracle.h"
#include "seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct {
    const char *checker;
    uint64_t first, count;
} arguments;

enum { MOST_STATES = 12, SEEDS = 3 };

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

/* Half of the graphs have a cycle through all states, so that there are large components; the other
 * edges are random. Few labels, so that accepting cycles are rare. */
static void make_graph(graph *g, om_random *r)
{
    g->n = 2 + below(r, MOST_STATES - 1);
    g->to = calloc(g->n, sizeof *g->to);
    g->out = calloc(g->n, sizeof *g->out);
    g->label = calloc(g->n, sizeof *g->label);
    if (g->to == NULL || g->out == NULL || g->label == NULL)
        abort();
    bool round = below(r, 2) == 0;
    uint32_t back = 1 + below(r, 6), most = 1 + below(r, 3);
    for (uint32_t i = 0; i < g->n; i++) {
        g->out[i] = 1 + below(r, most);
        for (uint32_t k = 0; k < g->out[i]; k++)
            g->to[i][k] = below(r, back) == 0 ? below(r, g->n) : i + below(r, g->n - i);
        if (round || i + 1 < g->n)
            g->to[i][0] = (i + 1) % g->n;
        g->label[i] = below(r, 4) == 0 ? 1 + below(r, 3) : 0;
    }
}

/* GF a, or, with two sets, GF a & GF b. One state, or two that alternate. */
static om_automaton *make_automaton(om_context *ctx, om_random *r, uint32_t sets)
{
    static const char *const aps[GRAPH_APS] = { "a", "b", "c" };
    om_automaton *a = NULL;
    uint32_t first, n = 1 + below(r, 2), full = (1u << sets) - 1;
    assert_int_equal(om_automaton_new(&a, ctx, GRAPH_APS, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, n, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, sets), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (uint32_t q = 0; q < n; q++)
        for (uint32_t marks = 0; marks <= full; marks++) {
            om_cube label = { marks, full & ~marks };
            uint32_t to = below(r, n);
            assert_int_equal(om_automaton_add_edge(a, q, to, marks, &label, 1), OM_OK);
            if (n > 1)
                assert_int_equal(om_automaton_add_edge(a, q, 1 - to, 0, &label, 1), OM_OK);
        }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

static void check(
    om_context *ctx, const om_checker *c, const om_task_spec *spec, bool empty, uint64_t number)
{
    om_task *task = NULL;
    om_task_result r;
    assert_int_equal(om_task_new(&task, ctx, spec), OM_OK);
    int rc = om_task_run(task, c, NULL, &r);
    om_control_forget(om_context_control(ctx)); /* the evidence has stopped it */
    if (rc != OM_OK || r.verdict != (empty ? OM_HOLDS : OM_VIOLATED))
        fail_msg("case %llu, %u workers, seed %llu: status %d, verdict %d",
            (unsigned long long) number, spec->product.workers,
            (unsigned long long) spec->product.seed, rc, (int) r.verdict);
    /* lowe expands each state once, with any number of workers. */
    if (empty && strcmp(c->head.name, "lowe") == 0)
        assert_int_equal(r.counts[OM_COUNT_EXPANSIONS], r.states);
    if (!empty) {
        om_lasso l = { 0 };
        assert_int_equal(om_lasso_extract(&l, ctx, task), OM_OK);
        om_lasso_free(&l);
    }
    om_task_free(task);
}

static bool run_case(om_context *ctx, const om_checker *c, uint64_t number)
{
    static const unsigned workers[] = { 2, 3, 4, 8, 16 };
    om_random r = { number * 0x9e3779b97f4a7c15u };
    graph g;
    oracle o;
    om_executor executor;
    make_graph(&g, &r);
    graph_executor(&g, &executor);
    uint32_t sets = (c->acceptance & OM_ACCEPT_GENERALIZED_BUCHI) != 0 ? 1 + below(&r, 2) : 1;
    om_automaton *a = make_automaton(ctx, &r, sets);
    oracle_new(&o, &g, a, true, OM_NONE);
    bool empty = o.empty;
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            om_task_spec spec = { .product = { .executor = &executor,
                                      .automaton = a,
                                      .stutter = true,
                                      .deadlock_ap = OM_NONE,
                                      .workers = workers[i],
                                      .seed = number + seed },
                .strength = OM_STRONG };
            check(ctx, c, &spec, empty, number);
        }
    oracle_free(&o);
    om_automaton_free(a);
    graph_free(&g);
    return empty;
}

static void workers_in_the_same_states(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_registry *registry = NULL;
    const om_plugin *p = NULL;
    uint64_t empty = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&registry, ctx), OM_OK);
    assert_int_equal(om_registry_find(registry, OM_PLUGIN_CHECKER, arguments.checker, &p), OM_OK);
    const om_checker *c = (const om_checker *) (const void *) p;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++)
        empty += run_case(ctx, c, arguments.first + i);
    print_message("%s: %llu products, %llu empty\n", arguments.checker,
        (unsigned long long) arguments.count, (unsigned long long) empty);
    if (arguments.count >= seed_enough(100))
        assert_true(empty > arguments.count / 10 && empty < arguments.count * 9 / 10);
    om_registry_free(registry);
    om_context_free(ctx);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    arguments.checker = argv[1];
    arguments.first = seed_first(argv[2]);
    arguments.count = strtoull(argv[3], NULL, 10);
    static const struct CMUnitTest tests[] = { cmocka_unit_test(workers_in_the_same_states) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
