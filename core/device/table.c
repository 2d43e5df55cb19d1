/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <assert.h>
#include <string.h>

/* As in kernels/store.cl. */
enum { BUCKET = 8 };
/* As in kernels/slots.cl. */
enum { MOST_TRIES = 15 };
/* Numbers of states and candidates together stay below this: an entry holds number + 1 in 32 bits,
 * and OM_NO_STATE is no state. */
static const uint64_t MOST_NUMBERS = 0xfffffff0u;
static const uint32_t NO_STATE = UINT32_MAX;

const om_tuning om_tuning_default = { .states = 1 << 14,
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

void om_table__close(om_table *t)
{
    if (t->pool == NULL)
        return;
    om_buffer *all[] = { &t->control, &t->rows, &t->parents, &t->index, &t->candidates, &t->from,
        &t->place, &t->won, NULL };
    for (om_buffer **b = all; *b != NULL; b++)
        om_pool__give(t->pool, *b);
    om_device__abandon(t->build);
    om_device__release(t->pool->device, &t->built);
}

int om_table__index(om_table *t, uint64_t buckets)
{
    t->buckets = buckets;
    return om_pool__take_zero(t->pool, &t->index, (size_t) buckets, BUCKET * sizeof(cl_ulong));
}

int om_table__order(om_table *t, om_pool *pool, const om_row_shape *shape, const om_tuning *tuning)
{
    om_text source = { .heap = om_context_heap(pool->ctx) };
    om_text options = { .heap = source.heap };
    int rc = OM_OK;
    *t = (om_table){ .pool = pool, .shape = *shape };
    t->buckets = tuning->numbers ? 0 : om_slots__buckets(shape, pool, tuning->buckets);
    t->slots = t->buckets != 0;
    if (!t->slots)
        t->buckets = tuning->buckets;
    t->shape.paths = shape->paths || !t->slots;
    om_text_add(&source, om_kernel_steps);
    om_text_add(&source, om_kernel_prelude);
    om_text_add(&source, om_kernel_record);
    om_text_add(&source, t->slots ? om_kernel_slots : om_kernel_store);
    if (t->slots)
        om_text_printf(&options, "-DOM_TRIES=%uu", tuning->tries == 0 ? MOST_TRIES : tuning->tries);
    else
        om_text_printf(&options, "-DOM_ROW=%u -DOM_WEAK=%d", shape->words, shape->weak);
    if (source.failed || options.failed)
        rc = om_fail_memory(pool->ctx);
    const om_recipe recipe = { source.text, options.text, t->slots ? om_slots_shapes : STORE_SHAPES,
        t->slots      ? OM_K_SLOTS_KERNELS
        : shape->weak ? OM_K_STORE_KERNELS
                      : OM_K_PLAIN_KERNELS };
    if (rc == OM_OK)
        rc = om_device__order(pool->device, pool->ctx, &recipe, &t->build);
    om_text_free(&options);
    om_text_free(&source);
    return rc;
}

int om_table__open(om_table *t, const om_tuning *tuning)
{
    om_pool *pool = t->pool;
    const size_t row = t->shape.words * sizeof(cl_uint);
    int rc = om_device__collect(t->build, pool->ctx, &t->built);
    t->build = NULL;
    t->capacity = tuning->states;
    /* Of a stored state, they are read when it is expanded and when a candidate equals it. */
    t->rows.may_spill = t->parents.may_spill = true;
    if (rc != OM_OK || (rc = om_pool__take(pool, &t->rows, t->capacity, row)) != OM_OK ||
        (rc = om_pool__take(
             pool, &t->parents, t->shape.paths ? t->capacity : 1, sizeof(cl_uint))) != OM_OK ||
        (rc = om_pool__take_zero(pool, &t->control, OM_CONTROL_WORDS, sizeof(cl_ulong))) != OM_OK ||
        (rc = om_table__index(t, t->buckets)) != OM_OK)
        return rc;
    return om_table__candidates(t, tuning->candidates);
}

int om_table__candidates(om_table *t, uint32_t n)
{
    uint32_t from = t->shape.paths || t->sources ? n : 1,
             entries = t->slots ? 1 : n; /* who does not ask, gets 1 */
    const size_t row = t->shape.words * sizeof(cl_uint);
    int rc;
    if (n <= t->candidate_capacity)
        return OM_OK;
    t->candidate_capacity = 0;
    if ((rc = om_pool__grow(t->pool, &t->candidates, n, row, 0)) != OM_OK ||
        (rc = om_pool__grow(t->pool, &t->from, from, sizeof(cl_uint), 0)) != OM_OK ||
        (rc = om_pool__grow(t->pool, &t->place, entries, sizeof(cl_ulong), 0)) != OM_OK ||
        (rc = om_pool__grow(t->pool, &t->won, entries, sizeof(cl_uint), 0)) != OM_OK)
        return rc;
    t->candidate_capacity = n;
    return OM_OK;
}

/* ---- growth ---- */

/* An index with twice the buckets until `entries` fill at most 0.8 of it (I2 of store.cl). The old
 * one goes first: the table has all that is needed. */
static int grow_index(om_table *t, uint64_t entries)
{
    /* A launch that re-inserts this many is some ten milliseconds on a slow device. */
    enum { AT_ONCE = 1 << 18 };
    uint64_t buckets = t->buckets;
    while (entries > om_table__entries(buckets))
        buckets *= 2;
    if (buckets == t->buckets)
        return OM_OK;
    om_pool__give(t->pool, &t->index);
    /* The index stays on the device, for every candidate looks into it. */
    int rc = OM_OK;
    if (!om_pool__fits(t->pool, (size_t) buckets * BUCKET * sizeof(cl_ulong)) &&
        (rc = om_pool__spill(t->pool, &t->rows)) == OM_OK)
        rc = om_pool__spill(t->pool, &t->parents);
    if (rc == OM_OK)
        rc = om_table__index(t, buckets);
    for (uint32_t first = 0; rc == OM_OK && first < t->stored;) {
        uint32_t n = t->stored - first < AT_ONCE ? t->stored - first : AT_ONCE;
        cl_ulong count = buckets;
        om_arg args[] = { OM_MEM(t->rows), OM_ARG(first), OM_ARG(n), OM_MEM(t->index),
            OM_ARG(count) };
        rc = om_pool__run(t->pool, t->built.kernels[OM_K_REINSERT], "om_k_reinsert", args, 5,
            om_pool__batches(t->pool, n));
        if (rc == OM_OK)
            rc = om_pool__pause(t->pool);
        first += n;
    }
    return rc;
}

/* `need` counts rows, which begin with that of the base. */
static int grow_states(om_table *t, uint64_t need)
{
    const size_t row = t->shape.words * sizeof(cl_uint);
    uint64_t capacity = t->capacity;
    if (need <= capacity)
        return OM_OK;
    while (capacity < need)
        capacity *= 2;
    /* The last step is a smaller one where a buffer may not be larger. */
    uint64_t most = t->pool->device->info.largest_allocation / row;
    if (most > MOST_NUMBERS)
        most = MOST_NUMBERS;
    if (capacity > most && need <= most)
        capacity = most;
    int rc = om_pool__grow(
        t->pool, &t->rows, (size_t) capacity, row, (size_t) (t->stored - t->base) * row);
    if (rc == OM_OK && t->shape.paths)
        rc = om_pool__grow(t->pool, &t->parents, (size_t) capacity, sizeof(cl_uint),
            (size_t) t->stored * sizeof(cl_uint));
    if (rc == OM_OK)
        t->capacity = (uint32_t) capacity;
    return rc;
}

/* Parents go, and rows may: the index has the states. */
static int forget_paths(om_table *t)
{
    t->shape.paths = false;
    t->sources = true; /* who makes candidates goes on as it was */
    om_pool__give(t->pool, &t->parents);
    return om_pool__take(t->pool, &t->parents, 1, sizeof(cl_uint));
}

int om_table__room(om_table *t)
{
    const size_t path = (t->shape.words + (size_t) 1) * sizeof(cl_uint);
    uint64_t need = (uint64_t) t->stored + t->candidate_capacity;
    bool slid = false;
    if (need > MOST_NUMBERS)
        return om_fail(t->pool->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 states; use a checker that runs on the CPU",
            t->pool->device->info.name);
    int rc = OM_OK;
    if (t->slots && t->shape.paths && t->shape.path_bytes != 0 &&
        t->stored > t->shape.path_bytes / path)
        rc = forget_paths(t);
    if (rc == OM_OK)
        rc = t->slots ? om_slots__grow(t, need) : grow_index(t, need);
    if (rc == OM_OK && t->slots && need - t->base > t->capacity)
        rc = om_slots__slide(t, &slid);
    return rc == OM_OK ? grow_states(t, need - t->base) : rc;
}

int om_table__void(om_table *t, cl_ulong *record)
{
    uint32_t winners = record[OM_R_FULL] == 0 ? 0 : (uint32_t) (record[OM_R_FULL] - 1);
    if (record[OM_R_FULL] == 0)
        return OM_OK;
    record[OM_R_FULL] = 0;
    return om_slots__forget(t, winners);
}

/* ---- steps ---- */

uint64_t om_table__entries(uint64_t buckets)
{
    return buckets * BUCKET / 5 * 4; /* I2 of store.cl */
}

cl_ulong om_table__most(const om_table *t)
{
    uint64_t entries = om_table__entries(t->buckets), rows = (uint64_t) t->base + t->capacity;
    return entries < rows ? entries : rows;
}

int om_table__intern(om_table *t, const om_table_step *s)
{
    if (t->slots)
        return om_slots__put(t, s);
    cl_ulong buckets = t->buckets, most = om_table__most(t);
    cl_uint capacity = t->candidate_capacity, all = s->places;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->candidates), OM_MEM(t->index), OM_ARG(buckets),
        OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity), OM_ARG(most), OM_ARG(all),
        OM_MEM(t->place), OM_MEM(t->won) };
    return om_pool__run(t->pool, t->built.kernels[OM_K_INTERN], "om_k_intern", args, 11,
        om_pool__batches(t->pool, capacity));
}

int om_table__compact(om_table *t, const om_table_step *s)
{
    if (t->slots)
        return om_slots__advance(t, s);
    cl_ulong most = om_table__most(t);
    cl_ulong most_states = om_control_limits(t->pool->control)->max_states;
    cl_uint capacity = t->candidate_capacity, watch = s->wanted != NULL;
    const cl_mem *marks = s->wanted != NULL ? &s->wanted->mem : &t->control.mem;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates), OM_MEM(t->from),
        OM_MEM(t->index), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(s->then), OM_ARG(s->chunk),
        OM_ARG(capacity), OM_ARG(most), OM_ARG(most_states), OM_MEM(t->place), OM_MEM(t->won),
        OM_ARG(watch), { sizeof(cl_mem), marks } };
    return om_pool__run(t->pool, t->built.kernels[OM_K_COMPACT], "om_k_compact", args, 16,
        om_pool__batches(t->pool, capacity));
}

int om_table__control(om_table *t, const cl_ulong *record)
{
    cl_ulong words[OM_C_WORDS + OM_R_WORDS] = { 0 };
    words[OM_C_FAULT] = words[OM_C_FAILED] = UINT64_MAX;
    words[OM_C_FAULTS_END] = t->faults_end;
    words[OM_C_FAULTS_REPEAT] = t->faults_repeat;
    words[OM_C_HIT] = NO_STATE;
    words[OM_C_OVERFLOWN] = UINT64_MAX;
    words[OM_C_BASE] = t->base;
    words[OM_C_PATHS] = t->shape.paths;
    memcpy(words + OM_C_WORDS, record, OM_R_WORDS * sizeof *record);
    return om_pool__write(t->pool, &t->control, 0, words, sizeof words);
}

int om_table__put(om_table *t, uint32_t n, const om_buffer *wanted, cl_ulong *record, uint32_t *hit)
{
    cl_ulong words[OM_C_WORDS + 2 * OM_R_WORDS] = { 0 }, *next = words + OM_C_WORDS + OM_R_WORDS;
    const om_table_step step = { .number = 0, .then = 1, .wanted = wanted };
    int rc;
    assert(n <= t->candidate_capacity);
    do {
        record[OM_R_STORED] = t->stored;
        record[OM_R_TAKEN] = n;
        if ((rc = om_table__room(t)) != OM_OK || (rc = om_table__control(t, record)) != OM_OK ||
            (rc = om_table__intern(t, &step)) != OM_OK ||
            (rc = om_table__compact(t, &step)) != OM_OK ||
            (rc = om_pool__read(t->pool, &t->control, 0, words, sizeof words)) != OM_OK ||
            (rc = next[OM_R_FULL] == 0
                      ? OM_OK
                      : om_slots__forget(t, (uint32_t) next[OM_R_FULL] - 1)) != OM_OK)
            return rc;
    } while (next[OM_R_FULL] != 0);
    assert(next[OM_R_WHY] != OM_ROOM && next[OM_R_WHY] != OM_GROW);
    memcpy(record, next, OM_R_WORDS * sizeof *record);
    t->stored = (uint32_t) next[OM_R_STORED];
    *hit = (uint32_t) words[OM_C_HIT];
    return OM_OK;
}

int om_table__find(om_table *t, uint32_t n)
{
    cl_ulong record[OM_R_WORDS] = { [OM_R_STORED] = t->stored, [OM_R_TAKEN] = n };
    const om_table_step step = { .places = true };
    int rc;
    assert(n <= t->candidate_capacity);
    if (n == 0)
        return OM_OK;
    if ((rc = om_table__room(t)) != OM_OK || (rc = om_table__control(t, record)) != OM_OK ||
        (rc = om_table__intern(t, &step)) != OM_OK ||
        (rc = om_pool__read(
             t->pool, &t->control, OM_C_WORDS * sizeof *record, record, sizeof record)) != OM_OK)
        return rc;
    if (record[OM_R_WON] != 0)
        rc = om_fail(t->pool->ctx, OM_EINTERNAL, NULL,
            "device %s: a state that was explored is not found again", t->pool->device->info.name);
    return rc;
}
