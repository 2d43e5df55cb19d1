/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random predicates over random nets (as many as the argument says, or 1500). Compares their values
 * in every marking, as they are, negated and translated, with plain arithmetic; and the answers of
 * one exploration to many queries with the list of all markings.
 */
#include "net_case.h"

#include <omen/host/net_model.h>
#include <omen/host/plan.h>
#include <omen/host/walk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "heap.h"

#include <cmocka.h>

enum { PREDICATES = 8, MARKINGS = 1500, MOST_PLACES = 8, DEPTH = 3, SUMS = 4 };

static uint64_t nets = 1500;

typedef struct example {
    om_context *ctx;
    om_random random;
    om_net net;
    net_case_result all;
    om_region region;
    const om_predicate *made[PREDICATES];
    bool *truth[PREDICATES]; /* by marking */
} example;

static int64_t below(example *c, uint32_t n)
{
    return (int64_t) om_random_below(&c->random, n);
}

/* The number of tokens is constant, so there are few markings. */
static void make_net(example *c)
{
    uint32_t places = 2 + (uint32_t) below(c, MOST_PLACES - 2),
             transitions = 1 + (uint32_t) below(c, 8);
    assert_int_equal(net_case_open(&c->net, c->ctx, places, transitions), OM_OK);
    for (uint32_t p = 0; p < places; p++)
        c->net.places[p].initial = (om_value) below(c, 3);
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[MOST_PLACES] = { 0 };
        bool both[MOST_PLACES] = { false };
        for (int64_t moves = 1 + below(c, 2); moves > 0; moves--) {
            counts[below(c, places)]--;
            counts[below(c, places)]++;
        }
        both[below(c, places)] = below(c, 4) == 0;
        assert_int_equal(net_case_add(&c->net, counts, both), OM_OK);
    }
    assert_int_equal(net_case_name(&c->net), OM_OK);
    assert_int_equal(om_net_bound(&c->net), OM_OK);
    assert_true(net_case_explore(&c->net, NULL, MARKINGS, &c->all));
}

/* ---- predicates ---- */

static const om_predicate *make_linear(example *c, bool *truth)
{
    om_net_sum sum = { .heap = om_context_heap(c->ctx) };
    int64_t least = below(c, 9) - 3, factors[MOST_PLACES] = { 0 };
    const uint32_t places = c->net.place_count;
    for (int64_t terms = below(c, 5); terms > 0; terms--) {
        uint32_t place = (uint32_t) below(c, places);
        int64_t factor = below(c, 7) - 3;
        om_net_sum_add(&sum, place, factor);
        factors[place] += factor;
    }
    sum.constant = below(c, 3) - 1;
    for (size_t i = 0; i < c->all.markings; i++) {
        int64_t value = sum.constant;
        for (uint32_t p = 0; p < places; p++)
            value += factors[p] * c->all.all[i * places + p];
        truth[i] = value >= least;
    }
    const om_predicate *p = om_predicate_linear(&c->region, &sum, least);
    om_free(sum.heap, sum.terms);
    return p;
}

static const om_predicate *make_fireable(example *c, bool *truth)
{
    const uint32_t places = c->net.place_count;
    uint32_t first = (uint32_t) below(c, c->net.transition_count);
    uint32_t count = (uint32_t) below(c, c->net.transition_count - first + 1);
    for (size_t i = 0; i < c->all.markings; i++) {
        truth[i] = false;
        for (uint32_t t = first; t < first + count; t++) {
            const om_net_transition *x = &c->net.transitions[t];
            bool enough = true;
            for (uint32_t k = 0; k < x->take_count; k++)
                enough = enough && c->all.all[i * places + x->takes[k].place] >= x->takes[k].count;
            truth[i] = truth[i] || enough;
        }
    }
    return om_predicate_fireable(&c->region, &c->net, first, count);
}

static const om_predicate *make(example *c, unsigned depth, bool *truth);

static const om_predicate *make_join(example *c, unsigned depth, bool *truth)
{
    const om_predicate *args[3] = { NULL };
    const size_t count = (size_t) below(c, 4);
    const bool ands = below(c, 2) == 0;
    bool *other = calloc(c->all.markings, sizeof *other);
    assert_non_null(other);
    memset(truth, ands, c->all.markings * sizeof *truth);
    for (size_t k = 0; k < count; k++) {
        args[k] = make(c, depth - 1, other);
        for (size_t i = 0; i < c->all.markings; i++)
            truth[i] = ands ? truth[i] && other[i] : truth[i] || other[i];
    }
    free(other);
    return om_predicate_join(&c->region, ands ? OM_PREDICATE_AND : OM_PREDICATE_OR, args, count);
}

static const om_predicate *make(example *c, unsigned depth, bool *truth)
{
    int64_t kind = below(c, 8);
    if (kind == 0) {
        bool value = below(c, 2) == 0;
        memset(truth, value, c->all.markings * sizeof *truth);
        return om_predicate_constant(&c->region, value);
    }
    if (kind == 1)
        return make_fireable(c, truth);
    if (depth == 0 || kind < 4)
        return make_linear(c, truth);
    if (kind < 7)
        return make_join(c, depth, truth);
    const om_predicate *p = make(c, depth - 1, truth);
    for (size_t i = 0; i < c->all.markings; i++)
        truth[i] = !truth[i];
    return om_predicate_not(&c->region, p);
}

/* Checks the normal form: constants only at the top, alternating kinds, ordered terms. */
static void check_form(const om_predicate *p, bool top)
{
    if (p->kind == OM_PREDICATE_LINEAR) {
        assert_true(p->count > 0);
        for (uint32_t i = 0; i < p->count; i++)
            assert_true(
                p->terms[i].factor != 0 && (i == 0 || p->terms[i - 1].place < p->terms[i].place));
    } else if (p->kind == OM_PREDICATE_AND || p->kind == OM_PREDICATE_OR) {
        assert_true(p->count > 1);
        for (uint32_t i = 0; i < p->count; i++) {
            assert_true(p->args[i]->kind != p->kind);
            check_form(p->args[i], false);
        }
    } else {
        assert_true(top);
    }
}

static void marking_of(const example *c, size_t number, om_value *out)
{
    for (uint32_t p = 0; p < c->net.place_count; p++)
        out[p] = (om_value) c->all.all[number * c->net.place_count + p];
}

static void check_predicate(example *c, size_t number)
{
    om_value marking[MOST_PLACES] = { 0 };
    c->truth[number] = calloc(c->all.markings, sizeof *c->truth[number]);
    assert_non_null(c->truth[number]);
    const om_predicate *p = c->made[number] = make(c, DEPTH, c->truth[number]);
    assert_non_null(p);
    check_form(p, true);
    const om_predicate *negated = om_predicate_not(&c->region, p);
    check_form(negated, true);
    const om_predicate *bounded = om_predicate_bounded(&c->region, p, &c->net);
    check_form(bounded, true);
    uint8_t seen[MOST_PLACES] = { 0 };
    om_predicate_places(p, seen);
    for (size_t i = 0; i < c->all.markings; i++) {
        marking_of(c, i, marking);
        assert_true(om_predicate_holds(p, marking) == c->truth[number][i]);
        assert_true(om_predicate_holds(negated, marking) != c->truth[number][i]);
        assert_true(om_predicate_holds(bounded, marking) == c->truth[number][i]);
        for (uint32_t k = 0; k < c->net.place_count; k++)
            marking[k] += seen[k] ? 0 : 1 + (om_value) below(c, 9);
        assert_true(om_predicate_holds(p, marking) == c->truth[number][i]);
    }
}

/* Translates the predicate: the old net's places become sums over another net's places. */
static void check_translated(example *c, const om_predicate *p)
{
    om_net_image images[MOST_PLACES] = { { 0 } };
    om_net_term terms[MOST_PLACES][MOST_PLACES];
    om_value from[MOST_PLACES], to[MOST_PLACES];
    for (uint32_t i = 0; i < c->net.place_count; i++) {
        images[i] = (om_net_image){ .constant = below(c, 3), .terms = terms[i] };
        for (uint32_t k = 0; k < c->net.place_count; k++)
            if (below(c, 3) == 0)
                terms[i][images[i].count++] = (om_net_term){ k, 1 + below(c, 2) };
    }
    const om_predicate *moved = om_predicate_translate(&c->region, p, images);
    assert_non_null(moved);
    check_form(moved, true);
    for (unsigned tries = 0; tries < 20; tries++) {
        for (uint32_t i = 0; i < c->net.place_count; i++)
            to[i] = (om_value) below(c, 4);
        for (uint32_t i = 0; i < c->net.place_count; i++) {
            from[i] = (om_value) images[i].constant;
            for (uint32_t k = 0; k < images[i].count; k++)
                from[i] += (om_value) images[i].terms[k].factor * to[images[i].terms[k].place];
        }
        assert_true(om_predicate_holds(moved, to) == om_predicate_holds(p, from));
    }
}

/* ---- surveys ---- */

/* Fires the query's transitions from the initial marking; each must be enabled. */
static void fire_all(const example *c, const om_query *q, om_value *marking)
{
    for (uint32_t p = 0; p < c->net.place_count; p++)
        marking[p] = c->net.places[p].initial;
    for (size_t i = 0; i < q->transition_count; i++) {
        const om_net_transition *t = &c->net.transitions[q->transitions[i]];
        for (uint32_t k = 0; k < t->take_count; k++) {
            assert_true(marking[t->takes[k].place] >= t->takes[k].count);
            marking[t->takes[k].place] -= t->takes[k].count;
        }
        for (uint32_t k = 0; k < t->give_count; k++)
            marking[t->gives[k].place] += t->gives[k].count;
    }
}

static void check_reached(const example *c, size_t number, const om_query *q, bool complete)
{
    om_value marking[MOST_PLACES] = { 0 };
    bool reached = false;
    for (size_t i = 0; i < c->all.markings; i++)
        reached = reached || c->truth[number][i];
    assert_true(q->decided || !complete);
    if (!q->decided)
        return;
    assert_int_equal(q->value, reached);
    fire_all(c, q, marking);
    assert_true(q->value == 0 || om_predicate_holds(c->made[number], marking));
}

static int64_t sum_of(const om_query *q, const int64_t *marking)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < q->term_count; i++)
        sum += q->terms[i].factor * marking[q->terms[i].place];
    return sum;
}

static void check_largest(const example *c, const om_query *q, bool complete)
{
    om_value marking[MOST_PLACES] = { 0 };
    int64_t wide[MOST_PLACES] = { 0 }, largest = INT64_MIN;
    for (size_t i = 0; i < c->all.markings; i++) {
        int64_t sum = sum_of(q, c->all.all + i * c->net.place_count);
        largest = sum > largest ? sum : largest;
    }
    assert_true(q->decided || !complete);
    assert_true(q->decided ? q->value == largest : q->value <= largest);
    fire_all(c, q, marking);
    for (uint32_t p = 0; p < c->net.place_count; p++)
        wide[p] = marking[p];
    assert_true(q->value == INT64_MIN || sum_of(q, wide) == q->value);
}

/* Returns true if the transition can fire in that marking. */
static bool fires_in(const example *c, uint32_t transition, size_t marking)
{
    const om_net_transition *x = &c->net.transitions[transition];
    const int64_t *tokens = c->all.all + marking * c->net.place_count;
    for (uint32_t k = 0; k < x->take_count; k++)
        if (tokens[x->takes[k].place] < x->takes[k].count)
            return false;
    return true;
}

static bool fires(const example *c, uint32_t transition)
{
    for (size_t i = 0; i < c->all.markings; i++)
        if (fires_in(c, transition, i))
            return true;
    return false;
}

static void check_rest(const example *c, const om_survey *s)
{
    int64_t largest = 0;
    const uint32_t places = c->net.place_count;
    for (uint32_t p = 0; p < places; p++)
        assert_int_equal(s->most[p], c->all.most[p]);
    for (size_t i = 0; i < c->all.markings; i++) {
        int64_t sum = 0;
        for (uint32_t p = 0; p < places; p++)
            sum += c->all.all[i * places + p];
        largest = sum > largest ? sum : largest;
    }
    assert_int_equal(*s->largest_sum, largest);
    for (uint32_t t = 0; t < c->net.transition_count; t++)
        assert_int_equal(s->fired[t], fires(c, t));
}

static void ask(example *c, om_plan *plan, om_model *m, bool everything, bool limited)
{
    om_query queries[PREDICATES + SUMS];
    om_net_term terms[SUMS][MOST_PLACES];
    uint8_t fired[16] = { 0 };
    om_value most[MOST_PLACES] = { 0 };
    om_wide largest_sum = 0;
    om_exploration e;
    om_survey s = { .queries = queries, .query_count = PREDICATES + SUMS };
    const om_frontend *frontend = om_net_model_frontend();
    memset(queries, 0, sizeof queries);
    for (uint32_t i = 0; i < PREDICATES; i++) {
        char name[4] = { 'p', (char) ('0' + i), '\0' };
        assert_int_equal(frontend->expression(m, "AP", name, &queries[i].expression), OM_OK);
    }
    for (uint32_t i = 0; i < SUMS; i++) {
        om_query *q = &queries[PREDICATES + i];
        int64_t largest = INT64_MIN;
        q->terms = terms[i];
        for (uint32_t p = 0; p < c->net.place_count; p++)
            if (below(c, 2) == 0)
                terms[i][q->term_count++] = (om_net_term){ p, below(c, 5) - 2 };
        for (size_t k = 0; k < c->all.markings; k++) {
            int64_t sum = sum_of(q, c->all.all + k * c->net.place_count);
            largest = sum > largest ? sum : largest;
        }
        q->enough = i == 0 ? largest : INT64_MAX;
    }
    if (everything) {
        s.fired = fired;
        s.most = most;
        s.largest_sum = &largest_sum;
    }
    int rc = om_plan_ask(plan, &s, &e);
    const bool complete = rc == OM_OK;
    assert_true(complete || (limited && rc == OM_ELIMIT));
    om_context_clear(c->ctx);
    for (uint32_t i = 0; i < PREDICATES; i++)
        check_reached(c, i, &queries[i], complete);
    for (uint32_t i = 0; i < SUMS; i++)
        check_largest(c, &queries[PREDICATES + i], complete);
    if (everything && complete)
        check_rest(c, &s);
    for (uint32_t i = 0; i < PREDICATES + SUMS; i++)
        om_free(om_context_heap(c->ctx), queries[i].transitions);
}

static void check_surveys(example *c)
{
    om_model *m = NULL;
    om_plan *plan = NULL;
    om_plan_options options = { .exec = OM_EXEC_VM, .device = "none" };
    options.threads = 1 + (unsigned) below(c, 3);
    options.limits.max_states = below(c, 3) == 0 ? 20 : 0;
    assert_int_equal(om_net_model_new(&m, &c->net, "net", c->made, PREDICATES), OM_OK);
    assert_int_equal(om_plan_new(&plan, c->ctx, NULL, om_net_model_frontend(), m, &options), OM_OK);
    ask(c, plan, m, false, options.limits.max_states != 0);
    ask(c, plan, m, true, options.limits.max_states != 0);
    om_plan_free(plan);
    om_model_free(m);
}

/* ---- walks ---- */

typedef struct tally {
    size_t reachable, reached, proved;
} tally;

static void check_fired(const example *c, const uint8_t *fired, bool stuck, tally *t)
{
    bool deadlock = false;
    for (uint32_t x = 0; x < c->net.transition_count; x++) {
        const bool can = fires(c, x);
        assert_true(can || !fired[x]);
        t->reachable += can;
        t->reached += fired[x];
    }
    for (size_t i = 0; i < c->all.markings && !deadlock; i++) {
        deadlock = true;
        for (uint32_t x = 0; x < c->net.transition_count; x++)
            deadlock = deadlock && !fires_in(c, x, i);
    }
    assert_true(deadlock || !stuck);
    t->reachable += deadlock;
    t->reached += stuck;
}

/* Checks that the results of a walk are true, and counts how many reachable goals it finds. */
static void check_walk(example *c, tally *t)
{
    om_walk_goal goals[PREDICATES + 1] = { { .predicate = NULL } };
    uint8_t fired[16] = { 0 };
    om_net_term terms[2] = { { 0, 1 }, { 1, -2 } };
    int64_t largest = INT64_MIN;
    om_walk walk = { .goals = goals,
        .goal_count = PREDICATES + 1,
        .fired = fired,
        .deadlock = true,
        .seed = om_random_next(&c->random),
        .until_ns = om_clock_ns() + 2000000 };
    for (size_t i = 0; i < PREDICATES; i++)
        goals[i].predicate = c->made[i];
    const om_query sum = { .terms = terms, .term_count = 2 };
    for (size_t i = 0; i < c->all.markings; i++) {
        int64_t value = sum_of(&sum, c->all.all + i * c->net.place_count);
        largest = value > largest ? value : largest;
    }
    goals[PREDICATES] = (om_walk_goal){ .terms = terms, .term_count = 2, .enough = largest };
    assert_int_equal(om_net_walk(&c->net, &walk), OM_OK);
    for (size_t i = 0; i < PREDICATES; i++) {
        bool reachable = false;
        for (size_t k = 0; k < c->all.markings; k++)
            reachable = reachable || c->truth[i][k];
        assert_true(reachable || !goals[i].met);
        t->reachable += reachable;
        t->reached += goals[i].met;
    }
    assert_true(goals[PREDICATES].value <= largest);
    assert_true(goals[PREDICATES].met == (goals[PREDICATES].value == largest));
    check_fired(c, fired, walk.stuck, t);
}

/* Checks that the result of a search is true, and counts. c->made[goal]: the goal. */
static void check_seek_for(example *c, size_t goal, tally *t)
{
    bool reachable = false;
    om_seek s = { .goal = { .predicate = c->made[goal] },
        .stubborn = below(c, 2) == 0,
        .seed = om_random_next(&c->random),
        .until_ns = om_clock_ns() + 100000000 };
    assert_int_equal(om_net_seek(&c->net, &s), OM_OK);
    for (size_t k = 0; k < c->all.markings; k++)
        reachable = reachable || c->truth[goal][k];
    assert_true(reachable || !s.goal.met);
    assert_true(s.goal.met || !reachable || !s.exhausted);
    assert_true(s.proved == (s.stubborn && s.exhausted && !s.goal.met));
    if (s.goal.met) {
        om_value marking[MOST_PLACES] = { 0 };
        const om_query found = { .transitions = s.transitions,
            .transition_count = s.transition_count };
        fire_all(c, &found, marking);
        assert_true(om_predicate_holds(c->made[goal], marking));
    }
    t->reachable += reachable;
    t->reached += s.goal.met;
    t->proved += s.proved;
    om_free(om_context_heap(c->ctx), s.transitions);
}

/* The same for the largest sum, and for deadlocks. */
static void check_other_seeks(example *c, tally *t)
{
    om_net_term terms[2] = { { 0, 1 }, { 1, -2 } };
    const om_query sum = { .terms = terms, .term_count = 2 };
    int64_t largest = INT64_MIN;
    bool deadlock = false;
    om_seek s = { .stubborn = below(c, 2) == 0,
        .seed = om_random_next(&c->random),
        .until_ns = om_clock_ns() + 100000000 };
    for (size_t i = 0; i < c->all.markings; i++) {
        int64_t value = sum_of(&sum, c->all.all + i * c->net.place_count);
        largest = value > largest ? value : largest;
        bool stuck = true;
        for (uint32_t x = 0; x < c->net.transition_count; x++)
            stuck = stuck && !fires_in(c, x, i);
        deadlock = deadlock || stuck;
    }
    s.goal = (om_walk_goal){ .terms = terms, .term_count = 2, .enough = INT64_MAX };
    assert_int_equal(om_net_seek(&c->net, &s), OM_OK);
    assert_true(s.goal.value <= largest && (s.goal.value == largest || !s.proved));
    assert_true(s.proved == (s.stubborn && s.exhausted));
    om_free(om_context_heap(c->ctx), s.transitions);
    s.goal.enough = largest;
    assert_int_equal(om_net_seek(&c->net, &s), OM_OK);
    assert_true(s.goal.value <= largest && s.goal.met == (s.goal.value == largest));
    t->reachable++;
    t->reached += s.goal.met;
    om_free(om_context_heap(c->ctx), s.transitions);
    s = (om_seek){ .deadlock = true,
        .stubborn = s.stubborn,
        .seed = s.seed,
        .until_ns = om_clock_ns() + 100000000 };
    assert_int_equal(om_net_seek(&c->net, &s), OM_OK);
    assert_true(s.goal.met == deadlock);
    assert_true(s.proved == (s.stubborn && !deadlock));
    om_free(om_context_heap(c->ctx), s.transitions);
}

/* Simplified by lower and upper bounds, predicates have the same value in reachable markings. */
static void check_within(example *c, size_t number)
{
    om_value least[MOST_PLACES], marking[MOST_PLACES] = { 0 };
    assert_int_equal(om_net_least(&c->net, least), OM_OK);
    const om_predicate *p = om_predicate_within(&c->region, c->made[number], &c->net, least);
    assert_non_null(p);
    check_form(p, true);
    for (size_t i = 0; i < c->all.markings; i++) {
        marking_of(c, i, marking);
        assert_true(om_predicate_holds(p, marking) == c->truth[number][i]);
    }
}

static void random_predicates(void **state)
{
    tally walks = { 0 }, seeks = { 0 };
    for (uint64_t seed = 0; seed < nets; seed++) {
        example c = {
            .ctx = *state, .random = { seed }, .region = { om_context_heap(*state), NULL, 0, 0 }
        };
        make_net(&c);
        if (c.all.complete) {
            for (size_t i = 0; i < PREDICATES; i++)
                check_predicate(&c, i);
            for (size_t i = 0; i < PREDICATES; i++)
                check_translated(&c, c.made[i]);
            check_surveys(&c);
            check_walk(&c, &walks);
            for (size_t i = 0; i < PREDICATES; i++) {
                check_seek_for(&c, i, &seeks);
                check_within(&c, i);
            }
            check_other_seeks(&c, &seeks);
        }
        for (size_t i = 0; i < PREDICATES; i++)
            free(c.truth[i]);
        net_case_drop(&c.all);
        om_region_free(&c.region);
        net_case_close(&c.net);
    }
    print_message("walks found %zu of %zu\n", walks.reached, walks.reachable);
    assert_true(walks.reached > walks.reachable / 2);
    /* These nets are small, so each search sees all markings. */
    assert_int_equal(seeks.reached, seeks.reachable);
    assert_true(seeks.proved > seeks.reached / 8);
}

/* Numbers and sums that are too large */
static void limits(void **state)
{
    om_context *ctx = *state;
    om_region region = { om_context_heap(ctx), NULL, 0, 0 };
    om_net_sum sum = { .heap = region.heap };
    om_net_sum_add(&sum, 0, OM_VALUE_MAX);
    assert_non_null(om_predicate_linear(&region, &sum, 5));
    om_net_sum_add(&sum, 1, -1);
    assert_null(om_predicate_linear(&region, &sum, 5));
    assert_true(sum.failed && sum.too_large);
    om_free(sum.heap, sum.terms);
    sum = (om_net_sum){ .heap = region.heap };
    om_net_sum_add(&sum, 0, 1);
    assert_null(om_predicate_linear(&region, &sum, INT64_MAX));
    assert_true(sum.too_large);
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
}

/* p0 + 2 p1 >= p2 */
static void check_range(om_model *m, om_expr e)
{
    static const struct {
        om_value tokens[3];
        bool holds, fault;
    } cases[] = { { { 1, 2, 3 }, true, false }, { { 1, 2, 6 }, false, false },
        { { 500000000, 1, 500000001 }, true, false },
        { { OM_VALUE_MAX, OM_VALUE_MAX, 1 }, false, true }, { { 1, 1, 1 << 30 }, false, true } };
    om_executor *x = NULL;
    uint32_t vector[8] = { 0 };
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, &e, 1), OM_OK);
    assert_true(x->words <= 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_fault fault = 0;
        for (uint32_t p = 0; p < 3; p++)
            om_slot_set(om_model_slot(m, p), vector, 0, cases[i].tokens[p]);
        const uint64_t labels = x->labels(x, vector, &fault);
        assert_int_equal(fault != 0, cases[i].fault);
        assert_true(fault != 0 || (labels & 1) == cases[i].holds);
    }
    om_executor_close(x);
}

/* Unbounded places: a sum compared with a constant is exact. A sum compared with another sum is a
 * fault if it could be wrong, and is refused if it always could. */
static void unbounded(void **state)
{
    om_context *ctx = *state;
    om_net net;
    om_model *m = NULL;
    om_expr e = 0;
    om_region region = { om_context_heap(ctx), NULL, 0, 0 };
    const om_predicate *made[3];
    assert_int_equal(net_case_read(&net, ctx, "1 2 3", "> 0; > 1; > 2"), OM_OK);
    assert_int_equal(net_case_name(&net), OM_OK);
    assert_int_equal(om_net_bound(&net), OM_OK);
    om_net_sum sum = { .heap = region.heap };
    om_net_sum_add(&sum, 0, 1);
    om_net_sum_add(&sum, 1, 2);
    made[0] = om_predicate_linear(&region, &sum, 10);
    om_net_sum_add(&sum, 2, -1);
    made[1] = om_predicate_linear(&region, &sum, 0);
    made[2] = om_predicate_linear(&region, &sum, OM_VALUE_MAX - 1);
    assert_int_equal(om_net_model_new(&m, &net, "net", made, 3), OM_OK);
    assert_int_equal(om_net_model_frontend()->expression(m, "AP", "p0", &e), OM_OK);
    assert_int_equal(om_net_model_frontend()->expression(m, "AP", "p1", &e), OM_OK);
    check_range(m, e);
    assert_int_equal(om_net_model_frontend()->expression(m, "AP", "p2", &e), OM_EUNSUPPORTED);
    om_context_clear(ctx);
    assert_int_equal(om_net_model_frontend()->expression(m, "AP", "p3", &e), OM_EINPUT);
    om_context_clear(ctx);
    om_model_free(m);
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
}

/* Makes allocation n of a search, and of lower bounds, fail. Returns true if there were more than n
 * allocations. */
static bool lacks_memory(uint64_t seed, size_t n)
{
    test_heap t;
    om_net net;
    om_context *ctx = NULL;
    om_value least[4];
    om_net_sum sum = { .heap = &t.heap };
    test_heap_init(&t, SIZE_MAX);
    assert_int_equal(om_context_new(&ctx, &t.heap), OM_OK);
    om_region region = { &t.heap, NULL, 0, 0 };
    assert_int_equal(
        net_case_read(&net, ctx, "9 9 0 0", "0 > 1 2; 1 > 3; 2 3 > 0; 2*2 > 1"), OM_OK);
    assert_int_equal(om_net_bound(&net), OM_OK);
    om_net_sum_add(&sum, 3, 1);
    om_net_sum_add(&sum, 2, -1);
    om_seek s = { .goal = { .predicate = om_predicate_linear(&region, &sum, 17) },
        .stubborn = seed >= 8,
        .seed = seed,
        .until_ns = UINT64_MAX };
    assert_non_null(s.goal.predicate);
    t.fail_at = t.calls + n;
    int rc = om_net_seek(&net, &s);
    assert_true(rc != OM_OK || s.goal.met);
    if (rc == OM_OK)
        rc = om_net_least(&net, least);
    const bool failed = t.calls > t.fail_at;
    assert_int_equal(rc, failed ? OM_ENOMEM : OM_OK);
    om_free(&t.heap, s.transitions);
    om_free(&t.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
    om_context_free(ctx);
    assert_int_equal(t.live, 0);
    return failed;
}

static void no_memory(void **state)
{
    size_t tries = 0;
    (void) state;
    for (uint64_t seed = 0; seed < 16; seed++)
        for (size_t n = 0; lacks_memory(seed, n); n++)
            tries++;
    assert_true(tries > 100);
}

/* A search ends at its deadline, and when its markings take too much memory. */
static void seek_limits(void **state)
{
    om_net net;
    om_region region = { om_context_heap(*state), NULL, 0, 0 };
    om_net_sum sum = { .heap = region.heap };
    /* Counts up for ever. */
    assert_int_equal(net_case_read(&net, *state, "1 0 0", "0 > 0 1; 0 > 0 2"), OM_OK);
    om_net_sum_add(&sum, 0, 1);
    const om_predicate *never = om_predicate_linear(&region, &sum, 2);
    sum.count = 0;
    om_net_sum_add(&sum, 1, 1);
    for (uint64_t seed = 0; seed < 8; seed++) {
        om_seek s = { .goal = { .predicate = om_predicate_linear(&region, &sum, OM_VALUE_MAX) },
            .seed = seed,
            .until_ns = UINT64_MAX,
            .memory_bytes = 1 << 20 };
        assert_int_equal(om_net_seek(&net, &s), OM_OK);
        assert_true(!s.goal.met && !s.exhausted && s.markings > 100);
        s.memory_bytes = 0;
        s.until_ns = om_clock_ns();
        assert_int_equal(om_net_seek(&net, &s), OM_OK);
        assert_true(!s.goal.met && !s.exhausted);
        /* What is impossible even if firings removed no tokens ends a relaxed search. */
        s.goal.predicate = never;
        s.until_ns = om_clock_ns() + 20000000;
        assert_int_equal(om_net_seek(&net, &s), OM_OK);
        assert_true(!s.goal.met && s.exhausted == (seed % 2 == 0));
    }
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
}

/* A stubborn search of pairs of places that do not depend on each other looks at one pair. It
 * proves nothing if a firing is impossible only because numbers are limited. */
static void stubborn_seek(void **state)
{
    om_net net;
    om_region region = { om_context_heap(*state), NULL, 0, 0 };
    om_net_sum sum = { .heap = region.heap };
    assert_int_equal(net_case_read(&net, *state, "1 0 1 0 1 0 1 0",
                         "0 > 1; 1 > 0; 2 > 3; 3 > 2; 4 > 5; 5 > 4; 6 > 7; 7 > 6"),
        OM_OK);
    om_net_sum_add(&sum, 0, 1);
    om_net_sum_add(&sum, 1, 1);
    om_seek s = { .deadlock = true, .stubborn = true, .until_ns = UINT64_MAX };
    assert_int_equal(om_net_seek(&net, &s), OM_OK);
    assert_true(s.proved && !s.goal.met && s.markings == 2);
    s = (om_seek){ .goal = { .predicate = om_predicate_linear(&region, &sum, 2) },
        .stubborn = true,
        .seed = 1,
        .until_ns = UINT64_MAX };
    assert_int_equal(om_net_seek(&net, &s), OM_OK);
    assert_true(s.proved && !s.goal.met && s.markings == 1);
    s.stubborn = false;
    assert_int_equal(om_net_seek(&net, &s), OM_OK);
    assert_true(!s.proved && s.exhausted && s.markings == 16);
    net_case_close(&net);
    assert_int_equal(net_case_read(&net, *state, "1 2147483647 0", "0 > 1; 1 > 1 1"), OM_OK);
    s = (om_seek){ .deadlock = true, .stubborn = true, .until_ns = UINT64_MAX };
    assert_int_equal(om_net_seek(&net, &s), OM_OK);
    assert_true(s.exhausted && !s.proved);
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        nets = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_predicates),
        cmocka_unit_test(limits),
        cmocka_unit_test(unbounded),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(seek_limits),
        cmocka_unit_test(stubborn_seek),
    };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
