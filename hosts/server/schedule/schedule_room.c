/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of the pool that are held now and at the head's promise. */
#include "schedule_impl.h"

#include <assert.h>

static uint32_t slots(const schedule_device *device)
{
    return device->slots == 0 ? 1 : device->slots;
}

uint64_t schedule__device_part(const schedule_device *device, uint64_t memory, bool alone)
{
    return alone ? device->memory : memory != 0 ? memory : device->memory / slots(device);
}

void schedule__take(const schedule_pool *pool, schedule_room *room, const schedule_running *held)
{
    room->threads = schedule__add(room->threads, held->threads);
    room->memory = schedule__add(room->memory, held->memory);
    for (uint32_t d = 0; held->devices >> d != 0 && d < schedule__device_count(pool); d++) {
        schedule_load *load = &room->devices[d];
        uint64_t part =
            schedule__device_part(&pool->devices[d], held->device_memory, held->device_alone);
        if ((held->devices >> d & 1) == 0)
            continue;
        load->soonest =
            load->jobs == 0 ? held->expected : schedule__min(load->soonest, held->expected);
        load->memory = schedule__add(load->memory, part);
        load->jobs++;
        load->alone |= held->device_alone;
    }
}

bool schedule__open(
    const schedule_plan *p, const schedule_room *room, uint32_t device, const schedule_job *job)
{
    const schedule_device *d = &p->pool->devices[device];
    const schedule_load *load = &room->devices[device];
    p->result->steps++;
    if (load->alone || load->jobs >= slots(d) || (job->device_alone && load->jobs != 0))
        return false;
    return schedule__less(d->memory, load->memory) >=
           schedule__device_part(d, job->device_memory, job->device_alone);
}

uint64_t schedule__pick(schedule_plan *p, const schedule_room *a, const schedule_room *b,
    uint32_t job, uint64_t set, uint32_t count, uint32_t *found)
{
    const schedule_job *of = &p->in->jobs[job];
    uint64_t open = 0, picked = 0;
    *found = 0;
    for (uint32_t d = 0; set >> d != 0 && d < schedule__device_count(p->pool); d++)
        if ((set >> d & 1) != 0 && schedule__open(p, a, d, of) &&
            (b == NULL || schedule__open(p, b, d, of))) {
            open |= UINT64_C(1) << d;
            ++*found;
        }
    if (*found < count)
        return 0;
    for (; count > 0; count--) {
        uint32_t best = OM_NONE;
        for (uint32_t d = 0; d < schedule__device_count(p->pool); d++)
            if ((open >> d & 1) != 0 &&
                (best == OM_NONE || p->pool->devices[d].rate > p->pool->devices[best].rate))
                best = d;
        assert(best != OM_NONE); /* `count` devices are open */
        open &= ~(UINT64_C(1) << best);
        picked |= UINT64_C(1) << best;
    }
    return picked;
}

static bool ends_before(schedule_plan *p, uint32_t x, uint32_t y)
{
    p->result->steps++;
    return p->held[x].ends != p->held[y].ends ? p->held[x].ends < p->held[y].ends : x < y;
}

/* Returns the first job of `ends` that still holds resources at the promise. Unknown ends come one
 * after the other, in the order of the starts: while the head waits for such an end, later ones do
 * not count as over. */
static uint32_t first_kept(const schedule_plan *p, uint32_t released)
{
    if (p->promise != SCHEDULE_NEVER)
        while (released < p->held_count && p->held[p->ends[released]].ends <= p->promise)
            released++;
    return released;
}

/* Computes the resources held after the jobs before `released` have ended. */
static void held_then(schedule_plan *p, uint32_t released)
{
    p->later = (schedule_room){ .threads = 0 };
    for (uint32_t i = released; i < p->held_count; i++)
        schedule__take(p->pool, &p->later, &p->held[p->ends[i]]);
}

static bool fits_then(schedule_plan *p, uint32_t job)
{
    const schedule_need *need = &p->needs[job];
    uint32_t found;
    p->result->steps++;
    if (schedule__less(p->pool->threads, p->later.threads) < need->least ||
        schedule__less(p->pool->memory, p->later.memory) < need->memory)
        return false;
    return need->count == 0 ||
           schedule__pick(p, &p->later, NULL, job, need->set, need->count, &found) != 0;
}

void schedule__reserve(schedule_plan *p, uint32_t job)
{
    const schedule_job *of = &p->in->jobs[job];
    const schedule_need *need = &p->needs[job];
    uint32_t low = 0, high = p->held_count, found;

    assert(p->head == OM_NONE); /* S2: there is one promise */
    for (uint32_t i = 0; i < p->held_count; i++)
        p->ends[i] = i;
    schedule__sort(p, p->ends, p->held_count, ends_before);
    /* The more jobs have ended, the more is free: binary search for the least number of them. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        held_then(p, middle);
        if (fits_then(p, job))
            high = middle;
        else
            low = middle + 1;
    }
    assert(low <= p->held_count);
    p->head = job;
    p->promise = low == 0 ? p->in->now : p->held[p->ends[low - 1]].ends;
    held_then(p, first_kept(p, low));
    schedule_running own = { .threads = need->least,
        .memory = need->memory,
        .devices = need->count == 0
                       ? 0
                       : schedule__pick(p, &p->later, NULL, job, need->set, need->count, &found),
        .device_memory = of->device_memory,
        .device_alone = of->device_alone,
        .ends = SCHEDULE_NEVER };
    schedule__take(p->pool, &p->later, &own);
}
