/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transitions of which every cycle of the state graph has one (D3), found in the text of the model,
 * after R. Kurshan, V. Levin, M. Minea, D. Peled, H. Yenigun, "Static partial order reduction",
 * TACAS 1998.
 *
 * A *place* is a location of a process, or a cell from which some transition subtracts: a place of
 * a net, or the length of a channel. A transition *leaves* the locations that it tests, if it moves
 * the process, and the cells from which it subtracts; it *goes to* the locations where it moves
 * processes, and to the cells that it changes otherwise. Along a cycle of the state graph, all
 * processes come back to their locations, and all cells to their values. So for each transition of
 * the cycle and each place that it leaves, some transition of the cycle goes there.
 *
 * Each transition that is not sticky gets one of the places that it leaves, with edges from there
 * to all places where it goes, such that the graph of all these edges has no cycle. If no
 * transition of a cycle of the state graph were sticky, each would have its place, and, before it,
 * the place of the one that goes there, and so on: a cycle of edges.
 */
#include "depend.h"

#include "analysis/moves.h"

#include <stdlib.h>

/* Steps of all searches of the graph; then all further transitions are sticky. */
enum { MOST_STEPS = 1 << 26 };

/* Transitions and their places */
typedef struct arrow {
    uint32_t transition, place;
} arrow;

typedef struct arrows {
    arrow *at;
    size_t count, room;
    uint32_t *first; /* by transition; one entry more at the end */
} arrows;

/* An edge of the graph of places: a list by source */
typedef struct edge {
    uint32_t to, next; /* next: 1 + its number, or 0 */
} edge;

typedef struct flow {
    om_depend *d;
    arrows leaves, goes_to;
    uint32_t *place_of; /* by cell: its place, or OM_NONE */
    uint32_t places;
    edge *edges;
    size_t edge_count, edge_room;
    uint32_t *edges_of;       /* by place: 1 + its first edge, or 0 */
    uint32_t *visited, visit; /* by place */
    uint32_t *stack;
    uint64_t steps;
} flow;

static int add_arrow(flow *f, arrows *a, uint32_t transition, uint32_t place)
{
    if (!OM_ROOM(f->d->m->heap, a->at, &a->room, a->count + 1))
        return OM_ENOMEM;
    a->at[a->count++] = (arrow){ transition, place };
    return OM_OK;
}

/* ---- places ---- */

/* Adds what one move says of its transition: `base` is the place of the process's location 0. If it
 * is not known where the process goes, the transition is sticky. */
static int add_move(flow *f, const om_move *v, uint32_t base)
{
    int rc = OM_OK;
    if (f->d->footprint.dead[v->transition] || v->to == OM_MOVE_STAYS)
        return OM_OK;
    if (v->to == OM_MOVE_ANYWHERE) {
        f->d->sticky[v->transition] = true;
        return OM_OK;
    }
    if (v->from != OM_NONE)
        rc = add_arrow(f, &f->leaves, v->transition, base + v->from);
    return rc == OM_OK ? add_arrow(f, &f->goes_to, v->transition, base + v->to) : rc;
}

static int add_processes(flow *f)
{
    const om_model *m = f->d->m;
    om_moves moves;
    int rc = om_moves__open(&moves, m);
    for (uint32_t p = 0; p < om_model_process_count(m) && rc == OM_OK; p++) {
        if (!moves.readable[p])
            continue;
        for (uint32_t i = moves.first[p]; i < moves.first[p + 1] && rc == OM_OK; i++)
            rc = add_move(f, &moves.at[i], f->places);
        f->places += om_model__slot(m, om_model__own_location(m, p))->enumerators;
    }
    om_moves__close(&moves);
    return rc;
}

static bool subtracts(const om_access *a)
{
    return a->kind == OM_WRITE_ADD && a->value < 0;
}

static int add_cells(flow *f)
{
    const om_footprint *p = &f->d->footprint;
    const uint32_t cells = p->cell_of[om_model_slot_count(f->d->m)];
    int rc = OM_NEW(f->d->m->heap, f->place_of, cells + (size_t) 1) ? OM_OK : OM_ENOMEM;
    for (uint32_t c = 0; c < cells && rc == OM_OK; c++)
        f->place_of[c] = OM_NONE;
    for (uint32_t t = 0; t < p->transitions; t++)
        for (uint32_t i = p->first[t]; i < p->own_end[t] && rc == OM_OK; i++)
            if (subtracts(&p->accesses[i])) {
                const uint32_t cell = p->accesses[i].cell;
                if (f->place_of[cell] == OM_NONE)
                    f->place_of[cell] = f->places++;
                rc = add_arrow(f, &f->leaves, t, f->place_of[cell]);
            }
    for (uint32_t t = 0; t < p->transitions; t++)
        for (uint32_t i = p->first[t]; i < p->own_end[t] && rc == OM_OK; i++) {
            const om_access *a = &p->accesses[i];
            for (uint32_t c = a->cell; c < a->cell + a->count && om_access__writes(a); c++)
                if (f->place_of[c] != OM_NONE && !subtracts(a) && rc == OM_OK)
                    rc = add_arrow(f, &f->goes_to, t, f->place_of[c]);
        }
    return rc;
}

/* Sorts arrows by transition: a counting sort. */
static bool index_arrows(const flow *f, arrows *a)
{
    const om_heap *heap = f->d->m->heap;
    const uint32_t transitions = f->d->footprint.transitions;
    arrow *sorted = NULL;
    if (!OM_NEW(heap, a->first, transitions + (size_t) 2) || !OM_NEW(heap, sorted, a->count + 1))
        return false;
    for (size_t i = 0; i < a->count; i++)
        a->first[a->at[i].transition + 2]++;
    for (uint32_t t = 0; t < transitions; t++)
        a->first[t + 2] += a->first[t + 1];
    for (size_t i = 0; i < a->count; i++)
        sorted[a->first[a->at[i].transition + 1]++] = a->at[i];
    om_free(heap, a->at);
    a->at = sorted;
    return true;
}

/* ---- the graph ---- */

/* Puts a place on the stack unless the visit has been there. */
static size_t push(flow *f, uint32_t place, size_t depth)
{
    if (f->visited[place] != f->visit)
        f->stack[depth++] = place;
    f->visited[place] = f->visit;
    return depth;
}

/* Returns true if edges from a place to all where the transition goes would close a cycle. */
static bool closes_cycle(flow *f, uint32_t t, uint32_t place)
{
    size_t depth = 0;
    f->visit++;
    for (uint32_t i = f->goes_to.first[t]; i < f->goes_to.first[t + 1]; i++)
        depth = push(f, f->goes_to.at[i].place, depth);
    while (depth > 0 && f->visited[place] != f->visit) {
        const uint32_t at = f->stack[--depth];
        for (uint32_t e = f->edges_of[at]; e != 0; e = f->edges[e - 1].next) {
            depth = push(f, f->edges[e - 1].to, depth);
            f->steps++;
        }
    }
    return f->visited[place] == f->visit;
}

static int add_edges(flow *f, uint32_t t, uint32_t place)
{
    for (uint32_t i = f->goes_to.first[t]; i < f->goes_to.first[t + 1]; i++) {
        if (!OM_ROOM(f->d->m->heap, f->edges, &f->edge_room, f->edge_count + 1))
            return OM_ENOMEM;
        f->edges[f->edge_count] = (edge){ f->goes_to.at[i].place, f->edges_of[place] };
        f->edges_of[place] = (uint32_t) ++f->edge_count;
    }
    return OM_OK;
}

/* Gives a transition a place, or makes it sticky. */
static int place(flow *f, uint32_t t)
{
    bool placed = f->d->sticky[t] || f->d->footprint.dead[t];
    int rc = OM_OK;
    for (uint32_t i = f->leaves.first[t]; i < f->leaves.first[t + 1] && !placed; i++) {
        placed = f->steps < MOST_STEPS && !closes_cycle(f, t, f->leaves.at[i].place);
        if (placed)
            rc = add_edges(f, t, f->leaves.at[i].place);
    }
    f->d->sticky[t] = f->d->sticky[t] || !placed;
    return rc;
}

/* ---- the order ---- */

/* A transition, and how little it helps if it is not sticky */
typedef struct rank {
    uint32_t transition;
    uint64_t useless;
} rank;

static int by_use(const void *x, const void *y)
{
    const rank *a = x, *b = y;
    return a->useless != b->useless
               ? (a->useless < b->useless ? -1 : 1)
               : (a->transition > b->transition) - (a->transition < b->transition);
}

/* Those that are seen come last, and before them those with many rivals. */
static int place_all(flow *f)
{
    om_depend *d = f->d;
    const uint32_t transitions = d->footprint.transitions;
    rank *order = NULL;
    int rc = OM_NEW(d->m->heap, order, transitions + (size_t) 1) ? OM_OK : OM_ENOMEM;
    for (uint32_t t = 0; t < transitions && rc == OM_OK; t++)
        order[t] = (rank){ t, om_lists__length(&d->rivals, t) + ((uint64_t) d->seen[t] << 32) };
    if (rc == OM_OK && transitions > 0)
        qsort(order, transitions, sizeof *order, by_use);
    for (uint32_t i = 0; i < transitions && rc == OM_OK; i++) {
        rc = place(f, order[i].transition);
        if (rc == OM_OK)
            rc = om_context_stopped(d->m->ctx);
    }
    om_free(d->m->heap, order);
    return rc;
}

/* A sequence is sticky if one of its transitions is. */
static void join_sequences(om_depend *d)
{
    const om_footprint *f = &d->footprint;
    for (uint32_t t = 0; t < f->transitions; t++)
        for (uint32_t i = f->first_follower[t]; i < f->first_follower[t + 1]; i++)
            d->sticky[t] = d->sticky[t] || d->sticky[f->followers[i]];
}

int om_depend__find_sticky(om_depend *d)
{
    const om_heap *heap = d->m->heap;
    flow f = { .d = d };
    int rc =
        add_cells(&f); /* of the places that a transition leaves, the first that fits is taken */
    if (rc == OM_OK)
        rc = add_processes(&f);
    if (rc == OM_OK && (!index_arrows(&f, &f.leaves) || !index_arrows(&f, &f.goes_to) ||
                           !OM_NEW(heap, f.edges_of, f.places + (size_t) 1) ||
                           !OM_NEW(heap, f.visited, f.places + (size_t) 1) ||
                           !OM_NEW(heap, f.stack, f.places + (size_t) 1)))
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = place_all(&f);
    if (rc == OM_OK)
        join_sequences(d);
    OM_FREE_ALL(heap, f.leaves.at, f.leaves.first, f.goes_to.at, f.goes_to.first, f.place_of,
        f.edges, f.edges_of, f.visited, f.stack);
    return rc;
}
