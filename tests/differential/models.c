/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small DVE models with random properties, through the front end, the translator, the
 * planner and every checker, compared with an interpreter and a plain search of the test's own.
 * Arguments: first case, number of cases, then N for "one case in N": natively, on a device (0:
 * none), per checker (0: no properties), and by the kernels on the host (0 or left out: none). A
 * case is a function of its number.
 */
#include "checkers.h"
#include "sample.h"
#include "seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct {
    uint64_t first, count, native, device, share, host;
} arguments = { 0, 100, 100, 0, 1, 0 };

enum { LTL, HOA, STATES, NON_PROGRESS, KINDS };

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *frontend;
    char folder[64], path[96];
    bool device; /* a device is available */
    sample s;
    uint64_t runs, refused, faults, lassos, states, deadlocks, native, natively, on_device, sync;
    om_overflow_mode overflow;
    uint64_t overflows, strict; /* explorations with overflows; models with them as errors */
    /* Number of states saved by resets; models that have fewer states with resets; lassos of
     * models with resets; lassos with bad prefixes; lassos cut off after them. */
    uint64_t forgotten, forgetful, reset, prefixes, cut;
    uint64_t merged, mergeable; /* the same for merged statements */
    uint64_t left_out, reduced; /* states without some orders of steps; checks without them */
    uint64_t held[KINDS], violated[KINDS], parts, parts_named;
    cpu_checkers checkers;
    uint64_t checked[CPU_CHECKERS];
    bool fairly; /* under fairness: */
    uint64_t fair_held, fair_violated, fair_changed, fair_checked[CPU_CHECKERS];
} fixture;

/* Prints the case, then fails the test. */
static void failed(const fixture *f, const char *what, const char *how, const char *property)
{
    char *hoa = NULL;
    size_t length = 0;
    (void) fprintf(stderr, "case %llu: %s (%s)\nproperty: %s\nlibrary: %s\n%s\n",
        (unsigned long long) f->s.number, what, how, property == NULL ? "" : property,
        om_context_error(f->ctx), f->s.text.text);
    if (property == f->path && om_read_file(f->ctx, f->path, 1 << 16, &hoa, &length) == OM_OK)
        (void) fputs(hoa, stderr);
    om_free(om_context_heap(f->ctx), hoa);
    fail();
}

/* ---- the state space ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Returns NULL if the state has the expected successors, each as often as there are steps to it;
 * otherwise what differs. */
static const char *compare_steps(const fixture *f, uint32_t v, const om_successors *out)
{
    const graph *g = &f->s.g;
    size_t count = g->first[v + 1] - g->first[v];
    if ((out->fault != 0) != g->fault[v])
        return "a fault on one side alone";
    if (g->fault[v])
        return NULL;
    if (out->overflows != g->over[v])
        return "another number of values that do not fit";
    if (out->count != count)
        return "another number of successors";
    uint32_t *found = malloc((2 * count + 1) * sizeof *found), *expected = found + count;
    assert_non_null(found);
    for (size_t i = 0; i < count; i++) {
        found[i] = sample_vertex(&f->s, out->words + i * om_model_words(f->s.model));
        expected[i] = g->to[g->first[v] + i];
    }
    qsort(found, count, sizeof *found, by_number);
    qsort(expected, count, sizeof *expected, by_number);
    bool same = memcmp(found, expected, count * sizeof *found) == 0;
    free(found);
    return same ? NULL : "other successors";
}

/* Compares the successors of every state. */
static void compare(fixture *f, const char *how, om_exec_kind kind)
{
    om_executor *x = NULL;
    om_successors out = { .heap = om_context_heap(f->ctx) };
    const char *wrong = NULL;
    om_context_clear(f->ctx);
    assert_int_equal(om_model_set_overflow(f->s.model, f->overflow), OM_OK);
    int rc = om_executor_open(&x, f->s.model, kind, NULL, 0);
    if (rc == OM_EUNSUPPORTED && f->natively == 0) {
        arguments.native = 0; /* no compiler is available */
        return;
    }
    if (rc != OM_OK)
        failed(f, "no executor", how, NULL);
    uint32_t *vector = calloc(x->words, sizeof *vector);
    assert_non_null(vector);
    for (uint32_t v = 0; v < f->s.g.n && wrong == NULL; v++) {
        sample_vector(&f->s, v, vector);
        out.overflows = 0;
        assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
        wrong = compare_steps(f, v, &out);
    }
    free(vector);
    om_successors_free(&out);
    om_executor_close(x);
    f->natively += kind == OM_EXEC_NATIVE;
    if (wrong != NULL)
        failed(f, wrong, how, NULL);
}

static om_plan *new_plan(fixture *f, const om_plan_options *options)
{
    om_plan *p = NULL;
    om_plan_options o = *options;
    om_context_clear(f->ctx);
    o.overflow = f->overflow;
    if (om_plan_new(&p, f->ctx, f->registry, f->frontend, f->s.model, &o) != OM_OK)
        failed(f, "no plan", "", NULL);
    return p;
}

/* Checks the report of a search about values that did not fit: their number, and a shortest trace
 * to one of the first. */
static void check_overflows(fixture *f, const om_overflow_report *r, const char *how)
{
    const graph *g = &f->s.g;
    if (r == NULL || r->count != g->overs) {
        failed(f, "another number of values that do not fit", how, NULL);
        return;
    }
    om_lasso l = r->trace;
    if (l.count == 0 || om_lasso_vectors(&l, f->s.model) != OM_OK)
        failed(f, "there is no trace to a value that does not fit", how, NULL);
    uint32_t last = sample_vertex(&f->s, l.vectors + (l.count - 1) * l.words);
    om_free(l.heap, l.vectors);
    if (last == OM_NONE || g->over[last] == 0 || g->level[last] != l.count - 1)
        failed(f, "the trace to a value that does not fit leads elsewhere", how, NULL);
    if (r->first.value >= r->first.low && r->first.value <= r->first.high)
        failed(f, "a value fits", how, NULL);
    f->overflows++;
}

/* Returns true if the plan is told to leave out orders of steps. By default, checks do,
 * explorations do not. */
static bool leaves_out(const om_plan_options *o)
{
    return o->por == OM_POR_ON || o->por == OM_POR_ALWAYS;
}

static void explore(fixture *f, const char *how, const om_plan_options *options)
{
    const graph *g = &f->s.g;
    om_exploration x;
    om_plan *p = new_plan(f, options);
    int rc = om_plan_explore(p, &x, NULL);
    if (g->faults > 0) {
        if (rc != OM_EMODEL)
            failed(f, "a fault was not found", how, NULL);
    } else if (rc != OM_OK)
        failed(f, "exploring failed", how, NULL);
    else if (leaves_out(options)) {
        f->left_out += g->n - x.states;
        if (x.states > g->n || x.deadlocks != g->deadlocks)
            failed(f, "leaving out orders adds states, or changes deadlocks", how, NULL);
    } else if (options->merge == OM_SWITCH_ON) {
        f->merged += g->n - x.states;
        f->mergeable += x.states < g->n;
        /* There may be more levels: a process that begins in a location that is passed afterwards
         * stands there only if it has not moved yet. */
        if (x.states > g->n || x.deadlocks != g->deadlocks)
            failed(f, "merging adds states, or changes deadlocks", how, NULL);
    } else if (options->reset_dead == OM_SWITCH_ON) {
        f->forgotten += g->n - x.states;
        f->forgetful += x.states < g->n;
        if (x.states > g->n || x.levels > g->levels || (x.deadlocks == 0) != (g->deadlocks == 0))
            failed(f, "forgetting values adds states, or hides deadlocks", how, NULL);
    } else if (x.states != g->n || x.transitions != g->arcs || x.deadlocks != g->deadlocks ||
               x.levels != g->levels) {
        print_error("%llu states, %llu transitions, %llu deadlocks, %u levels; not %u %zu %u %u\n",
            (unsigned long long) x.states, (unsigned long long) x.transitions,
            (unsigned long long) x.deadlocks, x.levels, g->n, g->arcs, g->deadlocks, g->levels);
        failed(f, "another state space", how, NULL);
    } else if (g->overs != 0)
        check_overflows(f, om_plan_overflows(p), how);
    else if (om_plan_overflows(p) != NULL)
        failed(f, "all values fit", how, NULL);
    om_free(om_context_heap(f->ctx), x.fault_vector);
    om_plan_free(p);
}

/* Samples one case in one_in. The first sampled case is number 7, because one case in eight has a
 * faulty model. If one_in is odd, so has one in eight of the sample. */
static bool sampled(const fixture *f, uint64_t one_in)
{
    return one_in != 0 && f->s.number % one_in == 7 % one_in;
}

static void explore_all(fixture *f)
{
    static const unsigned threads[] = { 1, 2, 4 };
    for (size_t i = 0; i < 3; i++)
        explore(f, "vm",
            &(om_plan_options){ .device = "none", .exec = OM_EXEC_VM, .threads = threads[i] });
    compare(f, "vm", OM_EXEC_VM);
    if (sampled(f, arguments.native))
        compare(f, "native", OM_EXEC_NATIVE);
    explore(f, "forgetting",
        &(om_plan_options){
            .device = "none", .exec = OM_EXEC_VM, .threads = 2, .reset_dead = OM_SWITCH_ON });
    explore(f, "some orders of steps",
        &(om_plan_options){
            .device = "none", .exec = OM_EXEC_VM, .threads = 2, .por = OM_POR_ALWAYS });
    explore(f, "merging",
        &(om_plan_options){
            .device = "none", .exec = OM_EXEC_VM, .threads = 2, .merge = OM_SWITCH_ON });
    if (sampled(f, arguments.native))
        explore(f, "native",
            &(om_plan_options){ .device = "none", .exec = OM_EXEC_NATIVE, .threads = 2 });
    if (f->device && sampled(f, arguments.device))
        explore(f, "device", &(om_plan_options){ .device = "0", .exec = OM_EXEC_VM, .threads = 2 });
    if (sampled(f, arguments.host))
        explore(f, "host", &(om_plan_options){ .device = "host", .exec = OM_EXEC_VM });
}

/* ---- properties ---- */

/* Checks that the lasso is a run that violates the property, survives writing and reading, and
 * passes the library's own referee both before and after. */
static void replay(
    fixture *f, om_plan *p, const char *how, const obligation *c, om_lasso *l, bool resetting)
{
    om_text json = { .heap = om_context_heap(f->ctx) };
    om_lasso again = { 0 };
    char *property = NULL;
    if (om_plan_replay(p, c->kind, c->text, l) != OM_OK)
        failed(f, "the lasso is not replayed", how, c->text);
    if (om_lasso_vectors(l, f->s.model) != OM_OK)
        failed(f, "the lasso is no run", how, c->text);
    const char *wrong = sample_referee(&f->s, c, l);
    if (wrong != NULL)
        failed(f, wrong, how, c->text);
    f->lassos++;
    f->reset += resetting;
    f->prefixes += l->bad_prefix != 0;
    f->cut += l->bad_prefix != 0 && l->loop == OM_NO_LOOP;
    if (om_lasso_write(l, f->s.model, "json", &(om_lasso_style){ .property = "x" }, &json) !=
            OM_OK ||
        om_lasso_read(&again, f->ctx, f->s.model, "lasso", json.text, json.length, &property) !=
            OM_OK ||
        om_plan_replay(p, c->kind, c->text, &again) != OM_OK)
        failed(f, "the lasso is not read back", how, c->text);
    om_free(om_context_heap(f->ctx), property);
    om_lasso_free(&again);
    om_text_free(&json);
}

/* Returns what is wrong with the report of a failed assertion, or NULL. */
static const char *wrong_assertion(fixture *f, om_plan *p, om_check_result *r)
{
    if (r->about != OM_ABOUT_ASSERTION || r->verdict != OM_VIOLATED || !r->has_lasso)
        return "an assertion fails without a trace";
    return om_plan_replay(p, OM_PROPERTY_ASSERTION, NULL, &r->lasso) == OM_OK &&
                   om_lasso_vectors(&r->lasso, f->s.model) == OM_OK
               ? sample_referee_fault(&f->s, &r->lasso)
               : "no assertion fails there";
}

/* The check of a faulty model may report the fault, or a verdict if the property does not reach
 * it. If an assertion fails, the property is violated if a run without faults violates it;
 * otherwise it may hold or be unknown. If steps are merged or orders of steps left out, the runs
 * that are left may all end with a fault, so that it hides a violation. */
static void check_faulty(fixture *f, om_plan *p, const char *how, const obligation *c,
    const om_plan_options *options, int rc, om_check_result *r)
{
    const char *wrong = NULL;
    const bool must_violate =
        c->violated && options->por == OM_POR_OFF && options->merge == OM_SWITCH_OFF;
    bool holds = rc == OM_OK && r->verdict == OM_HOLDS;
    if (rc == OM_EMODEL && r->has_lasso)
        wrong = !r->lasso.form.reset_dead && om_lasso_vectors(&r->lasso, f->s.model) == OM_OK
                    ? sample_referee_fault(&f->s, &r->lasso)
                    : "the trace to the fault is no run";
    else if (rc == OM_OK && r->verdict == OM_VIOLATED)
        replay(f, p, how, c, &r->lasso, false);
    else if (!holds && (rc != OM_OK || r->assertion == NULL))
        wrong = "neither a fault nor a verdict";
    else if (!holds && must_violate)
        wrong = "an assertion that fails hides a violation";
    if (wrong == NULL && rc == OM_OK && r->assertion != NULL)
        wrong = wrong_assertion(f, p, r->assertion);
    /* A property of states examines all states, unless it is violated. */
    if (wrong == NULL && must_violate && rc == OM_EMODEL)
        wrong = "a fault hides a violation";
    if (holds &&
        (c->violated || (c->formula == NULL && c->automaton == NULL && r->assertion == NULL)))
        wrong = c->violated ? "a violation was not found" : "a fault was not found";
    if (wrong != NULL)
        failed(f, wrong, how, c->text);
    f->faults += rc == OM_EMODEL;
}

/* Returns true if the checker may reject the part. Device checkers always may; under fairness, so
 * may checkers that do not support the acceptance. */
static bool may_refuse(const fixture *f, const char *name)
{
    if (f->fairly)
        return name != NULL;
    for (size_t i = 0; name != NULL && i < f->checkers.count; i++)
        if (strcmp(f->checkers.at[i]->head.name, name) == 0)
            return !checks_all(f->checkers.at[i]);
    return name != NULL;
}

/* Returns true if the checker accepted the task. */
static bool check(fixture *f, const char *how, obligation *c, const om_plan_options *options)
{
    om_plan *p = new_plan(f, options);
    om_check_result r;
    const uint32_t shortest = c->shortest;
    if (options->merge != OM_SWITCH_OFF || options->por != OM_POR_OFF) /* steps count as one */
        c->shortest = OM_NONE;
    int rc = om_plan_check(p, c->kind, c->text, &r);
    bool refused = rc == OM_EUSAGE && (may_refuse(f, options->checker) || leaves_out(options)) &&
                   om_context_error(f->ctx)[0] != '\0';
    if (refused)
        f->refused++;
    else if (f->s.g.faults > 0)
        check_faulty(f, p, how, c, options, rc, &r);
    else if (rc != OM_OK)
        failed(f, "checking failed", how, c->text);
    else if (r.verdict != (c->violated ? OM_VIOLATED : OM_HOLDS))
        failed(
            f, c->violated ? "a violation was not found" : "there is no violation", how, c->text);
    else if (c->violated)
        replay(f, p, how, c, &r.lasso, options->reset_dead != OM_SWITCH_OFF);
    if (!refused)
        f->runs++;
    c->shortest = shortest;
    om_check_result_free(&r);
    om_plan_free(p);
    return !refused;
}

/* Dead variables are reset by default; off in one case of four. */
static om_switch resets(const fixture *f)
{
    return f->s.number % 4 == 1 ? OM_SWITCH_OFF : OM_SWITCH_DEFAULT;
}

/* Statements are merged by default if that is sound; off in one case of eight. */
static om_switch merges(const fixture *f)
{
    return f->s.number % 8 == 3 ? OM_SWITCH_OFF : OM_SWITCH_DEFAULT;
}

/* Orders of steps are left out by default if that is sound; off in one case of four. */
static om_por orders(const fixture *f)
{
    return f->s.number % 4 == 3 ? OM_POR_OFF : OM_POR_AUTO;
}

static void check_threads(fixture *f, obligation *c, unsigned threads)
{
    char how[64];
    om_plan_options o = { .device = "none",
        .exec = OM_EXEC_VM,
        .threads = threads,
        .reset_dead = resets(f),
        .merge = merges(f),
        .por = orders(f),
        .seed = f->s.number % 3,
        .bad_prefix = threads == 1   ? OM_PREFIX_ALONE
                      : threads == 2 ? OM_PREFIX_MARKED
                                     : OM_PREFIX_NOT_SOUGHT,
        .ignore_finite_runs = !c->stutter,
        .stutter_non_progress = c->stutter };
    for (int concurrent = 0; concurrent < 2; concurrent++) {
        o.schedule = concurrent ? OM_SCHEDULE_CONCURRENT : OM_SCHEDULE_SEQUENTIAL;
        (void) snprintf(how, sizeof how, "parts %s, %u threads",
            concurrent ? "side by side" : "in turn", threads);
        f->parts += check(f, how, c, &o);
    }
    o.schedule = OM_SCHEDULE_AUTO;
    for (size_t i = 0; i < f->checkers.count; i++) {
        if ((i + f->s.number) % arguments.share != 0)
            continue;
        o.checker = f->checkers.at[i]->head.name;
        (void) snprintf(how, sizeof how, "%s, %u threads", o.checker, threads);
        f->checked[i] += check(f, how, c, &o);
    }
    o.por = OM_POR_ALWAYS;
    for (size_t i = 0; i < f->checkers.count; i++)
        if ((i + f->s.number) % arguments.share == 1 % arguments.share) {
            o.checker = f->checkers.at[i]->head.name;
            f->reduced += check(f, o.checker, c, &o);
        }
    o.checker = NULL;
    f->reduced += check(f, "some orders of steps", c, &o);
    o.por = orders(f);
    o.terminal = "dijkstra";
    o.weak = "dijkstra";
    (void) snprintf(how, sizeof how, "parts by dijkstra, %u threads", threads);
    f->parts_named += check(f, how, c, &o);
}

static void check_all(fixture *f, int kind, obligation *c)
{
    om_plan_options o = { .device = "none",
        .exec = OM_EXEC_NATIVE,
        .threads = 2,
        .reset_dead = resets(f),
        .merge = merges(f),
        .ignore_finite_runs = !c->stutter,
        .stutter_non_progress = c->stutter };
    check_threads(f, c, 1);
    check_threads(f, c, 2);
    check_threads(f, c, f->s.number % 2 == 0 ? 4 : 8);
    if (sampled(f, arguments.native))
        f->native += check(f, "native", c, &o);
    if (f->device && sampled(f, arguments.device)) {
        o.device = "0";
        o.exec = OM_EXEC_VM;
        f->on_device += check(f, "device", c, &o);
        o.checker = "weak-cl";
        f->on_device += check(f, "weak-cl", c, &o);
        o.checker = "reach-cl";
        f->on_device += check(f, "reach-cl", c, &o);
    }
    if (f->s.g.faults == 0)
        (c->violated ? f->violated : f->held)[kind]++;
}

/* Checks under fairness, with the whole plan and with some checkers. */
static void check_under(fixture *f, obligation *c, om_plan_options *o)
{
    char how[96];
    f->fairly = true;
    for (unsigned threads = 1; threads <= 2; threads++) {
        o->threads = threads;
        o->checker = NULL;
        (void) snprintf(how, sizeof how, "%s fairness and %zu formulas, %u threads",
            om_process_fairness_name(o->fairness), o->fair_count, threads);
        (void) check(f, how, c, o);
        for (size_t i = 0; i < f->checkers.count; i++) {
            if ((i + f->s.number + threads) % arguments.share != 0)
                continue;
            o->checker = f->checkers.at[i]->head.name;
            (void) snprintf(how, sizeof how, "%s, %s fairness and %zu formulas, %u threads",
                o->checker, om_process_fairness_name(o->fairness), o->fair_count, threads);
            f->fair_checked[i] += check(f, how, c, o);
        }
    }
    f->fairly = false;
}

/* Checks the property again for fair runs only. For a large model, the plain search takes too
 * long. */
static void check_fairness(fixture *f, const obligation *plain)
{
    enum { LARGE = 200 };
    sample *s = &f->s;
    fairness fair;
    om_text text[CLAUSES];
    const char *texts[CLAUSES] = { NULL };
    const char *names[] = { s->quoted[0].text, s->quoted[1].text, s->quoted[2].text };
    int kind = (int) om_random_below(&s->r, 3);
    if (s->g.n > LARGE)
        return;
    fairness_make(&fair, &s->r, kind, s->d.processes, PROPOSITIONS);
    for (int i = 0; i < fair.clauses; i++) {
        text[i] = (om_text){ .heap = om_heap_default() };
        fairness_print(&fair, i, &s->r, names, &text[i]);
        texts[i] = text[i].text;
    }
    obligation c = *plain;
    labelled g = sample_labelled(s, c.stutter);
    c.fair = g.fair = &fair;
    c.violated =
        c.formula != NULL ? formula_violated(c.formula, &g) : automaton_accepts(c.automaton, &g);
    om_plan_options o = { .device = "none",
        .exec = OM_EXEC_VM,
        .reset_dead = resets(f),
        .merge = merges(f),
        .por = orders(f),
        .seed = s->number % 3,
        .ignore_finite_runs = !c.stutter,
        .fairness = (om_process_fairness) kind,
        .fair = texts,
        .fair_count = (size_t) fair.clauses };
    check_under(f, &c, &o);
    if (s->g.faults == 0) {
        (*(c.violated ? &f->fair_violated : &f->fair_held))++;
        f->fair_changed += c.violated != plain->violated;
    }
    for (int i = 0; i < fair.clauses; i++)
        om_text_free(&text[i]);
}

static bool stutters(fixture *f)
{
    return om_random_below(&f->s.r, 3) != 0;
}

static void check_formula(fixture *f)
{
    sample *s = &f->s;
    formula made;
    om_text text = { .heap = om_heap_default() };
    const char *names[] = { s->quoted[0].text, s->quoted[1].text, s->quoted[2].text };
    formula_make(&made, &s->r, 1 + (int) om_random_below(&s->r, PROPOSITIONS));
    formula_print(&made, names, &text);
    obligation c = {
        .kind = OM_PROPERTY_LTL, .text = text.text, .formula = &made, .stutter = stutters(f)
    };
    labelled g = sample_labelled(s, c.stutter);
    c.violated = formula_violated(&made, &g);
    check_all(f, LTL, &c);
    check_fairness(f, &c);
    om_text_free(&text);
}

static void write_file(const fixture *f, const om_text *text)
{
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->text, 1, text->length, file), text->length);
    assert_int_equal(fclose(file), 0);
}

static void check_automaton(fixture *f, bool any)
{
    sample *s = &f->s;
    automaton made;
    om_text text = { .heap = om_heap_default() };
    const char *names[] = { s->name[0].text, s->name[1].text, s->name[2].text };
    automaton_make(&made, &s->r, (int) om_random_below(&s->r, PROPOSITIONS + 1), any);
    automaton_print(&made, names, &text);
    write_file(f, &text);
    obligation c = {
        .kind = OM_PROPERTY_AUTOMATON, .text = f->path, .automaton = &made, .stutter = stutters(f)
    };
    labelled g = sample_labelled(s, c.stutter);
    c.violated = automaton_accepts(&made, &g);
    check_all(f, HOA, &c);
    check_fairness(f, &c);
    automaton_free(&made);
    om_text_free(&text);
}

/* Checks deadlock or an invariant. */
static void check_states(fixture *f)
{
    sample *s = &f->s;
    bool deadlock = s->number % 2 == 0;
    obligation c = { .kind = deadlock ? OM_PROPERTY_DEADLOCK : OM_PROPERTY_INVARIANT,
        .text = deadlock ? NULL : s->name[0].text,
        .invariant = s->proposition[0],
        .stutter = stutters(f) };
    for (uint32_t v = 0; v < s->g.n; v++) {
        bool bad = deadlock ? s->g.first[v] == s->g.first[v + 1] && !s->g.fault[v]
                            : (s->label[v] & 1) == 0;
        /* States are ordered by distance. */
        if (bad && !c.violated) {
            c.violated = true;
            c.shortest = s->g.level[v];
        }
    }
    check_all(f, STATES, &c);
}

/* No run is without progress for ever. Progress states satisfy some of the propositions: GF of
 * their disjunction. */
static void check_progress(fixture *f)
{
    sample *s = &f->s;
    om_text text = { .heap = om_heap_default() };
    formula made = { .count = 3, .temporal = 2, .node = { { 'G', 1, 0, 0 }, { 'F', 2, 0, 1 } } };
    const int n = 1 + (int) om_random_below(&s->r, PROPOSITIONS);
    made.node[2].op = 'p';
    made.node[2].bit = -1;
    for (int i = 0; i < n; i++)
        om_text_printf(&text, "%s(%s)", i == 0 ? "" : " || ", s->name[i].text);
    for (int i = 1; i < n; i++) { /* node 2 is the disjunction so far, or its last operand */
        made.node[made.count] = made.node[2];
        made.node[made.count + 1] = made.node[2];
        made.node[made.count + 1].op = 'p';
        made.node[made.count + 1].a = i;
        made.node[2].op = '|';
        made.node[2].a = made.count++;
        made.node[2].b = made.count++;
    }
    obligation c = { .kind = OM_PROPERTY_NON_PROGRESS,
        .text = text.text,
        .formula = &made,
        .stutter = stutters(f) };
    labelled g = sample_labelled(s, c.stutter);
    c.violated = formula_violated(&made, &g);
    check_all(f, NON_PROGRESS, &c);
    om_text_free(&text);
}

/* ---- cases ---- */

static void load(fixture *f, om_model **out)
{
    const om_text *text = &f->s.text;
    if (f->frontend->load(f->ctx, "case.dve", text->text, text->length, NULL, out) != OM_OK)
        failed(f, "the model are not supported", "", NULL);
}

/* Checks the same model again with overflows as errors. */
static void run_strict(fixture *f)
{
    sample_make_strict(&f->s);
    f->overflow = OM_OVERFLOW_ERROR;
    f->strict++;
    explore_all(f);
    if (arguments.share != 0) {
        check_formula(f);
        check_automaton(f, true);
        check_states(f);
        check_progress(f);
    }
    f->overflow = OM_OVERFLOW_WRAP;
}

static void check_properties(fixture *f)
{
    check_formula(f);
    check_automaton(f, false);
    check_automaton(f, true);
    check_states(f);
    check_progress(f);
}

static void run_case(fixture *f, uint64_t number)
{
    bool faulty = number % 8 == 7;
    sample *s = &f->s;
    sample_make(s, number, faulty);
    om_context_clear(f->ctx);
    if (!faulty && s->g.faults > 0)
        failed(f, "the generator made a model that goes wrong", "", NULL);
    load(f, &s->model);
    load(f, &s->exact);
    if (!sample_bind(s))
        failed(f, "a variable has no slot of its name", "", NULL);
    f->states += s->g.n;
    f->deadlocks += s->g.deadlocks > 0;
    f->sync += s->d.synchronous;
    explore_all(f);
    if (arguments.share != 0)
        check_properties(f);
    /* The resets of the checks have left no trace. */
    explore(f, "after the checks", &(om_plan_options){ .device = "none", .exec = OM_EXEC_VM });
    if (s->g.overs != 0 && number % 2 == 0)
        run_strict(f);
    sample_free(s);
}

static void report(const fixture *f)
{
#define N(x) ((unsigned long long) (x))
    print_message("%llu models, %llu states (%llu of %llu models fewer with resets, %llu of %llu "
                  "where statements are merged, %llu fewer without some orders of steps), %llu "
                  "with deadlocks, %llu synchronous\n",
        N(arguments.count), N(f->states), N(f->forgotten), N(f->forgetful), N(f->merged),
        N(f->mergeable), N(f->left_out), N(f->deadlocks), N(f->sync));
    print_message("%llu explorations met overflows; in %llu models they were errors; %llu state "
                  "spaces compared natively\n",
        N(f->overflows), N(f->strict), N(f->natively));
    print_message(
        "%llu checks (%llu parts, %llu parts by dijkstra; %llu native, %llu on a device; %llu "
        "without some orders of steps), %llu refused\n",
        N(f->runs), N(f->parts), N(f->parts_named), N(f->native), N(f->on_device), N(f->reduced),
        N(f->refused));
    for (size_t i = 0; i < f->checkers.count; i++)
        print_message("%llu %s%s", N(f->checked[i]), f->checkers.at[i]->head.name,
            i + 1 < f->checkers.count ? ", " : "\n");
    print_message(
        "held/violated: ltl %llu/%llu, automata %llu/%llu, states %llu/%llu, progress %llu/%llu; "
        "%llu lassos (%llu found with resets, %llu with a bad prefix, %llu cut), %llu faults\n",
        N(f->held[LTL]), N(f->violated[LTL]), N(f->held[HOA]), N(f->violated[HOA]),
        N(f->held[STATES]), N(f->violated[STATES]), N(f->held[NON_PROGRESS]),
        N(f->violated[NON_PROGRESS]), N(f->lassos), N(f->reset), N(f->prefixes), N(f->cut),
        N(f->faults));
    print_message("under fairness held/violated %llu/%llu, otherwise without it %llu; by ",
        N(f->fair_held), N(f->fair_violated), N(f->fair_changed));
    for (size_t i = 0; i < f->checkers.count; i++)
        print_message("%llu %s%s", N(f->fair_checked[i]), f->checkers.at[i]->head.name,
            i + 1 < f->checkers.count ? ", " : "\n");
#undef N
}

static void models_agree(void **state)
{
    fixture *f = *state;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++)
        run_case(f, arguments.first + i);
    report(f);
    /* Guards against a generator that makes only one kind of case. */
    if (arguments.count < seed_enough(100) || arguments.share == 0)
        return;
    for (int k = 0; k < KINDS; k++) {
        assert_true(f->held[k] > arguments.count / 10);
        assert_true(f->violated[k] > arguments.count / 10);
    }
    assert_true(f->parts > arguments.count / 2 && f->parts_named > arguments.count / 2);
    for (size_t i = 0; i < f->checkers.count; i++)
        assert_true(f->checked[i] > arguments.count / arguments.share / 2);
    assert_true(f->overflows > arguments.count / 4 && f->strict > arguments.count / 40);
    assert_true(f->forgetful > arguments.count / 60 && f->reset > f->lassos / 20);
    assert_true(f->prefixes > f->lassos / 40 && f->cut > f->lassos / 100);
    assert_true(f->mergeable > arguments.count / 20);
    assert_true(f->left_out > f->states / 50 && f->reduced > arguments.count);
    assert_true(f->fair_held > arguments.count / 4 && f->fair_violated > arguments.count / 4);
    assert_true(f->fair_changed > arguments.count / 8);
    assert_true(f->faults > 0 && f->sync > 0 && f->deadlocks > arguments.count / 20);
}

/* Returns true if a working OpenCL device is available. */
static bool find_device(om_context *ctx)
{
    om_devices *devices = NULL;
    om_device *device = NULL;
    const char *why = NULL;
    bool found = om_devices_open(&devices, ctx, "auto", &why) == OM_OK &&
                 om_devices_pick(devices, ctx, "0", &device) == OM_OK;
    om_devices_close(devices);
    om_context_clear(ctx);
    return found;
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
    cpu_checkers_list(&f.checkers, f.registry);
    (void) snprintf(f.folder, sizeof f.folder, "%s/omen-XXXXXX",
        tmp != NULL && strlen(tmp) < 40 ? tmp : "/tmp");
    if (mkdtemp(f.folder) == NULL)
        return -1;
    (void) snprintf(f.path, sizeof f.path, "%s/case.hoa", f.folder);
    f.device = arguments.device != 0 && find_device(f.ctx);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    (void) unlink(f->path);
    (void) rmdir(f->folder);
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 || argc == 7) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.native = strtoull(argv[3], NULL, 10);
        arguments.device = strtoull(argv[4], NULL, 10);
        arguments.share = strtoull(argv[5], NULL, 10);
        arguments.host = argc == 7 ? strtoull(argv[6], NULL, 10) : 0;
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        models_agree, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
