/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances in the graph of a process's locations: an edge for each transition whose guard requires
 * one location and that assigns another. They are lower bounds of the steps that the process takes,
 * unless a guard allows several locations.
 */
#include "distance.h"

#include <assert.h>

/* Processes with more locations than this are compared by number. */
enum { MOST_LOCATIONS = 1 << 16, MOST_TABLES = 256 };

int locations_init(locations *l, const om_heap *heap, const om_model *m)
{
    l->heap = heap;
    l->model = m;
    if (!OM_NEW(heap, l->is_location, (size_t) om_model_slot_count(m) + 1))
        return OM_ENOMEM;
    for (uint32_t p = 0; p < om_model_process_count(m); p++) {
        const uint32_t slot = om_model_process(m, p)->location;
        if (slot != OM_NONE && om_model_slot(m, slot)->length == 0)
            l->is_location[slot] = true;
    }
    return OM_OK;
}

void locations_free(locations *l)
{
    while (l->tables != NULL) {
        location_table *t = l->tables;
        l->tables = t->next;
        OM_FREE_ALL(l->heap, t->steps, t);
    }
    om_free(l->heap, l->is_location);
}

bool locations_needs(const om_model *m, om_expr guard, uint32_t slot, om_value *value)
{
    if (guard == 0)
        return false;
    const om_node *n = om_model_node(m, guard);
    if (n->op == OM_OP_AND)
        return locations_needs(m, n->a, slot, value) || locations_needs(m, n->b, slot, value);
    if (n->op != OM_OP_EQ)
        return false;
    const om_node *a = om_model_node(m, n->a), *b = om_model_node(m, n->b);
    const om_node *s = a->op == OM_OP_SLOT ? a : b, *c = a->op == OM_OP_SLOT ? b : a;
    if (s->op != OM_OP_SLOT || s->a != slot || c->op != OM_OP_CONST)
        return false;
    *value = c->value;
    return true;
}

bool locations_moves(
    const om_model *m, const om_transition *t, uint32_t slot, om_value *from, om_value *to)
{
    bool assigned = false;
    for (uint32_t i = 0; i < t->assign_count; i++) {
        if (t->assigns[i].slot != slot)
            continue;
        const om_node *value = om_model_node(m, t->assigns[i].value);
        if (value->op != OM_OP_CONST)
            return false;
        *to = value->value;
        assigned = true;
    }
    return assigned && locations_needs(m, t->guard, slot, from);
}

static uint32_t *entry(const location_table *t, om_value location)
{
    return location < t->low || location > t->high ? NULL : &t->steps[(size_t) (location - t->low)];
}

typedef struct move {
    om_value from, to;
} move;

/* Shortens distances along the moves until none gets shorter (Bellman and Ford; few rounds, because
 * moves are mostly in the order of the text). */
static void relax(const location_table *t, const move *moves, size_t count)
{
    bool shorter = true;
    while (shorter) {
        shorter = false;
        for (size_t i = count; i-- > 0;) {
            uint32_t *from = entry(t, moves[i].from);
            const uint32_t *to = entry(t, moves[i].to);
            if (from == NULL || to == NULL || *to == DISTANCE_MOST || *from <= *to + 1)
                continue;
            *from = *to + 1;
            shorter = true;
        }
    }
}

static int compute(const locations *l, const location_table *t)
{
    const om_model *m = l->model;
    const uint32_t transitions = om_model_transition_count(m);
    move *all = NULL;
    size_t count = 0;
    if (!OM_NEW(l->heap, all, (size_t) transitions + 1))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < transitions; i++)
        count += locations_moves(
            m, om_model_transition(m, i), t->slot, &all[count].from, &all[count].to);
    assert(l->is_location[t->slot] && t->low <= t->high);
    uint32_t *target = entry(t, t->to);
    if (target != NULL)
        *target = 0;
    relax(t, all, count);
    om_free(l->heap, all);
    return OM_OK;
}

static const location_table *table_of(const locations *l, uint32_t slot, om_value to)
{
    const location_table *t = l->tables;
    while (t != NULL && (t->slot != slot || t->to != to))
        t = t->next;
    return t;
}

static size_t count_tables(const locations *l)
{
    size_t n = 0;
    for (const location_table *t = l->tables; t != NULL; t = t->next)
        n++;
    return n;
}

int locations_add(locations *l, uint32_t slot, om_value to)
{
    const om_slot *s = om_model_slot(l->model, slot);
    location_table *t = NULL;
    if (!l->is_location[slot] || table_of(l, slot, to) != NULL ||
        (om_wide) s->high - s->low >= MOST_LOCATIONS || count_tables(l) >= MOST_TABLES)
        return OM_OK;
    const size_t count = (size_t) (s->high - s->low) + 1;
    if (!OM_NEW(l->heap, t, 1))
        return OM_ENOMEM;
    *t = (location_table){
        .slot = slot, .low = s->low, .high = s->high, .to = to, .next = l->tables
    };
    l->tables = t;
    if (!OM_NEW(l->heap, t->steps, count))
        return OM_ENOMEM;
    for (size_t i = 0; i < count; i++)
        t->steps[i] = DISTANCE_MOST;
    return compute(l, t);
}

uint32_t locations_between(const locations *l, uint32_t slot, om_value from, om_value to)
{
    const location_table *t = l->is_location[slot] ? table_of(l, slot, to) : NULL;
    const uint32_t *steps = t == NULL ? NULL : entry(t, from);
    return steps == NULL ? UINT32_MAX : *steps;
}
