/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random nets: no marking that exploration finds exceeds a bound or violates an invariant. If the
 * kind of net implies a bound, that bound or a better one is found.
 */
#include "net_case.h"

#include <omen/host/predicate.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

#include <cmocka.h>

enum { NETS = 1000, MOST_PLACES = 14, MARKINGS = 1500 };

typedef struct random_case {
    om_random random;
    om_net net;
    int64_t known[MOST_PLACES]; /* bounds that must be found, or OM_NET_NO_BOUND */
} random_case;

static uint32_t below(random_case *c, uint32_t n)
{
    return (uint32_t) om_random_below(&c->random, n);
}

static void open_net(random_case *c, om_context *ctx, uint32_t places, uint32_t transitions)
{
    assert_int_equal(net_case_open(&c->net, ctx, places, transitions), OM_OK);
    for (uint32_t p = 0; p < MOST_PLACES; p++)
        c->known[p] = OM_NET_NO_BOUND;
}

/* State machines that move together, with one token each */
static void make_safe(random_case *c, om_context *ctx)
{
    uint32_t machines = 1 + below(c, 4), size = 2 + below(c, 2), transitions = 2 + below(c, 12);
    open_net(c, ctx, machines * size, transitions);
    for (uint32_t p = 0; p < machines * size; p++)
        c->known[p] = 1;
    for (uint32_t m = 0; m < machines; m++)
        c->net.places[m * size + below(c, size)].initial = 1;
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[MOST_PLACES] = { 0 };
        bool both[MOST_PLACES] = { false };
        for (uint32_t m = 0; m < machines; m++) {
            uint32_t from = below(c, size), to = below(c, size);
            if (below(c, 2) == 0)
                continue;
            both[m * size + from] = from == to;
            counts[m * size + to] += from != to;
            counts[m * size + from] -= from != to;
        }
        assert_int_equal(net_case_add(&c->net, counts, both), OM_OK);
    }
}

/* A weighted sum of the tokens never increases; some transitions decrease it. */
static void make_conservative(random_case *c, om_context *ctx)
{
    uint32_t places = 2 + below(c, 7), transitions = 1 + below(c, 8);
    int64_t weights[MOST_PLACES], sum = 0;
    open_net(c, ctx, places, transitions);
    for (uint32_t p = 0; p < places; p++) {
        weights[p] = 1 + below(c, 4);
        c->net.places[p].initial = (om_value) below(c, 4);
        sum += weights[p] * c->net.places[p].initial;
    }
    for (uint32_t p = 0; p < places; p++)
        c->known[p] = sum / weights[p];
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[MOST_PLACES] = { 0 };
        bool both[MOST_PLACES] = { false };
        for (unsigned moves = 1 + below(c, 3); moves > 0; moves--) {
            uint32_t from = below(c, places), to = below(c, places);
            counts[from] -= weights[to] + (below(c, 8) == 0);
            counts[to] += weights[from];
        }
        both[below(c, places)] = below(c, 3) == 0;
        assert_int_equal(net_case_add(&c->net, counts, both), OM_OK);
    }
}

/* Processes that keep their state as the number of tokens of a place, beside a place with the rest:
 * a transition needs exactly that number. The greatest number reached without regard to the other
 * processes must be found. */
static void make_coded(random_case *c, om_context *ctx)
{
    enum { MOST = 12 };
    uint32_t processes = 1 + below(c, 3), transitions = 2 + below(c, 12), steps[16][3];
    open_net(c, ctx, 2 * processes, transitions);
    for (uint32_t m = 0; m < processes; m++) {
        om_net_place *p = &c->net.places[2 * (size_t) m];
        p[0].initial = (om_value) below(c, MOST);
        p[1].initial = MOST - p[0].initial;
    }
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[MOST_PLACES] = { 0 };
        const uint32_t m = below(c, processes), from = below(c, MOST), to = below(c, MOST);
        om_net_arc *arcs = NULL;
        memcpy(steps[t], (uint32_t[]){ m, from, to }, sizeof steps[t]);
        counts[2 * (size_t) m] = (int64_t) to - from;
        counts[2 * (size_t) m + 1] = (int64_t) from - to;
        assert_int_equal(net_case_add(&c->net, counts, NULL), OM_OK);
        arcs = om_region_take(&c->net.region, 4, sizeof *arcs);
        assert_non_null(arcs);
        arcs[0] = (om_net_arc){ 2 * m, (om_value) from };
        arcs[1] = (om_net_arc){ 2 * m + 1, (om_value) (MOST - from) };
        arcs[2] = (om_net_arc){ 2 * m, (om_value) to };
        arcs[3] = (om_net_arc){ 2 * m + 1, (om_value) (MOST - to) };
        om_net_transition *x = &c->net.transitions[t];
        /* No arc has weight 0. */
        x->takes = arcs + (from == 0);
        x->take_count = 2 - (from == 0);
        x->gives = arcs + 2 + (to == 0);
        x->give_count = 2 - (to == 0);
    }
    for (uint32_t m = 0; m < processes; m++) {
        bool reached[MOST] = { false };
        reached[c->net.places[2 * (size_t) m].initial] = true;
        for (uint32_t round = 0; round < MOST; round++)
            for (uint32_t t = 0; t < transitions; t++)
                if (steps[t][0] == m && reached[steps[t][1]])
                    reached[steps[t][2]] = true;
        for (uint32_t n = 0; n < MOST; n++)
            if (reached[n])
                c->known[2 * (size_t) m] = n;
    }
}

/* Arbitrary nets */
static void make_any(random_case *c, om_context *ctx)
{
    uint32_t places = 1 + below(c, 8), transitions = 1 + below(c, 8);
    int64_t scale = below(c, 6) == 0 ? 1 << 30 : 1;
    open_net(c, ctx, places, transitions);
    for (uint32_t p = 0; p < places; p++)
        c->net.places[p].initial = (om_value) (below(c, 3) * (uint32_t) scale / 2);
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[MOST_PLACES] = { 0 };
        bool both[MOST_PLACES] = { false };
        for (unsigned arcs = 1 + below(c, 5); arcs > 0; arcs--) {
            int64_t count = (int64_t) (1 + below(c, 3)) * (below(c, 3) == 0 ? scale / 2 + 1 : 1);
            counts[below(c, places)] = below(c, 2) == 0 ? count : -count;
        }
        both[below(c, places)] = below(c, 3) == 0;
        assert_int_equal(net_case_add(&c->net, counts, both), OM_OK);
    }
}

static void check_case(random_case *c)
{
    net_case_result r;
    om_net_invariants invariants;
    om_value least[MOST_PLACES];
    assert_int_equal(om_net_bound(&c->net), OM_OK);
    assert_int_equal(om_net_invariants__find(&invariants, &c->net, NULL, 0), OM_OK);
    assert_true(net_case_explore(&c->net, &invariants, MARKINGS, &r));
    assert_false(r.broken);
    assert_int_equal(om_net_least(&c->net, least), OM_OK);
    for (size_t i = 0; i < r.markings; i++)
        for (uint32_t p = 0; p < c->net.place_count; p++)
            assert_true(r.all[i * c->net.place_count + p] >= least[p]);
    for (uint32_t p = 0; p < c->net.place_count; p++) {
        assert_true(c->net.places[p].bound >= 0);
        assert_true(
            r.most[p] <= c->net.places[p].bound || c->net.places[p].bound == OM_NET_NO_BOUND);
        assert_true(c->net.places[p].bound <= c->known[p]);
    }
    net_case_drop(&r);
    om_net_invariants__free(&invariants);
    net_case_close(&c->net);
}

typedef void maker(random_case *c, om_context *ctx);

static void run(om_context *ctx, maker *make, uint64_t seed)
{
    for (unsigned i = 0; i < NETS; i++) {
        random_case c = { .random = { seed + i } };
        make(&c, ctx);
        check_case(&c);
    }
}

static void safe(void **state)
{
    run(*state, make_safe, 1 << 20);
}

static void conservative(void **state)
{
    run(*state, make_conservative, 2 << 20);
}

static void coded(void **state)
{
    run(*state, make_coded, 5 << 20);
}

static void any(void **state)
{
    run(*state, make_any, 3 << 20);
    run(*state, make_any, 4 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe),
        cmocka_unit_test(conservative),
        cmocka_unit_test(coded),
        cmocka_unit_test(any),
    };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
