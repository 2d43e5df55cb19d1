/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nets of 10^5 places: the number of entries examined and the bytes allocated stay within the
 * limits of bounds.h on any machine. The times are printed.
 */
#include "heap.h"
#include "net_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { PLACES = 100000, SIDE = 300 };
static const uint64_t MOST_WORK = 100000000;

typedef struct large {
    test_heap heap;
    om_context *ctx;
    om_net net;
} large;

static void open_net(large *l, uint32_t places, uint32_t transitions)
{
    test_heap_init(&l->heap, SIZE_MAX);
    assert_int_equal(om_context_new(&l->ctx, &l->heap.heap), OM_OK);
    assert_int_equal(net_case_open(&l->net, l->ctx, places, transitions), OM_OK);
}

static void add(large *l, const uint32_t *takes, uint32_t take_count, const uint32_t *gives,
    uint32_t give_count)
{
    assert_int_equal(net_case_add_few(&l->net, takes, take_count, gives, give_count), OM_OK);
}

static bool fire(const om_net_transition *t, om_value *tokens)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (tokens[t->takes[i].place] < t->takes[i].count)
            return false;
    for (uint32_t i = 0; i < t->take_count; i++)
        tokens[t->takes[i].place] -= t->takes[i].count;
    for (uint32_t i = 0; i < t->give_count; i++)
        tokens[t->gives[i].place] += t->gives[i].count;
    return true;
}

/* Fires random transitions and checks that no marking exceeds the bounds. Returns the number of
 * firings. */
static unsigned walk(const om_net *net, unsigned tries)
{
    unsigned fired = 0;
    om_random r = { 3 };
    om_value *tokens = malloc((net->place_count + (size_t) 1) * sizeof *tokens);
    assert_non_null(tokens);
    for (uint32_t p = 0; p < net->place_count; p++)
        tokens[p] = net->places[p].initial;
    for (unsigned i = 0; i < tries; i++) {
        const om_net_transition *t = &net->transitions[om_random_below(&r, net->transition_count)];
        if (!fire(t, tokens))
            continue;
        fired++;
        for (uint32_t k = 0; k < t->give_count; k++)
            assert_true(tokens[t->gives[k].place] <= net->places[t->gives[k].place].bound);
    }
    free(tokens);
    return fired;
}

/* Computes the bounds; returns the number of places with a bound of at most `most`. */
static uint32_t bound(large *l, const char *name, om_value most, unsigned tries)
{
    om_net_bound_figures f;
    size_t net_bytes = l->heap.peak = l->heap.bytes;
    clock_t begin = clock();
    assert_int_equal(om_net__bound_measured(&l->net, &f), OM_OK);
    double seconds = (double) (clock() - begin) / CLOCKS_PER_SEC;
    uint32_t bounded = 0;
    for (uint32_t p = 0; p < l->net.place_count; p++)
        bounded += l->net.places[p].bound <= most;
    print_message("%s: %.2f s, %zu MB for a net of %zu MB, %llu + %llu + %llu entries; %u of %u\n",
        name, seconds, (l->heap.peak - net_bytes) >> 20, net_bytes >> 20,
        (unsigned long long) f.flows, (unsigned long long) f.invariants,
        (unsigned long long) f.simplex, (unsigned) bounded, (unsigned) l->net.place_count);
    assert_true(walk(&l->net, tries) >= tries / 100);
    assert_true(f.flows + f.invariants + f.simplex <= MOST_WORK);
    assert_true(l->heap.peak - net_bytes <= 12 * net_bytes);
    net_case_close(&l->net);
    om_context_free(l->ctx);
    assert_int_equal(l->heap.live, 0);
    return bounded;
}

static void one_ring(void **state)
{
    large l;
    (void) state;
    open_net(&l, PLACES, PLACES);
    l.net.places[7].initial = 1;
    for (uint32_t p = 0; p < PLACES; p++)
        add(&l, &p, 1, &(uint32_t){ (p + 1) % PLACES }, 1);
    assert_int_equal(bound(&l, "one ring", 1, 0), PLACES);
}

/* The same ring in random order */
static void shuffled_ring(void **state)
{
    large l;
    om_random r = { 5 };
    (void) state;
    uint32_t *order = malloc(PLACES * sizeof *order);
    assert_non_null(order);
    for (uint32_t p = 0; p < PLACES; p++) {
        uint32_t other = (uint32_t) om_random_below(&r, p + 1);
        order[p] = order[other];
        order[other] = p;
    }
    open_net(&l, PLACES, PLACES);
    l.net.places[7].initial = 1;
    for (uint32_t p = 0; p < PLACES; p++)
        add(&l, &order[p], 1, &order[(p + 1) % PLACES], 1);
    free(order);
    assert_int_equal(bound(&l, "shuffled ring", 1, 0), PLACES);
}

/* Rings of ten places; some transitions move the tokens of two neighbouring rings together. */
static void many_rings(void **state)
{
    large l;
    (void) state;
    open_net(&l, PLACES, PLACES);
    for (uint32_t p = 0; p < PLACES; p++) {
        uint32_t ring = p / 10 * 10, next = ring + (p + 1) % 10, other = (p + 10) % PLACES;
        uint32_t other_next = other / 10 * 10 + (other + 1) % 10;
        bool joint = p % 10 == 0 && ring % 20 == 0;
        l.net.places[p].initial = p % 10 == 0;
        if (joint)
            add(&l, (uint32_t[]){ p, other }, 2, (uint32_t[]){ next, other_next }, 2);
        else
            add(&l, &p, 1, &next, 1);
    }
    assert_int_equal(bound(&l, "many rings", 1, 0), PLACES);
}

/* A token moves on a grid. */
static void grid(void **state)
{
    large l;
    (void) state;
    open_net(&l, SIDE * SIDE, 2 * SIDE * SIDE);
    l.net.places[0].initial = 1;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t p = y * SIDE + x;
            add(&l, &p, 1, &(uint32_t){ y * SIDE + (x + 1) % SIDE }, 1);
            add(&l, &p, 1, &(uint32_t){ (y + 1) % SIDE * SIDE + x }, 1);
        }
    assert_int_equal(bound(&l, "grid", 1, 0), SIDE * SIDE);
}

/* A resource, place 0, that many processes take and return */
static void hub(void **state)
{
    large l;
    (void) state;
    open_net(&l, PLACES + 1, PLACES);
    l.net.places[0].initial = 3;
    for (uint32_t p = 0; p < PLACES; p += 2) {
        l.net.places[p + 1].initial = 1;
        add(&l, (uint32_t[]){ 0, p + 1 }, 2, &(uint32_t){ p + 2 }, 1);
        add(&l, &(uint32_t){ p + 2 }, 1, (uint32_t[]){ 0, p + 1 }, 2);
    }
    assert_int_equal(bound(&l, "hub", 3, 0), PLACES + 1);
}

/* One transition takes from half of the places and gives to the other half. */
static void fork_and_join(void **state)
{
    large l;
    uint32_t half = PLACES / 2;
    (void) state;
    uint32_t *all = malloc(PLACES * sizeof *all);
    assert_non_null(all);
    open_net(&l, PLACES, 2);
    for (uint32_t p = 0; p < PLACES; p++) {
        all[p] = p;
        l.net.places[p].initial = p < half;
    }
    add(&l, all, half, all + half, half);
    add(&l, all + half, half, all, half);
    free(all);
    assert_int_equal(bound(&l, "fork and join", 1, 0), PLACES);
}

/* Arcs between random places: the elimination causes fill-in and ends when its budget is used
 * up. */
static void at_random(void **state)
{
    large l;
    om_random r = { 11 };
    (void) state;
    open_net(&l, PLACES, PLACES);
    for (uint32_t p = 0; p < PLACES; p++) {
        uint32_t at[4];
        l.net.places[p].initial = p % 3 == 0;
        for (uint32_t i = 0; i < 4; i++)
            at[i] = (uint32_t) om_random_below(&r, PLACES / 2 - 1) + (i % 2) * (PLACES / 2);
        add(&l, at, 2, at + 2, 2);
    }
    (void) bound(&l, "random", 1, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ring),
        cmocka_unit_test(shuffled_ring),
        cmocka_unit_test(many_rings),
        cmocka_unit_test(grid),
        cmocka_unit_test(hub),
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
