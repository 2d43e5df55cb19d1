/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness of an automaton by itself. The checkers search its product with a model of one state
 * that repeats for ever; all labels of the automaton are replaced by true.
 */
#include "verdict/verdict.h"

#include "supervise.h"

#include <string.h>

static void loop_initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    *vector = 0;
}

static int loop_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    (void) x;
    (void) vector;
    out->fault = 0;
    if (om_successors_reserve(out, out->count + 1, 1) != OM_OK)
        return OM_ENOMEM;
    out->words[out->count * out->stride] = 0;
    out->transition[out->count++] = 0;
    return OM_OK;
}

static uint64_t loop_labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x;
    (void) vector;
    *fault = 0;
    return 0;
}

static void loop_close(om_executor *x)
{
    (void) x;
}

/* Replaces all labels of an attempt's automaton by true. The strengths stay those of the part. */
static int free_labels(const om_plan *p, om_attempt *t)
{
    static const om_cube any = { 0, 0 };
    const om_automaton *a = t->automaton;
    om_automaton *now = NULL;
    size_t length;
    uint32_t first;
    const om_acc *acceptance = om_automaton_acceptance(a, &length);
    int rc = om_automaton_new(&now, p->ctx, 0, NULL);

    if (rc == OM_OK)
        rc = om_automaton_add_states(now, om_automaton_state_count(a), &first);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(now, om_automaton_set_count(a), acceptance, length);
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_initial_count(a); i++)
        rc = om_automaton_add_initial(now, om_automaton_initial(a, i));
    for (uint32_t q = 0; rc == OM_OK && q < om_automaton_state_count(a); q++) {
        uint32_t count;
        const om_edge *edges = om_automaton_edges(a, q, &count);
        for (uint32_t i = 0; rc == OM_OK && i < count; i++)
            rc = om_automaton_add_edge(now, q, edges[i].dst, edges[i].marks, &any, 1);
    }
    if (rc == OM_OK)
        rc = om_automaton_finish(now);
    if (rc != OM_OK) {
        om_automaton_free(now);
        return rc;
    }
    om_automaton_free(t->owned);
    t->automaton = t->owned = now;
    return OM_OK;
}

/* Converts the word to a lasso whose states are labels of two words each. */
static int to_lasso(const om_plan *p, const om_word *word, om_lasso *out)
{
    om_lasso l = { .heap = p->heap, .words = 2, .count = word->n, .loop = word->loop };
    l.vectors = om_alloc(p->heap, word->n, 2 * sizeof *l.vectors);
    l.transitions = om_alloc(p->heap, word->n, sizeof *l.transitions);
    if (l.vectors == NULL || l.transitions == NULL) {
        om_lasso_free(&l);
        return om_fail_memory(p->ctx);
    }
    for (size_t i = 0; i < word->n; i++) {
        l.vectors[2 * i] = (uint32_t) word->labels[i];
        l.vectors[2 * i + 1] = (uint32_t) (word->labels[i] >> 32);
    }
    *out = l;
    return OM_OK;
}

/* Finds a word that the automaton accepts, by the sequential search, and verifies that it is
 * accepted. */
static int certify(om_check *c, const om_automaton *a)
{
    const om_plan *p = c->plan;
    om_check_result *out = c->result;
    om_word word = { 0 };
    bool empty = true, accepted = false;
    int rc = om_automaton_empty(a, p->ctx, &empty, &word);
    if (rc == OM_OK && !empty)
        rc = om_automaton_accepts_lasso(a, p->ctx, word.labels, word.n, word.loop, &accepted);
    if (rc == OM_OK && !accepted)
        rc = om_fail(p->ctx, OM_EINTERNAL, NULL,
            "a checker says that the automaton is not empty, but no accepted word is found");
    if (rc == OM_OK)
        rc = to_lasso(p, &word, &out->lasso);
    out->has_lasso = rc == OM_OK;
    om_free(p->heap, word.labels);
    return rc;
}

static int run(om_check *c, om_try *try, const om_automaton *a)
{
    om_attempt *violated = NULL, *faulty = NULL;
    int rc = om_try__make_parts(try, a);
    for (size_t i = 0; rc == OM_OK && i < try->part_count; i++)
        rc = free_labels(c->plan, &try->parts[i].cpu);
    if (rc == OM_ELIMIT || rc == OM_ESTOP)
        return om_check__unknown(c, om_plan__why(c->plan));
    if (rc == OM_OK) {
        om_try__run(try);
        rc = om_check__sum(c, try, &violated, &faulty);
    }
    if (rc == OM_OK && violated != NULL) {
        /* The word is found in the automaton itself, so the states stored by the checkers can be
         * freed. */
        om_plan__after(c->plan);
        om_try__drop_tasks(try, NULL);
        rc = om_check__unless_refereed(c, certify(c, a), c->plan->ctx);
    }
    return rc == OM_OK ? om_check__take_parts(c, try) : rc;
}

int om_plan_empty(om_plan *p, const om_automaton *a, om_check_result *out)
{
    const om_executor x = { .size = sizeof(om_executor),
        .name = "loop",
        .words = 1,
        .initial = loop_initial,
        .append = loop_append,
        .labels = loop_labels,
        .close = loop_close };
    om_check_result r = { .heap = p->heap };
    om_check c = { .plan = p, .options = &p->options, .result = &r };
    om_try try;
    const char *name = om_automaton_name(a);
    int rc;

    *out = (om_check_result){ 0 };
    r.property = om_strdup(p->heap, *name == '\0' ? "empty" : name);
    rc = r.property == NULL ? om_fail_memory(p->ctx) : om_plan__begin(p, &p->options, true);
    if (rc == OM_OK) {
        om_try__init(&try, p, &p->options, NULL);
        try.spec.product.executor = &x;
        rc = run(&c, &try, a);
        om_try__free(&try);
        r.seconds = om_plan__seconds(p);
        om_plan__end(p);
    }
    if (rc != OM_OK) {
        om_check_result_free(&r);
        return rc;
    }
    *out = r;
    return OM_OK;
}
