/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of an exploration, queued in batches. Each makes the record of the next on the device
 * (kernels/om_step.h), so a batch is three launches a step and one read-back at its end, across as
 * many levels as it comes to; a second batch is queued before the host looks at the first. What the
 * device cannot do itself (make room, end) halts the steps: those that are queued do nothing then,
 * and when the queue is empty the host sees to it and goes on from where they halted.
 */
#include "engine.h"

#include <assert.h>
#include <string.h>

/* Steps of a batch: two batches share the records. */
enum { BATCHES = 2, MOST_STEPS = OM_RECORDS / BATCHES };
/* A batch should not take longer: two of them are waited for when a check is told to stop. */
static const uint64_t BATCH_NS = 25000000;

typedef struct batch {
    om_event *event; /* NULL: not queued */
    uint32_t then;   /* the record behind its last step */
    uint32_t chunk, variant;
    uint64_t queued_ns;
    uint64_t control[OM_CONTROL_WORDS];
} batch;

typedef struct run {
    om_engine *engine;
    om_standing *progress;
    const om_buffer *wanted;
    batch batches[BATCHES];
    uint32_t oldest, queued; /* of the batches */
    uint32_t next;           /* record of the step to be queued next */
    uint64_t ended_ns;       /* when the last batch did */
    om_trial trial;
} run;

/* In-degrees of new states are zero before the first edge to them is counted. */
static int reserve_degrees(om_engine *e)
{
    const size_t size = sizeof(uint32_t);
    size_t used = (size_t) e->degree_count * size;
    if (e->spec.accepting == NULL || e->degree_count >= e->table.capacity)
        return OM_OK;
    int rc = om_queue__grow(&e->queue, &e->degree, e->table.capacity, size, used);
    if (rc == OM_OK)
        rc = om_queue__zero(&e->queue, &e->degree, used, e->table.capacity * size - used);
    if (rc == OM_OK)
        e->degree_count = e->table.capacity;
    return rc;
}

/* Counts the edges inside the accepting part that the candidates of the step stand for. */
static int tally(om_engine *e, const om_level_step *s)
{
    const om_state_table *t = &e->table;
    uint32_t capacity = t->candidate_capacity, climb = e->catches;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates), OM_MEM(t->from),
        OM_MEM(t->control), OM_ARG(s->number), OM_ARG(s->then), OM_ARG(capacity), OM_MEM(t->index),
        OM_MEM(t->place), OM_MEM(e->accepting), OM_ARG(climb), OM_MEM(e->degree) };
    return om_queue__run(&e->queue, t->built.kernels[OM_K_TALLY], "om_k_tally", args, 13, capacity);
}

static int queue_step(run *r, uint32_t chunk)
{
    om_engine *e = r->engine;
    bool degrees = e->spec.accepting != NULL;
    const om_level_step step = { .number = r->next,
        .then = (r->next + 1) % OM_RECORDS,
        .chunk = chunk,
        .places = degrees,
        .wanted = r->wanted };
    uint64_t before = e->queue.launches;
    r->next = step.then;
    int rc = om_engine__expand(e, &step, NULL);
    if (rc == OM_OK)
        rc = om_state_table__intern(&e->table, &step);
    if (rc == OM_OK)
        rc = om_state_table__compact(&e->table, &step);
    if (rc == OM_OK && degrees)
        rc = tally(e, &step);
    e->queued_steps++;
    e->step_launches += e->queue.launches - before;
    return rc;
}

static uint32_t batch_steps(const om_engine *e)
{
    uint64_t n = e->step_ns == 0 ? 1 : BATCH_NS / e->step_ns;
    return n == 0 ? 1 : n > MOST_STEPS ? MOST_STEPS : (uint32_t) n;
}

static int queue_batch(run *r)
{
    om_engine *e = r->engine;
    batch *b = &r->batches[(r->oldest + r->queued) % BATCHES];
    int rc = OM_OK;
    uint32_t steps = batch_steps(e);
    b->chunk = e->chunk;
    b->variant = om_trial__pick(&r->trial, &e->queue);
    b->queued_ns = om_clock_ns();
    for (uint32_t i = 0; rc == OM_OK && i < steps; i++)
        rc = queue_step(r, b->chunk);
    b->then = r->next;
    if (rc == OM_OK)
        rc = om_queue__order(
            &e->queue, &e->table.control, 0, b->control, sizeof b->control, &b->event);
    if (rc == OM_OK)
        r->queued++;
    return rc;
}

/* The first state that an overflow leaves is fetched while its row is sure to be there. */
static int keep_overflown(om_engine *e, const om_standing *p)
{
    if (p->control[OM_C_OVERFLOWN] == UINT64_MAX || e->overflow_vector != NULL)
        return OM_OK;
    return om_engine__vector(e, p->control[OM_C_OVERFLOWN], &e->overflow_vector);
}

/* What goes wrong: the least state of the first step that says so, and of an assertion rather. */
static int keep_fault(om_engine *e, const om_standing *p)
{
    uint64_t fault = p->control[OM_C_FAULT], failed = p->control[OM_C_FAILED], state;
    /* A control that begins anew forgets, and a later step has greater states. */
    if (failed < e->failed)
        state = (e->failed = failed) >> 32;
    else if (e->failed == UINT64_MAX && fault < e->fault)
        state = (e->fault = fault) >> 32;
    else
        return OM_OK;
    om_free(e->heap, e->fault_vector);
    e->fault_vector = NULL;
    return om_engine__vector(e, state, &e->fault_vector);
}

/* Waits for the oldest batch and takes what it came to. */
static int take_batch(run *r)
{
    om_engine *e = r->engine;
    om_standing *p = r->progress;
    batch *b = &r->batches[r->oldest];
    int rc = om_queue__wait(&e->queue, b->event);
    uint64_t now = om_clock_ns();
    b->event = NULL;
    r->oldest = (r->oldest + 1) % BATCHES;
    r->queued--;
    if (rc != OM_OK)
        return rc;
    const uint64_t *record = b->control + OM_C_WORDS + (size_t) b->then * OM_R_WORDS;
    uint64_t began = b->queued_ns > r->ended_ns ? b->queued_ns : r->ended_ns;
    uint64_t steps = record[OM_R_STEPS] - p->record[OM_R_STEPS];
    uint64_t states = record[OM_R_LOW] - p->record[OM_R_LOW];
    bool full = b->chunk == e->chunk && states > steps * b->chunk / 2;
    om_trial__take(&r->trial, e, b->variant, full && steps > 1,
        record[OM_R_TRANSITIONS] - p->record[OM_R_TRANSITIONS], now - began);
    om_engine__pace(e, steps, full, now - began);
    r->ended_ns = now;
    memcpy(p->control, b->control, sizeof p->control);
    memcpy(p->record, record, sizeof p->record);
    e->table.stored = (uint32_t) record[OM_R_STORED];
    rc = keep_fault(e, p);
    return rc == OM_OK ? keep_overflown(e, p) : rc;
}

/* Waits for everything queued. */
static int drain(run *r)
{
    int rc = OM_OK;
    while (r->queued > 0) {
        int got = take_batch(r);
        rc = rc == OM_OK ? got : rc;
    }
    return rc;
}

/* The step has more candidates than there is room for: more room, or a smaller chunk. */
static int more_candidates(om_engine *e, uint64_t *record)
{
    uint64_t left = record[OM_R_END] - record[OM_R_LOW];
    uint32_t n = left < e->chunk ? (uint32_t) left : e->chunk;
    int rc = OM_OK;
    if (!om_engine__more_capacity(e, record[OM_R_PEAK], n, &rc))
        e->chunk = n / 2;
    record[OM_R_PEAK] = 0;
    return rc;
}

/* Makes room where the steps halted for it, with nothing queued, and lets them go on. */
static int make_capacity(run *r)
{
    om_engine *e = r->engine;
    uint64_t *record = r->progress->record;
    int rc = OM_OK;
    e->table.low = (uint32_t) record[OM_R_LOW];
    rc = om_state_table__void(&e->table, record);
    if (rc == OM_OK && record[OM_R_WHY] == OM_CAPACITY)
        rc = more_candidates(e, record);
    if (rc == OM_OK)
        rc = om_state_table__reserve(&e->table);
    if (rc == OM_OK)
        rc = reserve_degrees(e);
    if (rc == OM_OK)
        rc = om_engine__reserve_chunk(e, e->largest_chunk);
    if (rc != OM_OK)
        return rc;
    record[OM_R_WHY] = OM_RUNS;
    r->next = 0;
    return om_state_table__control(&e->table, record);
}

static bool wants_capacity(const om_standing *p)
{
    return p->record[OM_R_WHY] == OM_CAPACITY || p->record[OM_R_WHY] == OM_GROW;
}

/* Cycles that no edge to an ancestor closes are looked for whenever there are so many times the
 * states of the last look: all looks together cost a third more than the last one. */
static int check_for_cycle(run *r)
{
    enum { TIMES = 4 };
    om_engine *e = r->engine;
    om_standing *p = r->progress;
    uint32_t hit = UINT32_MAX;
    int rc = drain(r);
    if (rc != OM_OK || (p->record[OM_R_WHY] != OM_RUNS && !wants_capacity(p)))
        return rc;
    if (p->control[OM_C_HIT] != UINT32_MAX) { /* the last step closed one */
        p->record[OM_R_WHY] = OM_HIT;
        return OM_OK;
    }
    e->check_at = (uint64_t) e->table.stored * TIMES;
    rc = om_engine__catch(e, (uint32_t) p->record[OM_R_LOW], &hit);
    if (rc == OM_OK && hit != UINT32_MAX) {
        p->record[OM_R_WHY] = OM_HIT;
        p->control[OM_C_HIT] = hit;
    }
    return rc == OM_OK && p->record[OM_R_WHY] != OM_HIT ? make_capacity(r) : rc;
}

/* What the host has to do between batches. */
static int between(run *r)
{
    const om_engine *e = r->engine;
    om_standing *p = r->progress;
    int rc = OM_OK;
    if (wants_capacity(p)) {
        rc = drain(r);
        if (rc == OM_OK)
            rc = make_capacity(r);
    }
    if (rc == OM_OK && e->catches && e->table.stored >= e->check_at &&
        p->record[OM_R_WHY] == OM_RUNS)
        rc = check_for_cycle(r);
    return rc;
}

int om_engine__steps(om_engine *e, const om_buffer *wanted, om_standing *p,
    void (*show)(void *self, const om_standing *p), void *self)
{
    run r = { .engine = e, .progress = p, .wanted = wanted };
    int rc = make_capacity(&r);
    om_trial__begin(&r.trial, e);
    while (rc == OM_OK && p->record[OM_R_WHY] == OM_RUNS) {
        while (rc == OM_OK && r.queued < BATCHES)
            rc = queue_batch(&r);
        if (rc == OM_OK)
            rc = take_batch(&r);
        if (rc == OM_OK)
            rc = between(&r);
        show(self, p);
        if (rc == OM_OK && p->record[OM_R_WHY] == OM_RUNS)
            rc = om_queue__stopped(&e->queue);
    }
    /* Whatever is still queued does nothing, or counts. */
    int drained = drain(&r);
    om_trial__end(&r.trial, &e->queue);
    if (rc != OM_OK)
        (void) om_queue__finish(&e->queue); /* what was queued without an event reads into `r` */
    return rc == OM_OK ? drained : rc;
}
