/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers of nested depth-first searches: where each of them finds a cycle, and which states
 * it searches twice (Gaiser and Schwoon 2009, section 3). Also of the simple search for weak
 * automata.
 */
#include "evidence.h"
#include "random_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const char *const nested[] = { "hpy", "se", "and" };
enum { NESTED = sizeof nested / sizeof *nested };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
} fixture;

typedef struct line {
    uint32_t src, dst;
    om_marks marks;
    om_cube cube;
} line;

enum { A = 1, B = 2 };

static om_automaton *automaton(
    const fixture *f, uint32_t states, uint32_t sets, const line *lines, size_t count)
{
    static const char *const aps[GRAPH_APS] = { "a", "b", "c" };
    om_automaton *a = NULL;
    uint32_t first;
    assert_int_equal(om_automaton_new(&a, f->ctx, GRAPH_APS, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, sets), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(
            om_automaton_add_edge(a, lines[i].src, lines[i].dst, lines[i].marks, &lines[i].cube, 1),
            OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

#define AUTOMATON(f, states, sets, lines) \
    automaton(f, states, sets, lines, sizeof(lines) / sizeof *(lines))

/* GF a, accepting by edges, and by states: state 1 has seen an a. */
static const line often_a[] = { { 0, 0, 1, { A, 0 } }, { 0, 0, 0, { 0, A } } };
static const line often_a_by_states[] = { { 0, 1, 0, { A, 0 } }, { 0, 0, 0, { 0, A } },
    { 1, 1, 1, { A, 0 } }, { 1, 0, 1, { 0, A } } };
/* Accepts every word. */
static const line all_marked[] = { { 0, 0, 1, { 0, 0 } } };
/* FG !b: guesses the point from which it holds. */
static const line at_last_no_b[] = { { 0, 0, 0, { 0, 0 } }, { 0, 1, 0, { 0, B } },
    { 1, 1, 1, { 0, B } } };

/* Result of check(), which checks the graph with one worker and without stuttering. path: the
 * graph's states along the evidence. */
typedef struct answer {
    om_task_result r;
    uint32_t path[16]; /* the first states of the evidence */
    size_t length;
    uint64_t stored; /* states in the product */
} answer;

static answer check(const fixture *f, const graph *g, const om_automaton *a, om_strength strength,
    const char *name, const char *options)
{
    const om_plugin *p = NULL;
    om_executor x;
    om_task *t = NULL;
    answer out = { .length = 0 };
    graph_executor(g, &x);
    om_task_spec spec = {
        .product = { .executor = &x, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1 },
        .strength = strength
    };
    assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, name, &p), OM_OK);
    assert_int_equal(om_task_new(&t, f->ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(t, (const om_checker *) (const void *) p, options, &out.r), OM_OK);
    om_control_forget(om_context_control(f->ctx)); /* the evidence has stopped it */
    uint32_t *vectors = evidence_vectors(t, &out.length);
    for (size_t i = 0; i < out.length && i < sizeof out.path / sizeof *out.path; i++)
        out.path[i] = vectors[3 * i];
    free(vectors);
    out.stored = om_product_state_count(om_task_product(t));
    om_task_free(t);
    return out;
}

static void expect_path(const answer *x, const uint32_t *states, size_t n)
{
    assert_int_equal(x->r.verdict, OM_VIOLATED);
    assert_int_equal(x->length, n);
    assert_memory_equal(x->path, states, n * sizeof *states);
}

/* 0 -> 1 -> 0, 0 -> 2 -> 1, and a holds in 2: when the edge out of 2 is taken, the search has long
 * left 1. The red search from 1 meets 0. */
static void accepting_edge_to_a_state_that_was_left(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1, 2 }, { 0 }, { 1 } };
    static uint32_t out[] = { 2, 1, 1 };
    static uint64_t label[] = { 0, 0, A };
    static const graph g = { 3, to, out, label };
    static const uint32_t path[] = { 0, 2, 1 };
    om_automaton *a = AUTOMATON(*state, 1, 1, often_a);
    for (size_t i = 0; i < NESTED; i++) {
        answer x = check(*state, &g, a, OM_STRONG, nested[i], NULL);
        expect_path(&x, path, 3);
        assert_true(x.r.states == 3 && x.r.counts[OM_COUNT_RED] == 1);
        assert_int_equal(x.r.counts[OM_COUNT_EXPANSIONS], 4);
    }
    om_automaton_free(a);
}

/*
 * 0 -> 1 -> 0, 1 -> 2 -> 3 -> 4, and a holds only in 0: in 1 the automaton accepts, by its state.
 * An edge leads from 1 back to 0: `se` and `and` look for such an edge; hpy goes on to 4 and finds
 * the cycle when it leaves 1.
 */
static void cycle_that_the_blue_search_closes(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 2, 0 }, { 3 }, { 4 }, { 0 } };
    static uint32_t out[] = { 1, 2, 1, 1, 0 };
    static uint64_t label[] = { A, 0, 0, 0, 0 };
    static const graph g = { 5, to, out, label };
    static const uint32_t path[] = { 0, 1 };
    static const struct {
        uint64_t states, expansions, red;
    } wanted[NESTED] = { { 5, 9, 4 }, { 5, 5, 0 }, { 3, 2, 0 } };
    om_automaton *a = AUTOMATON(*state, 2, 1, often_a_by_states);
    for (size_t i = 0; i < NESTED; i++) {
        answer x = check(*state, &g, a, OM_STRONG, nested[i], NULL);
        expect_path(&x, path, 2);
        assert_int_equal(x.r.states, wanted[i].states);
        assert_int_equal(x.r.counts[OM_COUNT_EXPANSIONS], wanted[i].expansions);
        assert_int_equal(x.r.counts[OM_COUNT_RED], wanted[i].red);
    }
    om_automaton_free(a);
}

/* 0 -> 1 -> 2 -> 3, all of which accept but are on no cycle: `and` detects this, the other checkers
 * search each state again. */
static void accepting_states_on_no_cycle(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 2 }, { 3 }, { 0 } };
    static uint32_t out[] = { 1, 1, 1, 0 };
    static uint64_t label[] = { 0, 0, 0, 0 };
    static const graph g = { 4, to, out, label };
    om_automaton *a = AUTOMATON(*state, 1, 1, all_marked);
    for (size_t i = 0; i < NESTED; i++) {
        bool twice = strcmp(nested[i], "and") != 0;
        answer x = check(*state, &g, a, OM_STRONG, nested[i], NULL);
        assert_true(x.r.verdict == OM_HOLDS && x.r.states == 4);
        /* 3 has no edges, so no search asks whether it accepts. */
        assert_int_equal(x.r.counts[OM_COUNT_RED], twice ? 4 : 0);
        assert_int_equal(x.r.counts[OM_COUNT_EXPANSIONS], twice ? 8 : 4);
    }
    om_automaton_free(a);
}

/* Every cycle accepts: the one at 1 is found when it is closed, or, by hpy, when 1 is left. */
static void every_cycle_accepts(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 1 } };
    static uint32_t out[] = { 1, 1 };
    static uint64_t label[] = { 0, 0 };
    static const graph g = { 2, to, out, label };
    static const uint32_t path[] = { 0, 1 };
    om_automaton *a = AUTOMATON(*state, 1, 1, all_marked);
    for (size_t i = 0; i < NESTED; i++) {
        answer x = check(*state, &g, a, OM_STRONG, nested[i], NULL);
        expect_path(&x, path, 2);
        assert_int_equal(x.r.counts[OM_COUNT_RED], strcmp(nested[i], "hpy") == 0);
    }
    om_automaton_free(a);
}

/* 0 -> 1 -> 2 -> 1, 2 -> 3 -> 3: with b in 1 only the cycle at 3 accepts; without b the first cycle
 * accepts, which the search meets first. No state is searched twice. */
static void simple_search_of_a_weak_automaton(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 2 }, { 1, 3 }, { 3 } };
    static uint32_t out[] = { 1, 1, 2, 1 };
    static uint64_t with[] = { 0, B, 0, 0 }, without[] = { 0, 0, 0, 0 }, always[] = { B, B, B, B };
    om_automaton *a = AUTOMATON(*state, 2, 1, at_last_no_b);
    const graph far = { 4, to, out, with }, near = { 4, to, out, without },
                none = { 4, to, out, always };
    answer x = check(*state, &far, a, OM_WEAK, "sd", NULL);
    static const uint32_t behind[] = { 0, 1, 2, 3 };
    assert_int_equal(x.r.verdict, OM_VIOLATED);
    assert_true(x.length >= 4 && memcmp(x.path, behind, sizeof behind) == 0);
    x = check(*state, &near, a, OM_WEAK, "sd", NULL);
    assert_int_equal(x.r.verdict, OM_VIOLATED);
    x = check(*state, &none, a, OM_WEAK, "sd", NULL);
    assert_true(x.r.verdict == OM_HOLDS && x.r.states == 4);
    assert_int_equal(x.r.counts[OM_COUNT_EXPANSIONS], 4);
    om_automaton_free(a);
}

/* Only the path of the evidence is stored, and a search that finds nothing is no proof. The search
 * visits the states in the same order. */
static void hashed_into_bits(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 2, 0 }, { 3 }, { 4 }, { 0 } };
    static uint32_t out[] = { 1, 2, 1, 1, 0 };
    static uint64_t often[] = { A, 0, 0, 0, 0 }, never[] = { 0, 0, 0, 0, 0 },
                    always_b[] = { B, B, B, B, B };
    const graph cycle = { 5, to, out, often }, none = { 5, to, out, never },
                weak = { 5, to, out, always_b };
    static const uint32_t path[] = { 0, 1 };
    om_automaton *a = AUTOMATON(*state, 2, 1, often_a_by_states);
    answer x = check(*state, &cycle, a, OM_STRONG, "and", "bitstate=16");
    expect_path(&x, path, 2);
    /* 2 was met, but neither entered nor stored. */
    assert_true(x.r.states == 2 && x.stored == 2 && x.r.counts[OM_COUNT_EXPANSIONS] == 2);
    x = check(*state, &none, a, OM_STRONG, "and", "bitstate=16");
    assert_true(x.r.verdict == OM_UNKNOWN && x.r.reason == OM_STOP_BITSTATE);
    assert_true(x.r.states == 5 && x.stored == 0 && x.r.coverage > 0.999999);
    assert_true(x.r.memory_bytes > (1 << 16) / 8);
    om_automaton_free(a);

    a = AUTOMATON(*state, 2, 1, at_last_no_b);
    x = check(*state, &none, a, OM_WEAK, "sd", "bitstate=16");
    assert_true(x.r.verdict == OM_VIOLATED && x.stored == x.length);
    x = check(*state, &weak, a, OM_WEAK, "sd", "bitstate=16");
    assert_true(x.r.verdict == OM_UNKNOWN && x.r.reason == OM_STOP_BITSTATE && x.stored == 0);
    om_automaton_free(a);
}

/* With few bits, about a hundred of 3,000 states in a row are distinguished (some 25 if a state had
 * one bit instead of three), and the coverage says so. With more bits the search meets all states,
 * and the edge from the last state to the first, which closes a cycle. */
static void too_few_bits(void **state)
{
    enum { STATES = 3000 };
    static uint32_t to[STATES][GRAPH_OUT], out[STATES];
    static uint64_t label[STATES];
    const graph g = { STATES, to, out, label };
    om_automaton *a = AUTOMATON(*state, 1, 1, often_a);
    for (uint32_t i = 0; i + 1 < STATES; i++) {
        to[i][0] = i + 1;
        out[i] = 1;
    }
    answer x = check(*state, &g, a, OM_STRONG, "and", "bitstate=10");
    assert_true(x.r.verdict == OM_UNKNOWN && x.r.reason == OM_STOP_BITSTATE);
    assert_true(x.r.states > 50 && x.r.states < 500 && x.r.coverage < 1);
    x = check(*state, &g, a, OM_STRONG, "and", "bitstate=24");
    assert_true(x.r.states == STATES && x.r.coverage > 0.999999);
    out[STATES - 1] = 1;
    label[STATES - 1] = A;
    x = check(*state, &g, a, OM_STRONG, "and", "bitstate=24");
    assert_true(x.r.verdict == OM_VIOLATED && x.length == STATES && x.stored == STATES);
    om_automaton_free(a);
}

static void bits_that_are_too_few_to_begin_with(void **state)
{
    const fixture *f = *state;
    static uint32_t to[][GRAPH_OUT] = { { 0 } }, out[] = { 1 };
    static uint64_t label[] = { 0 };
    const graph g = { 1, to, out, label };
    static const char *const names[] = { "sd", "and" };
    om_automaton *a = AUTOMATON(f, 1, 1, all_marked);
    om_executor x;
    graph_executor(&g, &x);
    const om_task_spec spec = {
        .product = { .executor = &x, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1 },
        .strength = OM_WEAK
    };
    for (size_t i = 0; i < 2; i++) {
        const om_plugin *p = NULL;
        om_task *t = NULL;
        om_task_result r;
        assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, names[i], &p), OM_OK);
        const om_checker *c = (const om_checker *) (const void *) p;
        assert_int_equal(om_task_new(&t, f->ctx, &spec), OM_OK);
        assert_int_equal(om_task_run(t, c, "bitstate=9", &r), OM_EUSAGE);
        assert_non_null(strstr(om_context_error(f->ctx), "2^9 bits are too few"));
        om_context_clear(f->ctx);
        assert_int_equal(om_task_run(t, c, "bitstate=41", &r), OM_EUSAGE);
        om_context_clear(f->ctx);
        om_task_free(t);
    }
    om_automaton_free(a);
}

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    return om_context_new(&f.ctx, NULL) == OM_OK && om_registry_new(&f.registry, f.ctx) == OM_OK
               ? 0
               : -1;
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
        cmocka_unit_test(accepting_edge_to_a_state_that_was_left),
        cmocka_unit_test(cycle_that_the_blue_search_closes),
        cmocka_unit_test(accepting_states_on_no_cycle),
        cmocka_unit_test(every_cycle_accepts),
        cmocka_unit_test(simple_search_of_a_weak_automaton),
        cmocka_unit_test(hashed_into_bits),
        cmocka_unit_test(too_few_bits),
        cmocka_unit_test(bits_that_are_too_few_to_begin_with),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
