/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the output of programs; figures that are not printed stay unknown. */
#include "report/figures.h"
#include "report/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char pan_text[] =
    "\n(Spin Version 6.5.2 -- 6 December 2019)\n\nFull statespace search for:\n"
    "\tnever claim         \t- (not selected)\n\n"
    "State-vector 52 byte, depth reached 6307, errors: 0\n"
    "    49445 states, stored\n    97498 states, matched\n"
    "   146943 transitions (= stored+matched)\n        3 atomic steps\n"
    "hash conflicts:        17 (resolved)\n\npan: elapsed time 0.04 seconds\n";

static const char *read_with(
    const char *(*read)(const char *, bench_sample *), const char *text, bench_sample *s)
{
    bench_sample_clear(s);
    return read(text, s);
}

static void test_pan(void **state)
{
    bench_sample s;
    (void) state;
    assert_null(read_with(bench_read_pan, pan_text, &s));
    assert_true(s.figures[BENCH_STATES] == 49445);
    assert_true(s.figures[BENCH_TRANSITIONS] == 146943);
    assert_true(fabs(s.figures[BENCH_SECONDS] - 0.04) < 1e-12);
    assert_string_equal(s.verdict, "holds");
    assert_true(isnan(s.figures[BENCH_PEAK]));
    /* With a claim, and from 10^8 states on. */
    assert_null(read_with(bench_read_pan,
        "depth reached 4459, errors: 0\n 63709 states, stored (95541 visited)\n"
        "   361195 transitions (= visited+matched)\n",
        &s));
    assert_true(s.figures[BENCH_STATES] == 63709 && s.figures[BENCH_TRANSITIONS] == 361195);
    assert_null(read_with(bench_read_pan, "errors: 0\n1.4348907e+08 states, stored\n", &s));
    assert_true(s.figures[BENCH_STATES] == 143489070);
}

static void test_pan_that_goes_wrong(void **state)
{
    bench_sample s;
    (void) state;
    assert_string_equal(read_with(bench_read_pan, "", &s), "pan printed no figures");
    assert_non_null(read_with(bench_read_pan, " states, stored\nerrors: 0\n", &s));
    assert_non_null(read_with(bench_read_pan, "12 states, stored\n", &s));
    assert_string_equal(read_with(bench_read_pan,
                            "error: max search depth too small\nerrors: 0\n5 states, stored\n", &s),
        "pan: its search was cut short (depth)");
    assert_true(isnan(s.figures[BENCH_STATES]));
    assert_non_null(
        read_with(bench_read_pan, "pan: out of memory\n errors: 0\n5 states, stored", &s));
    /* A violation ends the search; this is not an error. */
    assert_null(read_with(bench_read_pan,
        "Warning: Search not completed\ndepth reached 90, errors: 1\n  45 states, stored\n", &s));
    assert_string_equal(s.verdict, "violated");
}

static void test_ltsmin(void **state)
{
    bench_sample s;
    (void) state;
    assert_null(read_with(bench_read_ltsmin,
        "dve2lts-mc( 0/ 2), 0.025: Explored 1853 states 7739 transitions, fanout: 4.176\n"
        "dve2lts-mc( 0/ 2), 0.025: Total exploration time 0.020 sec (0.020 sec minimum)\n",
        &s));
    assert_true(s.figures[BENCH_STATES] == 1853 && s.figures[BENCH_TRANSITIONS] == 7739);
    assert_true(fabs(s.figures[BENCH_SECONDS] - 0.02) < 1e-12);
    assert_string_equal(s.verdict, "");
    assert_non_null(read_with(bench_read_ltsmin, "nothing of the kind", &s));
    assert_non_null(read_with(bench_read_ltsmin, "Explored many states", &s));
    assert_string_equal(read_with(bench_read_ltsmin,
                            "Error: tree leafs table full! Change -s/--ratio\nExplored 5 states 6 "
                            "transitions",
                            &s),
        "LTSmin: a table was full");
}

static void test_omen(void **state)
{
    bench_sample s;
    (void) state;
    assert_null(read_with(bench_read_omen,
        "{\"states\": 20, \"transitions\": 34, \"complete\": true, \"seconds\": 0.5,"
        " \"store\": {\"bytes_per_state\": 9.5, \"index_load\": 0.25, \"probes_per_look_up\": "
        "null},"
        " \"executor\": \"native\"}",
        &s));
    assert_true(s.figures[BENCH_STATES] == 20 && s.figures[BENCH_TRANSITIONS] == 34);
    assert_true(s.figures[BENCH_STORE_PER_STATE] == 9.5 && s.figures[BENCH_INDEX_LOAD] == 0.25);
    assert_true(isnan(s.figures[BENCH_PROBES]) && isnan(s.figures[BENCH_LONGEST_PAUSE]));
    assert_string_equal(s.executor, "native");
    assert_null(read_with(
        bench_read_omen, "{\"verdict\": \"unknown\", \"states\": 0, \"store\": null}", &s));
    assert_string_equal(s.verdict, "unknown");
    assert_non_null(read_with(bench_read_omen, "", &s));
    assert_non_null(read_with(bench_read_omen, "{}", &s));
    assert_non_null(read_with(bench_read_omen, "[1]", &s));
    assert_non_null(read_with(bench_read_omen, "{\"states\": \"many\"}", &s));
    assert_string_equal(read_with(bench_read_omen, "{\"states\": 20, \"complete\": false}", &s),
        "the exploration is not complete");
}

static const char counted[] =
    "{\"states\": 10, \"transitions\": 40, \"complete\": false, \"counts\": {\"total\":"
    " {\"sectors_read\": 60, \"sectors_written\": 20, \"atomics\": 10, \"asked_read\": 100,"
    " \"asked_written\": 120}, \"kernels\": [{\"buffers\": [{\"buffer\": \"index\","
    " \"sectors_read\": 30}, {\"buffer\": \"table\", \"sectors_read\": 20}]}, {\"buffers\":"
    " [{\"buffer\": \"index\", \"sectors_read\": 10}]}]}}";

static void test_counts(void **state)
{
    bench_sample s;
    (void) state;
    assert_null(read_with(bench_read_counts, counted, &s));
    const double *f = s.figures;
    assert_true(f[BENCH_SECTORS_READ] == 1.5 && f[BENCH_SECTORS_WRITTEN] == 0.5);
    assert_true(f[BENCH_INDEX_SECTORS] == 1 && f[BENCH_ATOMICS] == 0.25);
    assert_true(f[BENCH_ASKED_READ] == 2.5 && f[BENCH_ASKED_WRITTEN] == 3);
    assert_true(isnan(f[BENCH_STATES])); /* states of a part are not the model's */
    static const char *const nothing[] = { "", "[]", "{}", "{\"transitions\": 4, \"counts\": null}",
        "{\"transitions\": 0, \"counts\": {\"total\": {}}}" };
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_string_equal(read_with(bench_read_counts, nothing[i], &s), "nothing was counted");
}

/* The minimum of three limits, computed by hand. */
static void test_predictions(void **state)
{
    bench_sample s;
    (void) state;
    assert_null(read_with(bench_read_counts, counted, &s));
    bench_prediction p =
        bench_predict(&s, 4.8e12); /* bandwidth of an H200: 3 G look-ups, one per transition */
    assert_true(fabs(p.rate - 3e9) < 1);
    assert_string_equal(p.limit, "look-ups");
    p = bench_predict(&s, 2.4e12);
    assert_true(fabs(p.rate - 1.5e9) < 1);
    s.figures[BENCH_ATOMICS] = 6;
    p = bench_predict(&s, 4.8e12);
    assert_true(fabs(p.rate - 0.5e9) < 1);
    assert_string_equal(p.limit, "atomics");
    s.figures[BENCH_SECTORS_READ] = 749.5; /* 750 sectors are 24,000 bytes */
    p = bench_predict(&s, 4.8e12);
    assert_true(fabs(p.rate - 2e8) < 1);
    assert_string_equal(p.limit, "bandwidth");
    s.figures[BENCH_ATOMICS] = NAN;
    assert_true(isnan(bench_predict(&s, 4.8e12).rate));
    assert_true(bench_bandwidth_of("NVIDIA H100 80GB HBM3") == 3.35e12);
    assert_true(isnan(bench_bandwidth_of("pthread-skylake")) && isnan(bench_bandwidth_of(NULL)));
}

static void test_derived(void **state)
{
    bench_sample s;
    (void) state;
    bench_sample_clear(&s);
    s.figures[BENCH_STATES] = 100;
    s.figures[BENCH_PEAK] = 4200;
    s.figures[BENCH_WALL] = 2;
    bench_sample_derive(&s);
    assert_true(s.figures[BENCH_PEAK_PER_STATE] == 42 && s.figures[BENCH_RATE] == 50);
    assert_true(isnan(s.figures[BENCH_CYCLES_PER_TRANSITION])); /* never 0 */
    s.figures[BENCH_STATES] = 0;
    bench_sample_derive(&s);
    assert_true(isnan(s.figures[BENCH_PEAK_PER_STATE]));
}

static void test_names(void **state)
{
    (void) state;
    for (int i = 0; i < BENCH_FIGURES; i++) {
        assert_non_null(bench_figure_names[i]);
        assert_int_equal(bench_find_figure(bench_figure_names[i]), i);
    }
    assert_int_equal(bench_find_figure("no such"), BENCH_FIGURES);
}

static void test_counters(void **state)
{
    static const char two[] =
        "{\"states\": 9, \"parts\": [{\"automaton_states\": 4, \"converted_from\": 3, "
        "\"counters\": "
        "{\"expansions\": 5, \"repeated\": 1, \"red\": 2, \"unions\": 3, \"finds\": 4, "
        "\"retries\": 6, "
        "\"blocked_seconds\": 0.25, \"peak_stack\": 7, \"auxiliary_bytes\": 800}}, "
        "{\"automaton_states\": 2, \"converted_from\": null, \"counters\": %s}]}";
    static const char counters[] =
        "{\"expansions\": 10, \"repeated\": 0, \"red\": 0, \"unions\": 0, \"finds\": 0, "
        "\"retries\": 0, "
        "\"blocked_seconds\": 0.5, \"peak_stack\": 1, \"auxiliary_bytes\": 100}";
    char text[1000];
    bench_sample s;
    (void) state;
    assert_true(snprintf(text, sizeof text, two, counters) > 0);
    assert_null(read_with(bench_read_omen, text, &s));
    assert_true(s.figures[BENCH_EXPANSIONS] == 15 && s.figures[BENCH_REPEATED] == 1);
    assert_true(s.figures[BENCH_RED] == 2 && s.figures[BENCH_UNIONS] == 3);
    assert_true(s.figures[BENCH_FINDS] == 4 && s.figures[BENCH_RETRIES] == 6);
    assert_true(s.figures[BENCH_BLOCKED] == 0.75 && s.figures[BENCH_PEAK_STACK] == 8);
    assert_true(s.figures[BENCH_AUXILIARY] == 900);
    assert_true(s.figures[BENCH_AUTOMATON] == 6 && s.figures[BENCH_CONVERTED] == 3);
    /* A device does not count, so the sum is unknown. */
    assert_true(snprintf(text, sizeof text, two, "null") > 0);
    assert_null(read_with(bench_read_omen, text, &s));
    assert_true(isnan(s.figures[BENCH_EXPANSIONS]) && s.figures[BENCH_AUTOMATON] == 6);
    /* An exploration has no parts. */
    assert_null(read_with(bench_read_omen, "{\"states\": 9}", &s));
    assert_true(isnan(s.figures[BENCH_EXPANSIONS]) && isnan(s.figures[BENCH_AUTOMATON]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pan),
        cmocka_unit_test(test_pan_that_goes_wrong),
        cmocka_unit_test(test_ltsmin),
        cmocka_unit_test(test_omen),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_derived),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
