/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of fairness: the edges that have them, without other changes of the product; and fairness
 * without marks (fair_processes.h). */
#include <omen/host/omen.h>
#include <omen/plugin/fair_processes.h>

#include "product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/*
 * State v < MOST - 1: transition 0 (of process 0) leads to v + 1. Transition 1 (of both), unless v
 * is a multiple of 3, leads to 3v + 2, or to v + 1 if v is odd. Transition 2 (of no process) is a
 * self-loop if v is a multiple of 5. The last state stutters. AP 0 is true for odd v and AP NEVER
 * never; both belong to the automaton. AP SEVENTH is true for multiples of 7.
 */
enum { MOST = 60, TRANSITIONS = 3, NEVER = 1, SEVENTH = 2 };
enum {
    ABLE_0 = 1,
    UNABLE_0,
    ABLE_1,
    UNABLE_1,
    MOVES_0,
    MOVES_1,
    HOLDS
}; /* sets after the automaton's own */

static om_marks set(int i)
{
    return UINT64_C(1) << i;
}

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static void add(om_successors *out, uint32_t to, uint32_t transition)
{
    out->words[out->count * out->stride] = to % MOST;
    out->transition[out->count++] = transition;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    uint32_t v = vector[0];
    out->fault = 0;
    if (om_successors_reserve(out, out->count + TRANSITIONS, x->words) != OM_OK)
        return OM_ENOMEM;
    if (v == MOST - 1)
        return OM_OK;
    add(out, v + 1, 0);
    if (v % 3 != 0)
        add(out, v % 2 == 1 ? v + 1 : 3 * v + 2, 1);
    if (v % 5 == 0)
        add(out, v, 2);
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x;
    *fault = 0;
    return vector[0] % 2 | (uint64_t) (vector[0] % 7 == 0) << SEVENTH;
}

static om_marks expected(uint32_t v, uint32_t transition)
{
    const bool able[] = { v != MOST - 1, v != MOST - 1 && v % 3 != 0 };
    om_marks marks = set(able[0] ? ABLE_0 : UNABLE_0) | set(able[1] ? ABLE_1 : UNABLE_1);
    if (transition <= 1)
        marks |= set(MOVES_0);
    if (transition == 1)
        marks |= set(MOVES_1);
    return v % 7 == 0 ? marks | set(HOLDS) : marks;
}

/* Two states; each has a self-loop and an edge, only under AP 0 and with a mark, to the other. */
static int new_automaton(om_automaton **out, om_context *ctx)
{
    static const char *const aps[] = { "odd", "never" };
    static const om_cube cubes[] = { { 0, 0 }, { 1, 0 }, { 1u << NEVER, 0 } };
    int rc = om_automaton_new(out, ctx, 2, aps);
    if (rc == OM_OK)
        rc = om_automaton_add_states(*out, 2, NULL);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(*out, HOLDS + 1);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(*out, 0);
    for (uint32_t q = 0; q < 2 && rc == OM_OK; q++) {
        rc = om_automaton_add_edge(*out, q, q, 0, &cubes[0], 1);
        if (rc == OM_OK)
            rc = om_automaton_add_edge(*out, q, 1 - q, 1, &cubes[1], 1);
        if (rc == OM_OK)
            rc = om_automaton_add_edge(*out, q, 1 - q, set(HOLDS), &cubes[2], 1);
    }
    return rc == OM_OK ? om_automaton_finish(*out) : rc;
}

typedef struct figures {
    size_t steps, states, other; /* other: steps with marks of fairness */
} figures;

static void look_at(const om_step *s, uint32_t v, bool fair, figures *out)
{
    assert_int_equal(s->marks & ~set(0), fair ? expected(v, s->transition) : 0);
    out->steps++;
    out->other += (s->marks & ~set(0)) != 0;
}

/* Visits all states and steps; every other state by its vector. */
static int look(om_product *p, om_cursor *c, bool fair, figures *out)
{
    const om_step *steps;
    const uint32_t *rows;
    uint32_t from[2];
    size_t n;
    int rc = om_cursor_initial(c, &steps, &n);
    for (size_t i = 0; rc == OM_OK && i < n; i++)
        assert_int_equal(steps[i].marks, 0);
    for (om_id id = 0; rc == OM_OK && id < om_product_state_count(p); id++) {
        om_cursor_vector(c, id, from);
        rc = om_cursor_successors(c, id, &steps, &n);
        for (size_t i = 0; rc == OM_OK && i < n; i++)
            look_at(&steps[i], from[0], fair, out);
        figures again = { 0 };
        if (rc == OM_OK)
            rc = om_cursor_unstored(c, from, &rows, &steps, &n);
        for (size_t i = 0; rc == OM_OK && i < n; i++)
            look_at(&steps[i], from[0], fair, &again);
    }
    out->states = om_product_state_count(p);
    return rc;
}

static int run_by(om_context *ctx, const om_fairness *fairness, const om_fair_processes *by,
    uint32_t variants, figures *out)
{
    om_executor x = { .size = sizeof x,
        .name = "fair",
        .words = 1,
        .aps = 3,
        .initial = initial,
        .append = append,
        .labels = labels };
    om_automaton *a = NULL;
    om_product *p = NULL;
    om_cursor *c = NULL;
    int rc = new_automaton(&a, ctx);
    om_product_spec spec = { .executor = &x,
        .automaton = a,
        .stutter = true,
        .deadlock_ap = OM_NONE,
        .workers = 1,
        .variants = variants,
        .fairness = fairness };
    if (rc == OM_OK)
        rc = om_product__new(&p, ctx, &spec);
    if (rc == OM_OK && by != NULL)
        rc = om_product__set_fair_processes(p, by);
    if (rc == OM_OK)
        rc = om_cursor__open(&c, p, 0);
    if (rc == OM_OK)
        rc = look(p, c, fairness != NULL && variants != 0 && fairness->processes != 0, out);
    om_cursor__close(c);
    om_product__free(p);
    om_automaton_free(a);
    return rc;
}

static int run(om_context *ctx, const om_fairness *fairness, uint32_t variants, figures *out)
{
    return run_by(ctx, fairness, NULL, variants, out);
}

static const uint64_t movers[] = { 1, 3, 0 };
static const om_marks moves[] = { 1 << MOVES_0, 1 << MOVES_0 | 1 << MOVES_1, 0 },
                      able[] = { 1 << ABLE_0, 1 << ABLE_1 },
                      unable[] = { 1 << UNABLE_0, 1 << UNABLE_1 }, holds[] = { 1 << HOLDS };
static const om_fairness both = { .processes = 2,
    .transitions = TRANSITIONS,
    .movers = movers,
    .moves = moves,
    .able = able,
    .unable = unable,
    .first_ap = SEVENTH,
    .aps = 1,
    .holds = holds };

/* The number of states does not change. Edges that differ only in their movers are kept
 * separate. */
static void on_edges(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    figures fair = { 0 }, plain = { 0 }, unasked = { 0 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(run(ctx, &both, OM_PRODUCT_FAIRNESS, &fair), OM_OK);
    assert_int_equal(run(ctx, NULL, 0, &plain), OM_OK);
    assert_int_equal(run(ctx, &both, 0, &unasked), OM_OK);
    assert_true(plain.states > 30 && plain.steps > 60);
    assert_int_equal(fair.states, plain.states);
    assert_int_equal(fair.steps, fair.other);
    assert_true(fair.steps > plain.steps);
    assert_int_equal(plain.other, 0);
    assert_int_equal(unasked.steps, plain.steps);
    om_context_free(ctx);
}

/* Processes 0 and 1 become 0 and 69 of 70. */
enum { MANY = 70, LAST = MANY - 1 };
static const uint32_t who[][2] = { { 0, OM_NONE }, { LAST, 0 }, { OM_NONE, OM_NONE } };
static const om_fair_processes many = {
    .size = sizeof many, .processes = MANY, .transitions = TRANSITIONS, .who = who
};

/* No marks, and each step of the model that the automaton's labels permit. */
static void without_marks(void **state)
{
    (void) state;
    static const om_marks none[TRANSITIONS] = { 0 };
    static const uint64_t nobody[TRANSITIONS] = { 0 };
    const uint32_t variants = OM_PRODUCT_FAIRNESS | OM_PRODUCT_FAIR_PROCESSES;
    const om_fairness f = { .transitions = TRANSITIONS, .movers = nobody, .moves = none };
    om_context *ctx = NULL;
    figures marked = { 0 }, unmarked = { 0 }, plain = { 0 }, asked = { 0 };
    om_fair_processes bad = many;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(run(ctx, &both, OM_PRODUCT_FAIRNESS, &marked), OM_OK);
    assert_int_equal(run_by(ctx, &f, &many, variants, &unmarked), OM_OK);
    assert_int_equal(unmarked.states, marked.states);
    assert_int_equal(unmarked.steps, marked.steps);
    assert_int_equal(unmarked.other, 0);
    /* Without such fairness, requesting it changes nothing. */
    assert_int_equal(run(ctx, NULL, 0, &plain), OM_OK);
    assert_int_equal(run(ctx, NULL, OM_PRODUCT_FAIR_PROCESSES, &asked), OM_OK);
    assert_int_equal(asked.steps, plain.steps);
    asked = (figures){ 0 };
    assert_int_equal(run(ctx, &f, variants, &asked), OM_OK);
    assert_int_equal(asked.steps, plain.steps);
    /* A checker that only supports marks does not get it. */
    assert_int_equal(run_by(ctx, &f, &many, OM_PRODUCT_FAIRNESS, &unmarked), OM_EINVAL);
    om_context_clear(ctx);
    assert_int_equal(run_by(ctx, NULL, &many, OM_PRODUCT_FAIR_PROCESSES, &unmarked), OM_EINVAL);
    om_context_clear(ctx);
    bad.who = NULL;
    assert_int_equal(run_by(ctx, &f, &bad, variants, &unmarked), OM_EINVAL);
    om_context_free(ctx);
}

static bool fair_after(bool strong, size_t steps, const uint32_t *transitions, uint32_t taken)
{
    om_fair_processes f = many;
    om_step step[TRANSITIONS] = { 0 };
    uint64_t can[2] = { 1, 1 }, met[2] = { 0 }, must[2] = { 0 };
    f.strong = strong;
    for (size_t i = 0; i < steps; i++)
        step[i].transition = transitions[i];
    om_fair_processes_enabled(&f, step, steps, can);
    om_fair_processes_add_state(&f, can, met, must);
    om_fair_processes_add_step(&f, taken, met);
    return om_fair_processes_satisfied(&f, met, must);
}

/* A cycle of one state. */
static void rows(void **state)
{
    (void) state;
    static const uint32_t all[] = { 0, 1, 2 }, stays[] = { OM_STUTTER };
    om_fair_processes f = many;
    assert_int_equal(om_fair_processes_words(NULL), 0);
    for (f.processes = 0; f.processes <= 2 * 64; f.processes++) {
        const uint32_t words = om_fair_processes_words(&f);
        uint32_t n = 0;
        assert_int_equal(words, (f.processes + 63) / 64);
        for (uint32_t i = 0; i < words; i++)
            n += (uint32_t) __builtin_popcountll(om_fair_processes_all(&f, i));
        assert_int_equal(n, f.processes);
    }
    for (int strong = 0; strong < 2; strong++) {
        assert_true(fair_after(strong, 3, all, 1)); /* both processes move */
        assert_false(fair_after(strong, 3, all, 0));
        assert_false(fair_after(strong, 3, all, 2));
        assert_true(fair_after(strong, 1, all, 0)); /* the other process cannot move */
        assert_true(fair_after(strong, 1, all + 2, 2));
        assert_true(fair_after(strong, 1, stays, OM_STUTTER));
    }
}

/* Two states: a process that can move in only one of them satisfies weak fairness without moving,
 * but not strong fairness. */
static void rows_of_two(void **state)
{
    (void) state;
    const om_step first[] = { { .transition = 0 }, { .transition = 1 } };
    for (int strong = 0; strong < 2; strong++) {
        om_fair_processes f = many;
        uint64_t can[2], met[2] = { 0 }, must[2] = { 0 };
        f.strong = strong;
        om_fair_processes_enabled(&f, first, 2, can);
        assert_true(can[0] == 1 && can[1] == UINT64_C(1) << (LAST - 64));
        om_fair_processes_add_state(&f, can, met, must);
        om_fair_processes_add_step(&f, 0, met);
        assert_false(om_fair_processes_satisfied(&f, met, must));
        om_fair_processes_enabled(&f, first, 1, can);
        om_fair_processes_add_state(&f, can, met, must);
        assert_int_equal(om_fair_processes_satisfied(&f, met, must), !strong);
        om_fair_processes_add_step(&f, 1, met);
        assert_true(om_fair_processes_satisfied(&f, met, must));
    }
}

static void refused(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    figures f = { 0 };
    om_fairness bad = both;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(run(ctx, NULL, OM_PRODUCT_FAIRNESS, &f), OM_EUNSUPPORTED);
    om_context_clear(ctx);
    bad.first_ap = 1; /* belongs to the automaton */
    assert_int_equal(run(ctx, &bad, OM_PRODUCT_FAIRNESS, &f), OM_EINVAL);
    om_context_clear(ctx);
    bad = both;
    bad.aps = 2; /* the executor has one */
    assert_int_equal(run(ctx, &bad, OM_PRODUCT_FAIRNESS, &f), OM_EINVAL);
    om_context_clear(ctx);
    bad = both;
    bad.processes = 65;
    assert_int_equal(run(ctx, &bad, OM_PRODUCT_FAIRNESS, &f), OM_EINVAL);
    om_context_free(ctx);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(on_edges),
        cmocka_unit_test(without_marks), cmocka_unit_test(rows), cmocka_unit_test(rows_of_two),
        cmocka_unit_test(refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
