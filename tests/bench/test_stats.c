/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers of the statistics. */
#include "report/stats.h"

#include "heap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static double median(const double *values, size_t count)
{
    double out = -1;
    assert_int_equal(bench_median(om_heap_default(), values, count, &out), OM_OK);
    return out;
}

static bench_estimate geomean(const bench_rounds *rows, size_t count)
{
    bench_estimate e;
    assert_int_equal(bench_geomean(om_heap_default(), rows, count, &e), OM_OK);
    return e;
}

static void near(double x, double y)
{
    assert_true(fabs(x - y) <= 1e-9 * fabs(y));
}

static void test_median(void **state)
{
    (void) state;
    const double odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 100 };
    near(median(odd, 3), 5);
    near(median(even, 4), 3.5);
    near(median(odd, 1), 9);
    assert_true(isnan(median(NULL, 0)));
    near(odd[0], 9); /* the input is unchanged */
}

static void test_geomean(void **state)
{
    (void) state;
    const double two[] = { 2, 2, 2 }, one[] = { 1, 1, 1 }, eight[] = { 8, 8, 8 };
    const bench_rounds rows[] = { { two, one, 3 }, { eight, one, 3 } };
    bench_estimate e = geomean(rows, 2);
    near(e.value, 4);
    near(e.low, 4);
    near(e.high, 4);
    e = geomean(rows, 1);
    near(e.value, 2);
}

/* Both sides of a round are drawn together: a slowdown of both does not widen the interval. */
static void test_rounds_are_pairs(void **state)
{
    (void) state;
    const double a[] = { 10, 40, 20, 80 }, b[] = { 5, 20, 10, 40 };
    const bench_rounds row = { a, b, 4 };
    bench_estimate e = geomean(&row, 1);
    near(e.value, 2);
    near(e.low, 2);
    near(e.high, 2);
}

/* Two rounds: the median of a draw is 1, 2 or 3 with probability 1/4, 1/2, 1/4. */
static void test_interval(void **state)
{
    (void) state;
    const double a[] = { 1, 3 }, many[] = { 10, 11, 12, 13, 14 };
    const bench_rounds two = { a, NULL, 2 }, five = { many, NULL, 5 };
    bench_estimate e = geomean(&two, 1), f;
    near(e.value, 2);
    near(e.low, 1);
    near(e.high, 3);
    /* Five rounds: the least value has 1 - (4/5)^5 - ... of the medians; at most 2.5 % are 10
     * or 11. */
    e = geomean(&five, 1);
    near(e.value, 12);
    assert_true(e.low >= 10 && e.low <= 11 && e.high >= 13 && e.high <= 14);
    f = geomean(&five, 1);
    near(f.low, e.low);
    near(f.high, e.high);
}

static void test_what_is_not_known(void **state)
{
    (void) state;
    const double a[] = { 4, 4 }, zero[] = { 0, 0 }, some[] = { 0, 5, 5 };
    const bench_rounds once = { a, NULL, 1 }, none = { a, NULL, 0 }, by_zero = { a, zero, 2 };
    const bench_rounds at_times = { some, NULL, 3 };
    bench_estimate e = geomean(&once, 1);
    near(e.value, 4);
    assert_true(isnan(e.low) && isnan(e.high));
    assert_true(isnan(geomean(&none, 1).value));
    assert_true(isnan(geomean(&by_zero, 1).value));
    assert_true(isnan(geomean(NULL, 0).value));
    /* The median is known, but not that of each draw: there is no interval. */
    e = geomean(&at_times, 1);
    near(e.value, 5);
    assert_true(isnan(e.low) && isnan(e.high));
}

static void test_out_of_memory(void **state)
{
    (void) state;
    const double a[] = { 1, 3 };
    const bench_rounds row = { a, NULL, 2 };
    int rc = OM_ENOMEM;
    size_t n = 0;
    for (; rc == OM_ENOMEM; n++) {
        test_heap h;
        bench_estimate e;
        double m;
        test_heap_init(&h, n);
        rc = bench_geomean(&h.heap, &row, 1, &e);
        if (rc == OM_OK)
            rc = bench_median(&h.heap, a, 2, &m);
        assert_int_equal(h.live, 0);
    }
    assert_int_equal(rc, OM_OK);
    assert_int_equal(n, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_geomean),
        cmocka_unit_test(test_rounds_are_pairs),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_what_is_not_known),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
