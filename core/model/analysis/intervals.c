/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of slots: an interval for each slot (one for all elements of an array), grown from the
 * initial values until no transition leads out of the intervals. This is abstract interpretation
 * with widening, then narrowing (Cousot, Cousot, POPL 1977, sections 9.1 and 9.3). A transition is
 * run on the part of the intervals in which its guard may hold.
 *
 * N1  The intervals are closed under all transitions: a state within them has successors within
 *     them. So is a state with slots reset to initial values (reset.c), because initial values are
 *     within them.
 */
#include "intervals.h"

#include <assert.h>
#include <string.h>

enum {
    PATIENCE = 4,   /* rounds before the intervals are widened */
    AFTERWARDS = 2, /* rounds that undo excessive widening */
    WORK = 1 << 21, /* limit on nodes visited in total; some 20 milliseconds */
    MOST_KNOWN = 16 /* nodes whose range a guard restricts */
};

typedef struct learned {
    om_expr node;
    om_interval range;
} learned;

typedef struct analysis {
    const om_model *m;
    uint32_t slots;
    om_interval *box;    /* the intervals */
    om_interval *now;    /* the intervals in the state at the current transition */
    om_interval *next;   /* the next intervals */
    om_interval *before; /* the previous intervals */
    uint32_t *moved;     /* slots whose `now` differs from `box`, possibly with duplicates */
    size_t moved_count, moved_capacity;
    learned list[MOST_KNOWN]; /* restrictions on elements of arrays */
    uint32_t list_count;
    uint32_t work;
    bool failed; /* memory ran out */
    bool *fits;  /* output of run(): which values fit; NULL: not wanted */
    bool faults; /* with `fits`: an evaluation may have faulted */
} analysis;

/* ---- values ---- */

static om_interval value_of(analysis *x, om_expr e)
{
    const om_node *node = &x->m->nodes[e];
    const om_interval r = om_interval__of(x->m, e);
    if (node->op == OM_OP_CONST || x->work == 0)
        return r;
    x->work--;
    if (node->op == OM_OP_SLOT)
        return x->now[node->a];
    if (node->op == OM_OP_ELEMENT) {
        for (uint32_t i = 0; i < x->list_count; i++)
            if (x->list[i].node == e)
                return om_interval__meet(x->list[i].range, x->now[node->a]);
        return x->now[node->a];
    }
    om_interval a = value_of(x, node->a), b = node->b == 0 ? a : value_of(x, node->b);
    if (om_interval__empty(a) || om_interval__empty(b))
        return r;
    return om_interval__meet(r, om_interval__result((om_op) node->op, a, b));
}

static bool may_miss(analysis *x, om_expr index, uint32_t array)
{
    om_interval all = { 0, (om_wide) om_model__slot(x->m, array)->length - 1 };
    return !om_interval__within(value_of(x, index), all);
}

/* Returns true if evaluating e may fault. The right operand is examined even if the left one may
 * decide the result. */
static bool may_fault(analysis *x, om_expr e)
{
    const om_node *node = &x->m->nodes[e];
    if (x->work == 0)
        return true;
    x->work--;
    switch ((om_op) node->op) {
    case OM_OP_CONST:
    case OM_OP_SLOT:
        return false;
    case OM_OP_ELEMENT:
        return may_fault(x, node->b) || may_miss(x, node->b, node->a);
    case OM_OP_DIV:
    case OM_OP_MOD:
        if (!om_interval__empty(om_interval__meet(value_of(x, node->b), (om_interval){ 0, 0 })))
            return true;
        break;
    default:
        break;
    }
    return may_fault(x, node->a) || (node->b != 0 && may_fault(x, node->b));
}

/* Records whether evaluating e in `now` may fault. */
static void note_faults(analysis *x, om_expr e)
{
    if (x->fits != NULL && !x->faults)
        x->faults = may_fault(x, e);
}

static void note_faults_of(analysis *x, const om_assign *a)
{
    if (a->value != 0)
        note_faults(x, a->value);
    if (a->index != 0)
        note_faults(x, a->index);
    if (a->index != 0 && x->fits != NULL && !x->faults)
        x->faults = may_miss(x, a->index, a->slot);
}

static void set_now(analysis *x, uint32_t slot, om_interval r)
{
    if (!OM_ROOM(x->m->heap, x->moved, &x->moved_capacity, x->moved_count + 1)) {
        x->failed = true;
        return;
    }
    x->moved[x->moved_count++] = slot;
    x->now[slot] = r;
}

/* ---- guards ---- */

/* Records that the guard restricts the node's value to r. Returns false if it can then never
 * hold. */
static bool learn(analysis *x, om_expr e, om_interval r)
{
    const om_node *node = &x->m->nodes[e];
    assert(x->list_count <= MOST_KNOWN);
    om_interval is = om_interval__meet(value_of(x, e), r);
    if (om_interval__empty(is))
        return false;
    if (node->op == OM_OP_SLOT && !om_interval__equal(is, x->now[node->a]))
        set_now(x, node->a, is);
    if (node->op != OM_OP_ELEMENT)
        return true;
    for (uint32_t i = 0; i < x->list_count; i++)
        if (x->list[i].node == e) {
            x->list[i].range = is;
            return true;
        }
    if (x->list_count < MOST_KNOWN)
        x->list[x->list_count++] = (learned){ e, is };
    return true;
}

/* Restricts `now` to the part in which e is (or is not) true, as far as that is easily seen.
 * Returns false if that part is empty. */
static bool assume(analysis *x, om_expr e, bool holds);

/* As assume() for an e that joins two expressions. If `both`, the truth of both operands is known
 * to be `left` and `right`; the right one is evaluated only if the left one has this truth
 * value. */
static bool assume_both(analysis *x, om_expr e, bool left, bool right, bool both)
{
    const om_node node = x->m->nodes[e];
    if (both)
        return assume(x, node.a, left) && assume(x, node.b, right);
    note_faults(x, e);
    return true;
}

static bool assume(analysis *x, om_expr e, bool holds)
{
    const om_node node = x->m->nodes[e];
    switch ((om_op) node.op) {
    case OM_OP_NOT:
        return assume(x, node.a, !holds);
    case OM_OP_AND:
        return assume_both(x, e, true, true, holds);
    case OM_OP_OR:
        return assume_both(x, e, false, false, !holds);
    case OM_OP_IMPLY:
        return assume_both(x, e, true, false, !holds);
    case OM_OP_LT:
    case OM_OP_LE:
    case OM_OP_EQ:
    case OM_OP_NE:
    case OM_OP_GE:
    case OM_OP_GT: {
        note_faults(x, e);
        om_interval a = value_of(x, node.a), b = value_of(x, node.b);
        om_op op = (om_op) node.op;
        if (!holds)
            (void) om_fold__negated(op, &op);
        return learn(x, node.a, om_interval__allowed(op, a, b)) &&
               learn(x, node.b, om_interval__allowed(om_fold__mirrored(op), b, a));
    }
    default: {
        note_faults(x, e);
        om_interval a = value_of(x, e), zero = { 0, 0 };
        return learn(x, e, om_interval__allowed(holds ? OM_OP_NE : OM_OP_EQ, a, zero));
    }
    }
}

/* ---- transitions ---- */

/* Returns the values that an assignment stores, before they are cut to the bits of the slot. */
static om_interval given_by(analysis *x, const om_assign *a)
{
    const om_interval zero = { 0, 0 };
    return a->value != 0 ? value_of(x, a->value) : om_interval__join(x->now[a->slot], zero);
}

/* Adds to `into` all values that the transition may store. */
static void run(analysis *x, const om_transition *t, om_interval *into)
{
    bool enabled = t->guard == 0 || assume(x, t->guard, true);
    for (uint32_t i = 0; enabled && i < t->assign_count; i++) {
        const om_assign *a = &t->assigns[i];
        const om_slot *s = om_model__slot(x->m, a->slot);
        note_faults_of(x, a);
        om_interval given = given_by(x, a), r = om_interval__stored(s, given);
        if (x->fits != NULL)
            x->fits[i] = om_interval__equal(given, r);
        into[a->slot] = om_interval__join(into[a->slot], r);
        set_now(x, a->slot, s->length == 0 ? r : om_interval__join(x->now[a->slot], r));
        for (uint32_t k = 0; k < x->list_count;)
            if (om_expr__reads(x->m, x->list[k].node, a->slot, &x->work))
                x->list[k] = x->list[--x->list_count];
            else
                k++;
    }
    for (size_t i = 0; i < x->moved_count; i++)
        x->now[x->moved[i]] = x->box[x->moved[i]];
    x->moved_count = 0;
    x->list_count = 0;
}

static om_interval initial_range(const om_slot *s)
{
    om_interval r = { s->initial[0], s->initial[0] };
    for (uint32_t i = 1; i < s->length; i++)
        r = om_interval__join(r, (om_interval){ s->initial[i], s->initial[i] });
    return r;
}

/* Grows the box once by the values that the transitions store. Returns true if it changed. */
static bool grow(analysis *x, bool wide)
{
    bool news = false;
    memcpy(x->next, x->box, x->slots * sizeof *x->next);
    for (uint32_t t = 0; t < x->m->transitions.count; t++)
        run(x, x->m->transitions.at[t], x->next);
    for (uint32_t s = 0; s < x->slots; s++) {
        if (om_interval__equal(x->next[s], x->box[s]))
            continue;
        assert(om_interval__within(x->box[s], x->next[s])); /* the intervals only grow */
        news = true;
        x->box[s] = x->now[s] =
            wide ? om_interval__stored(om_model__slot(x->m, s), om_interval__widened(x->next[s]))
                 : x->next[s];
    }
    return news;
}

static bool closed(analysis *x)
{
    memcpy(x->next, x->box, x->slots * sizeof *x->next);
    for (uint32_t t = 0; t < x->m->transitions.count; t++)
        run(x, x->m->transitions.at[t], x->next);
    for (uint32_t s = 0; s < x->slots; s++)
        if (!om_interval__equal(x->next[s], x->box[s]))
            return false;
    return true;
}

static void set_box(analysis *x, const om_interval *box)
{
    memcpy(x->box, box, x->slots * sizeof *x->box);
    memcpy(x->now, box, x->slots * sizeof *x->now);
}

/* Replaces a closed box by the values that transitions store from it. The result is closed if run()
 * is monotone; instead of a proof, this is checked. */
static void take_back(analysis *x)
{
    for (uint32_t s = 0; s < x->slots; s++)
        x->next[s] = initial_range(om_model__slot(x->m, s));
    for (uint32_t t = 0; t < x->m->transitions.count; t++)
        run(x, x->m->transitions.at[t], x->next);
    memcpy(x->before, x->box, x->slots * sizeof *x->before);
    if (x->work == 0 || x->failed)
        return;
    set_box(x, x->next);
    if (!closed(x))
        set_box(x, x->before);
}

/* Determines which values always fit their slots: the box is closed. Also determines whether any
 * guard or assignment may fault. */
static bool *find_fits(analysis *x, om_model *m)
{
    size_t count = 0, at = 0;
    for (uint32_t t = 0; t < m->transitions.count; t++)
        count += om_model_transition(m, t)->assign_count;
    bool *fits = om_region_take(&m->region, count, sizeof *fits);
    if (fits == NULL)
        return NULL;
    memset(fits, true, count * sizeof *fits); /* the default, for assignments that are never run */
    for (uint32_t t = 0; t < m->transitions.count; t++) {
        x->fits = fits + at;
        run(x, m->transitions.at[t], x->next);
        at += om_model_transition(m, t)->assign_count;
    }
    assert(at == count);
    x->fits = NULL;
    m->tame = !x->faults && x->work > 0;
    return fits;
}

/* ---- the analysis ---- */

static bool open_analysis(analysis *x)
{
    const om_heap *heap = x->m->heap;
    x->slots = (uint32_t) x->m->slots.count;
    if (!OM_NEW(heap, x->now, x->slots) || !OM_NEW(heap, x->next, x->slots) ||
        !OM_NEW(heap, x->before, x->slots))
        return false;
    for (uint32_t s = 0; s < x->slots; s++)
        x->box[s] = x->now[s] = initial_range(om_model__slot(x->m, s));
    return true;
}

static void close_analysis(analysis *x)
{
    const om_heap *heap = x->m->heap;
    OM_FREE_ALL(heap, x->now, x->next, x->before, x->moved);
}

int om_intervals__find(om_model *m, om_interval *box, bool *known)
{
    analysis x = { .m = m, .box = box, .work = WORK };
    x.failed = !open_analysis(&x);
    for (uint32_t round = 0; !x.failed && x.work > 0 && grow(&x, round >= PATIENCE); round++)
        ;
    for (uint32_t round = 0; !x.failed && x.work > 0 && round < AFTERWARDS; round++)
        take_back(&x);
    if (!x.failed && x.work > 0) {
        m->fits = find_fits(&x, m);
        x.failed = x.failed || m->fits == NULL;
    }
    close_analysis(&x);
    /* If the work exceeded its limit, the intervals may not be closed. */
    *known = x.work > 0;
    return x.failed ? OM_ENOMEM : OM_OK;
}

bool om_intervals__fits(const om_model *m, uint32_t t, uint32_t i, size_t number)
{
    const om_assign *a = &om_model_transition(m, t)->assigns[i];
    const om_slot *s = om_model__slot(m, a->slot);
    return (m->fits != NULL && m->fits[number]) || a->value == 0 ||
           om_interval__within(om_interval__of(m, a->value), (om_interval){ s->low, s->high });
}
