/* SPDX-License-Identifier: Apache-2.0 */
#include "footprint.h"

#include "left.h"

#include "analysis/intervals.h"
#include "form/interval.h"

#include <assert.h>

/* MOST_OF_ONE: accesses of one transition */
enum { MOST_CELLS = 1 << 20, MOST_OF_ONE = 1 << 12 };

/* ---- accesses ---- */

static void add(om_footprint *f, om_access a)
{
    assert(a.count > 0);
    if (a.count == 1 && a.cell == f->holder)
        return;
    if (f->rc == OM_OK && !OM_ROOM(f->m->heap, f->accesses, &f->access_room, f->access_count + 1))
        f->rc = OM_ENOMEM;
    if (f->rc == OM_OK)
        f->accesses[f->access_count++] = a;
}

om_access om_footprint__cells(om_footprint *f, uint32_t slot, om_expr index)
{
    const uint32_t length = om_model__slot(f->m, slot)->length, first = f->cell_of[slot];
    om_value at;
    if (length == 0)
        return (om_access){ .cell = first, .count = 1 };
    if (index != 0 && om_footprint__fold(f, index, &at) && at >= 0 && (uint32_t) at < length)
        return (om_access){ .cell = first + (uint32_t) at, .count = 1 };
    return (om_access){ .cell = first, .count = length };
}

static void read_more(om_footprint *f, om_expr e)
{
    const om_node n = f->m->nodes[e];
    om_value v;
    if (e == 0 || om_footprint__visited(f, e) || om_footprint__fold(f, e, &v))
        return;
    if (n.op == OM_OP_SLOT || n.op == OM_OP_ELEMENT)
        add(f, om_footprint__cells(f, n.a, n.op == OM_OP_ELEMENT ? n.b : 0));
    else
        read_more(f, n.a);
    if (n.op != OM_OP_SLOT)
        read_more(f, n.b);
}

/* Adds reads of all that an expression reads. The recursion is as deep as expressions are. */
static void read_all(om_footprint *f, om_expr e)
{
    om_footprint__visit(f);
    read_more(f, e);
}

static bool is_cell(const om_node *n)
{
    return n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT;
}

om_interval om_footprint__range(const om_footprint *f, uint32_t slot)
{
    const om_slot *s = om_model__slot(f->m, slot);
    const om_wide half = (om_wide) 1 << (s->bits - 1);
    const om_interval bits =
        om_slot__signed(s) ? (om_interval){ -half, half - 1 } : (om_interval){ 0, 2 * half - 1 };
    return f->m->ranges == NULL || om_model__is_member(f->m, slot)
               ? bits
               : om_interval__meet(bits, f->m->ranges[slot]);
}

static bool test_of(
    om_footprint *f, const om_node *cell, om_access_kind kind, om_value value, om_access *test)
{
    const om_interval range = om_footprint__range(f, cell->a);
    om_value at;
    *test = om_footprint__cells(f, cell->a, cell->op == OM_OP_ELEMENT ? cell->b : 0);
    test->kind = kind;
    test->value = value;
    /* "Not the smallest" is "at least the next", which adding to the cell does not make false. */
    if (kind == OM_TEST_DIFFERS && value == range.low && value < range.high) {
        test->kind = OM_TEST_AT_LEAST;
        test->value++;
    } else if (kind == OM_TEST_DIFFERS && value == range.high && value > range.low) {
        test->kind = OM_TEST_AT_MOST;
        test->value--;
    }
    return test->count == 1 &&
           (om_model__slot(f->m, cell->a)->length != 1 || om_footprint__fold(f, cell->b, &at));
}

/* Returns an operand that has the same value as the expression, or the expression itself: what is
 * constant may make it a sum with 0, or a product with 1 (`nfull(c)`, once c is bound). */
static om_expr core_of(om_footprint *f, om_expr e)
{
    om_value v;
    for (;;) {
        const om_node *n = &f->m->nodes[e];
        const om_value neutral = n->op == OM_OP_MUL;
        if (n->op != OM_OP_MUL && n->op != OM_OP_ADD)
            return e;
        if (om_footprint__fold(f, n->a, &v) && v == neutral)
            e = n->b;
        else if (om_footprint__fold(f, n->b, &v) && v == neutral)
            e = n->a;
        else
            return e;
    }
}

/* Sets *test if the expression compares one cell with a constant, or is the truth value of one. */
static bool is_test(om_footprint *f, om_expr whole, om_access *test)
{
    const om_expr e = core_of(f, whole);
    const om_node *nodes = f->m->nodes, *n = &nodes[e];
    om_op op = (om_op) n->op;
    om_value v;
    if (is_cell(n))
        return test_of(f, n, OM_TEST_DIFFERS, 0, test);
    if (op != OM_OP_NOT && (op < OM_OP_LT || op > OM_OP_GT))
        return false;
    const om_node *cell = &nodes[core_of(f, n->a)];
    if (op == OM_OP_NOT && is_cell(cell))
        return test_of(f, cell, OM_TEST_EQUAL, 0, test);
    if (op < OM_OP_LT || op > OM_OP_GT)
        return false;
    if (om_footprint__fold(f, n->a, &v)) {
        cell = &nodes[core_of(f, n->b)];
        op = om_fold__mirrored(op);
    } else if (!om_footprint__fold(f, n->b, &v))
        return false;
    if (!is_cell(cell))
        return false;
    switch (op) {
    case OM_OP_EQ:
        return test_of(f, cell, OM_TEST_EQUAL, v, test);
    case OM_OP_NE:
        return test_of(f, cell, OM_TEST_DIFFERS, v, test);
    case OM_OP_GE:
        return test_of(f, cell, OM_TEST_AT_LEAST, v, test);
    case OM_OP_LE:
        return test_of(f, cell, OM_TEST_AT_MOST, v, test);
    case OM_OP_GT:
        return v < OM_VALUE_MAX && test_of(f, cell, OM_TEST_AT_LEAST, v + 1, test);
    default:
        return v > OM_VALUE_MIN && test_of(f, cell, OM_TEST_AT_MOST, v - 1, test);
    }
}

void om_footprint__read_truth(om_footprint *f, om_expr e)
{
    const om_node n = f->m->nodes[e];
    om_access test;
    om_value v;
    if (e == 0 || om_footprint__fold(f, e, &v))
        return;
    if (is_test(f, e, &test))
        add(f, test);
    else if (n.op == OM_OP_NOT)
        om_footprint__read_truth(f, n.a);
    else if (n.op == OM_OP_AND || n.op == OM_OP_OR || n.op == OM_OP_IMPLY) {
        om_footprint__read_truth(f, n.a);
        om_footprint__read_truth(f, n.b);
    } else
        read_all(f, e);
}

/* ---- guards ---- */

/* Sets *test if the expression is a test, or the negation of one if `negated`. */
static bool is_such_test(om_footprint *f, om_expr e, bool negated, om_access *test)
{
    if (!is_test(f, e, test))
        return false;
    if (!negated)
        return true;
    switch (test->kind) {
    case OM_TEST_EQUAL:
        test->kind = OM_TEST_DIFFERS;
        return true;
    case OM_TEST_DIFFERS:
        test->kind = OM_TEST_EQUAL;
        return true;
    case OM_TEST_AT_LEAST:
        if (test->value == OM_VALUE_MIN)
            return false;
        test->kind = OM_TEST_AT_MOST;
        test->value--;
        return true;
    default:
        if (test->value == OM_VALUE_MAX)
            return false;
        test->kind = OM_TEST_AT_LEAST;
        test->value++;
        return true;
    }
}

static void end_conjunct(om_footprint *f, om_expr e, bool negated, size_t first)
{
    if (f->rc == OM_OK &&
        !OM_ROOM(f->m->heap, f->conjuncts, &f->conjunct_room, f->conjunct_count + 1))
        f->rc = OM_ENOMEM;
    if (f->rc == OM_OK)
        f->conjuncts[f->conjunct_count++] = (om_conjunct){ e, negated, OM_NONE, (uint32_t) first,
            (uint32_t) (f->access_count - first) };
}

void om_footprint__add_conjunct(om_footprint *f, om_expr e, bool negated)
{
    const size_t first = f->access_count;
    om_access test;
    om_value v;
    if (om_footprint__fold(f, e, &v) && (v != 0) != negated)
        return;
    if (f->holder != OM_NONE && om_footprint__of_cell(f, e, f->holder, 0, &v)) {
        /* It is known wherever there is a choice, but not between the steps of a sequence. */
        f->barred = f->barred || (v != 0) == negated;
        end_conjunct(f, e, negated, first);
        return;
    }
    if (is_such_test(f, e, negated, &test))
        add(f, test);
    else
        read_all(f, e);
    end_conjunct(f, e, negated, first);
}

void om_footprint__add_general(om_footprint *f, om_expr e)
{
    const size_t first = f->access_count;
    read_all(f, e);
    end_conjunct(f, e, true, first);
}

void om_footprint__read_guard(om_footprint *f, om_expr e)
{
    const om_node n = f->m->nodes[e];
    if (e == 0 || f->rc != OM_OK)
        return;
    if (n.op == OM_OP_AND) {
        om_footprint__read_guard(f, n.a);
        om_footprint__read_guard(f, n.b);
    } else
        om_footprint__add_conjunct(f, e, false);
}

/* ---- assignments ---- */

/* Returns true if e is the assigned cell plus a constant. */
static bool adds(const om_footprint *f, const om_assign *a, om_value *by)
{
    const om_node *n = &f->m->nodes[a->value];
    if (n->op != OM_OP_ADD && n->op != OM_OP_SUB)
        return false;
    const om_node *left = &f->m->nodes[n->a], *right = &f->m->nodes[n->b];
    if (left->op == OM_OP_CONST && n->op == OM_OP_ADD) {
        const om_node *swap = left;
        left = right;
        right = swap;
    }
    if (right->op != OM_OP_CONST || right->value == OM_VALUE_MIN || !is_cell(left) ||
        left->a != a->slot || (left->op == OM_OP_ELEMENT && left->b != a->index))
        return false;
    *by = n->op == OM_OP_ADD ? right->value : -right->value;
    return true;
}

/* Returns true if the sum that an assignment stores fits its slot: that is known, or the front end
 * has generated the assignment, which then fits by construction. */
static bool fits(const om_model *m, uint32_t t, uint32_t i, size_t number)
{
    const om_written *w = om_model_transition(m, t)->written;
    return w == NULL || w[i].line == 0 || om_intervals__fits(m, t, i, number);
}

/* If the transition has written the cell before, and nothing but the cell, the last write counts.
 */
static bool overwrites(om_footprint *f, uint32_t t, om_access last)
{
    const uint32_t i = f->last_write[last.cell];
    if (i < f->first[t] || i >= f->access_count || f->accesses[i].cell != last.cell ||
        f->accesses[i].count != 1 || !om_access__writes(&f->accesses[i]))
        return false;
    f->accesses[i] = last;
    return true;
}

/* `number`: of the assignment in the model. */
static void read_assignment(om_footprint *f, uint32_t t, uint32_t i, size_t number)
{
    const om_assign *a = &om_model_transition(f->m, t)->assigns[i];
    om_access cells = om_footprint__cells(f, a->slot, a->index);
    const om_slot *s = om_model__slot(f->m, a->slot);
    const size_t first = f->access_count;
    om_value by = 0;
    cells.end = om_footprint__end_written(f, t, a, &cells);
    if (cells.end != OM_BACK)
        read_more(f, a->index);
    if (a->value == 0) { /* an element is taken out, and later ones move */
        add(f, cells);
        cells.kind = OM_WRITE;
    } else if (cells.count == 1 && cells.end != OM_BACK && om_footprint__fold(f, a->value, &by)) {
        cells.kind = OM_WRITE_CONST;
        cells.value = om_value_stored(s->low, s->high, by);
        if (overwrites(f, t, cells))
            return;
    } else if (cells.count == 1 && adds(f, a, &by) && fits(f->m, t, i, number)) {
        cells.kind = OM_WRITE_ADD;
        cells.value = by;
    } else {
        read_more(f, a->value);
        cells.kind = OM_WRITE;
    }
    om_footprint__mark_reads(f, t, first);
    if (cells.end == OM_BACK)
        add(f, (om_access){ .cell = f->length_of[cells.cell], .count = 1, .end = OM_BACK });
    f->last_write[cells.cell] = (uint32_t) f->access_count;
    add(f, cells);
    if (f->length_of[cells.cell] != OM_NONE)
        om_footprint__visit(f); /* what is read from now on is no more at the same place */
}

/* The uses of an access's cells: those of the cell, or of its array if the index is computed. */
static om_uses *uses_of(const om_footprint *f, const om_access *a)
{
    return a->count == 1 ? &f->uses[a->cell] : &f->array_uses[f->slot_of[a->cell]];
}

static void count_uses(om_footprint *f, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const om_access *a = &f->accesses[i];
        uses_of(f, a)->writes += om_access__writes(a);
        uses_of(f, a)->reads += a->kind == OM_READ && a->end != OM_BACK;
    }
}

/* F3, F5. If a cell is written twice, or read by another assignment than that which adds to it,
 * only the fact remains that it is read and written. */
static void join_writes(om_footprint *f, size_t first)
{
    const size_t end = f->access_count;
    count_uses(f, first, end);
    for (size_t i = first; i < end; i++) {
        om_access *a = &f->accesses[i];
        if (!om_access__writes(a) || a->kind == OM_WRITE)
            continue;
        assert(a->count == 1);
        const om_uses *cell = &f->uses[a->cell], *array = &f->array_uses[f->slot_of[a->cell]];
        if (cell->writes + array->writes > 1 ||
            (a->kind == OM_WRITE_ADD && cell->reads + array->reads > 0)) {
            a->kind = OM_WRITE;
            add(f, (om_access){ .kind = OM_READ, .cell = a->cell, .count = 1 });
        }
    }
    for (size_t i = first; i < end; i++)
        *uses_of(f, &f->accesses[i]) = (om_uses){ 0, 0 };
}

/* ---- all of it ---- */

static int number_cells(om_footprint *f)
{
    const om_heap *heap = f->m->heap;
    const uint32_t slots = om_model_slot_count(f->m);
    uint64_t cells = 0;
    if (!OM_NEW(heap, f->cell_of, slots + (size_t) 1) ||
        !OM_ROOM(heap, f->accesses, &f->access_room, 1) ||
        !OM_ROOM(heap, f->conjuncts, &f->conjunct_room, 1))
        return OM_ENOMEM;
    for (uint32_t s = 0; s < slots; s++) {
        const uint32_t length = om_model__slot(f->m, s)->length;
        f->cell_of[s] = (uint32_t) cells;
        cells += length == 0 ? 1 : length;
        if (cells > MOST_CELLS)
            return OM_EUNSUPPORTED;
    }
    f->cell_of[slots] = (uint32_t) cells;
    if (!OM_NEW(heap, f->slot_of, cells + 1) || !OM_NEW(heap, f->last_write, cells + 1) ||
        !OM_NEW(heap, f->uses, cells + 1) || !OM_NEW(heap, f->array_uses, slots + (size_t) 1) ||
        !OM_NEW(heap, f->visits, f->m->node_count) ||
        !OM_NEW(heap, f->dead, f->transitions + (size_t) 1) ||
        !OM_NEW(heap, f->inner, f->transitions + (size_t) 1))
        return OM_ENOMEM;
    for (uint32_t s = 0; s < slots; s++)
        for (uint32_t c = f->cell_of[s]; c < f->cell_of[s + 1]; c++)
            f->slot_of[c] = s;
    return OM_OK;
}

/* `number`: of the transition's first assignment. */
static void read_transition(om_footprint *f, uint32_t t, size_t number)
{
    const om_transition *tr = om_model_transition(f->m, t);
    f->first[t] = (uint32_t) f->access_count;
    f->first_conjunct[t] = (uint32_t) f->conjunct_count;
    if (f->dead[t])
        return;
    f->barred = false;
    om_footprint__read_guard(f, tr->guard);
    f->inner[t] = f->barred;
    om_footprint__mark_guard(f, t);
    om_footprint__visit(f);
    for (uint32_t i = 0; i < tr->assign_count && f->rc == OM_OK; i++)
        read_assignment(f, t, i, number + i);
    if (f->rc == OM_OK)
        join_writes(f, f->first[t]);
}

bool om_footprint__goes_on(om_footprint *f, size_t first, size_t first_conjunct)
{
    if (f->rc == OM_OK &&
        (f->access_count > UINT32_MAX / 2 || f->access_count - first > MOST_OF_ONE ||
            f->conjunct_count - first_conjunct > MOST_OF_ONE))
        f->rc = OM_EUNSUPPORTED;
    if (f->rc == OM_OK)
        f->rc = om_context_stopped(f->m->ctx);
    return f->rc == OM_OK;
}

static void read_transitions(om_footprint *f)
{
    size_t number = 0;
    for (uint32_t t = 0; t < f->transitions && f->rc == OM_OK; t++) {
        read_transition(f, t, number);
        number += om_model__own_count(f->m, t); /* resets have no numbers */
        (void) om_footprint__goes_on(f, f->first[t], f->first_conjunct[t]);
    }
    f->first[f->transitions] = (uint32_t) f->access_count;
    f->first_conjunct[f->transitions] = (uint32_t) f->conjunct_count;
}

/* All that uses the locations of processes */
static void read_model(om_footprint *f, const om_executor *x)
{
    om_left left;
    f->rc = om_left__open(&left, f->m);
    if (f->rc == OM_OK && x != NULL)
        f->rc = om_footprint__settle(f, x, &left);
    if (f->rc == OM_OK)
        f->rc = om_footprint__find_queues(f);
    if (f->rc == OM_OK)
        read_transitions(f);
    if (f->rc == OM_OK)
        om_footprint__watch(f);
    if (f->rc == OM_OK)
        f->rc = om_footprint__join_sequences(f, &left);
    om_left__close(&left);
}

int om_footprint__open(om_footprint *f, const om_model *m, const om_executor *x)
{
    const uint32_t transitions = om_model_transition_count(m);
    const size_t most = 2 * (size_t) transitions + om_model_assertion_count(m) + 1;
    *f = (om_footprint){ .m = m, .transitions = transitions, .all = transitions };
    f->rc = number_cells(f);
    if (f->rc == OM_OK &&
        (!OM_NEW(m->heap, f->first, most) || !OM_NEW(m->heap, f->first_conjunct, most)))
        f->rc = OM_ENOMEM;
    if (f->rc == OM_OK) {
        om_footprint__find_holder(f);
        read_model(f, x);
    }
    return f->rc;
}

void om_footprint__close(om_footprint *f)
{
    OM_FREE_ALL(f->m->heap, f->cell_of, f->slot_of, f->accesses, f->first, f->conjuncts,
        f->first_conjunct, f->visits, f->length_of, f->rows_of, f->dead, f->inner,
        f->first_follower, f->own_end, f->followers, f->values, f->folded, f->folds, f->folded_at,
        f->last_write, f->uses, f->array_uses);
}
