/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host side of kernels/expand.cl. The scheme is: expand, intern, compact; the end of a kernel
 * is the only fence. The sequence of steps is in batched_steps.c.
 *
 * States are numbered in the order of storing, so a level is a range of numbers.
 */
#include "member.h"

#include "generate/generate.h"
#include "kernels.h"

#include <assert.h>
#include <string.h>

/* Target range for the duration of a step: long enough to keep the device busy, short enough for
 * several to be queued and for a stop within 100 ms. */
static const uint64_t SHORT_NS = 2000000, LONG_NS = 8000000;
/* Transitions of one program: beyond that, compile times explode. */
enum { SLICE_TRANSITIONS = 256, SMALLEST_CHUNK = 128 };
/* States of a chunk for each compute unit of a CPU: as many as its caches hold. */
enum { UNIT_CHUNK = 1 << 13 };

enum { K_EXPAND, K_VOID, EXPAND_KERNELS };
#define SHAPES(ROWS)                                                                       \
    {                                                                                      \
        [K_EXPAND] = { "om_k_expand", ROWS "muumuummmuummmm" },                            \
        [K_VOID] = { "om_k_void", ROWS "mumuummm" }, /* with the last of several slices */ \
    }
static const om_shape expand_shapes[2][EXPAND_KERNELS] = { SHAPES(OM_ONE_BUFFER),
    SHAPES(OM_FOUR_BUFFERS) };

_Static_assert(OM_IS_FAILURE(OM_FAULT_ASSERTION), "kernels know a failed assertion");

/* ---- opening ---- */

/* Makes a program's text: the prelude, the model with these APs, the kernels. */
static int make_source(
    om_member *m, const om_expr *aps, uint32_t ap_count, om_text *source, om_generated *facts)
{
    *source = (om_text){ .heap = m->heap };
    om_text_add(source, om_kernel__steps);
    om_text_add(source, om_kernel__prelude);
    int rc = om_model__generate(m->spec->model, aps, ap_count, source, facts);
    om_text_add(source, om_kernel__expand);
    return rc != OM_OK ? rc : source->failed ? om_fail_memory(m->ctx) : OM_OK;
}

static int order_slice(om_member *m, const char *source, uint32_t i)
{
    om_slice *slice = &m->slices[i];
    bool voids = i > 0 && i == m->slice_count - 1;
    const om_recipe recipe = { .source = source,
        .defines = { { "OM_ROW", m->row }, { "OM_PRODUCT", m->spec->automaton != NULL },
            { "OM_COUNT_HIDDEN", m->spec->automaton == NULL && m->spec->ap_count != 0 },
            { "OM_FIRST", i == 0 }, { "OM_LAST", i == m->slice_count - 1 },
            { "OM_GROUP_LOW", slice->low }, { "OM_GROUP_HIGH", slice->high },
            { "OM_SEGMENTS", m->device->segments } },
        .define_count = 8,
        /* pocl's compiler takes twice the time for code that runs twice as fast: too much for a
         * model so large that compiling it takes several seconds. */
        .quick = i > 0 && m->device->per_size,
        .shapes = expand_shapes[m->device->segments > 1],
        .count = voids ? EXPAND_KERNELS : 1 };
    return om_builds__order(m->device, m->ctx, &recipe, &slice->build);
}

/* Divides the groups among slices: all in one, or the first with none and the rest evenly. */
static int divide(om_member *m, const om_generated *facts)
{
    uint32_t groups = facts->groups;
    uint32_t slices = (facts->transitions + SLICE_TRANSITIONS - 1) / SLICE_TRANSITIONS;
    slices = slices > groups ? groups : slices;
    uint32_t count = slices <= 1 ? 1 : slices + 1;
    if (!OM_NEW(m->heap, m->slices, count))
        return om_fail_memory(m->ctx);
    m->slice_count = count;
    if (m->slice_count == 1)
        m->slices[0].high = groups;
    for (uint32_t i = 1; i < m->slice_count; i++) {
        m->slices[i].low = (uint32_t) ((uint64_t) groups * (i - 1) / slices);
        m->slices[i].high = (uint32_t) ((uint64_t) groups * i / slices);
    }
    assert(m->slices[m->slice_count - 1].high == groups);
    return OM_OK;
}

static int order_slices(om_member *m)
{
    om_text first, rest = { .heap = m->heap };
    om_generated facts = { 0 };
    int rc = make_source(m, m->spec->aps, m->spec->ap_count, &first, &facts);
    if (rc == OM_OK)
        rc = divide(m, &facts);
    if (rc == OM_OK && m->slice_count > 1)
        rc = make_source(m, NULL, 0, &rest, NULL);
    for (uint32_t i = 0; rc == OM_OK && i < m->slice_count; i++)
        rc = order_slice(m, i == 0 ? first.text : rest.text, i);
    om_text_free(&rest);
    om_text_free(&first);
    return rc;
}

static int collect_slices(om_member *m)
{
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < m->slice_count; i++) {
        om_slice *slice = &m->slices[i];
        rc = om_builds__collect(slice->build, m->ctx, &slice->built);
        slice->build = NULL;
    }
    return rc;
}

/* Takes a buffer and fills it with these bytes. */
static int take_filled(om_member *m, om_buffer *b, const void *from, size_t bytes)
{
    int rc = om_queue__take(&m->queue, b, bytes, 1);
    return rc == OM_OK ? om_queue__write(&m->queue, b, 0, from, bytes) : rc;
}

/* Loads the automaton in the form that kernels/expand.cl reads. Without one, the buffers are not
 * read. */
static int load_automaton(om_member *m)
{
    const om_automaton *a = m->spec->automaton;
    uint32_t states = a != NULL ? om_automaton_state_count(a) : 0;
    uint32_t edges = a != NULL ? om_automaton_edge_count(a) : 0, cubes = 0, at = 0;
    uint32_t *begin = om_alloc(m->heap, states + (size_t) 1, sizeof *begin);
    uint32_t *edge_words = om_alloc(m->heap, edges, 3 * sizeof *edge_words);
    int rc = OM_OK;
    if (begin == NULL || edge_words == NULL) {
        rc = om_fail_memory(m->ctx);
        goto done;
    }
    for (uint32_t q = 0; q < states; q++) {
        uint32_t count = 0;
        const om_edge *of = om_automaton_edges(a, q, &count);
        begin[q] = at;
        for (uint32_t i = 0; i < count; i++, at++) {
            uint32_t *words = &edge_words[(size_t) at * 3];
            om_member__edge_words(words, &of[i]);
            if (of[i].cube_begin + of[i].cube_count > cubes)
                cubes = of[i].cube_begin + of[i].cube_count;
        }
    }
    assert(at == edges);
    begin[states] = at;
    m->automaton_states = states;
    if ((rc = take_filled(m, &m->begin, begin, (states + (size_t) 1) * sizeof *begin)) == OM_OK &&
        (rc = take_filled(m, &m->edges, edge_words, (size_t) at * 3 * sizeof *edge_words)) == OM_OK)
        rc = take_filled(m, &m->cubes, a != NULL ? om_automaton_cubes(a) : NULL,
            (size_t) cubes * sizeof(om_cube));
done:
    OM_FREE_ALL(m->heap, begin, edge_words);
    return rc;
}

static int open_buffers(om_member *m)
{
    int rc = load_automaton(m);
    if (rc == OM_OK && m->spec->accepting != NULL)
        rc = take_filled(m, &m->accepting, m->spec->accepting, m->automaton_states);
    return rc == OM_OK ? om_member__reserve_chunk(m, m->chunk) : rc;
}

/* Small chunks stay in a CPU's caches. */
static uint32_t largest_chunk(const om_device *d, const om_tuning *tuning)
{
    uint64_t most = (uint64_t) UNIT_CHUNK * (d->info.compute_units + 1);
    return d->batch > 1 && most < tuning->largest_chunk ? (uint32_t) most : tuning->largest_chunk;
}

static int open_parts(om_member *m)
{
    om_row_shape shape;
    om_state_keys__shape(&shape, m->spec->model, m->spec->automaton);
    shape.weak = m->spec->accepting != NULL;
    shape.paths = !m->spec->no_paths;
    shape.path_bytes = m->spec->path_bytes;
    int rc = om_queue__open(&m->queue, m->device, m->ctx);
    if (rc == OM_OK)
        rc = om_state_table__order(&m->table, &m->queue, &shape, &m->tuning);
    if (rc == OM_OK)
        rc = order_slices(m);
    m->table.sources = m->slice_count > 1;
    m->table.faults_end = m->spec->faults_end;
    m->table.faults_repeat = m->spec->faults_repeat;
    if (rc == OM_OK)
        rc = om_state_table__open(&m->table, &m->tuning);
    if (rc == OM_OK)
        rc = collect_slices(m);
    return rc == OM_OK ? open_buffers(m) : rc;
}

/* Resets the member to its state before the first step. */
static void reset_progress(om_member *m)
{
    m->check_at = m->tuning.states;
    m->fault = m->failed = UINT64_MAX;
    m->hit = UINT32_MAX;
    m->why = OM_RUNS;
    m->low = m->end = 0;
    m->figures = (om_member_figures){ 0 };
    OM_FREE_ALL(m->heap, m->overflow_vector, m->fault_vector);
    m->overflow_vector = m->fault_vector = NULL;
    m->exchange.stayed = m->exchange.outbox.count = m->exchange.inbox.count = 0;
}

int om_member__open(om_member *m, const om_tuning *tuning)
{
    m->tuning = *tuning;
    m->largest_chunk = largest_chunk(m->device, tuning);
    m->chunk = tuning->chunk < m->largest_chunk ? tuning->chunk : m->largest_chunk;
    reset_progress(m);
    m->words = om_model_words(m->spec->model);
    m->row = m->words + (m->spec->automaton != NULL);
    return open_parts(m);
}

int om_member__restart(om_member *m)
{
    enum { LOADED = 5 };
    om_buffer *loaded[LOADED] = { &m->begin, &m->edges, &m->cubes, &m->wanted, &m->accepting };
    for (size_t i = 0; i < LOADED; i++)
        om_queue__give(&m->queue, loaded[i]);
    reset_progress(m);
    int rc = om_state_table__clear(&m->table);
    if (rc == OM_OK && m->degree_count > 0)
        rc = om_queue__zero(&m->queue, &m->degree, 0, m->degree_count * sizeof(uint32_t));
    return rc == OM_OK ? open_buffers(m) : rc;
}

void om_member__close(om_member *m)
{
    enum { BUFFERS = 8 };
    om_buffer *all[BUFFERS] = { &m->begin, &m->edges, &m->cubes, &m->wanted, &m->accepting,
        &m->degree, &m->labels, &m->so_far };
    for (size_t i = 0; i < BUFFERS; i++)
        om_queue__give(&m->queue, all[i]);
    for (uint32_t i = 0; i < m->slice_count; i++) {
        om_builds__abandon(m->slices[i].build);
        om_builds__release(m->device, &m->slices[i].built);
    }
    om_state_table__close(&m->table);
    om_queue__close(&m->queue);
    OM_FREE_ALL(m->heap, m->overflow_vector, m->fault_vector, m->slices);
}

/* ---- faults and overflows ---- */

static int note_fault(om_member *m, const uint64_t *control, uint32_t level)
{
    uint64_t fault = control[OM_C_FAULT], failed = control[OM_C_FAILED], state;
    /* The control words are reset now and then, and later steps have greater states. */
    if (failed < m->failed)
        state = (m->failed = failed) >> 32;
    else if (m->failed == UINT64_MAX && fault < m->fault)
        state = (m->fault = fault) >> 32;
    else
        return OM_OK;
    m->fault_level = level;
    om_free(m->heap, m->fault_vector);
    m->fault_vector = NULL;
    return om_member__vector(m, state, &m->fault_vector);
}

int om_member__note(om_member *m, const uint64_t *control, uint32_t level)
{
    int rc = note_fault(m, control, level);
    if (rc != OM_OK || control[OM_C_OVERFLOWN] == UINT64_MAX || m->overflow_vector != NULL)
        return rc;
    m->overflow_level = level;
    return om_member__vector(m, control[OM_C_OVERFLOWN], &m->overflow_vector);
}

int om_member__vector(om_member *m, uint64_t state, uint32_t **out)
{
    const size_t size = m->row * sizeof(uint32_t);
    assert(state >= m->table.base);
    uint32_t *vector = om_alloc(m->heap, size, 1);
    if (vector == NULL)
        return om_fail_memory(m->ctx);
    int rc = om_segments__read(&m->queue, &m->table.rows, state - m->table.base, vector, 1);
    if (rc == OM_OK)
        *out = vector;
    else
        om_free(m->heap, vector);
    return rc;
}

/* ---- one chunk ---- */

int om_member__reserve_chunk(om_member *m, uint32_t n)
{
    int rc;
    /* A single slice needs no memory for it. */
    if (m->slice_count == 1)
        n = 1;
    if (n <= m->chunk_capacity)
        return OM_OK;
    m->chunk_capacity = 0;
    if ((rc = om_queue__grow(&m->queue, &m->labels, n, sizeof(uint64_t), 0)) != OM_OK ||
        (rc = om_queue__grow(&m->queue, &m->so_far, n, OM_S_WORDS * sizeof(uint32_t), 0)) != OM_OK)
        return rc;
    m->chunk_capacity = n;
    return OM_OK;
}

/* Completes what the slices did not know of each other when they wrote the candidates. */
static int settle_slices(om_member *m, const om_level_step *s, const om_buffer *list)
{
    const om_state_table *t = &m->table;
    const om_slice *last = &m->slices[m->slice_count - 1];
    uint32_t listed = list != NULL, capacity = t->candidate_capacity;
    om_arg args[] = { OM_SEGMENTED(t->rows),
        { sizeof(om_memory *), listed ? &list->mem : &t->won.mem }, OM_ARG(listed),
        OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity), OM_MEM(m->so_far),
        OM_MEM(t->candidates), OM_MEM(t->from) };
    return om_segments__run(
        &m->queue, last->built.kernels[K_VOID], expand_shapes[0][K_VOID].name, args, 9, capacity);
}

int om_member__expand(om_member *m, const om_level_step *s, const om_buffer *list)
{
    const om_state_table *t = &m->table;
    uint32_t listed = list != NULL, stutter = m->spec->stutter, capacity = t->candidate_capacity;
    om_memory *const *numbers = listed ? &list->mem : &t->won.mem;
    int rc = OM_OK;
    assert(m->slice_count == 1 || s->chunk <= m->chunk_capacity);
    for (uint32_t i = 0; rc == OM_OK && i < m->slice_count; i++) {
        om_arg args[] = { OM_SEGMENTED(t->rows), { sizeof(om_memory *), numbers }, OM_ARG(listed),
            OM_ARG(s->chunk), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity),
            OM_MEM(m->begin), OM_MEM(m->edges), OM_MEM(m->cubes), OM_ARG(stutter),
            OM_ARG(m->spec->deadlock_ap), OM_MEM(m->labels), OM_MEM(m->so_far),
            OM_MEM(t->candidates), OM_MEM(t->from) };
        rc = om_segments__run(&m->queue, m->slices[i].built.kernels[K_EXPAND],
            expand_shapes[0][K_EXPAND].name, args, 16, om_queue__batches(&m->queue, s->chunk));
    }
    return rc == OM_OK && m->slice_count > 1 ? settle_slices(m, s, list) : rc;
}

bool om_member__more_capacity(om_member *m, uint64_t candidates, uint32_t n, int *rc)
{
    uint64_t capacity = m->table.candidate_capacity;
    *rc = OM_OK;
    if (candidates > m->tuning.most_candidates && n > 1)
        return false;
    if (candidates > UINT32_MAX / 2) {
        *rc = om_fail(m->ctx, OM_EUNSUPPORTED, NULL, "a state has more than 2^31 successors");
        return false;
    }
    /* With several members, the lists of the exchange are as long. */
    const size_t beside = m->exchange.capacity != 0 ? sizeof(uint32_t) * 2 * (m->row + 1) : 0;
    /* Headroom, because chunks differ. */
    uint64_t more = candidates + candidates / 4;
    uint64_t room = om_state_table__candidate_room(&m->table, more, beside);
    if (room < candidates && n > 1)
        return false;
    if (more <= m->tuning.most_candidates && more <= room)
        candidates = more;
    if (candidates > capacity)
        *rc = om_state_table__candidates(&m->table, (uint32_t) candidates);
    return *rc == OM_OK;
}

void om_member__pace(om_member *m, uint64_t steps, bool whole, uint64_t took_ns)
{
    if (steps == 0)
        return;
    m->step_ns = took_ns / steps;
    if (m->device->steady)
        return;
    if (m->step_ns > LONG_NS && m->chunk / 2 >= SMALLEST_CHUNK)
        m->chunk /= 2;
    else if (m->step_ns < SHORT_NS && whole && m->chunk <= m->largest_chunk / 2)
        m->chunk *= 2;
}
