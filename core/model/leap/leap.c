/* SPDX-License-Identifier: Apache-2.0 */
#include "leap.h"

#include "execute/over.h"

#include <assert.h>
#include <string.h>

/* A hidden state on the way of a leap: row i of `hidden` */
typedef struct visit {
    uint32_t hash, first; /* `first`: the first transition of the leap */
    uint32_t from, by;    /* the visit before, or OM_NONE; and the transition from there */
    uint32_t level;       /* number of steps to it */
} visit;

/* What a thread works with */
typedef struct work {
    om_scratch unused;    /* first */
    om_successors hidden; /* in the order in which they were met */
    om_successors rows;   /* of one hidden state */
    om_successors kept;   /* their rows end with `from` and `by` of their last step */
    visit visits[OM_LEAP_MOST];
    uint32_t *vector; /* a hidden state */
} work;

typedef struct leaping {
    om_over over;        /* first */
    const om_slot *slot; /* a state is visible if this variable ... */
    om_value visible;    /* ... has this value */
} leaping;

static bool is_hidden(const leaping *l, const uint32_t *vector)
{
    return om_slot_get(l->slot, vector, 0) != l->visible;
}

/* ---- what a thread works with ---- */

static void free_work(const om_over *o, om_scratch *s)
{
    work *w = (work *) s;
    om_successors_free(&w->hidden);
    om_successors_free(&w->rows);
    om_successors_free(&w->kept);
    om_free(o->heap, w->vector);
    om_free(o->heap, w);
}

static om_scratch *new_work(const om_over *o)
{
    work *w = NULL;
    if (!OM_NEW(o->heap, w, 1))
        return NULL;
    w->hidden.heap = w->rows.heap = w->kept.heap = o->heap;
    w->kept.stride = o->executor.words + 2;
    if (OM_NEW(o->heap, w->vector, o->executor.words + (size_t) 1))
        return &w->unused;
    free_work(o, &w->unused);
    return NULL;
}

/* ---- a leap ---- */

static uint32_t *row(const om_successors *s, size_t i)
{
    assert(i < s->count);
    return s->words + i * s->stride;
}

/* Appends a row. */
static int put(const leaping *l, om_successors *to, const uint32_t *vector, uint32_t transition)
{
    if (om_successors_reserve(to, to->count + 1, l->over.executor.words) != OM_OK)
        return OM_ENOMEM;
    to->transition[to->count++] = transition;
    memcpy(row(to, to->count - 1), vector, l->over.executor.words * sizeof *vector);
    return OM_OK;
}

static uint32_t hash_of(const leaping *l, const uint32_t *vector)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < l->over.executor.words; i++)
        hash = (hash ^ vector[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t) (hash >> 32);
}

/* Keeps a state as a successor of the leap. */
static int keep(const leaping *l, work *w, const uint32_t *vector, visit v)
{
    if (put(l, &w->kept, vector, v.first) != OM_OK)
        return OM_ENOMEM;
    uint32_t *end = row(&w->kept, w->kept.count - 1) + l->over.executor.words;
    end[0] = v.from;
    end[1] = v.by;
    return OM_OK;
}

/* Takes a state that a leap meets: one that is visible is kept, and a hidden one is visited. If it
 * has been, it may close a cycle unless it lies a level further; then it is kept, as it is if there
 * have been OM_LEAP_MOST (H4). */
static int meet(const leaping *l, work *w, const uint32_t *vector, visit v)
{
    const size_t bytes = l->over.executor.words * sizeof *vector;
    if (!is_hidden(l, vector))
        return keep(l, w, vector, v);
    v.hash = hash_of(l, vector);
    for (size_t i = 0; i < w->hidden.count; i++)
        if (w->visits[i].hash == v.hash && memcmp(row(&w->hidden, i), vector, bytes) == 0)
            return w->visits[i].level >= v.level ? OM_OK : keep(l, w, vector, v);
    if (w->hidden.count == OM_LEAP_MOST)
        return keep(l, w, vector, v);
    w->visits[w->hidden.count] = v;
    return put(l, &w->hidden, vector, v.by);
}

/* Leaps on from a visited state, or keeps it (H1 to H3). */
static int leave(const leaping *l, work *w, uint32_t number)
{
    const visit v = w->visits[number];
    om_successors *rows = &w->rows;
    memcpy(w->vector, row(&w->hidden, number), l->over.executor.words * sizeof *w->vector);
    rows->overflows = 0;
    int rc = om_executor_successors(l->over.below, w->vector, rows);
    if (rc == OM_OK && (rows->fault != 0 || rows->count == 0 || rows->overflows != 0))
        return keep(l, w, w->vector, v);
    for (size_t i = 0; i < rows->count && rc == OM_OK; i++)
        rc = meet(l, w, row(rows, i),
            (visit){ .first = v.first,
                .from = number,
                .by = rows->transition[i],
                .level = v.level + 1 });
    return rc;
}

/* Leaps on from these rows of successors: the states that are kept are then in w->kept. */
static int leap(const leaping *l, work *w, const om_successors *from, size_t first)
{
    uint32_t left = 0; /* the visited states before have been left */
    int rc = OM_OK;
    w->hidden.count = w->kept.count = 0;
    for (size_t i = first; i < from->count && rc == OM_OK; i++) {
        const uint32_t t = from->transition[i];
        rc = meet(l, w, row(from, i), (visit){ .first = t, .from = OM_NONE, .by = t });
        for (; left < w->hidden.count && rc == OM_OK; left++)
            rc = leave(l, w, left);
    }
    return rc;
}

/* ---- the executor ---- */

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    leaping *l = x->self;
    const size_t first = out->count;
    int rc = l->over.below->append(l->over.below, vector, out);
    size_t i = first;
    while (rc == OM_OK && out->fault == 0 && i < out->count && !is_hidden(l, row(out, i)))
        i++;
    if (rc != OM_OK || out->fault != 0 || i == out->count)
        return rc;
    work *w = (work *) om_over__take(&l->over);
    if (w == NULL)
        return OM_ENOMEM;
    rc = leap(l, w, out, i);
    out->count = i;
    for (size_t k = 0; k < w->kept.count && rc == OM_OK; k++)
        rc = put(l, out, row(&w->kept, k), w->kept.transition[k]);
    om_over__give_back(&l->over, &w->unused);
    return rc;
}

static void free_leaping(om_over *o)
{
    om_free(o->heap, o);
}

static const om_over_kind leaps = {
    .append = append, .make = new_work, .unmake = free_work, .free = free_leaping
};

bool om_leap__is(const om_executor *x)
{
    return om_over__is(x, &leaps) != NULL;
}

int om_leap__over(om_executor **x, const om_model *m)
{
    leaping *l = NULL;
    const om_expr e = m->visible;
    const om_node n = m->nodes[e];
    if (e == 0 || n.op != OM_OP_EQ || m->nodes[n.a].op != OM_OP_SLOT ||
        m->nodes[n.b].op != OM_OP_CONST)
        return OM_OK;
    if (!OM_NEW(m->heap, l, 1))
        return OM_ENOMEM;
    om_over__init(&l->over, *x, &leaps, m->heap);
    l->slot = om_model__slot(m, m->nodes[n.a].a);
    l->visible = m->nodes[n.b].value;
    *x = &l->over.executor;
    return OM_OK;
}

/* ---- the steps of a leap ---- */

/* Writes the transitions to a visited state, or none, and one more. */
static int write_way(const work *w, uint32_t last, uint32_t by, om_way *way)
{
    size_t count = 1;
    for (uint32_t i = last; i != OM_NONE; i = w->visits[i].from)
        count++;
    if (!OM_ROOM(way->heap, way->transitions, &way->capacity, count))
        return OM_ENOMEM;
    way->count = count;
    way->transitions[--count] = by;
    for (uint32_t i = last; i != OM_NONE; i = w->visits[i].from)
        way->transitions[--count] = w->visits[i].by;
    assert(count == 0);
    return OM_OK;
}

/* Leaps from a state, and writes the transitions to the first one that is kept and is this one. */
static int find_way(const leaping *l, work *w, const om_successors *start, uint32_t transition,
    const uint32_t *to, om_way *way)
{
    const uint32_t words = l->over.executor.words;
    int rc = leap(l, w, start, 0);
    for (size_t k = 0; rc == OM_OK && k < w->kept.count; k++) {
        const uint32_t *kept = row(&w->kept, k);
        if (w->kept.transition[k] == transition && memcmp(kept, to, words * sizeof *to) == 0)
            return write_way(w, kept[words], kept[words + 1], way);
    }
    return rc == OM_OK ? OM_EINTERNAL : rc;
}

int om_leap__way(const om_executor *x, const uint32_t *from, uint32_t transition,
    const uint32_t *to, om_way *way)
{
    leaping *l = x->self;
    assert(om_leap__is(x));
    work *w = (work *) om_over__take(&l->over);
    om_successors start = { .heap = l->over.heap };
    int rc = w == NULL ? OM_ENOMEM : om_executor_successors(l->over.below, from, &start);
    if (rc == OM_OK)
        rc = find_way(l, w, &start, transition, to, way);
    om_successors_free(&start);
    if (w != NULL)
        om_over__give_back(&l->over, &w->unused);
    return rc;
}
