/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of an exploration, queued in batches. Each step makes the record of the next on the device
 * (kernels/om_step.h). So a batch takes three launches a step and one read-back at its end,
 * whatever the number of levels; a second batch is queued before the host looks at the first. An
 * event that the device cannot handle itself (more room is needed, the exploration ends) halts the
 * steps: those still queued do nothing. When the queue is empty, the host handles the event and
 * resumes where they halted.
 */
#include "member.h"

#include <assert.h>
#include <string.h>

/* Steps of a batch: two batches share the records. */
enum { BATCHES = 2, MOST_STEPS = OM_RECORDS / BATCHES };
/* Maximum duration of a batch: a check that is told to stop waits for two of them. */
static const uint64_t BATCH_NS = 25000000;

typedef struct batch {
    om_event *event; /* NULL if not queued */
    uint32_t then;   /* the record after its last step */
    uint32_t chunk, variant;
    uint64_t queued_ns;
    uint64_t control[OM_CONTROL_WORDS];
} batch;
_Static_assert(OM_CONTROL_WORDS * sizeof(uint64_t) <= OM_MOST_SOON, "read with an event");

typedef struct run {
    om_member *member;
    om_step_progress *progress;
    const om_buffer *wanted;
    batch batches[BATCHES];
    uint32_t oldest, queued; /* of the batches */
    uint32_t next;           /* record of the step to be queued next */
    uint64_t ended_ns;       /* when the last batch ended */
    om_tuning_trial trial;
} run;

/* Grows and zeroes the in-degrees: those of new states must be zero before the first edge is
 * counted. */
static int reserve_degrees(om_member *m)
{
    const size_t size = sizeof(uint32_t);
    size_t used = (size_t) m->degree_count * size;
    if (m->spec->accepting == NULL || m->degree_count >= m->table.capacity)
        return OM_OK;
    int rc = om_state_table__make_room(&m->table, m->table.capacity * size);
    if (rc == OM_OK)
        rc = om_queue__grow(&m->queue, &m->degree, m->table.capacity, size, used);
    if (rc == OM_OK)
        rc = om_queue__zero(&m->queue, &m->degree, used, m->table.capacity * size - used);
    if (rc == OM_OK)
        m->degree_count = m->table.capacity;
    return rc;
}

/* Counts the candidates of the step that are edges inside the accepting part. */
static int tally(om_member *m, const om_level_step *s)
{
    const om_state_table *t = &m->table;
    uint32_t capacity = t->candidate_capacity, climb = m->catches;
    om_arg args[] = { OM_SEGMENTED(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates),
        OM_MEM(t->from), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(s->then), OM_ARG(capacity),
        OM_SEGMENTED(t->index), OM_MEM(t->place), OM_MEM(m->accepting), OM_ARG(climb),
        OM_MEM(m->degree) };
    return om_segments__run(
        &m->queue, t->built.kernels[OM_K_TALLY], "om_k_tally", args, 13, capacity);
}

static int queue_step(run *r, uint32_t chunk)
{
    om_member *m = r->member;
    bool degrees = m->spec->accepting != NULL;
    const om_level_step step = { .number = r->next,
        .then = (r->next + 1) % OM_RECORDS,
        .chunk = chunk,
        .places = degrees,
        .wanted = r->wanted };
    uint64_t before = m->queue.launches;
    r->next = step.then;
    int rc = om_member__expand(m, &step, NULL);
    if (rc == OM_OK)
        rc = om_state_table__intern(&m->table, &step);
    if (rc == OM_OK)
        rc = om_state_table__compact(&m->table, &step);
    if (rc == OM_OK && degrees)
        rc = tally(m, &step);
    m->figures.queued_steps++;
    m->figures.step_launches += m->queue.launches - before;
    return rc;
}

static uint32_t batch_steps(const om_member *m)
{
    uint64_t n = m->step_ns == 0 ? 1 : BATCH_NS / m->step_ns;
    return n == 0 ? 1 : n > MOST_STEPS ? MOST_STEPS : (uint32_t) n;
}

static int queue_batch(run *r)
{
    om_member *m = r->member;
    assert(r->queued < BATCHES && r->next < OM_RECORDS);
    batch *b = &r->batches[(r->oldest + r->queued) % BATCHES];
    int rc = OM_OK;
    uint32_t steps = batch_steps(m);
    b->chunk = m->chunk;
    b->variant = om_tuning_trial__pick(&r->trial, &m->queue);
    b->queued_ns = om_clock_ns();
    for (uint32_t i = 0; rc == OM_OK && i < steps; i++)
        rc = queue_step(r, b->chunk);
    b->then = r->next;
    if (rc == OM_OK)
        rc = om_queue__order(
            &m->queue, &m->table.control, 0, b->control, sizeof b->control, &b->event);
    if (rc == OM_OK)
        r->queued++;
    return rc;
}

/* Waits for the oldest batch and takes its results. */
static int take_batch(run *r)
{
    om_member *m = r->member;
    assert(r->queued > 0 && r->oldest < BATCHES);
    om_step_progress *p = r->progress;
    batch *b = &r->batches[r->oldest];
    int rc = om_queue__wait(&m->queue, b->event);
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
    bool full = b->chunk == m->chunk && states > steps * b->chunk / 2;
    om_tuning_trial__take(&r->trial, m, b->variant, full && steps > 1,
        record[OM_R_TRANSITIONS] - p->record[OM_R_TRANSITIONS], now - began);
    om_member__pace(m, steps, full, now - began);
    r->ended_ns = now;
    memcpy(p->control, b->control, sizeof p->control);
    memcpy(p->record, record, sizeof p->record);
    m->table.stored = (uint32_t) record[OM_R_STORED];
    if (p->control[OM_C_CROWDED] != 0)
        return om_fail(m->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 edges lead to one state; use a checker that runs on the CPU",
            m->device->info.name);
    return om_member__note(m, p->control, (uint32_t) record[OM_R_LEVELS]);
}

/* Waits for all batches queued. */
static int drain(run *r)
{
    int rc = OM_OK;
    while (r->queued > 0) {
        int got = take_batch(r);
        rc = rc == OM_OK ? got : rc;
    }
    return rc;
}

/* The step has more candidates than there is room for: makes more room, or the chunk smaller. */
static int more_candidates(om_member *m, uint64_t *record)
{
    uint64_t left = record[OM_R_END] - record[OM_R_LOW];
    uint32_t n = left < m->chunk ? (uint32_t) left : m->chunk;
    int rc = OM_OK;
    if (!om_member__more_capacity(m, record[OM_R_PEAK], n, &rc))
        m->chunk = n / 2;
    record[OM_R_PEAK] = 0;
    return rc;
}

/* Makes the room for which the steps halted, with nothing queued, and lets them resume. */
static int make_capacity(run *r)
{
    om_member *m = r->member;
    uint64_t *record = r->progress->record;
    int rc = OM_OK;
    m->table.low = (uint32_t) record[OM_R_LOW];
    rc = om_state_table__void(&m->table, record);
    if (rc == OM_OK && record[OM_R_WHY] == OM_CAPACITY)
        rc = more_candidates(m, record);
    if (rc == OM_OK)
        rc = om_state_table__reserve(&m->table);
    if (rc == OM_OK)
        rc = reserve_degrees(m);
    if (rc == OM_OK)
        rc = om_member__reserve_chunk(m, m->largest_chunk);
    if (rc != OM_OK)
        return rc;
    record[OM_R_WHY] = OM_RUNS;
    r->next = 0;
    return om_state_table__control(&m->table, record);
}

static bool needs_capacity(const om_step_progress *p)
{
    return p->record[OM_R_WHY] == OM_CAPACITY || p->record[OM_R_WHY] == OM_GROW;
}

/* Looks for cycles that no edge to an ancestor closes, each time there are TIMES as many states as
 * at the last look: all looks together cost a third more than the last one. */
static int check_for_cycle(run *r)
{
    enum { TIMES = 4 };
    om_member *m = r->member;
    om_step_progress *p = r->progress;
    uint32_t hit = UINT32_MAX;
    int rc = drain(r);
    if (rc != OM_OK || (p->record[OM_R_WHY] != OM_RUNS && !needs_capacity(p)))
        return rc;
    if (p->control[OM_C_HIT] != UINT32_MAX) { /* the last step closed one */
        p->record[OM_R_WHY] = OM_HIT;
        return OM_OK;
    }
    m->check_at = (uint64_t) m->table.stored * TIMES;
    rc = om_member__catch(m, (uint32_t) p->record[OM_R_LOW], &hit);
    if (rc == OM_OK && hit != UINT32_MAX) {
        p->record[OM_R_WHY] = OM_HIT;
        p->control[OM_C_HIT] = hit;
    }
    return rc == OM_OK && p->record[OM_R_WHY] != OM_HIT ? make_capacity(r) : rc;
}

/* Does the host's work between batches. */
static int between(run *r)
{
    const om_member *m = r->member;
    om_step_progress *p = r->progress;
    int rc = OM_OK;
    if (needs_capacity(p)) {
        rc = drain(r);
        if (rc == OM_OK)
            rc = make_capacity(r);
    }
    if (rc == OM_OK && m->catches && m->table.stored >= m->check_at &&
        p->record[OM_R_WHY] == OM_RUNS)
        rc = check_for_cycle(r);
    return rc;
}

int om_member__steps(om_member *m, const om_buffer *wanted, om_step_progress *p,
    void (*show)(void *self, const om_step_progress *p), void *self)
{
    run r = { .member = m, .progress = p, .wanted = wanted };
    int rc = make_capacity(&r);
    om_tuning_trial__begin(&r.trial, m);
    while (rc == OM_OK && p->record[OM_R_WHY] == OM_RUNS) {
        while (rc == OM_OK && r.queued < BATCHES)
            rc = queue_batch(&r);
        if (rc == OM_OK)
            rc = take_batch(&r);
        if (rc == OM_OK)
            rc = between(&r);
        show(self, p);
        if (rc == OM_OK && p->record[OM_R_WHY] == OM_RUNS)
            rc = om_queue__stopped(&m->queue);
    }
    /* Batches that are still queued do nothing, or their results count. */
    int drained = drain(&r);
    om_tuning_trial__end(&r.trial, &m->queue);
    return rc == OM_OK ? drained : rc;
}
