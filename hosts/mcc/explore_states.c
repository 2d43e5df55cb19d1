/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides properties of single markings. Each has a net reduced for it; properties whose nets are
 * equal share an exploration (a group). If there are several groups, one more explores a net that
 * is reduced for all properties together. Groups and walks take turns (rounds.h).
 *
 *  G1  A group's properties have nets that are equal to that of its target.
 *  G2  A group's queries are those of its members, in the same order, once its model exists.
 */
#include "asked.h"
#include "base/progress.h"
#include "rounds.h"

#include <assert.h>
#include <stdio.h>

enum {
    MOST_QUERIES = 64, /* of an exploration */
    REDUCING_PART = 4  /* part of the time that the first reductions may take */
};

typedef struct group {
    mcc_asked **members;
    om_query *queries; /* [member] */
    size_t count;
    mcc_target *target;
    bool joint;                  /* it has all properties, on a net reduced for all of them */
    bool explored;               /* an exploration cannot use more time */
    const struct group *covered; /* the joint group, if its net is hardly larger; or NULL */
    struct states *all;          /* if joint */
} group;

typedef struct states {
    mcc *m;
    mcc_asked *asked, *jointly; /* [open property]: on its own net, and on that for all */
    size_t count;
    mcc_target joint;
    group *groups; /* the joint one, if there is one, is the last */
    size_t group_count;
    bool large;
} states;

/* ---- explorations ---- */

/* Makes the model and the queries of the group. */
static int make_model(mcc *m, group *g)
{
    int rc = OM_OK;
    if (g->target->model != NULL)
        return OM_OK;
    for (size_t i = 0; i < g->count && rc == OM_OK; i++) {
        size_t at = 0;
        assert(mcc_target_is_same(g->target, g->members[i]->target)); /* G1 */
        if (mcc_asked_is_open(g->members[i]) && g->members[i]->wanted != NULL)
            rc = mcc_target_add(m, g->target, g->members[i]->wanted, &at);
    }
    return rc == OM_OK ? mcc_target_make_model(m, g->target) : rc;
}

/* Makes the query of an open member. */
static int make_query(mcc *m, group *g, mcc_asked *a, om_query *q)
{
    size_t at = 0;
    char name[24];
    *q = (om_query){ .terms = a->terms,
        .term_count = a->term_count,
        .enough = mcc_most(g->target->net, a->terms, a->term_count) };
    if (a->wanted == NULL)
        return OM_OK;
    int rc = mcc_target_add(m, g->target, a->wanted, &at);
    (void) snprintf(name, sizeof name, "p%zu", at);
    if (rc == OM_OK)
        rc = om_net_model_frontend()->expression(g->target->model, "AP", name, &q->expression);
    /* An expression that is too large for a model leaves the property unknown. */
    if (rc == OM_EINPUT)
        rc = OM_EUNSUPPORTED;
    a->unusable = mcc_leaves_unknown(m, rc, &a->property->why_not);
    return a->unusable ? OM_OK : rc;
}

/* Explores with these queries. Sets *out if time was not what ended the exploration. */
static int explore(mcc *m, group *g, om_query *queries, size_t count, uint64_t ns, bool *out)
{
    om_plan *plan = NULL;
    om_exploration e = { 0 };
    cli_ticker ticker = { 0 };
    om_survey survey = { .queries = queries, .query_count = count };
    const uint64_t began = om_clock_ns();
    int rc = mcc_target_plan(m, g->target, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_ask(plan, &survey, &e);
    cli_ticker_stop(&ticker);
    om_free(m->c->heap, e.fault_vector);
    *out = om_clock_ns() - began < ns;
    const bool stopped = plan != NULL && mcc_is_interrupted(plan);
    om_plan_free(plan);
    return stopped ? OM_ESTOP : rc;
}

static int take_answer(mcc *m, mcc_asked *a, const om_query *q)
{
    mcc_property *p = a->property;
    const om_firings found = { q->transitions, q->transition_count, OM_FIRINGS_END };
    assert(!p->known); /* Q1 */
    if (p->question == MCC_BOUND && q->value != INT64_MIN && p->seen < q->value + a->constant) {
        p->seen = q->value + a->constant;
        a->possible = false; /* a larger value may be impossible */
    }
    if (!q->decided)
        return OM_OK;
    if (p->question == MCC_BOUND || q->value != 0)
        return mcc_asked_show(m, a, &found, q->value + a->constant, false);
    mcc_target_answer(m, a->target, p, p->question == MCC_ALWAYS);
    return OM_OK;
}

/* Explores for at most MOST_QUERIES open members, from *next on, and advances it. */
static int explore_some(mcc *m, group *g, size_t *next, uint64_t ns, bool *out)
{
    size_t count = 0, of[MOST_QUERIES] = { 0 };
    const char *why = NULL;
    int rc = OM_OK;
    for (; *next < g->count && count < MOST_QUERIES && rc == OM_OK; (*next)++) {
        mcc_asked *a = g->members[*next];
        if (!mcc_asked_is_open(a))
            continue;
        rc = make_query(m, g, a, &g->queries[count]);
        of[count] = *next;
        count += rc == OM_OK && mcc_asked_is_open(a);
    }
    *out = true;
    if (rc != OM_OK || count == 0)
        return rc;
    rc = explore(m, g, g->queries, count, ns, out);
    if (mcc_leaves_unknown(m, rc, &why))
        rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        g->members[of[i]]->property->why_not = why;
        rc = take_answer(m, g->members[of[i]], &g->queries[i]);
    }
    for (size_t i = 0; i < count; i++)
        om_free(m->c->heap, g->queries[i].transitions);
    return rc;
}

static size_t count_open(const group *g)
{
    size_t open = 0;
    for (size_t i = 0; i < g->count; i++)
        open += mcc_asked_is_open(g->members[i]);
    return open;
}

static int explore_group(mcc *m, group *g, uint64_t ns)
{
    const uint64_t until = om_clock_ns() + ns, parts = (count_open(g) - 1) / MOST_QUERIES + 1;
    bool all = true;
    int rc = make_model(m, g);
    for (size_t next = 0; next < g->count && rc == OM_OK;) {
        const uint64_t now = om_clock_ns();
        bool out = false;
        rc = explore_some(m, g, &next, now < until ? (until - now) / parts + 1 : 1, &out); /* A4 */
        all = all && out;
    }
    g->explored = rc == OM_OK && all;
    for (size_t i = 0; i < g->count; i++)
        if (mcc_leaves_unknown(m, rc, &g->members[i]->property->why_not)) {
            g->explored = rc != OM_ELIMIT;
            rc = OM_OK;
        }
    return rc;
}

/* ---- turns ---- */

static int renew_joint(states *s, group *g);

/* Returns true if the group's exploration is left to the joint one. */
static bool is_covered(const group *g)
{
    return g->covered != NULL && !g->covered->explored;
}

/* Returns the weight of a turn: an exploration counts as much as all else together. */
static size_t weight_of(const group *g)
{
    return count_open(g) * (is_covered(g) ? 1 : 2);
}

/* The state equation, and searches, for each open member. */
static int ask_members(mcc *m, const group *g, uint64_t until)
{
    enum { EQUATION_PART = 2 };
    size_t open = count_open(g);
    int rc = OM_OK;
    for (size_t i = 0; i < g->count && rc == OM_OK; i++) {
        mcc_asked *a = g->members[i];
        if (!mcc_asked_is_open(a))
            continue;
        assert(open > 0); /* no member's answer is that of another */
        const uint64_t now = om_clock_ns(), ns = now < until ? (until - now) / open + 1 : 1;
        rc = mcc_asked_rule_out(m, a, ns / EQUATION_PART + 1);
        const uint64_t spent = om_clock_ns() - now;
        if (rc == OM_OK && mcc_asked_is_open(a))
            rc = mcc_asked_seek(m, a, spent < ns ? ns - spent : 1);
        open--;
    }
    return rc;
}

static int take_group(mcc *m, group *g, uint64_t ns)
{
    enum { SEEKING_PART = 4 };
    const uint64_t until = om_clock_ns() + ns;
    int rc = OM_OK;
    if (!g->explored && !is_covered(g))
        rc = explore_group(m, g, g->joint ? ns : ns - ns / SEEKING_PART);
    return rc == OM_OK && !g->joint && count_open(g) != 0 ? ask_members(m, g, until) : rc;
}

/* Reduces the net of a group with one member, and forgets it after the turn. */
static int take_large(mcc *m, group *g, uint64_t ns)
{
    enum { OPENING_PART = 3 };
    const uint64_t began = om_clock_ns();
    mcc_asked *a = g->members[0];
    int rc = mcc_asked_open(m, a, ns / OPENING_PART + 1);
    const uint64_t spent = om_clock_ns() - began;
    g->target = &a->own;
    if (rc == OM_OK && mcc_asked_is_open(a))
        rc = take_group(m, g, spent < ns ? ns - spent : 1);
    mcc_asked_close(m, a);
    return rc;
}

static int take_turn(mcc *m, mcc_turn *t, uint64_t ns)
{
    enum { WALKING_PART = 4 };
    group *g = t->self;
    if (g->members == NULL) {
        size_t open = 0;
        const int rc = mcc_walk_states(m, ns);
        for (size_t i = 0; i < m->count; i++)
            open += !m->properties[i].known && m->properties[i].question != MCC_RUNS;
        t->weight = open == 0 ? 0 : open / WALKING_PART + 1;
        return rc;
    }
    const bool closed = !g->joint && g->members[0]->target == NULL;
    int rc = g->joint && count_open(g) < g->count ? renew_joint(g->all, g) : OM_OK;
    if (rc == OM_OK)
        rc = closed ? take_large(m, g, ns) : take_group(m, g, ns);
    if (g->joint)
        t->size = mcc_nodes(g->target->net);
    t->weight = weight_of(g);
    t->spent = g->explored && (g->joint || m->until_ns == UINT64_MAX);
    return rc;
}

/* ---- groups ---- */

static group *find_group(const states *s, const mcc_asked *a)
{
    for (size_t i = 0; i < s->group_count && !s->large; i++)
        if (mcc_target_is_same(s->groups[i].target, a->target))
            return &s->groups[i];
    return NULL;
}

static int add_to_group(states *s, mcc_asked *a)
{
    group *g = find_group(s, a);
    om_region *region = &s->m->region;
    if (g == NULL) {
        g = &s->groups[s->group_count++];
        *g = (group){ .target = a->target,
            .members = om_region_take(region, s->count + 1, sizeof(mcc_asked *)),
            .queries = om_region_take(region, s->count + 1, sizeof *g->queries) };
        if (g->members == NULL || g->queries == NULL)
            return om_fail_memory(s->m->c->ctx);
    }
    g->members[g->count++] = a;
    return OM_OK;
}

static bool is_hardly_smaller(const mcc_target *small, const mcc_target *large)
{
    return 4 * mcc_nodes(small->net) >= 3 * mcc_nodes(large->net);
}

/* Reduces the net for all open properties, at least two, and makes them the joint group's. */
static int fill_joint(states *s, group *g)
{
    mcc *m = s->m;
    const mcc_property **open =
        om_region_take(&m->region, s->count + 1, sizeof(const mcc_property *));
    size_t count = 0;
    if (open == NULL)
        return om_fail_memory(m->c->ctx);
    g->count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (mcc_asked_is_open(&s->asked[i])) {
            s->jointly[count] = (mcc_asked){ .property = s->asked[i].property };
            open[count++] = s->asked[i].property;
        }
    mcc_target_close(m, &s->joint);
    int rc = mcc_target_open(
        m, &s->joint, OM_REDUCE_REACHABLE, open, count, mcc_left_ns(m) / REDUCING_PART);
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        g->members[g->count++] = &s->jointly[i];
        rc = mcc_asked_open_on(m, &s->jointly[i], &s->joint);
    }
    for (size_t i = 0; i < s->group_count && rc == OM_OK && m->until_ns != UINT64_MAX; i++)
        if (!s->groups[i].joint && s->groups[i].target != NULL && s->groups[i].target->net != NULL)
            s->groups[i].covered = is_hardly_smaller(s->groups[i].target, &s->joint) ? g : NULL;
    return rc;
}

/* Some of the joint group's properties are decided: makes the net smaller for the others. A single
 * one has a net of its own. */
static int renew_joint(states *s, group *g)
{
    if (count_open(g) >= 2)
        return fill_joint(s, g);
    g->count = 0;
    g->explored = true;
    return OM_OK;
}

/* Adds a group of all open properties, if none has all of them. */
static int add_joint(states *s)
{
    size_t count = 0;
    om_region *region = &s->m->region;
    for (size_t i = 0; i < s->count; i++)
        count += mcc_asked_is_open(&s->asked[i]);
    if (count < 2 || (s->group_count == 1 && s->groups[0].count == count))
        return OM_OK;
    group *g = &s->groups[s->group_count++];
    *g = (group){ .target = &s->joint,
        .joint = true,
        .all = s,
        .members = om_region_take(region, count + 1, sizeof(mcc_asked *)),
        .queries = om_region_take(region, count + 1, sizeof *g->queries) };
    return g->members == NULL || g->queries == NULL ? om_fail_memory(s->m->c->ctx)
                                                    : fill_joint(s, g);
}

/* Reduces the net for each open property by itself, and makes the groups. */
static int open_all(states *s)
{
    mcc *m = s->m;
    int rc = OM_OK;
    for (size_t i = 0; i < s->count && rc == OM_OK; i++) {
        mcc_asked *a = &s->asked[i];
        if (!s->large)
            rc = mcc_asked_open(m, a, mcc_left_ns(m) / REDUCING_PART / (s->count - i));
        if (rc == OM_OK && mcc_asked_is_open(a))
            rc = add_to_group(s, a);
    }
    return rc == OM_OK ? add_joint(s) : rc;
}

static int take_turns(states *s)
{
    mcc *m = s->m;
    group walks = { .members = NULL };
    mcc_turn *turns = om_region_take(&m->region, s->group_count + 1, sizeof *turns);
    if (turns == NULL)
        return om_fail_memory(m->c->ctx);
    for (size_t i = 0; i < s->group_count; i++) {
        group *g = &s->groups[i];
        turns[i] = (mcc_turn){ .self = g,
            .size = mcc_nodes(g->target == NULL ? m->net : g->target->net),
            .weight = weight_of(g) };
    }
    turns[s->group_count] = (mcc_turn){
        .self = &walks, .size = mcc_nodes(m->net), .weight = 1, .spent = m->until_ns == UINT64_MAX
    };
    return mcc_rounds(m, turns, s->group_count + 1, mcc_nodes(m->net), take_turn);
}

static int find_open(states *s)
{
    mcc *m = s->m;
    s->asked = om_region_take(&m->region, m->count + 1, sizeof *s->asked);
    s->jointly = om_region_take(&m->region, m->count + 1, sizeof *s->jointly);
    s->groups = om_region_take(&m->region, m->count + 2, sizeof *s->groups);
    if (s->asked == NULL || s->jointly == NULL || s->groups == NULL)
        return om_fail_memory(m->c->ctx);
    for (size_t i = 0; i < m->count; i++)
        if (!m->properties[i].known && m->properties[i].question != MCC_RUNS)
            s->asked[s->count++].property = &m->properties[i];
    return OM_OK;
}

int mcc_check_states(mcc *m)
{
    enum { WALKING_PART = 8 };
    const uint64_t walk_ns = 30000000, part = mcc_left_ns(m) / WALKING_PART + 1;
    states s = { .m = m, .large = mcc_nodes(m->net) >= MCC_LARGE_NODES };
    int rc = mcc_walk_states(m, part < walk_ns ? part : walk_ns);
    if (rc == OM_OK)
        rc = find_open(&s);
    if (rc == OM_OK && s.count != 0)
        rc = open_all(&s);
    if (rc == OM_OK && s.count != 0)
        rc = take_turns(&s);
    for (size_t i = 0; i < s.count; i++)
        mcc_asked_close(m, &s.asked[i]);
    mcc_target_close(m, &s.joint);
    return rc;
}
