/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that nothing leaks and no wrong bound is left if memory runs out at any point, and that a
 * computation that is told to stop stops. */
#include "heap.h"
#include "net_case.h"

#include <omen/plugin/control.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Places bounded by flows, by invariants (2 = 0 + 1, times two), by linear programs, and unbounded
 * ones */
static const char TOKENS[] = "1 1 1 1 0 0 2 3 0 0 0 5 0";
static const char TRANSITIONS[] =
    "0 1 2 > 4; 4 > 0 1 2; 0 1 3 > 5; 5 > 0 1 3; 6 7 > 8 9; 8 9 > 6 7; 7 8 > 6 9; 6 9 > 7 8;"
    "0 > 0 10; 2*11 > 12; 12 > 2*11; 11 >";
static const om_value REACHED[] = { 1, 1, 1, 1, 1, 1, 2, 3, 2, 3, OM_VALUE_MAX, 5, 2 };

static void check(const om_net *net, int rc)
{
    for (uint32_t p = 0; p < net->place_count; p++) {
        assert_true(net->places[p].bound >= REACHED[p]);
        assert_true(rc != OM_OK || net->places[p].bound == REACHED[p]);
    }
}

/* Allocation n fails, for n = 0, 1, ..., until none fails. */
static void no_memory(void **state)
{
    (void) state;
    size_t n = 0;
    for (bool failed = true; failed; n++) {
        test_heap t;
        om_context *ctx = NULL;
        om_net net = { .ctx = NULL };
        om_net_invariants found = { .heap = NULL };
        test_heap_init(&t, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &t.heap), OM_OK);
        assert_int_equal(net_case_read(&net, ctx, TOKENS, TRANSITIONS), OM_OK);
        t.fail_at = t.calls + n;
        int rc = om_net_bound(&net);
        check(&net, t.calls > t.fail_at ? OM_ENOMEM : rc);
        if (rc == OM_OK)
            rc = om_net_invariants__find(&found, &net, NULL, 0);
        failed = t.calls > t.fail_at;
        assert_int_equal(rc, failed ? OM_ENOMEM : OM_OK);
        om_net_invariants__free(&found);
        net_case_close(&net);
        om_context_free(ctx);
        assert_int_equal(t.live, 0);
    }
    assert_true(n > 40);
}

static void told_to_stop(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_net net;
    om_net_invariants found;
    enum { PLACES = 5000 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(net_case_open(&net, ctx, PLACES, PLACES), OM_OK);
    net.places[0].initial = 1;
    for (uint32_t p = 0; p < PLACES; p++) {
        uint32_t next = (p + 1) % PLACES;
        assert_int_equal(net_case_add_few(&net, &p, 1, &next, 1), OM_OK);
    }
    assert_int_equal(om_net_bound(&net), OM_OK);
    om_control_stop(om_context_control(ctx), OM_STOP_INTERRUPT);
    int stopped = om_context_stopped(ctx);
    assert_int_not_equal(stopped, OM_OK);
    assert_int_equal(om_net_bound(&net), stopped);
    assert_int_equal(om_net_invariants__find(&found, &net, NULL, 0), stopped);
    net_case_close(&net);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory),
        cmocka_unit_test(told_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
