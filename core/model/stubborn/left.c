/* SPDX-License-Identifier: Apache-2.0 */
#include "left.h"

#include <string.h>

/* ---- moves by transition ---- */

/* A counting sort */
static bool index_moves(om_left *l)
{
    const om_heap *heap = l->m->heap;
    const uint32_t processes = om_model_process_count(l->m),
                   transitions = om_model_transition_count(l->m), moves = l->moves.first[processes];
    uint32_t places = 0;
    if (!OM_NEW(heap, l->first, transitions + (size_t) 2) ||
        !OM_NEW(heap, l->of, moves + (size_t) 1) ||
        !OM_NEW(heap, l->process_of, moves + (size_t) 1) ||
        !OM_NEW(heap, l->base, processes + (size_t) 1) ||
        !OM_NEW(heap, l->open, processes + (size_t) 1))
        return false;
    for (uint32_t i = 0; i < moves; i++)
        l->first[l->moves.at[i].transition + 2]++;
    for (uint32_t t = 0; t < transitions; t++)
        l->first[t + 2] += l->first[t + 1];
    for (uint32_t p = 0; p < processes; p++) {
        l->base[p] = places;
        if (l->moves.readable[p])
            places += om_model__slot(l->m, om_model__own_location(l->m, p))->enumerators;
        for (uint32_t i = l->moves.first[p]; i < l->moves.first[p + 1]; i++) {
            l->process_of[i] = p;
            l->of[l->first[l->moves.at[i].transition + 1]++] = i;
        }
    }
    l->base[processes] = places;
    return OM_NEW(heap, l->tested, places + (size_t) 1) &&
           OM_NEW(heap, l->skipped, om_model_slot_count(l->m) + (size_t) 1);
}

/* Returns the move of a process in a transition, or NULL. */
static const om_move *move_of(const om_left *l, uint32_t t, uint32_t process)
{
    for (uint32_t i = l->first[t]; i < l->first[t + 1]; i++)
        if (l->process_of[l->of[i]] == process)
            return &l->moves.at[l->of[i]];
    return NULL;
}

/* ---- private slots ---- */

/* MOST_TESTED: processes whose locations are known at a place of an expression. MOST_LOOKS: nodes
 * that are looked at more than once, because it matters where they stand. */
enum { MOST_TESTED = 64, MOST_LOOKS = 1 << 24 };

/* The transition whose reads are looked at */
typedef struct reader {
    om_left *l;
    uint32_t t;
    uint32_t *seen; /* by expression: the last transition in which it is read anywhere, plus 1 */
    struct {
        uint32_t process;
        om_value location;
    } tested[MOST_TESTED];
    uint32_t count, looks;
    bool in_effect; /* of the transition: it is read only if the guard holds */
    bool failed;    /* memory ran out */
} reader;

/* Notes that a slot of a process is read in a location. */
static void note_read(reader *r, uint32_t p, om_value location, uint32_t slot)
{
    om_left *l = r->l;
    const uint32_t at = l->base[p];
    if (location < 0 || (uint32_t) location >= l->base[p + 1] - at)
        return;
    const om_left_read read = { at + (uint32_t) location, slot };
    const om_left_read *last = l->read_count == 0 ? NULL : &l->reads[l->read_count - 1];
    if (last != NULL && last->place == read.place && last->slot == read.slot)
        return;
    if (OM_ROOM(l->m->heap, l->reads, &l->read_room, l->read_count + 1))
        l->reads[l->read_count++] = read;
    else
        r->failed = true;
}

static void see(reader *r, uint32_t slot)
{
    const uint32_t p = om_model__slot(r->l->m, slot)->process;
    const om_move *v = p == OM_NONE ? NULL : move_of(r->l, r->t, p);
    if (!r->l->is_private[slot])
        return;
    if (v != NULL && v->from != OM_NONE) {
        if (!r->in_effect)
            note_read(r, p, (om_value) v->from, slot);
        return;
    }
    for (uint32_t i = 0; i < r->count; i++)
        if (r->tested[i].process == p) {
            note_read(r, p, r->tested[i].location, slot);
            return;
        }
    r->l->is_private[slot] = false;
}

/* Adds the processes whose locations a conjunction tests. */
static void add_tested(reader *r, om_expr e)
{
    const om_model *m = r->l->m;
    const om_node *n = &m->nodes[e], *left = &m->nodes[n->a];
    if (n->op == OM_OP_AND) {
        add_tested(r, n->a);
        add_tested(r, n->b);
    } else if (n->op == OM_OP_EQ && left->op == OM_OP_SLOT && m->nodes[n->b].op == OM_OP_CONST) {
        const uint32_t p = om_model__slot(m, left->a)->process;
        if (p != OM_NONE && om_model__own_location(m, p) == left->a && r->count < MOST_TESTED) {
            r->tested[r->count].process = p;
            r->tested[r->count++].location = m->nodes[n->b].value;
        }
    }
}

/* Looks at all that an expression reads. If a conjunct, or a premise, that tests a location is
 * false, it does not matter what the others read. */
static void look(reader *r, om_expr e, bool is_conjunct)
{
    const om_node n = r->l->m->nodes[e];
    const uint32_t count = r->count;
    if (e == 0 || n.op == OM_OP_CONST || (count == 0 && r->seen[e] == r->t + 1) ||
        r->looks == MOST_LOOKS)
        return;
    if (count == 0)
        r->seen[e] = r->t + 1;
    else
        r->looks++;
    if (n.op == OM_OP_AND && !is_conjunct)
        add_tested(r, e);
    if (n.op == OM_OP_IMPLY)
        add_tested(r, n.a);
    if (n.op == OM_OP_SLOT || n.op == OM_OP_ELEMENT)
        see(r, n.a);
    else
        look(r, n.a, n.op == OM_OP_AND);
    if (n.op != OM_OP_SLOT)
        look(r, n.b, n.op == OM_OP_AND);
    r->count = count;
}

static int look_at_all(om_left *l, reader *r)
{
    const om_model *m = l->m;
    int rc = OM_OK;
    for (r->t = 0; r->t < om_model_transition_count(m) && rc == OM_OK; r->t++) {
        const om_transition *tr = om_model_transition(m, r->t);
        look(r, tr->guard, false);
        r->in_effect = true;
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            look(r, tr->assigns[i].index, false);
            look(r, tr->assigns[i].value, false);
        }
        r->in_effect = false;
        rc = om_context_stopped(m->ctx);
    }
    for (uint32_t i = 0; i < om_model_assertion_count(m) && rc == OM_OK; i++)
        look(r, om_model_assertion(m, i)->condition, false); /* as a transition that moves none */
    return rc;
}

static int find_private(om_left *l)
{
    const om_model *m = l->m;
    const uint32_t slots = om_model_slot_count(m);
    reader r = { .l = l };
    int rc =
        OM_NEW(m->heap, l->is_private, slots + (size_t) 1) && OM_NEW(m->heap, r.seen, m->node_count)
            ? OM_OK
            : OM_ENOMEM;
    for (uint32_t s = 0; s < slots && rc == OM_OK; s++) {
        const uint32_t p = om_model__slot(m, s)->process;
        l->is_private[s] = p != OM_NONE && l->moves.readable[p] && !om_model__is_member(m, s) &&
                           s != om_model__own_location(m, p);
    }
    if (rc == OM_OK)
        rc = look_at_all(l, &r);
    if (rc == OM_OK && r.failed)
        rc = OM_ENOMEM;
    if (r.looks == MOST_LOOKS)
        memset(l->is_private, false, slots * sizeof *l->is_private);
    om_free(m->heap, r.seen);
    return rc;
}

/* ---- ends ---- */

void om_left__update(om_left *l, const bool *dead)
{
    const uint32_t processes = om_model_process_count(l->m);
    memset(l->tested, false, l->base[processes] * sizeof *l->tested);
    for (size_t i = 0; i < l->read_count; i++)
        if (l->skipped[l->reads[i].slot])
            l->tested[l->reads[i].place] = true;
    memset(l->open, false, processes * sizeof *l->open);
    for (uint32_t i = 0; i < l->moves.first[processes]; i++) {
        const om_move *v = &l->moves.at[i];
        const uint32_t p = l->process_of[i];
        if (dead[v->transition] || !l->moves.readable[p])
            continue;
        if (v->from != OM_NONE)
            l->tested[l->base[p] + v->from] = true;
        else if (v->to != OM_MOVE_STAYS)
            l->open[p] = true;
    }
}

bool om_left__ends(const om_left *l, uint32_t transition, uint32_t slot)
{
    if (!l->is_private[slot])
        return false;
    const uint32_t p = om_model__slot(l->m, slot)->process;
    const om_move *v = move_of(l, transition, p);
    return v != NULL && v->to < OM_MOVE_ANYWHERE && !l->open[p] && !l->tested[l->base[p] + v->to];
}

bool om_left__skip(om_left *l, uint32_t slot)
{
    const bool before = l->skipped[slot];
    l->skipped[slot] = true;
    return !before;
}

int om_left__open(om_left *l, const om_model *m)
{
    *l = (om_left){ .m = m };
    const int rc = om_moves__open(&l->moves, m);
    return rc != OM_OK ? rc : index_moves(l) ? find_private(l) : OM_ENOMEM;
}

void om_left__close(om_left *l)
{
    om_moves__close(&l->moves);
    OM_FREE_ALL(l->m->heap, l->first, l->of, l->process_of, l->is_private, l->base, l->tested,
        l->reads, l->skipped, l->open);
}
