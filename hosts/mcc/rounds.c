/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#include <assert.h>
#include <stdlib.h>

enum { GROWTH = 4 };
#define FIRST_NS UINT64_C(20000000)
#define FIRST_NODE_NS UINT64_C(10000) /* more, for each node of the net */
#define LEAST_NS UINT64_C(5000000)    /* the least time in which anything is begun */

static int compare_sizes(const void *a, const void *b)
{
    const mcc_turn *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static bool is_open(const mcc_turn *t)
{
    return t->weight != 0 && !t->spent; /* R1 */
}

static size_t open_weight(const mcc_turn *turns, size_t count)
{
    size_t weight = 0;
    for (size_t i = 0; i < count; i++)
        weight += is_open(&turns[i]) ? turns[i].weight : 0;
    return weight;
}

/*
 * Returns the slice of one question. Each gets at least an equal part of the time that is left. If
 * that is too little for all of them to get twice the slice of the round before, the first ones get
 * that: they would only repeat what they have done.
 */
static uint64_t slice(const mcc *m, uint64_t ns, uint64_t before, size_t weight)
{
    assert(weight > 0);
    const uint64_t part = mcc_left_ns(m) / weight;
    return ns <= part ? ns : part > 2 * before ? part : 2 * before;
}

static int take_round(
    mcc *m, mcc_turn *turns, size_t count, uint64_t ns, uint64_t before, mcc_take_turn *take)
{
    int rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        const size_t weight = open_weight(turns + i, count - i);
        const uint64_t left = mcc_left_ns(m);
        if (!is_open(&turns[i]) || left < LEAST_NS)
            continue;
        const uint64_t each = slice(m, ns, before, weight);
        const uint64_t own = each > left / turns[i].weight ? left : each * turns[i].weight;
        rc = take(m, &turns[i], own);
    }
    return rc;
}

int mcc_rounds(mcc *m, mcc_turn *turns, size_t count, size_t nodes, mcc_take_turn *take)
{
    uint64_t ns = FIRST_NS + FIRST_NODE_NS * nodes, before = 0;
    int rc = OM_OK;
    if (count == 0)
        return OM_OK;
    while (rc == OM_OK && open_weight(turns, count) != 0 && mcc_left_ns(m) >= LEAST_NS) {
        qsort(turns, count, sizeof *turns, compare_sizes);
        rc = take_round(m, turns, count, ns, before, take);
        before = ns;
        ns = ns > UINT64_MAX / GROWTH / (count + 1) ? ns : ns * GROWTH;
    }
    return rc;
}

int mcc_with_part(mcc *m, unsigned part, int (*call)(mcc *m, void *self), void *self)
{
    const uint64_t until_ns = m->until_ns;
    const char *why = NULL;
    if (until_ns != UINT64_MAX)
        m->until_ns = om_clock_ns() + mcc_left_ns(m) / part;
    const int rc = call(m, self);
    m->until_ns = until_ns;
    if (om_control_stopped(om_context_control(m->c->ctx)) == OM_STOP_INTERRUPT)
        return OM_ESTOP;
    return rc == OM_ELIMIT && mcc_leaves_unknown(m, rc, &why) ? OM_OK : rc;
}

/* ---- walks and explorations of one question ---- */

typedef struct alternation {
    void *self;
    mcc_step *walk, *explore;
    bool explored; /* the exploration cannot use more time */
} alternation;

static int alternate(mcc *m, mcc_turn *t, uint64_t ns)
{
    enum { WALK_PART = 3 };
    alternation *a = t->self;
    bool walked = false;
    int rc = a->walk(m, a->self, ns / WALK_PART + 1, &walked); /* A4 */
    if (rc == OM_OK && !m->properties[0].known && !a->explored)
        rc = a->explore(m, a->self, ns - ns / WALK_PART, &a->explored);
    t->weight = !m->properties[0].known;
    t->spent = a->explored && (walked || m->until_ns == UINT64_MAX);
    return rc;
}

int mcc_alternate(mcc *m, void *self, mcc_step *walk, mcc_step *explore)
{
    alternation a = { self, walk, explore, false };
    mcc_turn turn = { .self = &a, .weight = !m->properties[0].known };
    assert(m->count == 1); /* A5 */
    return mcc_rounds(m, &turn, 1, mcc_nodes(m->net), alternate);
}
