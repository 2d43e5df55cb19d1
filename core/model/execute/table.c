/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table: an executor for Petri nets. table_build.h describes how successors are found.
 *
 * Transitions are found in the order of the places, so they are sorted afterwards. Their numbers
 * are written directly to the caller's array, so no other memory is needed. The table is constant
 * after it is opened: it is thread-safe.
 */
#include "table.h"

#include "executor.h"
#include "table_build.h"

#include <assert.h>
#include <string.h>

/* Evaluates the guard of an entry except the test that it is watched for. */
static bool enabled(const om_table *t, const om_table_entry *e, const uint32_t *vector)
{
    if (!om_table__holds(&e->test, vector))
        return false;
    for (uint32_t i = e->more; i < e->end; i++)
        if (!om_table__holds(&t->tests[i], vector))
            return false;
    return e->program == OM_NONE || om_vm__holds(t->vm->self, e->program, vector);
}

/* Adds the transitions that are enabled among entries [from, to). */
static int find_among(
    const om_table *t, uint32_t from, uint32_t to, const uint32_t *vector, om_successors *out)
{
    for (uint32_t i = from; i < to; i++) {
        const om_table_entry *e = &t->entries[i];
        if (!enabled(t, e, vector))
            continue;
        if (out->count >= out->capacity &&
            om_successors_reserve(out, out->count + 1, t->executor.words) != OM_OK)
            return OM_ENOMEM;
        out->transition[out->count++] = e->transition;
    }
    return OM_OK;
}

static int find_enabled(const om_table *t, const uint32_t *vector, om_successors *out)
{
    if (find_among(t, 0, t->always, vector, out) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t w = 0; w < t->executor.words; w++)
        for (uint32_t bits = vector[w] & t->watched[w]; bits != 0;) {
            const om_table_watch *at = &t->watches[w * 32 + (uint32_t) __builtin_ctz(bits)];
            assert((at->mask & bits & (0u - bits)) != 0 && at->first <= at->end);
            bits &= ~at->mask;
            if (find_among(t, at->first, at->end, vector, out) != OM_OK)
                return OM_ENOMEM;
        }
    return OM_OK;
}

/* Sorts in place, fast if few elements are out of order: Shellsort with the gaps of Ciura 2001,
 * "Best Increments for the Average Case of Shellsort". */
static void sort(uint32_t *at, size_t count)
{
    static const size_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };
    size_t largest = count / 2;
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps;) {
        /* Above the list, a gap is 4/9 of the previous one. */
        size_t gap = largest > gaps[0] ? largest : gaps[g++];
        largest = largest > gaps[0] ? largest * 4 / 9 : 0;
        for (size_t i = gap; i < count; i++) {
            uint32_t moved = at[i];
            size_t k = i;
            for (; k >= gap && at[k - gap] > moved; k -= gap)
                at[k] = at[k - gap];
            at[k] = moved;
        }
    }
}

static void fire(const om_table *t, uint32_t transition, const uint32_t *vector, uint32_t *row)
{
    const om_table_change *c = &t->changes[t->change_of[transition]];
    const om_table_change *end = &t->changes[t->change_of[transition + 1]];
    for (uint32_t w = 0; w < t->executor.words; w++)
        row[w] = vector[w];
    for (; c < end; c++) {
        assert(c->word < t->executor.words);
        row[c->word] = (row[c->word] & c->keep) + c->add;
    }
}

static int table_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const om_table *t = x->self;
    const size_t first = out->count;
    assert(first <= out->capacity);
    if (om_successors_reserve(out, first + 1, x->words) != OM_OK)
        return OM_ENOMEM;
    out->fault = om_vm__assertions(t->vm->self, vector);
    if (out->fault != 0)
        return OM_OK;
    if (find_enabled(t, vector, out) != OM_OK)
        return OM_ENOMEM;
    sort(out->transition + first, out->count - first);
    for (size_t i = first; i < out->count; i++)
        fire(t, out->transition[i], vector, out->words + i * out->stride);
    return OM_OK;
}

static uint64_t table_labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const om_table *t = x->self;
    return t->vm->labels(t->vm, vector, fault);
}

static void table_close(om_executor *x)
{
    om_table *t = x->self;
    om_executor_close(t->vm);
    OM_FREE_ALL(t->heap, t->watched, t->watches, t->entries, t->tests, t->changes, t->change_of, t);
}

int om_table__open(om_executor **out, const om_model *m, const om_expr *aps, uint32_t ap_count)
{
    om_table *t = om_alloc(m->heap, 1, sizeof *t);
    if (t == NULL)
        return OM_ENOMEM;
    t->heap = m->heap;
    t->executor = (om_executor){ .size = sizeof(om_executor),
        .name = "table",
        .words = om_model_words(m),
        .aps = ap_count,
        .self = t,
        .initial = om_executor__initial,
        .append = table_append,
        .labels = table_labels,
        .close = table_close,
        .model = m };
    int rc = om_table__may_have(m) ? om_vm__open(&t->vm, m, aps, ap_count) : OM_EUNSUPPORTED;
    if (rc == OM_OK)
        rc = om_table__build(t, m);
    if (rc == OM_OK)
        *out = &t->executor;
    else
        table_close(&t->executor);
    return rc;
}
