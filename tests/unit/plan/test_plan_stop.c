/* SPDX-License-Identifier: Apache-2.0 */
/* Causes that end a check early: a violation in another part, a stop from outside, the time
 * limit. */
#include "unit/plan/stopping.h"

/* The negation has a terminal part whose violation is found at once, and a strong part without an
 * accepting cycle (c0 is never both 7 and 9), which would occupy its checker for hours. */
static void the_first_violation_ends_the_check(void **state)
{
    const world *w = *state;
    static const char formula[] =
        "G \"c0<4\" & (FG !\"c1<300\" | !(GF (\"c0==7\" & \"c0==9\") & GF \"c2==1\"))";
    for (unsigned threads = 2; threads <= 4; threads += 2) {
        latencies l = { 0 };
        while (l.count < TRIES) {
            om_plan *p = new_plan(
                w, (om_plan_options){ .threads = threads, .schedule = OM_SCHEDULE_CONCURRENT });
            om_check_result r = { 0 };
            assert_int_equal(om_plan_check(p, OM_PROPERTY_LTL, formula, &r), OM_OK);
            assert_int_equal(r.verdict, OM_VIOLATED);
            assert_true(r.has_lasso);
            assert_int_equal(r.part_count, 2);
            double found = 0, last = 0;
            for (size_t i = 0; i < r.part_count; i++) {
                const om_task_result *t = &r.parts[i].task;
                if (t->verdict == OM_VIOLATED)
                    found = t->seconds;
                if (t->seconds > last)
                    last = t->seconds;
            }
            add_latency(&l, (last - found) * 1e3);
            om_check_result_free(&r);
            om_plan_free(p);
        }
        judge(&l, "the first violation");
    }
}

static void the_clock_ends_a_check(void **state)
{
    const world *w = *state;
    om_plan_options options = { .threads = 2, .limits = { .timeout_ns = 200 * 1000000 } };
    om_plan *p = new_plan(w, options);
    om_check_result r = { 0 };
    om_exploration e;
    assert_int_equal(om_plan_check(p, OM_PROPERTY_DEADLOCK, NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_TIMEOUT));
    assert_true(r.states > 0);
    assert_true(r.seconds >= 0.2);
    om_check_result_free(&r);
    /* The limit applies to each check separately. */
    assert_int_equal(om_plan_check(p, OM_PROPERTY_INVARIANT, "c0<1", &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    assert_int_equal(r.lasso.count, 2);
    om_check_result_free(&r);
    assert_int_equal(om_plan_explore(p, &e, NULL), OM_ELIMIT);
    assert_true(e.states > 0);
    om_plan_free(p);
}

static void memory_ends_a_check(void **state)
{
    const world *w = *state;
    om_plan *p = new_plan(w, (om_plan_options){ .threads = 2, .limits = { .memory_bytes = 1 } });
    om_check_result r = { 0 };
    assert_int_equal(om_plan_check(p, OM_PROPERTY_DEADLOCK, NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_MEMORY));
    om_check_result_free(&r);
    om_plan_free(p);
}

/* All parts share one limit on states: none is left for the second part. */
static void states_of_all_parts_count(void **state)
{
    const world *w = *state;
    static const char formula[] =
        "G \"c0<300\" & (FG !\"c1<300\" | !(GF (\"c0==7\" & \"c0==9\") & GF \"c2==1\"))";
    const uint64_t most = 500000;
    om_plan *p = new_plan(w,
        (om_plan_options){
            .threads = 2, .schedule = OM_SCHEDULE_SEQUENTIAL, .limits = { .max_states = most } });
    om_check_result r = { 0 };
    assert_int_equal(om_plan_check(p, OM_PROPERTY_LTL, formula, &r), OM_OK);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_STATES));
    assert_int_equal(r.part_count, 2);
    assert_int_equal(r.parts[0].task.reason, OM_STOP_STATES);
    assert_int_equal(r.parts[1].task.reason, OM_STOP_STATES);
    assert_true(r.parts[0].task.states <= most);
    assert_true(r.states > most / 2 && r.states < 2 * most * 9 / 10);
    om_check_result_free(&r);
    om_plan_free(p);
}

typedef struct stopper {
    om_plan *plan;
    om_progress seen;
} stopper;

static void *stop_soon(void *self)
{
    stopper *s = self;
    const struct timespec pause = { 0, 20 * 1000000 };
    for (int i = 0; i < 500 && s->seen.states < 1000; i++) {
        (void) nanosleep(&pause, NULL);
        om_plan_progress(s->plan, &s->seen);
    }
    (void) om_control_stop(om_plan_control(s->plan), OM_STOP_INTERRUPT);
    return NULL;
}

static void somebody_outside_ends_a_check(void **state)
{
    const world *w = *state;
    stopper s = { .plan = new_plan(w, (om_plan_options){ .threads = 2 }) };
    om_check_result r = { 0 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &s), 0);
    assert_int_equal(om_plan_check(s.plan, OM_PROPERTY_DEADLOCK, NULL, &r), OM_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_INTERRUPT));
    assert_true(s.seen.states >= 1000);
    assert_int_equal(s.seen.parts_running, 1);
    assert_true(r.states >= s.seen.states);
    om_check_result_free(&r);
    om_plan_free(s.plan);
}

static void parts_on_the_cpu_stop_soon(void **state)
{
    for (size_t i = 0; i < 3; i++) {
        latencies l = { 0 };
        while (l.count < TRIES) {
            double ms = stop_latency(*state, (om_plan_options){ .threads = 2 }, endless[i].formula,
                200000 / SLOWER, 0, NULL);
            assert_true(ms >= 0);
            add_latency(&l, ms);
        }
        judge(&l, endless[i].strength);
    }
}

/* ---- compilers ---- */

/* A compiler that never ends and has a child that does not end either; it writes their process
 * ids. */
static const char HANGS[] = "#!/bin/sh\nsleep 1000 & echo $$ $! > \"$0.pids\"\nwait\n";

/* Returns true if the process runs (zombies do not). */
static bool alive(long pid)
{
    char path[64], kind = 'X';
    (void) snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    if (fscanf(f, "%*d %*s %c", &kind) != 1)
        kind = 'X';
    (void) fclose(f);
    return kind != 'Z' && kind != 'X';
}

static void a_compiler_that_hangs_is_killed(void **state)
{
    const world *w = *state;
    char folder[] = "/tmp/omen-test-XXXXXX", script[64], pids[64];
    latencies l = { 0 };
    assert_non_null(mkdtemp(folder));
    (void) snprintf(script, sizeof script, "%s/cc", folder);
    (void) snprintf(pids, sizeof pids, "%s/cc.pids", folder);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    assert_true(fputs(HANGS, f) >= 0);
    assert_int_equal(fchmod(fileno(f), 0700), 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(setenv("OMEN_CC", script, 1), 0);
    while (l.count < TRIES) {
        long cc = 0, child = 0;
        double ms = stop_latency(
            w, (om_plan_options){ .exec = OM_EXEC_NATIVE }, endless[0].formula, 0, 150000000, NULL);
        assert_true(ms >= 0);
        add_latency(&l, ms);
        f = fopen(pids, "r");
        assert_non_null(f);
        assert_int_equal(fscanf(f, "%ld %ld", &cc, &child), 2);
        (void) fclose(f);
        /* Their supervisor was waited for; init will reap them soon. */
        const struct timespec pause = { 0, 1000000 };
        for (int i = 0; i < 5000 && (alive(cc) || alive(child)); i++)
            (void) nanosleep(&pause, NULL);
        assert_false(alive(cc));
        assert_false(alive(child));
    }
    judge(&l, "a compiler");
    (void) unsetenv("OMEN_CC");
    (void) unlink(pids);
    (void) unlink(script);
    (void) rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_violation_ends_the_check, setup, teardown),
        cmocka_unit_test_setup_teardown(the_clock_ends_a_check, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_ends_a_check, setup, teardown),
        cmocka_unit_test_setup_teardown(states_of_all_parts_count, setup, teardown),
        cmocka_unit_test_setup_teardown(somebody_outside_ends_a_check, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_on_the_cpu_stop_soon, setup, teardown),
        cmocka_unit_test_setup_teardown(a_compiler_that_hangs_is_killed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
