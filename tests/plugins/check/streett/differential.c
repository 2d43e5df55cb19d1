/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares streett and emerson-lei with the definition, on random products of models and automata
 * with random Streett acceptance, with several seeds and both kinds of store. The product and the
 * automaton's own acceptance judge the evidence and its lasso. The test also checks the algorithm's
 * bound for one worker: a state is expanded at most once more than there are clauses with Fin.
 * Arguments: first case, number of cases, states of the largest model, most workers. A case is a
 * function of its number.
 */
#include "acceptance_case.h"
#include "definition.h"
#include "seed.h"

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
} arguments = { 0, 1000, 16, 8 };

enum { MOST_PAIRS = 5 };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_checker *checkers[2];               /* streett; emerson-lei, which uses one worker */
    uint64_t runs, nonempty, early, again, deep; /* deep: more than two visits of a state */
} fixture;

typedef struct sample {
    uint64_t number;
    graph g;
    om_executor executor;
    om_automaton *a;
    formula f;
    bool stutter, nonempty;
    uint32_t deadlock_ap;
    oracle o;
} sample;

#define EXPECT(s, condition)                                              \
    do {                                                                  \
        if (!(condition)) {                                               \
            print_error("case %llu\n", (unsigned long long) (s)->number); \
            assert_true(condition);                                       \
        }                                                                 \
    } while (0)

static void sample_new(sample *s, om_context *ctx, uint64_t number)
{
    om_random r = { number * 0x9e3779b97f4a7c15u + 5 };
    om_automaton *plain;
    s->number = number;
    if (number % 4 == 3) {
        graph_one(&s->g);
        plain = random_lone_automaton(ctx, &r);
    } else {
        graph_new(&s->g, &r, arguments.largest, false);
        plain = random_automaton(ctx, &r, SHAPE_STRONG, number % 4 == 2);
    }
    assert_non_null(plain);
    s->f = random_streett(&r, MOST_PAIRS, number % 2 == 0);
    uint32_t rarity = 1 + (uint32_t) om_random_below(&r, 4);
    /* If Inf is seldom met, more components are visited again. */
    om_marks rare = om_random_below(&r, 3) == 0 ? 0 : formula_infs(&s->f);
    s->a = with_acceptance(ctx, &r, plain, &s->f, rarity, rare);
    assert_non_null(s->a);
    om_automaton_free(plain);
    graph_executor(&s->g, &s->executor);
    s->stutter = om_random_below(&r, 2) == 0;
    s->deadlock_ap = om_random_below(&r, 2) == 0 ? OM_NONE : 1;
    oracle_new(&s->o, &s->g, s->a, s->stutter, s->deadlock_ap);
    s->nonempty = definition_nonempty(&s->o, s->f.at, s->f.length);
}

static void sample_free(sample *s)
{
    oracle_free(&s->o);
    om_automaton_free(s->a);
    graph_free(&s->g);
}

static uint32_t product_state(const sample *s, const om_cursor *c, om_id id)
{
    uint32_t vector[3];
    om_cursor_vector(c, id, vector);
    return vector[0] * s->o.automaton_states + vector[2];
}

/* Checks that arcs join the path's states. Both ends of a gap must be in one component, according
 * to the evidence and to the product. */
static void check_path(const sample *s, const om_evidence *e, const om_cursor *c)
{
    for (size_t i = 0; i < e->length; i++) {
        uint32_t state = product_state(s, c, e->path[i]);
        EXPECT(s, i > 0 || e->length == 1 || s->o.initial[state]);
        if (i == 0)
            continue;
        uint32_t before = product_state(s, c, e->path[i - 1]);
        EXPECT(s, oracle_has_arc(&s->o, before, state) ||
                      (e->same != NULL && e->same(e->self, e->path[i - 1], e->path[i]) &&
                          s->o.component[before] == s->o.component[state]));
    }
}

/* Checks that the states which the evidence places in the component of its end contain the
 * cycle. */
static void check_component(const sample *s, om_task *task, const om_evidence *e, om_cursor *c)
{
    om_product *p = om_task_product(task);
    bool *in = calloc(s->o.n, sizeof *in);
    for (om_id id = 0; id < om_product_id_bound(p); id++)
        if (om_product_has(p, id) && e->same(e->self, id, e->path[e->entry]))
            in[product_state(s, c, id)] = true;
    EXPECT(s, in[product_state(s, c, e->path[e->entry])]);
    EXPECT(s, definition_cycle(&s->o, in, e->see, e->avoid));
    /* The marks suffice, whatever other marks the cycle has. */
    EXPECT(s, om_automaton_proves(s->a, e->see, e->avoid));
    free(in);
}

static uint64_t label_of(const sample *s, uint32_t i)
{
    uint64_t label = s->g.label[i];
    if (s->deadlock_ap == OM_NONE)
        return label;
    label &= ~(UINT64_C(1) << s->deadlock_ap);
    return label | (uint64_t) (s->g.out[i] == 0) << s->deadlock_ap;
}

/* Returns the state that a transition leads to. */
static uint32_t move(const sample *s, uint32_t from, uint32_t transition)
{
    if (transition == OM_STUTTER) {
        EXPECT(s, s->stutter && s->g.out[from] == 0);
        return from;
    }
    EXPECT(s, transition < s->g.out[from]);
    return s->g.to[from][transition];
}

/* Checks that the lasso is a run of the model that the automaton accepts. */
static void check_lasso(fixture *f, const sample *s, om_task *task)
{
    om_lasso l = { 0 };
    uint32_t at = 0, loop = OM_NONE;
    bool accepted = false;
    if (om_lasso_extract(&l, f->ctx, task) != OM_OK)
        fail_msg(
            "case %llu: no lasso: %s", (unsigned long long) s->number, om_context_error(f->ctx));
    EXPECT(s, l.count > 0 && l.loop < l.count);
    om_label *labels = calloc(l.count, sizeof *labels);
    for (size_t i = 0; i < l.count; i++) {
        loop = i == l.loop ? at : loop;
        labels[i] = label_of(s, at);
        at = move(s, at, l.transitions[i]);
    }
    EXPECT(s, at == loop);
    assert_int_equal(
        om_automaton_accepts_lasso(s->a, f->ctx, labels, l.count, l.loop, &accepted), OM_OK);
    EXPECT(s, accepted);
    free(labels);
    om_lasso_free(&l);
}

static void check_violation(fixture *f, const sample *s, om_task *task, unsigned workers)
{
    const om_evidence *e = om_task_evidence_of(task);
    om_cursor *c = NULL;
    assert_non_null(e);
    assert_non_null(e->same);
    EXPECT(s, e->entry < e->length && (workers > 1 || e->entry + 1 == e->length));
    assert_int_equal(om_task_cursor(task, 0, &c), OM_OK);
    check_path(s, e, c);
    check_component(s, task, e, c);
    check_lasso(f, s, task);
}

static size_t visits(const sample *s)
{
    size_t most = 1;
    for (size_t i = 0; i < s->f.length; i++)
        most += s->f.at[i].op == OM_ACC_FIN;
    return most;
}

static void run(
    fixture *f, const sample *s, const om_checker *checker, unsigned workers, uint64_t seed)
{
    om_task_spec spec = { .product = { .executor = &s->executor,
                              .automaton = s->a,
                              .stutter = s->stutter,
                              .deadlock_ap = s->deadlock_ap,
                              .workers = workers,
                              .store = (om_store_kind) ((s->number + seed) % 2),
                              .seed = seed },
        .strength = OM_STRONG };
    om_task *task = NULL;
    om_task_result r;
    om_context_clear(f->ctx);
    assert_int_equal(om_task_new(&task, f->ctx, &spec), OM_OK);
    int rc = om_task_run(task, checker, NULL, &r);
    om_control_forget(om_context_control(f->ctx)); /* the evidence has stopped it */
    EXPECT(s, rc == OM_OK);
    EXPECT(s, r.verdict == (s->nonempty ? OM_VIOLATED : OM_HOLDS));
    uint64_t expansions = r.counts[OM_COUNT_EXPANSIONS];
    EXPECT(s, expansions >= r.states || s->nonempty);
    EXPECT(s, expansions <= (workers == 1 ? 1 : workers + 1) * visits(s) * s->o.states);
    f->runs++;
    f->again += r.counts[OM_COUNT_RED] > 0;
    f->deep += expansions > 2 * s->o.states;
    if (s->nonempty) {
        f->early += r.states < s->o.states;
        check_violation(f, s, task, workers);
    } else
        EXPECT(s, r.states == s->o.states);
    om_task_free(task);
}

static void agrees_with_definition(void **state)
{
    fixture *f = *state;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++) {
        sample s;
        sample_new(&s, f->ctx, arguments.first + i);
        uint32_t classes = om_automaton_acceptance_classes(s.a);
        if ((classes & f->checkers[0]->acceptance) != 0) {
            f->nonempty += s.nonempty;
            for (unsigned k = 0, n = 1; n <= arguments.most_workers; k++, n *= 2)
                run(f, &s, f->checkers[0], n, k * s.number);
            run(f, &s, f->checkers[1], 1, 0);
        }
        sample_free(&s);
    }
    print_message(
        "%llu cases (%llu not empty): %llu runs, %llu violated early, %llu with components "
        "visited again, %llu more than once\n",
        (unsigned long long) arguments.count, (unsigned long long) f->nonempty,
        (unsigned long long) f->runs, (unsigned long long) f->early, (unsigned long long) f->again,
        (unsigned long long) f->deep);
    /* If the generator made only one kind of case, the test would prove little. */
    if (arguments.count < seed_enough(300))
        return;
    assert_in_range(f->nonempty, arguments.count / 5, arguments.count * 4 / 5);
    assert_true(f->runs > 3 * arguments.count && f->early > arguments.count / 4);
    assert_true(f->again > arguments.count / 4 && f->deep > arguments.count / 100);
}

static int set_up(void **state)
{
    static fixture f;
    const om_plugin *p = NULL, *q = NULL;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_CHECKER, "streett", &p) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_CHECKER, "emerson-lei", &q) != OM_OK)
        return -1;
    f.checkers[0] = (const om_checker *) (const void *) p;
    f.checkers[1] = (const om_checker *) (const void *) q;
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
    if (argc == 5) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.largest = (uint32_t) strtoul(argv[3], NULL, 10);
        arguments.most_workers = (unsigned) strtoul(argv[4], NULL, 10);
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        agrees_with_definition, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
