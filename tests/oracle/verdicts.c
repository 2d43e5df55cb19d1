/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs every checker on automata that another tool has judged (started by oracle.py), alone or in
 * products with a model, with one, two and four workers. Without a model, two simple searches judge
 * as well: that of the library's automata, and that of tests/differential.
 * usage: oracle_verdicts AUTOMATA VERDICTS [MODEL SCRATCH]
 *   AUTOMATA  HOA, one after the other      VERDICTS  a line for each: "word" or "empty"
 *   SCRATCH   a file to write each automaton to, for the checks of the model
 * Prints counts, one "NAME NUMBER" a line. Exit status: 0 all agree, 1 some do not, 2 an error
 * prevented the comparison.
 */
#include "../checkers.h"
#include "../differential/search.h"

#include <omen/host/omen.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 10, MOST_INPUT = 1 << 30 };

typedef struct oracle {
    om_context *ctx;
    om_registry *registry;
    cpu_checkers checkers;
    om_model *model; /* or NULL: automata alone */
    const om_frontend *frontend;
    const char *scratch;
    /* The current case. */
    uint64_t number;
    const char *text;
    size_t length;
    om_automaton *a;
    bool word;  /* the other tool's verdict: the automaton is nonempty */
    bool wrong; /* a checker or search disagreed */
    uint64_t words, checks, refused, disagreements, cases, checked[CPU_CHECKERS];
} oracle;

/* The automaton is printed once per case. */
static void disagree(oracle *o, const char *what, const char *how)
{
    bool first = !o->wrong;
    o->wrong = true;
    o->disagreements++;
    o->cases += first;
    if (o->cases > MOST_TOLD)
        return;
    if (first)
        (void) fprintf(stderr, "%.*s", (int) o->length, o->text);
    (void) fprintf(stderr, "case %llu: %s (%s), expected: %s\nlibrary: %s\n",
        (unsigned long long) o->number, what, how, o->word ? "a word" : "empty",
        om_context_error(o->ctx));
}

/* ---- one check ---- */

static int run(oracle *o, const om_plan_options *options, om_check_result *r)
{
    om_plan *p = NULL;
    *r = (om_check_result){ 0 };
    int rc = om_plan_new(&p, o->ctx, o->registry, o->frontend, o->model, options);
    if (rc == OM_OK && o->model == NULL)
        rc = om_plan_empty(p, o->a, r);
    else if (rc == OM_OK)
        rc = om_plan_check(p, OM_PROPERTY_AUTOMATON, o->scratch, r);
    om_plan_free(p);
    return rc;
}

/* The library referees the lasso of a model; a lasso of labels alone is run through the automaton.
 */
static bool shown(oracle *o, const om_lasso *l)
{
    om_label *labels = calloc(l->count + 1, sizeof *labels);
    bool yes = false;
    if (labels == NULL)
        abort();
    for (size_t i = 0; i < l->count; i++)
        labels[i] = l->vectors[2 * i] | (om_label) l->vectors[2 * i + 1] << 32;
    if (l->loop < l->count &&
        om_automaton_accepts_lasso(o->a, o->ctx, labels, l->count, l->loop, &yes) != OM_OK)
        yes = false;
    free(labels);
    return yes;
}

/* Returns true if the checker (NULL: those that the planner chooses) accepted the automaton. */
static bool check(
    oracle *o, const char *how, const om_plan_options *options, const om_checker *checker)
{
    om_check_result r = { 0 };
    om_context_clear(o->ctx);
    int rc = run(o, options, &r);
    bool refused = rc == OM_EUSAGE && checker != NULL && !checks_all(checker);
    if (refused)
        o->refused++;
    else if (rc != OM_OK)
        disagree(o, "the check failed", how);
    else if (r.verdict != (o->word ? OM_VIOLATED : OM_HOLDS))
        disagree(o, "another verdict", how);
    else if (o->word && (!r.has_lasso || (o->model == NULL && !shown(o, &r.lasso))))
        disagree(o, "the word is not accepted", how);
    om_check_result_free(&r);
    o->checks += !refused;
    return !refused;
}

static void check_threads(oracle *o, unsigned threads)
{
    char how[64];
    om_plan_options options = { .device = "none", .threads = threads, .seed = o->number % 3 };
    options.exec = OM_EXEC_VM;
    for (int s = OM_SCHEDULE_CONCURRENT; s <= OM_SCHEDULE_SEQUENTIAL; s++) {
        options.schedule = (om_schedule) s;
        (void) snprintf(how, sizeof how, "parts %s, %u threads",
            s == OM_SCHEDULE_SEQUENTIAL ? "in turn" : "side by side", threads);
        (void) check(o, how, &options, NULL);
    }
    for (size_t i = 0; i < o->checkers.count; i++) {
        options.checker = o->checkers.at[i]->head.name;
        (void) snprintf(how, sizeof how, "%s, %u threads", options.checker, threads);
        o->checked[i] += check(o, how, &options, o->checkers.at[i]);
    }
}

/* ---- the simple searches ---- */

static bool condition_read(condition *to, const om_automaton *a)
{
    static const char ops[] = { [OM_ACC_FALSE] = 'f',
        [OM_ACC_TRUE] = 't',
        [OM_ACC_FIN] = 'F',
        [OM_ACC_INF] = 'I',
        [OM_ACC_AND] = '&',
        [OM_ACC_OR] = '|' };
    size_t length = 0;
    const om_acc *from = om_automaton_acceptance(a, &length);
    *to = (condition){ .sets = om_automaton_set_count(a), .length = length };
    if (length > CONDITION || to->sets > MOST_SETS)
        return false;
    for (size_t i = 0; i < length; i++) {
        to->at[i].op = ops[from[i].op];
        to->at[i].set = from[i].set;
    }
    return true;
}

static bool plainly_nonempty(const om_automaton *a, const condition *c)
{
    digraph g = { .n = om_automaton_state_count(a) };
    for (uint32_t q = 0; q < g.n; q++) {
        uint32_t count = 0;
        const om_edge *edges = om_automaton_edges(a, q, &count);
        for (uint32_t i = 0; i < count; i++)
            digraph_add(&g, q, edges[i].dst, (unsigned) edges[i].marks);
    }
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++)
        digraph_start(&g, om_automaton_initial(a, i));
    bool found = digraph_accepts(&g, c);
    digraph_free(&g);
    return found;
}

static void search_plainly(oracle *o)
{
    condition c;
    bool empty = false;
    if (!condition_read(&c, o->a))
        disagree(o, "the acceptance is too long", "the test");
    else if (plainly_nonempty(o->a, &c) != o->word)
        disagree(o, "another verdict", "the plain search of the tests");
    if (om_automaton_empty(o->a, o->ctx, &empty, NULL) != OM_OK || empty == o->word)
        disagree(o, "another verdict", "the search of the automaton alone");
}

/* ---- cases ---- */

static bool write_scratch(const oracle *o)
{
    FILE *f = fopen(o->scratch, "w");
    if (f == NULL)
        return false;
    bool ok = fwrite(o->text, 1, o->length, f) == o->length;
    return fclose(f) == 0 && ok;
}

static bool run_case(oracle *o)
{
    om_context_clear(o->ctx);
    o->wrong = false;
    if (om_hoa_read(&o->a, o->ctx, "case.hoa", o->text, o->length, 0) != OM_OK) {
        disagree(o, "the automaton is not read", "");
        return true;
    }
    o->words += o->word;
    bool ok = o->model == NULL || write_scratch(o);
    if (ok && o->model == NULL)
        search_plainly(o);
    for (unsigned threads = 1; ok && threads <= 4; threads *= 2)
        check_threads(o, threads);
    om_automaton_free(o->a);
    return ok;
}

/* Returns true if there are as many automata as verdicts. */
static bool run_cases(oracle *o, const char *automata, const char *verdicts)
{
    static const char end[] = "--END--\n";
    for (const char *at = strstr(automata, end); at != NULL; at = strstr(automata, end)) {
        o->text = automata;
        o->length = (size_t) (at - automata) + strlen(end);
        o->word = strncmp(verdicts, "word\n", 5) == 0;
        if (!o->word && strncmp(verdicts, "empty\n", 6) != 0)
            return false;
        verdicts = strchr(verdicts, '\n') + 1;
        if (!run_case(o))
            return false;
        automata += o->length;
        o->number++;
    }
    return *verdicts == '\0' && *automata == '\0' && o->number > 0;
}

static int set_up(oracle *o, int argc, char **argv, char **automata, char **verdicts)
{
    size_t length = 0;
    int rc = om_context_new(&o->ctx, NULL);
    if (rc == OM_OK)
        rc = om_registry_new(&o->registry, o->ctx);
    if (rc == OM_OK)
        rc = om_read_file(o->ctx, argv[1], MOST_INPUT, automata, &length);
    if (rc == OM_OK)
        rc = om_read_file(o->ctx, argv[2], MOST_INPUT, verdicts, &length);
    if (rc == OM_OK && argc == 5) {
        o->scratch = argv[4];
        rc = om_frontend_load(o->ctx, o->registry, NULL, argv[3], &o->frontend, &o->model);
    }
    if (rc == OM_OK)
        cpu_checkers_list(&o->checkers, o->registry);
    return rc;
}

static void report(const oracle *o)
{
#define N(x) ((unsigned long long) (x))
    (void) printf("automata %llu\nwords %llu\nchecks %llu\nrefused %llu\ndisagreements %llu\n",
        N(o->number), N(o->words), N(o->checks), N(o->refused), N(o->disagreements));
    for (size_t i = 0; i < o->checkers.count; i++)
        (void) printf("%s %llu\n", o->checkers.at[i]->head.name, N(o->checked[i]));
#undef N
}

int main(int argc, char **argv)
{
    oracle o = { 0 };
    char *automata = NULL, *verdicts = NULL;
    if (argc != 3 && argc != 5)
        return 2;
    bool ok = set_up(&o, argc, argv, &automata, &verdicts) == OM_OK;
    if (ok)
        ok = run_cases(&o, automata, verdicts);
    if (!ok)
        (void) fprintf(stderr, "case %llu: invalid input: %s\n", (unsigned long long) o.number,
            o.ctx == NULL ? "" : om_context_error(o.ctx));
    report(&o);
    if (o.ctx != NULL) {
        om_free(om_context_heap(o.ctx), automata);
        om_free(om_context_heap(o.ctx), verdicts);
    }
    om_model_free(o.model);
    om_registry_free(o.registry);
    om_context_free(o.ctx);
    return !ok ? 2 : o.disagreements > 0;
}
