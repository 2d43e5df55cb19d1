/* SPDX-License-Identifier: Apache-2.0 */
/*
 * novelty: states in which some variable has got a value that it got in few states before.
 *
 * As best-first width search (N. Lipovetzky, H. Geffner, "Best-first width search: exploration and
 * exploitation in classical planning", AAAI 2017), whose novelty 1 is "no state before had that
 * value", with counts instead: the estimate is the number of times that the rarest of the values
 * was assigned, so a search goes on when all values have been seen. It needs no goal, and is not
 * distracted by parts of the model that repeat themselves. Only what a step changes is counted:
 * that takes much less time than to count all variables of each state, and finds as much.
 */
#include <omen/plugin/guide.h>

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Values of a slot share counters if there are more of them than MOST_VALUES. Slots after
 * MOST_COUNTERS counters or MOST_OBSERVED elements are left out: each state would take too long. */
enum { MOST_VALUES = 1 << 16, MOST_COUNTERS = 1 << 22, MOST_OBSERVED = 1 << 16 };

/* An element of a slot, in the order of their words, and its counters */
typedef struct observed {
    const om_slot *slot;
    uint32_t element, first, mask; /* counter of value v: first + ((v - low) & mask) */
} observed;

struct om_guide_run {
    const om_heap *heap;
    observed *all;
    size_t count, room;
    atomic_uint *counters; /* relaxed: estimates need not be exact */
    uint32_t counter_count, words, stride;
    uint32_t *first; /* [word]: the first element of `all` in it; one entry more at the end */
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

static uint32_t word_of(const observed *o)
{
    return (o->slot->position + o->element * o->slot->bits) / 32;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = word_of(a), y = word_of(b);
    return x < y ? -1 : x > y;
}

/* Sorts the elements by their words. */
static int sort(om_guide_run *run)
{
    if (!OM_NEW(run->heap, run->first, run->words + (size_t) 1))
        return OM_ENOMEM;
    if (run->count > 0)
        qsort(run->all, run->count, sizeof *run->all, compare_words);
    for (size_t i = 0; i < run->count; i++)
        run->first[word_of(&run->all[i]) + 1]++;
    for (uint32_t w = 0; w < run->words; w++)
        run->first[w + 1] += run->first[w];
    assert(run->first[run->words] == run->count);
    return OM_OK;
}

static int create(om_guide_run *run, const om_guide_spec *spec, const int64_t *options)
{
    const om_model *m = spec->model;
    int rc = OM_OK;
    (void) options;
    run->heap = spec->heap;
    run->words = om_model_words(m);
    run->stride = run->words + (spec->automaton != NULL);
    for (uint32_t i = 0; i < om_model_shown_slots(m) && rc == OM_OK; i++)
        rc = observe(run, om_model_slot(m, i));
    if (rc == OM_OK)
        rc = sort(run);
    return rc == OM_OK && !OM_NEW(run->heap, run->counters, run->counter_count + (size_t) 1)
               ? OM_ENOMEM
               : rc;
}

static atomic_uint *counter_of(const om_guide_run *run, const observed *o, om_value value)
{
    assert(o->first + o->mask < run->counter_count);
    return &run->counters[o->first + ((om_uvalue) (value - o->slot->low) & o->mask)];
}

/* The words of a row in at most CHUNKS pieces */
enum { CHUNKS = 64 };

static uint32_t chunk_words(const om_guide_run *run)
{
    return (run->words + CHUNKS - 1) / CHUNKS;
}

/* Returns how often the rarest of the values of some words was got. Counts those that differ from
 * the source's (NULL: all). */
static uint32_t rarest(const om_guide_run *run, const uint32_t *source, const uint32_t *row,
    uint32_t begin, uint32_t end)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = run->first[begin]; i < run->first[end]; i++) {
        const observed *o = &run->all[i];
        const om_value value = om_slot_get(o->slot, row, o->element);
        atomic_uint *counter = counter_of(run, o, value);
        const uint32_t before = atomic_load_explicit(counter, memory_order_relaxed);
        if (source == NULL || om_slot_get(o->slot, source, o->element) != value)
            atomic_store_explicit(counter, before + 1, memory_order_relaxed);
        least = before < least ? before : least;
    }
    return least;
}

static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    const uint32_t *source = states->source, *row = states->rows, each = chunk_words(run);
    uint32_t known[CHUNKS]; /* of the source's words */
    for (uint32_t w = 0; source != NULL && w < run->words; w += each)
        known[w / each] =
            rarest(run, source, source, w, w + each < run->words ? w + each : run->words);
    for (size_t i = 0; i < states->count; i++, row += run->stride) {
        uint32_t least = UINT32_MAX;
        if (states->fresh != NULL && !states->fresh[i])
            continue;
        for (uint32_t w = 0; w < run->words; w += each) {
            const uint32_t end = w + each < run->words ? w + each : run->words;
            const bool same =
                source != NULL && memcmp(source + w, row + w, (end - w) * sizeof *row) == 0;
            const uint32_t here = same ? known[w / each] : rarest(run, source, row, w, end);
            least = here < least ? here : least;
        }
        estimates[i] = least;
    }
}

static void destroy(om_guide_run *run)
{
    om_free(run->heap, run->all);
    om_free(run->heap, run->counters);
    om_free(run->heap, run->first);
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
