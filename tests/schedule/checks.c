/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

void sim_wrong(const sim_state *r, const char *claim, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    (void) vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fail_msg("%s, at %llu ms: %s (%s)", r->what, (unsigned long long) r->s->now, text, claim);
}

/* ---- the model, independently of the policy ---- */

static uint64_t slots(const schedule_device *d)
{
    return d->slots == 0 ? 1 : d->slots;
}

static uint64_t device_bytes(const schedule_device *d, uint64_t asked, bool alone)
{
    return alone ? d->memory : asked != 0 ? asked : d->memory / slots(d);
}

/* Recomputes whether a job may have a device. */
static bool may_have(const sim *s, const schedule_job *job, uint32_t d)
{
    const schedule_device *device = &s->devices[d];
    if (d >= s->pool.device_count || device->broken || device->memory < job->device_memory)
        return false;
    switch (job->wish) {
    case SCHEDULE_NONE:
        return false;
    case SCHEDULE_NUMBERED:
        return (job->devices >> d & 1) != 0;
    case SCHEDULE_ANY:
        return device->kind != SCHEDULE_CPU;
    case SCHEDULE_AUTO:
        return device->kind != SCHEDULE_CPU && device->rate != 0 && job->part != SCHEDULE_PART_NO;
    }
    return false;
}

bool sim_fits(const sim *s, const schedule_job *job)
{
    uint64_t may = 0, asked = 0;
    if (job->threads_most != 0 && job->threads_least > job->threads_most)
        return false;
    if (job->threads_least > s->pool.threads || s->pool.threads == 0)
        return false;
    if (job->memory > s->pool.memory || s->pool.memory == 0)
        return false;
    for (uint32_t d = 0; d < SIM_DEVICES; d++)
        may += may_have(s, job, d);
    if (job->wish == SCHEDULE_ANY)
        asked = job->devices == 0 ? 1 : job->devices;
    for (uint32_t d = 0; job->wish == SCHEDULE_NUMBERED && d < 64; d++)
        asked += job->devices >> d & 1;
    return asked <= may;
}

uint64_t sim_limit(const sim *s, const sim_job *j)
{
    uint64_t own = j->job.limit, longest = s->pool.longest;
    return own == 0 ? longest : longest == 0 || own < longest ? own : longest;
}

/* T of schedule.h; 0 if a job has no limit. */
static uint64_t longest(const sim *s)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->job_count; i++) {
        uint64_t limit = sim_limit(s, &s->jobs[i]);
        if (s->jobs[i].state == SIM_REFUSED)
            continue;
        if (limit == 0)
            return 0;
        most = limit > most ? limit : most;
    }
    return most + s->pool.grace;
}

static double key(const sim *s, const sim_job *j)
{
    int32_t p = j->job.priority > 100 ? 100 : j->job.priority < -100 ? -100 : j->job.priority;
    return (double) j->job.submitted - (double) p * (double) s->pool.priority_step;
}

static bool comes_before(const sim *s, const sim_job *a, const sim_job *b)
{
    if (key(s, a) != key(s, b))
        return key(s, a) < key(s, b);
    return a->job.submitted != b->job.submitted ? a->job.submitted < b->job.submitted
                                                : a->job.id < b->job.id;
}

uint64_t sim_bound(const sim *s, const sim_job *j)
{
    double all = 0, own = s->tokens[j->job.token].weight, t = (double) longest(s), before = 0;
    for (uint32_t i = 0; i < s->token_count; i++)
        all += s->tokens[i].weight;
    for (uint32_t i = 0; i < s->job_count; i++)
        before += s->jobs[i].job.token == j->job.token && s->jobs[i].state != SIM_REFUSED &&
                  comes_before(s, &s->jobs[i], j);
    double turn = (double) s->pool.patience * all / own + (s->token_count + 1) * t;
    return t == 0 ? UINT64_MAX : (uint64_t) ((double) s->pool.patience + t + (before + 1) * turn);
}

/* ---- after a decision ---- */

void sim_check_sums(const sim_state *r)
{
    const sim *s = r->s;
    uint64_t threads = 0, memory = 0;
    for (uint32_t i = 0; i < r->state.running_count; i++) {
        threads += r->running[i].threads;
        memory += r->running[i].memory;
    }
    require(r, threads <= s->pool.threads, "%llu threads", (unsigned long long) threads);
    require(r, memory <= s->pool.memory, "%llu bytes", (unsigned long long) memory);
    for (uint32_t d = 0; d < 64; d++) {
        uint64_t jobs = 0, bytes = 0, alone = 0;
        for (uint32_t i = 0; i < r->state.running_count; i++) {
            const schedule_running *h = &r->running[i];
            if ((h->devices >> d & 1) == 0)
                continue;
            require(r, d < s->pool.device_count && !s->devices[d].broken, "device %u", d);
            jobs++;
            alone += h->device_alone;
            bytes += device_bytes(&s->devices[d], h->device_memory, h->device_alone);
        }
        require(r, jobs == 0 || jobs <= slots(&s->devices[d]), "device %u", d);
        require(r, jobs == 0 || bytes <= s->devices[d].memory, "device %u", d);
        require(r, alone == 0 || jobs == 1, "device %u", d);
    }
}

void sim_check_grant(const sim_state *r, const sim_job *j, const schedule_decision *d)
{
    const schedule_job *job = &j->job;
    uint32_t least = job->threads_least == 0 ? 1 : job->threads_least, devices = 0, asked = 0;
    require(r, d->threads >= least, "job %llu: %u", sim_id(j), d->threads);
    require(r, job->threads_most == 0 || d->threads <= job->threads_most, "job %llu", sim_id(j));
    require(r, job->memory == 0 || d->memory == job->memory, "job %llu", sim_id(j));
    require(r, d->memory > 0, "job %llu", sim_id(j));
    require(r, d->limit == sim_limit(r->s, j), "job %llu", sim_id(j));
    for (uint32_t i = 0; i < 64; i++) {
        devices += d->devices >> i & 1;
        require(r, (d->devices >> i & 1) == 0 || may_have(r->s, job, i), "job %llu", sim_id(j));
        asked += job->wish == SCHEDULE_NUMBERED && (job->devices >> i & 1) != 0;
    }
    if (job->wish == SCHEDULE_ANY)
        asked = job->devices == 0 ? 1 : (uint32_t) job->devices;
    if (job->wish == SCHEDULE_AUTO)
        require(r, devices <= 1, "job %llu", sim_id(j));
    else
        require(r, devices == asked, "job %llu", sim_id(j));
}

void sim_check_head(const sim_state *r)
{
    uint64_t t = longest(r->s);
    uint32_t heads = 0;
    for (uint32_t i = 0; i < r->state.job_count; i++) {
        const schedule_decision *d = &r->out[i];
        sim_job *j = &r->s->jobs[r->queued[i]];
        if (j->promise != 0 && d->what == SCHEDULE_START)
            require(r, r->s->now <= j->promise, "job %llu", sim_id(j));
        if (!d->head) {
            require(
                r, d->what == SCHEDULE_START || j->job.id != r->reserved, "job %llu", sim_id(j));
            continue;
        }
        heads++;
        require(
            r, d->what == SCHEDULE_WAIT && r->result.reserved == j->job.id, "job %llu", sim_id(j));
        require(r, t == 0 || (d->until != 0 && d->until <= r->s->now + t), "job %llu", sim_id(j));
        if (j->promise != 0)
            require(r, d->until != 0 && d->until <= j->promise, "job %llu", sim_id(j));
        if (d->until != 0)
            j->promise = d->until;
    }
    require(r, heads == (r->result.reserved != 0), "%u heads", heads);
}

void sim_check_keys(const sim_state *r)
{
    for (uint32_t i = 0; i < r->state.job_count; i++)
        for (uint32_t k = 0; r->out[i].what == SCHEDULE_START && k < r->state.job_count; k++) {
            const sim_job *a = &r->s->jobs[r->queued[i]], *b = &r->s->jobs[r->queued[k]];
            if (r->out[k].what != SCHEDULE_WAIT || a->job.token != b->job.token ||
                r->out[k].why == SCHEDULE_BY_CHOICE || !comes_before(r->s, b, a))
                continue;
            require(r, a->alike != b->alike || a->job.id == r->reserved, "jobs %llu and %llu",
                sim_id(a), sim_id(b));
            require(r, !r->out[i].in_turn, "jobs %llu and %llu", sim_id(a), sim_id(b));
        }
}

/* S6: a job that waits for a device is done in at most half the time there. The wait is bounded by
 * `patience`, and a running job holds the device. */
void sim_check_choice(const sim_state *r, const sim_job *j, const schedule_decision *d)
{
    const schedule_device *device = &r->s->devices[d->need];
    double here = (double) j->job.states / (double) r->s->pool.thread_rate * 1000;
    double there =
        (double) device->start_ms + (double) j->job.states / (double) device->rate * 1000;
    bool taken = false;
    for (uint32_t i = 0; i < r->state.running_count; i++) /* includes jobs started just now */
        taken |= (r->s->jobs[r->runs[i]].holds.devices >> d->need & 1) != 0;
    require(r, taken && j->job.wish == SCHEDULE_AUTO, "job %llu", sim_id(j));
    require(r, may_have(r->s, &j->job, (uint32_t) d->need), "job %llu", sim_id(j));
    require(r, j->job.part == SCHEDULE_PART_YES && j->job.states != 0, "job %llu", sim_id(j));
    require(r, 2 * (there + (double) d->have) <= here, "job %llu", sim_id(j));
    require(
        r, r->s->now + d->have <= j->job.submitted + r->s->pool.patience, "job %llu", sim_id(j));
}

void sim_check_end(const sim_state *r)
{
    const sim *s = r->s;
    for (uint32_t i = 0; i < s->job_count; i++) {
        const sim_job *j = &s->jobs[i];
        uint64_t bound = sim_bound(s, j);
        require(r, j->state == SIM_DONE || j->state == SIM_REFUSED, "job %llu", sim_id(j));
        if (j->state == SIM_DONE)
            require(r, bound == UINT64_MAX || j->started - j->job.submitted <= bound,
                "job %llu waited %llu of %llu ms", sim_id(j),
                (unsigned long long) (j->started - j->job.submitted), (unsigned long long) bound);
    }
}
