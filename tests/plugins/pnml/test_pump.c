/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests runs that pump a place. On random nets, each run found is fired again here, and nets whose
 * exploration is complete have none. Also tests nets that certainly have one, and nets whose places
 * merely have no proved bound.
 */
#include "heap.h"
#include "net_case.h"
#include "analysis/pump.h"

#include <omen/plugin/control.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

#include <cmocka.h>

enum { NETS = 1500, MOST_PLACES = 7, MARKINGS = 4000 };

/* ---- the firing rule ---- */

static void fire(const om_net *net, uint32_t transition, int64_t *marking)
{
    const om_net_transition *t = &net->transitions[transition];
    for (uint32_t i = 0; i < t->take_count; i++) {
        marking[t->takes[i].place] -= t->takes[i].count;
        assert_true(marking[t->takes[i].place] >= 0);
    }
    for (uint32_t i = 0; i < t->give_count; i++)
        marking[t->gives[i].place] += t->gives[i].count;
}

/* The marking after the run covers the marking after its stem, and has more tokens in the place. */
static void check_pump(const om_net *net, const om_net_pump *p)
{
    int64_t now[MOST_PLACES] = { 0 }, before[MOST_PLACES];
    assert_true(p->stem < p->count);
    for (uint32_t i = 0; i < net->place_count; i++)
        now[i] = net->places[i].initial;
    for (size_t i = 0; i < p->count; i++) {
        if (i == p->stem)
            memcpy(before, now, sizeof before);
        fire(net, p->firings[i], now);
    }
    for (uint32_t i = 0; i < net->place_count; i++)
        assert_true(now[i] >= before[i]);
    assert_true(p->place < net->place_count && now[p->place] > before[p->place]);
    assert_int_equal(net->places[p->place].bound, OM_NET_NO_BOUND);
}

/* ---- random nets ---- */

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

static void make(om_net *net, om_context *ctx, om_random *r)
{
    const uint32_t places = 2 + below(r, MOST_PLACES - 1), transitions = 1 + below(r, 7);
    assert_int_equal(net_case_open(net, ctx, places, transitions), OM_OK);
    for (uint32_t p = 0; p < places; p++)
        net->places[p].initial = (om_value) below(r, 3);
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t counts[MOST_PLACES] = { 0 };
        bool both[MOST_PLACES] = { false };
        for (unsigned moves = 1 + below(r, 2); moves > 0; moves--) {
            counts[below(r, places)]--;
            counts[below(r, places)] += 1 + (below(r, 6) == 0);
        }
        both[below(r, places)] = below(r, 2) == 0;
        assert_int_equal(net_case_add(net, counts, both), OM_OK);
    }
}

static void random_nets(void **state)
{
    om_random r = { 20 };
    unsigned found = 0, finite = 0, missed = 0, open = 0;
    for (unsigned n = 0; n < NETS; n++) {
        om_net net;
        om_net_pump p;
        net_case_result explored;
        make(&net, *state, &r);
        assert_int_equal(om_net_bound(&net), OM_OK);
        assert_int_equal(om_net_pump__find(&p, &net), OM_OK);
        assert_true(net_case_explore(&net, NULL, MARKINGS, &explored));
        if (p.count != 0)
            check_pump(&net, &p);
        assert_false(p.count != 0 && explored.complete);
        for (uint32_t i = 0, any = 0; i < net.place_count && any == 0; i++)
            open += any = explored.complete && net.places[i].bound == OM_NET_NO_BOUND;
        found += p.count != 0;
        finite += explored.complete;
        missed += p.count == 0 && !explored.complete;
        om_net_pump__free(&p);
        net_case_drop(&explored);
        net_case_close(&net);
    }
    print_message("%u pumped, %u finite (%u with a place without bound), %u neither\n", found,
        finite, open, missed);
    assert_true(found > NETS / 10 && finite > NETS / 10 && open > 5 && missed < found / 20);
}

/* ---- nets by hand ---- */

static void read(om_net *net, om_context *ctx, const char *tokens, const char *transitions)
{
    assert_int_equal(net_case_read(net, ctx, tokens, transitions), OM_OK);
    assert_int_equal(net_case_name(net), OM_OK);
    assert_int_equal(om_net_bound(net), OM_OK);
}

static void check_said(void **state, const char *tokens, const char *transitions, const char *why)
{
    om_net net;
    bool proved = false;
    om_text said = { .heap = om_context_heap(*state) };
    read(&net, *state, tokens, transitions);
    assert_int_equal(om_net_pump__prove(&net, &said, &proved), OM_OK);
    assert_int_equal(proved, why != NULL);
    if (why != NULL)
        assert_string_equal(said.text, why);
    om_text_free(&said);
    net_case_close(&net);
}

static void by_hand(void **state)
{
    check_said(state, "1 0", "0 > 0 1",
        "the net is unbounded: firing t0 from the initial marking adds tokens to place p1");
    /* A ring in which only one of three transitions adds tokens */
    check_said(state, "1 0 0 0", "0 > 1; 1 > 2; 2 > 0 3",
        "the net is unbounded: firing t0, t1, t2 from the initial marking adds tokens to place p3");
    /* Nothing pumps before the first transition has fired. */
    check_said(state, "1 0 0", "0 > 1; 1 > 1 2",
        "the net is unbounded: firing t1 from a reachable marking adds tokens to place p2");
    /* The transition that adds tokens needs two places that are never marked together. */
    check_said(state, "1 0 5 0", "0 > 1; 1 > 0; 0 1 > 0 1 2; 2 > 3; 3 > 2", NULL);
    check_said(state, "1 0", "0 > 1; 1 > 0", NULL);
}

static void no_memory(void **state)
{
    (void) state;
    size_t n = 0;
    for (bool failed = true; failed; n++) {
        test_heap t;
        om_context *ctx = NULL;
        om_net net;
        om_text said;
        bool proved = false;
        test_heap_init(&t, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &t.heap), OM_OK);
        said = (om_text){ .heap = &t.heap };
        read(&net, ctx, "1 0 0 0", "0 > 1; 1 > 2; 2 > 0 3");
        t.fail_at = t.calls + n;
        int rc = om_net_pump__prove(&net, &said, &proved);
        failed = t.calls > t.fail_at;
        assert_int_equal(rc, failed ? OM_ENOMEM : OM_OK);
        assert_true(proved || failed);
        om_text_free(&said);
        net_case_close(&net);
        om_context_free(ctx);
        assert_int_equal(t.live, 0);
    }
    assert_true(n > 8);
}

static void told_to_stop(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_net net;
    om_net_pump p;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    read(&net, ctx, "1 0 5 0", "0 > 1; 1 > 0; 0 1 > 0 1 2; 2 > 3; 3 > 2");
    om_control_stop(om_context_control(ctx), OM_STOP_INTERRUPT);
    assert_int_equal(om_net_pump__find(&p, &net), om_context_stopped(ctx));
    assert_int_equal(p.count, 0);
    net_case_close(&net);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_nets),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(told_to_stop),
    };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
