/* SPDX-License-Identifier: Apache-2.0 */
/* Examinations about the net as a whole. They refer to the nodes of the file: a coloured place has
 * the tokens of all its colours, and a coloured transition fires if some binding does. */
#include "base/progress.h"
#include "net_target.h"

#include <assert.h>
#include <string.h>

/* ---- by exploration ---- */

/* Explores all states, or as many as the survey needs. */
static int explore(mcc *m, uint64_t ns, om_survey *survey, om_exploration *e)
{
    om_plan *plan = NULL;
    mcc_target all;
    cli_ticker ticker = { 0 };
    *e = (om_exploration){ 0 };
    mcc_target_all(m, &all);
    int rc = mcc_target_make_model(m, &all);
    if (rc == OM_OK)
        rc = mcc_target_plan(m, &all, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_ask(plan, survey, e);
    cli_ticker_stop(&ticker);
    if (plan != NULL && mcc_is_interrupted(plan))
        rc = OM_ESTOP;
    om_free(m->c->heap, e->fault_vector);
    om_plan_free(plan);
    mcc_target_close(m, &all);
    return rc;
}

/* If a run was found that can be pumped (core/net/analysis/pump.h), some place is unbounded, and so
 * is each of the figures. */
int mcc_state_space(mcc *m)
{
    om_exploration e;
    om_wide largest_sum = 0, largest = 0;
    assert(m->count == 4); /* A5 */
    om_value *most = om_region_take(&m->region, (size_t) m->net->place_count + 1, sizeof *most);
    om_survey survey = { .most = most, .largest_sum = &largest_sum };
    int rc = most == NULL ? om_fail_memory(m->c->ctx) : explore(m, UINT64_MAX, &survey, &e);
    if (rc == OM_ELIMIT && survey.endless) {
        om_context_clear(m->c->ctx);
        for (size_t i = 0; i < m->count; i++) {
            m->properties[i].endless = true;
            mcc_answer(m, &m->properties[i], 0, MCC_WALK);
        }
        return OM_OK;
    }
    if (mcc_leaves_unknown(m, rc, &m->properties[0].why_not)) {
        for (size_t i = 1; i < m->count; i++)
            m->properties[i].why_not = m->properties[0].why_not;
        return OM_OK;
    }
    if (rc != OM_OK)
        return rc;
    for (uint32_t p = 0; p < m->net->place_count; p++)
        largest = most[p] > largest ? most[p] : largest;
    mcc_answer(m, &m->properties[0], (om_wide) e.states, MCC_EXPLICIT);
    mcc_answer(m, &m->properties[1], (om_wide) e.transitions, MCC_EXPLICIT);
    mcc_answer(m, &m->properties[2], largest_sum, MCC_EXPLICIT);
    mcc_answer(m, &m->properties[3], largest, MCC_EXPLICIT);
    return OM_OK;
}

static int walk_stuck(mcc *m, void *self, uint64_t ns)
{
    return m->properties[0].known ? OM_OK : mcc_walk_stuck(m, ns, *(const om_wide *) self);
}

/* A dead marking of the reduced net stands for one of the net. */
static int take_deadlock(mcc *m, const mcc_target *t, mcc_property *p, const om_check_result *r)
{
    om_firings run = { 0 };
    if (t->reduction != NULL && r->verdict == OM_VIOLATED && r->has_lasso) {
        om_firings found = { r->lasso.transitions, 0, 0 };
        while (found.count < r->lasso.count && found.transitions[found.count] != OM_NONE)
            found.count++;
        found.loop = found.count;
        int rc = mcc_target_run(m, t, &found, &run);
        if (rc == OM_OK)
            rc = mcc_judge(m, p, &run, 0);
        om_free(m->c->heap, run.transitions);
        if (rc != OM_OK)
            return rc;
    }
    mcc_target_answer(m, t, p, r->verdict == OM_VIOLATED);
    return OM_OK;
}

static int check_deadlock(mcc *m, void *self, uint64_t ns)
{
    om_plan *plan = NULL;
    om_check_result r = { 0 };
    mcc_target target = { 0 };
    cli_ticker ticker = { 0 };
    mcc_property *p = m->properties;
    (void) self;
    if (p->known)
        return OM_OK;
    int rc = mcc_target_open(m, &target, OM_REDUCE_DEADLOCK, NULL, 0);
    if (rc == OM_OK)
        rc = mcc_target_make_model(m, &target);
    if (rc == OM_OK)
        rc = mcc_target_plan(m, &target, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "checking");
    if (rc == OM_OK)
        rc = om_plan_check(plan, OM_PROPERTY_DEADLOCK, NULL, &r);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK && r.verdict != OM_UNKNOWN)
        rc = take_deadlock(m, &target, p, &r);
    else if (rc == OM_OK && r.reason != NULL)
        p->why_not = om_region_copy(&m->region, r.reason, strlen(r.reason));
    if (mcc_leaves_unknown(m, rc, &p->why_not))
        rc = OM_OK;
    if (plan != NULL && mcc_is_interrupted(plan))
        rc = OM_ESTOP;
    om_check_result_free(&r);
    om_plan_free(plan);
    mcc_target_close(m, &target);
    return rc;
}

int mcc_deadlock(mcc *m)
{
    om_wide answer = 1;
    return mcc_alternate(m, &answer, walk_stuck, check_deadlock);
}

/* Decides whether every place has at most one token in all reachable markings. */
int mcc_one_safe(mcc *m)
{
    const om_net *net = m->net;
    om_net_sum s = { .heap = m->c->heap };
    const om_predicate **few = om_region_take(
        &m->region, (size_t) net->place_node_count + 1, sizeof(const om_predicate *));
    if (few == NULL)
        return om_fail_memory(m->c->ctx);
    for (uint32_t n = 0; n < net->place_node_count; n++) {
        s.count = 0;
        for (uint32_t i = 0; i < net->place_nodes[n].count; i++)
            om_net_sum_add(&s, net->place_nodes[n].first + i, -1);
        few[n] = om_predicate_linear(&m->region, &s, -1);
    }
    om_free(s.heap, s.terms);
    assert(m->count == 1); /* A5 */
    m->properties[0].question = MCC_ALWAYS;
    m->properties[0].predicate =
        om_predicate_join(&m->region, OM_PREDICATE_AND, few, net->place_node_count);
    if (m->properties[0].predicate == NULL)
        return om_fail_memory(m->c->ctx);
    int rc = mcc_decide_initially(m);
    return rc == OM_OK ? mcc_check_states(m) : rc;
}

/* ---- by the transitions that fire ---- */

/* Nodes that are not observed yet */
typedef struct waiting {
    const om_net *net;
    bool *seen;      /* [node] */
    uint32_t left;   /* Invariant G1: the number of nodes that were not seen */
    om_wide *change; /* [place node]; 0 between two calls */
    bool (*enough)(void *self, uint32_t transition);
    om_wide all_seen; /* answer if all nodes have been observed; otherwise its opposite */
} waiting;

static void see(waiting *w, uint32_t node)
{
    assert(w->left > 0 || w->seen[node]); /* G1 */
    w->left -= !w->seen[node];
    w->seen[node] = true;
}

static bool take_fired(void *self, uint32_t transition)
{
    waiting *w = self;
    see(w, w->net->transitions[transition].node);
    return w->left == 0;
}

/* Answers the only property if all nodes have been observed or the search is complete. */
static void conclude(mcc *m, const waiting *w, bool complete, const char *techniques)
{
    assert(m->count == 1); /* A5 */
    if (w->left == 0 || complete)
        mcc_answer(m, m->properties, w->left == 0 ? w->all_seen : !w->all_seen, techniques);
}

static int walk_fired(mcc *m, void *self, uint64_t ns)
{
    waiting *w = self;
    if (m->properties[0].known)
        return OM_OK;
    int rc = w->left == 0 ? OM_OK : mcc_walk_fired(m, ns, w, w->enough);
    if (rc == OM_OK)
        conclude(m, w, false, MCC_WALK);
    return rc;
}

static int survey_fired(mcc *m, void *self, uint64_t ns)
{
    waiting *w = self;
    om_exploration e;
    if (m->properties[0].known)
        return OM_OK;
    uint8_t *fired =
        om_region_take(&m->region, (size_t) m->net->transition_count + 1, sizeof *fired);
    om_survey survey = { .fired = fired, .enough = w->enough, .self = w };
    int rc = fired == NULL ? om_fail_memory(m->c->ctx) : explore(m, ns, &survey, &e);
    if (rc == OM_OK)
        conclude(m, w, true, MCC_EXPLICIT);
    return mcc_leaves_unknown(m, rc, &m->properties[0].why_not) ? OM_OK : rc;
}

/* Answers no if bounds of places show that no binding of some transition can ever fire. */
static int decide_dead(mcc *m)
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

/* Decides whether some binding of each transition can fire at some time. */
int mcc_quasi_liveness(mcc *m)
{
    const om_net *net = m->net;
    waiting w = { .net = net,
        .left = net->transition_node_count,
        .seen = om_region_take(&m->region, (size_t) net->transition_node_count + 1, sizeof *w.seen),
        .enough = take_fired,
        .all_seen = 1 };
    int rc = w.seen == NULL ? om_fail_memory(m->c->ctx) : decide_dead(m);
    return rc == OM_OK ? mcc_alternate(m, &w, walk_fired, survey_fired) : rc;
}

static void add_arcs(const waiting *w, const om_net_arc *arcs, uint32_t count, om_wide sign)
{
    for (uint32_t i = 0; i < count; i++)
        w->change[w->net->places[arcs[i].place].node] += sign * arcs[i].count;
}

static void see_changed(waiting *w, const om_net_arc *arcs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = w->net->places[arcs[i].place].node;
        if (w->change[node] != 0)
            see(w, node);
        w->change[node] = 0;
    }
}

/* Marks places as not stable if the transition changes their number of tokens, all colours
 * together. */
static bool take_changed(void *self, uint32_t transition)
{
    waiting *w = self;
    const om_net_transition *t = &w->net->transitions[transition];
    add_arcs(w, t->takes, t->take_count, -1);
    add_arcs(w, t->gives, t->give_count, 1);
    see_changed(w, t->takes, t->take_count);
    see_changed(w, t->gives, t->give_count);
    return w->left == 0;
}

static bool make_waiting(mcc *m, waiting *w)
{
    const size_t nodes = (size_t) m->net->place_node_count + 1;
    *w = (waiting){ .net = m->net,
        .left = m->net->place_node_count,
        .seen = om_region_take(&m->region, nodes, sizeof *w->seen),
        .change = om_region_take(&m->region, nodes, sizeof *w->change),
        .enough = take_changed };
    return w->seen != NULL && w->change != NULL;
}

/* ---- stable markings of nets with resets ---- */

/* Whether a firing that resets a place changes it depends on the marking. So each place becomes a
 * property of its own, and these properties share walks and an exploration. */
static mcc_property *ask_of_places(mcc *m)
{
    const om_net *net = m->net;
    mcc_property *list =
        om_region_take(&m->region, (size_t) net->place_node_count + 1, sizeof *list);
    om_net_sum s = { .heap = m->c->heap };
    for (uint32_t n = 0; list != NULL && n < net->place_node_count; n++) {
        const om_net_node *node = &net->place_nodes[n];
        const om_predicate *both[2] = { NULL, NULL };
        for (int sign = -1; sign <= 1; sign += 2) {
            om_wide initial = 0;
            s.count = 0;
            for (uint32_t i = node->first; i < node->first + node->count; i++) {
                om_net_sum_add(&s, i, sign);
                initial += net->places[i].initial;
            }
            both[sign > 0] = om_predicate_linear(&m->region, &s, sign * initial);
        }
        list[n] = (mcc_property){ .id = node->id,
            .question = MCC_ALWAYS,
            .predicate = om_predicate_join(&m->region, OM_PREDICATE_AND, both, 2) };
        if (list[n].predicate == NULL)
            list = NULL;
    }
    om_free(s.heap, s.terms);
    return list;
}

/* Answers the only property from the answers about the places. */
static void conclude_stable(mcc *m, mcc_property *asked, const mcc_property *places, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        all = all && places[i].known;
        asked->why_not = places[i].known ? asked->why_not : places[i].why_not;
        if (places[i].known && places[i].value != 0) {
            mcc_answer(m, asked, 1, places[i].techniques);
            return;
        }
    }
    if (all)
        mcc_answer(m, asked, 0, MCC_EXPLICIT);
}

static int stable_with_resets(mcc *m)
{
    mcc_property *const asked = m->properties, *const places = ask_of_places(m);
    const size_t count = m->count;
    if (places == NULL)
        return om_fail_memory(m->c->ctx);
    m->properties = places;
    m->count = m->net->place_node_count;
    m->silent = true;
    int rc = mcc_decide_initially(m);
    if (rc == OM_OK)
        rc = mcc_check_states(m);
    m->silent = false;
    m->properties = asked;
    m->count = count;
    if (rc == OM_OK)
        conclude_stable(m, asked, places, m->net->place_node_count);
    return rc;
}

static bool has_resets(const om_net *net)
{
    uint32_t t = 0;
    while (t < net->transition_count && net->transitions[t].reset_count == 0)
        t++;
    return t < net->transition_count;
}

/* Decides whether some place always has its initial number of tokens. */
int mcc_stable_marking(mcc *m)
{
    waiting all, w;
    if (has_resets(m->net))
        return stable_with_resets(m);
    if (!make_waiting(m, &all) || !make_waiting(m, &w))
        return om_fail_memory(m->c->ctx);
    for (uint32_t t = 0; t < m->net->transition_count; t++)
        (void) take_changed(&all, t);
    if (all.left != 0) {
        mcc_answer(m, m->properties, 1, "TOPOLOGICAL");
        return OM_OK;
    }
    return mcc_alternate(m, &w, walk_fired, survey_fired);
}

/* Computes the components of the state graph, within a time limit. */
static int explore_live(mcc *m, void *self, uint64_t ns)
{
    mcc_property *p = m->properties;
    om_plan *plan = NULL;
    om_exploration e = { 0 };
    mcc_target all;
    cli_ticker ticker = { 0 };
    bool live = false;
    (void) self;
    if (p->known)
        return OM_OK;
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
    if (plan != NULL && mcc_is_interrupted(plan))
        rc = OM_ESTOP;
    om_free(m->c->heap, e.fault_vector);
    om_plan_free(plan);
    if (rc == OM_OK)
        mcc_target_answer(m, &all, p, live);
    mcc_target_close(m, &all);
    return mcc_leaves_unknown(m, rc, &p->why_not) ? OM_OK : rc;
}

/* Decides whether, from each reachable marking, some binding of each transition can still fire. A
 * transition that can never fire, or a deadlock, refutes it sooner. */
int mcc_liveness(mcc *m)
{
    om_wide answer = m->net->transition_node_count == 0;
    int rc = decide_dead(m);
    return rc == OM_OK ? mcc_alternate(m, &answer, walk_stuck, explore_live) : rc;
}
