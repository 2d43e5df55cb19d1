/* SPDX-License-Identifier: Apache-2.0 */
#include "moves.h"

#include <assert.h>

/* A process that moves in a transition; moves are still in transition order. */
typedef struct raw_move {
    uint32_t process;
    om_move move;
} raw_move;

typedef struct builder {
    om_moves *x;
    const om_model *m;
    uint32_t *process_of;          /* by slot: the process whose location it is, or OM_NONE */
    uint32_t *moved, *constrained; /* by process: 1 + the last transition that moves it, or */
    uint32_t *source;              /* ... whose guard tests its location; and that location */
    uint32_t *row;                 /* by process: index in raw[] of its last move */
    raw_move *raw;
    size_t raw_count, raw_room;
} builder;

/* ---- one transition ---- */

uint32_t om_move__source(const om_model *m, om_expr guard, uint32_t location)
{
    const om_node *n = &m->nodes[guard];
    if (guard == 0)
        return OM_NONE;
    if (n->op == OM_OP_AND) {
        uint32_t left = om_move__source(m, n->a, location);
        return left != OM_NONE ? left : om_move__source(m, n->b, location);
    }
    if (n->op != OM_OP_EQ || m->nodes[n->a].op != OM_OP_SLOT || m->nodes[n->a].a != location ||
        m->nodes[n->b].op != OM_OP_CONST)
        return OM_NONE;
    return (uint32_t) m->nodes[n->b].value;
}

uint32_t om_move__target(const om_model *m, const om_transition *t, uint32_t location)
{
    uint32_t to = OM_MOVE_STAYS;
    for (uint32_t i = 0; i < t->assign_count; i++)
        if (t->assigns[i].slot == location) {
            const om_node *v = om_model_node(m, t->assigns[i].value);
            to = v->op == OM_OP_CONST ? (uint32_t) v->value : OM_MOVE_ANYWHERE;
        }
    return to;
}

static uint32_t locations_of(const builder *b, uint32_t process)
{
    return om_model__slot(b->m, om_model__own_location(b->m, process))->enumerators;
}

/* Records for all processes the result of om_move__source(): the first conjunct about each process
 * counts. The recursion is as deep as expressions are (OM_EXPR_HEIGHT). */
static void note_sources(builder *b, om_expr guard, uint32_t stamp)
{
    const om_node *n = &b->m->nodes[guard];
    if (guard == 0)
        return;
    if (n->op == OM_OP_AND) {
        note_sources(b, n->a, stamp);
        note_sources(b, n->b, stamp);
        return;
    }
    if (n->op != OM_OP_EQ || b->m->nodes[n->a].op != OM_OP_SLOT ||
        b->m->nodes[n->b].op != OM_OP_CONST)
        return;
    const uint32_t process = b->process_of[b->m->nodes[n->a].a];
    if (process == OM_NONE || b->constrained[process] == stamp)
        return;
    b->constrained[process] = stamp;
    b->source[process] = (uint32_t) b->m->nodes[n->b].value;
    if (b->source[process] >= locations_of(b, process))
        b->x->readable[process] = false;
}

static int add_mover(builder *b, uint32_t process, uint32_t t)
{
    if (process == OM_NONE || b->moved[process] == t + 1)
        return OM_OK;
    b->moved[process] = t + 1;
    if (!OM_ROOM(b->m->heap, b->raw, &b->raw_room, b->raw_count + 1))
        return OM_ENOMEM;
    b->raw[b->raw_count++] = (raw_move){ process,
        { t, b->constrained[process] == t + 1 ? b->source[process] : OM_NONE, OM_MOVE_STAYS } };
    b->row[process] = (uint32_t) b->raw_count - 1;
    b->x->first[process + 1]++;
    return OM_OK;
}

/* Sets the target of a process; the last assignment counts. */
static void set_target(builder *b, uint32_t process, om_expr value)
{
    const om_node *v = &b->m->nodes[value];
    assert(b->row[process] < b->raw_count);
    b->raw[b->row[process]].move.to = v->op == OM_OP_CONST ? (uint32_t) v->value : OM_MOVE_ANYWHERE;
}

static int add_transition(builder *b, uint32_t t)
{
    const om_transition *tr = om_model_transition(b->m, t);
    const size_t first = b->raw_count;
    note_sources(b, tr->guard, t + 1);
    int rc = add_mover(b, tr->process, t);
    if (rc == OM_OK)
        rc = add_mover(b, tr->partner, t);
    for (uint32_t i = 0; i < tr->assign_count && rc == OM_OK; i++) {
        const uint32_t process = b->process_of[tr->assigns[i].slot];
        if (process == OM_NONE)
            continue;
        rc = add_mover(b, process, t);
        if (rc == OM_OK)
            set_target(b, process, tr->assigns[i].value);
    }
    for (size_t i = first; i < b->raw_count && rc == OM_OK; i++) {
        const raw_move *r = &b->raw[i];
        if (r->move.to != OM_MOVE_STAYS && b->x->readable[r->process] &&
            r->move.to >= locations_of(b, r->process))
            b->x->readable[r->process] = false;
    }
    return rc;
}

/* ---- opening and closing ---- */

static bool make_tables(builder *b)
{
    const om_heap *heap = b->m->heap;
    const size_t processes = (size_t) om_model_process_count(b->m) + 1;
    return OM_NEW(heap, b->x->first, processes + 1) && OM_NEW(heap, b->x->readable, processes) &&
           OM_NEW(heap, b->moved, processes) && OM_NEW(heap, b->constrained, processes) &&
           OM_NEW(heap, b->source, processes) && OM_NEW(heap, b->row, processes) &&
           OM_NEW(heap, b->process_of, (size_t) om_model_slot_count(b->m) + 1);
}

/* If two processes share a location slot, neither is readable. */
static void find_owners(builder *b)
{
    for (uint32_t s = 0; s < om_model_slot_count(b->m); s++)
        b->process_of[s] = OM_NONE;
    for (uint32_t p = 0; p < om_model_process_count(b->m); p++) {
        const uint32_t slot = om_model__own_location(b->m, p);
        if (slot == OM_NONE)
            continue;
        const uint32_t other = b->process_of[slot];
        b->x->readable[p] = other == OM_NONE;
        if (other != OM_NONE)
            b->x->readable[other] = false;
        b->process_of[slot] = p;
    }
}

/* Sorts by process: a stable counting sort. */
static int sort(builder *b)
{
    const uint32_t processes = om_model_process_count(b->m);
    om_moves *x = b->x;
    if (!OM_NEW(x->heap, x->at, b->raw_count + 1))
        return OM_ENOMEM;
    for (uint32_t p = 0; p < processes; p++) {
        x->first[p + 1] += x->first[p];
        b->moved[p] = x->first[p]; /* position of its next move */
    }
    for (size_t i = 0; i < b->raw_count; i++)
        x->at[b->moved[b->raw[i].process]++] = b->raw[i].move;
    assert(x->first[processes] == b->raw_count);
    return OM_OK;
}

int om_moves__open(om_moves *x, const om_model *m)
{
    builder b = { .x = x, .m = m };
    *x = (om_moves){ .heap = m->heap };
    int rc = make_tables(&b) ? OM_OK : OM_ENOMEM;
    if (rc == OM_OK)
        find_owners(&b);
    for (uint32_t t = 0; t < om_model_transition_count(m) && rc == OM_OK; t++) {
        rc = om_context_stopped(m->ctx);
        if (rc == OM_OK)
            rc = add_transition(&b, t);
    }
    if (rc == OM_OK)
        rc = sort(&b);
    OM_FREE_ALL(m->heap, b.moved, b.constrained, b.source, b.row, b.process_of, b.raw);
    return rc;
}

void om_moves__close(om_moves *x)
{
    OM_FREE_ALL(x->heap, x->at, x->first, x->readable);
}
