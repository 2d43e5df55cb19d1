/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks, and liveness, which a deadlock refutes. */
#include "base/progress.h"
#include "net_target.h"
#include "equation/state_equation.h"

#include <string.h>

/* The search for a deadlock, or for an answer that one implies */
typedef struct stuck {
    om_wide answer;    /* of the only property, if there is a deadlock */
    bool decides;      /* the opposite is the answer if there is none */
    mcc_target target; /* reduced for deadlocks; net NULL: not made yet */
    bool asked;        /* the state equation has been asked, and a deadlock seems possible */
    unsigned searches;
} stuck;

/* A dead marking of the reduced net stands for one of the net. found: a run to it. */
static int take_stuck(mcc *m, const stuck *s, om_firings found, bool walked)
{
    om_firings run = { 0 };
    mcc_property *p = m->properties;
    found.loop = found.count;
    int rc = mcc_target_run(m, &s->target, &found, &run);
    if (rc == OM_OK)
        rc = mcc_judge(m, p, &run, 0);
    om_free(m->c->heap, run.transitions);
    if (rc == OM_OK && walked)
        mcc_target_walked(m, &s->target, p, s->answer);
    else if (rc == OM_OK)
        mcc_target_answer(m, &s->target, p, s->answer);
    return rc;
}

static int open_stuck(mcc *m, stuck *s)
{
    enum { REDUCING_PART = 4 };
    return s->target.net != NULL ? OM_OK
                                 : mcc_target_open(m, &s->target, OM_REDUCE_DEADLOCK, NULL, 0,
                                       mcc_left_ns(m) / REDUCING_PART);
}

/* Searches the reduced net for a deadlock, best first. */
static int seek_stuck(mcc *m, stuck *s, uint64_t ns)
{
    om_seek seek = { .deadlock = true, .stubborn = s->searches++ % 2 == 0 };
    int rc = open_stuck(m, s);
    if (rc == OM_OK)
        rc = mcc_seek(m, s->target.net, &seek, ns);
    if (rc == OM_OK && seek.proved && s->decides)
        mcc_target_proved(m, &s->target, m->properties, !s->answer);
    if (rc == OM_OK && seek.goal.met)
        rc = take_stuck(m, s, (om_firings){ seek.transitions, seek.transition_count, 0 }, true);
    om_free(m->c->heap, seek.transitions);
    return rc;
}

static int walk_stuck(mcc *m, void *self, uint64_t ns, bool *out)
{
    enum { WALK_PART = 2 };
    stuck *s = self;
    *out = false;
    int rc = mcc_walk_stuck(m, ns / WALK_PART + 1, s->answer);
    if (rc == OM_OK && !m->properties[0].known)
        rc = seek_stuck(m, s, ns / WALK_PART + 1);
    return mcc_leaves_unknown(m, rc, &m->properties[0].why_not) ? OM_OK : rc;
}

/* Answers that there is no deadlock if the state equation proves that. */
static int refute_deadlock(mcc *m, stuck *s, uint64_t ns)
{
    const om_net *net = s->target.net;
    mcc_equation_figures figures = { .cut = false };
    bool impossible = false;
    const om_predicate *some = om_predicate_fireable(&m->region, net, 0, net->transition_count);
    const om_predicate *none =
        some == NULL ? NULL
                     : om_predicate_bounded(&m->region, om_predicate_not(&m->region, some), net);
    if (none == NULL)
        return om_fail_memory(m->c->ctx);
    const int rc = mcc_impossible(net, none, om_clock_ns() + ns, &impossible, &figures);
    s->asked = !figures.cut;
    if (rc == OM_OK && impossible)
        mcc_answer(m, m->properties, !s->answer, MCC_EQUATION);
    return rc;
}

static int take_deadlock(mcc *m, const stuck *s, const om_check_result *r)
{
    om_firings found = { r->lasso.transitions, 0, 0 };
    if (s->target.reduction == NULL || r->verdict != OM_VIOLATED || !r->has_lasso) {
        mcc_target_answer(m, &s->target, m->properties, r->verdict == OM_VIOLATED);
        return OM_OK;
    }
    while (found.count < r->lasso.count && found.transitions[found.count] != OM_NONE)
        found.count++;
    return take_stuck(m, s, found, false);
}

static int check_deadlock(mcc *m, stuck *s, uint64_t ns, bool *out)
{
    om_plan *plan = NULL;
    om_check_result r = { 0 };
    cli_ticker ticker = { 0 };
    mcc_property *p = m->properties;
    const uint64_t began = om_clock_ns();
    int rc = s->target.model != NULL ? OM_OK : mcc_target_make_model(m, &s->target);
    if (rc == OM_OK)
        rc = mcc_target_plan(m, &s->target, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "checking");
    if (rc == OM_OK)
        rc = om_plan_check(plan, OM_PROPERTY_DEADLOCK, NULL, &r);
    cli_ticker_stop(&ticker);
    *out = om_clock_ns() - began < ns;
    if (rc == OM_OK && r.verdict != OM_UNKNOWN)
        rc = take_deadlock(m, s, &r);
    else if (rc == OM_OK && r.reason != NULL)
        p->why_not = om_region_copy(&m->region, r.reason, strlen(r.reason));
    if (plan != NULL && mcc_is_interrupted(plan))
        rc = OM_ESTOP;
    om_check_result_free(&r);
    om_plan_free(plan);
    return rc;
}

static int explore_deadlock(mcc *m, void *self, uint64_t ns, bool *out)
{
    enum { EQUATION_PART = 3 };
    stuck *s = self;
    int rc = open_stuck(m, s);
    if (rc == OM_OK)
        rc = check_deadlock(m, s, ns - ns / EQUATION_PART, out);
    if (mcc_leaves_unknown(m, rc, &m->properties[0].why_not))
        rc = OM_OK;
    if (rc == OM_OK && !m->properties[0].known && !s->asked)
        rc = refute_deadlock(m, s, ns / EQUATION_PART + 1);
    return mcc_leaves_unknown(m, rc, &m->properties[0].why_not) ? OM_OK : rc;
}

int mcc_deadlock(mcc *m)
{
    stuck s = { .answer = 1, .decides = true };
    const int rc = mcc_alternate(m, &s, walk_stuck, explore_deadlock);
    mcc_target_close(m, &s.target);
    return rc;
}

/* ---- liveness ---- */

int mcc_decide_dead(mcc *m)
{
    const om_net *net = m->net;
    for (uint32_t n = 0; n < net->transition_node_count; n++) {
        const om_net_node *node = &net->transition_nodes[n];
        const om_predicate *some = om_predicate_bounded(
            &m->region, om_predicate_fireable(&m->region, net, node->first, node->count), net);
        if (some == NULL)
            return om_fail_memory(m->c->ctx);
        if (some->kind != OM_PREDICATE_FALSE)
            continue;
        mcc_answer(m, m->properties, 0, "TOPOLOGICAL");
        return OM_OK;
    }
    return OM_OK;
}

/* Computes the components of the state graph, within a time limit. */
static int explore_live(mcc *m, void *self, uint64_t ns, bool *out)
{
    const uint64_t began = om_clock_ns();
    mcc_property *p = m->properties;
    om_plan *plan = NULL;
    om_exploration e = { 0 };
    mcc_target all;
    cli_ticker ticker = { 0 };
    bool live = false;
    (void) self;
    mcc_target_all(m, &all);
    uint32_t *kind =
        om_region_take(&m->region, (size_t) m->net->transition_count + 1, sizeof *kind);
    for (uint32_t t = 0; kind != NULL && t < m->net->transition_count; t++)
        kind[t] = m->net->transitions[t].node;
    int rc = kind == NULL ? om_fail_memory(m->c->ctx) : mcc_target_make_model(m, &all);
    if (rc == OM_OK)
        rc = mcc_target_plan(m, &all, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_live(plan, kind, m->net->transition_node_count, &live, &e);
    cli_ticker_stop(&ticker);
    *out = om_clock_ns() - began < ns;
    if (plan != NULL && mcc_is_interrupted(plan))
        rc = OM_ESTOP;
    om_free(m->c->heap, e.fault_vector);
    om_plan_free(plan);
    if (rc == OM_OK)
        mcc_target_answer(m, &all, p, live);
    mcc_target_close(m, &all);
    return mcc_leaves_unknown(m, rc, &p->why_not) ? OM_OK : rc;
}

static int alternate_live(mcc *m, void *self)
{
    return mcc_alternate(m, self, walk_stuck, explore_live);
}

/* Decides whether, from each reachable marking, some binding of each transition can still fire. A
 * transition that can never fire, or a deadlock, refutes it sooner. */
int mcc_liveness(mcc *m)
{
    enum { WHOLE_PART = 2 };
    stuck s = { .answer = m->net->transition_node_count == 0 };
    int rc = mcc_decide_dead(m);
    if (rc == OM_OK && !m->properties[0].known)
        rc = mcc_with_part(m, WHOLE_PART, alternate_live, &s);
    if (rc == OM_OK && !m->properties[0].known)
        rc = mcc_refute_by_nodes(m);
    if (rc == OM_OK && !m->properties[0].known)
        rc = alternate_live(m, &s);
    mcc_target_close(m, &s.target);
    return rc;
}
