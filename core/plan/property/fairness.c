/* SPDX-License-Identifier: Apache-2.0 */
/* Reads assumptions, and converts them to acceptance sets: fairness.h. */
#include "fairness.h"

#include "formula.h"
#include "target.h"

#include <assert.h>
#include <string.h>

bool om_fair__asked(const om_plan_options *o)
{
    return o->fairness != OM_FAIRNESS_NONE || o->fair_count != 0;
}

void om_fair__free(const om_plan *p, om_assumed *a)
{
    om_ltl_free(a->ltl);
    om_text_free(&a->rest);
    OM_FREE_ALL(
        p->heap, a->ltl_aps, a->clauses, a->process, a->exprs, a->marked.acc, a->unmarked.acc);
    *a = (om_assumed){ 0 };
}

/* ---- formulas ---- */

static int read_formula(om_plan *p, om_assumed *a, const char *text)
{
    const uint32_t known = om_ltl_ap_count(a->ltl);
    om_ltl_ref f = 0;
    int rc = om_plan__parse_formula(p, a->ltl, "fairness assumption", text, strlen(text), &f);
    if (rc == OM_OK)
        rc = om_plan__read_ltl_aps(p, "fairness assumption", a->ltl, known, &a->ltl_aps);
    if (rc != OM_OK)
        return rc;
    a->formula = a->formula == 0 ? f : om_ltl_make(a->ltl, OM_LTL_AND, a->formula, f);
    return a->formula == 0 ? om_fail_memory(p->ctx) : om_fair__recognise(p, a, f);
}

static int read_formulas(om_plan *p, const om_plan_options *o, om_assumed *a)
{
    int rc = o->fair_count == 0 ? OM_OK : om_ltl_new(&a->ltl, p->ctx);
    for (size_t i = 0; rc == OM_OK && i < o->fair_count; i++)
        rc = read_formula(p, a, o->fair[i]);
    return rc;
}

/* ---- sets ---- */

/* Finds the processes that have a transition. */
static int find_processes(om_plan *p, om_assumed *a)
{
    const uint32_t n = om_model_process_count(p->model);
    bool *moves = om_alloc(p->heap, n, sizeof *moves);
    a->process = om_alloc(p->heap, n, sizeof *a->process);
    int rc = moves == NULL || a->process == NULL ? om_fail_memory(p->ctx) : OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < om_model_transition_count(p->model); i++) {
        const om_transition *t = om_model_transition(p->model, i);
        if (t->process < n)
            moves[t->process] = true;
        if (t->partner < n)
            moves[t->partner] = true;
    }
    for (uint32_t i = 0; rc == OM_OK && i < n; i++)
        if (moves[i])
            a->process[a->process_count++] = i;
    om_free(p->heap, moves);
    return rc;
}

/* Returns the index of an expression in `exprs`; appends it if it is absent. */
static uint32_t place_of(om_assumed *a, om_expr e)
{
    uint32_t k = 0;
    while (k < a->expr_count && a->exprs[k] != e)
        k++;
    assert(k < 2 * a->clause_count); /* F1 */
    if (k == a->expr_count)
        a->exprs[a->expr_count++] = e;
    return k;
}

static void put(om_fair_sets *to, om_acc_op op, uint32_t set)
{
    assert((op != OM_ACC_INF && op != OM_ACC_FIN) || set < to->count); /* F1 */
    to->acc[to->acc_length++] = (om_acc){ (uint8_t) op, (uint8_t) set };
}

/* Joins the clause that was just added to those before it. */
static void conjoin(om_fair_sets *to, size_t before)
{
    if (before != 0)
        put(to, OM_ACC_AND, 0);
}

static void put_processes(const om_assumed *a, om_fair_sets *to)
{
    for (uint32_t i = 0; i < a->process_count; i++) {
        const size_t before = to->acc_length;
        if (a->processes == OM_FAIRNESS_WEAK)
            put(to, OM_ACC_INF, i);
        else {
            put(to, OM_ACC_FIN, 2 * i);
            put(to, OM_ACC_INF, 2 * i + 1);
            put(to, OM_ACC_OR, 0);
        }
        conjoin(to, before);
    }
}

static void put_clauses(om_assumed *a, om_fair_sets *to)
{
    for (size_t i = 0; i < a->clause_count; i++) {
        const om_fair_clause *c = &a->clauses[i];
        const size_t before = to->acc_length;
        if (c->fin != 0)
            put(to, OM_ACC_FIN, to->processes + place_of(a, c->fin));
        if (c->inf != 0)
            put(to, OM_ACC_INF, to->processes + place_of(a, c->inf));
        if (c->fin != 0 && c->inf != 0)
            put(to, OM_ACC_OR, 0);
        conjoin(to, before);
    }
}

/* Collects the expressions of the clauses. */
static void find_exprs(om_assumed *a)
{
    for (size_t i = 0; i < a->clause_count; i++) {
        if (a->clauses[i].fin != 0)
            (void) place_of(a, a->clauses[i].fin);
        if (a->clauses[i].inf != 0)
            (void) place_of(a, a->clauses[i].inf);
    }
}

enum { MOST_SETS = 64 };

/* Writes the formula over the sets, if there are not too many sets. */
static int put_formula(const om_plan *p, om_assumed *a, om_fair_sets *to)
{
    enum { PER_CLAUSE = 4 }; /* two literals and two operators */
    to->count = to->processes + a->expr_count;
    if (to->count > MOST_SETS)
        return OM_OK;
    if (!OM_NEW(p->heap, to->acc, PER_CLAUSE * (a->process_count + a->clause_count) + 1))
        return om_fail_memory(p->ctx);
    if (!to->unmarked)
        put_processes(a, to);
    put_clauses(a, to);
    if (to->acc_length == 0)
        put(to, OM_ACC_TRUE, 0);
    assert(to->acc_length <= PER_CLAUSE * (a->process_count + a->clause_count) + 1);
    return OM_OK;
}

static int make_sets(om_plan *p, om_assumed *a)
{
    int rc = a->processes == OM_FAIRNESS_NONE ? OM_OK : find_processes(p, a);
    if (rc != OM_OK)
        return rc;
    a->marked.processes = a->process_count * (a->processes == OM_FAIRNESS_STRONG ? 2 : 1);
    a->unmarked.unmarked = a->process_count != 0;
    if (!OM_NEW(p->heap, a->exprs, 2 * a->clause_count + 1))
        return om_fail_memory(p->ctx);
    find_exprs(a);
    if (a->expr_count > MOST_SETS)
        return om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
            "the fairness formulas need %u acceptance sets: the limit is %d", a->expr_count,
            MOST_SETS);
    rc = put_formula(p, a, &a->marked);
    return rc == OM_OK ? put_formula(p, a, &a->unmarked) : rc;
}

int om_fair__read(om_plan *p, const om_plan_options *o, om_assumed *a)
{
    a->processes = o->fairness;
    a->rest.heap = p->heap;
    int rc = read_formulas(p, o, a);
    return rc == OM_OK ? make_sets(p, a) : rc;
}
