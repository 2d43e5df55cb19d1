/* SPDX-License-Identifier: Apache-2.0 */
/* Known decisions about devices. */
#include "scene.h"

static void test_worth(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_device(&s, 50000000);
    schedule_job *j = add_search(&s, 400000); /* 0.4 s; 0.508 s on the device */
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    j->states = 600000; /* 0.6 s; 0.512 s on the device */
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    assert_int_equal(s.out[0].expected, 512);
    j->threads_most = j->threads_least = 2; /* 0.3 s */
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    assert_int_equal(s.out[0].expected, 300);
    j->states = 600000000;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    j->part = SCHEDULE_PART_NO;
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    j->part = SCHEDULE_PART_YES;
    j->wish = SCHEDULE_NONE;
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    j->wish = SCHEDULE_AUTO;
    s.devices[0].rate = 0;
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    s.devices[0].rate = 1;
    s.devices[0].kind = SCHEDULE_CPU;
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    j->wish = SCHEDULE_NUMBERED; /* requested explicitly */
    j->devices = 1;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
}

/* The fastest free device with enough memory; if devices are requested, all of them. */
static void test_which(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_device(&s, 20000000);
    add_device(&s, 90000000);
    add_device(&s, 50000000)->kind = SCHEDULE_ACCELERATOR;
    schedule_job *j = add_search(&s, 600000000);
    decide(&s);
    assert_int_equal(s.out[0].devices, 2);
    s.devices[1].memory = GIB;
    j->device_memory = 2 * GIB;
    decide(&s);
    assert_int_equal(s.out[0].devices, 4);
    s.devices[2].broken = true;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    j->wish = SCHEDULE_NUMBERED;
    j->devices = 3;
    j->device_memory = 0;
    decide(&s);
    assert_int_equal(s.out[0].devices, 3);
    add_running(&s, 1, 1, 2000000)->devices = 2;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
    assert_int_equal(s.out[0].need, 2);
    assert_int_equal(s.out[0].have, 1);
    assert_int_equal(s.out[0].until, 2000000);
    /* A later job may have the free device if it ends by then. */
    add_search(&s, 600000000)->limit = 1000000;
    s.state.reserved = 1;
    decide(&s);
    assert_int_equal(s.out[1].devices, 1);
    s.jobs[1].limit = 1000001;
    decide(&s);
    expect_start(&s, 1, 1);
    assert_int_equal(s.out[1].devices, 0);
}

static void test_sharing(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_device(&s, 50000000)->slots = 2;
    add_running(&s, 1, 1, 2000000)->devices = 1;
    schedule_job *j = add_threads(&s, 1, 0);
    j->wish = SCHEDULE_ANY;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    j->device_alone = true;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
    j->device_alone = false;
    s.running[0].device_alone = true;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
    s.running[0].device_alone = false;
    j->device_memory = 4 * GIB;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    j->device_memory = 4 * GIB + 1;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
    s.running[0].device_memory = 3 * GIB;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    j->device_memory = 0; /* its part of the memory is 4 GiB */
    s.running[0].device_memory = 5 * GIB;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
    s.running[0].device_memory = 0;
    add_running(&s, 1, 1, 2000000)->devices = 1;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
    /* The same if the device's memory is unknown. */
    s.devices[0].memory = 0;
    s.state.running_count = 1;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    s.running[0].device_alone = true;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_FOR_DEVICE);
}

/* If the gain of a job is unknown, jobs with a known gain come first. */
static void test_unknown_size(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    add_device(&s, 50000000);
    add_search(&s, 0);
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    assert_int_equal(s.out[0].expected, 0);
    s.jobs[0].states = 1;
    s.jobs[0].part = SCHEDULE_PART_UNKNOWN;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    add_search(&s, 600000);
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    assert_int_equal(s.out[1].devices, 1);
    s.jobs[1].states = 1000;
    decide(&s);
    assert_int_equal(s.out[0].devices, 1);
    s.jobs[1].wish = SCHEDULE_ANY;
    s.jobs[1].threads_least = s.jobs[1].threads_most = 16;
    decide(&s);
    assert_int_equal(s.out[0].devices, 0);
    /* It gets another device if there is one. */
    add_device(&s, 20000000)->memory = GIB;
    s.jobs[1] = *add_search(&s, 600000); /* gains little: it gets a device in its turn */
    s.jobs[1].id = 2;
    s.jobs[1].device_memory = 2 * GIB;
    s.state.job_count = 2;
    decide(&s);
    assert_int_equal(s.out[0].devices, 2);
    assert_int_equal(s.out[1].devices, 1);
}

static void test_choice(void **state)
{
    scene s;
    char text[128];
    (void) state;
    set_up(&s);
    add_device(&s, 50000000);
    schedule_running *r = add_running(&s, 1, 1, 1100000);
    r->devices = 1;
    r->expected = 1010000;
    schedule_job *j = add_search(&s, 30000000); /* 30 s; 10 + 1.1 s on the device */
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_BY_CHOICE);
    assert_int_equal(s.result.reserved, 0);
    (void) schedule_reason(&s.out[0], s.state.now, text, sizeof text);
    assert_string_equal(text,
        "waits for device 0, probably free in 10 s: expected to end earlier than on threads now");
    j->states = 20000000; /* 20 s; 10.9 s on the device */
    decide(&s);
    expect_start(&s, 0, 1);
    assert_int_equal(s.out[0].devices, 0);
    j->states = 30000000;
    s.state.reserved = 1; /* the head takes the available resources */
    decide(&s);
    expect_start(&s, 0, 1);
    s.state.reserved = 0;
    /* A wrong estimate does not count: the job may run to its limit. */
    r->expected = 999999;
    decide(&s);
    expect_start(&s, 0, 1);
    r->expected = 1010000;
    /* The wait is limited by `patience`: the device is free 110 s after the job's submission. */
    s.pool.patience = 109999;
    decide(&s);
    expect_start(&s, 0, 1);
    s.pool.patience = 110000;
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_BY_CHOICE);
    /* Nothing is reserved for the waiting job, and the next job starts in turn. */
    s.pool.patience = 60 * MINUTE;
    j->threads_least = j->threads_most = 16;
    j->states *= 16; /* 30 s; 1 + 10.1 s on the device */
    r->expected = 1001000;
    add_threads(&s, 15, 0);
    decide(&s);
    expect_wait(&s, 0, SCHEDULE_BY_CHOICE);
    expect_start(&s, 1, 15);
    assert_true(s.out[1].in_turn);
    /* Another job is before it: 10 + 6.5 + 1.1 s are more than half of 30 s. */
    j->threads_least = j->threads_most = 1;
    j->states = 30000000;
    r->expected = 1010000;
    s.jobs[1] = *j;
    s.jobs[1].id = 2;
    s.jobs[1].submitted--;
    s.jobs[1].states = 300000000;
    decide(&s);
    expect_wait(&s, 1, SCHEDULE_BY_CHOICE);
    expect_start(&s, 0, 1);
}

/* A free device goes to a job that gains much, before the order is processed. */
static void test_gains_first(void **state)
{
    scene s;
    (void) state;
    set_up(&s);
    s.pool.threads = 2;
    add_device(&s, 50000000);
    add_threads(&s, 2, 60000);
    add_search(&s, 30000000)->limit = 60000;
    decide(&s);
    expect_start(&s, 1, 1);
    assert_int_equal(s.out[1].devices, 1);
    assert_false(s.out[1].in_turn);
    expect_wait(&s, 0, SCHEDULE_FOR_THREADS);
    assert_true(s.out[0].head);
    /* Not if it gains little, and not before the head. */
    s.jobs[1].states = 600000;
    decide(&s);
    expect_start(&s, 0, 2);
    s.jobs[1].states = 30000000;
    s.state.reserved = 1;
    decide(&s);
    expect_start(&s, 0, 2);
}

int test_devices(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worth),
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_unknown_size),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_gains_first),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
