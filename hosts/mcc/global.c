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

static int walk_fired(mcc *m, void *self, uint64_t ns, bool *out)
{
    waiting *w = self;
    *out = false;
    int rc = w->left == 0 ? OM_OK : mcc_walk_fired(m, ns, w, w->enough);
    if (rc == OM_OK)
        conclude(m, w, false, MCC_WALK);
    return rc;
}

static int survey_fired(mcc *m, void *self, uint64_t ns, bool *out)
{
    waiting *w = self;
    om_exploration e;
    const uint64_t began = om_clock_ns();
    uint8_t *fired =
        om_region_take(&m->region, (size_t) m->net->transition_count + 1, sizeof *fired);
    om_survey survey = { .fired = fired, .enough = w->enough, .self = w };
    int rc = fired == NULL ? om_fail_memory(m->c->ctx) : explore(m, ns, &survey, &e);
    *out = om_clock_ns() - began < ns;
    if (rc == OM_OK)
        conclude(m, w, true, MCC_EXPLICIT);
    return mcc_leaves_unknown(m, rc, &m->properties[0].why_not) ? OM_OK : rc;
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

static bool has_resets(const om_net *net)
{
    uint32_t t = 0;
    while (t < net->transition_count && net->transitions[t].reset_count == 0)
        t++;
    return t < net->transition_count;
}

enum {
    WHOLE_PART = 3,  /* of the time, for walks and explorations of the whole net, before nodes */
    MOST_NODES = 256 /* that are asked for: more of them would have too little time each */
};

static int alternate_fired(mcc *m, void *self)
{
    return mcc_alternate(m, self, walk_fired, survey_fired);
}

/* The whole net; then nodes that were not seen; then the whole net again, unless the nodes have
 * used the time. */
static int decide_nodes(mcc *m, waiting *w, const mcc_node_question *q)
{
    int rc = mcc_with_part(m, WHOLE_PART, alternate_fired, w);
    if (rc == OM_OK && !m->properties[0].known && w->left <= MOST_NODES)
        rc = mcc_ask_nodes(m, q);
    return rc == OM_OK && !m->properties[0].known ? alternate_fired(m, w) : rc;
}

/* Decides whether some place always has its initial number of tokens. */
int mcc_stable_marking(mcc *m)
{
    waiting all, w;
    if (!make_waiting(m, &all) || !make_waiting(m, &w))
        return om_fail_memory(m->c->ctx);
    for (uint32_t t = 0; t < m->net->transition_count; t++)
        (void) take_changed(&all, t);
    if (all.left != 0 && !has_resets(m->net)) {
        mcc_answer(m, m->properties, 1, "TOPOLOGICAL");
        return OM_OK;
    }
    const mcc_node_question q = { .seen = w.seen,
        .count = m->net->place_node_count,
        .make = mcc_node_is_stable,
        .decisive = 1,
        .answer = 1,
        .otherwise = true };
    /* Whether a firing that resets a place changes it depends on the marking. So each place is
     * asked for from the beginning. */
    return has_resets(m->net) ? mcc_ask_nodes(m, &q) : decide_nodes(m, &w, &q);
}

/* ---- transitions that never fire ---- */

static mcc_node_question ask_fired(const waiting *w, bool otherwise)
{
    return (mcc_node_question){ .seen = w->seen,
        .count = w->net->transition_node_count,
        .make = mcc_node_fires,
        .otherwise = otherwise };
}

static bool make_unfired(mcc *m, waiting *w)
{
    const uint32_t nodes = m->net->transition_node_count;
    *w = (waiting){ .net = m->net,
        .left = nodes,
        .seen = om_region_take(&m->region, (size_t) nodes + 1, sizeof *w->seen),
        .enough = take_fired,
        .all_seen = 1 };
    return w->seen != NULL;
}

/* Decides whether some binding of each transition can fire at some time. */
int mcc_quasi_liveness(mcc *m)
{
    waiting w;
    const int rc = make_unfired(m, &w) ? mcc_decide_dead(m) : om_fail_memory(m->c->ctx);
    const mcc_node_question q = ask_fired(&w, true);
    return rc == OM_OK && !m->properties[0].known ? decide_nodes(m, &w, &q) : rc;
}

int mcc_refute_by_nodes(mcc *m)
{
    enum { WALK_PART = 8 };
    waiting w;
    if (!make_unfired(m, &w))
        return om_fail_memory(m->c->ctx);
    int rc =
        w.left == 0 ? OM_OK : mcc_walk_fired(m, mcc_left_ns(m) / WALK_PART + 1, &w, take_fired);
    const mcc_node_question q = ask_fired(&w, false);
    return rc == OM_OK && w.left != 0 && w.left <= MOST_NODES ? mcc_ask_nodes(m, &q) : rc;
}
