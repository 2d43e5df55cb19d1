/* SPDX-License-Identifier: Apache-2.0 */
/* Known decisions about threads and memory. */
#include "scene.h"

static void test_nothing(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    decide(&s);
    assert_int_equal(s.result.started + s.result.refused, 0);
    assert_int_equal(s.result.reserved, 0);
    s.state.token_count = 0;
    decide(&s);
    assert_int_equal(schedule_scratch(0, 0, 0), 0);
    assert_true(schedule_scratch(UINT32_MAX, UINT32_MAX, UINT32_MAX) > UINT32_MAX);
}

static void test_alone(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add(&s);
    decide(&s);
    expect_start(&s, 0, 16);
    assert_int_equal(s.out[0].memory, 64 * GIB);
    assert_true(s.out[0].in_turn);
    s.pool.spare_threads = 2;
    s.pool.spare_memory = 8 * GIB;
    decide(&s);
    expect_start(&s, 0, 14);
    assert_int_equal(s.out[0].memory, 56 * GIB);
    /* With one thread, it still gets the memory. */
    s.jobs[0].threads_most = 1;
    decide(&s);
    expect_start(&s, 0, 1);
    assert_int_equal(s.out[0].memory, 56 * GIB);
}

/* A later job gets half of the spare resources. */
static void test_spare(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    s.pool.spare_threads = 4;
    s.pool.spare_memory = 8 * GIB;
    add_running(&s, 12, 56 * GIB, 0);
    add(&s);
    decide(&s);
    expect_start(&s, 0, 2);
    assert_int_equal(s.out[0].memory, 4 * GIB);
    /* Explicit needs are granted, from the spare resources, too. */
    s.jobs[0].threads_least = 4;
    s.jobs[0].memory = 8 * GIB;
    decide(&s);
    expect_start(&s, 0, 4);
    assert_int_equal(s.out[0].memory, 8 * GIB);
}

static void test_parts(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    for (int i = 0; i < 3; i++)
        add(&s);
    decide(&s);
    expect_start(&s, 0, 5);
    expect_start(&s, 1, 5);
    expect_start(&s, 2, 6); /* one thread was left over */
    assert_true(s.out[0].memory + s.out[1].memory + s.out[2].memory <= 64 * GIB);
    assert_true(s.out[2].memory >= 16 * GIB);
    /* Tokens share by weight, regardless of the number of their jobs. */
    s.state.token_count = 2;
    s.tokens[0].weight = 1;
    s.tokens[1].weight = 3;
    s.jobs[2].token = 1;
    decide(&s);
    expect_start(&s, 0, 2);
    expect_start(&s, 1, 2);
    expect_start(&s, 2, 12);
    assert_true(s.out[2].memory >= 48 * GIB);
}

/* Resources that some jobs do not take go to others, within their least and most. */
static void test_ranges(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add(&s)->threads_most = 3;
    add(&s)->threads_least = 7;
    add(&s);
    decide(&s);
    expect_start(&s, 0, 3);
    assert_true(s.out[1].threads >= 7 && s.out[2].threads >= 5);
    assert_int_equal(s.out[1].threads + s.out[2].threads, 13);
}

static void test_memory(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_running(&s, 1, 60 * GIB, 0);
    add(&s)->memory = 5 * GIB;
    add(&s);
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_MEMORY);
    assert_int_equal(s.out[0].need, 5 * GIB);
    assert_int_equal(s.out[0].have, 4 * GIB);
    assert_true(s.out[0].head);
    /* The other job, which has no limit, leaves room for the head to start. */
    expect_start(&s, 1, 15);
    assert_int_equal(s.out[1].memory, 4 * GIB);
    add_running(&s, 1, 0, 0)->memory = 0;
    s.jobs[0].memory = 62 * GIB;
    decide(&s);
    expect_start(&s, 1, 14);
    assert_int_equal(s.out[1].memory, 2 * GIB);
    s.state.running_count = 1;
    /* Each attempt needs twice as much memory; known states need their size plus a quarter. */
    s.state.job_count = 0;
    add(&s)->attempt = 3;
    decide(&s);
    assert_int_equal(s.out[0].what, SCHEDULE_START);
    s.jobs[0].attempt = 4;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_MEMORY);
    assert_int_equal(s.out[0].need, 8 * GIB);
    s.jobs[0].attempt = UINT32_MAX;
    decide(&s);
    assert_int_equal(s.out[0].need, 64 * GIB);
    s.jobs[0].attempt = 1;
    s.jobs[0].states = GIB;
    s.jobs[0].state_bytes = 20;
    decide(&s);
    assert_int_equal(s.out[0].need, 25 * GIB);
}

static void test_refusals(void **state)
{
    scene s;
    char text[128];
    (void) state;
    set_up(&s);
    add_threads(&s, 17, 0);
    add(&s)->memory = 65 * GIB;
    *add(&s) = (schedule_job){ .id = 3, .threads_least = 8, .threads_most = 4 };
    *add(&s) = (schedule_job){ .id = 4, .wish = SCHEDULE_NUMBERED, .devices = 4 };
    *add(&s) = (schedule_job){ .id = 5, .wish = SCHEDULE_NUMBERED, .devices = 2 };
    *add(&s) = (schedule_job){ .id = 6, .wish = SCHEDULE_ANY, .devices = 2 };
    *add(&s) = (schedule_job){
        .id = 7, .wish = SCHEDULE_NUMBERED, .devices = 1, .device_memory = 9 * GIB
    };
    *add(&s) = (schedule_job){ .id = 8, .wish = SCHEDULE_NUMBERED, .devices = UINT64_C(1) << 63 };
    add(&s);
    add_device(&s, 1);
    add_device(&s, 1)->broken = true;
    decide(&s);
    static const struct {
        schedule_why why;
        const char *text;
    } expected[] = { { SCHEDULE_NO_THREADS, "needs 17 threads, there are 16" },
        { SCHEDULE_NO_MEMORY, "needs 65.0G of memory, there is 64.0G" },
        { SCHEDULE_BAD_RANGE, "at least 8 and at most 4 threads contradict each other" },
        { SCHEDULE_NO_DEVICE, "there is no device 2" },
        { SCHEDULE_BROKEN_DEVICE, "device 1 is marked broken" },
        { SCHEDULE_FEW_DEVICES, "needs 2 devices, there is 1 suitable" },
        { SCHEDULE_SMALL_DEVICE, "device 0 has only 8.0G of memory" },
        { SCHEDULE_NO_DEVICE, "there is no device 63" } };
    for (uint32_t i = 0; i < 8; i++) {
        expect_refusal(&s, i, expected[i].why);
        (void) schedule_reason(&s.out[i], s.state.now, text, sizeof text);
        assert_string_equal(text, expected[i].text);
    }
    expect_start(&s, 8, 16); /* refused jobs do not count */
    assert_int_equal(s.result.refused, 8);
    s.state.token_count = 2;
    add(&s)->token = 1;
    decide(&s);
    expect_start(&s, 8, 8);
    expect_start(&s, 9, 8);
    s.state.job_count = 9;
    s.pool.threads = 0;
    decide(&s);
    expect_refusal(&s, 8, SCHEDULE_NO_THREADS);
    s.pool.threads = 16;
    s.pool.memory = 0;
    decide(&s);
    expect_refusal(&s, 8, SCHEDULE_NO_MEMORY);
}

/* A pool that shrank below what running jobs hold starts nothing, and refuses no job for that
 * reason. */
static void test_shrunk(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_running(&s, 20, 80 * GIB, 2000000);
    add_threads(&s, 1, 0);
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_THREADS);
    assert_int_equal(s.out[0].have, 0);
    assert_int_equal(s.out[0].until, 2000000);
}

int test_room(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_spare),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_shrunk),
    };
    return cmocka_run_group_tests_name("room", tests, NULL, NULL);
}
