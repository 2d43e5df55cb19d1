/* SPDX-License-Identifier: Apache-2.0 */
/* Shares, usage and reasons; misuse, implausible inputs, and the number of steps of a decision. */
#include "scene.h"

#include <math.h>

/* ---- shares and usage ---- */

static void near(double x, double y)
{
    if (fabs(x - y) > 1e-9 * fabs(y))
        fail_msg("%.12g is not %.12g", x, y);
}

static void test_share(void **state)
{
    scene s;
    schedule_running held = { .threads = 4, .memory = 8 * GIB };
    (void) state;
    set_up(&s);
    near(schedule_share(&s.pool, &held), 0.25);
    held.memory = 32 * GIB;
    near(schedule_share(&s.pool, &held), 0.5);
    add_device(&s, 1);
    add_device(&s, 1)->broken = true;
    held.devices = 3;
    near(schedule_share(&s.pool, &held), 1);
    add_device(&s, 1)->slots = 4;
    held.devices = 4;
    held.memory = 0;
    held.threads = 0;
    near(schedule_share(&s.pool, &held), 0.125);
    held.device_memory = 6 * GIB;
    near(schedule_share(&s.pool, &held), 0.375);
    held.device_alone = true;
    near(schedule_share(&s.pool, &held), 0.5);
    s.pool = (schedule_pool){ .threads = 0 };
    near(schedule_share(&s.pool, &held), 0);
    held.threads = 1;
    near(schedule_share(&s.pool, &held), 1);
}

static void test_usage(void **state)
{
    (void) state;
    near(schedule_usage(100, 0, 5000, 5000), 50);
    near(schedule_usage(100, 0, 0, 5000), 100);
    near(schedule_usage(100, 0.5, 1000, 0), 600);
    near(schedule_usage(0, 1, 1, UINT64_MAX), 1);
    near(schedule_usage(0, 0.5, UINT64_MAX, 1000), 500 / log(2)); /* the limit */
    /* Two consecutive updates equal one. */
    near(schedule_usage(schedule_usage(70, 0.5, 300, 5000), 0.5, 900, 5000),
        schedule_usage(70, 0.5, 1200, 5000));
    near(schedule_usage(NAN, 1, 1, 0), 1);
    near(schedule_usage(-5, -1, 1, 0) + 1, 1);
    assert_true(isfinite(schedule_usage(INFINITY, INFINITY, UINT64_MAX, 0)));
    assert_true(isfinite(schedule_usage(INFINITY, 1, UINT64_MAX, 1)));
}

static void test_reasons(void **state)
{
    static const struct {
        schedule_decision of;
        const char *text;
    } known[] = {
        { { .what = SCHEDULE_START }, "" },
        { { .why = SCHEDULE_FOR_THREADS, .need = 1, .have = 0 }, "needs 1 thread, 0 are free" },
        { { .why = SCHEDULE_FOR_THREADS, .need = 2, .have = 1 }, "needs 2 threads, 1 is free" },
        { { .why = SCHEDULE_FOR_MEMORY, .need = 1073741825, .have = 1073741823 },
            "needs 1.1G of memory, 1023.9M is free" },
        { { .why = SCHEDULE_FOR_MEMORY, .need = UINT64_MAX, .have = 1023 },
            "needs 16.0E of memory, 1023 B is free" },
        { { .why = SCHEDULE_FOR_DEVICE, .need = 1, .have = 0 },
            "needs 1 device, 0 are suitable and free" },
        { { .why = SCHEDULE_FOR_DEVICE, .need = 2, .have = 1, .head = true, .until = 7300001 },
            "needs 2 devices, 1 is suitable and free; it is next, and starts within 3 h" },
        { { .why = SCHEDULE_FOR_THREADS, .need = 2, .have = 1, .head = true, .until = 150000 },
            "needs 2 threads, 1 is free; it is next, and starts within 3 min" },
    };
    char text[128], shorter[10];
    (void) state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int n = schedule_reason(&known[i].of, 0, text, sizeof text);
        assert_string_equal(text, known[i].text);
        assert_int_equal(n, strlen(text));
        assert_int_equal(schedule_reason(&known[i].of, 0, shorter, sizeof shorter), n);
        assert_int_equal(strncmp(shorter, text, sizeof shorter - 1), 0);
        assert_int_equal(schedule_reason(&known[i].of, 0, NULL, 0), n);
    }
}

/* ---- misuse, implausible inputs, size ---- */

static void test_misuse(void **state)
{
    scene s;
    size_t size;
    unsigned char *scratch;
    (void) state;
    set_up(&s);
    add(&s);
    add_running(&s, 1, 1, 0);
    size = schedule_scratch(1, 1, 1);
    scratch = malloc(size + 1);
    assert_non_null(scratch);
    assert_int_equal(schedule_decide(&s.state, scratch, size, s.out, &s.result), OM_OK);
    assert_int_equal(schedule_decide(&s.state, scratch, size - 1, s.out, &s.result), OM_EINVAL);
    assert_int_equal(schedule_decide(&s.state, scratch + 1, size, s.out, &s.result), OM_EINVAL);
    s.jobs[0].token = 1;
    assert_int_equal(schedule_decide(&s.state, scratch, size, s.out, &s.result), OM_EINVAL);
    s.jobs[0].token = 0;
    s.running[0].token = 1;
    assert_int_equal(schedule_decide(&s.state, scratch, size, s.out, &s.result), OM_EINVAL);
    free(scratch);
}

static uint64_t any_number(om_random *r)
{
    static const uint64_t special[] = { 0, 0, 0, 1, 1, 2, 3, 7, 8, 63, 64, 65, 1000, 1000000,
        1 << 30, UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 40, UINT64_C(1) << 63, UINT64_MAX - 1,
        UINT64_MAX };
    return om_random_below(r, 4) == 0
               ? om_random_next(r) >> om_random_below(r, 64)
               : special[om_random_below(r, sizeof special / sizeof *special)];
}

/* Mostly 0, which leaves the need open. */
static uint64_t any_need(om_random *r)
{
    return om_random_below(r, 3) != 0 ? 0 : any_number(r);
}

static double any_usage(om_random *r)
{
    static const double special[] = { 0, -0.0, 1, -1, 1e300, -1e300, 5e-324, NAN, INFINITY,
        -INFINITY };
    return special[om_random_below(r, sizeof special / sizeof *special)];
}

static void any_scene(scene *s, om_random *r)
{
    set_up(s);
    s->pool =
        (schedule_pool){ .threads = (uint32_t) (om_random_below(r, 2) == 0 ? 64 : any_number(r)),
            .memory = om_random_below(r, 2) == 0 ? UINT64_C(1) << 40 : any_number(r),
            .devices = s->devices,
            .device_count = (uint32_t) om_random_below(r, 5),
            .thread_rate = any_number(r),
            .spare_threads = (uint32_t) any_number(r),
            .spare_memory = any_number(r),
            .memory_least = any_number(r),
            .longest = any_number(r),
            .grace = any_number(r),
            .patience = any_number(r),
            .priority_step = any_number(r),
            .horizon = any_number(r) };
    for (uint32_t i = 0; i < 4; i++) {
        s->devices[i] = (schedule_device){ .kind = (schedule_kind) om_random_below(r, 3),
            .broken = om_random_below(r, 4) == 0,
            .slots = (uint32_t) any_number(r),
            .memory = any_number(r),
            .rate = any_number(r),
            .start_ms = any_number(r) };
        s->tokens[i] = (schedule_token){
            .weight = (uint32_t) any_number(r), .usage = any_usage(r), .turn = any_number(r)
        };
    }
    s->state.now = any_number(r);
    s->state.token_count = (uint32_t) (1 + om_random_below(r, 4));
    s->state.reserved = om_random_below(r, MOST + 2);
    s->state.job_count = (uint32_t) om_random_below(r, MOST + 1);
    s->state.running_count = (uint32_t) om_random_below(r, MOST + 1);
    for (uint32_t i = 0; i < s->state.running_count; i++)
        s->running[i] =
            (schedule_running){ .token = (uint32_t) om_random_below(r, s->state.token_count),
                .threads = (uint32_t) any_need(r),
                .memory = any_need(r),
                .devices = any_need(r),
                .device_memory = any_number(r),
                .device_alone = om_random_below(r, 2) == 0,
                .ends = any_number(r),
                .expected = any_number(r) };
}

static void any_jobs(scene *s, om_random *r)
{
    for (uint32_t i = 0; i < s->state.job_count; i++)
        s->jobs[i] = (schedule_job){ .id = i + 1,
            .token = (uint32_t) om_random_below(r, s->state.token_count),
            .priority = (int32_t) (uint32_t) any_number(r),
            .submitted = any_number(r),
            .threads_least = (uint32_t) any_need(r),
            .threads_most = (uint32_t) any_need(r),
            .memory = any_need(r),
            .wish = (schedule_wish) om_random_below(r, 4),
            .devices = any_need(r),
            .device_memory = any_need(r),
            .device_alone = om_random_below(r, 2) == 0,
            .part = (schedule_part) om_random_below(r, 3),
            .states = any_number(r),
            .state_bytes = (uint32_t) any_number(r),
            .limit = any_number(r),
            .attempt = (uint32_t) any_number(r) };
}

static uint64_t less(uint64_t x, uint64_t y)
{
    return x > y ? x - y : 0;
}

/* Started jobs fit beside the running ones, whatever those hold. */
static void check_fits(const scene *s)
{
    uint64_t threads = s->pool.threads, memory = s->pool.memory; /* free */
    uint32_t started = 0;
    for (uint32_t i = 0; i < s->state.running_count; i++) {
        threads = less(threads, s->running[i].threads);
        memory = less(memory, s->running[i].memory);
    }
    for (uint32_t i = 0; i < s->state.job_count; i++) {
        const schedule_decision *d = &s->out[i];
        char text[192];
        int n = schedule_reason(d, s->state.now, text, sizeof text);
        assert_true(n >= 0 && n < (int) sizeof text);
        assert_true((n == 0) == (d->what == SCHEDULE_START));
        if (d->what != SCHEDULE_START)
            continue;
        started++;
        assert_true(d->threads <= threads && d->memory <= memory);
        threads -= d->threads;
        memory -= d->memory;
        assert_true(d->threads > 0 && d->memory > 0);
        assert_true((d->devices & ~UINT64_C(15)) == 0);
        for (uint32_t k = 0; k < 4; k++)
            if ((d->devices >> k & 1) != 0)
                assert_true(k < s->pool.device_count && !s->devices[k].broken);
    }
    assert_int_equal(started, s->result.started);
}

static void test_nonsense(void **state)
{
    om_random r = { 1 };
    uint64_t started = 0, refused = 0, heads = 0;
    (void) state;
    for (int i = 0; i < 30000; i++) {
        scene s;
        schedule_decision again[MOST];
        any_scene(&s, &r);
        any_jobs(&s, &r);
        decide(&s);
        check_fits(&s);
        decide_once(&s.state, again, &s.result, 0);
        for (uint32_t k = 0; k < s.state.job_count; k++)
            assert_true(same_decision(&again[k], &s.out[k]));
        started += s.result.started;
        refused += s.result.refused;
        heads += s.result.reserved != 0;
    }
    assert_true(started > 5000 && refused > 20000 && heads > 10000);
}

/* Returns the steps for n queued jobs of eight tokens, a third of which a device may do, with 64
 * running jobs. */
static uint64_t steps(uint32_t n)
{
    scene s;
    om_random r = { n };
    schedule_job *jobs = calloc(n, sizeof *jobs);
    schedule_running running[64];
    schedule_token tokens[8] = { { .weight = 1 } };
    schedule_decision *out = calloc(n, sizeof *out);
    assert_true(jobs != NULL && out != NULL);
    set_up(&s);
    add_device(&s, 50000000);
    add_device(&s, 20000000);
    for (uint32_t i = 0; i < n; i++) {
        jobs[i] = (schedule_job){ .id = i + 1,
            .token = i % 8,
            .submitted = om_random_below(&r, 900000),
            .threads_least = (uint32_t) (1 + om_random_below(&r, 4)),
            .wish = i % 3 == 0 ? SCHEDULE_AUTO : SCHEDULE_NONE,
            .part = SCHEDULE_PART_YES,
            .states = om_random_below(&r, 1000000000),
            .limit = 1 + om_random_below(&r, 100000) };
    }
    for (uint32_t i = 0; i < 64; i++)
        running[i] =
            (schedule_running){ .threads = 1, .ends = 1000001 + om_random_below(&r, 1000) };
    s.pool.threads = 128;
    s.state.jobs = jobs;
    s.state.job_count = n;
    s.state.running = running;
    s.state.running_count = 64;
    s.state.tokens = tokens;
    s.state.token_count = 8;
    decide_once(&s.state, out, &s.result, 0);
    assert_true(s.result.started > 0 && s.result.reserved != 0);
    free(jobs);
    free(out);
    return s.result.steps;
}

/* O(n log n): ten times the jobs, at most 14 times the steps. */
static void test_steps(void **state)
{
    uint64_t thousand = steps(1000), ten = steps(10000);
    (void) state;
    print_message("%llu steps for 1,000 jobs, %llu for 10,000\n", (unsigned long long) thousand,
        (unsigned long long) ten);
    assert_true(ten < 14 * thousand);
    assert_true((double) ten < 6 * 10000 * log2(10000));
}

int test_numbers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
