/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers of each checker on a small model, combinations that a task refuses, and runs that
 * end early */
#include "evidence.h"
#include "random_case.h"

#include "heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/*
 *   0 -> 1 -> 2 -> 3 -> 1        a holds in 2 and 5, b in 4, c nowhere
 *             2 -> 4 -> 5 -> 4   6 has no successor
 *        1 -> 6
 */
static uint32_t moves[][GRAPH_OUT] = { { 1 }, { 2, 6 }, { 3, 4 }, { 1 }, { 5 }, { 4 }, { 0 } };
static uint32_t outs[] = { 1, 2, 2, 1, 1, 1, 0 };
static uint64_t names[] = { 0, 0, 1, 0, 2, 1, 0 };
static const graph small = { 7, moves, outs, names };

static const char *const aps[] = { "a", "b", "c" };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    om_executor executor;
} fixture;

typedef struct line {
    uint32_t src, dst;
    om_marks marks;
    om_cube cube;
} line;

enum { A = 1, B = 2, C = 4 };

/* The number of sets of generalized Buchi acceptance, or CO_BUCHI for Fin(0) */
enum { CO_BUCHI = 99 };

static om_automaton *automaton(
    om_context *ctx, uint32_t states, uint32_t sets, const line *lines, size_t count)
{
    static const om_acc fin = { OM_ACC_FIN, 0 };
    om_automaton *a = NULL;
    uint32_t first;
    bool ok = om_automaton_new(&a, ctx, GRAPH_APS, aps) == OM_OK &&
              om_automaton_add_states(a, states, &first) == OM_OK &&
              (sets == CO_BUCHI ? om_automaton_set_acceptance(a, 1, &fin, 1)
                                : om_automaton_set_generalized_buchi(a, sets)) == OM_OK &&
              om_automaton_add_initial(a, 0) == OM_OK;
    for (size_t i = 0; i < count && ok; i++)
        ok = om_automaton_add_edge(
                 a, lines[i].src, lines[i].dst, lines[i].marks, &lines[i].cube, 1) == OM_OK;
    if (ok && om_automaton_finish(a) == OM_OK)
        return a;
    om_automaton_free(a);
    return NULL;
}

#define AUTOMATON(ctx, states, sets, lines) \
    automaton(ctx, states, sets, lines, sizeof(lines) / sizeof *(lines))

/* GF a & GF b: both marks on a one-state automaton. Strong. */
static const line often_a_and_b[] = { { 0, 0, 1, { A, B } }, { 0, 0, 2, { B, A } },
    { 0, 0, 3, { A | B, 0 } }, { 0, 0, 0, { 0, A | B } } };
/* GF b & GF c: c never holds. */
static const line often_b_and_c[] = { { 0, 0, 1, { B, C } }, { 0, 0, 2, { C, B } },
    { 0, 0, 0, { 0, B | C } } };
/* FG (a | b): guesses the point from which it holds. Weak. */
static const line at_last_a_or_b[] = { { 0, 0, 0, { 0, 0 } }, { 0, 1, 0, { A, 0 } },
    { 0, 1, 0, { B, 0 } }, { 1, 1, 1, { A, 0 } }, { 1, 1, 1, { B, 0 } } };
/* F b, and F c. Terminal. */
static const line once_b[] = { { 0, 0, 0, { 0, B } }, { 0, 1, 0, { B, 0 } },
    { 1, 1, 1, { 0, 0 } } };
static const line once_c[] = { { 0, 0, 0, { 0, C } }, { 0, 1, 0, { C, 0 } },
    { 1, 1, 1, { 0, 0 } } };

static const om_checker *checker(const fixture *f, const char *name)
{
    const om_plugin *p = NULL;
    assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, name, &p), OM_OK);
    return (const om_checker *) (const void *) p;
}

static om_task_spec spec_of(
    const fixture *f, const om_automaton *a, om_strength strength, unsigned workers)
{
    return (om_task_spec){ .product = { .executor = &f->executor,
                               .automaton = a,
                               .stutter = true,
                               .deadlock_ap = OM_NONE,
                               .workers = workers },
        .strength = strength };
}

/* The evidence of the last run(), or the state in which the model failed: three words per state */
static uint32_t *path;
static size_t path_length;

static void take_path(om_task *t)
{
    om_id at = OM_NO_ID;
    const om_id *way = NULL;
    om_cursor *c = NULL;
    size_t n = 0;
    bool shortest = false;
    free(path);
    path = t == NULL ? NULL : evidence_vectors(t, &path_length);
    if (t == NULL || path != NULL || om_task_fault_of(t, &at, &way, &n, &shortest) == 0)
        return;
    assert_true(way == NULL || way[n - 1] == at);
    path = calloc(3, sizeof *path);
    path_length = 1;
    assert_int_equal(om_task_cursor(t, 0, &c), OM_OK);
    om_cursor_vector(c, at, path);
}

static int run(om_context *ctx, const om_task_spec *spec, const om_checker *c, const char *options,
    om_task_result *r)
{
    om_task *t = NULL;
    *r = (om_task_result){ .verdict = OM_UNKNOWN };
    int rc = om_task_new(&t, ctx, spec);
    if (rc == OM_OK)
        rc = om_task_run(t, c, options, r);
    om_control_forget(om_context_control(ctx)); /* the evidence has stopped it */
    take_path(t);
    om_task_free(t);
    return rc;
}

static void expect_states(const uint32_t *states, size_t n)
{
    assert_int_equal(path_length, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(path[3 * i], states[i]);
}

/* Checks one worker, whose search is the same in all of these checkers. expansions: how often each
 * state is expanded; stack: its length when both marks have been seen, after 5 -> 4 closes the
 * cycle. */
static void components(fixture *f, const char *name, unsigned expansions, size_t stack)
{
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 2, often_a_and_b);
    om_automaton *no = AUTOMATON(f->ctx, 1, 2, often_b_and_c);
    om_task_spec spec = spec_of(f, yes, OM_STRONG, 1);
    assert_int_equal(run(f->ctx, &spec, checker(f, name), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    /* The stack when 5 -> 4 closes the cycle with both marks */
    static const uint32_t states[] = { 0, 1, 2, 4, 5 };
    expect_states(states, stack);

    spec.product.automaton = no;
    assert_int_equal(run(f->ctx, &spec, checker(f, name), "", &r), OM_OK);
    assert_int_equal(r.verdict, OM_HOLDS);
    /* The components are {0}, {1,2,3}, {4,5} and {6}; the run in 6 stutters. */
    assert_true(r.states == 7 && r.transitions == 9 * expansions);
    assert_int_equal(r.counts[OM_COUNT_EXPANSIONS], 7 * expansions);
    assert_int_equal(r.counts[OM_COUNT_RED], 7 * (expansions - 1));
    assert_true(r.sccs == 4 || (r.sccs == UINT64_MAX && strcmp(name, "ufscc") == 0));
    assert_true(r.memory_bytes > 0 && path == NULL);
    om_automaton_free(yes);
    om_automaton_free(no);
}

static void dijkstra(void **state)
{
    components(*state, "dijkstra", 1, 5);
}

/* The mark of 4 -> 5 counts when the search leaves 5. */
static void tarjan(void **state)
{
    components(*state, "tarjan", 1, 4);
    components(*state, "mixed", 1, 4);
}

/* A single worker searches alone. */
static void async(void **state)
{
    components(*state, "async", 1, 5);
}

/* Without an acceptance set every cycle accepts, but there may be no cycle. */
static void without_marks(void **state)
{
    static const line for_ever[] = { { 0, 0, 0, { 0, 0 } } };
    static const line once[] = { { 0, 1, 0, { 0, 0 } }, { 1, 2, 0, { 0, 0 } } };
    static const char *const names_of[] = { "dijkstra", "tarjan", "mixed", "async" };
    fixture *f = *state;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 0, for_ever), *no = AUTOMATON(f->ctx, 3, 0, once);
    for (size_t i = 0; i < sizeof names_of / sizeof *names_of; i++)
        for (unsigned workers = 1; workers <= 4; workers++) {
            om_task_result r;
            om_task_spec spec = spec_of(f, yes, OM_STRONG, workers);
            assert_int_equal(run(f->ctx, &spec, checker(f, names_of[i]), NULL, &r), OM_OK);
            assert_int_equal(r.verdict, OM_VIOLATED);
            spec.product.automaton = no;
            assert_int_equal(run(f->ctx, &spec, checker(f, names_of[i]), NULL, &r), OM_OK);
            assert_int_equal(r.verdict, OM_HOLDS);
        }
    om_automaton_free(yes);
    om_automaton_free(no);
}

static void ufscc(void **state)
{
    components(*state, "ufscc", 1, 5);
}

static void ascc(void **state)
{
    components(*state, "ascc", 1, 5);
}

static void c99(void **state)
{
    components(*state, "c99", 2, 5);
}

/* GF b, and GF c. Strong. */
static const line often_b[] = { { 0, 0, 1, { B, 0 } }, { 0, 0, 0, { 0, B } } };
static const line often_c[] = { { 0, 0, 1, { C, 0 } }, { 0, 0, 0, { 0, C } } };

/* The algorithm takes a single set. */
static void gv(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 1, often_b);
    om_automaton *no = AUTOMATON(f->ctx, 1, 1, often_c);
    om_task_spec spec = spec_of(f, yes, OM_STRONG, 1);
    assert_int_equal(run(f->ctx, &spec, checker(f, "gv"), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    /* 4 -> 5 accepts, and 5 -> 4 closes the cycle. */
    static const uint32_t states[] = { 0, 1, 2, 4, 5 };
    expect_states(states, 5);

    spec.product.automaton = no;
    assert_int_equal(run(f->ctx, &spec, checker(f, "gv"), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_true(r.states == 7 && r.transitions == 9 && r.sccs == 4);
    om_automaton_free(yes);
    om_automaton_free(no);
}

/* An accepting edge that the first a takes, on no cycle */
static const line one_a[] = { { 0, 0, 0, { 0, A } }, { 0, 1, 1, { A, 0 } }, { 1, 1, 0, { 0, 0 } } };

/* Checks a checker for one set; the two paths of a worker are its evidence. */
static void nested(fixture *f, const char *name)
{
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 1, often_b), *no = AUTOMATON(f->ctx, 1, 1, often_c);
    om_automaton *once = AUTOMATON(f->ctx, 2, 1, one_a);
    for (unsigned workers = 1; workers <= 16; workers *= 2) {
        om_task_spec spec = spec_of(f, yes, OM_STRONG, workers);
        assert_int_equal(run(f->ctx, &spec, checker(f, name), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_VIOLATED && path_length >= 4 && path[0] == 0);
        uint32_t last = path[3 * (path_length - 1)];
        assert_true(last == 4 || last == 5);

        spec.product.automaton = no;
        assert_int_equal(run(f->ctx, &spec, checker(f, name), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.states == 7 && r.counts[OM_COUNT_RED] == 0);
        assert_true(workers > 1 || r.transitions == 9);

        spec.product.automaton = once;
        assert_int_equal(run(f->ctx, &spec, checker(f, name), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.memory_bytes > 0 && path == NULL);
        assert_true(workers > 1 || r.counts[OM_COUNT_RED] > 0);
    }
    om_automaton_free(yes);
    om_automaton_free(no);
    om_automaton_free(once);
}

static void cndfs(void **state)
{
    nested(*state, "cndfs");
}

/* Several workers together do the work of one. */
static void lowe(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 2, often_a_and_b);
    om_automaton *no = AUTOMATON(f->ctx, 1, 2, often_b_and_c);
    for (unsigned workers = 1; workers <= 16; workers *= 2)
        for (uint64_t seed = 0; seed < 20; seed++) {
            om_task_spec spec = spec_of(f, yes, OM_STRONG, workers);
            spec.product.seed = seed;
            assert_int_equal(run(f->ctx, &spec, checker(f, "lowe"), NULL, &r), OM_OK);
            assert_true(r.verdict == OM_VIOLATED && path_length > 0);
            uint32_t last = path[3 * (path_length - 1)];
            assert_true(last == 4 || last == 5);

            spec.product.automaton = no;
            assert_int_equal(run(f->ctx, &spec, checker(f, "lowe"), NULL, &r), OM_OK);
            assert_true(r.verdict == OM_HOLDS && r.states == 7 && r.transitions == 9);
            assert_true(r.sccs == 4 && r.counts[OM_COUNT_EXPANSIONS] == 7);
            assert_true(r.memory_bytes > 0 && path == NULL);
        }
    om_automaton_free(yes);
    om_automaton_free(no);
}

/* FG !a, and FG !b. */
static const line at_last_no_a[] = { { 0, 0, 1, { A, 0 } }, { 0, 0, 0, { 0, A } } };
static const line at_last_no_b[] = { { 0, 0, 1, { B, 0 } }, { 0, 0, 0, { 0, B } } };

/* The first a, and then anything */
static const line after_an_a[] = { { 0, 0, 0, { 0, A } }, { 0, 1, 1, { A, 0 } },
    { 1, 1, 0, { 0, 0 } } };

/* Without the edges out of 2 and 5, the only run left ends in 6 and meets neither. Without the
 * edges out of 4, the cycle 1 -> 2 -> 3 -> 1 is left. */
static void dfsfifo(void **state)
{
    static const uint32_t ends[] = { 0, 1, 6 };
    fixture *f = *state;
    om_task_result r;
    om_automaton *no_a = AUTOMATON(f->ctx, 1, CO_BUCHI, at_last_no_a);
    om_automaton *no_b = AUTOMATON(f->ctx, 1, CO_BUCHI, at_last_no_b);
    om_automaton *once = AUTOMATON(f->ctx, 2, CO_BUCHI, after_an_a);
    for (unsigned workers = 1; workers <= 16; workers *= 2) {
        om_task_spec spec = spec_of(f, no_a, OM_STRONG, workers);
        assert_int_equal(run(f->ctx, &spec, checker(f, "dfsfifo"), NULL, &r), OM_OK);
        assert_int_equal(r.verdict, OM_VIOLATED);
        expect_states(ends, 3);

        spec.product.stutter = false;
        assert_int_equal(run(f->ctx, &spec, checker(f, "dfsfifo"), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.states == 7 && path == NULL);
        assert_true(workers > 1 || (r.transitions == 8 && r.counts[OM_COUNT_EXPANSIONS] == 7));

        spec.product.automaton = no_b;
        assert_int_equal(run(f->ctx, &spec, checker(f, "dfsfifo"), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_VIOLATED && path_length == 2);
        expect_states(ends, 2);

        /* The cycle comes after an edge of the set, so the path to it is not known. */
        spec.product.automaton = once;
        assert_int_equal(run(f->ctx, &spec, checker(f, "dfsfifo"), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_VIOLATED && path_length == 1);
        assert_true(path[0] != 0 && path[0] != 6 && path[2] == 1);
    }
    om_automaton_free(no_a);
    om_automaton_free(no_b);
    om_automaton_free(once);
}

static void weak(fixture *f, const char *name)
{
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 2, 1, at_last_a_or_b);
    om_automaton *no = AUTOMATON(f->ctx, 2, 1, once_c);
    om_task_spec spec = spec_of(f, yes, OM_WEAK, 1);
    assert_int_equal(run(f->ctx, &spec, checker(f, name), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    assert_true(path_length >= 4 && path[0] == 0 && r.sccs == UINT64_MAX);
    assert_int_equal(path[3 * (path_length - 1) + 2], 1);

    spec = spec_of(f, no, OM_TERMINAL, 1);
    assert_int_equal(run(f->ctx, &spec, checker(f, name), NULL, &r), OM_OK);
    assert_true(r.verdict == OM_HOLDS && r.states == 7 && r.transitions == 9);
    om_automaton_free(yes);
    om_automaton_free(no);
}

static void weak_swarm(void **state)
{
    weak(*state, "weak-swarm");
}

static void sd(void **state)
{
    weak(*state, "sd");
}

/* Accepts !a for ever; or an a, later a b, and then anything. */
static const line not_a_or_a_then_b[] = { { 0, 0, 1, { 0, A } }, { 0, 1, 0, { A, 0 } },
    { 1, 1, 0, { 0, B } }, { 1, 2, 0, { B, 0 } }, { 2, 2, 1, { 0, 0 } } };

/* From one accepting component of the automaton through a rejecting one to another */
static void weak_hybrid(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_automaton *a = AUTOMATON(f->ctx, 3, 1, not_a_or_a_then_b);
    weak(f, "weak-hybrid");
    for (unsigned workers = 1; workers <= 4; workers++) {
        om_task_spec spec = spec_of(f, a, OM_WEAK, workers);
        spec.product.stutter = false;
        assert_int_equal(run(f->ctx, &spec, checker(f, "weak-hybrid"), NULL, &r), OM_OK);
        assert_int_equal(r.verdict, OM_VIOLATED);
        /* The cycle 4 -> 5 -> 4, which is reached through states stored inside the first
         * component */
        assert_true(path_length == 1 && (path[0] == 4 || path[0] == 5) && path[2] == 2);
    }
    om_automaton_free(a);
}

/* The mark is on the edge out of 0; the edge back to 0 is never enabled. */
static const line marked_once[] = { { 0, 1, 1, { 0, 0 } }, { 1, 1, 0, { 0, 0 } },
    { 1, 0, 0, { C, 0 } } };

/* The mark is on the edge from one cycle to another, which takes two rounds. */
static const line marked_between[] = { { 0, 0, 0, { 0, 0 } }, { 0, 1, 1, { 0, 0 } },
    { 1, 1, 0, { 0, 0 } }, { 1, 0, 0, { C, 0 } } };

/* The rounds do the same work for any number of workers. */
static void owcty(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 2, often_a_and_b);
    om_automaton *no = AUTOMATON(f->ctx, 1, 2, often_b_and_c);
    om_automaton *between = AUTOMATON(f->ctx, 2, 1, marked_between);
    om_automaton *once = AUTOMATON(f->ctx, 2, 1, marked_once);
    static const char *const options[] = { "map=on", "map=off" };
    weak(f, "owcty");
    for (unsigned i = 0; i < 8; i++) {
        om_task_spec spec = spec_of(f, yes, OM_STRONG, 1 + i / 2);
        assert_int_equal(run(f->ctx, &spec, checker(f, "owcty"), options[i % 2], &r), OM_OK);
        assert_int_equal(r.verdict, OM_VIOLATED);
        /* A shortest path to a state of the cycle through 4 and 5; no edge has both marks. */
        static const uint32_t states[] = { 0, 1, 2, 4, 5 };
        assert_true(path_length == 4 || path_length == 5);
        expect_states(states, path_length);
        assert_int_equal(r.states, 7);

        /*
         * For GF b & GF c: no edge leads back to 0, so 0 is eliminated first. No edge has the mark
         * of c, so the second round is empty, and the first one, which starts from b in 4, is
         * {4,5}. Edges: 9, that of 0 again (1), those of 5 and 4 in the first round (2). The other
         * states are never expanded again.
         */
        spec.product.automaton = no;
        assert_int_equal(run(f->ctx, &spec, checker(f, "owcty"), options[i % 2], &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.states == 7);
        assert_true(r.transitions == 12);
        assert_true(r.memory_bytes > 0 && path == NULL);

        /* After 0 is eliminated, no edge has the mark: 9 edges, and that of 0 again. */
        spec.product.automaton = once;
        assert_int_equal(run(f->ctx, &spec, checker(f, "owcty"), options[i % 2], &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.states == 7 && r.transitions == 10);

        /* States with automaton state 0 have 9 edges among themselves and 9 to states with
         * automaton state 1. The latter have 8 edges, because 0 does not occur with automaton state
         * 1; the rest of the first round takes these 8 again. State 0 is expanded again (2
         * edges). */
        spec.product.automaton = between;
        assert_int_equal(run(f->ctx, &spec, checker(f, "owcty"), options[i % 2], &r), OM_OK);
        assert_int_equal(r.verdict, OM_HOLDS);
        assert_true(r.states == 13 && r.transitions == 18 + 8 + 2 + 8);
    }
    om_automaton_free(yes);
    om_automaton_free(no);
    om_automaton_free(once);
    om_automaton_free(between);
}

static void reach(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 2, 1, once_b), *no = AUTOMATON(f->ctx, 2, 1, once_c);
    om_task_spec spec = spec_of(f, yes, OM_TERMINAL, 1);
    assert_int_equal(run(f->ctx, &spec, checker(f, "reach"), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    /* b holds in 4; the automaton reaches its accepting state one step later. */
    static const uint32_t states[] = { 0, 1, 2, 4, 5 };
    expect_states(states, 5);

    for (unsigned workers = 1; workers <= 4; workers++) {
        spec = spec_of(f, no, OM_TERMINAL, workers);
        assert_int_equal(run(f->ctx, &spec, checker(f, "reach"), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.states == 7 && r.transitions == 9);
    }
    om_automaton_free(yes);
    om_automaton_free(no);
}

static void refuse(
    fixture *f, const om_task_spec *spec, const char *name, int status, const char *reason)
{
    om_task_result r;
    om_context_clear(f->ctx);
    assert_int_equal(run(f->ctx, spec, checker(f, name), NULL, &r), status);
    assert_non_null(strstr(om_context_error(f->ctx), reason));
    assert_true(r.verdict == OM_UNKNOWN && path == NULL);
    om_context_clear(f->ctx);
}

static void unsound_combinations_are_refused(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_acc never = { OM_ACC_FIN, 0 };
    om_automaton *strong = AUTOMATON(f->ctx, 1, 2, often_a_and_b), *fin = NULL;
    om_automaton *terminal = AUTOMATON(f->ctx, 2, 1, once_b);
    uint32_t first;
    om_cube any = { 0, 0 };

    om_task_spec spec = spec_of(f, strong, OM_STRONG, 1);
    refuse(f, &spec, "reach", OM_EUSAGE, "not sound for strong automata");
    refuse(f, &spec, "weak-swarm", OM_EUSAGE, "not sound for strong automata");
    refuse(f, &spec, "weak-hybrid", OM_EUSAGE, "not sound for strong automata");
    refuse(f, &spec, "gv", OM_EUSAGE, "does not take generalized Buchi acceptance");
    refuse(f, &spec, "sd", OM_EUSAGE, "not sound for strong automata");
    refuse(f, &spec, "and", OM_EUSAGE, "does not take generalized Buchi acceptance");
    spec.strength = OM_WEAK;
    refuse(f, &spec, "weak-swarm", OM_EINVAL, "the automaton is strong, but the task says weak");
    spec = spec_of(f, terminal, OM_TERMINAL, 1);
    spec.product.stutter = false;
    refuse(f, &spec, "reach", OM_EUSAGE, "finite runs are ignored");
    assert_int_equal(run(f->ctx, &spec, checker(f, "weak-swarm"), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);

    assert_int_equal(om_automaton_new(&fin, f->ctx, GRAPH_APS, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(fin, 1, &first), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(fin, 1, &never, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(fin, 0), OM_OK);
    assert_int_equal(om_automaton_add_edge(fin, 0, 0, 0, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(fin, 0, 0, 1, &any, 1), OM_OK);
    assert_int_equal(om_automaton_finish(fin), OM_OK);
    spec = spec_of(f, fin, OM_STRONG, 1);
    refuse(f, &spec, "dijkstra", OM_EUSAGE, "does not take co-Buchi acceptance");

    spec = spec_of(f, strong, OM_STRONG, 1);
    assert_int_equal(run(f->ctx, &spec, checker(f, "dijkstra"), "depth=3", &r), OM_EUSAGE);
    om_context_clear(f->ctx);
    om_automaton_free(strong);
    om_automaton_free(terminal);
    om_automaton_free(fin);
}

static const char *const all[] = { "reach", "weak-swarm", "weak-hybrid", "dijkstra", "ufscc", "hpy",
    "se", "and", "sd", "gv", "c99", "ascc", "tarjan", "mixed", "async", "lowe", "cndfs", "owcty" };
enum { ALL = sizeof all / sizeof *all };

/* The checkers that can hash states into bits instead of storing them */
static const char *const bitstate[] = { "sd", "and" };
enum { BITSTATE = sizeof bitstate / sizeof *bitstate };

/* Returns checker i, first those of all, then those of bitstate; *options: its options. */
static const om_checker *any_checker(const fixture *f, size_t i, const char **options)
{
    *options = i < ALL ? NULL : "bitstate=12";
    return checker(f, i < ALL ? all[i] : bitstate[i - ALL]);
}

static void limits_give_unknown(void **state)
{
    fixture *f = *state;
    om_automaton *no = AUTOMATON(f->ctx, 2, 1, once_c);
    for (size_t i = 0; i < ALL + BITSTATE; i++) {
        const char *options;
        const om_checker *c = any_checker(f, i, &options);
        for (unsigned workers = 1; workers <= 2; workers++) {
            om_limits limits = { .max_states = 5 };
            om_context *ctx = NULL;
            om_task_result r;
            om_task_spec spec = spec_of(f, no, OM_TERMINAL, workers);
            assert_int_equal(om_context_new_below(&ctx, f->ctx), OM_OK);
            om_control_start(om_context_control(ctx), &limits);
            assert_int_equal(run(ctx, &spec, c, options, &r), OM_OK);
            assert_true(r.verdict == OM_UNKNOWN && r.reason == OM_STOP_STATES);
            assert_true(r.states <= 5 && r.states > 0);

            om_control_start(om_context_control(ctx), NULL);
            om_task *t = NULL, *late = NULL;
            assert_int_equal(om_task_new(&t, ctx, &spec), OM_OK);
            assert_true(om_control_stop(om_context_control(ctx), OM_STOP_INTERRUPT));
            assert_int_equal(om_task_run(t, c, options, &r), OM_OK);
            assert_true(r.verdict == OM_UNKNOWN && r.reason == OM_STOP_INTERRUPT);
            /* A task cannot be created after its context has been stopped. */
            assert_int_equal(om_task_new(&late, ctx, &spec), OM_ELIMIT);
            om_task_free(t);
            om_context_free(ctx);
        }
    }
    om_automaton_free(no);
}

/* Reports a division by zero in state 3. */
static int faulty_successors(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    om_executor sound;
    graph_executor(x->self, &sound);
    int rc = sound.append(&sound, vector, out);
    if (vector[0] == 3)
        out->fault = OM_FAULT(OM_FAULT_DIVISION, 2);
    return rc;
}

static void faults_are_reported(void **state)
{
    fixture *f = *state;
    om_automaton *no = AUTOMATON(f->ctx, 2, 1, once_c);
    om_executor faulty = f->executor;
    faulty.append = faulty_successors;
    for (size_t i = 0; i < ALL + BITSTATE; i++) {
        const char *options;
        const om_checker *c = any_checker(f, i, &options);
        for (unsigned workers = 1; workers <= 2; workers++) {
            om_task_result r;
            om_task_spec spec = spec_of(f, no, OM_TERMINAL, workers);
            spec.product.executor = &faulty;
            assert_int_equal(run(f->ctx, &spec, c, options, &r), OM_EMODEL);
            assert_int_equal(r.fault, OM_FAULT(OM_FAULT_DIVISION, 2));
            assert_true(path_length == 1 && path[0] == 3 && path[1] == 9);
            om_context_clear(f->ctx);
        }
    }
    om_automaton_free(no);
}

/* Each run starts from scratch, until evidence stops the task's control for good. */
static void a_task_can_run_again(void **state)
{
    fixture *f = *state;
    om_automaton *yes = AUTOMATON(f->ctx, 2, 1, once_b);
    om_automaton *no = AUTOMATON(f->ctx, 2, 1, once_c);
    om_task_spec spec = spec_of(f, no, OM_TERMINAL, 2);
    om_task *t = NULL;
    om_task_result r;
    uint64_t states, transitions;
    spec.product.seed = 7;
    assert_int_equal(om_task_new(&t, f->ctx, &spec), OM_OK);
    assert_true(om_task_workers(t) == 2 && om_task_seed(t) == 7);
    assert_int_equal(om_task_strength(t), OM_TERMINAL);
    om_task_progress(t, &states, &transitions);
    assert_true(states == 0 && transitions == 0);
    for (size_t i = 0; i < ALL; i++) {
        assert_int_equal(om_task_run(t, checker(f, all[i]), NULL, &r), OM_OK);
        assert_true(r.verdict == OM_HOLDS && r.states == 7);
        om_task_progress(t, &states, &transitions);
        assert_true(states == r.states && transitions == r.transitions);
    }
    om_task_free(t);

    spec.product.automaton = yes;
    assert_int_equal(om_task_new(&t, f->ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(t, checker(f, "reach"), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    om_task_progress(t, &states, &transitions);
    assert_true(states == r.states && transitions == r.transitions);
    assert_int_equal(om_task_run(t, checker(f, "reach"), NULL, &r), OM_OK);
    assert_true(r.verdict == OM_UNKNOWN && r.reason == OM_STOP_FOUND);
    om_control_forget(om_context_control(f->ctx));
    om_task_free(t);
    om_automaton_free(yes);
    om_automaton_free(no);
}

static void lack_of_memory(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < ALL + BITSTATE; i++) {
        const char *options;
        const om_checker *c = any_checker(f, i, &options);
        bool done = false;
        for (size_t n = 1; !done; n++) {
            test_heap heap;
            om_context *ctx = NULL;
            om_task_result r = { .verdict = OM_UNKNOWN };
            test_heap_init(&heap, n);
            assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
            om_automaton *yes = AUTOMATON(ctx, 2, 1, once_b);
            if (yes != NULL) {
                om_task_spec spec = spec_of(f, yes, OM_TERMINAL, 1);
                int rc = run(ctx, &spec, c, options, &r);
                assert_true(rc == OM_ENOMEM || rc == OM_OK);
                if (rc == OM_OK && r.verdict == OM_UNKNOWN)
                    assert_int_equal(r.reason, OM_STOP_MEMORY);
                done = heap.calls <= n;
                assert_true(!done || r.verdict == OM_VIOLATED);
            }
            om_automaton_free(yes);
            om_context_free(ctx);
            assert_int_equal(heap.live, 0);
        }
    }
}

/* Allocation n fails, in the rounds or while the evidence is made from the remaining states. */
static void lack_of_memory_in_rounds(void **state)
{
    fixture *f = *state;
    bool done = false;
    for (size_t n = 1; !done; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_task_result r = { .verdict = OM_UNKNOWN };
        test_heap_init(&heap, n);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        om_automaton *yes = AUTOMATON(ctx, 1, 2, often_a_and_b);
        if (yes != NULL) {
            om_task_spec spec = spec_of(f, yes, OM_STRONG, 1);
            int rc = run(ctx, &spec, checker(f, "owcty"), "map=off", &r);
            assert_true(rc == OM_ENOMEM || rc == OM_OK);
            done = heap.calls <= n;
            assert_true(!done || r.verdict == OM_VIOLATED);
        }
        om_automaton_free(yes);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

/* A test_heap for several threads */
typedef struct shared_heap {
    test_heap inner;
    om_heap heap;
    pthread_mutex_t lock;
} shared_heap;

static void *shared_resize(void *self, void *p, size_t bytes)
{
    shared_heap *h = self;
    pthread_mutex_lock(&h->lock);
    void *now = test_heap_resize(&h->inner, p, bytes);
    pthread_mutex_unlock(&h->lock);
    return now;
}

/* An allocation of some worker fails, and all workers end. */
static void lack_of_memory_in_several_workers(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < ALL + BITSTATE; i++) {
        const char *options;
        const om_checker *c = any_checker(f, i, &options);
        bool done = false;
        for (size_t n = 1; !done; n++) {
            shared_heap h = { .lock = PTHREAD_MUTEX_INITIALIZER };
            om_context *ctx = NULL;
            om_task_result r = { .verdict = OM_UNKNOWN };
            test_heap_init(&h.inner, n);
            h.heap = (om_heap){ shared_resize, &h };
            assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
            om_automaton *no = AUTOMATON(ctx, 2, 1, once_c);
            if (no != NULL) {
                om_task_spec spec = spec_of(f, no, OM_TERMINAL, 3);
                int rc = run(ctx, &spec, c, options, &r);
                assert_true(rc == OM_ENOMEM || rc == OM_OK);
                assert_true(rc == OM_ENOMEM || r.verdict != OM_VIOLATED);
                done = h.inner.calls <= n;
                assert_true(!done || r.verdict == (options == NULL ? OM_HOLDS : OM_UNKNOWN));
            }
            om_automaton_free(no);
            om_context_free(ctx);
            assert_int_equal(h.inner.live, 0);
        }
    }
}

/* Runs a search that restarts from listed states, and makes its evidence; allocation n fails.
 * Returns true if there were no more than n allocations. */
static bool layers_without(const fixture *f, unsigned workers, bool violated, size_t n)
{
    shared_heap h = { .lock = PTHREAD_MUTEX_INITIALIZER };
    om_context *ctx = NULL;
    om_task_result r = { .verdict = OM_UNKNOWN };
    bool done = false;
    test_heap_init(&h.inner, n);
    h.heap = (om_heap){ shared_resize, &h };
    assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
    om_automaton *a = violated ? AUTOMATON(ctx, 2, CO_BUCHI, after_an_a)
                               : AUTOMATON(ctx, 1, CO_BUCHI, at_last_no_a);
    if (a != NULL) {
        om_task_spec spec = spec_of(f, a, OM_STRONG, workers);
        spec.product.stutter = false;
        int rc = run(ctx, &spec, checker(f, "dfsfifo"), NULL, &r);
        assert_true(rc == OM_ENOMEM || rc == OM_OK);
        assert_true(rc == OM_ENOMEM || r.verdict != (violated ? OM_HOLDS : OM_VIOLATED));
        done = h.inner.calls <= n;
        assert_true(!done || r.verdict == (violated ? OM_VIOLATED : OM_HOLDS));
    }
    om_automaton_free(a);
    om_context_free(ctx);
    assert_int_equal(h.inner.live, 0);
    return done;
}

static void lack_of_memory_in_layers(void **state)
{
    for (unsigned workers = 1; workers <= 3; workers += 2)
        for (int violated = 0; violated < 2; violated++)
            for (size_t n = 1; !layers_without(*state, workers, violated != 0, n); n++) {
            }
}

/* A class of ufscc knows at most OM_SCC_SETS_WORKERS workers; the others leave the search to them.
 */
static void more_workers_than_take_part(void **state)
{
    fixture *f = *state;
    om_task_result r;
    om_automaton *yes = AUTOMATON(f->ctx, 1, 2, often_a_and_b);
    om_automaton *no = AUTOMATON(f->ctx, 1, 2, often_b_and_c);
    om_task_spec spec = spec_of(f, no, OM_STRONG, OM_SCC_SETS_WORKERS + 20);
    assert_int_equal(run(f->ctx, &spec, checker(f, "ufscc"), NULL, &r), OM_OK);
    assert_true(r.verdict == OM_HOLDS && r.states == 7);
    spec.product.automaton = yes;
    assert_int_equal(run(f->ctx, &spec, checker(f, "ufscc"), NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    om_automaton_free(yes);
    om_automaton_free(no);
}

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    graph_executor(&small, &f.executor);
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

/* ---- valid answers ---- */

/* Behaviours of the checker talker, chosen by its option; it does nothing else. */
enum { SAYS_NOTHING, SAYS_COMPLETE, SAYS_COMPLETE_AT_LAST, SAYS_COMPLETE_THEN_LIMIT, SAYS_FOUND };

struct om_run {
    om_task *task;
    int64_t says;
};

static int talker_create(om_run *run, om_task *task, const int64_t *options)
{
    *run = (om_run){ task, options[0] };
    return OM_OK;
}

/* Reports evidence with the mark of one set, although acceptance needs two. */
static int talker_found(om_task *task)
{
    om_cursor *c = NULL;
    const om_step *steps = NULL;
    size_t n = 0;
    assert_int_equal(om_task_cursor(task, 0, &c), OM_OK);
    assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
    om_evidence e = OM_EVIDENCE(&steps[0].to, 1);
    e.see = 1;
    return om_task_evidence(task, &e);
}

/* Worker 0 has done its share; the others have been stopped or were not needed. */
static int talker_work(om_run *r, unsigned worker)
{
    if (worker != 0)
        return OM_ESTOP;
    if (r->says == SAYS_FOUND)
        return talker_found(r->task);
    if (r->says == SAYS_COMPLETE || r->says == SAYS_COMPLETE_THEN_LIMIT)
        om_task_complete(r->task);
    if (r->says == SAYS_COMPLETE_AT_LAST || r->says == SAYS_COMPLETE_THEN_LIMIT)
        (void) om_control_stop(om_task_control(r->task), OM_STOP_TIMEOUT);
    if (r->says == SAYS_COMPLETE_AT_LAST)
        om_task_complete(r->task);
    return OM_OK;
}

static void talker_destroy(om_run *r)
{
    (void) r;
}

static void only_acts_are_answers(void **state)
{
    static const om_option options[] = { { "says", 0, 0, SAYS_FOUND, "what" },
        { NULL, 0, 0, 0, NULL } };
    const om_checker talker = { .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "talker",
                                    "talks", NULL, options),
        .strengths = OM_FOR_ALL,
        .acceptance = OM_ACCEPT_ANY,
        .flags = OM_CHECKER_PARALLEL,
        .run_size = sizeof(om_run),
        .create = talker_create,
        .work = talker_work,
        .destroy = talker_destroy };
    static const struct {
        int rc;
        om_verdict verdict;
        om_stop_reason reason;
    } wanted[] = { [SAYS_NOTHING] = { OM_EINTERNAL, OM_UNKNOWN, OM_STOP_NONE },
        [SAYS_COMPLETE] = { OM_OK, OM_HOLDS, OM_STOP_NONE },
        [SAYS_COMPLETE_AT_LAST] = { OM_OK, OM_UNKNOWN, OM_STOP_TIMEOUT },
        [SAYS_COMPLETE_THEN_LIMIT] = { OM_OK, OM_UNKNOWN, OM_STOP_TIMEOUT },
        [SAYS_FOUND] = { OM_EINVAL, OM_UNKNOWN, OM_STOP_NONE } };
    fixture *f = *state;
    om_automaton *a = AUTOMATON(f->ctx, 1, 2, often_a_and_b);
    for (int says = SAYS_NOTHING; says <= SAYS_FOUND; says++)
        for (unsigned workers = 1; workers <= 3; workers++) {
            char text[32];
            om_task_result r;
            om_context *ctx = NULL;
            om_task_spec spec = spec_of(f, a, OM_STRONG, workers);
            (void) snprintf(text, sizeof text, "says=%d", says);
            assert_int_equal(om_context_new_below(&ctx, f->ctx), OM_OK);
            assert_int_equal(run(ctx, &spec, &talker, text, &r), wanted[says].rc);
            assert_int_equal(r.verdict, wanted[says].verdict);
            assert_int_equal(r.reason, wanted[says].reason);
            om_context_free(ctx);
        }
    om_automaton_free(a);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(dijkstra),
        cmocka_unit_test(ufscc),
        cmocka_unit_test(tarjan),
        cmocka_unit_test(async),
        cmocka_unit_test(without_marks),
        cmocka_unit_test(ascc),
        cmocka_unit_test(c99),
        cmocka_unit_test(gv),
        cmocka_unit_test(more_workers_than_take_part),
        cmocka_unit_test(cndfs),
        cmocka_unit_test(lowe),
        cmocka_unit_test(dfsfifo),
        cmocka_unit_test(weak_swarm),
        cmocka_unit_test(sd),
        cmocka_unit_test(weak_hybrid),
        cmocka_unit_test(owcty),
        cmocka_unit_test(reach),
        cmocka_unit_test(unsound_combinations_are_refused),
        cmocka_unit_test(limits_give_unknown),
        cmocka_unit_test(only_acts_are_answers),
        cmocka_unit_test(faults_are_reported),
        cmocka_unit_test(a_task_can_run_again),
        cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(lack_of_memory_in_rounds),
        cmocka_unit_test(lack_of_memory_in_several_workers),
        cmocka_unit_test(lack_of_memory_in_layers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
