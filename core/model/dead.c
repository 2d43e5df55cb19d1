/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is live in a location follows from the location graph of its process by the usual equations
 * of data-flow analysis, which are iterated backwards to their least fixpoint.
 */
#include "dead.h"

#include <string.h>

enum { LONGEST = 64 /* elements of an array that is a candidate */ };

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

/* Calls see() for every slot that e reads. Each node is visited once until the stamp changes. */
typedef void on_slot(om_dead *d, uint32_t slot, uint32_t subject);

static void visit(om_dead *d, om_expr e, on_slot *see, uint32_t subject)
{
    const om_node n = d->m->nodes[e];
    if (e == 0 || d->seen[e] == d->stamp)
        return;
    d->seen[e] = d->stamp;
    if (n.op == OM_OP_CONST)
        return;
    if (n.op == OM_OP_SLOT || n.op == OM_OP_ELEMENT)
        see(d, n.a, subject);
    else
        visit(d, n.a, see, subject);
    if (n.op != OM_OP_SLOT)
        visit(d, n.b, see, subject);
}

static void exclude(om_dead *d, uint32_t slot, uint32_t subject)
{
    (void) subject;
    d->number[slot] = OM_NONE;
}

/* A transition mentions a slot: only with its owner does it stay a candidate. */
static void mentioned(om_dead *d, uint32_t slot, uint32_t t)
{
    if (!om_dead__involves(om_model_transition(d->m, t), om_model__slot(d->m, slot)->process))
        d->number[slot] = OM_NONE;
}

static bool may_be_candidate(const om_model *m, uint32_t slot)
{
    const om_slot *s = om_model__slot(m, slot);
    if (s->process == OM_NONE || s->length > LONGEST)
        return false;
    uint32_t location = om_model_process(m, s->process)->location;
    return location != OM_NONE && location != slot;
}

static void exclude_mentioned(om_dead *d, const om_expr *aps, uint32_t ap_count)
{
    d->stamp++;
    for (uint32_t i = 0; i < ap_count; i++)
        visit(d, aps[i], exclude, 0);
    for (uint32_t i = 0; i < om_model_assertion_count(d->m); i++)
        visit(d, om_model_assertion(d->m, i)->condition, exclude, 0);
    for (uint32_t i = 0; i < om_model_process_count(d->m); i++)
        if (om_model_process(d->m, i)->location != OM_NONE)
            exclude(d, om_model_process(d->m, i)->location, 0);
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        d->stamp++;
        visit(d, tr->guard, mentioned, t);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            visit(d, tr->assigns[i].index, mentioned, t);
            visit(d, tr->assigns[i].value, mentioned, t);
            mentioned(d, tr->assigns[i].slot, t);
        }
    }
}

static void find_candidates(om_dead *d, const om_expr *aps, uint32_t ap_count)
{
    for (uint32_t s = 0; s < d->slots; s++)
        d->number[s] = may_be_candidate(d->m, s) ? 0 : OM_NONE;
    exclude_mentioned(d, aps, ap_count);
    for (uint32_t s = 0; s < d->slots; s++)
        if (d->number[s] != OM_NONE) {
            d->number[s] = d->count;
            d->slot_of[d->count++] = s;
        }
}

/* ---- what a transition does ---- */

static void used(om_dead *d, uint32_t slot, uint32_t t)
{
    uint32_t c = d->number[slot];
    if (c != OM_NONE && !has(d->done, c))
        add(row(&d->uses, t), c);
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
    memset(d->done, 0, d->uses.words * sizeof *d->done);
    memset(d->elements, 0, d->count * sizeof *d->elements);
    d->stamp++;
    visit(d, tr->guard, used, t);
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const om_assign *as = &tr->assigns[i];
        uint32_t c = d->number[as->slot];
        visit(d, as->index, used, t);
        visit(d, as->value, used, t);
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

/* Can the graph be read off? Not where others move the process, or to a place that is computed. */
static bool readable(const om_dead *d, uint32_t process, uint32_t location)
{
    uint32_t locations = om_model__slot(d->m, location)->enumerators;
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        uint32_t to = om_dead__target(d->m, tr, location),
                 from = om_dead__source(d->m, tr->guard, location);
        if (to != OM_DEAD_STAYS && (to >= locations || !om_dead__involves(tr, process)))
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

static void solve(om_dead *d, uint32_t process, uint32_t location)
{
    uint32_t locations = om_model__slot(d->m, location)->enumerators;
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = d->transitions; k-- > 0;) {
            const om_transition *t = om_model_transition(d->m, k);
            if (!om_dead__involves(t, process))
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
    *known = location != OM_NONE && readable(d, process, location);
    om_free(d->m->heap, d->live.at);
    d->live.at = NULL;
    if (*known && !make(d, &d->live, om_model__slot(d->m, location)->enumerators))
        return OM_ENOMEM;
    if (*known)
        solve(d, process, location);
    return OM_OK;
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

int om_dead__open(om_dead *d, const om_model *m, const om_expr *aps, uint32_t ap_count)
{
    const om_heap *heap = m->heap;
    *d = (om_dead){
        .m = m, .transitions = om_model_transition_count(m), .slots = om_model_slot_count(m)
    };
    d->number = om_alloc(heap, d->slots, sizeof *d->number);
    d->slot_of = om_alloc(heap, d->slots, sizeof *d->slot_of);
    d->seen = om_alloc(heap, m->node_count, sizeof *d->seen);
    if (d->number == NULL || d->slot_of == NULL || d->seen == NULL)
        return OM_ENOMEM;
    find_candidates(d, aps, ap_count);
    d->done = om_alloc(heap, d->count / 64 + 1, sizeof *d->done);
    d->elements = om_alloc(heap, d->count, sizeof *d->elements);
    if (d->done == NULL || d->elements == NULL || !make(d, &d->uses, d->transitions) ||
        !make(d, &d->kills, d->transitions) || !make(d, &d->writes, d->transitions))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < d->transitions; t++)
        summarise(d, t);
    return OM_OK;
}

void om_dead__close(om_dead *d)
{
    const om_heap *heap = d->m->heap;
    om_free(heap, d->number);
    om_free(heap, d->slot_of);
    om_free(heap, d->seen);
    om_free(heap, d->done);
    om_free(heap, d->elements);
    om_free(heap, d->uses.at);
    om_free(heap, d->kills.at);
    om_free(heap, d->writes.at);
    om_free(heap, d->live.at);
}
