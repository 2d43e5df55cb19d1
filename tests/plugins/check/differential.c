/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares every checker that needs no device with a plain search for components, on random
 * products of random models and automata. Each runs with 1, 2, 4 and 8 workers (4 or 8 if the cases
 * are shared among the checkers), several seeds and both kinds of store. Arguments: first case,
 * number of cases, states of the largest model, and one in how many checkers takes a case or the
 * name of the only checker, which also runs with 16 workers. A case is a function of its number.
 */
#include "evidence.h"
#include "oracle.h"
#include "seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <cmocka.h>

static struct {
    uint64_t first, count;
    uint32_t largest, share;
    const char *only; /* the only checker, or NULL */
} arguments = { 0, 100, 24, 1, NULL };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    uint64_t runs, violated, refused, states, missed /* by bit-state hashing */;
    uint64_t before; /* expansions in the previous run of owcty on the same sample, or 0 */
} fixture;

typedef struct sample {
    uint64_t number;
    graph g;
    om_executor executor;
    om_automaton *a;
    om_strength strength; /* of the automaton */
    bool stutter;
    uint32_t deadlock_ap;
    oracle o;
} sample;

/* Prints the case before the assertion ends the test. */
#define EXPECT(s, checker, workers, condition)                                   \
    do {                                                                         \
        if (!(condition)) {                                                      \
            print_error("case %llu, %s with %u workers, seed %llu\n",            \
                (unsigned long long) (s)->number, (checker)->head.name, workers, \
                (unsigned long long) seed);                                      \
            assert_true(condition);                                              \
        }                                                                        \
    } while (0)

/* Converts some automata with several sets to one set, so that checkers of Buchi automata get their
 * share. */
static void degeneralise(sample *s, om_context *ctx)
{
    om_automaton *one = NULL;
    if (om_automaton_set_count(s->a) < 2 || om_automaton_set_count(s->a) > 5 || s->number % 3 == 0)
        return;
    assert_int_equal(om_automaton_to_buchi(s->a, ctx, &one), OM_OK);
    om_automaton_free(s->a);
    s->a = one;
}

static void sample_new(sample *s, om_context *ctx, uint64_t number)
{
    static const shape shapes[] = { SHAPE_STRONG, SHAPE_WEAK, SHAPE_STRONG, SHAPE_TERMINAL };
    om_random r = { number * 0x9e3779b97f4a7c15u };
    om_sccs sccs;

    s->number = number;
    bool lively = arguments.largest > 100;
    if (number % 5 == 4 && !lively) {
        graph_one(&s->g);
        s->a = random_lone_automaton(ctx, &r);
    } else {
        graph_new(&s->g, &r, arguments.largest, lively);
        s->a = number % 12 == 0 ? random_fin_less(ctx, &r, lively)
                                : random_automaton(ctx, &r, shapes[number % 4], lively);
    }
    graph_executor(&s->g, &s->executor);
    assert_non_null(s->a);
    degeneralise(s, ctx);
    s->stutter = om_random_below(&r, 2) == 0;
    s->deadlock_ap = om_random_below(&r, 2) == 0 ? OM_NONE : 1;
    assert_int_equal(om_automaton_sccs(s->a, ctx, &sccs), OM_OK);
    s->strength = om_sccs_strength(&sccs);
    om_sccs_free(&sccs, om_context_heap(ctx));
    oracle_new(&s->o, &s->g, s->a, s->stutter, s->deadlock_ap);
}

static void sample_free(sample *s)
{
    oracle_free(&s->o);
    om_automaton_free(s->a);
    graph_free(&s->g);
}

static uint32_t number_of(const sample *s, const uint32_t *path, size_t i)
{
    const uint32_t *vector = path + 3 * i;
    assert_true(vector[0] < s->g.n && vector[1] == vector[0] * vector[0]);
    return vector[0] * s->o.automaton_states + vector[2];
}

/* Checks that the evidence is a path of the product to a state that reaches an accepting component.
 * Both ends of a gap must be in one component; a component that the evidence knows must accept. */
static void check_evidence(const sample *s, om_task *task)
{
    size_t n = 0;
    uint32_t *path = evidence_vectors(task, &n);
    const om_evidence *e = om_task_evidence_of(task);
    assert_true(n >= 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t state = number_of(s, path, i);
        assert_true(s->o.component[state] != OM_NONE);
        if (i == 0 && n > 1)
            assert_true(s->o.initial[state]);
        if (i == 0)
            continue;
        uint32_t before = number_of(s, path, i - 1);
        assert_true(oracle_has_arc(&s->o, before, state) ||
                    (e->same != NULL && s->o.component[before] == s->o.component[state]));
        if (i > e->entry)
            assert_int_equal(s->o.component[before], s->o.component[state]);
    }
    if (e->entry < n)
        assert_true(s->o.accepts[number_of(s, path, e->entry)]);
    assert_true(s->o.hopeful[number_of(s, path, n - 1)]);
    free(path);
}

/* Returns true if several workers, too, merge what they know of a component before it is
 * queried. */
static bool is_whole(const char *name)
{
    static const char *const names[] = { "dijkstra", "tarjan", "mixed", "async" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Checks that the states which the evidence places in the component of its entry are in it, and, if
 * `whole`, that they accept. With several workers, the last updates may be missing. */
static void check_component(const sample *s, om_task *task, bool whole)
{
    const om_evidence *e = om_task_evidence_of(task);
    om_product *p = om_task_product(task);
    om_cursor *c = NULL;
    uint32_t vector[3], root;
    if (e->same == NULL || e->entry == e->length)
        return;
    bool *in = calloc(s->o.n, sizeof *in);
    assert_int_equal(om_task_cursor(task, 0, &c), OM_OK);
    om_cursor_vector(c, e->path[e->entry], vector);
    root = number_of(s, vector, 0);
    for (om_id id = 0; id < om_product_id_bound(p); id++) {
        if (!om_product_has(p, id) || !e->same(e->self, id, e->path[e->entry]))
            continue;
        om_cursor_vector(c, id, vector);
        uint32_t state = number_of(s, vector, 0);
        in[state] = true;
        assert_int_equal(s->o.component[state], s->o.component[root]);
    }
    assert_true(in[root] && (!whole || oracle_accepts_within(&s->o, in, root)));
    free(in);
}

/* Checks that a lasso can be made from the evidence. */
static void check_lasso(fixture *f, const sample *s, om_task *task)
{
    om_lasso l = { 0 };
    int rc = om_lasso_extract(&l, f->ctx, task);
    if (rc != OM_OK)
        fail_msg(
            "case %llu: no lasso: %s", (unsigned long long) s->number, om_context_error(f->ctx));
    assert_true(l.count > 0 && l.loop < l.count);
    om_lasso_free(&l);
}

/* Returns true if the descriptor accepts the task. The task must refuse exactly the other cases. */
static bool applicable(const sample *s, const om_checker *c, om_strength claim)
{
    if (claim != OM_NON_ACCEPTING && (c->strengths & (1u << claim)) == 0)
        return false;
    if ((c->flags & OM_CHECKER_NEEDS_STUTTER) != 0 && !s->stutter)
        return false;
    if ((c->product & OM_PRODUCT_TESTING) != 0)
        return false; /* the sample's automata are not testing automata */
    return (c->acceptance & om_automaton_acceptance_classes(s->a)) != 0;
}

/* Returns true if one worker expands each state once. (Nested searches may do so for the second
 * search, too.) */
static bool expands_once(const om_checker *c)
{
    static const char *const names[] = { "reach", "weak-swarm", "weak-hybrid", "dijkstra", "ufscc",
        "tarjan", "mixed", "async", "ascc", "gv", "sd", "lowe" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(c->head.name, names[i]) == 0)
            return true;
    return false;
}

static om_task_spec spec_of(const sample *s, om_strength claim, unsigned workers, uint64_t seed)
{
    return (om_task_spec){ .product = { .executor = &s->executor,
                               .automaton = s->a,
                               .stutter = s->stutter,
                               .deadlock_ap = s->deadlock_ap,
                               .workers = workers,
                               .store = (om_store_kind) ((s->number + workers + seed) % 2),
                               .seed = seed },
        .strength = claim };
}

static bool is_owcty(const om_checker *c)
{
    return strcmp(c->head.name, "owcty") == 0;
}

/* Returns true if the number of expansions is that of the previous run. Rounds work on sets of
 * states, so it is the same for any number of workers. */
static bool same_work(fixture *f, const om_task_result *r)
{
    uint64_t before = f->before;
    f->before = r->counts[OM_COUNT_EXPANSIONS];
    return before == 0 || before == f->before;
}

static void run_one(fixture *f, const sample *s, const om_checker *c, om_strength claim,
    unsigned workers, uint64_t seed)
{
    om_task_spec spec = spec_of(s, claim, workers, seed);
    om_task *task = NULL;
    om_task_result r;

    om_context_clear(f->ctx);
    assert_int_equal(om_task_new(&task, f->ctx, &spec), OM_OK);
    const char *options = NULL;
    if (is_owcty(c)) /* otherwise the rounds find nothing if there is one set */
        options = s->number / 4 % 2 == 0 ? "map=off" : "map=on";
    int rc = om_task_run(task, c, options, &r);
    om_control_forget(om_context_control(f->ctx)); /* the evidence has stopped it */
    if (!applicable(s, c, claim)) {
        EXPECT(s, c, workers, rc == OM_EUSAGE && om_context_error(f->ctx)[0] != '\0');
        f->refused++;
    } else {
        EXPECT(s, c, workers, rc == OM_OK);
        EXPECT(s, c, workers, r.verdict == (s->o.empty ? OM_HOLDS : OM_VIOLATED));
        f->runs++;
        f->states += r.states;
        if (r.verdict == OM_VIOLATED) {
            f->violated++;
            check_evidence(s, task);
            check_component(s, task, workers == 1 || is_whole(c->head.name));
            check_lasso(f, s, task);
        } else if (is_owcty(c) && workers > 1) {
            EXPECT(s, c, workers, same_work(f, &r));
        } else if (workers == 1) {
            uint64_t expansions = r.counts[OM_COUNT_EXPANSIONS];
            EXPECT(s, c, workers, r.states == s->o.states);
            EXPECT(s, c, workers, expansions >= s->o.states && r.transitions >= s->o.edges);
            EXPECT(s, c, workers, !expands_once(c) || expansions == s->o.states);
            EXPECT(s, c, workers, expansions != s->o.states || r.transitions == s->o.edges);
            EXPECT(s, c, workers, r.sccs == UINT64_MAX || r.sccs == s->o.components);
            EXPECT(s, c, workers, !is_owcty(c) || same_work(f, &r));
        }
    }
    om_task_free(task);
}

static bool has_option(const om_checker *c, const char *name)
{
    for (const om_option *o = c->head.options; o != NULL && o->name != NULL; o++)
        if (strcmp(o->name, name) == 0)
            return true;
    return false;
}

/* With enough bits all states are distinguished, and the search behaves as without hashing. With
 * few bits it may miss violations, but reports no false ones. */
static void run_bitstate(
    fixture *f, const sample *s, const om_checker *c, om_strength claim, uint64_t seed)
{
    enum { PLENTY, FEW, SIZES };
    static const char *const options[SIZES] = { "bitstate=20", "bitstate=10" };
    const unsigned workers = 1;
    om_task_spec spec = spec_of(s, claim, workers, seed);
    for (int i = PLENTY; i < SIZES; i++) {
        bool plenty = i == PLENTY && s->o.states < 1000;
        om_task *task = NULL;
        om_task_result r;
        om_context_clear(f->ctx);
        assert_int_equal(om_task_new(&task, f->ctx, &spec), OM_OK);
        EXPECT(s, c, workers, om_task_run(task, c, options[i], &r) == OM_OK);
        om_control_forget(om_context_control(f->ctx)); /* the evidence has stopped it */
        f->runs++;
        EXPECT(s, c, workers, r.verdict == OM_UNKNOWN || (r.verdict == OM_VIOLATED && !s->o.empty));
        EXPECT(s, c, workers, !plenty || (r.verdict == OM_VIOLATED) == !s->o.empty);
        EXPECT(s, c, workers, r.states > 0 && r.states <= s->o.states);
        if (r.verdict == OM_VIOLATED) {
            f->violated++;
            check_evidence(s, task);
            check_lasso(f, s, task);
        } else {
            EXPECT(
                s, c, workers, r.reason == OM_STOP_BITSTATE && r.coverage >= 0 && r.coverage <= 1);
            EXPECT(s, c, workers, !plenty || (r.states == s->o.states && r.coverage > 0.999));
            EXPECT(s, c, workers, om_product_state_count(om_task_product(task)) == 0);
            f->missed += !s->o.empty;
        }
        om_task_free(task);
    }
}

/* If checkers share the cases, a case runs with either 4 or 8 workers, because threads take most of
 * the time. The choice varies between cases of the same kind. */
static bool takes_turn(const sample *s, unsigned workers)
{
    const bool eight = (s->number * 0x9e3779b97f4a7c15u) >> 63 != 0;
    return workers < 4 || arguments.share == 1 || (workers == 8) == eight;
}

static void run_checker(fixture *f, const sample *s, const om_checker *c)
{
    static const unsigned workers[] = { 1, 2, 4, 8, 16 };
    size_t kinds = sizeof workers / sizeof *workers - (arguments.only == NULL);
    for (unsigned claim = s->strength; claim <= OM_STRONG; claim++) {
        f->before = 0;
        for (size_t i = 0; i < kinds; i++)
            for (uint64_t seed = 0; seed < (claim == s->strength ? 3 : 1); seed++)
                if (takes_turn(s, workers[i]))
                    run_one(f, s, c, (om_strength) claim, workers[i], seed * s->number);
    }
    for (uint64_t seed = 0; seed < 2 && has_option(c, "bitstate"); seed++)
        if (applicable(s, c, s->strength))
            run_bitstate(f, s, c, s->strength, seed * s->number);
}

/* Number of consecutive cases that contain every kind of case */
enum { KINDS = 60 };

/* Runs the checkers whose turn it is. */
static void run_checkers(fixture *f, const sample *s)
{
    for (size_t k = 0; k < om_registry_count(f->registry); k++) {
        const om_plugin *p = om_registry_entry(f->registry, k)->plugin;
        if (p == NULL || p->kind != OM_PLUGIN_CHECKER ||
            (k + s->number / KINDS) % arguments.share != 0)
            continue;
        const om_checker *c = (const om_checker *) (const void *) p;
        if (arguments.only == NULL ? (c->flags & OM_CHECKER_DEVICE) == 0
                                   : strcmp(p->name, arguments.only) == 0)
            run_checker(f, s, c);
    }
}

/* Searches that take the same path with one worker and detect a cycle as soon as all of it is
 * explored (Gaiser and Schwoon 2009, section 4) visit the same number of states. Returns true if
 * they found a cycle. */
static bool see_cycles_early(fixture *f, const sample *s)
{
    static const char *const names[] = { "dijkstra", "ascc", "c99", "gv" };
    const unsigned workers = 1;
    const uint64_t seed = s->number;
    uint64_t states = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !s->o.empty; i++) {
        const om_plugin *p = NULL;
        om_task_spec spec = spec_of(s, s->strength, workers, seed);
        om_task *task = NULL;
        om_task_result r;
        assert_int_equal(om_registry_find(f->registry, OM_PLUGIN_CHECKER, names[i], &p), OM_OK);
        const om_checker *c = (const om_checker *) (const void *) p;
        if (!applicable(s, c, s->strength))
            continue;
        assert_int_equal(om_task_new(&task, f->ctx, &spec), OM_OK);
        EXPECT(s, c, workers, om_task_run(task, c, NULL, &r) == OM_OK);
        om_control_forget(om_context_control(f->ctx)); /* the evidence has stopped it */
        EXPECT(s, c, workers, r.states > 0 && (states == 0 || states == r.states));
        states = r.states;
        om_task_free(task);
    }
    return states != 0;
}

/* Counts in [0] the cases whose formula is Fin-less but not generalized Buchi, and in [1] those of
 * them with more clauses than the formula is long. */
static void count_fin_less(fixture *f, const sample *s, uint64_t count[2])
{
    uint32_t classes = om_automaton_acceptance_classes(s->a);
    om_marks *clauses = NULL;
    size_t n, length;
    if ((classes & OM_ACCEPT_GENERALIZED_BUCHI) != 0)
        return;
    (void) om_automaton_acceptance(s->a, &length);
    assert_int_equal(om_automaton_inf_clauses(s->a, f->ctx, length, &clauses, &n), OM_OK);
    count[0]++;
    count[1] += clauses == NULL;
    om_free(om_context_heap(f->ctx), clauses);
}

static void agree_with_plain_search(void **state)
{
    fixture *f = *state;
    uint64_t empty = 0, weak = 0, terminal = 0, early = 0, fin_less[2] = { 0, 0 };
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++) {
        sample s;
        sample_new(&s, f->ctx, arguments.first + i);
        run_checkers(f, &s);
        early += see_cycles_early(f, &s);
        count_fin_less(f, &s, fin_less);
        empty += s.o.empty;
        weak += s.strength == OM_WEAK;
        terminal += s.strength == OM_TERMINAL;
        sample_free(&s);
    }
    print_message("%llu cases (%llu empty, %llu weak, %llu terminal, %llu Fin-less): %llu runs, "
                  "%llu violated, %llu refused, %llu missed, %llu states\n",
        (unsigned long long) arguments.count, (unsigned long long) empty, (unsigned long long) weak,
        (unsigned long long) terminal, (unsigned long long) fin_less[0],
        (unsigned long long) f->runs, (unsigned long long) f->violated,
        (unsigned long long) f->refused, (unsigned long long) f->missed,
        (unsigned long long) f->states);
    /* If the generator made only one kind of case, the test would prove little. */
    if (arguments.count >= seed_enough(100)) {
        assert_true(empty > arguments.count / 10 && empty < arguments.count * 9 / 10);
        assert_true(weak > 0 && terminal > 0 && f->runs > 0);
        assert_true(fin_less[0] > arguments.count / 30 && fin_less[1] > 0);
        assert_true(f->refused > 0 || arguments.only != NULL);
        assert_true(early > 0 || arguments.only != NULL);
    }
}

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    static const char *const names[] = { "reach", "weak-swarm", "weak-hybrid", "dijkstra", "ufscc",
        "ascc", "c99", "gv", "tarjan", "mixed", "async" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const om_plugin *p;
        if (om_registry_find(f.registry, OM_PLUGIN_CHECKER, names[i], &p) != OM_OK)
            return -1;
    }
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

int main(int argc, char **argv)
{
    if (argc == 4 || argc == 5) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.largest = (uint32_t) strtoul(argv[3], NULL, 10);
        char *end = argv[argc - 1];
        if (argc == 5)
            arguments.share = (uint32_t) strtoul(argv[4], &end, 10);
        if (argc == 5 && end == argv[4]) {
            arguments.only = argv[4];
            arguments.share = 1;
        }
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        agree_with_plain_search, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
