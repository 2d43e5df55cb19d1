/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One large component that has to be searched again and again: tests the verdict with 1 to 16
 * workers, the number of transitions they explore, and that they share these. Each level removes a
 * few states and leaves the others one component, in which one more pair cannot be met.
 */
#include "fairness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/*
 * LEVELS pairs; STATES ordinary states in a ring, with other edges, and a few special ones. Each
 * worker explores some thousand states twice, independent of the size of the component: with half
 * of these states, 16 workers on two cores explored up to 1.63 times as much as one.
 */
enum { LEVELS = 6, STATES = 60000, FEW = 8, MOST_WORKERS = 16 };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_checker *checker;
    graph g;
    om_executor executor;
    hypothesis pairs[LEVELS];
} fixture;

/*
 * Special states of kind k have l of pair k and u of pair k + 1: once they are avoided, pair k + 1
 * cannot be met either. l of the last pair holds in all ordinary states (or, if `accepting`, only
 * in the special states of the last kind). It is met as long as special states of the last kind but
 * one are left; then nothing is left (or an accepting cycle).
 */
static void make_graph(graph *g, bool accepting)
{
    om_random r = { 17 };
    g->n = STATES + FEW * LEVELS;
    g->to = calloc(g->n, sizeof *g->to);
    g->out = calloc(g->n, sizeof *g->out);
    g->label = calloc(g->n, sizeof *g->label);
    assert_true(g->to != NULL && g->out != NULL && g->label != NULL);
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t kind = (i - STATES) / FEW;
        g->out[i] = i < STATES ? 3 : 1;
        g->to[i][0] = i < STATES ? (i + 1) % STATES : (uint32_t) om_random_below(&r, STATES);
        g->to[i][1] = (uint32_t) om_random_below(&r, STATES);
        g->to[i][2] = (uint32_t) om_random_below(&r, g->n);
        if (i < STATES)
            g->label[i] = accepting ? 0 : P(LEVELS - 1);
        else
            g->label[i] = P(kind);
    }
    /* Makes every special state reachable. */
    for (uint32_t i = 0; i < FEW * LEVELS; i++)
        g->to[i * (STATES / (FEW * LEVELS))][2] = STATES + i;
}

/* GF p(k) -> GF p(k - 1); for the first pair, oc is a proposition that never holds. */
static void make_pairs(hypothesis *h)
{
    for (unsigned k = 0; k < LEVELS; k++)
        h[k] = (hypothesis){ P(k), k == 0 ? P(FAIRNESS_APS - 1) : P(k - 1) };
}

static om_task_result run(const fixture *f, const om_automaton *a, unsigned workers)
{
    const om_task_spec spec = { .product = { .executor = &f->executor,
                                    .automaton = a,
                                    .stutter = true,
                                    .deadlock_ap = OM_NONE,
                                    .workers = workers },
        .strength = OM_STRONG };
    om_task *t = NULL;
    om_task_result r;
    assert_int_equal(om_task_new(&t, f->ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(t, f->checker, NULL, &r), OM_OK);
    om_control_forget(om_context_control(f->ctx));
    om_task_free(t);
    return r;
}

static void open_case(fixture *f, bool accepting, om_automaton **a)
{
    make_graph(&f->g, accepting);
    make_pairs(f->pairs);
    graph_executor(&f->g, &f->executor);
    f->executor.aps = FAIRNESS_APS;
    *a = fairness(f->ctx, f->pairs, LEVELS, 0);
}

static void each_level_is_explored_once(void **state)
{
    fixture *f = *state;
    om_automaton *a = NULL;
    open_case(f, false, &a);
    const uint64_t states = STATES + FEW * LEVELS;
    om_task_result alone = run(f, a, 1);
    assert_int_equal(alone.verdict, OM_HOLDS);
    assert_int_equal(alone.states, states);
    /* Once in each level: special states of a kind are in one level more than those of the kind
     * before. */
    assert_in_range(alone.counts[OM_COUNT_RED], (uint64_t) LEVELS * STATES, LEVELS * states);
    assert_int_equal(alone.counts[OM_COUNT_EXPANSIONS], states + alone.counts[OM_COUNT_RED]);
    for (unsigned workers = 2; workers <= MOST_WORKERS; workers *= 2) {
        om_task_result r = run(f, a, workers);
        print_message("%u workers: %llu states in later levels, %llu transitions, alone %llu\n",
            workers, (unsigned long long) r.counts[OM_COUNT_RED],
            (unsigned long long) r.transitions, (unsigned long long) alone.transitions);
        assert_int_equal(r.verdict, OM_HOLDS);
        assert_int_equal(r.states, states);
        assert_true(r.counts[OM_COUNT_RED] >= alone.counts[OM_COUNT_RED]);
        assert_true(2 * r.transitions <= (workers == 2 ? 3 : 4) * alone.transitions);
    }
    om_automaton_free(a);
    graph_free(&f->g);
}

static void what_is_left_accepts(void **state)
{
    fixture *f = *state;
    om_automaton *a = NULL;
    open_case(f, true, &a);
    for (unsigned workers = 1; workers <= MOST_WORKERS; workers *= 2)
        assert_int_equal(run(f, a, workers).verdict, OM_VIOLATED);
    om_automaton_free(a);
    graph_free(&f->g);
}

static int set_up(void **state)
{
    static fixture f;
    const om_plugin *p = NULL;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_CHECKER, "streett", &p) != OM_OK)
        return -1;
    f.checker = (const om_checker *) (const void *) p;
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
        cmocka_unit_test(each_level_is_explored_once),
        cmocka_unit_test(what_is_left_accepts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
