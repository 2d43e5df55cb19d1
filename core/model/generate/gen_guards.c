/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the guards of many transitions together. A leading condition that cannot fault is written
 * once for all neighbouring guards that begin with it: as a switch if they test one slot for
 * several values (the location of a process, then that of its partner), as an if if the condition
 * is the same.
 *
 * Only neighbours share a condition. A switch runs one case, and everything else stays in model
 * order. So the enabled transitions are in ascending order, and the first fault is the right one.
 */
#include "gen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    OFTEN = 4,    /* a condition of 1/OFTEN of the transitions is evaluated first */
    ANYTHING = 3, /* nodes above which a condition is worth a temporary */
    SEVERAL = 3   /* minimum number of transitions that must have it */
};

int om_gen__open(om_gen *g)
{
    const om_model *m = g->m;
    uint32_t count = om_model_transition_count(m);
    if (om_model_assertion_count(m) > count)
        count = om_model_assertion_count(m);
    return OM_NEW(m->heap, g->temp, m->node_count) &&
                   OM_NEW(m->heap, g->late_temp, m->node_count) &&
                   OM_NEW(m->heap, g->shared, m->node_count) &&
                   OM_NEW(m->heap, g->depth, m->node_count) &&
                   OM_NEW(m->heap, g->uses, m->node_count) && OM_NEW(m->heap, g->lead, count) &&
                   OM_NEW(m->heap, g->order, count) && OM_NEW(m->heap, g->written, m->words)
               ? OM_OK
               : OM_ENOMEM;
}

void om_gen__close(om_gen *g)
{
    const om_heap *heap = g->m->heap;
    OM_FREE_ALL(heap, g->temp, g->late_temp, g->shared, g->depth, g->uses, g->lead, g->order,
        g->written, g->set);
}

/* ---- leading conditions of guards ---- */

/* Adds the conjuncts of e in the order of evaluation. Returns false if no later one may be
 * added. */
static bool add_lead(const om_model *m, om_gen_lead *lead, om_expr e)
{
    const om_node *n = &m->nodes[e];
    if (n->op == OM_OP_AND)
        return add_lead(m, lead, n->a) && add_lead(m, lead, n->b);
    if (m->facts[e].faults || lead->count == OM_GEN_LEAD)
        return false;
    lead->at[lead->count++] = e;
    return true;
}

void om_gen__find_leads(om_gen *g)
{
    for (uint32_t t = 0; t < om_model_transition_count(g->m); t++) {
        om_expr guard = om_model_transition(g->m, t)->guard;
        if (guard != 0)
            (void) add_lead(g->m, &g->lead[t], guard);
    }
}

void om_gen__find_leads_of_assertions(om_gen *g)
{
    for (uint32_t i = 0; i < om_model_assertion_count(g->m); i++) {
        const om_expr condition = om_model_assertion(g->m, i)->condition;
        const om_node *n = om_gen__node(g, condition);
        g->lead[i].count = 0;
        if (om_model__checks(g->m, i) && (n->op == OM_OP_IMPLY || n->op == OM_OP_NOT))
            (void) add_lead(g->m, &g->lead[i], n->a);
    }
}

/* Returns true if the node is a scalar, or a certain element of an array. */
static bool is_variable(const om_model *m, const om_node *n)
{
    return n->op == OM_OP_SLOT || (n->op == OM_OP_ELEMENT && m->nodes[n->b].op == OM_OP_CONST);
}

/* For `variable == constant`, returns the node of the variable and sets *value; else returns 0. A
 * guard that may fault does not come here. */
static om_expr tested(const om_model *m, om_expr e, om_value *value)
{
    const om_node *n = &m->nodes[e];
    if (n->op != OM_OP_EQ || !is_variable(m, &m->nodes[n->a]) || m->nodes[n->b].op != OM_OP_CONST)
        return 0;
    *value = m->nodes[n->b].value;
    return n->a;
}

/* Returns the leading condition of the transition after `depth` conditions that already hold, or
 * 0. */
static om_expr next_of(const om_gen *g, uint32_t t, uint32_t depth)
{
    return depth < g->lead[t].count ? g->lead[t].at[depth] : 0;
}

static om_expr next_slot(const om_gen *g, uint32_t t, uint32_t depth, om_value *value)
{
    om_expr e = next_of(g, t, depth);
    return e == 0 ? 0 : tested(g->m, e, value);
}

/* ---- common conditions ---- */

void om_gen__name_common(om_gen *g, uint32_t from, uint32_t to)
{
    const om_model *m = g->m;
    om_value ignored;
    for (uint32_t t = from; t < to; t++)
        for (uint32_t i = 0; i < g->lead[t].count; i++)
            g->uses[g->lead[t].at[i]]++;
    for (uint32_t t = from; t < to; t++)
        for (uint32_t i = 1; i < g->lead[t].count; i++) {
            om_expr e = g->lead[t].at[i];
            bool often = g->uses[e] >= SEVERAL && g->uses[e] >= (to - from) / OFTEN;
            if (often && m->facts[e].size > ANYTHING && tested(m, e, &ignored) == 0)
                om_gen__name(g, e);
        }
    for (uint32_t t = from; t < to; t++)
        for (uint32_t i = 0; i < g->lead[t].count; i++)
            g->uses[g->lead[t].at[i]] = 0;
}

bool om_gen__assume_guard(om_gen *g, om_expr e)
{
    const om_node *n = &g->m->nodes[e];
    if (e == 0)
        return true;
    if (n->op == OM_OP_AND && g->temp[e] == 0) {
        bool left = om_gen__assume_guard(g, n->a), right = om_gen__assume_guard(g, n->b);
        if (left && right)
            om_gen__assume(g, e);
    }
    return g->temp[e] == OM_GEN_TRUE;
}

/* ---- the tree ---- */

static int by_value(const void *x, const void *y)
{
    const om_gen_item *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->t < b->t ? -1 : a->t > b->t;
}

static uint32_t tree(om_gen *g, om_gen_item *items, uint32_t count, uint32_t depth);

/* Writes the items that begin with e. */
static uint32_t within(om_gen *g, om_expr e, om_gen_item *items, uint32_t count, uint32_t depth)
{
    size_t mark = om_gen__begin(g);
    om_gen__assume(g, e);
    uint32_t most = tree(g, items, count, depth + 1);
    om_gen__end(g, mark);
    return most;
}

/* Writes a switch for items that test one slot. Returns the largest result of a case. */
static uint32_t test_switch(
    om_gen *g, om_expr slot, om_gen_item *items, uint32_t count, uint32_t depth)
{
    uint32_t most = 0;
    assert(slot != 0 && count > 1);
    om_gen__start(g, g->where, items[0].t, "s");
    om_text_add(g->out, "switch ((om_gen_int)");
    om_gen__value(g, slot);
    om_text_add(g->out, ") {\n");
    qsort(items, count, sizeof *items, by_value);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && items[end].value == items[i].value;)
            end++;
        om_text_printf(g->out, "case %" OM_VALUE_FORMAT ":\n", items[i].value);
        uint32_t n = within(g, next_of(g, items[i].t, depth), &items[i], end - i, depth);
        most = n > most ? n : most;
        om_text_add(g->out, "break;\n");
    }
    om_text_add(g->out, "default: break;\n}\n");
    return most;
}

static uint32_t same_if(om_gen *g, om_gen_item *items, uint32_t count, uint32_t depth)
{
    om_expr e = next_of(g, items[0].t, depth);
    assert(e != 0 && count > 1);
    if (g->temp[e] == OM_GEN_TRUE)
        return tree(g, items, count, depth + 1);
    om_gen__start(g, g->where, items[0].t, "s");
    size_t mark = om_gen__begin(g);
    om_gen__prepare(g, e);
    om_text_add(g->out, "if (");
    om_gen__truth(g, e);
    om_text_add(g->out, ") ");
    uint32_t most = within(g, e, items, count, depth);
    om_gen__end(g, mark);
    return most;
}

/* Returns the number of leading items that test the slot; *several: for more than one value. */
static uint32_t slot_run(const om_gen *g, om_expr slot, om_gen_item *items, uint32_t count,
    uint32_t depth, bool *several)
{
    uint32_t n = 0;
    *several = false;
    while (slot != 0 && n < count && next_slot(g, items[n].t, depth, &items[n].value) == slot) {
        *several = *several || items[n].value != items[0].value;
        n++;
    }
    return n;
}

/* Returns the number of leading items that begin with the same condition. */
static uint32_t same_run(const om_gen *g, const om_gen_item *items, uint32_t count, uint32_t depth)
{
    om_expr e = next_of(g, items[0].t, depth);
    uint32_t n = 1;
    while (e != 0 && n < count && next_of(g, items[n].t, depth) == e)
        n++;
    return n;
}

/* Returns the maximum number of items that can be enabled at once. */
static uint32_t tree(om_gen *g, om_gen_item *items, uint32_t count, uint32_t depth)
{
    uint32_t most = 0;
    for (uint32_t i = 0, n; i < count; i += n) {
        bool several;
        om_value ignored;
        om_expr slot = next_slot(g, items[i].t, depth, &ignored);
        n = slot_run(g, slot, &items[i], count - i, depth, &several);
        if (several) {
            most += test_switch(g, slot, &items[i], n, depth);
            continue;
        }
        n = same_run(g, &items[i], count - i, depth);
        if (n > 1) {
            most += same_if(g, &items[i], n, depth);
            continue;
        }
        g->leaf(g, items[i].t);
        most++;
    }
    return most;
}

uint32_t om_gen__tree(om_gen *g, om_gen_where where, uint32_t from, uint32_t to, om_gen_leaf *leaf)
{
    uint32_t count = 0;
    assert(from < to);
    for (uint32_t t = from; t < to; t++)
        if (where == OM_GEN_IN_ASSERTION || !om_model__is_never(g->m, t))
            g->order[count++] = (om_gen_item){ t, 0 };
    g->leaf = leaf;
    om_gen__start(g, where, from, "s");
    return tree(g, g->order, count, 0);
}
