/* SPDX-License-Identifier: Apache-2.0 */
#include "state_table.h"

#include "builds.h"
#include "control.h"
#include "kernels.h"

#include <assert.h>
#include <string.h>

/* As in kernels/store.cl. */
enum { BUCKET = 8 };
/* As in kernels/quotient.cl. */
enum { MOST_TRIES = 15 };
/* Numbers of states and candidates together stay below this: an entry holds number + 1 in 32 bits,
 * and OM_NO_STATE is no state. */
static const uint64_t MOST_NUMBERS = 0xfffffff0u;
static const uint32_t NO_STATE = UINT32_MAX;

const om_tuning om_tuning__default = { .states = 1 << 14,
    .candidates = 1 << 15,
    .buckets = 1 << 13,
    .chunk = 1 << 11,
    .largest_chunk = 1 << 20,
    .most_candidates = 1 << 23 };

static const om_shape STORE_SHAPES[OM_K_STORE_KERNELS] = {
    [OM_K_INTERN] = { "om_k_intern", "mmmUmuuUumm" },
    [OM_K_COMPACT] = { "om_k_compact", "mmmmmmuuuuUUmmum" },
    [OM_K_REINSERT] = { "om_k_reinsert", "muumU" },
    [OM_K_TALLY] = { "om_k_tally", "mmmmmuuummmum" },
    [OM_K_LIST] = { "om_k_list", "muummumm" },
    [OM_K_UNTALLY] = { "om_k_untally", "mmmummmummm" },
    [OM_K_BEFORE] = { "om_k_before", "mmmummmmm" },
};

void om_state_table__close(om_state_table *t)
{
    if (t->queue == NULL)
        return;
    om_buffer *all[] = { &t->control, &t->rows, &t->parents, &t->index, &t->candidates, &t->from,
        &t->place, &t->won, NULL };
    for (om_buffer **b = all; *b != NULL; b++)
        om_queue__give(t->queue, *b);
    om_builds__abandon(t->build);
    om_builds__release(t->queue->device, &t->built);
}

int om_state_table__index(om_state_table *t, uint64_t buckets)
{
    t->buckets = buckets;
    return om_queue__take_zero(t->queue, &t->index, (size_t) buckets, BUCKET * sizeof(uint64_t));
}

int om_state_table__order(
    om_state_table *t, om_queue *queue, const om_row_shape *shape, const om_tuning *tuning)
{
    om_text source = { .heap = om_context_heap(queue->ctx) };
    *t = (om_state_table){ .queue = queue, .shape = *shape };
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
        recipe.shapes = om_quotient__shapes;
        recipe.count = OM_K_QUOTIENT_KERNELS;
    } else {
        recipe.defines[0] = (om_define){ "OM_ROW", shape->words };
        recipe.defines[1] = (om_define){ "OM_WEAK", shape->weak };
        recipe.define_count = 2;
        recipe.shapes = STORE_SHAPES;
        recipe.count = shape->weak ? OM_K_STORE_KERNELS : OM_K_PLAIN_KERNELS;
    }
    int rc = source.failed ? om_fail_memory(queue->ctx)
                           : om_builds__order(queue->device, queue->ctx, &recipe, &t->build);
    om_text_free(&source);
    return rc;
}

int om_state_table__open(om_state_table *t, const om_tuning *tuning)
{
    om_queue *queue = t->queue;
    const size_t row = t->shape.words * sizeof(uint32_t);
    int rc = om_builds__collect(t->build, queue->ctx, &t->built);
    t->build = NULL;
    t->capacity = tuning->states;
    /* Of a stored state, they are read when it is expanded and when a candidate equals it. */
    t->rows.may_spill = t->parents.may_spill = true;
    if (rc != OM_OK || (rc = om_queue__take(queue, &t->rows, t->capacity, row)) != OM_OK ||
        (rc = om_queue__take(
             queue, &t->parents, t->shape.paths ? t->capacity : 1, sizeof(uint32_t))) != OM_OK ||
        (rc = om_queue__take_zero(queue, &t->control, OM_CONTROL_WORDS, sizeof(uint64_t))) !=
            OM_OK ||
        (rc = om_state_table__index(t, t->buckets)) != OM_OK)
        return rc;
    return om_state_table__candidates(t, tuning->candidates);
}

int om_state_table__candidates(om_state_table *t, uint32_t n)
{
    uint32_t from = t->shape.paths || t->sources ? n : 1,
             entries = t->quotient ? 1 : n; /* who does not ask, gets 1 */
    const size_t row = t->shape.words * sizeof(uint32_t);
    int rc;
    if (n <= t->candidate_capacity)
        return OM_OK;
    t->candidate_capacity = 0;
    if ((rc = om_queue__grow(t->queue, &t->candidates, n, row, 0)) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->from, from, sizeof(uint32_t), 0)) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->place, entries, sizeof(uint64_t), 0)) != OM_OK ||
        (rc = om_queue__grow(t->queue, &t->won, entries, sizeof(uint32_t), 0)) != OM_OK)
        return rc;
    t->candidate_capacity = n;
    return OM_OK;
}

/* ---- growth ---- */

/* An index with twice the buckets until `entries` fill at most 0.8 of it (I2 of store.cl). The old
 * one goes first: the table has all that is needed. */
static int grow_index(om_state_table *t, uint64_t entries)
{
    /* A launch that re-inserts this many is some ten milliseconds on a slow device. */
    enum { AT_ONCE = 1 << 18 };
    uint64_t buckets = t->buckets;
    while (entries > om_state_table__entries(buckets))
        buckets *= 2;
    if (buckets == t->buckets)
        return OM_OK;
    om_queue__give(t->queue, &t->index);
    /* The index stays on the device, for every candidate looks into it. */
    int rc = OM_OK;
    if (!om_queue__fits(t->queue, (size_t) buckets * BUCKET * sizeof(uint64_t)) &&
        (rc = om_queue__spill(t->queue, &t->rows)) == OM_OK)
        rc = om_queue__spill(t->queue, &t->parents);
    if (rc == OM_OK)
        rc = om_state_table__index(t, buckets);
    for (uint32_t first = 0; rc == OM_OK && first < t->stored;) {
        uint32_t n = t->stored - first < AT_ONCE ? t->stored - first : AT_ONCE;
        uint64_t count = buckets;
        om_arg args[] = { OM_MEM(t->rows), OM_ARG(first), OM_ARG(n), OM_MEM(t->index),
            OM_ARG(count) };
        rc = om_queue__run(t->queue, t->built.kernels[OM_K_REINSERT], "om_k_reinsert", args, 5,
            om_queue__batches(t->queue, n));
        if (rc == OM_OK)
            rc = om_queue__pause(t->queue);
        first += n;
    }
    return rc;
}

/* `need` counts rows, which begin with that of the base. */
static int grow_states(om_state_table *t, uint64_t need)
{
    const size_t row = t->shape.words * sizeof(uint32_t);
    uint64_t capacity = t->capacity;
    if (need <= capacity)
        return OM_OK;
    while (capacity < need)
        capacity *= 2;
    /* The last step is a smaller one where a buffer may not be larger. */
    uint64_t most = t->queue->device->info.largest_allocation / row;
    if (most > MOST_NUMBERS)
        most = MOST_NUMBERS;
    if (capacity > most && need <= most)
        capacity = most;
    int rc = om_queue__grow(
        t->queue, &t->rows, (size_t) capacity, row, (size_t) (t->stored - t->base) * row);
    if (rc == OM_OK && t->shape.paths)
        rc = om_queue__grow(t->queue, &t->parents, (size_t) capacity, sizeof(uint32_t),
            (size_t) t->stored * sizeof(uint32_t));
    if (rc == OM_OK)
        t->capacity = (uint32_t) capacity;
    return rc;
}

/* Parents go, and rows may: the index has the states. */
static int forget_paths(om_state_table *t)
{
    t->shape.paths = false;
    t->sources = true; /* who makes candidates goes on as it was */
    om_queue__give(t->queue, &t->parents);
    return om_queue__take(t->queue, &t->parents, 1, sizeof(uint32_t));
}

int om_state_table__reserve(om_state_table *t)
{
    const size_t path = (t->shape.words + (size_t) 1) * sizeof(uint32_t);
    uint64_t need = (uint64_t) t->stored + t->candidate_capacity;
    bool slid = false;
    if (need > MOST_NUMBERS)
        return om_fail(t->queue->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 states; use a checker that runs on the CPU",
            t->queue->device->info.name);
    int rc = OM_OK;
    if (t->quotient && t->shape.paths && t->shape.path_bytes != 0 &&
        t->stored > t->shape.path_bytes / path)
        rc = forget_paths(t);
    if (rc == OM_OK)
        rc = t->quotient ? om_quotient__grow(t, need) : grow_index(t, need);
    if (rc == OM_OK && t->quotient && need - t->base > t->capacity)
        rc = om_quotient__slide(t, &slid);
    return rc == OM_OK ? grow_states(t, need - t->base) : rc;
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

uint64_t om_state_table__entries(uint64_t buckets)
{
    return buckets * BUCKET / 5 * 4; /* I2 of store.cl */
}

uint64_t om_state_table__most(const om_state_table *t)
{
    uint64_t entries = om_state_table__entries(t->buckets), rows = (uint64_t) t->base + t->capacity;
    return entries < rows ? entries : rows;
}

int om_state_table__intern(om_state_table *t, const om_level_step *s)
{
    if (t->quotient)
        return om_quotient__put(t, s);
    uint64_t buckets = t->buckets, most = om_state_table__most(t);
    uint32_t capacity = t->candidate_capacity, all = s->places;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->candidates), OM_MEM(t->index), OM_ARG(buckets),
        OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity), OM_ARG(most), OM_ARG(all),
        OM_MEM(t->place), OM_MEM(t->won) };
    return om_queue__run(t->queue, t->built.kernels[OM_K_INTERN], "om_k_intern", args, 11,
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
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates), OM_MEM(t->from),
        OM_MEM(t->index), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(s->then), OM_ARG(s->chunk),
        OM_ARG(capacity), OM_ARG(most), OM_ARG(most_states), OM_MEM(t->place), OM_MEM(t->won),
        OM_ARG(watch), { sizeof(om_memory *), marks } };
    return om_queue__run(t->queue, t->built.kernels[OM_K_COMPACT], "om_k_compact", args, 16,
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

int om_state_table__find(om_state_table *t, uint32_t n)
{
    uint64_t record[OM_R_WORDS] = { [OM_R_STORED] = t->stored, [OM_R_TAKEN] = n };
    const om_level_step step = { .places = true };
    int rc;
    assert(n <= t->candidate_capacity);
    if (n == 0)
        return OM_OK;
    if ((rc = om_state_table__reserve(t)) != OM_OK ||
        (rc = om_state_table__control(t, record)) != OM_OK ||
        (rc = om_state_table__intern(t, &step)) != OM_OK ||
        (rc = om_queue__read(
             t->queue, &t->control, OM_C_WORDS * sizeof *record, record, sizeof record)) != OM_OK)
        return rc;
    if (record[OM_R_WON] != 0)
        rc = om_fail(t->queue->ctx, OM_EINTERNAL, NULL,
            "device %s: a state that can be reached is not stored; what it found is not to be "
            "relied on",
            t->queue->device->info.name);
    return rc;
}
