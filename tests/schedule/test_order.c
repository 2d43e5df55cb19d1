/* SPDX-License-Identifier: Apache-2.0 */
/* Known decisions about the reservation and the order. */
#include "scene.h"

#include <math.h>

/* ---- the reservation ---- */

static void test_backfilling(void **state)
{
    scene s;
    char text[128];
    (void) state;
    set_up(&s);
    add_running(&s, 8, 1, 1060000);
    add_threads(&s, 12, 0);
    add_threads(&s, 4, 60000); /* ends when the head may start */
    add_threads(&s, 4, 60001); /* ends later, but fits beside the head */
    add_threads(&s, 4, 60001); /* one too many */
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_THREADS);
    assert_true(s.out[0].head);
    assert_int_equal(s.out[0].until, 1060000);
    assert_int_equal(s.result.reserved, 1);
    expect_start(&s, 1, 4);
    expect_start(&s, 2, 4);
    assert_false(s.out[1].in_turn);
    expect_wait(&s, 3, SCHEDULE_FOR_THREADS);
    (void) schedule_reason(&s.out[0], s.state.now, text, sizeof text);
    assert_string_equal(text, "needs 12 threads, 8 are free; it is next, and starts within 60 s");
    /* 4 threads fit beside the head, 5 do not. */
    s.jobs[1].threads_least = s.jobs[1].threads_most = 3;
    s.jobs[2].threads_least = s.jobs[2].threads_most = 5;
    decide(&s);
    expect_start(&s, 1, 3);
    expect_wait(&s, 2, SCHEDULE_FOR_HEAD);
    expect_start(&s, 3, 4);
    (void) schedule_reason(&s.out[2], s.state.now, text, sizeof text);
    assert_string_equal(text, "would delay job 1, which is next");
    /* The grace period for ending a job at its limit counts. */
    s.pool.grace = 1;
    s.state.job_count = 2;
    s.jobs[1].threads_least = s.jobs[1].threads_most = 5;
    decide(&s);
    expect_wait(&s, 1, SCHEDULE_FOR_HEAD);
}

/* The promise is the first time at which everything is free: threads, memory and device. */
static void test_promise(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_device(&s, 1000000);
    add_running(&s, 4, 50 * GIB, 1010000);
    add_running(&s, 4, 1, 1030000)->devices = 1;
    add_running(&s, 8, 1, 1020000);
    add_running(&s, 0, 1, 1090000);
    schedule_job *j = add_threads(&s, 4, 0);
    decide(&s);
    assert_int_equal(s.out[0].until, 1010000);
    j->threads_least = j->threads_most = 8;
    decide(&s);
    assert_int_equal(s.out[0].until, 1020000);
    j->wish = SCHEDULE_ANY;
    decide(&s);
    assert_int_equal(s.out[0].until, 1030000);
    j->wish = SCHEDULE_NUMBERED;
    j->devices = 1;
    decide(&s);
    assert_int_equal(s.out[0].until, 1030000);
    /* A job past its end may end at any time. */
    s.running[1].ends = 900000;
    decide(&s);
    assert_int_equal(s.out[0].until, 1010000);
    s.running[0].ends = s.running[2].ends = s.running[3].ends = 900000;
    decide(&s);
    assert_int_equal(s.out[0].until, 1000001);
}

/* If an end is unknown, there is no promise. Short jobs may start; others only beside the head. */
static void test_unknown_ends(void **state)
{
    scene s;
    char text[128];
    (void) state;
    set_up(&s);
    add_running(&s, 4, 1, 0);
    add_running(&s, 4, 1, 0);
    add_threads(&s, 11, 0);
    add_threads(&s, 2, 0);
    add_threads(&s, 1, 0);
    add_threads(&s, 5, 3600000);
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_THREADS);
    assert_int_equal(s.out[0].until, 0);
    expect_wait(&s, 1, SCHEDULE_FOR_HEAD); /* 12 free at the first end: one beside it */
    expect_start(&s, 2, 1);
    expect_start(&s, 3, 5);
    (void) schedule_reason(&s.out[0], s.state.now, text, sizeof text);
    assert_string_equal(text, "needs 11 threads, 8 are free; it is next");
}

static void test_head_stays(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_running(&s, 8, 1, 1060000);
    add_threads(&s, 16, 0);
    add_threads(&s, 8, 0);
    s.jobs[1].priority = 100;
    s.jobs[1].submitted = 999999;
    decide(&s);
    expect_start(&s, 1, 8);
    assert_true(s.out[1].in_turn);
    s.state.reserved = 1;
    decide(&s);
    expect_wait(&s, 1, SCHEDULE_FOR_HEAD);
    assert_int_equal(s.result.reserved, 1);
    /* When the head fits, it starts first, and not in the turn of its token. */
    s.state.running_count = 0;
    decide(&s);
    expect_start(&s, 0, 16);
    assert_false(s.out[0].in_turn);
    assert_int_equal(s.result.reserved, 2);
    s.state.reserved = 77; /* no longer queued */
    decide(&s);
    expect_start(&s, 1, 8);
}

/* ---- the order ---- */

static void test_keys(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    s.pool.threads = 1;
    for (int i = 0; i < 3; i++)
        add_threads(&s, 1, 0);
    decide(&s);
    assert_int_equal(s.out[0].what, SCHEDULE_START);
    assert_int_equal(s.out[2].place, 2);
    /* One step of priority passes the jobs of the preceding minute, and no older ones. */
    s.jobs[0].submitted = 900000;
    s.jobs[1].submitted = 930000;
    s.jobs[2].submitted = 980000;
    s.jobs[2].priority = 1;
    decide(&s);
    assert_int_equal(s.out[0].what, SCHEDULE_START);
    assert_int_equal(s.out[2].place, 1);
    assert_int_equal(s.out[1].place, 2);
    s.jobs[1].submitted = 920000; /* equal keys: by submission */
    decide(&s);
    assert_int_equal(s.out[1].place, 1);
    s.jobs[1].submitted = 930000;
    s.jobs[1].priority = -1000000; /* counts as -100 */
    s.jobs[2].priority = INT32_MIN;
    decide(&s);
    assert_int_equal(s.out[1].place, 1);
    s.jobs[0].priority = -99;
    s.jobs[2].priority = INT32_MAX;
    s.jobs[1].priority = 100;
    decide(&s);
    assert_int_equal(s.out[1].place, 0);
    assert_int_equal(s.out[2].place, 1);
}

/* The token with the least usage by weight is first; priorities of other tokens do not matter. */
static void test_tokens(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    s.pool.threads = 1;
    s.pool.patience = UINT64_MAX;
    s.state.token_count = 3;
    for (uint32_t i = 0; i < 3; i++)
        add_threads(&s, 1, 0)->token = i;
    s.jobs[0].priority = 100;
    s.tokens[0] = (schedule_token){ .weight = 1, .usage = 100 };
    s.tokens[1] = (schedule_token){ .weight = 4, .usage = 200 };
    s.tokens[2] = (schedule_token){ .weight = 0, .usage = 60 };
    decide(&s);
    assert_int_equal(s.out[1].place, 0);
    assert_int_equal(s.out[2].place, 1);
    assert_int_equal(s.out[0].place, 2);
    /* Running jobs count as usage for the horizon. */
    s.pool.threads = 100;
    add_running(&s, 99, 1, 0)->token = 1;
    decide(&s);
    assert_int_equal(s.out[2].place, 0);
    s.tokens[0].usage = NAN;
    s.tokens[2].usage = INFINITY;
    decide(&s);
    assert_int_equal(s.out[0].place, 0);
    assert_int_equal(s.out[1].place, 1);
    assert_int_equal(s.out[2].place, 2);
}

/* One decision does not serve only one token. */
static void test_tokens_in_turn(void **state)
{
    scene s;
    uint32_t of[2] = { 0, 0 };
    (void) state;
    set_up(&s);
    s.state.token_count = 2;
    s.tokens[0].weight = 1;
    s.tokens[1].weight = 3;
    for (uint32_t i = 0; i < 16; i++)
        add_threads(&s, 2, 0)->token = i % 2;
    decide(&s);
    for (uint32_t i = 0; i < 16; i++)
        of[i % 2] += s.out[i].what == SCHEDULE_START;
    assert_int_equal(of[0], 2);
    assert_int_equal(of[1], 6);
}

/* A token without a turn for H comes first, regardless of its usage; among those, the one due
 * longest. */
static void test_due(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    s.pool.threads = 1;
    s.pool.patience = 10000;
    s.state.token_count = 3;
    for (uint32_t i = 0; i < 3; i++)
        add_threads(&s, 1, 0)->token = i;
    for (uint32_t i = 0; i < 3; i++)
        s.tokens[i] = (schedule_token){ .weight = 1, .usage = i * 1e6, .turn = 990000 };
    s.tokens[2].turn = 970001; /* H is 30 s */
    decide(&s);
    assert_int_equal(s.out[0].place, 0);
    s.tokens[2].turn = 970000;
    decide(&s);
    assert_int_equal(s.out[2].place, 0);
    assert_true(s.out[2].in_turn);
    s.tokens[1].turn = 969000;
    decide(&s);
    assert_int_equal(s.out[1].place, 0);
    assert_int_equal(s.out[2].place, 1);
    /* Its jobs must have waited as long, too; and a turn is one job. */
    s.jobs[1].submitted = 980000;
    s.jobs[2].submitted = 960000;
    add_threads(&s, 1, 0)->token = 2;
    s.jobs[3].submitted = 961000;
    decide(&s);
    assert_int_equal(s.out[2].place, 0);
    assert_int_equal(s.out[0].place, 1);
    assert_int_equal(s.out[3].place, 3);
}

int test_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backfilling),
        cmocka_unit_test(test_promise),
        cmocka_unit_test(test_unknown_ends),
        cmocka_unit_test(test_head_stays),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_tokens_in_turn),
        cmocka_unit_test(test_due),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
