/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time for which growth makes workers wait, in sets of any size. Argument: number of
 * vectors. */
#include "store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { BATCH = 128, COUNT = 1500000 };

static const uint64_t longest_ns = 50000000;

/* Makes two words that resemble the pairs of trees: ascending references, and random ones. */
static void make_pair(uint64_t i, uint32_t *vector)
{
    om_random r = { i / 3 };
    vector[0] = (uint32_t) i;
    vector[1] = (uint32_t) (om_random_next(&r) >> 40);
}

static void pauses_are_short(void **state)
{
    uint64_t count = *(const uint64_t *) *state, ids[BATCH], sum = 0;
    uint32_t vectors[2 * BATCH];
    bool fresh[BATCH];
    om_store *s = NULL;
    om_store_spec spec = {
        .heap = om_heap_default(), .kind = OM_STORE_PLAIN, .words = 2, .workers = 1
    };
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    for (uint64_t i = 0; i < count; i += BATCH) {
        for (uint64_t k = 0; k < BATCH; k++)
            make_pair(i + k, vectors + 2 * k);
        assert_int_equal(om_store__intern(s, 0, vectors, 2, BATCH, NULL, ids, fresh), OM_OK);
        for (uint64_t k = 0; k < BATCH; k++) {
            assert_true(ids[k] == i + k);
            sum += fresh[k];
        }
    }
    om_store_figures f = om_store__figures(s);
    assert_true(sum == om_store__count(s) && f.states == sum && sum >= count);
    assert_true(f.longest_pause_ns > 0 && f.longest_pause_cpu_ns > 0);
    printf(
        "%.0f vectors, %.2f bytes of index each, %llu growths, longest pause %.1f ms (%.1f ms of "
        "processor time)\n",
        (double) sum, (double) f.index_bytes / (double) sum, (unsigned long long) f.growths,
        (double) f.longest_pause_ns / 1e6, (double) f.longest_pause_cpu_ns / 1e6);
    assert_true(f.longest_pause_cpu_ns < longest_ns);
    /* All vectors keep their ids. */
    for (uint64_t i = 0; i < count; i += count / 1000) {
        make_pair(i, vectors);
        assert_int_equal(om_store__intern(s, 0, vectors, 2, 1, NULL, ids, fresh), OM_OK);
        assert_true(ids[0] == i && !fresh[0]);
    }
    om_store__free(s);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT;
    const struct CMUnitTest tests[] = { cmocka_unit_test_prestate(pauses_are_short, &count) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
