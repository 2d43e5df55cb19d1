/* SPDX-License-Identifier: Apache-2.0 */
/* reach-cl and weak-cl on random products, compared with an explicit search for cycles; owcty-cl
 * compared with the checker dijkstra. */
#include "evidence.h"
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CASES = 600, CASES_ON_HOST = 200, FEW = 100, FEWEST = 16, MOST_STATES = 8 };

static om_context *ctx;
static om_devices *devices;
static om_device *device;
static om_registry *registry;
static bool few, fewest; /* reduced numbers of random products, for slow devices */

typedef struct tally {
    unsigned violated, held, faults;
} tally;

static const om_checker *checker(const char *name)
{
    const om_plugin *p = NULL;
    if (om_registry_find(registry, OM_PLUGIN_CHECKER, name, &p) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    return (const om_checker *) (const void *) p;
}

/* Marks the automaton states that are in an accepting component. */
static void find_accepting(const om_automaton *a, uint8_t *accepting)
{
    om_sccs sccs = { 0 };
    assert_int_equal(om_automaton_sccs(a, ctx, &sccs), OM_OK);
    for (uint32_t q = 0; q < om_automaton_state_count(a); q++)
        accepting[q] =
            sccs.component[q] != OM_NONE && sccs.strength[sccs.component[q]] != OM_NON_ACCEPTING;
    om_sccs_free(&sccs, om_context_heap(ctx));
}

/* The evidence starts in an initial state, follows edges, and ends in a state from which a cycle
 * is reachable. */
static void check_evidence(
    const reference *r, const uint8_t *accepting, const uint32_t *path, size_t n)
{
    bool reaches = false;
    size_t at = 0;
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        size_t now = reference_find(r, path + i * r->row);
        assert_int_not_equal(now, SIZE_MAX);
        if (i > 0)
            assert_true(reference_has_edge(r, at, now));
        at = now;
    }
    bool *seen = calloc(r->count, sizeof *seen);
    uint32_t *stack = calloc(r->count + 1, sizeof *stack);
    assert_true(seen != NULL && stack != NULL);
    size_t depth = 1;
    stack[0] = (uint32_t) at;
    while (depth > 0) {
        uint32_t s = stack[--depth];
        reaches = reaches || reference_on_cycle(r, s, accepting);
        for (size_t e = r->begin[s]; e < r->begin[s + 1]; e++)
            if (!seen[r->to[e]]) {
                seen[r->to[e]] = true;
                stack[depth++] = r->to[e];
            }
    }
    assert_true(reaches);
    free(stack);
    free(seen);
}

static void check(const char *name, om_model *m, const om_expr *aps, const om_automaton *a,
    om_strength strength, bool stutter, tally *t)
{
    uint8_t accepting[MOST_STATES];
    om_executor *vm = NULL;
    om_task *task = NULL;
    om_task_result result;
    reference r;
    find_accepting(a, accepting);
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
    reference_explore(&r, vm, a, stutter, OM_NONE);
    om_task_spec spec = { .product = { .executor = vm,
                              .automaton = a,
                              .stutter = stutter,
                              .deadlock_ap = OM_NONE,
                              .workers = 1 },
        .strength = strength,
        .model = m,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .device = device };
    assert_int_equal(om_task_new(&task, ctx, &spec), OM_OK);
    int rc = om_task_run(task, checker(name), NULL, &result);
    om_control_forget(om_context_control(ctx)); /* evidence stops the control */
    if (rc != OM_OK)
        fail_msg("%s: %d: %s", name, rc, om_context_error(ctx));
    bool cycle = reference_any_cycle(&r, accepting);
    assert_int_equal(result.verdict, cycle ? OM_VIOLATED : OM_HOLDS);
    if (cycle) {
        size_t n = 0;
        uint32_t *path = evidence_vectors(task, &n);
        check_evidence(&r, accepting, path, n);
        free(path);
        t->violated++;
    } else {
        assert_int_equal(result.states, r.count);
        assert_int_equal(result.transitions, r.edges);
        const uint32_t *left = NULL;
        assert_int_equal(om_task_overflows_of(task, &left), r.overflows);
        assert_int_equal(left != NULL, r.overflows != 0);
        t->held++;
    }
    om_task_free(task);
    reference_free(&r);
    om_executor_close(vm);
}

/* Checks the part of this strength, if the automaton has one. */
static void check_part(om_model *m, const om_expr *aps, const om_automaton *whole,
    om_strength strength, tally *reach, tally *weak)
{
    om_automaton *part = NULL;
    assert_int_equal(om_automaton_part(whole, ctx, strength, &part), OM_OK);
    if (part == NULL)
        return;
    if (strength == OM_TERMINAL)
        check("reach-cl", m, aps, part, strength, true, reach);
    check("weak-cl", m, aps, part, strength, false, weak);
    check("weak-cl", m, aps, part, strength, true, weak);
    om_automaton_free(part);
}

static void random_products(void **state)
{
    om_random random = { 42 };
    tally reach = { 0 }, weak = { 0 };
    (void) state;
    bool host = strncmp(reference_device_name(), "host", 4) == 0;
    const unsigned cases = fewest ? FEWEST : few ? FEW : host ? CASES_ON_HOST : CASES;
    for (unsigned i = 0; i < cases; i++) {
        om_expr aps[GRAPH_APS];
        uint8_t accepting[MOST_STATES];
        uint32_t states = 2 + (uint32_t) om_random_below(&random, MOST_STATES - 1);
        for (uint32_t q = 0; q < states; q++)
            accepting[q] = om_random_below(&random, 4) == 0;
        om_model *m =
            reference_graph(ctx, &random, 20 + 20 * (unsigned) om_random_below(&random, 4), 0, aps);
        om_automaton *a = reference_automaton(ctx, &random, states, accepting);
        check_part(m, aps, a, OM_TERMINAL, &reach, &weak);
        check_part(m, aps, a, OM_WEAK, &reach, &weak);
        om_automaton_free(a);
        om_model_free(m);
    }
    printf("reach-cl: %u violated, %u held; weak-cl: %u, %u\n", reach.violated, reach.held,
        weak.violated, weak.held);
    const unsigned some = fewest ? 1 : few ? 3 : 10;
    assert_true(reach.violated >= some && (fewest || reach.held >= (few ? 1 : host ? 3 : 10)));
    assert_true(weak.violated >= some && weak.held >= some);
}

/* ---- strong parts ---- */

/* Marks of up to three sets on any edge, most edges with few marks, so that all kinds of
 * components occur. */
static om_automaton *strong_automaton(om_random *random)
{
    static const char *const names[] = { "a", "b" };
    const uint32_t states = 1 + (uint32_t) om_random_below(random, MOST_STATES / 2);
    const uint32_t sets = (uint32_t) om_random_below(random, 4);
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, ctx, GRAPH_APS, names), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, sets), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (uint32_t i = 0; i < states * 3; i++) {
        const om_label positive = om_random_below(random, 4);
        const om_cube cube = { positive, om_random_below(random, 4) & ~positive };
        om_marks marks = 0;
        for (uint32_t k = 0; k < sets; k++)
            marks |= (om_marks) (om_random_below(random, 4) == 0) << k;
        assert_int_equal(om_automaton_add_edge(a, (uint32_t) om_random_below(random, states),
                             (uint32_t) om_random_below(random, states), marks, &cube, 1),
            OM_OK);
    }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* Verdict of dijkstra, which test_check compares with a plain search. */
static om_verdict by_dijkstra(om_task_spec spec)
{
    om_task *task = NULL;
    om_task_result result;
    spec.device = NULL;
    assert_int_equal(om_task_new(&task, ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(task, checker("dijkstra"), NULL, &result), OM_OK);
    om_control_forget(om_context_control(ctx)); /* evidence stops the control */
    om_task_free(task);
    return result.verdict;
}

static void check_strong(
    om_model *m, const om_expr *aps, const om_automaton *a, bool stutter, tally *t)
{
    om_executor *vm = NULL;
    om_task *task = NULL;
    om_task_result result;
    reference r;
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
    reference_explore(&r, vm, a, stutter, OM_NONE);
    const om_task_spec spec = { .product = { .executor = vm,
                                    .automaton = a,
                                    .stutter = stutter,
                                    .deadlock_ap = OM_NONE,
                                    .workers = 1 },
        .strength = OM_STRONG,
        .model = m,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .device = device };
    assert_int_equal(om_task_new(&task, ctx, &spec), OM_OK);
    int rc = om_task_run(task, checker("owcty-cl"), NULL, &result);
    om_control_forget(om_context_control(ctx)); /* evidence stops the control */
    if (rc != OM_OK)
        fail_msg("owcty-cl: %d: %s", rc, om_context_error(ctx));
    assert_int_equal(result.verdict, by_dijkstra(spec));
    assert_int_equal(result.transitions, r.edges);
    if (result.verdict == OM_VIOLATED) {
        /* The search for the lasso starts from the last state of the evidence. */
        om_lasso l = { 0 };
        size_t n = 0;
        uint32_t *path = evidence_vectors(task, &n);
        for (size_t i = 0; i < n; i++) {
            assert_int_not_equal(reference_find(&r, path + i * r.row), SIZE_MAX);
            assert_true(i == 0 || reference_has_edge(&r, reference_find(&r, path + (i - 1) * r.row),
                                      reference_find(&r, path + i * r.row)));
        }
        free(path);
        if (om_lasso_extract(&l, ctx, task) != OM_OK)
            fail_msg("no lasso: %s", om_context_error(ctx));
        om_lasso_free(&l);
        t->violated++;
    } else {
        assert_int_equal(result.states, r.count);
        t->held++;
    }
    om_task_free(task);
    reference_free(&r);
    om_executor_close(vm);
}

static void strong_products(void **state)
{
    om_random random = { 7 };
    tally strong = { 0 };
    (void) state;
    bool host = strncmp(reference_device_name(), "host", 4) == 0;
    const unsigned cases = (fewest ? FEWEST : few ? FEW : host ? CASES_ON_HOST : CASES) / 2;
    for (unsigned i = 0; i < cases; i++) {
        om_expr aps[GRAPH_APS];
        om_model *m =
            reference_graph(ctx, &random, 20 + 20 * (unsigned) om_random_below(&random, 4), 0, aps);
        om_automaton *a = strong_automaton(&random);
        check_strong(m, aps, a, i % 2 == 0, &strong);
        om_automaton_free(a);
        om_model_free(m);
    }
    printf("owcty-cl: %u violated, %u held\n", strong.violated, strong.held);
    const unsigned some = fewest ? 1 : few ? 5 : 15;
    assert_true(strong.violated >= some && strong.held >= some);
}

/* An engine rejects an operation that it was not opened for. */
static void a_fixpoint_is_asked_for_early(void **state)
{
    static const uint8_t accepting[MOST_STATES] = { 1 };
    om_random random = { 3 };
    om_expr aps[GRAPH_APS];
    om_engine *e = NULL;
    om_exploration x;
    om_id rest = 0;
    (void) state;
    om_model *m = reference_graph(ctx, &random, 70, 0, aps);
    om_automaton *a = strong_automaton(&random);
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = m,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .automaton = a,
        .deadlock_ap = OM_NONE,
        .accepting = accepting };
    for (unsigned i = 0; i < 2; i++) {
        spec.fixpoint = i != 0;
        assert_int_equal(om_engine_open(&e, ctx, &spec), OM_OK);
        /* First an engine without the kernels; then one with them, but before it explores. */
        if (i == 0)
            assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_OK);
        assert_int_equal(om_engine_fixpoint(e, 0, &rest, NULL), OM_EINVAL);
        assert_true(rest == OM_NO_ID);
        om_context_clear(ctx);
        om_engine_close(e);
    }
    om_automaton_free(a);
    om_model_free(m);
}

/* F(not a): if finite runs are ignored, reach-cl would be unsound; it is rejected. */
static void refused(void **state)
{
    static const char *const names[] = { "a", "b" };
    static const om_cube any = { 0, 0 }, not_a = { 0, 1 };
    om_random random = { 5 };
    om_expr aps[GRAPH_APS];
    om_model *m = reference_graph(ctx, &random, 70, 0, aps);
    om_automaton *a = NULL;
    om_executor *vm = NULL;
    om_task *task = NULL;
    om_task_result result;
    (void) state;
    assert_int_equal(om_automaton_new(&a, ctx, GRAPH_APS, names), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 2, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 0, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 1, 0, &not_a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 1, 1, 1, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
    om_task_spec spec = {
        .product = { .executor = vm, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1 },
        .strength = OM_TERMINAL,
        .model = m,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .device = device
    };
    assert_int_equal(om_task_new(&task, ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(task, checker("reach-cl"), NULL, &result), OM_EUSAGE);
    om_context_clear(ctx);
    om_task_free(task);
    spec.device = NULL;
    assert_int_equal(om_task_new(&task, ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(task, checker("weak-cl"), NULL, &result), OM_EUNSUPPORTED);
    om_context_clear(ctx);
    om_task_free(task);
    om_executor_close(vm);
    om_automaton_free(a);
    om_model_free(m);
}

int main(int argc, char **argv)
{
    fewest = argc > 1 && strcmp(argv[1], "fewest") == 0;
    few = fewest || (argc > 1 && strcmp(argv[1], "few") == 0);
    if (om_context_new(&ctx, NULL) != OM_OK || om_registry_new(&registry, ctx) != OM_OK)
        return 1;
    devices = reference_device(ctx, &device);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_products),
        cmocka_unit_test(strong_products),
        cmocka_unit_test(a_fixpoint_is_asked_for_early),
        cmocka_unit_test(refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    om_devices_close(devices);
    om_registry_free(registry);
    om_context_free(ctx);
    return failed;
}
