/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "process/processors.h"

#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

static void quotas_are_read(void **state)
{
    (void) state;
    static const struct {
        const char *text;
        unsigned processors, want;
    } cases[] = { { "max 100000\n", 8, 8 }, { "100000 100000\n", 8, 1 },
        { "250000 100000\n", 8, 3 }, { "10000 100000\n", 8, 1 }, { "0 100000\n", 8, 1 },
        { "900000 100000\n", 8, 8 }, { "200000", 8, 8 }, { "200000 0\n", 8, 8 }, { "", 8, 8 },
        { "junk", 3, 3 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(om_processors__quota(cases[i].text, cases[i].processors), cases[i].want);
    assert_true(om_processors__count() >= 1);
}

static void workers_go_round_the_nodes(void **state)
{
    (void) state;
    static const unsigned even[] = { 2, 2, 2 }, want_even[] = { 0, 1, 2, 0, 1, 2, 0, 1 };
    static const unsigned odd[] = { 1, 0, 3 }, want_odd[] = { 0, 2, 2, 2, 0, 2 };
    static const unsigned none[] = { 0, 0 };
    for (unsigned w = 0; w < sizeof want_even / sizeof *want_even; w++)
        assert_int_equal(om_nodes__of_worker(even, 3, w), want_even[w]);
    for (unsigned w = 0; w < sizeof want_odd / sizeof *want_odd; w++)
        assert_int_equal(om_nodes__of_worker(odd, 3, w), want_odd[w]);
    assert_int_equal(om_nodes__of_worker(none, 2, 5), 0);
}

static bool built_with_hwloc(void)
{
    om_context *ctx = NULL;
    om_text text = { .heap = om_heap_default() };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_nodes_describe(ctx, &text);
    assert_false(text.failed);
    bool yes = strstr(text.text, "built without hwloc") == NULL;
    om_text_free(&text);
    om_context_free(ctx);
    return yes;
}

/* hwloc gets a synthetic machine, whose nodes cannot be bound to. */
static void nodes_are_found_and_used(void **state)
{
    (void) state;
    enum { BYTES = 1 << 20 };
    if (!built_with_hwloc())
        skip();
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "numa:3 core:2 pu:1", 1), 0);
    om_nodes *n = om_nodes__open(om_heap_default());
    assert_non_null(n);
    assert_int_equal(om_nodes__count(n), 3);
    unsigned char *at =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    om_nodes__spread(n, at, BYTES);
    for (unsigned w = 0; w < 8; w++) {
        void *before = om_nodes__enter(n, w);
        at[w << 16] = (unsigned char) (w + 1);
        om_nodes__leave(n, before);
    }
    for (unsigned w = 0; w < 8; w++)
        assert_int_equal(at[w << 16], w + 1);
    assert_int_equal(munmap(at, BYTES), 0);
    om_nodes__close(n);
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1), 0);
    assert_null(om_nodes__open(om_heap_default()));
    assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
}

static void no_nodes_are_fine(void **state)
{
    (void) state;
    char byte = 0;
    assert_int_equal(om_nodes__count(NULL), 1);
    om_nodes__spread(NULL, &byte, 1);
    om_nodes__leave(NULL, om_nodes__enter(NULL, 3));
    om_nodes__close(NULL);
}

/* From each processor, by each number of steps; the system may have moved the thread since. */
static void threads_move_and_are_not_bound(void **state)
{
    (void) state;
    enum { TRIES = 1000, STEPS = 5 };
    cpu_set_t allowed, now;
    unsigned ring[CPU_SETSIZE], n = 0;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &allowed))
            ring[n++] = i;
    assert_true(n > 0);
    for (unsigned k = 0; k < n && k < STEPS; k++)
        for (unsigned steps = 0; steps < STEPS; steps++) {
            unsigned want = ring[(k + steps) % n], tries = 0;
            do
                om_processors__move_to(ring[k], steps);
            while (om_processors__current() != want && ++tries < TRIES);
            assert_true(n < 2 || tries < TRIES);
            assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
            assert_true(CPU_EQUAL(&allowed, &now));
        }
    om_processors__move_to(CPU_SETSIZE + ring[0], UINT_MAX); /* invalid processor */
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_EQUAL(&allowed, &now));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotas_are_read),
        cmocka_unit_test(workers_go_round_the_nodes),
        cmocka_unit_test(nodes_are_found_and_used),
        cmocka_unit_test(no_nodes_are_fine),
        cmocka_unit_test(threads_move_and_are_not_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
