/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits that no reachable value needs. A front end declares the types of its language, a byte for
 * what counts to three; states are shorter, and more of them fit everywhere, when a slot has the
 * bits of the values that it can come to have.
 *
 * What those are follows from an interval for each slot (one for all elements of an array), grown
 * from the initial values until no transition leads out of the intervals: abstract interpretation
 * with widening, then narrowing (Cousot, Cousot, POPL 1977, sections 9.1 and 9.3). A transition is
 * run on the part of the intervals where its guard may hold.
 *
 * N1  The intervals are closed under all transitions: a state within them has successors within
 *     them. So is a state with slots reset to initial values (reset.c), for those are within.
 * N2  A slot keeps the low bits of what is stored. Where the value that its type would keep lies
 *     in the interval, the narrower slot keeps the same value.
 *
 * Enumerations are left alone: their values are locations, and code is chosen by them.
 */
#include "form.h"

#include <string.h>

enum {
    PATIENCE = 4,   /* rounds before the intervals are widened */
    AFTERWARDS = 2, /* rounds that take back what was widened too far */
    WORK = 1 << 21, /* nodes visited, all in all; some 20 milliseconds */
    MOST_KNOWN = 16 /* nodes of which a guard says more */
};

typedef struct known {
    om_expr node;
    om_range range;
} known;

typedef struct narrowing {
    const om_model *m;
    uint32_t slots;
    om_range *box;    /* the intervals */
    om_range *now;    /* the same where the transition at hand is */
    om_range *next;   /* what they become */
    om_range *before; /* what they were */
    uint32_t *moved;  /* slots whose `now` is not their `box`, each once or more often */
    size_t moved_count, moved_capacity;
    known list[MOST_KNOWN]; /* more about elements of arrays */
    uint32_t list_count;
    uint32_t work;
    bool failed; /* memory */
    bool *fits;  /* where run() notes which values fit; NULL: it does not */
} narrowing;

static om_range meet(om_range a, om_range b)
{
    return (om_range){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

static om_range join(om_range a, om_range b)
{
    return (om_range){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static bool empty(om_range r)
{
    return r.low > r.high;
}

static bool equal(om_range a, om_range b)
{
    return a.low == b.low && a.high == b.high;
}

/* ---- values ---- */

static om_range value_of(narrowing *n, om_expr e)
{
    const om_node *node = &n->m->nodes[e];
    const om_facts *facts = &n->m->facts[e];
    om_range r = { facts->low, facts->high };
    if (node->op == OM_OP_CONST || n->work == 0)
        return r;
    n->work--;
    if (node->op == OM_OP_SLOT)
        return n->now[node->a];
    if (node->op == OM_OP_ELEMENT) {
        for (uint32_t i = 0; i < n->list_count; i++)
            if (n->list[i].node == e)
                return meet(n->list[i].range, n->now[node->a]);
        return n->now[node->a];
    }
    om_range a = value_of(n, node->a), b = node->b == 0 ? a : value_of(n, node->b);
    if (empty(a) || empty(b))
        return r;
    return meet(r, om_fold__range((om_op) node->op, a, b));
}

static void set_now(narrowing *n, uint32_t slot, om_range r)
{
    uint32_t *moved =
        om_grow(n->m->heap, n->moved, &n->moved_capacity, n->moved_count + 1, sizeof *moved);
    if (moved == NULL) {
        n->failed = true;
        return;
    }
    n->moved = moved;
    moved[n->moved_count++] = slot;
    n->now[slot] = r;
}

/* ---- guards ---- */

/* The node's value is in r, says the guard; false: then it never holds. */
static bool learn(narrowing *n, om_expr e, om_range r)
{
    const om_node *node = &n->m->nodes[e];
    om_range is = meet(value_of(n, e), r);
    if (empty(is))
        return false;
    if (node->op == OM_OP_SLOT && !equal(is, n->now[node->a]))
        set_now(n, node->a, is);
    if (node->op != OM_OP_ELEMENT)
        return true;
    for (uint32_t i = 0; i < n->list_count; i++)
        if (n->list[i].node == e) {
            n->list[i].range = is;
            return true;
        }
    if (n->list_count < MOST_KNOWN)
        n->list[n->list_count++] = (known){ e, is };
    return true;
}

/* What a op b says of a, when b is in r. */
static om_range said_of(om_op op, om_range a, om_range r)
{
    switch (op) {
    case OM_OP_LT:
        return (om_range){ INT32_MIN, r.high - 1 };
    case OM_OP_LE:
        return (om_range){ INT32_MIN, r.high };
    case OM_OP_GT:
        return (om_range){ r.low + 1, INT32_MAX };
    case OM_OP_GE:
        return (om_range){ r.low, INT32_MAX };
    case OM_OP_EQ:
        return r;
    default: /* NE: an end of the interval goes where b is that one value */
        if (r.low == r.high && a.low == r.low)
            a.low++;
        else if (r.low == r.high && a.high == r.low)
            a.high--;
        return a;
    }
}

/* Cuts `now` down to where e is (or is not) true, as far as that is easily seen; false: nowhere. */
static bool assume(narrowing *n, om_expr e, bool holds)
{
    const om_node node = n->m->nodes[e];
    switch ((om_op) node.op) {
    case OM_OP_NOT:
        return assume(n, node.a, !holds);
    case OM_OP_AND:
        return !holds || (assume(n, node.a, true) && assume(n, node.b, true));
    case OM_OP_OR:
        return holds || (assume(n, node.a, false) && assume(n, node.b, false));
    case OM_OP_IMPLY:
        return holds || (assume(n, node.a, true) && assume(n, node.b, false));
    case OM_OP_LT:
    case OM_OP_LE:
    case OM_OP_EQ:
    case OM_OP_NE:
    case OM_OP_GE:
    case OM_OP_GT: {
        om_range a = value_of(n, node.a), b = value_of(n, node.b);
        om_op op = (om_op) node.op;
        if (!holds)
            (void) om_fold__negated(op, &op);
        return learn(n, node.a, said_of(op, a, b)) &&
               learn(n, node.b, said_of(om_fold__mirrored(op), b, a));
    }
    default: {
        om_range a = value_of(n, e), zero = { 0, 0 };
        return learn(n, e, said_of(holds ? OM_OP_NE : OM_OP_EQ, a, zero));
    }
    }
}

/* ---- transitions ---- */

static bool mentions(narrowing *n, om_expr e, uint32_t slot)
{
    const om_node *node = &n->m->nodes[e];
    if (n->work == 0)
        return true;
    n->work--;
    switch ((om_op) node->op) {
    case OM_OP_CONST:
        return false;
    case OM_OP_SLOT:
        return node->a == slot;
    case OM_OP_ELEMENT:
        return node->a == slot || mentions(n, node->b, slot);
    default:
        return mentions(n, node->a, slot) || (node->b != 0 && mentions(n, node->b, slot));
    }
}

/* What the slot's type makes of a value. */
static om_range kept(const om_slot *s, om_range r)
{
    int32_t low, high;
    om_slot__range(s, &low, &high);
    return r.low < low || r.high > high ? (om_range){ low, high } : r;
}

/* All in `into` that the transition may store. */
static void run(narrowing *n, const om_transition *t, om_range *into)
{
    bool enabled = t->guard == 0 || assume(n, t->guard, true);
    for (uint32_t i = 0; enabled && i < t->assign_count; i++) {
        const om_assign *a = &t->assigns[i];
        const om_slot *s = om_model__slot(n->m, a->slot);
        om_range given = value_of(n, a->value), r = kept(s, given);
        if (n->fits != NULL)
            n->fits[i] = equal(given, r);
        into[a->slot] = join(into[a->slot], r);
        set_now(n, a->slot, s->length == 0 ? r : join(n->now[a->slot], r));
        for (uint32_t k = 0; k < n->list_count;)
            if (mentions(n, n->list[k].node, a->slot))
                n->list[k] = n->list[--n->list_count];
            else
                k++;
    }
    for (size_t i = 0; i < n->moved_count; i++)
        n->now[n->moved[i]] = n->box[n->moved[i]];
    n->moved_count = 0;
    n->list_count = 0;
}

static om_range initial_range(const om_slot *s)
{
    om_range r = { s->initial[0], s->initial[0] };
    for (uint32_t i = 1; i < s->length; i++)
        r = join(r, (om_range){ s->initial[i], s->initial[i] });
    return r;
}

/* The next larger interval whose ends are those of so many bits. */
static om_range widen(om_range r)
{
    int64_t low = 0, high = 0;
    while (high < r.high)
        high = high * 2 + 1;
    while (low > r.low)
        low = low == 0 ? -1 : low * 2;
    return (om_range){ low < INT32_MIN ? INT32_MIN : low, high };
}

/* Grows the box by what the transitions store, once; true where that is news. */
static bool grow(narrowing *n, bool wide)
{
    bool news = false;
    memcpy(n->next, n->box, n->slots * sizeof *n->next);
    for (uint32_t t = 0; t < n->m->transitions.count; t++)
        run(n, n->m->transitions.at[t], n->next);
    for (uint32_t s = 0; s < n->slots; s++) {
        if (equal(n->next[s], n->box[s]))
            continue;
        news = true;
        n->box[s] = n->now[s] =
            wide ? kept(om_model__slot(n->m, s), widen(n->next[s])) : n->next[s];
    }
    return news;
}

static bool closed(narrowing *n)
{
    memcpy(n->next, n->box, n->slots * sizeof *n->next);
    for (uint32_t t = 0; t < n->m->transitions.count; t++)
        run(n, n->m->transitions.at[t], n->next);
    for (uint32_t s = 0; s < n->slots; s++)
        if (!equal(n->next[s], n->box[s]))
            return false;
    return true;
}

static void set_box(narrowing *n, const om_range *box)
{
    memcpy(n->box, box, n->slots * sizeof *n->box);
    memcpy(n->now, box, n->slots * sizeof *n->now);
}

/* From a closed box to what transitions store from there. That is closed again if run() is
 * monotone, which is not worth a proof: it is checked. */
static void take_back(narrowing *n)
{
    for (uint32_t s = 0; s < n->slots; s++)
        n->next[s] = initial_range(om_model__slot(n->m, s));
    for (uint32_t t = 0; t < n->m->transitions.count; t++)
        run(n, n->m->transitions.at[t], n->next);
    memcpy(n->before, n->box, n->slots * sizeof *n->before);
    if (n->work == 0 || n->failed)
        return;
    set_box(n, n->next);
    if (!closed(n))
        set_box(n, n->before);
}

/* Which values fit their slots, whatever state a transition is taken in: the box is closed. */
static bool *find_fits(narrowing *n, om_model *m)
{
    size_t count = 0, at = 0;
    for (uint32_t t = 0; t < m->transitions.count; t++)
        count += om_model_transition(m, t)->assign_count;
    bool *fits = om_model__take(m, count, sizeof *fits);
    if (fits == NULL)
        return NULL;
    memset(fits, true, count * sizeof *fits); /* those that are never run */
    for (uint32_t t = 0; t < m->transitions.count; t++) {
        n->fits = fits + at;
        run(n, m->transitions.at[t], n->next);
        at += om_model_transition(m, t)->assign_count;
    }
    n->fits = NULL;
    return fits;
}

/* ---- slots ---- */

static uint32_t bits_of(om_range r)
{
    uint32_t bits = 1;
    if (r.low >= 0) {
        while (bits < 32 && (r.high >> bits) != 0)
            bits++;
        return bits;
    }
    while (bits < 32 && (r.high >> (bits - 1) != 0 || r.low < -(INT64_C(1) << (bits - 1))))
        bits++;
    return bits;
}

static void apply(om_slot *s, om_range r)
{
    uint32_t bits = bits_of(r), rounded = 1;
    if (s->type == OM_ENUM || s->type == OM_BOOL)
        return;
    /* A sign that is never there needs no bit, if there is a type without. */
    bool unsign = om_slot__signed(s) && r.low >= 0 && bits <= 16;
    if (om_slot__signed(s) && r.low >= 0 && !unsign)
        bits++;
    if (s->length != 0) {
        while (rounded < bits)
            rounded *= 2;
        bits = rounded;
    }
    if (bits >= s->bits)
        return;
    if (unsign)
        s->type = bits <= 8 ? OM_U8 : OM_U16;
    s->bits = bits;
}

static bool open(narrowing *n)
{
    const om_heap *heap = n->m->heap;
    n->slots = (uint32_t) n->m->slots.count;
    n->box = om_alloc(heap, n->slots, sizeof *n->box);
    n->now = om_alloc(heap, n->slots, sizeof *n->now);
    n->next = om_alloc(heap, n->slots, sizeof *n->next);
    n->before = om_alloc(heap, n->slots, sizeof *n->before);
    if (n->box == NULL || n->now == NULL || n->next == NULL || n->before == NULL)
        return false;
    for (uint32_t s = 0; s < n->slots; s++)
        n->box[s] = n->now[s] = initial_range(om_model__slot(n->m, s));
    return true;
}

static void close(narrowing *n)
{
    const om_heap *heap = n->m->heap;
    om_free(heap, n->box);
    om_free(heap, n->now);
    om_free(heap, n->next);
    om_free(heap, n->before);
    om_free(heap, n->moved);
}

int om_model_narrow(om_model *m)
{
    narrowing n = { .m = m, .work = WORK };
    int rc = m->status;
    if (rc == OM_OK && m->finished)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be narrowed");
    if (rc == OM_OK)
        rc = om_model__validate(m);
    if (rc != OM_OK)
        return rc;
    n.failed = !open(&n);
    for (uint32_t round = 0; !n.failed && n.work > 0 && grow(&n, round >= PATIENCE); round++)
        ;
    for (uint32_t round = 0; !n.failed && n.work > 0 && round < AFTERWARDS; round++)
        take_back(&n);
    if (!n.failed && n.work > 0) {
        m->fits = find_fits(&n, m);
        n.failed = n.failed || m->fits == NULL;
    }
    if (n.failed)
        rc = om_fail_memory(m->ctx);
    /* Where the work became too much, the intervals may not be closed. */
    for (uint32_t s = 0; rc == OM_OK && n.work > 0 && s < n.slots; s++)
        apply(m->slots.at[s], n.box[s]);
    m->narrowed = rc == OM_OK;
    close(&n);
    return rc;
}
