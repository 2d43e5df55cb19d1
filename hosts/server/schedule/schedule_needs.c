/* SPDX-License-Identifier: Apache-2.0 */
/* The needs of each job, including those left open. Refuses jobs that need more than the pool
 * has. */
#include "schedule_impl.h"

#include <assert.h>
#include <math.h>

static void refuse(schedule_plan *p, uint32_t job, schedule_why why, uint64_t need, uint64_t have)
{
    p->out[job] = (schedule_decision){
        .what = SCHEDULE_REFUSE, .why = why, .need = need, .have = have, .place = OM_NONE
    };
    p->result->refused++;
}

static uint32_t bits(uint64_t set)
{
    uint32_t n = 0;
    for (; set != 0; set &= set - 1)
        n++;
    return n;
}

/* Returns the memory of a job that does not state it. */
static uint64_t least_memory(const schedule_pool *pool, const schedule_job *job)
{
    uint64_t least = pool->memory_least, states = job->states;
    for (uint32_t i = 1; i < job->attempt && least < pool->memory && least != 0; i++)
        least = schedule__add(least, least);
    if (job->state_bytes != 0 && states != 0) {
        uint64_t all =
            states > UINT64_MAX / job->state_bytes ? UINT64_MAX : states * job->state_bytes;
        least = schedule__max(least, schedule__add(all, all / 4)); /* room to grow */
    }
    return schedule__max(schedule__min(least, pool->memory), 1);
}

static bool fill_in_basics(schedule_plan *p, uint32_t i)
{
    const schedule_job *job = &p->in->jobs[i];
    const schedule_pool *pool = p->pool;
    schedule_need *need = &p->needs[i];
    need->least = job->threads_least == 0 ? 1 : job->threads_least;
    need->most = job->threads_most == 0 ? UINT32_MAX : job->threads_most;
    if (need->least > need->most) {
        refuse(p, i, SCHEDULE_BAD_RANGE, need->least, need->most);
        return false;
    }
    if (need->least > pool->threads) {
        refuse(p, i, SCHEDULE_NO_THREADS, need->least, pool->threads);
        return false;
    }
    need->moldable = job->memory == 0;
    need->memory = need->moldable ? least_memory(pool, job) : job->memory;
    if (need->memory > pool->memory) {
        refuse(p, i, SCHEDULE_NO_MEMORY, need->memory, pool->memory);
        return false;
    }
    need->limit = job->limit;
    if (need->limit == 0 || (pool->longest != 0 && pool->longest < need->limit))
        need->limit = pool->longest;
    need->ends = need->limit == 0
                     ? SCHEDULE_NEVER
                     : schedule__add(p->in->now, schedule__add(need->limit, pool->grace));
    return true;
}

static bool numbered(schedule_plan *p, uint32_t i)
{
    const schedule_job *job = &p->in->jobs[i];
    for (uint32_t d = 0; d < SCHEDULE_DEVICES; d++) {
        bool there = d < schedule__device_count(p->pool);
        const schedule_device *device = there ? &p->pool->devices[d] : NULL;
        schedule_why why = SCHEDULE_OK;
        if ((job->devices >> d & 1) == 0)
            continue;
        if (device == NULL)
            why = SCHEDULE_NO_DEVICE;
        else if (device->broken)
            why = SCHEDULE_BROKEN_DEVICE;
        else if (device->memory < job->device_memory)
            why = SCHEDULE_SMALL_DEVICE;
        if (why != SCHEDULE_OK) {
            refuse(p, i, why, d, why == SCHEDULE_SMALL_DEVICE ? device->memory : 0);
            return false;
        }
    }
    p->needs[i].set = job->devices;
    p->needs[i].count = bits(job->devices);
    return true;
}

/* Returns the GPUs and accelerators that work and have the memory. A device that the job did not
 * ask for must have been measured. */
static uint64_t fit(schedule_plan *p, const schedule_job *job)
{
    uint64_t set = 0;
    for (uint32_t d = 0; d < schedule__device_count(p->pool); d++) {
        const schedule_device *device = &p->pool->devices[d];
        if (!device->broken && device->kind != SCHEDULE_CPU &&
            device->memory >= job->device_memory &&
            (job->wish == SCHEDULE_ANY || device->rate != 0))
            set |= UINT64_C(1) << d;
        p->result->steps++;
    }
    return set;
}

static bool fill_in_devices(schedule_plan *p, uint32_t i)
{
    const schedule_job *job = &p->in->jobs[i];
    schedule_need *need = &p->needs[i];
    if (job->wish == SCHEDULE_NUMBERED)
        return numbered(p, i);
    if (job->wish == SCHEDULE_NONE || (job->wish == SCHEDULE_AUTO && job->part == SCHEDULE_PART_NO))
        return true;
    need->set = fit(p, job);
    if (job->wish == SCHEDULE_ANY) {
        uint64_t asked = job->devices == 0 ? 1 : job->devices;
        uint32_t have = bits(need->set);
        need->count = (uint32_t) schedule__min(asked, SCHEDULE_DEVICES);
        if (asked > have)
            refuse(p, i, SCHEDULE_FEW_DEVICES, asked, have);
        return asked <= have;
    }
    need->maybe =
        job->part == SCHEDULE_PART_UNKNOWN || job->states == 0 || p->pool->thread_rate == 0;
    return true;
}

static int64_t key(const schedule_pool *pool, const schedule_job *job)
{
    int64_t priority = job->priority,
            step = (int64_t) schedule__min(pool->priority_step, 1ull << 54);
    if (priority > SCHEDULE_PRIORITY)
        priority = SCHEDULE_PRIORITY;
    if (priority < -SCHEDULE_PRIORITY)
        priority = -SCHEDULE_PRIORITY;
    return (int64_t) schedule__min(job->submitted, 1ull << 61) - priority * step;
}

uint32_t schedule__threads_meant(const schedule_plan *p, uint32_t job)
{
    uint32_t token = p->in->jobs[job].token;
    const schedule_need *need = &p->needs[job];
    assert(p->weights > 0 && p->queues[token].jobs > 0); /* the job itself counts */
    uint64_t part = p->pool->threads * schedule__weight(&p->in->tokens[token]) / p->weights;
    part = schedule__max(part / p->queues[token].jobs, need->least);
    return (uint32_t) schedule__min(part, schedule__min(need->most, p->pool->threads));
}

uint64_t schedule__memory_meant(const schedule_plan *p, uint32_t job, uint32_t threads)
{
    uint32_t token = p->in->jobs[job].token;
    double all = (double) p->pool->memory,
           weight = (double) schedule__weight(&p->in->tokens[token]);
    double even = all * weight / (double) p->weights / (double) p->queues[token].jobs;
    double with_threads = all * threads / p->pool->threads,
           most = even > with_threads ? even : with_threads;
    return most >= all ? p->pool->memory : schedule__max((uint64_t) most, p->needs[job].memory);
}

double schedule__on_threads(const schedule_plan *p, uint32_t job, uint32_t threads)
{
    assert(p->pool->thread_rate != 0 && threads != 0);
    double rate = (double) p->pool->thread_rate * threads;
    return (double) p->in->jobs[job].states / rate * 1000;
}

double schedule__on_device(const schedule_plan *p, uint32_t job, uint32_t device)
{
    const schedule_device *d = &p->pool->devices[device];
    assert(d->rate != 0 && !d->broken);
    return (double) d->start_ms + (double) p->in->jobs[job].states / (double) d->rate * 1000;
}

/* Finds the devices that gain. */
static void weigh_devices(schedule_plan *p, uint32_t i)
{
    schedule_need *need = &p->needs[i];
    double threads, best = INFINITY;
    if (need->count != 0)
        p->wanted |= need->set;
    if (need->count != 0 || need->set == 0 || need->maybe)
        return;
    threads = schedule__on_threads(p, i, schedule__threads_meant(p, i));
    for (uint32_t d = 0; d < schedule__device_count(p->pool); d++) {
        double there = (need->set >> d & 1) != 0 ? schedule__on_device(p, i, d) : INFINITY;
        p->result->steps++;
        if (there < threads)
            need->worth |= UINT64_C(1) << d;
        if (2 * there <= threads)
            need->much |= UINT64_C(1) << d;
        if (there < best) {
            best = there;
            need->best = d;
        }
    }
    assert((need->worth & ~need->set) == 0 && (need->much & ~need->worth) == 0);
    p->wanted |= need->worth;
    p->gains |= need->much;
}

static bool came_before(schedule_plan *p, uint32_t x, uint32_t y)
{
    const schedule_job *a = &p->in->jobs[x], *b = &p->in->jobs[y];
    p->result->steps++;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted;
    return a->id != b->id ? a->id < b->id : x < y;
}

/* Computes how much each device may have to do before a job. All jobs that gain by the device
 * count, whether they wait for it or not: so the sum shrinks when one of them has started, and a
 * waiting job goes on waiting (S7). */
static void add_up_before(schedule_plan *p)
{
    double sums[SCHEDULE_DEVICES] = { 0 };
    uint32_t count = 0, *jobs = p->starts; /* nothing has started yet */
    for (uint32_t i = 0; i < p->in->job_count; i++)
        if (p->needs[i].worth != 0)
            jobs[count++] = i;
    schedule__sort(p, jobs, count, came_before);
    for (uint32_t i = 0; i < count; i++) {
        schedule_need *need = &p->needs[jobs[i]];
        need->before = sums[need->best];
        sums[need->best] += schedule__on_device(p, jobs[i], need->best);
    }
}

void schedule__needs(schedule_plan *p)
{
    const schedule_state *in = p->in;
    for (uint32_t i = 0; i < in->running_count; i++)
        p->queues[in->running[i].token].jobs++;
    for (uint32_t i = 0; i < in->job_count; i++) {
        schedule_queue *queue = &p->queues[in->jobs[i].token];
        p->needs[i] = (schedule_need){ .key = key(p->pool, &in->jobs[i]) };
        p->out[i] = (schedule_decision){ .what = SCHEDULE_WAIT };
        p->result->steps++;
        if (!fill_in_basics(p, i) || !fill_in_devices(p, i))
            continue;
        queue->jobs++;
        queue->oldest = schedule__min(queue->oldest, in->jobs[i].submitted);
    }
    for (uint32_t i = 0; i < in->token_count; i++)
        p->weights += p->queues[i].jobs == 0 ? 0 : schedule__weight(&in->tokens[i]);
    for (uint32_t i = 0; i < in->job_count; i++)
        if (p->out[i].what != SCHEDULE_REFUSE)
            weigh_devices(p, i);
    add_up_before(p);
}
