/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h: handwritten inputs of decisions. */
#ifndef OMEN_TESTS_SCHEDULE_SCENE_H
#define OMEN_TESTS_SCHEDULE_SCENE_H

#include "decisions.h"

enum { MOST = 16 };
static const uint64_t GIB = 1 << 30, MINUTE = 60000; /* bytes, ms */

/* The input of a decision: a pool of 16 threads and 64 GiB, one token, 1000 s after time 0. */
typedef struct scene {
    schedule_pool pool;
    schedule_device devices[4];
    schedule_token tokens[4];
    schedule_job jobs[MOST];
    schedule_running running[MOST];
    schedule_state state;
    schedule_decision out[MOST];
    schedule_result result;
} scene;

static inline void set_up(scene *s)
{
    *s = (scene){ .pool = { .threads = 16,
                      .memory = 64 * GIB,
                      .devices = s->devices,
                      .thread_rate = 1000000,
                      .memory_least = GIB,
                      .patience = 60 * MINUTE,
                      .priority_step = MINUTE,
                      .horizon = MINUTE } };
    s->state = (schedule_state){ .now = 1000000,
        .pool = &s->pool,
        .tokens = s->tokens,
        .token_count = 1,
        .jobs = s->jobs,
        .running = s->running };
}

/* Adds a job with open needs that wants no device. */
static inline schedule_job *add(scene *s)
{
    uint32_t i = s->state.job_count++;
    s->jobs[i] =
        (schedule_job){ .id = i + 1, .submitted = 900000 + i, .wish = SCHEDULE_NONE, .attempt = 1 };
    return &s->jobs[i];
}

static inline schedule_job *add_threads(scene *s, uint32_t threads, uint64_t limit)
{
    schedule_job *j = add(s);
    j->threads_least = j->threads_most = threads;
    j->memory = 1;
    j->limit = limit;
    return j;
}

/* Adds a job with this number of states on one thread; a device can do it. */
static inline schedule_job *add_search(scene *s, uint64_t states)
{
    schedule_job *j = add_threads(s, 1, 0);
    j->wish = SCHEDULE_AUTO;
    j->part = SCHEDULE_PART_YES;
    j->states = states;
    return j;
}

static inline schedule_running *add_running(
    scene *s, uint32_t threads, uint64_t memory, uint64_t ends)
{
    schedule_running *r = &s->running[s->state.running_count++];
    *r = (schedule_running){ .threads = threads, .memory = memory, .ends = ends };
    return r;
}

static inline schedule_device *add_device(scene *s, uint64_t rate)
{
    schedule_device *d = &s->devices[s->pool.device_count++];
    *d = (schedule_device){ .memory = 8 * GIB, .rate = rate, .start_ms = 500 };
    return d;
}

static inline void decide(scene *s)
{
    decide_once(&s->state, s->out, &s->result, 0xa5);
}

static inline void expect_start(const scene *s, uint32_t i, uint32_t threads)
{
    assert_int_equal(s->out[i].what, SCHEDULE_START);
    assert_int_equal(s->out[i].threads, threads);
}

static inline void expect_wait(const scene *s, uint32_t i, schedule_why why)
{
    assert_int_equal(s->out[i].what, SCHEDULE_WAIT);
    assert_int_equal(s->out[i].why, why);
}

static inline void expect_refusal(const scene *s, uint32_t i, schedule_why why)
{
    assert_int_equal(s->out[i].what, SCHEDULE_REFUSE);
    assert_int_equal(s->out[i].why, why);
    assert_int_equal(s->out[i].place, OM_NONE);
}

/* Groups of tests, one file each. Return the number of failed tests. */
int test_room(void);
int test_order(void);
int test_devices(void);
int test_numbers(void);

#endif
