/* SPDX-License-Identifier: Apache-2.0 */
/* The marks of fairness in the product of an attempt: property/fairness.h. */
#include "try.h"

#include <assert.h>

typedef struct builder {
    om_fairness of; /* first: the caller frees the builder through it */
    om_fair_processes by;
    uint64_t *movers;
    uint32_t (*who)[2];
    om_marks *moves, *able, *unable, *holds;
} builder;

static void *take(unsigned char **at, size_t n)
{
    void *taken = *at;
    *at += n * sizeof(uint64_t);
    return taken;
}

/* Allocates the builder and its arrays in one block, in words of 64 bits. */
static builder *new_builder(const om_try *try, const om_fair_sets *sets)
{
    const om_assumed *a = try->fair;
    const size_t t = om_model_transition_count(om_searched__model(&try->searched)),
                 n = sets->unmarked ? 0 : a->process_count,
                 head = (sizeof(builder) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    unsigned char *at =
        om_alloc(try->plan->heap, head + 3 * t + 2 * n + a->expr_count, sizeof(uint64_t));
    builder *b = (void *) at;
    if (at == NULL)
        return NULL;
    at += head * sizeof(uint64_t);
    b->movers = take(&at, t);
    b->moves = take(&at, t);
    b->who = take(&at, t);
    b->able = take(&at, n);
    b->unable = take(&at, n);
    b->holds = take(&at, a->expr_count);
    b->of = (om_fairness){ .processes = (uint32_t) n,
        .transitions = (uint32_t) t,
        .movers = b->movers,
        .moves = b->moves,
        .able = b->able,
        .unable = b->unable,
        .aps = a->expr_count,
        .holds = b->holds };
    b->by = (om_fair_processes){ .size = sizeof b->by,
        .processes = a->process_count,
        .transitions = (uint32_t) t,
        .who = (const uint32_t(*)[2]) b->who,
        .strong = a->processes == OM_FAIRNESS_STRONG };
    return b;
}

/* Returns true if process i of those with sets moves in the transition. */
static bool moves(const om_assumed *a, uint32_t i, const om_transition *t)
{
    return t->process == a->process[i] || t->partner == a->process[i];
}

static void mark_processes(const om_try *try, const om_marks *images, builder *b)
{
    const om_assumed *a = try->fair;
    const om_model *m = om_searched__model(&try->searched);
    assert(b->of.processes <= 64); /* F2 */
    for (uint32_t i = 0; i < b->of.processes; i++) {
        b->able[i] = b->by.strong ? images[2 * (size_t) i] : 0;
        b->unable[i] = b->by.strong ? 0 : images[i];
        for (uint32_t t = 0; t < b->of.transitions; t++)
            if (moves(a, i, om_model_transition(m, t))) {
                b->movers[t] |= UINT64_C(1) << i;
                b->moves[t] |= b->by.strong ? images[2 * (size_t) i + 1] : images[i];
            }
    }
}

/* Returns the index of a model's process in a->process, which is sorted; OM_NONE if it is
 * absent. */
static uint32_t number_of(const om_assumed *a, uint32_t process)
{
    uint32_t low = 0, high = a->process_count;
    while (process != OM_NONE && low < high) {
        uint32_t middle = low + (high - low) / 2;
        assert(a->process[low] <= a->process[middle]); /* F3 */
        if (a->process[middle] == process)
            return middle;
        if (a->process[middle] < process)
            low = middle + 1;
        else
            high = middle;
    }
    return OM_NONE;
}

static void name_fair_processes(const om_try *try, builder *b)
{
    const om_model *m = om_searched__model(&try->searched);
    for (uint32_t t = 0; t < b->by.transitions; t++) {
        const om_transition *by = om_model_transition(m, t);
        b->who[t][0] = number_of(try->fair, by->process);
        b->who[t][1] = number_of(try->fair, by->partner);
    }
}

int om_fair__marks(const om_try *try, const om_fair_sets *sets, const om_marks *images,
    uint32_t first_ap, om_fairness **out, const om_fair_processes **fair_processes)
{
    builder *b = new_builder(try, sets);
    assert(sets->count == sets->processes + try->fair->expr_count); /* F1 */
    if (b == NULL)
        return om_fail_memory(try->plan->ctx);
    b->of.first_ap = first_ap;
    assert(first_ap + b->of.aps == try->target->all_aps);                  /* T1 */
    assert(b->of.processes * (b->by.strong ? 2u : 1u) == sets->processes); /* F1 */
    mark_processes(try, images, b);
    if (sets->unmarked)
        name_fair_processes(try, b);
    for (uint32_t k = 0; k < try->fair->expr_count; k++)
        b->holds[k] = images[sets->processes + k];
    *out = &b->of;
    *fair_processes = sets->unmarked ? &b->by : NULL;
    return OM_OK;
}
