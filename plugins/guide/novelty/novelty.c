/* SPDX-License-Identifier: Apache-2.0 */
/*
 * novelty: states in which some variable has a value that it had in few states before.
 *
 * As best-first width search (N. Lipovetzky, H. Geffner, "Best-first width search: exploration and
 * exploitation in classical planning", AAAI 2017), whose novelty 1 is "no state before had that
 * value", with counts instead: the estimate is the number of states with the rarest of the values,
 * so a search goes on when all values have been seen. It needs no goal, and is not distracted by
 * parts of the model that repeat themselves.
 */
#include <omen/plugin/guide.h>

#include <assert.h>
#include <stdatomic.h>

/* Values of a slot share counters if there are more of them than MOST_VALUES. Slots after
 * MOST_COUNTERS counters or MOST_OBSERVED elements are left out: each state would take too long. */
enum { MOST_VALUES = 1 << 16, MOST_COUNTERS = 1 << 22, MOST_OBSERVED = 256 };

/* An element of a slot, and its counters */
typedef struct observed {
    const om_slot *slot;
    uint32_t element, first, mask; /* counter of value v: first + ((v - low) & mask) */
} observed;

struct om_guide_run {
    const om_heap *heap;
    observed *all;
    size_t count, room;
    atomic_uint *counters; /* relaxed: estimates need not be exact */
    uint32_t counter_count, stride;
};

static uint32_t counters_for(const om_slot *s)
{
    const om_wide range = (om_wide) s->high - s->low;
    uint32_t n = 1;
    while (n <= range && n < MOST_VALUES)
        n *= 2;
    return n;
}

static int observe(om_guide_run *run, const om_slot *s)
{
    const uint32_t length = s->length == 0 ? 1 : s->length, n = counters_for(s);
    for (uint32_t i = 0;
         i < length && run->count < MOST_OBSERVED && run->counter_count + n <= MOST_COUNTERS; i++) {
        if (!OM_ROOM(run->heap, run->all, &run->room, run->count + 1))
            return OM_ENOMEM;
        run->all[run->count++] = (observed){ s, i, run->counter_count, n - 1 };
        run->counter_count += n;
    }
    return OM_OK;
}

static int create(om_guide_run *run, const om_guide_spec *spec, const int64_t *options)
{
    const om_model *m = spec->model;
    int rc = OM_OK;
    (void) options;
    run->heap = spec->heap;
    run->stride = om_model_words(m) + (spec->automaton != NULL);
    for (uint32_t i = 0; i < om_model_slot_count(m) && rc == OM_OK; i++)
        rc = observe(run, om_model_slot(m, i));
    return rc == OM_OK && !OM_NEW(run->heap, run->counters, run->counter_count + (size_t) 1)
               ? OM_ENOMEM
               : rc;
}

/* Returns the number of states before with the rarest of the state's values; counts the state. */
static uint32_t rarest(const om_guide_run *run, const uint32_t *row)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < run->count; i++) {
        const observed *o = &run->all[i];
        assert(o->first + o->mask < run->counter_count);
        const om_value value = om_slot_get(o->slot, row, o->element);
        atomic_uint *counter =
            &run->counters[o->first + ((om_uvalue) (value - o->slot->low) & o->mask)];
        const uint32_t before = atomic_load_explicit(counter, memory_order_relaxed);
        atomic_store_explicit(counter, before + 1, memory_order_relaxed);
        least = before < least ? before : least;
    }
    return least;
}

static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    const uint32_t *row = states->rows;
    for (size_t i = 0; i < states->count; i++, row += run->stride)
        if (states->fresh[i])
            estimates[i] = rarest(run, row);
}

static void destroy(om_guide_run *run)
{
    om_free(run->heap, run->all);
    om_free(run->heap, run->counters);
}

OM_API extern const om_guide omen_plugin;
const om_guide omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_guide, OM_PLUGIN_GUIDE, "novelty",
        "values that variables had in few states before", "Lipovetzky, Geffner 2017", NULL),
    .run_size = sizeof(om_guide_run),
    .create = create,
    .measure = measure,
    .destroy = destroy,
    .rank = 40,
};
