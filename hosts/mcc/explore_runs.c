/* SPDX-License-Identifier: Apache-2.0 */
/* Checks formulas about runs one after the other, in rounds (rounds.h). Each formula has a net
 * reduced for it, unless only the whole net can decide it. */
#include "base/progress.h"
#include "formulas.h"
#include "rounds.h"

#include <string.h>

/* An unknown property and its target */
typedef struct open_runs {
    mcc_property *property;
    mcc_target target; /* model NULL: not made yet */
    om_text formula;   /* over the target's predicates */
    bool simplified;   /* the state equation has been asked about its predicates */
    bool whole; /* uses the net as it was read, because runs of the reduced one are unusable */
} open_runs;

static void drop_target(mcc *m, open_runs *o)
{
    om_text_free(&o->formula);
    mcc_target_close(m, &o->target);
}

/* Reduces the net for the formula. */
static int reduce(mcc *m, open_runs *o)
{
    enum { REDUCING_PART = 8 };
    const mcc_property *p = o->property;
    const om_reduce_keep keep =
        mcc_formula_counts_steps(p->formula) ? OM_REDUCE_STEPS : OM_REDUCE_RUNS;
    if (!o->whole)
        return mcc_target_open(m, &o->target, keep, &p, 1, mcc_left_ns(m) / REDUCING_PART);
    mcc_target_all(m, &o->target);
    return OM_OK;
}

/* Makes the target's model and the formula over its predicates. */
static int make_target(mcc *m, open_runs *o)
{
    int rc = OM_OK;
    if (o->target.model != NULL)
        return OM_OK;
    if (o->target.net == NULL)
        rc = reduce(m, o);
    om_text_free(&o->formula);
    if (rc == OM_OK)
        rc = mcc_formula_put(m, &o->target, o->property->formula, &o->formula);
    return rc == OM_OK ? mcc_target_make_model(m, &o->target) : rc;
}

/* Returns the size of the reduced net (of the net, if it is not reduced yet) with a small addition
 * for that of the formula. */
static size_t size_of(const mcc *m, const open_runs *o)
{
    const om_net *net = o->target.net == NULL ? m->net : o->target.net;
    return mcc_nodes(net) + mcc_formula_size(o->property->formula);
}

/* Returns true if reduced nets are kept only for as long as they are used. */
static bool is_large(const mcc *m)
{
    return mcc_nodes(m->net) >= MCC_LARGE_NODES;
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
        o->whole = true;
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

/* Returns true if a limit that stays the same ended the check. */
static bool ended_by_limit(om_plan *plan)
{
    const om_stop_reason reason =
        plan == NULL ? OM_STOP_NONE : om_control_stopped(om_plan_control(plan));
    return reason == OM_STOP_MEMORY || reason == OM_STOP_STATES;
}

/* Checks one formula within a time slice. Sets *spent if another check would not help. */
static int check_runs(mcc *m, open_runs *o, uint64_t slice_ns, bool *spent)
{
    om_plan *plan = NULL;
    om_check_result r = { 0 };
    cli_ticker ticker = { 0 };
    mcc_property *p = o->property;
    const uint64_t began = om_clock_ns();
    int rc = make_target(m, o);
    if (rc == OM_OK)
        rc = mcc_target_plan(m, &o->target, slice_ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "checking");
    if (rc == OM_OK)
        rc = om_plan_check(plan, OM_PROPERTY_LTL, o->formula.text, &r);
    cli_ticker_stop(&ticker);
    /* If a run of an unbounded net ended the check, another seed may avoid it. */
    const bool early =
        om_clock_ns() - began < slice_ns && (rc == OM_EUNSUPPORTED || rc == OM_EINPUT ||
                                                ended_by_limit(plan) || m->until_ns == UINT64_MAX);
    /* A predicate that is too large for a model leaves the formula unknown. */
    if (rc == OM_EINPUT)
        rc = OM_EUNSUPPORTED;
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
    /* The whole net has not been tried if `whole` is new. */
    *spent = early && !(o->whole && o->target.reduction != NULL);
    if (p->known || (o->whole && o->target.reduction != NULL))
        drop_target(m, o);
    return rc;
}

/* Simplifies the formula by what the state equation proves of its predicates. Then the net must be
 * reduced anew. */
static int simplify(mcc *m, mcc_turn *t, open_runs *o, uint64_t ns)
{
    bool simpler = false, cut = false;
    const int rc = mcc_simplify(m, o->property, ns, &simpler, &cut);
    o->simplified = !cut;
    if (!simpler)
        return rc;
    drop_target(m, o);
    t->spent = false;
    return rc;
}

/* The first turn comes before the state equation, because most formulas need no more time. */
static int take_turn(mcc *m, mcc_turn *t, uint64_t ns)
{
    enum { EQUATION_PART = 4 };
    open_runs *o = t->self;
    const uint64_t began = om_clock_ns();
    int rc = check_runs(m, o, o->simplified ? ns : ns - ns / EQUATION_PART, &t->spent);
    const uint64_t spent = om_clock_ns() - began;
    if (rc == OM_OK && !o->property->known && !o->simplified)
        rc = simplify(m, t, o, spent < ns ? ns - spent : 1);
    t->size = size_of(m, o);
    if (is_large(m))
        drop_target(m, o);
    t->weight = !o->property->known;
    return rc;
}

/* Reduces the net for each formula, as long as that takes little time, and fills the turns. */
static int make_turns(mcc *m, open_runs *open, size_t count, mcc_turn *turns)
{
    enum { REDUCING_PART = 8 };
    const uint64_t until = om_clock_ns() + mcc_left_ns(m) / REDUCING_PART;
    int rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        if (om_clock_ns() < until && !is_large(m))
            rc = reduce(m, &open[i]);
        turns[i] = (mcc_turn){ .self = &open[i], .size = size_of(m, &open[i]), .weight = 1 };
    }
    return rc;
}

int mcc_check_runs(mcc *m)
{
    open_runs *open = om_region_take(&m->region, m->count + 1, sizeof *open);
    mcc_turn *turns = om_region_take(&m->region, m->count + 1, sizeof *turns);
    size_t count = 0;
    int rc = open == NULL || turns == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    for (size_t i = 0; i < m->count && rc == OM_OK; i++)
        if (!m->properties[i].known && m->properties[i].question == MCC_RUNS)
            open[count++] =
                (open_runs){ .property = &m->properties[i], .formula = { .heap = m->c->heap } };
    if (rc == OM_OK && count != 0)
        rc = make_turns(m, open, count, turns);
    if (rc == OM_OK)
        rc = mcc_rounds(m, turns, count, mcc_nodes(m->net), take_turn);
    for (size_t i = 0; i < count; i++)
        drop_target(m, &open[i]);
    return rc;
}
