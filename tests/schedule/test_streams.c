/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy on random pools and streams; simulate.c has the checks.
 *   test_schedule-streams [STREAMS [SEED]]
 */
#include "streams.h"

#include "bound.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

static uint64_t streams = 2500, seed = 1;

static const char *name(const char *kind, uint64_t number)
{
    static char text[64];
    (void) snprintf(text, sizeof text, "%s %llu", kind, (unsigned long long) number);
    return text;
}

static void test_any(void **state)
{
    uint64_t decisions = 0, jobs = 0, bounded = 0;
    (void) state;
    for (uint64_t i = 0; i < streams; i++) {
        sim s;
        stream_any(&s, seed + i, i % 3 != 0);
        assert_non_null(s.jobs);
        s.looks_twice = i % 4 == 0;
        sim_run(&s, name("stream", seed + i));
        decisions += s.decisions;
        jobs += s.job_count;
        for (uint32_t k = 0; k < s.job_count; k++)
            bounded += sim_bound(&s, &s.jobs[k]) != UINT64_MAX;
        assert_true(sim_best(&s) <= (double) s.busy * 1.0001); /* otherwise it is no bound */
        free(s.jobs);
    }
    print_message("%llu decisions, %llu jobs, %llu of them with a bound\n",
        (unsigned long long) decisions, (unsigned long long) jobs, (unsigned long long) bounded);
    assert_true(bounded > jobs / 2);
}

/* S3 where it matters: the bound is a small part of the duration of the flood. */
static void test_flood(void **state)
{
    (void) state;
    for (uint64_t i = 0; i < streams / 50; i++) {
        sim s;
        uint64_t last = 0;
        stream_flood(&s, seed + i);
        assert_non_null(s.jobs);
        sim_run(&s, name("flood", seed + i));
        for (uint32_t k = 0; k < s.job_count; k++)
            last = s.jobs[k].job.submitted > last ? s.jobs[k].job.submitted : last;
        for (uint32_t k = 0; k < s.job_count; k++)
            if (s.jobs[k].job.token == 1)
                assert_true(s.jobs[k].job.submitted + sim_bound(&s, &s.jobs[k]) < last);
        free(s.jobs);
    }
}

/* S6: small jobs start at the same times as without devices. */
static void test_small(void **state)
{
    (void) state;
    for (uint64_t i = 0; i < streams / 5; i++) {
        sim with, without;
        stream_small(&with, seed + i);
        stream_small(&without, seed + i);
        assert_true(with.jobs != NULL && without.jobs != NULL);
        without.pool.device_count = 0;
        for (uint32_t k = 0; k < with.job_count; k++)
            with.jobs[k].searches = without.jobs[k].searches = false;
        /* Device time counts in shares, so use one token. */
        with.pool.horizon = without.pool.horizon = 0;
        with.token_count = without.token_count = 1;
        for (uint32_t k = 0; k < with.job_count; k++)
            with.jobs[k].job.token = without.jobs[k].job.token = 0;
        sim_run(&with, name("small", seed + i));
        sim_run(&without, name("small, no device,", seed + i));
        for (uint32_t k = 0; k < with.job_count; k++)
            assert_int_equal(with.jobs[k].started, without.jobs[k].started);
        free(with.jobs);
        free(without.jobs);
    }
}

/* ---- shares ---- */

enum { SHARED = 600 };

/* Jobs of each token, all submitted at the beginning, with more work than fits the time. */
static void overload(sim *s, const uint32_t *weights, uint32_t tokens)
{
    *s = (sim){
        .seed = 1, .token_count = tokens, .half_life = 600000, .job_count = SHARED * tokens
    };
    s->pool = (schedule_pool){ .threads = 16,
        .memory = 65536,
        .memory_least = 1,
        .patience = 600000,
        .priority_step = 1000,
        .horizon = 10000 };
    s->jobs = calloc(s->job_count, sizeof *s->jobs);
    assert_non_null(s->jobs);
    for (uint32_t i = 0; i < tokens; i++)
        s->tokens[i].weight = weights[i];
    for (uint32_t i = 0; i < s->job_count; i++) {
        s->jobs[i] = (sim_job){ .work = 20000, .alike = i };
        s->jobs[i].job = (schedule_job){ .id = i + 1,
            .token = i % tokens,
            .threads_least = 1,
            .threads_most = 1,
            .memory = 1,
            .wish = SCHEDULE_NONE,
            .limit = 40000 };
    }
}

/* S5: while all tokens have queued jobs, served shares are proportional to the weights, within 3 %
 * or `job` (share times ms). */
static void expect_shares(
    sim *s, const uint32_t *weights, uint64_t until, double job, const char *what)
{
    double all = 0, weight = 0;
    s->measured = until;
    sim_run(s, what);
    for (uint32_t t = 0; t < s->token_count; t++) {
        all += s->served[t];
        weight += weights[t];
    }
    for (uint32_t t = 0; t < s->token_count; t++) {
        double share = s->served[t] / all, meant = weights[t] / weight;
        if (fabs(share - meant) > fmax(0.03 * meant, job / all))
            fail_msg("%s: token %u has %.4f of what was served, not %.4f", what, t, share, meant);
    }
    free(s->jobs);
}

static void test_shares(void **state)
{
    const uint32_t even[] = { 1, 1, 1 }, uneven[] = { 1, 2, 5 };
    sim s;
    (void) state;
    overload(&s, even, 3);
    expect_shares(&s, even, 1200000, 0, "even weights");
    overload(&s, uneven, 3);
    expect_shares(&s, uneven, 700000, 0, "weights 1, 2, 5");
}

/* Sizes and priorities give no advantage: one token has jobs four times as wide and as long,
 * another sets all priorities high. */
static void test_shares_of_unlike_jobs(void **state)
{
    const uint32_t weights[] = { 1, 1, 2 };
    sim s;
    (void) state;
    overload(&s, weights, 3);
    for (uint32_t i = 0; i < s.job_count; i++) {
        sim_job *j = &s.jobs[i];
        if (j->job.token == 0) {
            j->job.threads_least = j->job.threads_most = 4;
            j->work *= 16;
            j->job.limit *= 4;
        } else if (j->job.token == 1)
            j->job.priority = 100;
    }
    expect_shares(&s, weights, 1400000, 2 * 80000 / 4, "wide jobs");
}

/* Dominant shares: one token's jobs are dominated by memory, the other's by threads, and both
 * run together (Ghodsi et al., section 4.1: 9 CPUs and 18 GB, <1, 4> and <3, 1>, equal shares
 * of 2/3). */
static void test_dominant_shares(void **state)
{
    const uint32_t weights[] = { 1, 1 };
    sim s;
    (void) state;
    overload(&s, weights, 2);
    s.pool.threads = 9;
    s.pool.memory = 18;
    for (uint32_t i = 0; i < s.job_count; i++) {
        schedule_job *job = &s.jobs[i].job;
        job->threads_least = job->threads_most = job->token == 0 ? 1 : 3;
        job->memory = job->token == 0 ? 4 : 1;
        s.jobs[i].work *= job->threads_least;
    }
    s.measured = 1200000;
    sim_run(&s, "dominant shares");
    for (uint32_t t = 0; t < 2; t++)
        if (fabs(s.served[t] / 1200000 - 2.0 / 3) > 0.02)
            fail_msg("token %u has a dominant share of %.4f", t, s.served[t] / 1200000);
    free(s.jobs);
}

/* A token that was absent comes first until shares are balanced, but not for ever. */
static void test_half_life(void **state)
{
    const uint32_t weights[] = { 1, 1 };
    sim s;
    (void) state;
    overload(&s, weights, 2);
    for (uint32_t i = 0; i < s.job_count; i++)
        if (s.jobs[i].job.token == 1)
            s.jobs[i].job.submitted = 600000;
    for (uint32_t i = 0, at = 0; i < s.job_count; i++) /* by submission */
        if (s.jobs[i].job.token == 0) {
            sim_job x = s.jobs[at];
            s.jobs[at++] = s.jobs[i];
            s.jobs[i] = x;
        }
    s.measured = 660000;
    sim_run(&s, "half-life");
    /* The first token has 600 s alone, then little for a minute: the other is served first. */
    assert_true(s.served[1] > 0.6 * 60000);
    assert_true(s.served[0] > 590000 && s.served[0] < 625000);
    free(s.jobs);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_shares_of_unlike_jobs),
        cmocka_unit_test(test_dominant_shares),
        cmocka_unit_test(test_half_life),
    };
    if (argc > 1)
        streams = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
