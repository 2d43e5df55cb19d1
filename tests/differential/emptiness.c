/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness of random automata with every kind of acceptance, read from HOA text and checked
 * through the plan (parts, conversions, every checker), compared with a plain search of the test's
 * own. Arguments: first case, number of cases, N (a checker runs one case in N).
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
#include <cmocka.h>

static struct {
    uint64_t first, count, share;
} arguments = { 0, 300, 1 };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    uint64_t number, runs, refused, nonempty, fins, strengths[4];
    cpu_checkers checkers;
    uint64_t checked[CPU_CHECKERS];
    automaton made;
    om_text text;
    om_automaton *a;
    bool expected; /* true if the language is not empty */
} fixture;

static void failed(const fixture *f, const char *what, const char *how)
{
    (void) fprintf(stderr, "case %llu: %s (%s)\nlibrary: %s\n%s\n", (unsigned long long) f->number,
        what, how, om_context_error(f->ctx), f->text.text);
    fail();
}

/* Returns true if the automaton accepts the word of the lasso. */
static bool accepted(const fixture *f, const om_lasso *l)
{
    uint32_t n = (uint32_t) l->count;
    if (n == 0 || l->loop >= n || l->words != 2)
        return false;
    unsigned *label = calloc(n, sizeof *label);
    assert_non_null(label);
    for (uint32_t i = 0; i < n; i++)
        label[i] = l->vectors[2 * (size_t) i];
    bool yes = automaton_accepts_lasso(&f->made, label, n, (uint32_t) l->loop);
    free(label);
    return yes;
}

/* Checks with a plan of its own whether the language is empty. */
static int is_empty(om_context *ctx, const om_registry *registry, const om_automaton *a,
    const om_plan_options *options, om_check_result *out)
{
    om_plan *p = NULL;
    int rc = om_plan_new(&p, ctx, registry, NULL, NULL, options);
    *out = (om_check_result){ 0 };
    if (rc == OM_OK)
        rc = om_plan_empty(p, a, out);
    om_plan_free(p);
    return rc;
}

/* Returns true if the checker (NULL: the planner's choice) accepted the task. */
static bool check(fixture *f, const char *how, const om_plan_options *o, const om_checker *checker)
{
    om_check_result r;
    om_context_clear(f->ctx);
    int rc = is_empty(f->ctx, f->registry, f->a, o, &r);
    if (rc == OM_EUSAGE && checker != NULL && !checks_all(checker)) {
        f->refused++;
        return false;
    }
    if (rc != OM_OK)
        failed(f, "the check failed", how);
    if (r.verdict != (f->expected ? OM_VIOLATED : OM_HOLDS))
        failed(f, f->expected ? "the word was not found" : "there is no word", how);
    if (f->expected && !accepted(f, &r.lasso))
        failed(f, "the word is not accepted", how);
    for (size_t i = 0; i < r.part_count; i++)
        f->strengths[r.parts[i].strength]++;
    om_check_result_free(&r);
    f->runs++;
    return true;
}

static void check_threads(fixture *f, unsigned threads)
{
    char how[64];
    om_plan_options o = { .device = "none", .threads = threads, .seed = f->number % 3 };
    (void) snprintf(how, sizeof how, "parts in turn, %u threads", threads);
    o.schedule = OM_SCHEDULE_SEQUENTIAL;
    (void) check(f, how, &o, NULL);
    (void) snprintf(how, sizeof how, "parts side by side, %u threads", threads);
    o.schedule = OM_SCHEDULE_CONCURRENT;
    (void) check(f, how, &o, NULL);
    o.terminal = o.weak = "dijkstra";
    (void) snprintf(how, sizeof how, "parts by dijkstra, %u threads", threads);
    (void) check(f, how, &o, NULL);
    o.terminal = o.weak = NULL;
    for (size_t i = 0; i < f->checkers.count; i++) {
        if ((i + f->number) % arguments.share != 0)
            continue;
        o.checker = f->checkers.at[i]->head.name;
        (void) snprintf(how, sizeof how, "%s, %u threads", o.checker, threads);
        f->checked[i] += check(f, how, &o, f->checkers.at[i]);
    }
}

/* The text that the library writes describes the same automaton. */
static void check_written(fixture *f)
{
    om_text again = { .heap = om_context_heap(f->ctx) };
    om_automaton *first = f->a;
    const om_plan_options o = { .device = "none", .threads = 1 };
    assert_int_equal(om_hoa_write(first, &again), OM_OK);
    if (om_hoa_read(&f->a, f->ctx, "again.hoa", again.text, again.length, 0) != OM_OK)
        failed(f, "what was written is not read", "again");
    (void) check(f, "written and read again", &o, NULL);
    om_automaton_free(f->a);
    f->a = first;
    om_text_free(&again);
}

static void run_case(fixture *f, uint64_t number)
{
    static const char *const names[] = { "a", "b", "c" };
    om_random r = { number * 0x9e3779b97f4a7c15u + 2 };
    f->number = number;
    f->text = (om_text){ .heap = om_context_heap(f->ctx) };
    automaton_make(&f->made, &r, (int) om_random_below(&r, PROPOSITIONS + 1), number % 4 != 0);
    automaton_print(&f->made, names, &f->text);
    f->expected = automaton_nonempty(&f->made);
    f->nonempty += f->expected;
    om_context_clear(f->ctx);
    if (om_hoa_read(&f->a, f->ctx, "case.hoa", f->text.text, f->text.length, 0) != OM_OK)
        failed(f, "the automaton is not read", "");
    bool fin = false;
    for (size_t i = 0; i < f->made.accept.length; i++)
        fin = fin || f->made.accept.at[i].op == 'F';
    f->fins += fin;
    for (unsigned threads = 1; threads <= 8; threads *= 2)
        check_threads(f, threads);
    check_written(f);
    om_automaton_free(f->a);
    automaton_free(&f->made);
    om_text_free(&f->text);
}

static void automata_agree(void **state)
{
    fixture *f = *state;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++)
        run_case(f, arguments.first + i);
#define N(x) ((unsigned long long) (x))
    print_message(
        "%llu automata (%llu not empty, %llu with Fin), %llu checks, %llu refused; parts: "
        "%llu terminal, %llu weak, %llu strong\n",
        N(arguments.count), N(f->nonempty), N(f->fins), N(f->runs), N(f->refused),
        N(f->strengths[OM_TERMINAL]), N(f->strengths[OM_WEAK]), N(f->strengths[OM_STRONG]));
    for (size_t i = 0; i < f->checkers.count; i++)
        print_message("%llu %s%s", N(f->checked[i]), f->checkers.at[i]->head.name,
            i + 1 < f->checkers.count ? ", " : "\n");
#undef N
    /* Guards against a generator that makes only one kind of case. */
    if (arguments.count < seed_enough(100))
        return;
    assert_in_range(f->nonempty, arguments.count / 5, arguments.count * 4 / 5);
    assert_true(f->fins > arguments.count / 4);
    for (int i = OM_TERMINAL; i <= OM_STRONG; i++)
        assert_true(f->strengths[i] > arguments.count / 20);
    for (size_t i = 0; i < f->checkers.count; i++)
        assert_true(f->checked[i] > arguments.count / arguments.share / 10);
}

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    cpu_checkers_list(&f.checkers, f.registry);
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
    if (argc == 4) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.share = strtoull(argv[3], NULL, 10);
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        automata_agree, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
