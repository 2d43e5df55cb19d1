/* SPDX-License-Identifier: Apache-2.0 */
#include "bound.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BISECTIONS = 60 };

static double larger(double x, double y)
{
    return x > y ? x : y;
}

static double lesser(double x, double y)
{
    return x < y ? x : y;
}

static uint64_t usable(const sim *s)
{
    uint64_t set = 0;
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        set |= s->devices[d].broken ? 0 : UINT64_C(1) << d;
    return set;
}

static uint32_t bits(uint64_t set)
{
    uint32_t n = 0;
    for (; set != 0; set &= set - 1)
        n++;
    return n;
}

static uint64_t asked(const sim_job *j)
{
    return j->job.wish == SCHEDULE_NUMBERED ? bits(j->job.devices)
           : j->job.wish != SCHEDULE_ANY    ? 0
           : j->job.devices == 0            ? 1
                                            : j->job.devices;
}

static uint32_t most_threads(const sim *s, const sim_job *j)
{
    uint32_t most = j->job.threads_most;
    return most == 0 || most > s->pool.threads ? s->pool.threads : most;
}

static uint32_t least_threads(const sim_job *j)
{
    return j->job.threads_least == 0 ? 1 : j->job.threads_least;
}

static double cut(const sim *s, const sim_job *j, double ms)
{
    double limit = (double) sim_limit(s, j);
    return limit != 0 && limit < ms ? limit : ms;
}

/* On the best single device, or without one. */
static double on_best(const sim *s, const sim_job *j, uint32_t threads)
{
    uint64_t set = usable(s);
    double best = (double) sim_duration(s, j, threads, 0);
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        if ((set >> d & 1) != 0)
            best = lesser(best, (double) sim_duration(s, j, threads, UINT64_C(1) << d));
    return cut(s, j, best);
}

/* With the devices that the job requests: those that it names, or all devices combined, starting
 * as soon as the fastest to start. */
static double on_asked(const sim *s, const sim_job *j, uint32_t threads)
{
    schedule_device *devices;
    sim all = *s;
    if (j->job.wish == SCHEDULE_NUMBERED)
        return cut(s, j, (double) sim_duration(s, j, threads, j->job.devices));
    devices = all.devices;
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        for (uint32_t e = 0; e < s->pool.device_count; e++)
            if (s->devices[e].start_ms < devices[d].start_ms)
                devices[d].start_ms = s->devices[e].start_ms;
    return cut(s, j, (double) sim_duration(&all, j, threads, usable(s)));
}

/* The least time that a job can take, limited by its limit. */
static double shortest(const sim *s, const sim_job *j)
{
    uint32_t most = most_threads(s, j);
    if (asked(j) != 0)
        return on_asked(s, j, most);
    return j->job.wish == SCHEDULE_AUTO ? on_best(s, j, most)
                                        : cut(s, j, (double) sim_duration(s, j, most, 0));
}

/* Thread-ms without devices; and the minimum, with a device and the fewest threads. */
static double on_threads(const sim *s, const sim_job *j)
{
    return lesser((double) j->work, cut(s, j, INFINITY) * least_threads(j));
}

static double least_work(const sim *s, const sim_job *j)
{
    uint32_t least = least_threads(j);
    double alone = on_threads(s, j);
    if (asked(j) != 0)
        return lesser(alone, on_asked(s, j, least) * least);
    return j->job.wish == SCHEDULE_AUTO ? lesser(alone, on_best(s, j, least) * least) : alone;
}

typedef double amount_fn(const sim *s, const sim_job *j, uint32_t which);

static double threads(const sim *s, const sim_job *j, uint32_t which)
{
    (void) which;
    return least_work(s, j) / s->pool.threads;
}

static double memory(const sim *s, const sim_job *j, uint32_t which)
{
    double m = (double) (j->job.memory == 0 ? s->pool.memory_least : j->job.memory);
    (void) which;
    return lesser(m / (double) s->pool.memory, 1) * shortest(s, j);
}

static double wide(const sim *s, const sim_job *j, uint32_t which)
{
    (void) which;
    return least_threads(j) > s->pool.threads / 2 ? shortest(s, j) : 0;
}

static double heavy(const sim *s, const sim_job *j, uint32_t which)
{
    (void) which;
    return j->job.memory > s->pool.memory / 2 ? shortest(s, j) : 0;
}

static double named(const sim *s, const sim_job *j, uint32_t which)
{
    uint32_t slots = s->devices[which].slots == 0 ? 1 : s->devices[which].slots;
    bool names = j->job.wish == SCHEDULE_NUMBERED && (j->job.devices >> which & 1) != 0;
    return names ? shortest(s, j) / slots : 0;
}

static double all_slots(const sim *s)
{
    double all = 0;
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        all += s->devices[d].broken ? 0 : s->devices[d].slots == 0 ? 1 : s->devices[d].slots;
    return all;
}

static double devices(const sim *s, const sim_job *j, uint32_t which)
{
    (void) which;
    return asked(j) == 0 ? 0 : shortest(s, j) * (double) asked(j) / all_slots(s);
}

static double sum(const sim *s, amount_fn *amount, uint32_t which)
{
    double all = 0;
    for (uint32_t i = 0; i < s->job_count; i++)
        all += s->jobs[i].state == SIM_REFUSED ? 0 : amount(s, &s->jobs[i], which);
    return all;
}

static double spans(const sim *s)
{
    double all = 0, until = 0;
    for (uint32_t i = 0; i < s->job_count; i++) {
        const sim_job *j = &s->jobs[i];
        double from = (double) j->job.submitted, to = from + shortest(s, j);
        if (j->state == SIM_REFUSED)
            continue;
        all += larger(to - larger(from, until), 0);
        until = larger(until, to);
    }
    return all;
}

/* ---- B4 ---- */

typedef struct choice {
    double device, saved; /* ms on a device, and the thread-ms that it saves */
} choice;

static int by_gain(const void *x, const void *y)
{
    const choice *a = x, *b = y;
    double p = a->saved * b->device, q = b->saved * a->device;
    return (p < q) - (p > q);
}

static double shared(const sim *s)
{
    double work = 0, low = 0, high, all = all_slots(s);
    choice *choices = calloc(s->job_count + 1, sizeof *choices);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->job_count && choices != NULL; i++) {
        const sim_job *j = &s->jobs[i];
        if (j->state == SIM_REFUSED)
            continue;
        if (j->job.wish != SCHEDULE_AUTO || !j->searches) {
            work += least_work(s, j);
            continue;
        }
        double device = on_best(s, j, 1), saved = on_threads(s, j) - device * least_threads(j);
        work += on_threads(s, j);
        if (saved > 0)
            choices[count++] = (choice){ device, saved };
    }
    if (count != 0)
        qsort(choices, count, sizeof *choices, by_gain);
    high = work / s->pool.threads;
    for (int k = 0; k < MOST_BISECTIONS; k++) {
        double c = (low + high) / 2, room = all * c, left = work;
        for (uint32_t i = 0; i < count && room > 0; i++) {
            double part = choices[i].device <= room ? 1 : room / choices[i].device;
            left -= part * choices[i].saved;
            room -= part * choices[i].device;
        }
        if (left <= c * s->pool.threads)
            high = c;
        else
            low = c;
    }
    free(choices);
    return low;
}

static double best_of_period(const sim *s)
{
    double best = larger(spans(s), shared(s));
    best = larger(best, larger(sum(s, threads, 0), sum(s, memory, 0)));
    best = larger(best, larger(sum(s, wide, 0), sum(s, heavy, 0)));
    best = larger(best, sum(s, devices, 0));
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        best = larger(best, sum(s, named, d));
    return best;
}

double sim_best(const sim *s)
{
    double all = 0;
    sim period = *s;
    for (uint32_t i = 0, k; i < s->job_count; i = k) {
        for (k = i; k < s->job_count && s->jobs[k].period == s->jobs[i].period; k++)
            ;
        period.jobs = s->jobs + i;
        period.job_count = k - i;
        all += best_of_period(&period);
    }
    return all;
}
