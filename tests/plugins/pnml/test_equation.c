/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the predicates that the state equation proves impossible, on random nets, with the list
 * of all markings. Also tests known cases. */
#include "net_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "state_equation.h"

#include <cmocka.h>

enum { NETS = 1500, PREDICATES = 8, MARKINGS = 2000, PLACES = 7 };

typedef struct example {
    om_context *ctx;
    om_random random;
    om_net net;
    net_case_result all;
    om_region region;
    unsigned impossible, missed, possible;
} example;

static int64_t below(example *c, uint32_t n)
{
    return (int64_t) om_random_below(&c->random, n);
}

static void make_net(example *c)
{
    const uint32_t places = 2 + (uint32_t) below(c, PLACES - 2);
    const uint32_t transitions = 1 + (uint32_t) below(c, 8);
    const bool bounded = below(c, 4) != 0;
    assert_int_equal(net_case_open(&c->net, c->ctx, places, transitions), OM_OK);
    for (uint32_t p = 0; p < places; p++)
        c->net.places[p].initial = (om_value) below(c, 3);
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[PLACES] = { 0 };
        bool both[PLACES] = { false };
        for (int64_t moves = 1 + below(c, 2); moves > 0; moves--) {
            counts[below(c, places)]--;
            counts[below(c, places)]++;
        }
        both[below(c, places)] = below(c, 4) == 0;
        assert_int_equal(net_case_add(&c->net, counts, both), OM_OK);
    }
    for (uint32_t p = 0; p < places; p++)
        c->net.places[p].bound = OM_NET_NO_BOUND;
    if (bounded)
        assert_int_equal(om_net_bound(&c->net), OM_OK);
    assert_true(net_case_explore(&c->net, NULL, MARKINGS, &c->all));
}

static const om_predicate *make(example *c, unsigned depth)
{
    const om_predicate *args[3];
    om_net_sum sum = { .heap = om_context_heap(c->ctx) };
    const size_t count = (size_t) below(c, 4);
    if (depth > 0 && below(c, 3) != 0) {
        for (size_t i = 0; i < count; i++)
            args[i] = make(c, depth - 1);
        return om_predicate_join(
            &c->region, below(c, 2) == 0 ? OM_PREDICATE_AND : OM_PREDICATE_OR, args, count);
    }
    for (int64_t terms = 1 + below(c, 3); terms > 0; terms--)
        om_net_sum_add(&sum, (uint32_t) below(c, c->net.place_count), below(c, 5) - 2);
    const om_predicate *p = om_predicate_linear(&c->region, &sum, below(c, 7) - 2);
    om_free(sum.heap, sum.terms);
    return p;
}

static bool is_reached(const example *c, const om_predicate *p)
{
    om_value marking[PLACES] = { 0 };
    for (size_t i = 0; i < c->all.markings; i++) {
        for (uint32_t k = 0; k < c->net.place_count; k++)
            marking[k] = (om_value) c->all.all[i * c->net.place_count + k];
        if (om_predicate_holds(p, marking))
            return true;
    }
    return false;
}

static void check(example *c)
{
    const om_predicate *p = make(c, 3);
    bool impossible = false;
    mcc_equation_figures figures;
    assert_non_null(p);
    const bool reached = is_reached(c, p);
    assert_int_equal(mcc_impossible(&c->net, p, UINT64_MAX, &impossible, &figures), OM_OK);
    assert_true(!impossible || !reached);
    c->impossible += impossible;
    c->missed += !impossible && !reached;
    c->possible += reached;
}

static void test_random(void **state)
{
    example c = { .ctx = *state };
    for (unsigned i = 0; i < NETS; i++) {
        c.random = (om_random){ i };
        c.region = (om_region){ .heap = om_context_heap(c.ctx) };
        make_net(&c);
        for (unsigned k = 0; k < PREDICATES && c.all.complete; k++)
            check(&c);
        om_region_free(&c.region);
        net_case_drop(&c.all);
        net_case_close(&c.net);
    }
    print_message(
        "%u reached, %u impossible, %u that are neither\n", c.possible, c.impossible, c.missed);
    assert_true(c.impossible > 500 && c.missed < c.impossible);
}

/* A mutual exclusion that an invariant shows; and a deadline that has passed. */
static void test_known(void **state)
{
    om_net net;
    om_region region = { .heap = om_context_heap(*state) };
    om_net_sum sum = { .heap = region.heap };
    bool impossible = false;
    /* 0: idle, 1: busy, 2: idle, 3: busy, 4: the tool */
    assert_int_equal(
        net_case_read(&net, *state, "1 0 1 0 1", "0 4 > 1; 1 > 0 4; 2 4 > 3; 3 > 2 4"), OM_OK);
    for (uint32_t p = 0; p < 5; p++)
        net.places[p].bound = OM_NET_NO_BOUND;
    om_net_sum_add(&sum, 1, 1);
    om_net_sum_add(&sum, 3, 1);
    const om_predicate *both = om_predicate_linear(&region, &sum, 2);
    const om_predicate *one = om_predicate_linear(&region, &sum, 1);
    assert_int_equal(mcc_impossible(&net, both, UINT64_MAX, &impossible, NULL), OM_OK);
    assert_true(impossible);
    assert_int_equal(mcc_impossible(&net, one, UINT64_MAX, &impossible, NULL), OM_OK);
    assert_false(impossible);
    assert_int_equal(mcc_impossible(&net, both, 0, &impossible, NULL), OM_OK);
    assert_false(impossible);
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
}

/* Returns whether the equation rules out "factor * the sum of both places >= least". */
static bool rules_out(
    om_context *ctx, const char *tokens, const char *transitions, om_wide factor, om_wide least)
{
    om_net net;
    om_region region = { .heap = om_context_heap(ctx) };
    om_net_sum sum = { .heap = region.heap };
    bool impossible = false;
    mcc_equation_figures figures;
    assert_int_equal(net_case_read(&net, ctx, tokens, transitions), OM_OK);
    for (uint32_t p = 0; p < net.place_count; p++)
        net.places[p].bound = OM_NET_NO_BOUND;
    om_net_sum_add(&sum, 0, factor);
    om_net_sum_add(&sum, 1, factor);
    const om_predicate *p = om_predicate_linear(&region, &sum, least);
    assert_int_equal(mcc_impossible(&net, p, UINT64_MAX, &impossible, &figures), OM_OK);
    assert_true(figures.programs > 0 && !figures.cut);
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
    return impossible;
}

/* A trap that always has a token, although the equation has a solution without any; and a set of
 * places that is no trap. */
static void test_trap(void **state)
{
    assert_true(rules_out(*state, "1 0", "0 > 1; 1 > 0 1; 0 1 > 1", -1, 0));
    assert_false(rules_out(*state, "1 0", "0 > 1; 1 > 0 1; 0 1 > ", -1, 0));
}

/* Solutions with half a token, and with half a firing */
static void test_integers(void **state)
{
    assert_true(rules_out(*state, "0 0 1 1", "2*2 > 0; 2*3 > 1", 1, 1));
    assert_false(rules_out(*state, "0 0 2 1", "2*2 > 0; 2*3 > 1", 1, 1));
    assert_true(rules_out(*state, "0 0 3", "2*2 > 2*0", 1, 3));
    assert_false(rules_out(*state, "0 0 4", "2*2 > 2*0", 1, 3));
}

/* Numbers that doubles cannot represent prove nothing. */
static void test_large(void **state)
{
    om_net net;
    om_region region = { .heap = om_context_heap(*state) };
    om_net_sum sum = { .heap = region.heap };
    bool impossible = false;
    assert_int_equal(
        net_case_read(&net, *state, "2000000000 0", "2000000000*0 > 2000000000*1"), OM_OK);
    for (uint32_t p = 0; p < 2; p++)
        net.places[p].bound = OM_NET_NO_BOUND;
    om_net_sum_add(&sum, 0, 1);
    om_net_sum_add(&sum, 1, 2000000000);
    const om_predicate *p = om_predicate_linear(&region, &sum, INT64_C(4000000000000000001));
    assert_non_null(p);
    assert_int_equal(mcc_impossible(&net, p, UINT64_MAX, &impossible, NULL), OM_OK);
    assert_false(impossible);
    om_free(sum.heap, sum.terms);
    om_region_free(&region);
    net_case_close(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_known), cmocka_unit_test(test_large),
        cmocka_unit_test(test_trap), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_random) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
