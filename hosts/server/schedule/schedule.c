/* SPDX-License-Identifier: Apache-2.0 */
/* One decision: visits jobs in their order; each is started, passed, or made the head. */
#include "schedule_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- scratch memory ---- */

enum { ALIGN = 16 };

typedef struct area {
    unsigned char *at; /* NULL: sizes are only added up */
    size_t used;
    bool overflow;
} area;

static void *piece(area *a, uint64_t count, size_t size)
{
    size_t bytes;
    void *at = a->at == NULL ? NULL : a->at + a->used;
    if (count > (SIZE_MAX / 2) / size || a->used > SIZE_MAX / 4) {
        a->overflow = true;
        return NULL;
    }
    bytes = ((size_t) count * size + ALIGN - 1) / ALIGN * ALIGN;
    a->overflow |= bytes > SIZE_MAX / 4;
    assert(a->used % ALIGN == 0);
    a->used += bytes;
    return at;
}

static void lay_out(schedule_plan *p, area *a, uint32_t jobs, uint32_t running, uint32_t tokens)
{
    uint64_t all = (uint64_t) jobs + running;
    p->needs = piece(a, jobs, sizeof *p->needs);
    p->queues = piece(a, tokens, sizeof *p->queues);
    p->held = piece(a, all, sizeof *p->held);
    p->order = piece(a, jobs, sizeof *p->order);
    p->starts = piece(a, jobs, sizeof *p->starts);
    p->ends = piece(a, all, sizeof *p->ends);
    p->heap = piece(a, tokens, sizeof *p->heap);
}

size_t schedule_scratch(uint32_t jobs, uint32_t running, uint32_t tokens)
{
    schedule_plan p;
    area a = { NULL, 0, false };
    lay_out(&p, &a, jobs, running, tokens);
    return a.overflow ? SIZE_MAX : a.used;
}

/* ---- one job ---- */

/* What a job may take: of the resources free now and, if it ends after S, of those spare at S. */
typedef struct chance {
    bool beside;
    uint64_t threads, memory, threads_now, memory_now;
} chance;

static chance chance_of(const schedule_plan *p, uint32_t job)
{
    chance c = { .beside = p->head != OM_NONE && (p->needs[job].ends > p->promise ||
                                                     p->needs[job].ends == SCHEDULE_NEVER) };
    c.threads = c.threads_now = schedule__less(p->pool->threads, p->now.threads);
    c.memory = c.memory_now = schedule__less(p->pool->memory, p->now.memory);
    if (c.beside) {
        c.threads = schedule__min(c.threads, schedule__less(p->pool->threads, p->later.threads));
        c.memory = schedule__min(c.memory, schedule__less(p->pool->memory, p->later.memory));
    }
    return c;
}

/* Keeps `spare` free for later jobs, or half of what is free if that is less. */
static uint64_t but_spare(uint64_t free, uint64_t spare)
{
    return free - schedule__min(spare, free / 2);
}

static bool make_wait(
    schedule_plan *p, uint32_t job, schedule_why why, uint64_t need, uint64_t have)
{
    assert(p->out[job].what == SCHEDULE_WAIT);
    p->out[job].why = why;
    p->out[job].need = need;
    p->out[job].have = have;
    return false;
}

/* Returns true if the best device is taken, worth the wait, and no device that gains is free now.
 * Ignores the job's other needs: the job does not hold back others before it could have the device,
 * too. */
static bool waits_by_choice(schedule_plan *p, uint32_t job, const schedule_room *later)
{
    const schedule_need *need = &p->needs[job];
    const schedule_job *of = &p->in->jobs[job];
    const schedule_load *load = &p->now.devices[need->best];
    double left = (double) schedule__add(of->submitted, schedule__max(p->pool->patience, 1)), ms;
    uint32_t found;

    if (need->worth == 0 || load->jobs == 0 || of->id == p->in->reserved ||
        schedule__pick(p, &p->now, later, job, need->worth, 1, &found) != 0)
        return false;
    left -= (double) p->in->now;
    ms = (double) schedule__less(load->soonest, p->in->now) + need->before;
    if (ms > left || 2 * (ms + schedule__on_device(p, job, need->best)) >
                         schedule__on_threads(p, job, schedule__threads_meant(p, job)))
        return false;
    assert((need->worth >> need->best & 1) != 0); /* S6 */
    (void) make_wait(p, job, SCHEDULE_BY_CHOICE, need->best, (uint64_t) fmin(ms, 0x1p62));
    return true;
}

/* Returns the expected duration with the granted resources; 0 if unknown. */
static uint64_t expected(const schedule_plan *p, uint32_t job)
{
    const schedule_decision *out = &p->out[job];
    const schedule_job *of = &p->in->jobs[job];
    double ms = INFINITY, rate = 0, begin = 0;
    if (of->states == 0)
        return 0;
    if (p->pool->thread_rate != 0)
        ms = schedule__on_threads(p, job, out->threads);
    for (uint32_t d = 0; d < schedule__device_count(p->pool); d++)
        if ((out->devices >> d & 1) != 0 && of->part == SCHEDULE_PART_YES) {
            rate += (double) p->pool->devices[d].rate;
            begin = fmax(begin, (double) p->pool->devices[d].start_ms);
        }
    if (rate > 0) /* devices work together, and race against the threads */
        ms = fmin(ms, begin + (double) of->states / rate * 1000);
    return ms < 0x1p62 ? (uint64_t) fmax(ms, 1) : 0;
}

/* Chooses devices for a job. Returns false if the job must wait for some. */
static bool give_devices(schedule_plan *p, uint32_t job, bool beside, uint64_t *devices)
{
    const schedule_need *need = &p->needs[job];
    const schedule_room *later = beside ? &p->later : NULL;
    uint32_t found = 0, open = 0;

    *devices = 0;
    if (need->count != 0) {
        *devices = schedule__pick(p, &p->now, later, job, need->set, need->count, &found);
        if (*devices != 0)
            return true;
        if (schedule__pick(p, &p->now, NULL, job, need->set, need->count, &open) != 0) {
            assert(beside && p->head != OM_NONE); /* S2: the head needs them */
            return make_wait(p, job, SCHEDULE_FOR_HEAD, p->in->jobs[p->head].id, 0);
        }
        return make_wait(p, job, SCHEDULE_FOR_DEVICE, need->count, open);
    }
    if (need->worth != 0)
        *devices = schedule__pick(p, &p->now, later, job, need->worth, 1, &found);
    else if (need->maybe && (need->set & ~p->wanted) != 0)
        *devices = schedule__pick(p, &p->now, later, job, need->set & ~p->wanted, 1, &found);
    return true;
}

static schedule_running held_by(const schedule_plan *p, uint32_t job)
{
    const schedule_decision *out = &p->out[job];
    const schedule_job *of = &p->in->jobs[job];
    uint64_t ends = p->needs[job].ends, likely = schedule__add(p->in->now, out->expected);
    return (schedule_running){ .token = of->token,
        .threads = out->threads,
        .memory = out->memory,
        .devices = out->devices,
        .device_memory = of->device_memory,
        .device_alone = of->device_alone,
        .ends = ends,
        .expected = out->expected == 0 ? ends : schedule__min(ends, likely) };
}

static void start(schedule_plan *p, uint32_t job, const chance *c, uint64_t devices)
{
    const schedule_need *need = &p->needs[job];
    schedule_decision *out = &p->out[job];
    uint64_t most = schedule__min(
        but_spare(c->threads, p->pool->spare_threads), schedule__threads_meant(p, job));
    assert(p->start_count < p->in->job_count && out->what == SCHEDULE_WAIT);
    assert(need->count == 0 ? (devices & (devices - 1)) == 0 : devices != 0); /* at most one */
    out->what = SCHEDULE_START;
    out->threads = (uint32_t) schedule__max(most, need->least);
    out->memory = need->memory;
    if (need->moldable)
        out->memory =
            schedule__max(need->memory, schedule__min(but_spare(c->memory, p->pool->spare_memory),
                                            schedule__memory_meant(p, job, out->threads)));
    assert(out->threads <= c->threads && out->memory <= c->memory); /* S1, S2 */
    out->devices = devices;
    out->limit = need->limit;
    out->expected = expected(p, job);
    schedule_running held = held_by(p, job);
    schedule__take(p->pool, &p->now, &held);
    if (c->beside)
        schedule__take(p->pool, &p->later, &held);
    schedule__count_ahead(p, held.token, &held);
    p->held[p->held_count++] = held;
    p->starts[p->start_count++] = job;
    p->result->started++;
}

static bool try(schedule_plan *p, uint32_t job)
{
    const schedule_need *need = &p->needs[job];
    chance c = chance_of(p, job);
    uint64_t devices;
    uint64_t head = p->head == OM_NONE ? 0 : p->in->jobs[p->head].id;

    assert(!need->seen && c.threads <= c.threads_now && c.memory <= c.memory_now);
    p->result->steps++;
    if (waits_by_choice(p, job, c.beside ? &p->later : NULL))
        return false;
    if (c.threads_now < need->least)
        return make_wait(p, job, SCHEDULE_FOR_THREADS, need->least, c.threads_now);
    if (c.memory_now < need->memory)
        return make_wait(p, job, SCHEDULE_FOR_MEMORY, need->memory, c.memory_now);
    if (c.threads < need->least || c.memory < need->memory)
        return make_wait(p, job, SCHEDULE_FOR_HEAD, head, 0);
    if (!give_devices(p, job, c.beside, &devices))
        return false;
    start(p, job, &c, devices);
    return true;
}

/* ---- all jobs ---- */

/* The token's first job has started or waits for its turn: the token is no longer due. */
static void had_its_turn(schedule_plan *p, uint32_t job)
{
    schedule_queue *queue = &p->queues[p->in->jobs[job].token];
    if (!queue->waits)
        queue->due = SCHEDULE_NEVER;
}

static void started(schedule_plan *p, uint32_t job)
{
    p->needs[job].seen = true;
    p->out[job].place = p->place++;
    p->out[job].in_turn = !p->queues[p->in->jobs[job].token].waits;
    had_its_turn(p, job);
}

static void consider(schedule_plan *p, uint32_t job)
{
    schedule_need *need = &p->needs[job];
    uint32_t token = p->in->jobs[job].token;
    schedule_running least = { .threads = need->least, .memory = need->memory };

    if (try(p, job)) {
        started(p, job);
        return;
    }
    need->seen = true;
    p->out[job].place = p->place++;
    if (p->out[job].why == SCHEDULE_BY_CHOICE)
        return;
    schedule__count_ahead(p, token, &least);
    if (p->head == OM_NONE)
        schedule__reserve(p, job);
    had_its_turn(p, job);
    p->queues[token].waits = true;
}

/* Considers the head of the previous decision first, before its token comes up. */
static void consider_head(schedule_plan *p)
{
    for (uint32_t i = 0; p->in->reserved != 0 && i < p->in->job_count; i++) {
        schedule_queue *queue = &p->queues[p->in->jobs[i].token];
        if (p->in->jobs[i].id != p->in->reserved || p->out[i].what == SCHEDULE_REFUSE)
            continue;
        /* It may not be the first of its token: a job of higher priority may have arrived. */
        bool first = p->order[queue->begin] == i;
        queue->waits = !first;
        consider(p, i);
        return;
    }
}

static uint64_t free_devices(const schedule_plan *p)
{
    uint64_t set = 0;
    for (uint32_t d = 0; d < schedule__device_count(p->pool); d++)
        if (p->now.devices[d].jobs < schedule__max(p->pool->devices[d].slots, 1))
            set |= UINT64_C(1) << d;
    return set;
}

/* Matches free devices with jobs that gain much by them, before other jobs take all threads. Makes
 * no job the head. */
static void consider_gains(schedule_plan *p)
{
    uint64_t open = p->gains & free_devices(p);
    uint32_t found;
    if (open != 0)
        schedule__heap(p);
    for (uint32_t job; open != 0 && (job = schedule__next(p)) != OM_NONE;) {
        const schedule_room *later = chance_of(p, job).beside ? &p->later : NULL;
        uint64_t much = p->needs[job].much;
        if (!p->needs[job].seen && (much & open) != 0 &&
            schedule__pick(p, &p->now, later, job, much, 1, &found) != 0 && try(p, job)) {
            started(p, job);
            open = p->gains & free_devices(p);
        } else if (p->out[job].what == SCHEDULE_WAIT && !waits_by_choice(p, job, later))
            p->queues[p->in->jobs[job].token].waits = true;
    }
}

static void consider_all(schedule_plan *p)
{
    consider_head(p);
    consider_gains(p);
    schedule__heap(p);
    for (uint32_t job; (job = schedule__next(p)) != OM_NONE;) {
        if (!p->needs[job].seen)
            consider(p, job);
        else if (p->out[job].what == SCHEDULE_WAIT)
            p->queues[p->in->jobs[job].token].waits = true;
    }
}

/* Distributes the resources left beyond the spare among the started jobs: first equally, then in
 * order. */
static void hand_out(schedule_plan *p, bool even)
{
    for (uint32_t k = 0; k < p->start_count; k++) {
        uint32_t job = p->starts[k];
        schedule_decision *out = &p->out[job];
        chance c = chance_of(p, job);
        uint64_t most = schedule__min(p->needs[job].most, p->pool->threads);
        uint64_t parts = even ? p->start_count - k : 1;
        assert(out->threads <= most && out->threads >= p->needs[job].least);
        uint64_t threads = schedule__less(c.threads_now, p->pool->spare_threads) / parts;
        uint64_t memory = schedule__less(c.memory_now, p->pool->spare_memory) / parts;
        schedule_running more = { .threads = (uint32_t) schedule__min(
                                      schedule__min(threads, c.threads), most - out->threads),
            .memory = p->needs[job].moldable ? schedule__min(memory, c.memory) : 0 };
        schedule__take(p->pool, &p->now, &more);
        if (c.beside)
            schedule__take(p->pool, &p->later, &more);
        out->threads += more.threads;
        out->memory += more.memory;
        out->expected = expected(p, job);
        p->result->steps++;
    }
}

static bool prepare(schedule_plan *p, const schedule_state *in)
{
    for (uint32_t i = 0; i < in->token_count; i++)
        p->queues[i] = (schedule_queue){ .oldest = UINT64_MAX };
    for (uint32_t i = 0; i < in->job_count; i++)
        if (in->jobs[i].token >= in->token_count)
            return false;
    for (uint32_t i = 0; i < in->running_count; i++) {
        schedule_running held = in->running[i];
        if (held.token >= in->token_count)
            return false;
        held.ends =
            held.ends == 0 ? SCHEDULE_NEVER : schedule__max(held.ends, schedule__add(in->now, 1));
        if (held.expected <= in->now || held.expected > held.ends)
            held.expected = held.ends;
        schedule__take(p->pool, &p->now, &held);
        p->held[p->held_count++] = held;
    }
    return true;
}

int schedule_decide(const schedule_state *state, void *scratch, size_t scratch_size,
    schedule_decision *decisions, schedule_result *result)
{
    schedule_plan p;
    area a = { scratch, 0, false };
    uint32_t jobs = state->job_count, running = state->running_count, tokens = state->token_count;

    if (schedule_scratch(jobs, running, tokens) > scratch_size || (uintptr_t) scratch % ALIGN != 0)
        return OM_EINVAL;
    memset(&p, 0, sizeof p);
    lay_out(&p, &a, jobs, running, tokens);
    p.in = state;
    p.pool = state->pool;
    p.out = decisions;
    p.result = result;
    p.head = OM_NONE;
    *result = (schedule_result){ .started = 0 };
    if (!prepare(&p, state))
        return OM_EINVAL;
    assert(a.used <= scratch_size);
    schedule__needs(&p);
    schedule__queues(&p);
    consider_all(&p);
    hand_out(&p, true);
    hand_out(&p, false);
    assert(p.place + result->refused == jobs); /* each job was considered once, or refused */
    if (p.head != OM_NONE) {
        assert(decisions[p.head].what == SCHEDULE_WAIT && p.promise >= state->now); /* S2 */
        decisions[p.head].head = true;
        decisions[p.head].until = p.promise == SCHEDULE_NEVER ? 0 : p.promise;
        result->reserved = state->jobs[p.head].id;
    }
    return OM_OK;
}
