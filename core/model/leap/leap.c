/* SPDX-License-Identifier: Apache-2.0 */
#include "leap.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* A hidden state on the way of a leap: row i of `hidden` */
typedef struct visit {
    uint32_t hash, first; /* `first`: the first transition of the leap */
    uint32_t from, by;    /* the visit before, or OM_NONE; and the transition from there */
    uint32_t level;       /* number of steps to it */
} visit;

/* What a thread works with */
typedef struct scratch {
    struct scratch *next; /* that no thread uses */
    om_successors hidden; /* in the order in which they were met */
    om_successors rows;   /* of one hidden state */
    om_successors kept;
    visit visits[OM_LEAP_MOST];
    uint32_t *vector; /* a hidden state */
} scratch;

typedef struct leaping {
    om_executor executor;
    om_executor *below;
    const om_heap *heap;
    const om_slot *slot;  /* a state is visible if this variable ... */
    om_value visible;     /* ... has this value */
    pthread_mutex_t lock; /* protects `free` */
    scratch *free;
} leaping;

static bool is_hidden(const leaping *l, const uint32_t *vector)
{
    return om_slot_get(l->slot, vector, 0) != l->visible;
}

/* ---- scratch ---- */

static void free_scratch(const leaping *l, scratch *s)
{
    om_successors_free(&s->hidden);
    om_successors_free(&s->rows);
    om_successors_free(&s->kept);
    om_free(l->heap, s->vector);
    om_free(l->heap, s);
}

static scratch *new_scratch(const leaping *l)
{
    scratch *s = NULL;
    if (!OM_NEW(l->heap, s, 1))
        return NULL;
    s->hidden.heap = s->rows.heap = s->kept.heap = l->heap;
    if (OM_NEW(l->heap, s->vector, l->executor.words + (size_t) 1))
        return s;
    free_scratch(l, s);
    return NULL;
}

/* Returns scratch for the calling thread, or NULL if memory runs out. */
static scratch *take_scratch(leaping *l)
{
    pthread_mutex_lock(&l->lock);
    scratch *s = l->free;
    if (s != NULL)
        l->free = s->next;
    pthread_mutex_unlock(&l->lock);
    return s != NULL ? s : new_scratch(l);
}

static void give_back(leaping *l, scratch *s)
{
    pthread_mutex_lock(&l->lock);
    s->next = l->free;
    l->free = s;
    pthread_mutex_unlock(&l->lock);
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
    if (om_successors_reserve(to, to->count + 1, l->executor.words) != OM_OK)
        return OM_ENOMEM;
    to->transition[to->count++] = transition;
    memcpy(row(to, to->count - 1), vector, l->executor.words * sizeof *vector);
    return OM_OK;
}

static uint32_t hash_of(const leaping *l, const uint32_t *vector)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < l->executor.words; i++)
        hash = (hash ^ vector[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t) (hash >> 32);
}

/* Takes a state that a leap meets: one that is visible is kept, and a hidden one is visited. If it
 * has been, it may close a cycle unless it lies a level further; then it is kept, as it is if there
 * have been OM_LEAP_MOST (H4). */
static int meet(const leaping *l, scratch *s, const uint32_t *vector, visit v)
{
    const size_t bytes = l->executor.words * sizeof *vector;
    if (!is_hidden(l, vector))
        return put(l, &s->kept, vector, v.first);
    v.hash = hash_of(l, vector);
    for (size_t i = 0; i < s->hidden.count; i++)
        if (s->visits[i].hash == v.hash && memcmp(row(&s->hidden, i), vector, bytes) == 0)
            return s->visits[i].level >= v.level ? OM_OK : put(l, &s->kept, vector, v.first);
    if (s->hidden.count == OM_LEAP_MOST)
        return put(l, &s->kept, vector, v.first);
    s->visits[s->hidden.count] = v;
    return put(l, &s->hidden, vector, v.by);
}

/* Leaps on from a visited state, or keeps it (H1 to H3). */
static int leave(const leaping *l, scratch *s, uint32_t number)
{
    const visit v = s->visits[number];
    om_successors *rows = &s->rows;
    memcpy(s->vector, row(&s->hidden, number), l->executor.words * sizeof *s->vector);
    rows->overflows = 0;
    int rc = om_executor_successors(l->below, s->vector, rows);
    if (rc == OM_OK && (rows->fault != 0 || rows->count == 0 || rows->overflows != 0))
        return put(l, &s->kept, s->vector, v.first);
    for (size_t i = 0; i < rows->count && rc == OM_OK; i++)
        rc = meet(l, s, row(rows, i),
            (visit){ .first = v.first,
                .from = number,
                .by = rows->transition[i],
                .level = v.level + 1 });
    return rc;
}

/* Leaps on from these rows of successors: the states that are kept are then in s->kept. */
static int leap(const leaping *l, scratch *s, const om_successors *from, size_t first)
{
    uint32_t left = 0; /* the visited states before have been left */
    int rc = OM_OK;
    s->hidden.count = s->kept.count = 0;
    for (size_t i = first; i < from->count && rc == OM_OK; i++) {
        const uint32_t t = from->transition[i];
        rc = meet(l, s, row(from, i), (visit){ .first = t, .from = OM_NONE, .by = t });
        for (; left < s->hidden.count && rc == OM_OK; left++)
            rc = leave(l, s, left);
    }
    return rc;
}

/* ---- the executor ---- */

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    leaping *l = x->self;
    const size_t first = out->count;
    int rc = l->below->append(l->below, vector, out);
    size_t i = first;
    while (rc == OM_OK && out->fault == 0 && i < out->count && !is_hidden(l, row(out, i)))
        i++;
    if (rc != OM_OK || out->fault != 0 || i == out->count)
        return rc;
    scratch *s = take_scratch(l);
    if (s == NULL)
        return OM_ENOMEM;
    rc = leap(l, s, out, i);
    out->count = i;
    for (size_t k = 0; k < s->kept.count && rc == OM_OK; k++)
        rc = put(l, out, row(&s->kept, k), s->kept.transition[k]);
    give_back(l, s);
    return rc;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const leaping *l = x->self;
    return l->below->labels(l->below, vector, fault);
}

static void initial(const om_executor *x, uint32_t *vector)
{
    const leaping *l = x->self;
    l->below->initial(l->below, vector);
}

static const char *who(const om_executor *x)
{
    const leaping *l = x->self;
    return l->below->who != NULL ? l->below->who(l->below) : l->below->name;
}

static void leaping_close(om_executor *x)
{
    leaping *l = x->self;
    om_executor *below = l->below;
    while (l->free != NULL) {
        scratch *s = l->free;
        l->free = s->next;
        free_scratch(l, s);
    }
    pthread_mutex_destroy(&l->lock);
    om_free(l->heap, l);
    om_executor_close(below);
}

om_executor *om_leap__below(const om_executor *x)
{
    const leaping *l = x->close == leaping_close ? x->self : NULL;
    return l != NULL ? l->below : NULL;
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
    l->heap = m->heap;
    l->below = *x;
    l->slot = om_model__slot(m, m->nodes[n.a].a);
    l->visible = m->nodes[n.b].value;
    pthread_mutex_init(&l->lock, NULL);
    l->executor = **x;
    l->executor.self = l;
    l->executor.initial = initial;
    l->executor.append = append;
    l->executor.labels = labels;
    l->executor.close = leaping_close;
    l->executor.who = who;
    *x = &l->executor;
    return OM_OK;
}

/* ---- the steps of a leap ---- */

/* Writes the transitions to a visited state, and one more. */
static int write_way(const scratch *s, uint32_t last, uint32_t by, om_way *way)
{
    size_t count = 1;
    for (uint32_t i = last; i != OM_NONE; i = s->visits[i].from)
        count++;
    if (!OM_ROOM(way->heap, way->transitions, &way->capacity, count))
        return OM_ENOMEM;
    way->count = count;
    way->transitions[--count] = by;
    for (uint32_t i = last; i != OM_NONE; i = s->visits[i].from)
        way->transitions[--count] = s->visits[i].by;
    assert(count == 0);
    return OM_OK;
}

int om_leap__way(const om_executor *x, const uint32_t *from, uint32_t transition,
    const uint32_t *to, om_way *way)
{
    leaping *l = x->self;
    const size_t bytes = x->words * sizeof *to;
    assert(om_leap__below(x) != NULL);
    scratch *s = take_scratch(l);
    om_successors start = { .heap = l->heap };
    int rc = s == NULL ? OM_ENOMEM : om_executor_successors(l->below, from, &start);
    way->count = 0;
    for (size_t i = 0; i < start.count && rc == OM_OK && way->count == 0; i++)
        if (start.transition[i] == transition && memcmp(row(&start, i), to, bytes) == 0)
            rc = write_way(s, OM_NONE, transition, way);
    if (rc == OM_OK && way->count == 0)
        rc = leap(l, s, &start, 0);
    /* A visited state that leads there: it has been left with the same first transition. */
    for (uint32_t k = 0; rc == OM_OK && k < s->hidden.count && way->count == 0; k++) {
        if (s->visits[k].first != transition)
            continue;
        if (memcmp(row(&s->hidden, k), to, bytes) == 0)
            rc = write_way(s, s->visits[k].from, s->visits[k].by, way);
        else
            rc = om_executor_successors(l->below, row(&s->hidden, k), &s->rows);
        for (size_t i = 0;
             i < s->rows.count && rc == OM_OK && s->rows.fault == 0 && way->count == 0; i++)
            if (memcmp(row(&s->rows, i), to, bytes) == 0)
                rc = write_way(s, k, s->rows.transition[i], way);
    }
    om_successors_free(&start);
    if (s != NULL)
        give_back(l, s);
    return rc == OM_OK && way->count == 0 ? OM_EINTERNAL : rc;
}
