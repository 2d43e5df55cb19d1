/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transitions of which every cycle of the state graph has one (D3), found in the text of the model:
 * R. Kurshan, V. Levin, M. Minea, D. Peled, H. Yenigun, "Static partial order reduction", TACAS
 * 1998.
 *
 * Each transition *comes from* a place, and *goes to* places. A place is a location of a process
 * or, in a model without processes, a cell: a transition comes from one that it decreases, and goes
 * to all that it increases or sets. Along a cycle of the state graph, all processes come back to
 * their locations, and all cells to their values. So for each transition of the cycle, another one
 * of the cycle goes to the place from which the first one comes, and some of them form a cycle of
 * the graph "t goes to the place from which u comes". One transition of each cycle of this graph is
 * made sticky: the target of a back edge of a depth-first search. A transition that comes from
 * nowhere, as far as is known, is sticky.
 */
#include "depend.h"

#include "analysis/moves.h"

#include <stdlib.h>

/* An edge of a transition to a place */
typedef struct arrow {
    uint32_t transition, place;
} arrow;

typedef struct flow {
    om_depend *d;
    arrow *to; /* where transitions go, in the order of the transitions */
    size_t to_count, to_room;
    uint32_t *first_to;             /* by transition; one entry more at the end */
    uint32_t *from;                 /* by transition: the place from which it comes, or OM_NONE */
    uint32_t *first_from, *leaving; /* by place: the transitions that come from it */
    uint32_t places;
} flow;

static int go_to(flow *f, uint32_t transition, uint32_t place)
{
    if (!OM_ROOM(f->d->m->heap, f->to, &f->to_room, f->to_count + 1))
        return OM_ENOMEM;
    f->to[f->to_count++] = (arrow){ transition, place };
    return OM_OK;
}

/* ---- places ---- */

/* Adds what one move says of its transition: `base` is the place of the process's location 0. A
 * transition with a move whose target is not known is sticky. */
static int add_move(flow *f, const om_move *v, uint32_t base)
{
    bool *sticky = &f->d->sticky[v->transition];
    if (v->to == OM_MOVE_ANYWHERE || v->to == v->from ||
        (v->to == OM_MOVE_STAYS && v->from == OM_NONE)) {
        *sticky = *sticky || v->to != OM_MOVE_STAYS;
        return OM_OK;
    }
    if (v->from != OM_NONE && f->from[v->transition] == OM_NONE)
        f->from[v->transition] = base + v->from;
    return go_to(f, v->transition, base + (v->to == OM_MOVE_STAYS ? v->from : v->to));
}

/* Locations as places */
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

/* Cells as places */
static int add_cells(flow *f)
{
    const om_footprint *p = &f->d->footprint;
    int rc = OM_OK;
    f->places = p->cell_of[om_model_slot_count(f->d->m)];
    for (uint32_t t = 0; t < om_model_transition_count(f->d->m); t++)
        for (uint32_t i = p->first[t]; i < p->first[t + 1] && rc == OM_OK; i++) {
            const om_access *a = &p->accesses[i];
            if (!om_access__writes(a))
                continue;
            if (a->kind == OM_WRITE_ADD && a->value < 0) {
                f->from[t] = f->from[t] == OM_NONE ? a->cell : f->from[t];
                continue;
            }
            for (uint32_t c = 0; c < a->count && rc == OM_OK; c++)
                rc = go_to(f, t, a->cell + c);
        }
    return rc;
}

/* ---- the graph ---- */

static int by_transition(const void *x, const void *y)
{
    const arrow *a = x, *b = y;
    return a->transition != b->transition ? (a->transition < b->transition ? -1 : 1)
                                          : (a->place > b->place) - (a->place < b->place);
}

/* Sorts the arrows by their transitions, and the transitions by the places they come from. */
static int index_flow(flow *f)
{
    const om_heap *heap = f->d->m->heap;
    const uint32_t transitions = om_model_transition_count(f->d->m);
    if (!OM_NEW(heap, f->first_to, transitions + (size_t) 2) ||
        !OM_NEW(heap, f->first_from, f->places + (size_t) 3) ||
        !OM_NEW(heap, f->leaving, transitions + (size_t) 1))
        return OM_ENOMEM;
    if (f->to_count > 0)
        qsort(f->to, f->to_count, sizeof *f->to, by_transition);
    for (size_t i = 0; i < f->to_count; i++)
        f->first_to[f->to[i].transition + 1]++;
    for (uint32_t t = 0; t < transitions; t++) {
        f->first_to[t + 1] += f->first_to[t];
        if (f->from[t] == OM_NONE)
            f->d->sticky[t] = true;
        else
            f->first_from[f->from[t] + 2]++;
    }
    for (uint32_t p = 2; p < f->places + 2; p++)
        f->first_from[p] += f->first_from[p - 1];
    for (uint32_t t = 0; t < transitions; t++)
        if (f->from[t] != OM_NONE)
            f->leaving[f->first_from[f->from[t] + 1]++] = t;
    return OM_OK;
}

/* ---- the search ---- */

typedef enum colour { NEW, OPEN, DONE } colour;

/* A transition on the stack, and its next successor */
typedef struct frame {
    uint32_t transition, arrow, leaving;
} frame;

/* Returns the next transition that comes from a place to which the frame's goes; OM_NONE: none. */
static uint32_t next_of(const flow *f, frame *at)
{
    for (; at->arrow < f->first_to[at->transition + 1]; at->arrow++, at->leaving = 0) {
        const uint32_t place = f->to[at->arrow].place;
        if (at->leaving < f->first_from[place + 1] - f->first_from[place])
            return f->leaving[f->first_from[place] + at->leaving++];
    }
    return OM_NONE;
}

/* Searches from a transition. A sticky one is not entered: its cycles have one. */
static void search(flow *f, uint32_t root, uint8_t *colours, frame *stack)
{
    size_t depth = 1;
    stack[0] = (frame){ root, f->first_to[root], 0 };
    colours[root] = OPEN;
    while (depth > 0) {
        const uint32_t next = next_of(f, &stack[depth - 1]);
        if (next == OM_NONE)
            colours[stack[--depth].transition] = DONE;
        else if (colours[next] == OPEN)
            f->d->sticky[next] = true;
        else if (colours[next] == NEW && !f->d->sticky[next]) {
            colours[next] = OPEN;
            stack[depth++] = (frame){ next, f->first_to[next], 0 };
        }
    }
}

int om_depend__find_sticky(om_depend *d)
{
    const om_heap *heap = d->m->heap;
    const uint32_t transitions = om_model_transition_count(d->m);
    flow f = { .d = d };
    uint8_t *colours = NULL;
    frame *stack = NULL;
    int rc = OM_NEW(heap, f.from, transitions + (size_t) 1) &&
                     OM_NEW(heap, colours, transitions + (size_t) 1) &&
                     OM_NEW(heap, stack, transitions + (size_t) 1)
                 ? OM_OK
                 : OM_ENOMEM;
    for (uint32_t t = 0; t < transitions && rc == OM_OK; t++)
        f.from[t] = OM_NONE;
    if (rc == OM_OK)
        rc = om_model_process_count(d->m) > 0 ? add_processes(&f) : add_cells(&f);
    if (rc == OM_OK)
        rc = index_flow(&f);
    for (uint32_t t = 0; t < transitions && rc == OM_OK; t++)
        if (colours[t] == NEW && !d->sticky[t])
            search(&f, t, colours, stack);
    OM_FREE_ALL(heap, f.to, f.first_to, f.from, f.first_from, f.leaving, colours, stack);
    return rc;
}
