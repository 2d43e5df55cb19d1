/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size of a relaxed plan: steps never undo what others have brought about.
 *
 * The cost of a node is the number of steps to it, where what is needed by several is counted
 * several times (B. Bonet, H. Geffner, "Planning as heuristic search", AIJ 129, 2001). The plan
 * takes, for each node that it needs, the cheapest way; each of its steps is counted once (J.
 * Hoffmann, B. Nebel, "The FF planning system", JAIR 14, 2001). A step that another one of the plan
 * needs counts EARLY times: else a state where it has been taken, and is to be undone at the end,
 * is as far as one where it has not.
 *
 *  P1  Nodes get their final costs in the order of these (Dijkstra). The cost of a node that needs
 *      all is final with that of its last child.
 */
#include "relaxed.h"

#include <assert.h>
#include <string.h>

enum { EARLY = 2 };

/* Places in the heap */
#define OUT OM_NONE
#define DONE (OM_NONE - 1)
#define SEEN (OM_NONE - 2)

typedef struct search {
    const plans *p;
    const net *n;
    om_wide *now;   /* by source */
    om_wide *value; /* by leaf: its terms */
    uint32_t *cost, *left, *extra;
    uint32_t *why;   /* LEAF: the effect; ANY: the child */
    uint32_t *since; /* LEAF: the effect that set the form before, or OM_NONE */
    uint32_t *times; /* by action, in the plan */
    uint32_t *place, *heap;
    uint32_t open; /* nodes in the heap */
} search;

static uint32_t sum(uint32_t a, uint32_t b)
{
    assert(a <= PLANS_MOST && b <= PLANS_MOST);
    return a + b < PLANS_MOST ? a + b : PLANS_MOST;
}

/* ---- the heap ---- */

static void put_at(search *s, uint32_t at, uint32_t id)
{
    assert(at < s->n->node_count);
    s->heap[at] = id;
    s->place[id] = at;
}

static void rise(search *s, uint32_t at, uint32_t id)
{
    for (; at > 0 && s->cost[s->heap[(at - 1) / 2]] > s->cost[id]; at = (at - 1) / 2)
        put_at(s, at, s->heap[(at - 1) / 2]);
    put_at(s, at, id);
}

static uint32_t take_first(search *s)
{
    const uint32_t first = s->heap[0], last = s->heap[--s->open];
    uint32_t at = 0, child = 1;
    for (; child < s->open; at = child, child = 2 * at + 1) {
        child += child + 1 < s->open && s->cost[s->heap[child + 1]] < s->cost[s->heap[child]];
        if (s->cost[s->heap[child]] >= s->cost[last])
            break;
        put_at(s, at, s->heap[child]);
    }
    if (s->open > 0)
        put_at(s, at, last);
    s->place[first] = DONE;
    return first;
}

/* Notes a way to a node. */
static void offer(search *s, uint32_t id, uint32_t cost, uint32_t why, uint32_t since)
{
    if (s->place[id] == DONE || cost >= s->cost[id])
        return;
    s->cost[id] = cost;
    s->why[id] = why;
    s->since[id] = since;
    rise(s, s->place[id] == OUT ? s->open++ : s->place[id], id);
}

/* ---- steps ---- */

/* Returns how often a step is to be taken that adds to a form; 0: it does not help. */
static uint32_t repetitions(const leaf *l, const effect *e, om_wide from)
{
    const om_wide at = from < e->low ? e->low : from > e->high ? e->high : from;
    const om_wide missing = -l->constant - at;
    if (l->test == DIFFERS)
        return missing == 0;
    if (missing % e->by != 0 && l->test == EQUAL)
        return 0;
    const om_wide times = l->test == EQUAL ? missing / e->by : (missing + e->by - 1) / e->by;
    return times <= 0 ? 0 : times < PLANS_MOST ? (uint32_t) times : PLANS_MOST;
}

static om_wide value_before(const search *s, const effect *add, uint32_t since)
{
    return since == OM_NONE ? s->value[add->leaf] : s->n->effects[since].by;
}

/* Offers a leaf the repetition of a step, after another that sets its form or from now on. */
static void repeat(search *s, uint32_t add, uint32_t since)
{
    const effect *e = &s->n->effects[add];
    const leaf *l = &s->n->leaves[e->leaf];
    const uint32_t times = repetitions(l, e, value_before(s, e, since));
    if (times == 0)
        return;
    uint32_t cost = sum(s->cost[e->action], times - 1);
    if (since != OM_NONE)
        cost = sum(cost, s->cost[s->n->effects[since].action]);
    offer(s, l->node, cost, add, since);
}

/* Offers a leaf what an action does, of which the cost is known. */
static void act(search *s, uint32_t number)
{
    const effect *all = s->n->effects, *e = &all[number];
    const leaf *l = &s->n->leaves[e->leaf];
    if (s->place[l->node] == DONE)
        return;
    if (e->kind == MAKES)
        offer(s, l->node, s->cost[e->action], number, OM_NONE);
    if (e->kind == ADDS)
        repeat(s, number, OM_NONE);
    for (uint32_t i = l->first_effect; e->kind != MAKES && i < l->first_effect + l->effects; i++)
        if (all[i].kind != MAKES && all[i].kind != e->kind && s->left[all[i].action] == 0)
            repeat(s, e->kind == ADDS ? number : i, e->kind == ADDS ? i : number);
}

/* Returns the number of steps to a leaf if its cell has a value. */
static uint32_t steps_from(const search *s, const leaf *l, om_wide value)
{
    const net *n = s->n;
    uint32_t least = PLANS_MOST;
    for (uint32_t i = l->first_effect; i < l->first_effect + l->effects; i++) {
        const effect *e = &n->effects[i];
        if (s->left[e->action] > 0 || e->kind == SETS)
            continue;
        const uint32_t times = e->kind == MAKES ? s->cost[e->action] : repetitions(l, e, value);
        if (times > 0 && times < least)
            least = times;
    }
    return least == PLANS_MOST ? 0 : least;
}

static bool passes(const leaf *l, om_wide value)
{
    value += l->constant;
    return l->test == AT_LEAST ? value >= 0 : (value == 0) == (l->test == EQUAL);
}

/* Returns the number of steps that a leaf costs more after the step that brings another one about.
 */
static uint32_t more_after(const search *s, const leaf *l, uint32_t other)
{
    const net *n = s->n;
    const net_node *at = &n->nodes[other];
    if (at->kind != LEAF || s->cost[other] == 0)
        return 0;
    const net_node *action = &n->nodes[n->effects[s->why[other]].action];
    const term *t = &n->terms[l->first];
    for (uint32_t i = 0; i < action->pins; i++) {
        const binding *b = &n->pins[action->first_pin + i];
        if (b->cell != t->cell || passes(l, b->value * t->factor))
            continue;
        const uint32_t steps = steps_from(s, l, b->value * t->factor);
        return steps > s->cost[l->node] ? steps - s->cost[l->node] : 0;
    }
    return 0;
}

/* Returns the number of steps that what a node needs costs more because one comes after another. */
static uint32_t in_context(const search *s, uint32_t id)
{
    const net *n = s->n;
    const net_node *at = &n->nodes[id];
    uint32_t all = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        const net_node *child = &n->nodes[n->arcs[at->first + i]];
        uint32_t most = 0;
        if (child->kind != LEAF || !n->leaves[child->first].counts)
            continue;
        for (uint32_t k = 0; k < at->count; k++) {
            const uint32_t more =
                k == i ? 0 : more_after(s, &n->leaves[child->first], n->arcs[at->first + k]);
            most = more > most ? more : most;
        }
        all = sum(all, most);
    }
    return all;
}

/* Tells the parents of a node its cost. */
static void settle(search *s, uint32_t id)
{
    const plans *p = s->p;
    for (uint32_t i = p->first_parent[id]; i < p->first_parent[id + 1]; i++) {
        const uint32_t parent = p->parents[i];
        if (s->n->nodes[parent].kind == ANY) {
            offer(s, parent, s->cost[id], id, OM_NONE);
            continue;
        }
        assert(s->n->nodes[id].kind != ALL && s->left[parent] > 0); /* R3 */
        s->cost[parent] = sum(s->cost[parent], s->cost[id]);
        if (--s->left[parent] > 0)
            continue;
        s->extra[parent] = in_context(s, parent);
        s->cost[parent] = sum(s->cost[parent], s->extra[parent]);
        for (uint32_t k = p->first_effect[parent]; k < p->first_effect[parent + 1]; k++)
            act(s, p->effect_of[k]);
        settle(s, parent); /* R3: no recursion after this one */
    }
}

/* ---- the search ---- */

static bool is_true(const search *s, const leaf *l)
{
    const om_wide value = l->constant + s->value[l - s->n->leaves];
    return l->test == AT_LEAST ? value >= 0 : (value == 0) == (l->test == EQUAL);
}

static void begin(search *s, const uint32_t *row)
{
    const net *n = s->n;
    for (uint32_t i = 0; i < s->p->source_count; i++) {
        const net_cell *c = &n->cells[s->p->sources[i]];
        s->now[i] = om_slot_get(om_model_slot(n->m, c->slot), row, c->element);
    }
    memset(s->place, 0xff, n->node_count * sizeof *s->place);
    memset(s->times, 0, n->node_count * sizeof *s->times);
    for (uint32_t i = 0; i < n->node_count; i++) {
        s->cost[i] = n->nodes[i].kind == ALL ? n->nodes[i].weight : PLANS_MOST;
        s->left[i] = n->nodes[i].count;
    }
    s->open = 0;
    for (uint32_t i = 0; i < n->leaf_count; i++) {
        const leaf *l = &n->leaves[i];
        s->value[i] = 0;
        for (uint32_t k = l->first; k < l->first + l->count; k++)
            s->value[i] += n->terms[k].factor * s->now[n->terms[k].cell];
        if (!is_true(s, l))
            continue;
        s->cost[l->node] = 0;
        s->place[l->node] = DONE;
    }
}

static bool is_reached(const search *s, uint32_t id)
{
    return s->n->nodes[id].kind == ALL ? s->left[id] == 0 : s->place[id] == DONE;
}

static bool reach(search *s, uint32_t goal)
{
    const net *n = s->n;
    for (uint32_t i = 0; i < n->leaf_count; i++)
        if (s->place[n->leaves[i].node] == DONE && s->cost[n->leaves[i].node] == 0)
            settle(s, n->leaves[i].node);
    for (uint32_t i = 0; i < n->node_count; i++)
        if (n->nodes[i].kind == ALL && n->nodes[i].count == 0)
            for (uint32_t k = s->p->first_effect[i]; k < s->p->first_effect[i + 1]; k++)
                act(s, s->p->effect_of[k]);
    while (s->open > 0 && !is_reached(s, goal))
        settle(s, take_first(s));
    return is_reached(s, goal);
}

/* ---- the plan ---- */

/* The heap is a stack now: twice the node, plus 1 if a step of the plan needs it. */
static void need(search *s, uint32_t id, bool early)
{
    if (s->cost[id] == 0 || s->place[id] == SEEN)
        return;
    s->place[id] = SEEN;
    s->heap[s->open++] = 2 * id + early;
}

/* Takes an action into the plan; returns the number of steps that it makes more. */
static uint64_t take(search *s, uint32_t number, uint32_t times)
{
    const uint32_t action = s->n->effects[number].action, before = s->times[action];
    if (times <= before)
        return 0;
    s->times[action] = times;
    need(s, action, true);
    return times - before;
}

static uint64_t take_leaf(search *s, uint32_t id)
{
    const effect *e = &s->n->effects[s->why[id]];
    const uint32_t since = s->since[id];
    const uint32_t times =
        e->kind == MAKES ? 1 : repetitions(&s->n->leaves[e->leaf], e, value_before(s, e, since));
    return take(s, s->why[id], times) + (since == OM_NONE ? 0 : take(s, since, 1));
}

static uint64_t size_of(search *s, uint32_t goal)
{
    uint64_t size = 0;
    s->open = 0;
    need(s, goal, false);
    while (s->open > 0) {
        const uint32_t entry = s->heap[--s->open], id = entry / 2;
        const bool early = entry % 2 != 0;
        const net_node *at = &s->n->nodes[id];
        if (at->kind == LEAF)
            size += (early ? EARLY : 1) * take_leaf(s, id);
        else if (at->kind == ANY)
            need(s, s->why[id], early);
        if (at->kind == ALL)
            size += s->extra[id];
        for (uint32_t i = 0; at->kind == ALL && i < at->count; i++)
            need(s, s->n->arcs[at->first + i], early);
    }
    return size < PLANS_MOST ? size : PLANS_MOST;
}

/* All arrays lie in the scratch. NOLINTNEXTLINE(readability-non-const-parameter) */
uint64_t plans_size(const plans *p, uint32_t goal, const uint32_t *row, om_wide *scratch)
{
    const size_t nodes = p->net->node_count;
    search s = { .p = p, .n = p->net, .now = scratch };
    s.value = s.now + p->source_count;
    uint32_t *at = (uint32_t *) (s.value + p->net->leaf_count);
    uint32_t **arrays[] = { &s.cost, &s.left, &s.extra, &s.why, &s.since, &s.times, &s.place,
        &s.heap };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, at += nodes)
        *arrays[i] = at;
    begin(&s, row);
    if (!reach(&s, goal))
        return PLANS_MOST;
    return size_of(&s, goal);
}

size_t plans_scratch(const plans *p)
{
    return p->source_count + p->net->leaf_count + (8 * p->net->node_count + 1) / 2;
}

/* ---- the tables ---- */

/* Makes counts sums: count[k + 2] is how much belongs to k. After all of it was placed by place(),
 * what belongs to k is from count[k] to count[k + 1]. */
static void add_up(uint32_t *count, size_t keys)
{
    for (size_t k = 0; k < keys; k++)
        count[k + 2] += count[k + 1];
}

static void place(uint32_t *count, uint32_t *all, uint32_t key, uint32_t value)
{
    all[count[key + 1]++] = value;
}

static void find_parents(plans *p)
{
    const net *n = p->net;
    for (size_t i = 0; i < n->arc_count; i++)
        p->first_parent[n->arcs[i] + 2]++;
    add_up(p->first_parent, n->node_count);
    for (uint32_t id = 0; id < n->node_count; id++)
        for (uint32_t i = 0; n->nodes[id].kind != LEAF && i < n->nodes[id].count; i++)
            place(p->first_parent, p->parents, n->arcs[n->nodes[id].first + i], id);
}

static void find_effects(plans *p)
{
    const net *n = p->net;
    for (size_t i = 0; i < n->effect_count; i++)
        p->first_effect[n->effects[i].action + 2]++;
    add_up(p->first_effect, n->node_count);
    for (uint32_t i = 0; i < n->effect_count; i++)
        place(p->first_effect, p->effect_of, n->effects[i].action, i);
}

/* Makes the terms of leaves name sources instead of cells. */
static int find_sources(plans *p, net *n)
{
    const uint32_t cells = n->cell_of[om_model_slot_count(n->m)];
    uint32_t *source_of = NULL;
    if (!OM_NEW(n->heap, p->sources, n->term_count + 1) ||
        !OM_NEW(n->heap, source_of, (size_t) cells + 1))
        return OM_ENOMEM;
    for (size_t i = 0; i < n->term_count; i++) {
        uint32_t *source = &source_of[n->terms[i].cell];
        if (*source == 0) {
            p->sources[p->source_count++] = n->terms[i].cell;
            *source = p->source_count;
        }
        n->terms[i].cell = *source - 1;
    }
    for (size_t i = 0; i < n->pin_count; i++) /* a cell that no leaf reads gets OM_NONE */
        n->pins[i].cell = source_of[n->pins[i].cell] - 1;
    om_free(n->heap, source_of);
    return OM_OK;
}

int plans_init(plans *p, net *n)
{
    p->net = n;
    if (!OM_NEW(n->heap, p->first_parent, n->node_count + 2) ||
        !OM_NEW(n->heap, p->parents, n->arc_count + 1) ||
        !OM_NEW(n->heap, p->first_effect, n->node_count + 2) ||
        !OM_NEW(n->heap, p->effect_of, n->effect_count + 1))
        return OM_ENOMEM;
    find_parents(p);
    find_effects(p);
    return find_sources(p, n);
}

void plans_free(plans *p)
{
    if (p->net != NULL)
        OM_FREE_ALL(
            p->net->heap, p->first_parent, p->parents, p->first_effect, p->effect_of, p->sources);
}
