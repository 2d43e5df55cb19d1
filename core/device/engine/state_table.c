/* SPDX-License-Identifier: Apache-2.0 */
#include "state_table.h"

#include "builds.h"
#include "control/control.h"
#include "kernels.h"

#include <assert.h>
#include <string.h>

/* As in kernels/quotient.cl. */
enum { MOST_TRIES = 15 };
static const uint32_t NO_STATE = UINT32_MAX;

const om_tuning om_tuning__default = { .states = 1 << 14,
    .candidates = 1 << 15,
    .buckets = 1 << 13,
    .chunk = 1 << 11,
    .largest_chunk = 1 << 20,
    .most_candidates = 1 << 23 };

#define STORE_SHAPES(ROWS, INDEX)                                            \
    {                                                                        \
        [OM_K_INTERN] = { "om_k_intern", ROWS "m" INDEX "UmuuUumm" },        \
        [OM_K_COMPACT] = { "om_k_compact", ROWS "mmm" INDEX "muuuuUUmmum" }, \
        [OM_K_REINSERT] = { "om_k_reinsert", ROWS "uu" INDEX "U" },          \
        [OM_K_TALLY] = { "om_k_tally", ROWS "mmmmuuu" INDEX "mmum" },        \
        [OM_K_LIST] = { "om_k_list", ROWS "uummumm" },                       \
        [OM_K_UNTALLY] = { "om_k_untally", ROWS "mmu" INDEX "mmummm" },      \
        [OM_K_BEFORE] = { "om_k_before", ROWS "mmu" INDEX "mmmm" },          \
    }
static const om_shape store_shapes[2][OM_K_STORE_KERNELS] = {
    STORE_SHAPES(OM_ONE_BUFFER, OM_ONE_BUFFER),
    STORE_SHAPES(OM_FOUR_BUFFERS, OM_FOUR_BUFFERS),
};

void om_state_table__close(om_state_table *t)
{
    if (t->queue == NULL)
        return;
    om_buffer *all[] = { &t->control, &t->parents, &t->candidates, &t->from, &t->place, &t->won,
        NULL };
    om_segments__give(t->queue, &t->rows);
    om_segments__give(t->queue, &t->index);
    for (om_buffer **b = all; *b != NULL; b++)
        om_queue__give(t->queue, *b);
    om_builds__abandon(t->build);
    om_builds__release(t->queue->device, &t->built);
}

int om_state_table__index(om_state_table *t, uint64_t buckets)
{
    t->buckets = buckets;
    int rc = om_segments__grow(t->queue, &t->index, buckets * OM_SIZING_BUCKET, 0, 0);
    return rc == OM_OK ? om_segments__zero(t->queue, &t->index, true) : rc;
}

int om_state_table__clear(om_state_table *t)
{
    t->stored = t->low = t->base = 0;
    return om_segments__zero(t->queue, &t->index, false);
}

/* ---- opening ---- */

int om_state_table__order(
    om_state_table *t, om_queue *queue, const om_row_shape *shape, const om_tuning *tuning)
{
    om_text source = { .heap = om_context_heap(queue->ctx) };
    const size_t row = shape->words * sizeof(uint32_t);
    const uint32_t segments = queue->device->segments;
    om_sizing_room room;
    om_sizing_table none;
    *t = (om_state_table){ .queue = queue,
        .shape = *shape,
        .rows = { .size = row },
        .index = { .size = OM_SIZING_ENTRY } };
    om_state_table__extent(t, &t->index, 0, &room, &none);
    t->rows.each = om_sizing__each(&room, row);
    t->index.each = om_sizing__each(&room, OM_SIZING_BUCKET_BYTES) * OM_SIZING_BUCKET;
    t->buckets = tuning->numbers ? 0 : om_quotient__buckets(shape, queue, tuning->buckets);
    t->quotient = t->buckets != 0;
    if (!t->quotient)
        t->buckets = tuning->buckets;
    t->shape.paths = shape->paths || !t->quotient;
    om_text_add(&source, om_kernel__steps);
    om_text_add(&source, om_kernel__prelude);
    om_text_add(&source, om_kernel__record);
    om_text_add(&source, t->quotient ? om_kernel__quotient : om_kernel__store);
    om_recipe recipe = { .source = source.text };
    if (t->quotient) {
        recipe.defines[0] =
            (om_define){ "OM_TRIES", tuning->tries == 0 ? MOST_TRIES : tuning->tries };
        recipe.define_count = 1;
        recipe.shapes = om_quotient__shapes[segments > 1];
        recipe.count = OM_K_QUOTIENT_KERNELS;
    } else {
        recipe.defines[0] = (om_define){ "OM_ROW", shape->words };
        recipe.defines[1] = (om_define){ "OM_WEAK", shape->weak };
        recipe.define_count = 2;
        recipe.shapes = store_shapes[segments > 1];
        recipe.count = shape->weak ? OM_K_STORE_KERNELS : OM_K_PLAIN_KERNELS;
    }
    recipe.defines[recipe.define_count++] = (om_define){ "OM_SEGMENTS", segments };
    int rc = source.failed ? om_fail_memory(queue->ctx)
                           : om_builds__order(queue->device, queue->ctx, &recipe, &t->build);
    om_text_free(&source);
    return rc;
}

int om_state_table__open(om_state_table *t, const om_tuning *tuning)
{
    om_queue *queue = t->queue;
    int rc = om_builds__collect(t->build, queue->ctx, &t->built);
    t->build = NULL;
    if (rc != OM_OK || (rc = om_state_table__grow_rows(t, tuning->states)) != OM_OK ||
        (!t->shape.paths &&
            (rc = om_queue__take(queue, &t->parents, 1, sizeof(uint32_t))) != OM_OK) ||
        (rc = om_queue__take_zero(queue, &t->control, OM_CONTROL_WORDS, sizeof(uint64_t))) !=
            OM_OK ||
        (rc = om_state_table__index(t, t->buckets)) != OM_OK)
        return rc;
    return om_state_table__candidates(t, tuning->candidates);
}

/* Returns the bytes of a candidate in all buffers. */
static size_t candidate_bytes(const om_state_table *t)
{
    const size_t from = t->shape.paths || t->sources ? sizeof(uint32_t) : 0;
    const size_t entry = t->quotient ? 0 : sizeof(uint64_t) + sizeof(uint32_t);
    return t->shape.words * sizeof(uint32_t) + from + entry;
}

int om_state_table__candidates(om_state_table *t, uint32_t n)
{
    uint32_t from = t->shape.paths || t->sources ? n : 1,
             entries = t->quotient ? 1 : n; /* 1 for buffers that are not used */
    const size_t row = t->shape.words * sizeof(uint32_t);
    int rc;
    if (n <= t->candidate_capacity)
        return OM_OK;
    t->candidate_capacity = 0;
    om_queue__give(t->queue, &t->candidates);
    if ((rc = om_state_table__make_room(t, (uint64_t) n * candidate_bytes(t))) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->candidates, n, row, 0)) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->from, from, sizeof(uint32_t), 0)) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->place, entries, sizeof(uint64_t), 0)) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->won, entries, sizeof(uint32_t), 0)) != OM_OK)
        return rc;
    t->candidate_capacity = n;
    return OM_OK;
}

uint64_t om_state_table__candidate_room(const om_state_table *t, uint64_t n, size_t beside)
{
    const size_t row = t->shape.words * sizeof(uint32_t), all = candidate_bytes(t) + beside;
    om_sizing_room room;
    om_sizing_table now;
    om_state_table__extent(t, &t->index, t->buckets, &room, &now);
    const uint64_t held = (uint64_t) t->candidate_capacity * all;
    room.used -= held < room.used ? held : room.used;
    return om_sizing__candidates(
        &room, &now, row > sizeof(uint64_t) ? row : sizeof(uint64_t), all, n);
}

/* ---- room ---- */

/* Drops the parents, and allows rows to be dropped: the index has the states. */
static int forget_paths(om_state_table *t)
{
    t->shape.paths = false;
    t->sources = true; /* kernels that write candidates go on as before */
    om_queue__give(t->queue, &t->parents);
    return om_queue__take(t->queue, &t->parents, 1, sizeof(uint32_t));
}

int om_state_table__reserve(om_state_table *t)
{
    const size_t path = (t->shape.words + (size_t) 1) * sizeof(uint32_t);
    uint64_t need = (uint64_t) t->stored + t->candidate_capacity;
    bool slid = false;
    if (need > OM_MOST_NUMBERS)
        return om_fail(t->queue->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 states; use a checker that runs on the CPU",
            t->queue->device->info.name);
    int rc = OM_OK;
    if (t->quotient && t->shape.paths && t->shape.path_bytes != 0 &&
        t->stored > t->shape.path_bytes / path)
        rc = forget_paths(t);
    if (rc == OM_OK)
        rc = t->quotient ? om_quotient__grow(t, need) : om_state_table__grow_index(t, need);
    if (rc == OM_OK && t->quotient && need - t->base > t->capacity)
        rc = om_quotient__slide(t, &slid);
    return rc == OM_OK ? om_state_table__grow_rows(t, need - t->base) : rc;
}

int om_state_table__void(om_state_table *t, uint64_t *record)
{
    uint32_t winners = record[OM_R_FULL] == 0 ? 0 : (uint32_t) (record[OM_R_FULL] - 1);
    if (record[OM_R_FULL] == 0)
        return OM_OK;
    record[OM_R_FULL] = 0;
    return om_quotient__forget(t, winners);
}

/* ---- steps ---- */

uint64_t om_state_table__most(const om_state_table *t)
{
    uint64_t entries = om_sizing__entries(t->buckets), rows = (uint64_t) t->base + t->capacity;
    return entries < rows ? entries : rows;
}

int om_state_table__intern(om_state_table *t, const om_level_step *s)
{
    if (t->quotient)
        return om_quotient__put(t, s);
    uint64_t buckets = t->buckets, most = om_state_table__most(t);
    uint32_t capacity = t->candidate_capacity, all = s->places;
    om_arg args[] = { OM_SEGMENTED(t->rows), OM_MEM(t->candidates), OM_SEGMENTED(t->index),
        OM_ARG(buckets), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity), OM_ARG(most),
        OM_ARG(all), OM_MEM(t->place), OM_MEM(t->won) };
    return om_segments__run(t->queue, t->built.kernels[OM_K_INTERN], "om_k_intern", args, 11,
        om_queue__batches(t->queue, capacity));
}

int om_state_table__compact(om_state_table *t, const om_level_step *s)
{
    if (t->quotient)
        return om_quotient__advance(t, s);
    uint64_t most = om_state_table__most(t);
    uint64_t most_states = om_control__limits(t->queue->control)->max_states;
    uint32_t capacity = t->candidate_capacity, watch = s->wanted != NULL;
    om_memory *const *marks = s->wanted != NULL ? &s->wanted->mem : &t->control.mem;
    om_arg args[] = { OM_SEGMENTED(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates),
        OM_MEM(t->from), OM_SEGMENTED(t->index), OM_MEM(t->control), OM_ARG(s->number),
        OM_ARG(s->then), OM_ARG(s->chunk), OM_ARG(capacity), OM_ARG(most), OM_ARG(most_states),
        OM_MEM(t->place), OM_MEM(t->won), OM_ARG(watch), { sizeof(om_memory *), marks } };
    return om_segments__run(t->queue, t->built.kernels[OM_K_COMPACT], "om_k_compact", args, 16,
        om_queue__batches(t->queue, capacity));
}

int om_state_table__control(om_state_table *t, const uint64_t *record)
{
    uint64_t words[OM_C_WORDS + OM_R_WORDS] = { 0 };
    words[OM_C_FAULT] = words[OM_C_FAILED] = UINT64_MAX;
    words[OM_C_FAULTS_END] = t->faults_end;
    words[OM_C_FAULTS_REPEAT] = t->faults_repeat;
    words[OM_C_HIT] = NO_STATE;
    words[OM_C_OVERFLOWN] = UINT64_MAX;
    words[OM_C_BASE] = t->base;
    words[OM_C_PATHS] = t->shape.paths;
    memcpy(words + OM_C_WORDS, record, OM_R_WORDS * sizeof *record);
    return om_queue__write(t->queue, &t->control, 0, words, sizeof words);
}

int om_state_table__put(
    om_state_table *t, uint32_t n, const om_buffer *wanted, uint64_t *record, uint32_t *hit)
{
    uint64_t words[OM_C_WORDS + 2 * OM_R_WORDS] = { 0 }, *next = words + OM_C_WORDS + OM_R_WORDS;
    const om_level_step step = { .number = 0, .then = 1, .wanted = wanted };
    int rc;
    assert(n <= t->candidate_capacity);
    do {
        record[OM_R_STORED] = t->stored;
        record[OM_R_TAKEN] = n;
        if ((rc = om_state_table__reserve(t)) != OM_OK ||
            (rc = om_state_table__control(t, record)) != OM_OK ||
            (rc = om_state_table__intern(t, &step)) != OM_OK ||
            (rc = om_state_table__compact(t, &step)) != OM_OK ||
            (rc = om_queue__read(t->queue, &t->control, 0, words, sizeof words)) != OM_OK ||
            (rc = next[OM_R_FULL] == 0
                      ? OM_OK
                      : om_quotient__forget(t, (uint32_t) next[OM_R_FULL] - 1)) != OM_OK)
            return rc;
    } while (next[OM_R_FULL] != 0);
    assert(next[OM_R_WHY] != OM_CAPACITY && next[OM_R_WHY] != OM_GROW);
    memcpy(record, next, OM_R_WORDS * sizeof *record);
    t->stored = (uint32_t) next[OM_R_STORED];
    *hit = (uint32_t) words[OM_C_HIT];
    return OM_OK;
}

/* ---- stored states ---- */

/* Looks up the first n candidates, for which there must be room. */
static int look_up(om_state_table *t, uint32_t n)
{
    uint64_t record[OM_R_WORDS] = { [OM_R_STORED] = t->stored, [OM_R_TAKEN] = n };
    const om_level_step step = { .places = true };
    int rc;
    assert(n <= t->candidate_capacity);
    if ((rc = om_state_table__control(t, record)) != OM_OK ||
        (rc = om_state_table__intern(t, &step)) != OM_OK ||
        (rc = om_queue__read(
             t->queue, &t->control, OM_C_WORDS * sizeof *record, record, sizeof record)) != OM_OK)
        return rc;
    /* A candidate that was not stored was put into the index, or found no place. */
    if (record[OM_R_WON] != 0 || record[OM_R_FULL] != 0)
        rc = om_fail(t->queue->ctx, OM_EINTERNAL, NULL,
            "device %s: a reachable state is not stored; its results are not reliable",
            t->queue->device->info.name);
    return rc;
}

int om_state_table__find(om_state_table *t, uint32_t n)
{
    if (n == 0)
        return OM_OK;
    int rc = om_state_table__reserve(t);
    return rc == OM_OK ? look_up(t, n) : rc;
}

int om_state_table__find_rows(om_state_table *t)
{
    enum { LAUNCHES = 64 };
    uint64_t room = om_state_table__most(t) - t->stored;
    int rc = OM_OK;
    if (room <= t->stored / LAUNCHES) {
        rc = om_state_table__reserve(t);
        room = t->candidate_capacity;
    }
    const uint64_t most = room < t->candidate_capacity ? room : t->candidate_capacity;
    for (uint64_t at = 0, there = t->stored - t->base; rc == OM_OK && at < there;) {
        uint32_t n = (uint32_t) (there - at < most ? there - at : most);
        rc = om_segments__copy(t->queue, &t->rows, at, &t->candidates, n);
        if (rc == OM_OK)
            rc = look_up(t, n);
        if (rc == OM_OK)
            rc = om_queue__stopped(t->queue);
        at += n;
    }
    return rc;
}

int om_state_table__count(om_state_table *t, uint64_t *entries)
{
    enum { CHUNK = 1 << 17 };
    const om_heap *heap = om_context_heap(t->queue->ctx);
    const uint64_t all = t->buckets * OM_SIZING_BUCKET, most = all < CHUNK ? all : CHUNK;
    uint64_t *some = om_alloc(heap, (size_t) most, sizeof *some);
    int rc = some == NULL ? om_fail_memory(t->queue->ctx) : OM_OK;
    *entries = 0;
    for (uint64_t at = 0; rc == OM_OK && at < all; at += most) { /* both are powers of two */
        rc = om_segments__read(t->queue, &t->index, at, some, most);
        for (uint64_t i = 0; rc == OM_OK && i < most; i++)
            *entries += some[i] != 0;
        if (rc == OM_OK)
            rc = om_queue__stopped(t->queue);
    }
    om_free(heap, some);
    return rc;
}
