/* SPDX-License-Identifier: Apache-2.0 */
/* The order of jobs: by key within a token; between tokens, due ones first, then by least usage. */
#include "schedule_impl.h"

#include <assert.h>

static void swap(uint32_t *items, uint32_t i, uint32_t j)
{
    uint32_t x = items[i];
    items[i] = items[j];
    items[j] = x;
}

/* Sifts items[at] down to its place in a heap. The item on top is the last one in the order if
 * last_on_top, else the first one. */
static void sift(schedule_plan *p, uint32_t *items, uint32_t count, uint32_t at, bool last_on_top,
    schedule_before_fn *before)
{
    for (uint32_t child; at < count / 2; at = child) {
        child = 2 * at + 1;
        if (child + 1 < count && before(p, items[child + 1], items[child]) != last_on_top)
            child++;
        if (before(p, items[at], items[child]) != last_on_top)
            return;
        swap(items, at, child);
    }
}

void schedule__sort(schedule_plan *p, uint32_t *items, uint32_t count, schedule_before_fn *before)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift(p, items, count, i, true, before);
    while (count > 1) {
        swap(items, 0, --count);
        sift(p, items, count, 0, true, before);
    }
}

static bool job_before(schedule_plan *p, uint32_t x, uint32_t y)
{
    const schedule_job *a = &p->in->jobs[x], *b = &p->in->jobs[y];
    p->result->steps++;
    if (a->token != b->token)
        return a->token < b->token;
    if (p->needs[x].key != p->needs[y].key)
        return p->needs[x].key < p->needs[y].key;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted;
    return a->id != b->id ? a->id < b->id : x < y;
}

/* H of schedule.h after the last turn. A time in the future does not affect the order yet. */
static uint64_t due(const schedule_plan *p, uint32_t token, double weights)
{
    const schedule_token *t = &p->in->tokens[token];
    double patience = (double) schedule__max(p->pool->patience, 1);
    double wait = patience * weights / (double) schedule__weight(t);
    uint64_t since = schedule__max(t->turn, p->queues[token].oldest);
    uint64_t at = wait >= 0x1p63 ? SCHEDULE_NEVER : schedule__add(since, (uint64_t) wait);
    return at <= p->in->now ? at : SCHEDULE_NEVER;
}

void schedule__count_ahead(schedule_plan *p, uint32_t token, const schedule_running *held)
{
    double ahead = schedule_share(p->pool, held) * (double) p->pool->horizon;
    p->queues[token].ahead += ahead / (double) schedule__weight(&p->in->tokens[token]);
    p->result->steps++;
}

static void weigh(schedule_plan *p)
{
    const schedule_state *in = p->in;
    double weights = 0;
    for (uint32_t i = 0; i < in->token_count; i++)
        weights += (double) schedule__weight(&in->tokens[i]);
    for (uint32_t i = 0; i < in->token_count; i++) {
        double usage = schedule_usage(in->tokens[i].usage, 0, 0, 0);
        p->queues[i].ahead = usage / (double) schedule__weight(&in->tokens[i]);
        p->queues[i].due = due(p, i, weights);
    }
    for (uint32_t i = 0; i < in->running_count; i++)
        schedule__count_ahead(p, in->running[i].token, &in->running[i]);
}

void schedule__queues(schedule_plan *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->in->job_count; i++)
        if (p->out[i].what != SCHEDULE_REFUSE)
            p->order[count++] = i;
    schedule__sort(p, p->order, count, job_before);
    for (uint32_t i = 0; i < count; i++) {
        schedule_queue *queue = &p->queues[p->in->jobs[p->order[i]].token];
        assert(queue->end == 0 || queue->end == i); /* the jobs of a token are adjacent */
        if (queue->end == 0)
            queue->begin = i;
        queue->end = i + 1;
    }
    weigh(p);
}

static bool token_before(schedule_plan *p, uint32_t x, uint32_t y)
{
    const schedule_queue *a = &p->queues[x], *b = &p->queues[y];
    p->result->steps++;
    if (a->due != b->due)
        return a->due < b->due;
    return a->ahead != b->ahead ? a->ahead < b->ahead : x < y;
}

void schedule__heap(schedule_plan *p)
{
    p->heap_count = 0;
    for (uint32_t i = 0; i < p->in->token_count; i++) {
        schedule_queue *queue = &p->queues[i];
        queue->next = queue->begin;
        queue->waits = false;
        if (queue->begin != queue->end)
            p->heap[p->heap_count++] = i;
    }
    for (uint32_t i = p->heap_count / 2; i-- > 0;)
        sift(p, p->heap, p->heap_count, i, false, token_before);
}

/* Only the token on top has changed since the last call. */
uint32_t schedule__next(schedule_plan *p)
{
    const schedule_queue *first;
    if (p->heap_count == 0)
        return OM_NONE;
    first = &p->queues[p->heap[0]];
    if (first->next == first->end && --p->heap_count == 0)
        return OM_NONE;
    if (first->next == first->end)
        p->heap[0] = p->heap[p->heap_count];
    sift(p, p->heap, p->heap_count, 0, false, token_before);
    assert(p->queues[p->heap[0]].next < p->queues[p->heap[0]].end);
    return p->order[p->queues[p->heap[0]].next++];
}
