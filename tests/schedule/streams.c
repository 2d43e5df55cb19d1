/* SPDX-License-Identifier: Apache-2.0 */
#include "streams.h"

#include <stdlib.h>

enum { CLASSES = 6, MOST_JOBS = 48 };
static const uint64_t MIB = 1 << 20;

static uint64_t among(om_random *r, uint64_t low, uint64_t high)
{
    return low + om_random_below(r, high - low + 1);
}

static bool one_in(om_random *r, uint64_t n)
{
    return om_random_below(r, n) == 0;
}

static void any_device(schedule_device *d, om_random *r)
{
    *d = (schedule_device){ .kind = (schedule_kind) om_random_below(r, 3),
        .broken = one_in(r, 6),
        .slots = (uint32_t) om_random_below(r, 4),
        .memory = among(r, 0, 16) * 512 * MIB,
        .rate = one_in(r, 6) ? 0 : among(r, 1, 100) * 1000000,
        .start_ms = among(r, 0, 1000) };
}

static void any_pool(sim *s, om_random *r)
{
    s->pool =
        (schedule_pool){ .threads = (uint32_t) (one_in(r, 3) ? among(r, 1, 4) : among(r, 1, 64)),
            .memory = among(r, 1, 64) * 1024 * MIB,
            .device_count = (uint32_t) om_random_below(r, 5),
            .thread_rate = one_in(r, 8) ? 0 : among(r, 1, 20) * 100000,
            .memory_least = among(r, 0, 1024) * MIB,
            .grace = one_in(r, 2) ? 0 : among(r, 1, 3000),
            .patience = among(r, 1, 200000),
            .priority_step = among(r, 0, 60000),
            .horizon = among(r, 0, 60000) };
    if (one_in(r, 2)) {
        s->pool.spare_threads = s->pool.threads / 8;
        s->pool.spare_memory = s->pool.memory / 8;
    }
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        any_device(&s->devices[d], r);
    s->token_count = (uint32_t) among(r, 1, 4);
    for (uint32_t t = 0; t < s->token_count; t++)
        s->tokens[t] = (schedule_token){ .weight = (uint32_t) among(r, 1, 5) };
    s->half_life = one_in(r, 4) ? 0 : among(r, 1000, 1000000);
}

static void any_devices(schedule_job *job, om_random *r)
{
    job->wish = (schedule_wish) om_random_below(r, 4);
    if (job->wish == SCHEDULE_ANY)
        job->devices = om_random_below(r, 3);
    if (job->wish == SCHEDULE_NUMBERED)
        job->devices = among(r, 1, one_in(r, 4) ? 15 : 3);
    if (one_in(r, 4))
        job->device_memory = among(r, 1, 4096) * MIB;
    job->device_alone = one_in(r, 8);
}

/* Needs of a class of jobs; most of them are within the pool's capacity. */
static sim_job any_class(const sim *s, om_random *r, bool limits)
{
    sim_job j = { .searches = !one_in(r, 3) };
    uint64_t seconds = one_in(r, 4) ? among(r, 1, 200) : among(r, 1, 20);
    uint32_t p = s->pool.threads;
    if (!one_in(r, 3))
        j.job.threads_least =
            (uint32_t) (one_in(r, 4) ? among(r, 1, p + one_in(r, 8)) : among(r, 1, (p + 3) / 4));
    if (j.job.threads_least != 0 && one_in(r, 2))
        j.job.threads_most = j.job.threads_least;
    else if (one_in(r, 3))
        j.job.threads_most = (uint32_t) among(r, 1, p);
    if (!one_in(r, 3))
        j.job.memory =
            among(r, 1, s->pool.memory / (one_in(r, 4) ? 1 : 8) + (one_in(r, 8) ? MIB : 0));
    any_devices(&j.job, r);
    j.job.part = one_in(r, 3) ? SCHEDULE_PART_UNKNOWN
                 : j.searches ? SCHEDULE_PART_YES
                              : SCHEDULE_PART_NO;
    j.work = seconds * among(r, 1, 1000) * (j.job.threads_least == 0 ? 1 : j.job.threads_least);
    if (s->pool.thread_rate != 0 && one_in(r, 2))
        j.job.states = j.work * s->pool.thread_rate / 1000;
    if (j.job.states != 0 && one_in(r, 2))
        j.job.state_bytes = (uint32_t) among(r, 1, 64);
    if (limits || !one_in(r, 2)) /* some are stopped at it */
        j.job.limit = 1 + j.work / (j.job.threads_least == 0 ? 1 : j.job.threads_least) *
                              among(r, 9, 40) / 10;
    return j;
}

static int by_submission(const void *x, const void *y)
{
    const sim_job *a = x, *b = y;
    return (a->job.submitted > b->job.submitted) - (a->job.submitted < b->job.submitted);
}

static void number(sim *s, om_random *r)
{
    qsort(s->jobs, s->job_count, sizeof *s->jobs, by_submission);
    for (uint32_t i = 0; i < s->job_count; i++)
        s->jobs[i].job.id = i + 1;
    /* Ids are independent of the order of submission. */
    for (uint32_t i = s->job_count; i > 1; i--) {
        uint64_t k = om_random_below(r, i), id = s->jobs[i - 1].job.id;
        s->jobs[i - 1].job.id = s->jobs[k].job.id;
        s->jobs[k].job.id = id;
    }
}

void stream_any(sim *s, uint64_t seed, bool limits)
{
    om_random r = { seed };
    sim_job classes[CLASSES];
    uint64_t span = one_in(&r, 3) ? 0 : among(&r, 1, 300000);
    *s = (sim){ .seed = seed };
    any_pool(s, &r);
    if (limits && one_in(&r, 2))
        s->pool.longest = among(&r, 1000, 100000);
    for (uint32_t i = 0; i < CLASSES; i++)
        classes[i] = any_class(s, &r, limits);
    s->job_count = (uint32_t) among(&r, 1, MOST_JOBS);
    s->jobs = calloc(s->job_count, sizeof *s->jobs);
    for (uint32_t i = 0; i < s->job_count && s->jobs != NULL; i++) {
        uint32_t class = (uint32_t) om_random_below(&r, CLASSES);
        s->jobs[i] = classes[class];
        s->jobs[i].alike = class;
        s->jobs[i].job.token = (uint32_t) om_random_below(&r, s->token_count);
        s->jobs[i].job.submitted = span == 0 ? 0 : om_random_below(&r, span);
        if (one_in(&r, 2))
            s->jobs[i].job.priority = (int32_t) among(&r, 0, 20) - 10;
        s->jobs[i].job.attempt = 1;
    }
    number(s, &r);
}

void stream_flood(sim *s, uint64_t seed)
{
    om_random r = { seed };
    uint32_t p = (uint32_t) among(&r, 2, 8), narrow_jobs = 60 * p;
    uint64_t ms = among(&r, 2000, 6000);
    *s = (sim){ .seed = seed, .token_count = 2 };
    s->pool = (schedule_pool){ .threads = p,
        .memory = 1024 * MIB,
        .memory_least = MIB,
        .patience = among(&r, 2 * ms, 4 * ms),
        .priority_step = 1000,
        .horizon = 1000 };
    s->tokens[0] = (schedule_token){ .weight = (uint32_t) among(&r, 1, 3) };
    s->tokens[1] = (schedule_token){ .weight = 1, .usage = one_in(&r, 2) ? 0 : 1e12 };
    s->job_count = narrow_jobs + 1;
    s->jobs = calloc(s->job_count, sizeof *s->jobs);
    for (uint32_t i = 0; i < s->job_count && s->jobs != NULL; i++) {
        bool narrow = i < narrow_jobs;
        s->jobs[i] = (sim_job){ .alike = narrow, .work = (narrow ? 1 : p) * among(&r, ms / 2, ms) };
        s->jobs[i].job = (schedule_job){ .token = narrow ? 0 : 1,
            .priority = narrow ? 100 : -100,
            /* Slightly more work than the threads can do. */
            .submitted = narrow ? i * ms * 3 / 4 / p * 9 / 10 : among(&r, ms, 4 * ms),
            .threads_least = narrow ? 1 : p,
            .threads_most = narrow ? 1 : p,
            .memory = MIB,
            .wish = SCHEDULE_NONE,
            .limit = ms };
    }
    number(s, &r);
}

void stream_small(sim *s, uint64_t seed)
{
    om_random r = { seed };
    *s = (sim){ .seed = seed };
    any_pool(s, &r);
    s->pool.thread_rate = 1000000;
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        s->devices[d].start_ms = 1000;
    s->job_count = (uint32_t) among(&r, 1, MOST_JOBS);
    s->jobs = calloc(s->job_count, sizeof *s->jobs);
    for (uint32_t i = 0; i < s->job_count && s->jobs != NULL; i++) {
        sim_job *j = &s->jobs[i];
        uint32_t n = (uint32_t) among(&r, 1, s->pool.threads);
        /* At most two seconds on its threads; a device takes one second to start. */
        j->work = n * among(&r, 1, 1999);
        j->alike = i;
        j->job = (schedule_job){ .token = (uint32_t) om_random_below(&r, s->token_count),
            .submitted = om_random_below(&r, 20000),
            .threads_least = n,
            .threads_most = n,
            .memory = among(&r, 1, s->pool.memory / 4),
            .part = SCHEDULE_PART_YES,
            .states = j->work * 1000,
            .limit = 5000 };
    }
    number(s, &r);
}
