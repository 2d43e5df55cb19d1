/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is live in a location follows from the location graph of its process by the usual equations
 * of data-flow analysis, which are iterated backwards to their least fixpoint.
 */
#include "dead.h"

#include <string.h>

enum { LONGEST = 64 /* elements of an array that is a candidate */ };
/* Nodes that are made anew to see what others ask of a location: enough for all but huge models. */
static const uint64_t MOST_WORK = 20000000;

static bool make(const om_dead *d, om_dead_bits *b, size_t rows)
{
    b->words = d->count / 64 + 1;
    b->at =
        rows > SIZE_MAX / b->words ? NULL : om_alloc(d->m->heap, rows * b->words, sizeof *b->at);
    return b->at != NULL;
}

static uint64_t *row(const om_dead_bits *b, uint32_t i)
{
    return b->at + i * b->words;
}

static bool has(const uint64_t *r, uint32_t i)
{
    return ((r[i / 64] >> (i % 64)) & 1) != 0;
}

static void add(uint64_t *r, uint32_t i)
{
    r[i / 64] |= UINT64_C(1) << (i % 64);
}

/* ---- candidates ---- */

static bool may_be_candidate(const om_model *m, uint32_t slot)
{
    const om_slot *s = om_model__slot(m, slot);
    if (s->process == OM_NONE || s->length > LONGEST)
        return false;
    uint32_t location = om_model_process(m, s->process)->location;
    return location != OM_NONE && location != slot;
}

/* What reads slots: an expression, and the transition that it is of (NULL: none). */
typedef struct reader {
    om_dead *d;
    om_expr e;
    const om_transition *t;
    uint32_t number; /* of the expression, from 1 on */
} reader;

/* An expression reads a slot. Where its owner does not move, that may matter in some of his
 * locations. */
static void is_read(void *self, uint32_t slot)
{
    const reader *r = self;
    om_dead *d = r->d;
    const uint32_t owner = om_model__slot(d->m, slot)->process;
    if (d->number[slot] == OM_NONE || (r->t != NULL && om_dead__involves(d->m, r->t, owner)))
        return;
    if (d->noted[owner] == r->number)
        return;
    d->noted[owner] = r->number;
    om_dead_outside *grown =
        om_grow(d->m->heap, d->outside, &d->outside_room, d->outside_count + 1, sizeof *grown);
    if (grown == NULL) {
        d->failed = true;
        return;
    }
    d->outside = grown;
    grown[d->outside_count++] = (om_dead_outside){ owner, r->e };
}

static void read_expr(om_dead *d, om_expr e, const om_transition *t)
{
    reader r = { d, e, t, ++d->expressions };
    d->failed = d->failed || om_reading__begin(&d->reading) != OM_OK;
    if (!d->failed)
        om_reading__slots(&d->reading, e, is_read, &r);
}

/* A slot that is assigned without its owner is no candidate. */
static void exclude_assigned(om_dead *d)
{
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            const uint32_t slot = tr->assigns[i].slot;
            if (!om_dead__involves(d->m, tr, om_model__slot(d->m, slot)->process))
                d->number[slot] = OM_NONE;
        }
    }
}

static void find_outside(om_dead *d, const om_expr *aps, uint32_t ap_count)
{
    for (uint32_t i = 0; i < ap_count; i++)
        read_expr(d, aps[i], NULL);
    for (uint32_t i = 0; i < om_model_assertion_count(d->m); i++)
        read_expr(d, om_model_assertion(d->m, i)->condition, NULL);
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        read_expr(d, tr->guard, tr);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            read_expr(d, tr->assigns[i].index, tr);
            read_expr(d, tr->assigns[i].value, tr);
        }
    }
}

static void find_candidates(om_dead *d, const om_expr *aps, uint32_t ap_count)
{
    for (uint32_t s = 0; s < d->slots; s++)
        d->number[s] = may_be_candidate(d->m, s) ? 0 : OM_NONE;
    exclude_assigned(d);
    find_outside(d, aps, ap_count);
    for (uint32_t s = 0; s < d->slots; s++)
        if (d->number[s] != OM_NONE) {
            d->number[s] = d->count;
            d->slot_of[d->count++] = s;
        }
}

/* ---- what a transition does ---- */

/* Of a transition that is summarised. */
typedef struct summary {
    om_dead *d;
    uint32_t t;
} summary;

static void used(void *self, uint32_t slot)
{
    const summary *s = self;
    om_dead *d = s->d;
    uint32_t c = d->number[slot];
    if (c != OM_NONE && !has(d->done, c))
        add(row(&d->uses, s->t), c);
}

/* Is candidate c written whole once this assignment is made? */
static bool whole(om_dead *d, uint32_t c, const om_assign *as)
{
    uint32_t length = om_model__slot(d->m, as->slot)->length;
    if (length == 0)
        return true;
    const om_node *i = om_model_node(d->m, as->index);
    if (i->op == OM_OP_CONST && i->value >= 0 && (uint32_t) i->value < length)
        d->elements[c] |= UINT64_C(1) << i->value;
    return d->elements[c] == UINT64_MAX >> (64 - length);
}

static void summarise(om_dead *d, uint32_t t)
{
    const om_transition *tr = om_model_transition(d->m, t);
    summary s = { d, t };
    d->failed = d->failed || om_reading__begin(&d->reading) != OM_OK;
    if (d->failed)
        return;
    memset(d->done, 0, d->uses.words * sizeof *d->done);
    memset(d->elements, 0, d->count * sizeof *d->elements);
    om_reading__slots(&d->reading, tr->guard, used, &s);
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const om_assign *as = &tr->assigns[i];
        uint32_t c = d->number[as->slot];
        om_reading__slots(&d->reading, as->index, used, &s);
        om_reading__slots(&d->reading, as->value, used, &s);
        if (c == OM_NONE)
            continue;
        add(row(&d->writes, t), c);
        if (whole(d, c, as) && !has(d->done, c)) {
            add(d->done, c);
            add(row(&d->kills, t), c);
        }
    }
}

/* ---- the location graph ---- */

uint32_t om_dead__source(const om_model *m, om_expr guard, uint32_t location)
{
    const om_node *n = &m->nodes[guard];
    if (guard == 0)
        return OM_NONE;
    if (n->op == OM_OP_AND) {
        uint32_t left = om_dead__source(m, n->a, location);
        return left != OM_NONE ? left : om_dead__source(m, n->b, location);
    }
    if (n->op != OM_OP_EQ || m->nodes[n->a].op != OM_OP_SLOT || m->nodes[n->a].a != location ||
        m->nodes[n->b].op != OM_OP_CONST)
        return OM_NONE;
    return (uint32_t) m->nodes[n->b].value;
}

uint32_t om_dead__target(const om_model *m, const om_transition *t, uint32_t location)
{
    uint32_t to = OM_DEAD_STAYS;
    for (uint32_t i = 0; i < t->assign_count; i++)
        if (t->assigns[i].slot == location) {
            const om_node *v = om_model_node(m, t->assigns[i].value);
            to = v->op == OM_OP_CONST ? (uint32_t) v->value : OM_DEAD_ANYWHERE;
        }
    return to;
}

bool om_dead__involves(const om_model *m, const om_transition *t, uint32_t process)
{
    if (process == OM_NONE || t->process == process || t->partner == process)
        return process != OM_NONE;
    const uint32_t location = om_model_process(m, process)->location;
    return location != OM_NONE && om_dead__target(m, t, location) != OM_DEAD_STAYS;
}

/* Can the graph be read off? Not where the process is moved to a place that is computed. */
static bool readable(const om_dead *d, uint32_t location)
{
    uint32_t locations = om_model__slot(d->m, location)->enumerators;
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        uint32_t to = om_dead__target(d->m, tr, location),
                 from = om_dead__source(d->m, tr->guard, location);
        if (to != OM_DEAD_STAYS && to >= locations)
            return false;
        if (from != OM_NONE && from >= locations)
            return false;
    }
    return true;
}

/* live[from] gets what t needs; true when that is news. */
static bool flow(om_dead *d, uint32_t t, uint32_t from, uint32_t to)
{
    uint64_t *into = row(&d->live, from);
    const uint64_t *out = row(&d->live, to);
    bool news = false;
    for (size_t w = 0; w < d->live.words; w++) {
        uint64_t need = row(&d->uses, t)[w] | (out[w] & ~row(&d->kills, t)[w]);
        news = news || (need & ~into[w]) != 0;
        into[w] |= need;
    }
    return news;
}

/* What others read of the process where it is in a location. */
typedef struct observed {
    om_dead *d;
    uint32_t process, location;
} observed;

static void is_observed(void *self, uint32_t slot)
{
    const observed *o = self;
    const uint32_t c = o->d->number[slot];
    if (c != OM_NONE && om_model__slot(o->d->m, slot)->process == o->process)
        add(row(&o->d->live, o->location), c);
}

typedef struct standing {
    om_model *m;
    uint32_t slot;
    om_value location;
} standing;

static om_expr where_it_stands(void *self, om_expr e, om_node n)
{
    const standing *s = self;
    (void) e;
    return n.op == OM_OP_SLOT && n.a == s->slot ? om_expr_const(s->m, s->location) : 0;
}

/* Marks, in every location, what is read there without the process. What an expression asks of
 * other locations does not count, unless it would take too long to see that. */
static int observe(om_dead *d, uint32_t process, uint32_t slot)
{
    const uint32_t locations = om_model__slot(d->m, slot)->enumerators;
    standing at = { d->m, slot, 0 };
    om_rewrite r = { .from = d->m, .to = d->m, .instead = where_it_stands, .self = &at };
    int rc = OM_OK;
    for (uint32_t l = 0; l < locations && rc == OM_OK; l++) {
        observed o = { d, process, l };
        at.location = (om_value) l;
        om_rewrite__again(&r);
        for (size_t i = 0; i < d->outside_count && rc == OM_OK; i++) {
            om_expr e = d->outside[i].e;
            if (d->outside[i].process != process)
                continue;
            if (d->work <= MOST_WORK)
                rc = om_rewrite__expr(&r, e, &e);
            if (rc == OM_OK)
                rc = om_reading__begin(&d->reading);
            if (rc == OM_OK)
                om_reading__slots(&d->reading, e, is_observed, &o);
        }
        d->work += r.visited;
        r.visited = 0;
    }
    om_rewrite__close(&r);
    return rc;
}

static void solve(om_dead *d, uint32_t process, uint32_t location)
{
    uint32_t locations = om_model__slot(d->m, location)->enumerators;
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = d->transitions; k-- > 0;) {
            const om_transition *t = om_model_transition(d->m, k);
            if (!om_dead__involves(d->m, t, process))
                continue;
            uint32_t from = om_dead__source(d->m, t->guard, location),
                     to = om_dead__target(d->m, t, location);
            for (uint32_t l = 0; l < locations; l++)
                if (from == OM_NONE || from == l)
                    news = flow(d, k, l, to == OM_DEAD_STAYS ? l : to) || news;
        }
    }
}

int om_dead__solve(om_dead *d, uint32_t process, bool *known)
{
    uint32_t location = om_model_process(d->m, process)->location;
    *known = location != OM_NONE && readable(d, location);
    om_free(d->m->heap, d->live.at);
    d->live.at = NULL;
    if (*known && !make(d, &d->live, om_model__slot(d->m, location)->enumerators))
        return OM_ENOMEM;
    int rc = *known ? observe(d, process, location) : OM_OK;
    if (rc == OM_OK && *known)
        solve(d, process, location);
    return rc;
}

bool om_dead__in(const om_dead *d, uint32_t c, uint32_t location)
{
    return !has(row(&d->live, location), c);
}

bool om_dead__written(const om_dead *d, uint32_t c, uint32_t t)
{
    return has(row(&d->writes, t), c);
}

/* ---- the whole ---- */

int om_dead__open(om_dead *d, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    const om_heap *heap = m->heap;
    *d = (om_dead){
        .m = m, .transitions = om_model_transition_count(m), .slots = om_model_slot_count(m)
    };
    d->number = om_alloc(heap, d->slots, sizeof *d->number);
    d->slot_of = om_alloc(heap, d->slots, sizeof *d->slot_of);
    d->noted = om_alloc(heap, (size_t) om_model_process_count(m) + 1, sizeof *d->noted);
    d->reading.m = m;
    if (d->number == NULL || d->slot_of == NULL || d->noted == NULL)
        return OM_ENOMEM;
    find_candidates(d, aps, ap_count);
    if (d->failed)
        return OM_ENOMEM;
    d->done = om_alloc(heap, d->count / 64 + 1, sizeof *d->done);
    d->elements = om_alloc(heap, d->count, sizeof *d->elements);
    if (d->done == NULL || d->elements == NULL || !make(d, &d->uses, d->transitions) ||
        !make(d, &d->kills, d->transitions) || !make(d, &d->writes, d->transitions))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < d->transitions; t++)
        summarise(d, t);
    return d->failed ? OM_ENOMEM : OM_OK;
}

void om_dead__close(om_dead *d)
{
    const om_heap *heap = d->m->heap;
    om_free(heap, d->number);
    om_free(heap, d->slot_of);
    om_free(heap, d->noted);
    om_free(heap, d->outside);
    om_reading__close(&d->reading);
    om_free(heap, d->done);
    om_free(heap, d->elements);
    om_free(heap, d->uses.at);
    om_free(heap, d->kills.at);
    om_free(heap, d->writes.at);
    om_free(heap, d->live.at);
}
