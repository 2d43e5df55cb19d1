/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small DVE models with random stutter-invariant formulas: the verdicts of testing
 * automata, in one pass and in two, compared with ascc on the original automaton and with a plain
 * search of the test's own. Every lasso is refereed by the test's interpreter. Then random graphs
 * with few changes of labels, compared with ascc only. Arguments: first case, number of
 * stutter-invariant cases. A case is a function of its number.
 */
#include "sample.h"
#include "seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct {
    uint64_t first, count;
} arguments = { 0, 100 };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *frontend;
    sample s;
    uint64_t cases, with_next, refused, held, violated, lassos, states[3];
} fixture;

static void failed(const fixture *f, const char *what, const char *how, const char *property)
{
    (void) fprintf(stderr, "case %llu: %s (%s)\nproperty: %s\nlibrary: %s\n%s\n",
        (unsigned long long) f->s.number, what, how, property, om_context_error(f->ctx),
        f->s.text.text);
    fail();
}

static om_plan *new_plan(fixture *f, const om_plan_options *o)
{
    om_plan *p = NULL;
    om_context_clear(f->ctx);
    assert_int_equal(om_plan_new(&p, f->ctx, f->registry, f->frontend, f->s.model, o), OM_OK);
    return p;
}

/* Returns true if the checker accepted the task. */
static bool check(fixture *f, const char *how, const obligation *c, const om_plan_options *options,
    uint64_t *states)
{
    om_plan *p = new_plan(f, options);
    om_check_result r;
    int rc = om_plan_check(p, c->kind, c->text, &r);
    bool refused =
        rc == OM_EUSAGE && strstr(om_context_error(f->ctx), "is not stutter-invariant") != NULL;
    if (!refused && rc != OM_OK)
        failed(f, "checking failed", how, c->text);
    if (!refused && r.verdict != (c->violated ? OM_VIOLATED : OM_HOLDS))
        failed(
            f, c->violated ? "a violation was not found" : "there is no violation", how, c->text);
    if (!refused && c->violated) {
        const char *wrong = om_lasso_vectors(&r.lasso, f->s.model) == OM_OK
                                ? sample_referee(&f->s, c, &r.lasso)
                                : "the lasso is no run";
        if (wrong != NULL)
            failed(f, wrong, how, c->text);
        f->lassos++;
    }
    if (!refused)
        *states += r.states;
    om_check_result_free(&r);
    om_plan_free(p);
    return !refused;
}

/* Returns true if the formula is stutter-invariant. */
static bool check_formula(fixture *f, const formula *made, bool next)
{
    sample *s = &f->s;
    om_text text = { .heap = om_heap_default() };
    const char *names[] = { s->quoted[0].text, s->quoted[1].text, s->quoted[2].text };
    formula_print(made, names, &text);
    obligation c = { .kind = OM_PROPERTY_LTL,
        .text = text.text,
        .formula = made,
        .stutter = om_random_below(&s->r, 3) != 0 };
    labelled g = sample_labelled(s, c.stutter);
    c.violated = formula_violated(made, &g);
    om_plan_options o = { .device = "none",
        .exec = OM_EXEC_VM,
        .threads = 1,
        .seed = s->number % 3,
        .reset_dead = s->number % 4 == 1 ? OM_SWITCH_OFF : OM_SWITCH_DEFAULT,
        .store = s->number % 2 == 0 ? OM_STORE_TREE : OM_STORE_PLAIN,
        .ignore_finite_runs = !c.stutter,
        .checker = "testing" };
    bool taken = check(f, "two passes", &c, &o, &f->states[1]);
    o.checker = "testing:passes=1";
    if (check(f, "one pass", &c, &o, &f->states[2]) != taken)
        failed(f, "one pass and two do not agree on what is stutter-invariant", "", c.text);
    o.checker = "ascc";
    (void) check(f, "ascc", &c, &o, &f->states[0]);
    if (!taken && !next)
        failed(f, "a formula without X is refused", "", c.text);
    if (taken)
        *(c.violated ? &f->violated : &f->held) += 1;
    om_text_free(&text);
    return taken;
}

/* Replaces X by F, except in one case of four. */
static bool make_formula(formula *made, sample *s)
{
    bool next = false, keeps = s->number % 4 == 0;
    formula_make(made, &s->r, 1 + (int) om_random_below(&s->r, PROPOSITIONS));
    for (int i = 0; i < made->count; i++) {
        if (made->node[i].op == 'X' && !keeps)
            made->node[i].op = 'F';
        next = next || made->node[i].op == 'X';
    }
    return next;
}

static void load(fixture *f, om_model **out)
{
    const om_text *text = &f->s.text;
    om_context_clear(f->ctx);
    if (f->frontend->load(f->ctx, "case.dve", text->text, text->length, NULL, out) != OM_OK)
        failed(f, "the model are not supported", "", "");
}

static void run_case(fixture *f, uint64_t number)
{
    enum { FORMULAS = 4 };
    sample *s = &f->s;
    sample_make(s, number, false);
    load(f, &s->model);
    load(f, &s->exact);
    assert_true(sample_bind(s));
    for (int i = 0; i < FORMULAS; i++) {
        formula made;
        const bool next = make_formula(&made, s), taken = check_formula(f, &made, next);
        f->cases += taken;
        f->with_next += taken && next;
        f->refused += !taken;
    }
    sample_free(s);
}

static void testing_automata_agree(void **state)
{
    fixture *f = *state;
    for (uint64_t i = 0; seed_goes_on(f->cases, &arguments.count); i++)
        run_case(f, arguments.first + i);
#define N(x) ((unsigned long long) (x))
    print_message(
        "%llu stutter-invariant formulas (%llu of them with X), %llu others refused; %llu "
        "held, %llu violated, %llu lassos\n",
        N(f->cases), N(f->with_next), N(f->refused), N(f->held), N(f->violated), N(f->lassos));
    print_message("%llu states by ascc, %llu by testing automata in two passes, %llu in one\n",
        N(f->states[0]), N(f->states[1]), N(f->states[2]));
#undef N
    if (arguments.count >= seed_enough(20))
        assert_in_range(f->violated, f->cases / 5, f->cases * 4 / 5);
    if (arguments.count >= seed_enough(100)) /* a small number of cases may have no such formula */
        assert_true(f->with_next > 0 && f->refused > f->cases / 50);
}

/* ---- graphs ---- */

/* One process; every location has a value of three variables, mostly the same as the location
 * before. */
static void write_graph(om_text *out, om_random *r, unsigned locations)
{
    unsigned value[64], now = 0;
    om_text_add(out, "byte x[3];\nprocess P {\nstate ");
    for (unsigned i = 0; i < locations; i++) {
        now = om_random_below(r, 3) == 0 ? (unsigned) om_random_below(r, 8) : now;
        value[i] = i == 0 ? 0 : now;
        om_text_printf(out, "%ss%u", i == 0 ? "" : ", ", i);
    }
    om_text_add(out, ";\ninit s0;\ntrans\n");
    for (unsigned i = 0; i < 2 * locations; i++) {
        const unsigned from = i % locations, to = (unsigned) om_random_below(r, locations);
        om_text_printf(out, "%s s%u -> s%u { effect x[0] = %u, x[1] = %u, x[2] = %u; }",
            i == 0 ? "" : ",\n", from, to, value[to] & 1, value[to] >> 1 & 1, value[to] >> 2);
    }
    om_text_add(out, ";\n}\nsystem async;\n");
}

/* Writes a random formula, alone or under a fairness hypothesis; or a formula about infinite
 * recurrence, which random formulas rarely express. */
static void write_formula(om_text *out, om_random *r)
{
    static const char *const names[] = { "(x[0] == 1)", "(x[1] == 1)", "(x[2] == 1)" };
    static const char *const often[] = { "G F (x[0] == 1)", "G F (x[0] == 1) && G F (x[1] == 1)",
        "G F (x[0] == 1) -> G F (x[1] == 1)", "G ((x[0] == 1) -> F (x[1] == 1))",
        "F G ((x[0] == 1) || (x[1] == 1))" };
    enum { OFTEN = sizeof often / sizeof *often };
    const uint64_t kind = om_random_below(r, OFTEN + 4);
    formula made;
    formula_make(&made, r, PROPOSITIONS);
    for (int k = 0; k < made.count; k++)
        made.node[k].op = made.node[k].op == 'X' ? 'G' : made.node[k].op;
    if (kind < OFTEN)
        om_text_add(out, often[kind]);
    else {
        om_text_add(out, kind < OFTEN + 2 ? "G F (x[2] == 1) -> " : "");
        formula_print(&made, names, out);
    }
}

static om_verdict verdict_by(fixture *f, const char *checker, const char *property, uint64_t *red)
{
    const om_plan_options o = {
        .device = "none", .exec = OM_EXEC_VM, .threads = 1, .checker = checker
    };
    om_plan *p = new_plan(f, &o);
    om_check_result r;
    if (om_plan_check(p, OM_PROPERTY_LTL, property, &r) != OM_OK || r.verdict == OM_UNKNOWN)
        failed(f, "checking failed", checker, property);
    const om_verdict v = r.verdict;
    *red += r.part_count > 0 && r.parts[0].task.counts[OM_COUNT_RED] != 0;
    om_check_result_free(&r);
    om_plan_free(p);
    return v;
}

static void graphs_agree(void **state)
{
    fixture *f = *state;
    uint64_t held = 0, violated = 0, second = 0, alone = 0, none = 0;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++) {
        om_random r = { (arguments.first + i) * 0x9e3779b97f4a7c15u + 7 };
        om_text text = { .heap = om_heap_default() };
        f->s = (sample){ .number = arguments.first + i, .text = { .heap = om_heap_default() } };
        write_graph(&f->s.text, &r, 4 + (unsigned) om_random_below(&r, 28));
        load(f, &f->s.model);
        write_formula(&text, &r);
        const om_verdict expected = verdict_by(f, "ascc", text.text, &none);
        const uint64_t before = second;
        const om_verdict two = verdict_by(f, "testing", text.text, &second);
        if (two != expected || verdict_by(f, "testing:passes=1", text.text, &none) != expected)
            failed(f, "another verdict than that of ascc", "", text.text);
        alone += second != before && two == OM_VIOLATED;
        *(expected == OM_HOLDS ? &held : &violated) += 1;
        om_model_free(f->s.model);
        om_text_free(&f->s.text);
        om_text_free(&text);
    }
#define N(x) ((unsigned long long) (x))
    print_message("graphs: %llu held, %llu violated; %llu second passes, of which %llu found what "
                  "the first had not\n",
        N(held), N(violated), N(second), N(alone));
#undef N
    assert_true(none == 0);
    if (arguments.count < seed_enough(40))
        return;
    assert_true(held > arguments.count / 6 && violated > arguments.count / 6);
    assert_true(second > arguments.count / 50 && (arguments.count < 1000 || alone > 0));
}

static int set_up(void **state)
{
    static fixture f;
    const om_plugin *p = NULL;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_FRONTEND, "dve", &p) != OM_OK)
        return -1;
    f.frontend = (const om_frontend *) (const void *) p;
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
    if (argc == 3) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
                                                   testing_automata_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(graphs_agree, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
