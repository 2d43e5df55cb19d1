/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random automata with every kind of acceptance are forbidden in a model whose runs are all words.
 * Each is checked by every checker that accepts the task, alone and through the planner, on 1, 2
 * and 4 threads, and after every conversion. Verdicts are compared with a search of the test's
 * own. Each counterexample is judged by the test under the automaton's original acceptance.
 * Arguments: first case, number of cases, N (a checker runs one case in N).
 */
#include "checkers.h"
#include "property.h"
#include "seed.h"

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct {
    uint64_t first, count, share;
} arguments = { 0, 300, 1 };

/* Has transitions from each valuation to every other. */
static const char words[] = "byte a, b, c;\n"
                            "process P {\nstate s;\ninit s;\ntrans\n"
                            "s -> s { effect a = 0, b = 0, c = 0; },\n"
                            "s -> s { effect a = 1, b = 0, c = 0; },\n"
                            "s -> s { effect a = 0, b = 1, c = 0; },\n"
                            "s -> s { effect a = 1, b = 1, c = 0; },\n"
                            "s -> s { effect a = 0, b = 0, c = 1; },\n"
                            "s -> s { effect a = 1, b = 0, c = 1; },\n"
                            "s -> s { effect a = 0, b = 1, c = 1; },\n"
                            "s -> s { effect a = 1, b = 1, c = 1; };\n}\nsystem async;\n";
static const char *const variables[PROPOSITIONS] = { "a", "b", "c" };
static const char *const names[PROPOSITIONS] = { "a == 1", "b == 1", "c == 1" };
enum { LABELS = 1 << PROPOSITIONS };

typedef struct conversion {
    const char *name;
    uint32_t class;
    int (*convert)(const om_automaton *a, om_context *ctx, om_automaton **out);
} conversion;

/* Automata that are not Streett are converted the default way. */
static int by_pending(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    int rc = om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_PENDING, out);
    if (rc != OM_ELIMIT || (om_automaton_acceptance_classes(a) & OM_ACCEPT_STREETT) != 0)
        return rc;
    om_context_clear(ctx);
    return om_automaton_to_generalized_buchi(a, ctx, out);
}

static const conversion conversions[] = {
    { "generalized Buchi", OM_ACCEPT_GENERALIZED_BUCHI, om_automaton_to_generalized_buchi },
    { "Buchi", OM_ACCEPT_BUCHI, om_automaton_to_buchi },
    { "generalized Rabin", OM_ACCEPT_RABIN, om_automaton_to_rabin },
    { "Streett", OM_ACCEPT_STREETT, om_automaton_to_streett },
    { "Fin-less", OM_ACCEPT_FIN_LESS, om_automaton_to_fin_less },
    { "generalized Buchi by what is pending", OM_ACCEPT_GENERALIZED_BUCHI, by_pending },
};
enum { CONVERSIONS = sizeof conversions / sizeof *conversions };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    om_model *model;
    const om_frontend *frontend;
    const om_slot *slots[PROPOSITIONS];
    char folder[64], path[96];
    cpu_checkers checkers;
    uint64_t number, runs, refused, lassos, strengths[4], kinds[ACCEPTANCES][2];
    uint64_t checked[CPU_CHECKERS], grown[CONVERSIONS];
    automaton made;
    om_text text; /* contents of the file at `path` */
    bool expected;
} fixture;

static void failed(const fixture *f, const char *what, const char *how)
{
    (void) fprintf(stderr, "case %llu: %s (%s)\nlibrary: %s\n%s\n", (unsigned long long) f->number,
        what, how, om_context_error(f->ctx), f->text.text);
    fail();
}

/* Returns true if the lasso is a run of the model from its initial state that the automaton
 * accepts. */
static bool accepted(const fixture *f, om_lasso *l)
{
    if (om_lasso_vectors(l, f->model) != OM_OK || l->count == 0 || l->loop >= l->count)
        return false;
    unsigned *label = calloc(l->count, sizeof *label);
    assert_non_null(label);
    for (size_t i = 0; i < l->count; i++)
        for (unsigned k = 0; k < PROPOSITIONS; k++)
            label[i] |= (unsigned) om_slot_get(f->slots[k], l->vectors + i * l->words, 0) << k;
    bool yes = label[0] == 0 &&
               automaton_accepts_lasso(&f->made, label, (uint32_t) l->count, (uint32_t) l->loop);
    free(label);
    return yes;
}

/* Returns true if the checker (NULL: the planner's choice) accepted the task. */
static bool check(fixture *f, const char *how, const om_plan_options *o, const om_checker *checker)
{
    om_plan *p = NULL;
    om_check_result r = { 0 };
    om_context_clear(f->ctx);
    int rc = om_plan_new(&p, f->ctx, f->registry, f->frontend, f->model, o);
    if (rc == OM_OK)
        rc = om_plan_check(p, OM_PROPERTY_AUTOMATON, f->path, &r);
    bool refused = rc == OM_EUSAGE && checker != NULL && !checks_all(checker);
    if (rc != OM_OK && !refused)
        failed(f, "the check failed", how);
    if (!refused && r.verdict != (f->expected ? OM_VIOLATED : OM_HOLDS))
        failed(f, f->expected ? "the run was not found" : "there is no run", how);
    if (!refused && f->expected && !accepted(f, &r.lasso))
        failed(f, "the run is not accepted", how);
    f->lassos += !refused && f->expected;
    for (size_t i = 0; i < r.part_count; i++)
        f->strengths[r.parts[i].strength]++;
    f->runs += !refused;
    f->refused += refused;
    om_check_result_free(&r);
    om_plan_free(p);
    return !refused;
}

static om_plan_options with_threads(const fixture *f, unsigned threads)
{
    return (om_plan_options){ .device = "none",
        .exec = OM_EXEC_VM,
        .reset_dead = OM_SWITCH_OFF,
        .threads = threads,
        .seed = f->number % 3 };
}

static void check_threads(fixture *f, unsigned threads)
{
    char how[64];
    om_plan_options o = with_threads(f, threads);
    (void) snprintf(how, sizeof how, "by the planner, %u threads", threads);
    (void) check(f, how, &o, NULL);
    for (size_t i = 0; i < f->checkers.count; i++) {
        if ((i + f->number) % arguments.share != 0)
            continue;
        o.checker = f->checkers.at[i]->head.name;
        (void) snprintf(how, sizeof how, "%s, %u threads", o.checker, threads);
        f->checked[i] += check(f, how, &o, f->checkers.at[i]);
    }
}

static void write_file(const fixture *f)
{
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(f->text.text, 1, f->text.length, file), f->text.length);
    assert_int_equal(fclose(file), 0);
}

/* Checks that the converted automaton forbids the same words. */
static void check_conversion(fixture *f, const om_automaton *a, size_t i)
{
    const om_plan_options o = with_threads(f, 1);
    const conversion *c = &conversions[i];
    om_automaton *b = NULL;
    om_context_clear(f->ctx);
    if (c->convert(a, f->ctx, &b) != OM_OK)
        failed(f, "it is not converted", c->name);
    if ((om_automaton_acceptance_classes(b) & c->class) == 0)
        failed(f, "it is not converted to that", c->name);
    f->grown[i] += om_automaton_state_count(b) > om_automaton_state_count(a);
    f->text.length = 0;
    assert_int_equal(om_hoa_write(b, &f->text), OM_OK);
    write_file(f);
    (void) check(f, c->name, &o, NULL);
    om_automaton_free(b);
}

static void run_case(fixture *f, uint64_t number)
{
    uint32_t to[LABELS * LABELS], first[LABELS + 1];
    unsigned label[LABELS];
    om_random r = { number * 0x9e3779b97f4a7c15u + 3 };
    om_automaton *a = NULL;
    for (uint32_t v = 0; v < LABELS; v++) {
        label[v] = first[v] = v;
        first[v] *= LABELS;
        for (uint32_t k = 0; k < LABELS; k++)
            to[v * LABELS + k] = k;
    }
    first[LABELS] = LABELS * LABELS;
    const labelled g = { .n = LABELS, .to = to, .first = first, .label = label };

    f->number = number;
    f->text = (om_text){ .heap = om_context_heap(f->ctx) };
    automaton_make(&f->made, &r, (int) om_random_below(&r, PROPOSITIONS + 1), true);
    automaton_print(&f->made, names, &f->text);
    write_file(f);
    f->expected = automaton_accepts(&f->made, &g);
    f->kinds[f->made.kind][f->expected]++;
    for (unsigned threads = 1; threads <= 4; threads *= 2)
        check_threads(f, threads);
    if (om_hoa_read(&a, f->ctx, "case.hoa", f->text.text, f->text.length, 0) != OM_OK)
        failed(f, "the automaton is not read", "");
    for (size_t i = 0; i < CONVERSIONS; i++)
        check_conversion(f, a, i);
    om_automaton_free(a);
    automaton_free(&f->made);
    om_text_free(&f->text);
}

#define N(x) ((unsigned long long) (x))

static void report(const fixture *f)
{
    static const char *const kinds[] = { "generalized Buchi", "any formula", "Rabin", "Streett",
        "parity", "co-Buchi", "Fin-less" };
    print_message("%llu automata, %llu checks, %llu refused, %llu lassos; parts: %llu terminal, "
                  "%llu weak, %llu strong\n",
        N(arguments.count), N(f->runs), N(f->refused), N(f->lassos), N(f->strengths[OM_TERMINAL]),
        N(f->strengths[OM_WEAK]), N(f->strengths[OM_STRONG]));
    for (int k = ANY_FORMULA; k < ACCEPTANCES; k++)
        print_message(
            "%s: %llu hold, %llu do not\n", kinds[k], N(f->kinds[k][0]), N(f->kinds[k][1]));
    for (size_t i = 0; i < CONVERSIONS; i++)
        print_message("%llu more states as %s%s", N(f->grown[i]), conversions[i].name,
            i + 1 < CONVERSIONS ? ", " : "\n");
    for (size_t i = 0; i < f->checkers.count; i++)
        print_message("%llu %s%s", N(f->checked[i]), f->checkers.at[i]->head.name,
            i + 1 < f->checkers.count ? ", " : "\n");
}

static void acceptance_agrees(void **state)
{
    fixture *f = *state;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++)
        run_case(f, arguments.first + i);
    report(f);
    /* Guards against a generator that makes only one kind of case. */
    if (arguments.count < seed_enough(100))
        return;
    for (int k = ANY_FORMULA; k < ACCEPTANCES; k++)
        for (int v = 0; v < 2; v++)
            assert_true(f->kinds[k][v] > arguments.count / 50);
    for (int i = OM_TERMINAL; i <= OM_STRONG; i++)
        assert_true(f->strengths[i] > arguments.count / 20);
    for (size_t i = 0; i < f->checkers.count; i++)
        assert_true(f->checked[i] > arguments.count / arguments.share / 10);
    /* Generalized Buchi, Buchi and Fin-less conversions copy states; Rabin never does. */
    assert_true(f->grown[0] > arguments.count / 50 && f->grown[1] >= f->grown[0]);
    assert_true(f->grown[4] > arguments.count / 50 && f->grown[4] <= f->grown[0]);
    assert_int_equal(f->grown[2], 0);
    assert_true(f->grown[3] < f->grown[0]);
}

static int set_up(void **state)
{
    static fixture f;
    const om_plugin *p = NULL;
    const char *tmp = getenv("TMPDIR");
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_FRONTEND, "dve", &p) != OM_OK)
        return -1;
    f.frontend = (const om_frontend *) (const void *) p;
    if (f.frontend->load(f.ctx, "words.dve", words, sizeof words - 1, NULL, &f.model) != OM_OK)
        return -1;
    for (int i = 0; i < PROPOSITIONS; i++)
        f.slots[i] = om_model_slot(f.model, om_model_find_slot(f.model, variables[i]));
    cpu_checkers_list(&f.checkers, f.registry);
    (void) snprintf(f.folder, sizeof f.folder, "%s/omen-XXXXXX",
        tmp != NULL && strlen(tmp) < 40 ? tmp : "/tmp");
    if (mkdtemp(f.folder) == NULL)
        return -1;
    (void) snprintf(f.path, sizeof f.path, "%s/case.hoa", f.folder);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    (void) unlink(f->path);
    (void) rmdir(f->folder);
    om_model_free(f->model);
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.share = strtoull(argv[3], NULL, 10);
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        acceptance_agrees, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
