/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conditions of guards, and what makes them false.
 *
 * Some conditions do not count. A process that is in the middle of an atomic sequence, or in a
 * committed state, keeps all others from moving, but only for a while: conditions that the searched
 * model hides, or that most guards have, tell nothing of a deadlock. A large condition mostly says
 * that no process can move.
 */
#include "stalls.h"

#include <assert.h>

enum { MOST_NODES = 40 }; /* of a condition that counts */

typedef struct leaf {
    om_expr expression;
    bool truth; /* the value that the guard requires */
} leaf;

typedef int take_leaf(stall_reader *r, leaf l, uint32_t location);

/* Returns the number of nodes of an expression, or more than `most`. */
static unsigned size_of(const om_model *m, om_expr e, unsigned most)
{
    const om_node *n = om_model_node(m, e);
    unsigned size = 1;
    if (n->op == OM_OP_CONST || n->op == OM_OP_SLOT)
        return size;
    if (n->op != OM_OP_ELEMENT)
        size += size_of(m, n->a, most);
    const bool binary = n->op >= OM_OP_ADD || n->op == OM_OP_ELEMENT;
    return binary && size <= most ? size + size_of(m, n->b, most - (size - 1)) : size;
}

/* Passes the conditions that a guard requires to `take`. */
static int each_leaf(stall_reader *r, leaf l, uint32_t location, take_leaf *take)
{
    const om_model *m = r->stalls->locations->model;
    const om_node n = *om_model_node(m, l.expression);
    if (n.op == OM_OP_NOT)
        return each_leaf(r, (leaf){ n.a, !l.truth }, location, take);
    const bool splits =
        (n.op == OM_OP_AND && l.truth) || ((n.op == OM_OP_OR || n.op == OM_OP_IMPLY) && !l.truth &&
                                              size_of(m, l.expression, MOST_NODES) <= MOST_NODES);
    if (!splits)
        return n.op == OM_OP_CONST ? OM_OK : take(r, l, location);
    const int rc = each_leaf(r, (leaf){ n.a, l.truth != (n.op == OM_OP_IMPLY) }, location, take);
    return rc == OM_OK ? each_leaf(r, (leaf){ n.b, l.truth }, location, take) : rc;
}

/* ---- which conditions count ---- */

static size_t use_of(leaf l)
{
    return 2 * (size_t) l.expression + l.truth;
}

static int count_leaf(stall_reader *r, leaf l, uint32_t location)
{
    const om_heap *heap = r->stalls->locations->heap;
    const size_t before = r->uses_room;
    (void) location;
    if (!OM_ROOM(heap, r->uses, &r->uses_room, use_of(l) + 1))
        return OM_ENOMEM;
    for (size_t i = before; i < r->uses_room; i++)
        r->uses[i] = 0;
    r->uses[use_of(l)]++;
    return OM_OK;
}

int stall_count(stall_reader *r, om_expr guard)
{
    return guard == 0 ? OM_OK : each_leaf(r, (leaf){ guard, true }, OM_NONE, count_leaf);
}

/* Returns true if both expressions read a slot. */
static bool read_the_same(const om_model *m, om_expr a, om_expr b)
{
    const om_node *n = om_model_node(m, b);
    if (n->op == OM_OP_CONST)
        return false;
    if (n->op == OM_OP_SLOT)
        return om_expr_reads(m, a, n->a);
    if (n->op == OM_OP_ELEMENT)
        return om_expr_reads(m, a, n->a) || read_the_same(m, a, n->b);
    return read_the_same(m, a, n->a) || (n->op >= OM_OP_ADD && read_the_same(m, a, n->b));
}

static bool counts(const stall_reader *r, leaf l, uint32_t location)
{
    const om_model *m = r->stalls->locations->model;
    assert(use_of(l) < r->uses_room && r->uses[use_of(l)] > 0);
    if (r->uses[use_of(l)] > r->most_guards || size_of(m, l.expression, MOST_NODES) > MOST_NODES)
        return false;
    if (location != OM_NONE && om_expr_reads(m, l.expression, location))
        return false;
    return r->hidden == 0 || !read_the_same(m, l.expression, r->hidden);
}

/* ---- the form of a condition ---- */

stall_cell stall_cell_of(const om_slot *s, uint32_t element)
{
    const uint32_t at = s->position + element * s->bits;
    const uint32_t mask = UINT32_MAX >> (32 - s->bits);
    const bool is_signed = s->type == OM_I8 || s->type == OM_I16 || s->type == OM_I32;
    assert(s->bits > 0 && at % 32 + s->bits <= 32);
    return (stall_cell){
        .word = at / 32, .mask = mask, .sign = is_signed ? mask ^ mask >> 1 : 0, .shift = at % 32
    };
}

/* Returns true if a node is an element of a slot that is known before the search. */
static bool is_cell(const om_model *m, const om_node *n, stall_cell *out)
{
    uint32_t element = 0;
    if (n->op != OM_OP_SLOT && n->op != OM_OP_ELEMENT)
        return false;
    const om_slot *s = om_model_slot(m, n->a);
    if (n->op == OM_OP_ELEMENT) {
        const om_node *index = om_model_node(m, n->b);
        if (index->op != OM_OP_CONST || index->value < 0 || (uint32_t) index->value >= s->length)
            return false;
        element = (uint32_t) index->value;
    }
    *out = stall_cell_of(s, element);
    return true;
}

/* Returns the relation a R b as one of b to a. */
static om_op turned(om_op relation)
{
    static const om_op by[] = { [OM_OP_LT] = OM_OP_GT,
        [OM_OP_LE] = OM_OP_GE,
        [OM_OP_EQ] = OM_OP_EQ,
        [OM_OP_NE] = OM_OP_NE,
        [OM_OP_GE] = OM_OP_LE,
        [OM_OP_GT] = OM_OP_LT };
    return by[relation];
}

/* Describes a condition as the relation of an element to a constant; false if it has another form.
 * Numbers of locations have no order. */
static bool is_relation(const locations *places, leaf l, stall_condition *out)
{
    const om_model *m = places->model;
    const om_node *n = om_model_node(m, l.expression);
    if (is_cell(m, n, &out->cell)) {
        out->relation = l.truth ? OM_OP_EQ : OM_OP_NE;
        out->constant = 0;
        return true;
    }
    if (n->op < OM_OP_LT || n->op > OM_OP_GT)
        return false;
    const om_node *a = om_model_node(m, n->a), *b = om_model_node(m, n->b);
    const bool turn = a->op == OM_OP_CONST;
    const om_node *cell = turn ? b : a, *constant = turn ? a : b;
    const om_op required = l.truth ? (om_op) n->op : estimate_inverse((om_op) n->op);
    if (constant->op != OM_OP_CONST || !is_cell(m, cell, &out->cell))
        return false;
    out->relation = estimate_inverse(turn ? turned(required) : required);
    out->constant = constant->value;
    return out->relation == OM_OP_NE || cell->op != OM_OP_SLOT || !places->is_location[cell->a];
}

static int add_leaf(stall_reader *r, leaf l, uint32_t location)
{
    stalls *s = r->stalls;
    stall_condition c = { .expression = l.expression, .truth = !l.truth };
    int rc = OM_OK;
    if (!counts(r, l, location))
        return OM_OK;
    if (!is_relation(s->locations, l, &c)) {
        c.relation = OM_OP_COUNT;
        rc = estimate_prepare(s->locations, l.expression);
    }
    if (!OM_ROOM(s->locations->heap, s->conditions, &s->condition_room, s->condition_count + 1))
        return OM_ENOMEM;
    s->conditions[s->condition_count++] = c;
    return rc;
}

int stall_add_guard(stall_reader *r, om_expr guard, uint32_t location)
{
    stalls *s = r->stalls;
    stall_guard made = { s->condition_count, s->condition_count };
    const int rc = guard == 0 ? OM_OK : each_leaf(r, (leaf){ guard, true }, location, add_leaf);
    if (rc != OM_OK)
        return rc;
    if (!OM_ROOM(s->locations->heap, s->guards, &s->guard_room, s->guard_count + 1))
        return OM_ENOMEM;
    made.end = s->condition_count;
    s->guards[s->guard_count++] = made;
    return OM_OK;
}
