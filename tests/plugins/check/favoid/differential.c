/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares favoid (generalized Rabin acceptance, pairs in sequence and in parallel) and dfsfifo
 * (co-Buchi acceptance) with the definition on random products, with 1 to 8 workers and three
 * seeds. Arguments: first case, number of cases, states of the largest model, most workers, favoid
 * or dfsfifo. A case is a function of its number.
 */
#include "rabin_case.h"
#include "seed.h"

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct {
    uint64_t first, count;
    uint32_t largest;
    unsigned most_workers;
    const char *checker;
    bool co_buchi; /* the checker is dfsfifo */
} arguments = { 0, 100, 12, 8, "favoid", false };

enum { SEEDS = 3 };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_checker *checker;
    uint64_t runs, violated, rooted, states, expansions, one_pair;
} fixture;

typedef struct sample {
    uint64_t number;
    graph g;
    om_executor executor;
    rabin r;
    oracle o;
    bool stutter, empty;
} sample;

/* The parameters of one run */
typedef struct trial {
    const char *options;
    unsigned workers;
    uint64_t seed;
} trial;

#define EXPECT(s, t, condition)                                               \
    do {                                                                      \
        if (!(condition)) {                                                   \
            print_error("case %llu, %s, %u workers, seed %llu\n",             \
                (unsigned long long) (s)->number, (t)->options, (t)->workers, \
                (unsigned long long) (t)->seed);                              \
            assert_true(condition);                                           \
        }                                                                     \
    } while (0)

static void sample_new(sample *s, om_context *ctx, uint64_t number)
{
    om_random random = { number * 0x9e3779b97f4a7c15u + 3 };
    s->number = number;
    if (number % 4 == 0)
        graph_new(&s->g, &random, arguments.largest, false);
    else
        rabin_graph(&s->g, &random, arguments.largest);
    graph_executor(&s->g, &s->executor);
    rabin_new(&s->r, ctx, &random, arguments.co_buchi);
    s->stutter = om_random_below(&random, 3) != 0;
    oracle_new(&s->o, &s->g, s->r.a, s->stutter, OM_NONE);
    s->empty = rabin_empty(&s->r, &s->o);
}

static void sample_free(sample *s)
{
    oracle_free(&s->o);
    rabin_free(&s->r);
    graph_free(&s->g);
}

static uint32_t number_of(const sample *s, om_cursor *c, om_id id)
{
    uint32_t vector[3];
    om_cursor_vector(c, id, vector);
    assert_true(vector[0] < s->g.n && vector[2] < s->o.automaton_states);
    return vector[0] * s->o.automaton_states + vector[2];
}

/* ---- evidence ---- */

/* Checks that the component of the evidence is strongly connected without the edges to be avoided,
 * and that it accepts. With several workers, their last updates of the component may be missing. */
static void check_component(const sample *s, const trial *t, om_task *task, om_cursor *c)
{
    const om_evidence *e = om_task_evidence_of(task);
    om_product *p = om_task_product(task);
    bool *in = calloc(s->o.n, sizeof *in);
    assert_non_null(in);
    for (om_id id = 0; id < om_product_id_bound(p); id++)
        if (om_product_has(p, id) && e->same(e->self, id, e->path[e->entry]))
            in[number_of(s, c, id)] = true;
    EXPECT(s, t, in[number_of(s, c, e->path[e->entry])]);
    EXPECT(s, t, t->workers > 1 || rabin_connected(&s->o, in, e->see, e->avoid));
    free(in);
}

static void check_evidence(fixture *f, const sample *s, const trial *t, om_task *task)
{
    const om_evidence *e = om_task_evidence_of(task);
    om_cursor *c = NULL;
    assert_int_equal(om_task_cursor(task, 0, &c), OM_OK);
    EXPECT(s, t, e->entry < e->length && e->same != NULL);
    EXPECT(s, t, om_automaton_proves(s->r.a, e->see, e->avoid));
    bool rooted = s->o.initial[number_of(s, c, e->path[0])];
    EXPECT(s, t, rooted || e->length == 1);
    f->rooted += rooted;
    for (size_t i = 0; i < e->length; i++) {
        uint32_t to = number_of(s, c, e->path[i]);
        EXPECT(s, t, s->o.component[to] != OM_NONE);
        EXPECT(s, t,
            i == 0 || oracle_has_arc(&s->o, number_of(s, c, e->path[i - 1]), to) ||
                e->same(e->self, e->path[i - 1], e->path[i]));
    }
    check_component(s, t, task, c);
    if (arguments.co_buchi)
        EXPECT(s, t, co_buchi_nearest(&s->r, &s->o, number_of(s, c, e->path[e->entry])));
}

/* Returns the state that a transition of the lasso leads to. */
static uint32_t target(const sample *s, const trial *t, uint32_t from, uint32_t move)
{
    if (move == OM_STUTTER) {
        EXPECT(s, t, s->stutter && s->g.out[from] == 0);
        return from;
    }
    EXPECT(s, t, move < s->g.out[from]);
    return s->g.to[from][move];
}

/* Checks that the lasso is a run of the model and that the original automaton accepts its word. */
static void check_lasso(const fixture *f, const sample *s, const trial *t, om_task *task)
{
    om_lasso l = { 0 };
    bool accepted = false;
    uint32_t state = 0, repeated = OM_NONE;
    EXPECT(s, t, om_lasso_extract(&l, f->ctx, task) == OM_OK);
    EXPECT(s, t, l.count > 0 && l.loop < l.count);
    om_label *labels = calloc(l.count, sizeof *labels);
    assert_non_null(labels);
    for (size_t i = 0; i < l.count; i++) {
        repeated = i == l.loop ? state : repeated;
        labels[i] = s->g.label[state];
        state = target(s, t, state, l.transitions[i]);
    }
    EXPECT(s, t, state == repeated);
    assert_int_equal(
        om_automaton_accepts_lasso(s->r.a, f->ctx, labels, l.count, l.loop, &accepted), OM_OK);
    EXPECT(s, t, accepted);
    free(labels);
    om_lasso_free(&l);
}

/* ---- runs ---- */

/* Checks the counts of a search that found nothing. With one pair it visits all states, and one
 * worker expands each state once. With several pairs it expands each state at most once per
 * pair. */
static void check_figures(const sample *s, const trial *t, const om_task_result *r)
{
    uint64_t expansions = r->counts[OM_COUNT_EXPANSIONS];
    EXPECT(s, t, r->states > 0 && r->states <= s->o.states && expansions > 0);
    if (s->r.pairs == 1) {
        EXPECT(s, t, r->states == s->o.states && expansions >= s->o.states);
        EXPECT(s, t, t->workers > 1 || expansions == s->o.states);
        EXPECT(s, t, t->workers > 1 || r->transitions == s->o.edges);
    }
    EXPECT(s, t, t->workers > 1 || expansions <= s->r.pairs * s->o.states);
}

static void run(fixture *f, const sample *s, const trial *t)
{
    const om_task_spec spec = { .product = { .executor = &s->executor,
                                    .automaton = s->r.a,
                                    .stutter = s->stutter,
                                    .deadlock_ap = OM_NONE,
                                    .workers = t->workers,
                                    .store = (om_store_kind) ((s->number + t->workers) % 2),
                                    .seed = t->seed },
        .strength = OM_STRONG };
    om_task *task = NULL;
    om_task_result r;
    om_context_clear(f->ctx);
    assert_int_equal(om_task_new(&task, f->ctx, &spec), OM_OK);
    int rc = om_task_run(task, f->checker, t->options, &r);
    om_control_forget(om_context_control(f->ctx)); /* the evidence has stopped it */
    EXPECT(s, t, rc == OM_OK);
    EXPECT(s, t, r.verdict == (s->empty ? OM_HOLDS : OM_VIOLATED));
    f->runs++;
    f->states += r.states;
    f->expansions += r.counts[OM_COUNT_EXPANSIONS];
    if (s->empty)
        check_figures(s, t, &r);
    else {
        f->violated++;
        check_evidence(f, s, t, task);
        check_lasso(f, s, t, task);
    }
    om_task_free(task);
}

static void run_case(fixture *f, const sample *s)
{
    static const char *const options[] = { "pairs=sequential", "pairs=parallel" }, *none[] = { "" };
    for (size_t i = 0; i < (arguments.co_buchi ? 1 : 2); i++)
        for (unsigned workers = 1; workers <= arguments.most_workers; workers *= 2)
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                const trial t = { (arguments.co_buchi ? none : options)[i], workers,
                    seed * (s->number + 1) };
                run(f, s, &t);
            }
}

static void agrees_with_the_definition(void **state)
{
    fixture *f = *state;
    uint64_t empty = 0;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++) {
        sample s;
        sample_new(&s, f->ctx, arguments.first + i);
        run_case(f, &s);
        empty += s.empty;
        f->one_pair += s.r.pairs == 1;
        sample_free(&s);
    }
#define N(x) ((unsigned long long) (x))
    print_message("%llu cases (%llu empty, %llu with one pair): %llu runs, %llu violated, %llu of "
                  "them with a path, %llu states, %llu expansions\n",
        N(arguments.count), N(empty), N(f->one_pair), N(f->runs), N(f->violated), N(f->rooted),
        N(f->states), N(f->expansions));
#undef N
    /* If the generator made only one kind of case, the test would prove little. */
    if (arguments.count < seed_enough(100))
        return;
    assert_in_range(empty, arguments.count / 5, arguments.count * 4 / 5);
    assert_true(f->one_pair > arguments.count / 10);
    assert_true(f->rooted > f->violated / 4 && f->rooted < f->violated);
}

/* ---- one long search ---- */

enum { LONG = 8000, RING = 12000, LAYERS = 200 };

/* Makes the chain 0 -> 1 -> ... -> n - 1. The last state repeats, or, in a ring, goes to 1; then 0
 * also has an edge to the middle of the ring. a holds only in 0, b only in the last state. */
static void make_chain(sample *s, uint32_t n, bool ring)
{
    *s = (sample){ .stutter = true };
    s->g.n = n;
    s->g.to = calloc(n, sizeof *s->g.to);
    s->g.out = calloc(n, sizeof *s->g.out);
    s->g.label = calloc(n, sizeof *s->g.label);
    assert_true(s->g.to != NULL && s->g.out != NULL && s->g.label != NULL);
    for (uint32_t i = 0; i < n; i++) {
        s->g.out[i] = 1;
        s->g.to[i][0] = i + 1 < n ? i + 1 : ring ? 1 : i;
    }
    if (ring)
        s->g.to[0][s->g.out[0]++] = n / 2;
    s->g.label[0] = 1;
    s->g.label[n - 1] = 2;
    graph_executor(&s->g, &s->executor);
}

/* Marks of the edges of a chain, except for the edge out of 0, which is in set 0 */
typedef struct chain_marks {
    om_marks between, last;
    bool accepts;
} chain_marks;

/* Fin(0) & Inf(1), or Fin(0) for dfsfifo */
static om_automaton *chain_automaton(om_context *ctx, const chain_marks *marks)
{
    static const om_acc f[] = { { OM_ACC_FIN, 0 }, { OM_ACC_INF, 1 }, { OM_ACC_AND, 0 } };
    static const char *const aps[GRAPH_APS] = { "a", "b", "c" };
    const om_cube at_first = { 1, 0 }, at_last = { 2, 0 }, between = { 0, 3 };
    const bool one = arguments.co_buchi;
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, ctx, GRAPH_APS, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 1, NULL), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(a, one ? 1 : 2, f, one ? 1 : 3), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 1, &at_first, 1), OM_OK);
    assert_int_equal(
        om_automaton_add_edge(a, 0, 0, marks->last & (one ? 1 : 3), &at_last, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, marks->between, &between, 1), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

static void search_chain(
    const fixture *f, const sample *s, const chain_marks *marks, unsigned workers, uint64_t seed)
{
    const om_task_spec spec = { .product = { .executor = &s->executor,
                                    .automaton = s->r.a,
                                    .stutter = true,
                                    .deadlock_ap = OM_NONE,
                                    .workers = workers,
                                    .seed = seed },
        .strength = OM_STRONG };
    om_task *task = NULL;
    om_task_result r;
    assert_int_equal(om_task_new(&task, f->ctx, &spec), OM_OK);
    assert_int_equal(om_task_run(task, f->checker, NULL, &r), OM_OK);
    om_control_forget(om_context_control(f->ctx));
    assert_int_equal(r.verdict, marks->accepts ? OM_VIOLATED : OM_HOLDS);
    assert_int_equal(r.states, s->g.n);
    om_task_free(task);
}

static void search_chains(
    const fixture *f, uint32_t n, bool ring, const chain_marks *marks, size_t count)
{
    enum { ROUNDS = 3 };
    sample s;
    make_chain(&s, n, ring);
    for (size_t k = 0; k < count; k++) {
        s.r.a = chain_automaton(f->ctx, &marks[k]);
        for (unsigned i = 0; i < ROUNDS; i++)
            for (unsigned workers = 1; workers <= arguments.most_workers; workers *= 2)
                search_chain(f, &s, &marks[k], workers, i);
        om_automaton_free(s.r.a);
    }
    graph_free(&s.g);
}

static const chain_marks together[] = { { 0, 2, true }, { 0, 3, false } };

/* All workers start from one worker's search: an idle worker must not take the search for
 * finished. */
static void nobody_ends_before_the_others(void **state)
{
    search_chains(*state, LONG, false, together, 2);
}

/* Each worker continues along states on another worker's path. */
static void who_meets_another_goes_on(void **state)
{
    search_chains(*state, RING, true, together, 2);
}

/* Every edge is in set 0. */
static void a_search_begins_at_each_state(void **state)
{
    static const chain_marks apart[] = { { 1, 2, true }, { 1, 3, false } };
    search_chains(*state, LAYERS, false, apart, 2);
}

static int set_up(void **state)
{
    static fixture f;
    const om_plugin *p = NULL;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_CHECKER, arguments.checker, &p) != OM_OK)
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

int main(int argc, char **argv)
{
    if (argc == 6) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.largest = (uint32_t) strtoul(argv[3], NULL, 10);
        arguments.most_workers = (unsigned) strtoul(argv[4], NULL, 10);
        arguments.checker = argv[5];
        arguments.co_buchi = strcmp(argv[5], "dfsfifo") == 0;
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
                                                   agrees_with_the_definition, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_ends_before_the_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_meets_another_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_search_begins_at_each_state, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
