/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

#include <string.h>

int om_graph__open(om_graph *g, om_context *ctx, const om_product_spec *spec)
{
    const om_heap *heap = om_context_heap(ctx);
    uint32_t words = spec->executor->words + (spec->automaton != NULL);

    *g = (om_graph){ .ctx = ctx, .spec = spec, .space = { .heap = heap, .words = words } };
    g->next.heap = heap;
    g->from = om_alloc(heap, (size_t) words * 2, sizeof *g->from);
    return g->from == NULL ? om_fail_memory(ctx) : OM_OK;
}

void om_graph__close(om_graph *g)
{
    const om_heap *heap = g->space.heap;
    if (heap == NULL)
        return;
    om_space__free(&g->space);
    om_successors_free(&g->next);
    om_free(heap, g->from);
    om_free(heap, g->hops);
    *g = (om_graph){ 0 };
}

static int add_hop(om_graph *g, const uint32_t *vector, uint32_t transition, om_marks marks)
{
    om_hop hop = { .transition = transition, .marks = marks };
    bool fresh;
    om_hop *moved = om_grow(g->space.heap, g->hops, &g->hop_room, g->hop_count + 1, sizeof *moved);
    if (moved != NULL)
        g->hops = moved;
    if (moved == NULL || om_space__intern(&g->space, vector, &hop.to, &fresh) != OM_OK)
        return om_fail_memory(g->ctx);
    g->hops[g->hop_count++] = hop;
    return OM_OK;
}

int om_graph__initial(om_graph *g)
{
    const om_executor *x = g->spec->executor;
    const om_automaton *a = g->spec->automaton;
    int rc = OM_OK;

    g->hop_count = 0;
    x->initial(x, g->from);
    if (a == NULL)
        return add_hop(g, g->from, OM_NONE, 0);
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_initial_count(a); i++) {
        g->from[x->words] = om_automaton_initial(a, i);
        rc = add_hop(g, g->from, OM_NONE, 0);
    }
    return rc;
}

/* The hops over one step of the model. */
static int add_step(om_graph *g, uint32_t q, const uint32_t *model, uint32_t transition)
{
    const om_automaton *a = g->spec->automaton;
    uint32_t words = g->spec->executor->words, count, *to = g->from + g->space.words;
    int rc = OM_OK;

    memcpy(to, model, words * sizeof *to);
    if (a == NULL)
        return add_hop(g, to, transition, 0);
    const om_edge *edges = om_automaton_edges(a, q, &count);
    for (uint32_t i = 0; rc == OM_OK && i < count; i++) {
        if (!om_edge_matches(&edges[i], om_automaton_cubes(a), g->label))
            continue;
        to[words] = edges[i].dst;
        rc = add_hop(g, to, transition, edges[i].marks);
    }
    return rc;
}

static int went_wrong(om_graph *g, uint32_t id)
{
    if (g->met == 0) {
        g->met = g->fault;
        g->met_at = id;
    }
    return OM_OK;
}

int om_graph__expand(om_graph *g, uint32_t id)
{
    const om_product_spec *spec = g->spec;
    const om_executor *x = spec->executor;
    int rc;

    g->hop_count = 0;
    g->fault = 0;
    g->dead_end = false;
    if (om_context_stopped(g->ctx) != OM_OK)
        return om_context_stopped(g->ctx);
    /* A copy: interning moves the vectors. */
    memcpy(g->from, om_space__vector(&g->space, id), g->space.words * sizeof *g->from);
    uint32_t q = spec->automaton == NULL ? 0 : g->from[x->words];
    g->label = x->aps == 0 ? 0 : x->labels(x, g->from, &g->fault);
    if (g->fault != 0)
        return went_wrong(g, id);
    if (om_executor_successors(x, g->from, &g->next) != OM_OK)
        return om_fail_memory(g->ctx);
    g->fault = g->next.fault;
    if (g->fault != 0)
        return went_wrong(g, id);
    g->dead_end = g->next.count == 0;
    if (g->dead_end && spec->deadlock_ap != OM_NONE)
        g->label |= (om_label) 1 << spec->deadlock_ap;
    if (g->dead_end && spec->stutter)
        return add_step(g, q, g->from, OM_STUTTER);
    rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < g->next.count; i++)
        rc = add_step(g, q, g->next.words + i * x->words, g->next.transition[i]);
    return rc;
}

/* ---- breadth-first search ---- */

void om_walk__free(om_walk *w)
{
    om_free(w->heap, w->hops);
    w->hops = NULL;
    w->count = w->room = 0;
}

/* How a state was first met. `from` is OM_NONE where it was not, the state itself for a source. */
typedef struct trail {
    uint32_t from, transition;
    om_marks marks;
} trail;

typedef struct search {
    om_graph *g;
    const om_goal *goal;
    trail *trails;
    size_t trail_count, trail_room;
    uint32_t *queue;
    size_t queued, queue_room;
} search;

/* Notes how a state was met; *fresh when it had not been. */
static int meet(search *s, uint32_t id, trail how, bool *fresh)
{
    const om_heap *heap = s->g->space.heap;
    trail *trails = om_grow(heap, s->trails, &s->trail_room, (size_t) id + 1, sizeof *trails);
    if (trails != NULL)
        s->trails = trails;
    uint32_t *queue = om_grow(heap, s->queue, &s->queue_room, s->queued + 1, sizeof *queue);
    if (queue != NULL)
        s->queue = queue;
    if (trails == NULL || queue == NULL)
        return om_fail_memory(s->g->ctx);
    for (; s->trail_count <= id; s->trail_count++)
        trails[s->trail_count].from = OM_NONE;
    *fresh = trails[id].from == OM_NONE;
    if (*fresh) {
        trails[id] = how;
        queue[s->queued++] = id;
    }
    return OM_OK;
}

static bool in_set(const uint8_t *set, size_t count, uint32_t id)
{
    return set != NULL && id < count && set[id] != 0;
}

/* Appends the trail to `last` and then the hop (NULL: none) to the walk. */
static int take(const search *s, uint32_t last, const om_hop *hop, om_walk *walk)
{
    size_t length = hop != NULL, at;
    uint32_t id = last;
    for (; s->trails[id].from != id; id = s->trails[id].from)
        length++;
    om_hop *moved =
        om_grow(walk->heap, walk->hops, &walk->room, walk->count + length, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(s->g->ctx);
    walk->hops = moved;
    if (walk->count == 0)
        walk->start = id;
    at = walk->count += length;
    if (hop != NULL)
        moved[--at] = *hop;
    for (id = last; s->trails[id].from != id; id = s->trails[id].from)
        moved[--at] = (om_hop){ id, s->trails[id].transition, s->trails[id].marks };
    return OM_OK;
}

/* Looks at what the state leads to. */
static int visit(search *s, uint32_t id, om_walk *walk, bool *found)
{
    const om_goal *goal = s->goal;
    int rc = om_graph__expand(s->g, id);
    if (rc != OM_OK)
        return rc;
    if (goal->at != NULL && goal->at(goal->self, s->g, id)) {
        *found = true;
        return take(s, id, NULL, walk);
    }
    for (size_t i = 0; rc == OM_OK && i < s->g->hop_count; i++) {
        om_hop hop = s->g->hops[i];
        bool fresh;
        if (goal->within != NULL && !in_set(goal->within, goal->within_count, hop.to))
            continue;
        if ((hop.marks & goal->marks) != 0 || hop.to == goal->state ||
            in_set(goal->target, goal->target_count, hop.to)) {
            *found = true;
            return take(s, id, &hop, walk);
        }
        rc = meet(s, hop.to, (trail){ id, hop.transition, hop.marks }, &fresh);
    }
    return rc;
}

int om_graph__search(om_graph *g, const uint32_t *sources, size_t source_count, const om_goal *goal,
    size_t most, om_walk *walk, bool *found)
{
    search s = { .g = g, .goal = goal };
    int rc = OM_OK;
    bool fresh;

    *found = false;
    for (size_t i = 0; rc == OM_OK && i < source_count; i++)
        rc = meet(&s, sources[i], (trail){ sources[i], OM_NONE, 0 }, &fresh);
    for (size_t i = 0; rc == OM_OK && !*found && i < s.queued; i++) {
        if (most != 0 && g->space.count > most)
            break;
        rc = visit(&s, s.queue[i], walk, found);
    }
    om_free(g->space.heap, s.trails);
    om_free(g->space.heap, s.queue);
    return rc;
}
