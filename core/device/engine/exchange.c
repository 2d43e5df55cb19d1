/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exchange of candidates between several members. A state belongs to one of them by a hash of its
 * row (om_share.h), as in Stern and Dill's parallel Murphi (1997): after an expansion the
 * candidates that stay go to one list, and those that leave to another, which the host reads; each
 * member then takes its own from the others' lists. The number of a state is (its number on the
 * device) * members + member.
 *
 * Concurrency: a member belongs to its thread, except the outbox, which its thread writes in
 * spread() and others read in gather(); a barrier separates the two.
 */
#include "exchange.h"

#include "kernels.h"

#include "om_share.h"

#include <string.h>

static const uint32_t NO_STATE = UINT32_MAX;

static const om_shape SHARE_SHAPE = { "om_k_share", "mmmuuuummmmm" };

/* ---- lists on the host ---- */

void om_row_list__free(const om_heap *heap, om_row_list *c)
{
    om_free(heap, c->rows);
    om_free(heap, c->from);
    *c = (om_row_list){ 0 };
}

int om_row_list__reserve(const om_engine *e, om_row_list *c, uint64_t n)
{
    size_t rows = c->capacity, from = c->capacity;
    const size_t size = e->row * sizeof(uint32_t);
    if (n <= c->capacity)
        return OM_OK;
    if (n > UINT32_MAX)
        return om_fail(e->ctx, OM_EUNSUPPORTED, NULL, "a step has more than 2^32 candidates");
    uint32_t *p = om_grow(e->heap, c->rows, &rows, (size_t) n, size);
    if (p != NULL)
        c->rows = p;
    uint32_t *q = p == NULL ? NULL : om_grow(e->heap, c->from, &from, (size_t) n, sizeof *q);
    if (q == NULL)
        return om_fail_memory(e->ctx);
    c->from = q;
    c->capacity = (uint32_t) n;
    return OM_OK;
}

uint32_t om_exchange__owner(const om_engine *e, const uint32_t *row)
{
    if (e->count == 1)
        return 0;
    uint64_t h = OM_OWNER_START;
    for (uint32_t w = 0; w < e->row; w++)
        OM_OWNER_MIX(h, row[w]);
    return (uint32_t) OM_OWNER_OF(h, (uint64_t) e->count);
}

/* Adds those rows of a list that belong to the member. */
static int receive(om_member *m, const om_row_list *from)
{
    const om_engine *e = m->engine;
    int rc = om_row_list__reserve(
        m->engine, &m->exchange.inbox, (uint64_t) m->exchange.inbox.count + from->count);
    for (uint32_t i = 0; rc == OM_OK && i < from->count; i++) {
        const uint32_t *row = from->rows + (size_t) i * e->row;
        if (om_exchange__owner(e, row) != m->me)
            continue;
        memcpy(m->exchange.inbox.rows + (size_t) m->exchange.inbox.count * e->row, row,
            e->row * sizeof *row);
        m->exchange.inbox.from[m->exchange.inbox.count++] = from->from[i];
    }
    return rc;
}

/* ---- opening ---- */

int om_exchange__order(om_member *m)
{
    om_text source = { .heap = m->engine->heap };
    om_text_add(&source, om_kernel__steps);
    om_text_add(&source, om_kernel__prelude);
    om_text_add(&source, om_kernel__owner);
    om_text_add(&source, om_kernel__share);
    const om_recipe recipe = { .source = source.text,
        .defines = { { "OM_ROW", m->engine->row } },
        .define_count = 1,
        .shapes = &SHARE_SHAPE,
        .count = 1 };
    int rc = source.failed
                 ? om_fail_memory(m->engine->ctx)
                 : om_builds__order(m->device, m->engine->ctx, &recipe, &m->exchange.build);
    om_text_free(&source);
    return rc;
}

int om_exchange__open(om_member *m)
{
    om_exchange *x = &m->exchange;
    int rc = om_builds__collect(x->build, m->ctx, &x->built);
    x->build = NULL;
    return rc == OM_OK ? om_queue__take(&m->queue, &x->counts, 2, sizeof(uint32_t)) : rc;
}

void om_exchange__close(om_member *m)
{
    om_exchange *x = &m->exchange;
    enum { BUFFERS = 5 };
    om_buffer *lists[BUFFERS] = { &x->own, &x->own_from, &x->out, &x->out_from, &x->counts };
    om_builds__abandon(x->build);
    for (size_t i = 0; i < BUFFERS; i++)
        om_queue__give(&m->queue, lists[i]);
    om_builds__release(m->device, &x->built);
    om_row_list__free(m->heap, &x->outbox);
    om_row_list__free(m->heap, &x->inbox);
}

/* ---- first phase: expanding a chunk ---- */

static int reserve_lists(om_member *m)
{
    om_queue *queue = &m->queue;
    const uint32_t n = m->table.candidate_capacity, from = m->table.shape.paths ? n : 1;
    const size_t row = m->engine->row * sizeof(uint32_t);
    int rc;
    if (n <= m->exchange.capacity)
        return OM_OK;
    m->exchange.capacity = 0;
    if ((rc = om_queue__grow(queue, &m->exchange.own, n, row, 0)) != OM_OK ||
        (rc = om_queue__grow(queue, &m->exchange.own_from, from, sizeof(uint32_t), 0)) != OM_OK ||
        (rc = om_queue__grow(queue, &m->exchange.out, n, row, 0)) != OM_OK ||
        (rc = om_queue__grow(queue, &m->exchange.out_from, from, sizeof(uint32_t), 0)) != OM_OK)
        return rc;
    m->exchange.capacity = n;
    return OM_OK;
}

static int queue_share(om_member *m)
{
    const om_state_table *t = &m->table;
    uint32_t capacity = t->candidate_capacity, paths = m->table.shape.paths;
    om_arg args[] = { OM_MEM(t->candidates), OM_MEM(t->from), OM_MEM(t->control), OM_ARG(capacity),
        OM_ARG(m->me), OM_ARG(m->engine->count), OM_ARG(paths), OM_MEM(m->exchange.own),
        OM_MEM(m->exchange.own_from), OM_MEM(m->exchange.out), OM_MEM(m->exchange.out_from),
        OM_MEM(m->exchange.counts) };
    int rc = om_queue__zero(&m->queue, &m->exchange.counts, 0, 2 * sizeof(uint32_t));
    return rc != OM_OK ? rc
                       : om_queue__run(&m->queue, m->exchange.built.kernels[0], SHARE_SHAPE.name,
                             args, 12, om_queue__batches(&m->queue, capacity));
}

/* Expands *n states from m->low on, or fewer, and divides the candidates between the lists. */
static int expand_some(om_member *m, uint32_t *n, uint64_t *control, uint32_t *counts)
{
    uint64_t *record = control + OM_C_WORDS;
    for (;;) {
        const om_level_step step = { .chunk = *n };
        const uint64_t begin[OM_R_WORDS] = { [OM_R_LOW] = m->low,
            [OM_R_END] = (uint64_t) m->low + *n,
            [OM_R_STORED] = m->table.stored };
        int rc;
        if ((rc = om_member__reserve_chunk(m, *n)) != OM_OK || (rc = reserve_lists(m)) != OM_OK ||
            (rc = om_state_table__control(&m->table, begin)) != OM_OK ||
            (rc = om_member__expand(m, &step, NULL)) != OM_OK || (rc = queue_share(m)) != OM_OK ||
            (rc = om_queue__read(&m->queue, &m->exchange.counts, 0, counts, 2 * sizeof *counts)) !=
                OM_OK ||
            (rc = om_queue__read(&m->queue, &m->table.control, 0, control,
                 (OM_C_WORDS + OM_R_WORDS) * sizeof *control)) != OM_OK)
            return rc;
        if (record[OM_R_TAKEN] <= m->table.candidate_capacity)
            return OM_OK;
        if (!om_member__more_capacity(m, record[OM_R_TAKEN], *n, &rc))
            *n /= 2;
        if (rc != OM_OK)
            return rc;
    }
}

/* Reads the candidates that leave. */
static int fetch_outbox(om_member *m, uint32_t count)
{
    om_queue *queue = &m->queue;
    int rc = om_row_list__reserve(m->engine, &m->exchange.outbox, count);
    m->exchange.outbox.count = 0;
    if (rc == OM_OK && count > 0)
        rc = om_queue__read(queue, &m->exchange.out, 0, m->exchange.outbox.rows,
            (size_t) count * m->engine->row * sizeof(uint32_t));
    if (rc == OM_OK && count > 0 && m->table.shape.paths)
        rc = om_queue__read(
            queue, &m->exchange.out_from, 0, m->exchange.outbox.from, count * sizeof(uint32_t));
    if (rc == OM_OK)
        m->exchange.outbox.count = count;
    m->figures.exchanged += count;
    return rc;
}

int om_exchange__spread(om_member *m)
{
    om_exchange *x = &m->exchange;
    uint64_t control[OM_C_WORDS + OM_R_WORDS];
    const uint64_t *record = control + OM_C_WORDS;
    uint32_t counts[2] = { 0, 0 };
    x->stayed = x->outbox.count = x->inbox.count = 0;
    if (m->low == m->end)
        return OM_OK;
    uint64_t since = om_clock_ns(), before = m->queue.launches;
    m->table.low = m->low; /* rows below that may be dropped, but not those of this chunk */
    uint32_t left = m->end - m->low, requested = left < m->chunk ? left : m->chunk, n = requested;
    int rc = expand_some(m, &n, control, counts);
    m->figures.step_launches += m->queue.launches - before;
    if (rc != OM_OK)
        return rc;
    x->stayed = counts[0];
    m->figures.transitions += record[OM_R_TAKEN] - record[OM_R_LOST];
    m->figures.deadlocks += record[OM_R_DEAD];
    m->figures.hidden += record[OM_R_HID];
    m->figures.overflows += record[OM_R_OVER];
    m->figures.steps++;
    m->figures.queued_steps++;
    m->low += n;
    rc = om_member__note(m, control, m->engine->levels.count);
    if (m->failed != UINT64_MAX || (m->fault != UINT64_MAX && m->spec->faults_end))
        m->why = OM_FAULTS;
    if (rc == OM_OK)
        rc = fetch_outbox(m, counts[1]);
    om_member__pace(m, 1, n == m->chunk && n == requested, om_clock_ns() - since);
    return rc;
}

/* ---- second phase: candidates become states ---- */

/* Writes the origins of all candidates. */
static int write_from(om_member *m)
{
    const om_exchange *x = &m->exchange;
    const size_t stayed = x->stayed * sizeof(uint32_t);
    int rc = om_queue__copy(&m->queue, &x->own_from, &m->table.from, stayed);
    return rc == OM_OK ? om_queue__write(&m->queue, &m->table.from, stayed, x->inbox.from,
                             x->inbox.count * sizeof(uint32_t))
                       : rc;
}

/* Interns the candidates that stayed and those received. */
static int intern(om_member *m, uint64_t *record)
{
    const om_exchange *x = &m->exchange;
    om_state_table *t = &m->table;
    const size_t row = m->row * sizeof(uint32_t);
    uint64_t n = (uint64_t) x->stayed + x->inbox.count;
    int rc;
    if (n == 0)
        return OM_OK;
    if (((uint64_t) t->stored + n) * m->engine->count > OM_MOST_NUMBERS)
        return om_fail(m->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 states; use a checker that runs on the CPU",
            m->device->info.name);
    if ((rc = om_state_table__candidates(t, (uint32_t) n)) != OM_OK ||
        (rc = om_queue__copy(&m->queue, &x->own, &t->candidates, x->stayed * row)) != OM_OK ||
        (rc = om_queue__write(&m->queue, &t->candidates, x->stayed * row, x->inbox.rows,
             x->inbox.count * row)) != OM_OK ||
        (rc = t->shape.paths ? write_from(m) : OM_OK) != OM_OK ||
        (rc = om_state_table__put(t, (uint32_t) n, m->engine->stop_at != NULL ? &m->wanted : NULL,
             record, &m->hit)) != OM_OK)
        return rc;
    if (m->hit != NO_STATE && m->why == OM_RUNS)
        m->why = OM_HIT;
    if (record[OM_R_WHY] == OM_STATES && m->why == OM_RUNS)
        m->why = OM_STATES;
    return OM_OK;
}

int om_exchange__gather(om_member *m)
{
    /* The record must not end the level: member 0 decides about levels. */
    uint64_t record[OM_R_WORDS] = { [OM_R_END] = 1 }, before = m->queue.launches;
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < m->engine->count; i++)
        if (i != m->me)
            rc = receive(m, &m->engine->members[i].exchange.outbox);
    if (rc == OM_OK)
        rc = intern(m, record);
    m->figures.step_launches += m->queue.launches - before;
    return rc;
}

int om_exchange__take(om_member *m, const om_row_list *from, uint64_t *record)
{
    int rc = receive(m, from);
    return rc == OM_OK ? intern(m, record) : rc;
}
