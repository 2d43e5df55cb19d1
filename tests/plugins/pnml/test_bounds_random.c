/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random nets: no marking that exploration finds exceeds a bound or violates an invariant. If the
 * kind of net implies a bound, that bound or a better one is found.
 */
#include "net_case.h"

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
    assert_int_equal(om_net_bound(&c->net), OM_OK);
    assert_int_equal(om_net_invariants__find(&invariants, &c->net, NULL, 0), OM_OK);
    assert_true(net_case_explore(&c->net, &invariants, MARKINGS, &r));
    assert_false(r.broken);
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
        cmocka_unit_test(any),
    };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
