/* SPDX-License-Identifier: Apache-2.0 */
/* The policy on the traces, compared with the lower bound of bound.h. */
#include "trace.h"

#include "bound.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static double utilisation(sim *s, const char *name)
{
    double u, longest = 0;
    trace_read(s, name);
    s->looks_twice = s->job_count < 600;
    sim_run(s, name);
    u = sim_best(s) / (double) s->busy;
    for (uint32_t i = 0; i < s->job_count; i++)
        longest = fmax(longest, (double) (s->jobs[i].ended - s->jobs[i].started));
    print_message(
        "%-12s %5u jobs, %7.1f s busy, %.3f of the bound; longest job %5.1f s, at most %u "
        "queued\n",
        name, s->job_count, (double) s->busy / 1000, u, longest / 1000, s->most_queued);
    assert_true(u <= 1.0001); /* otherwise it is no bound */
    return u;
}

static void expect(const char *name, double least)
{
    sim s;
    double u = utilisation(&s, name);
    if (u < least)
        fail_msg("%s: %.3f of the bound", name, u);
    trace_free(&s);
}

/* Traces whose longest job is a small part of the busy time. */
static void test_utilisation(void **state)
{
    (void) state;
    expect("many-small", 0.9);
    expect("few-large", 0.9);
    expect("bursts", 0.9);
    expect("mixed-gpu", 0.9);
    expect("memory-bound", 0.9);
    expect("open-needs", 0.9);
    expect("greedy", 0.9);
    expect("hostile", 0.9);
    expect("halves", 0.9);
}

/*
 * A policy that does not know durations cannot start the longest jobs first. In Graham's example,
 * the longest job is last: 7 + 8 units on 8 threads instead of 8, for any such policy (schedule.h:
 * 2 - 1/m). With bursts of 40 jobs, threads are idle at the end of each burst.
 */
static void test_out_of_reach(void **state)
{
    sim s;
    double u = utilisation(&s, "graham");
    (void) state;
    assert_true(fabs(u - 8.0 / 15) < 1e-3);
    trace_free(&s);
    expect("short-bursts", 0.8);
}

/* Mean time from submission to start in ms, and the maximum. */
static double mean_wait(const sim *s, bool first_token, double *most)
{
    double sum = 0, count = 0;
    *most = 0;
    for (uint32_t i = 0; i < s->job_count; i++) {
        double ms = (double) (s->jobs[i].started - s->jobs[i].job.submitted);
        if ((s->jobs[i].job.token == 0) != first_token)
            continue;
        sum += ms;
        count++;
        *most = fmax(*most, ms);
    }
    return sum / count;
}

/* 600 jobs of one token with the highest priority hardly delay three other tokens that use their
 * shares. */
static void test_greedy(void **state)
{
    sim s;
    double most, greedy, others;
    (void) state;
    trace_read(&s, "greedy");
    sim_run(&s, "greedy");
    greedy = mean_wait(&s, true, &most);
    others = mean_wait(&s, false, &most);
    print_message("waits: %.1f s, the others %.1f s, %.1f at most\n", greedy / 1000, others / 1000,
        most / 1000);
    assert_true(others < greedy / 20);
    trace_free(&s);
}

/* Jobs that need all threads, with the lowest priority and a quarter of the weight, in an endless
 * stream of others: the first of them becomes the head when it arrives, and starts when the
 * running jobs end. */
static void test_hostile(void **state)
{
    sim s;
    double most;
    (void) state;
    trace_read(&s, "hostile");
    sim_run(&s, "hostile");
    (void) mean_wait(&s, false, &most);
    print_message("waits of wide jobs: %.1f s at most\n", most / 1000);
    assert_true(most <= 300000);
    trace_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utilisation),
        cmocka_unit_test(test_out_of_reach),
        cmocka_unit_test(test_greedy),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
