/* SPDX-License-Identifier: Apache-2.0 */
/* Checks formulas about runs one after the other, the small ones first, in rounds that give each
 * formula more time than the round before. Each formula has a net reduced for it, unless only the
 * whole net can decide it. */
#include "base/progress.h"
#include "formulas.h"

#include <stdlib.h>
#include <string.h>

/* An unknown property and its target */
typedef struct open_runs {
    mcc_property *property;
    mcc_target target; /* model NULL: not made yet */
    om_text formula;   /* over the target's predicates */
    bool whole; /* uses the net as it was read, because runs of the reduced one are unusable */
} open_runs;

static int compare_sizes(const void *a, const void *b)
{
    const mcc_property *x = ((const open_runs *) a)->property;
    const mcc_property *y = ((const open_runs *) b)->property;
    const size_t m = mcc_formula_size(x->formula), n = mcc_formula_size(y->formula);
    return m < n ? -1 : m > n ? 1 : strcmp(x->id, y->id);
}

static void drop_target(mcc *m, open_runs *o)
{
    om_text_free(&o->formula);
    mcc_target_close(m, &o->target);
}

static int make_target(mcc *m, open_runs *o)
{
    const mcc_property *p = o->property;
    const om_reduce_keep keep =
        mcc_formula_counts_steps(p->formula) ? OM_REDUCE_STEPS : OM_REDUCE_RUNS;
    int rc = OM_OK;
    if (o->target.model != NULL)
        return OM_OK;
    drop_target(m, o);
    if (o->whole)
        mcc_target_all(m, &o->target);
    else
        rc = mcc_target_open(m, &o->target, keep, &p, 1);
    if (rc == OM_OK)
        rc = mcc_formula_put(m, &o->target, p->formula, &o->formula);
    return rc == OM_OK ? mcc_target_make_model(m, &o->target) : rc;
}

/* Converts a lasso. If it ends, it either stutters there or is a bad prefix (all of whose
 * continuations are counterexamples; so the run must be one, too, as it is). */
static om_firings firings_of(const om_lasso *l)
{
    om_firings f = { l->transitions, l->count, l->loop };
    size_t steps = 0;
    while (
        steps < l->count && l->transitions[steps] != OM_STUTTER && l->transitions[steps] != OM_NONE)
        steps++;
    if (steps < l->count || l->loop == OM_NO_LOOP) {
        f.loop = steps < l->count && l->transitions[steps] == OM_STUTTER ? steps : OM_FIRINGS_END;
        f.count = steps;
    }
    return f;
}

/* A violation on a reduced net counts if its run on the net itself is a counterexample. */
static int take_violation(mcc *m, open_runs *o, const om_check_result *r)
{
    om_firings run = { 0 };
    if (o->target.reduction == NULL) {
        mcc_target_answer(m, &o->target, o->property, 0);
        return OM_OK;
    }
    if (!r->has_lasso) {
        o->property->why_not =
            r->reason == NULL ? NULL : om_region_copy(&m->region, r->reason, strlen(r->reason));
        return OM_OK;
    }
    const om_firings found = firings_of(&r->lasso);
    int rc = mcc_target_run(m, &o->target, &found, &run);
    if (rc == OM_OK)
        rc = mcc_judge(m, o->property, &run, 0);
    om_free(m->c->heap, run.transitions);
    if (rc == OM_OK)
        mcc_target_answer(m, &o->target, o->property, 0);
    else if (rc == OM_ELIMIT)
        o->whole = true;
    return rc;
}

/* Checks one formula within a time slice. */
static int check_runs(mcc *m, open_runs *o, uint64_t slice_ns)
{
    om_plan *plan = NULL;
    om_check_result r = { 0 };
    cli_ticker ticker = { 0 };
    mcc_property *p = o->property;
    int rc = make_target(m, o);
    if (rc == OM_OK)
        rc = mcc_target_plan(m, &o->target, slice_ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "checking");
    if (rc == OM_OK)
        rc = om_plan_check(plan, OM_PROPERTY_LTL, o->formula.text, &r);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK && r.verdict == OM_UNKNOWN && mcc_is_interrupted(plan))
        rc = OM_ESTOP;
    if (rc == OM_OK && r.verdict == OM_UNKNOWN && r.reason != NULL)
        p->why_not = om_region_copy(&m->region, r.reason, strlen(r.reason));
    else if (rc == OM_OK && r.verdict == OM_HOLDS)
        mcc_target_answer(m, &o->target, p, 1);
    else if (rc == OM_OK && r.verdict == OM_VIOLATED)
        rc = take_violation(m, o, &r);
    if (mcc_leaves_unknown(m, rc, &p->why_not))
        rc = OM_OK;
    om_check_result_free(&r);
    om_plan_free(plan);
    if (p->known || o->whole)
        drop_target(m, o);
    return rc;
}

/* Returns the time slice of each of n formulas in a round. */
static uint64_t slice(const mcc *m, unsigned round, size_t n)
{
    static const unsigned parts[] = { 32, 6, 2, 1 };
    return mcc_left_ns(m) / parts[round] / n + 1;
}

/* Checks all open formulas once and removes those decided; *count: number left. */
static int check_round(mcc *m, open_runs *open, size_t *count, unsigned round, bool last)
{
    const uint64_t least_ns = 20000000; /* minimum time left to start anything */
    const size_t all = *count;
    size_t kept = 0;
    int rc = OM_OK;
    for (size_t i = 0; i < all; i++) {
        const uint64_t each = slice(m, round, last ? all - i : all);
        if (rc == OM_OK && mcc_left_ns(m) > least_ns)
            rc = check_runs(m, &open[i], each);
        if (open[i].property->known)
            continue;
        const open_runs still = open[i];
        open[i] = open[kept];
        open[kept++] = still;
    }
    *count = kept;
    return rc;
}

/* Simplifies the formulas by what the state equation proves of their predicates. */
static int simplify_all(mcc *m, open_runs *open, size_t *count)
{
    enum { PART = 16 };
    size_t kept = 0;
    int rc = OM_OK;
    for (size_t i = 0; i < *count; i++) {
        bool simpler = false;
        if (rc == OM_OK)
            rc = mcc_simplify(m, open[i].property, mcc_left_ns(m) / PART / *count, &simpler);
        if (simpler)
            drop_target(m, &open[i]);
        if (open[i].property->known)
            continue;
        const open_runs still = open[i];
        open[i] = open[kept];
        open[kept++] = still;
    }
    *count = kept;
    return rc;
}

int mcc_check_runs(mcc *m)
{
    enum { ROUNDS = 4 };
    open_runs *open = om_region_take(&m->region, m->count + 1, sizeof *open);
    size_t all = 0;
    int rc = open == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    for (size_t i = 0; i < m->count && rc == OM_OK; i++)
        if (!m->properties[i].known && m->properties[i].question == MCC_RUNS)
            open[all++] =
                (open_runs){ .property = &m->properties[i], .formula = { .heap = m->c->heap } };
    if (all != 0)
        qsort(open, all, sizeof *open, compare_sizes);
    size_t count = all;
    for (unsigned round = 0; round < ROUNDS && rc == OM_OK; round++) {
        rc = check_round(m, open, &count, round, round + 1 == ROUNDS);
        if (rc == OM_OK && round == 0)
            rc = simplify_all(m, open, &count);
    }
    for (size_t i = 0; i < all; i++)
        drop_target(m, &open[i]);
    return rc;
}
