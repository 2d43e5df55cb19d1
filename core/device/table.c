/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <assert.h>

/* As in kernels/store.cl. */
enum { BUCKET = 8, BLOCK = 32 };
/* Numbers of states and candidates together stay below this: an entry holds number + 1 in 32 bits,
 * and OM_NO_STATE is no state. */
static const uint64_t MOST_NUMBERS = 0xfffffff0u;

const om_tuning om_tuning_default = { .states = 1 << 14,
    .candidates = 1 << 15,
    .buckets = 1 << 13,
    .chunk = 1 << 11,
    .largest_chunk = 1 << 20,
    .most_candidates = 1 << 23 };

static const om_shape STORE_SHAPES[OM_K_STORE_KERNELS] = {
    [OM_K_INTERN] = { "om_k_intern", "mumumUm" },
    [OM_K_COUNT] = { "om_k_count", "mum" },
    [OM_K_COMPACT] = { "om_k_compact", "mmmmummmumm" },
    [OM_K_REINSERT] = { "om_k_reinsert", "muumU" },
    [OM_K_TALLY] = { "om_k_tally", "mmmummmm" },
    [OM_K_LIST] = { "om_k_list", "muummumm" },
    [OM_K_UNTALLY] = { "om_k_untally", "mmmummmmmm" },
    [OM_K_BEFORE] = { "om_k_before", "mmmummmmm" },
};

void om_table__close(om_table *t)
{
    if (t->pool == NULL)
        return;
    om_buffer *all[] = { &t->rows, &t->parents, &t->index, &t->candidates, &t->from, &t->place,
        &t->won, &t->hit, NULL };
    for (om_buffer **b = all; *b != NULL; b++)
        om_pool__give(t->pool, *b);
    om_device__release(t->pool->device, &t->built);
    om_free(om_context_heap(t->pool->ctx), t->host_won);
    t->host_won = NULL;
}

static int open_index(om_table *t, uint64_t buckets)
{
    int rc = om_pool__take(t->pool, &t->index, (size_t) buckets, BUCKET * sizeof(cl_ulong));
    if (rc == OM_OK)
        rc = om_pool__zero(t->pool, &t->index, 0, t->index.bytes);
    t->buckets = buckets;
    return rc;
}

int om_table__open(om_table *t, om_pool *pool, uint32_t row, const om_tuning *tuning)
{
    om_text source = { .heap = om_context_heap(pool->ctx) };
    int rc;
    *t = (om_table){ .pool = pool, .row = row };
    om_text options_text = { .heap = source.heap };
    om_text_add(&source, om_kernel_prelude);
    om_text_add(&source, om_kernel_store);
    om_text_printf(&options_text, "-DOM_ROW=%u", row);
    if (source.failed || options_text.failed) {
        rc = om_fail_memory(pool->ctx);
        goto done;
    }
    const om_recipe recipe = { source.text, options_text.text, STORE_SHAPES, OM_K_STORE_KERNELS };
    rc = om_device__program(pool->device, pool->ctx, pool->control, &recipe, &t->built);
    if (rc != OM_OK)
        goto done;
    t->capacity = tuning->states;
    if ((rc = om_pool__take(pool, &t->rows, t->capacity, row * sizeof(cl_uint))) != OM_OK ||
        (rc = om_pool__take(pool, &t->parents, t->capacity, sizeof(cl_uint))) != OM_OK ||
        (rc = om_pool__take(pool, &t->hit, 1, sizeof(cl_uint))) != OM_OK ||
        (rc = open_index(t, tuning->buckets)) != OM_OK)
        goto done;
    rc = om_table__candidates(t, tuning->candidates);
done:
    om_text_free(&options_text);
    om_text_free(&source);
    return rc;
}

int om_table__candidates(om_table *t, uint32_t n)
{
    size_t blocks = (n + (size_t) BLOCK - 1) / BLOCK;
    int rc;
    if (n <= t->candidate_capacity)
        return OM_OK;
    t->candidate_capacity = 0;
    if ((rc = om_pool__grow(t->pool, &t->candidates, n, t->row * sizeof(cl_uint), 0)) != OM_OK ||
        (rc = om_pool__grow(t->pool, &t->from, n, sizeof(cl_uint), 0)) != OM_OK ||
        (rc = om_pool__grow(t->pool, &t->place, n, sizeof(cl_ulong), 0)) != OM_OK ||
        (rc = om_pool__grow(t->pool, &t->won, blocks, sizeof(cl_uint), 0)) != OM_OK)
        return rc;
    void *p = om_grow(
        om_context_heap(t->pool->ctx), t->host_won, &t->host_won_room, blocks, sizeof *t->host_won);
    if (p == NULL)
        return om_fail_memory(t->pool->ctx);
    t->host_won = p;
    t->candidate_capacity = n;
    return OM_OK;
}

/* ---- growth ---- */

/* An index with twice the buckets until `entries` fill at most 0.8 of it (I2 of store.cl). The old
 * one goes first: the table has all that is needed. */
static int grow_index(om_table *t, uint64_t entries)
{
    /* A launch that re-inserts this many is some ten milliseconds on a slow device. */
    enum { AT_ONCE = 1 << 17 };
    uint64_t buckets = t->buckets;
    while (entries > buckets * BUCKET / 5 * 4)
        buckets *= 2;
    if (buckets == t->buckets)
        return OM_OK;
    om_pool__give(t->pool, &t->index);
    int rc = open_index(t, buckets);
    for (uint32_t first = 0; rc == OM_OK && first < t->stored;) {
        uint32_t n = t->stored - first < AT_ONCE ? t->stored - first : AT_ONCE;
        cl_ulong count = buckets;
        om_arg args[] = { OM_MEM(t->rows), OM_ARG(first), OM_ARG(n), OM_MEM(t->index),
            OM_ARG(count) };
        rc = om_pool__run(t->pool, t->built.kernels[OM_K_REINSERT], "om_k_reinsert", args, 5, n, 1);
        if (rc == OM_OK)
            rc = om_pool__pause(t->pool);
        first += n;
    }
    return rc;
}

static int grow_states(om_table *t, uint64_t need)
{
    uint64_t capacity = t->capacity;
    if (need <= capacity)
        return OM_OK;
    while (capacity < need)
        capacity *= 2;
    /* The last step is a smaller one where a buffer may not be larger. */
    uint64_t most = t->pool->device->info.largest_allocation / (t->row * sizeof(cl_uint));
    if (most > MOST_NUMBERS)
        most = MOST_NUMBERS;
    if (capacity > most && need <= most)
        capacity = most;
    int rc = om_pool__grow(t->pool, &t->rows, (size_t) capacity, t->row * sizeof(cl_uint),
        (size_t) t->stored * t->row * sizeof(cl_uint));
    if (rc == OM_OK)
        rc = om_pool__grow(t->pool, &t->parents, (size_t) capacity, sizeof(cl_uint),
            (size_t) t->stored * sizeof(cl_uint));
    if (rc == OM_OK)
        t->capacity = (uint32_t) capacity;
    return rc;
}

/* ---- interning ---- */

static int intern(om_table *t, uint32_t n)
{
    cl_ulong buckets = t->buckets;
    om_arg args[] = { OM_MEM(t->rows), OM_ARG(t->stored), OM_MEM(t->candidates), OM_ARG(n),
        OM_MEM(t->index), OM_ARG(buckets), OM_MEM(t->place) };
    return om_pool__run(t->pool, t->built.kernels[OM_K_INTERN], "om_k_intern", args, 7, n, 1);
}

/* Winners per block, then the number of the first state of each block. */
static int count(om_table *t, uint32_t n, uint32_t *won)
{
    size_t blocks = (n + (size_t) BLOCK - 1) / BLOCK;
    om_arg args[] = { OM_MEM(t->place), OM_ARG(n), OM_MEM(t->won) };
    int rc = om_pool__run(t->pool, t->built.kernels[OM_K_COUNT], "om_k_count", args, 3, blocks, 1);
    if (rc == OM_OK)
        rc = om_pool__read(t->pool, &t->won, 0, t->host_won, blocks * sizeof(cl_uint));
    if (rc != OM_OK)
        return rc;
    uint32_t sum = 0;
    for (size_t b = 0; b < blocks; b++) {
        uint32_t here = t->host_won[b];
        t->host_won[b] = t->stored + sum;
        sum += here;
    }
    *won = sum;
    return sum == 0 ? OM_OK
                    : om_pool__write(t->pool, &t->won, 0, t->host_won, blocks * sizeof(cl_uint));
}

static int compact(om_table *t, uint32_t n, const om_buffer *wanted)
{
    size_t blocks = (n + (size_t) BLOCK - 1) / BLOCK;
    cl_uint watch = wanted != NULL;
    const cl_mem *marks = wanted != NULL ? &wanted->mem : &t->hit.mem;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates), OM_MEM(t->from),
        OM_ARG(n), OM_MEM(t->index), OM_MEM(t->place), OM_MEM(t->won), OM_ARG(watch),
        { sizeof(cl_mem), marks }, OM_MEM(t->hit) };
    return om_pool__run(
        t->pool, t->built.kernels[OM_K_COMPACT], "om_k_compact", args, 11, blocks, 1);
}

/* May the table have that many states? */
static int check_limit(const om_table *t, uint64_t states)
{
    om_control *control = t->pool->control;
    uint64_t most = control == NULL ? 0 : om_control_limits(control)->max_states;
    if (most == 0 || states <= most)
        return OM_OK;
    (void) om_control_stop(control, OM_STOP_STATES);
    return om_control_status(control);
}

int om_table__intern(om_table *t, uint32_t n, const om_buffer *wanted, uint32_t *hit)
{
    uint32_t won = 0, seen = UINT32_MAX;
    int rc;
    assert(n <= t->candidate_capacity);
    if (n == 0)
        return OM_OK;
    if ((uint64_t) t->stored + n > MOST_NUMBERS)
        return om_fail(t->pool->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 states; use a checker that runs on the CPU",
            t->pool->device->info.name);
    if ((rc = grow_index(t, (uint64_t) t->stored + n)) != OM_OK)
        return rc;
    assert((uint64_t) t->stored + n <= t->buckets * BUCKET / 5 * 4); /* I2 of store.cl */
    if ((rc = intern(t, n)) != OM_OK || (rc = count(t, n, &won)) != OM_OK)
        return rc;
    if (won == 0)
        return OM_OK;
    if ((rc = check_limit(t, (uint64_t) t->stored + won)) != OM_OK ||
        (rc = grow_states(t, (uint64_t) t->stored + won)) != OM_OK)
        return rc;
    if (wanted != NULL && (rc = om_pool__write(t->pool, &t->hit, 0, &seen, sizeof seen)) != OM_OK)
        return rc;
    if ((rc = compact(t, n, wanted)) != OM_OK)
        return rc;
    if (wanted != NULL && (rc = om_pool__read(t->pool, &t->hit, 0, &seen, sizeof seen)) != OM_OK)
        return rc;
    t->stored += won;
    if (wanted != NULL && seen < *hit)
        *hit = seen;
    return OM_OK;
}

int om_table__find(om_table *t, uint32_t n)
{
    uint32_t won = 0;
    assert(n <= t->candidate_capacity);
    if (n == 0)
        return OM_OK;
    int rc = intern(t, n);
    if (rc == OM_OK)
        rc = count(t, n, &won);
    if (rc == OM_OK && won != 0)
        rc = om_fail(t->pool->ctx, OM_EINTERNAL, NULL,
            "device %s: a state that was explored is not found again", t->pool->device->info.name);
    return rc;
}
