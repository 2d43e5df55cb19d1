/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds and invariants of small nets made by hand */
#include "net_case.h"

#include <omen/plugin/control.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

#include <cmocka.h>

/* "1 - 3": bounds, "-" for none */
static void check_bounds(
    om_context *ctx, const char *tokens, const char *transitions, const char *bounds)
{
    om_net net;
    char found[256] = "";
    assert_int_equal(net_case_read(&net, ctx, tokens, transitions), OM_OK);
    assert_int_equal(om_net_bound(&net), OM_OK);
    for (uint32_t p = 0; p < net.place_count; p++) {
        size_t n = strlen(found);
        if (net.places[p].bound == OM_NET_NO_BOUND)
            (void) snprintf(found + n, sizeof found - n, p == 0 ? "-" : " -");
        else
            (void) snprintf(
                found + n, sizeof found - n, p == 0 ? "%ld" : " %ld", (long) net.places[p].bound);
    }
    net_case_close(&net);
    assert_string_equal(found, bounds);
}

static void nothing_changes(void **state)
{
    check_bounds(*state, "3 0", "", "3 0");
    check_bounds(*state, "3 1", "0 1 > 0 1", "3 1");
    check_bounds(*state, "3 2", "2*0 1 > 0; 0 > 0", "3 2"); /* the tokens only decrease */
}

static void never_marked(void **state)
{
    /* 1 waits for 2, which waits for 1. */
    check_bounds(*state, "1 0 0", "0 1 > 0 2; 0 2 > 0 1", "1 0 0");
    /* Place 0 never has 3 tokens, so place 1 never gets one. */
    check_bounds(*state, "2 0", "3*0 > 3*0 1", "2 0");
    /* Only an invariant shows that place 1 never has two tokens. */
    check_bounds(*state, "1 0 0", "0 > 1; 1 > 0; 2*1 > 2*1 2", "1 1 0");
}

static void invariant_sums(void **state)
{
    check_bounds(*state, "1 0 0", "0 > 1; 1 > 2; 2 > 0", "1 1 1");
    check_bounds(*state, "5 0 2", "0 > 1; 1 > 0; 1 2 > 2 0", "5 5 2");
    check_bounds(*state, "7 0", "2*0 > 1; 1 > 2*0", "7 3");
    check_bounds(*state, "4 0", "0 > 3*1; 3*1 > 0", "4 12");
    /* A buffer with 3 free cells between a producer and a consumer */
    check_bounds(*state, "1 0 3 0 1 0", "0 2 > 1 3; 1 > 0; 3 4 > 2 5; 5 > 4", "1 1 3 3 1 1");
}

static void sums_that_shrink(void **state)
{
    check_bounds(*state, "3 0", "0 > 1; 1 >; 2*1 > 0", "3 3");
    check_bounds(*state, "8 0 0", "2*0 > 1; 2*1 > 2", "8 4 2");
}

static void unbounded(void **state)
{
    check_bounds(*state, "0 0", "> 0; 0 > 1; 1 >", "- -");
    check_bounds(*state, "1 0", "0 > 0 1", "1 -");
    check_bounds(*state, "1 0 0", "0 > 0 1; 1 2 > 2", "1 - 0");
}

/* The factors of these semiflows cannot be found without choosing which of two factors to
 * increase. */
static void by_a_linear_program(void **state)
{
    /* Dining philosophers: 0 and 1 are forks, 2 and 3 think, 4 and 5 eat. */
    check_bounds(
        *state, "1 1 1 1 0 0", "0 1 2 > 4; 4 > 0 1 2; 0 1 3 > 5; 5 > 0 1 3", "1 1 1 1 1 1");
    check_bounds(*state, "2 3 0 0", "0 1 > 2 3; 2 3 > 0 1; 2 1 > 0 3; 0 3 > 2 1", "2 3 2 3");
}

static void large_numbers(void **state)
{
    check_bounds(*state, "2147483647 0", "0 > 1; 1 > 0", "- -");
    check_bounds(*state, "2147483646 0", "0 > 2*1; 2*1 > 0", "2147483646 -");
    /* Each step multiplies the tokens by 2^30, so the last bounds exceed every value. */
    check_bounds(*state, "1 0 0 0 0",
        "0 > 1073741824*1; 1 > 1073741824*2; 2 > 1073741824*3; 3 > 1073741824*4",
        "1 1073741824 - - -");
}

static void nets_without_anything(void **state)
{
    om_net net = { .ctx = *state };
    assert_int_equal(om_net_bound(&net), OM_OK);
    check_bounds(*state, "4", "", "4");
    check_bounds(*state, "0", ">", "0");
}

/* All invariants of this net are found: p0 + p1 = 1, p2 + p3 = 3 and p4 + p5 = 1. Each has a place
 * of its own. */
static void invariants_and_their_own_places(void **state)
{
    om_net net;
    om_net_invariants found;
    bool own[6] = { false };
    assert_int_equal(
        net_case_read(&net, *state, "1 0 3 0 1 0", "0 2 > 1 3; 1 > 0; 3 4 > 2 5; 5 > 4"), OM_OK);
    assert_int_equal(om_net_invariants__find(&found, &net, NULL, 0), OM_OK);
    assert_true(found.complete);
    assert_int_equal(found.count, 3);
    for (size_t r = 0; r < found.count; r++) {
        assert_true(found.rows[r].terms[0].factor > 0);
        own[found.rows[r].terms[0].place] = true;
    }
    for (size_t r = 0; r < found.count; r++)
        for (uint32_t i = 1; i < found.rows[r].term_count; i++)
            assert_false(own[found.rows[r].terms[i].place]);
    om_net_invariants__free(&found);
    net_case_close(&net);
}

static void invariants_of_what_may_fire(void **state)
{
    om_net net;
    om_net_invariants found;
    assert_int_equal(net_case_read(&net, *state, "1 0", "0 > 1; 1 >"), OM_OK);
    assert_int_equal(om_net_invariants__find(&found, &net, NULL, 0), OM_OK);
    assert_int_equal(found.count, 0);
    om_net_invariants__free(&found);
    assert_int_equal(
        om_net_invariants__find(&found, &net, (const bool[]){ true, false }, 0), OM_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.rows[0].constant, 1);
    assert_int_equal(found.rows[0].term_count, 2);
    om_net_invariants__free(&found);
    net_case_close(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes),
        cmocka_unit_test(never_marked),
        cmocka_unit_test(invariant_sums),
        cmocka_unit_test(sums_that_shrink),
        cmocka_unit_test(unbounded),
        cmocka_unit_test(by_a_linear_program),
        cmocka_unit_test(large_numbers),
        cmocka_unit_test(nets_without_anything),
        cmocka_unit_test(invariants_and_their_own_places),
        cmocka_unit_test(invariants_of_what_may_fire),
    };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
