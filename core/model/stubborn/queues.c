/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues: rows of arrays to whose back transitions append, and from whose front they take. A
 * channel has a row for each of its fields, and one cell with the length of all of them. An array
 * without rows is one row.
 */
#include "footprint.h"

/* MOST_ASSIGNED: a transition with more assignments has no ends of queues. */
enum { MOST_ASSIGNED = 64 };

/* Returns the cells of the row in which an element lies. */
static om_access row_at(const om_footprint *f, uint32_t slot, om_value element)
{
    const uint32_t length = om_model__slot(f->m, slot)->length,
                   row = length == 0 ? 1 : om_model__row(f->m, slot);
    return (om_access){ .cell = f->cell_of[slot] + (uint32_t) element / row * row, .count = row };
}

/* Sets *row if an assignment is to row[L], and *length to the cell L. */
static bool appends(om_footprint *f, const om_assign *a, om_access *row, uint32_t *length)
{
    const om_node *nodes = f->m->nodes, *index = &nodes[a->index];
    om_value first = 0;
    if (a->index == 0 || a->value == 0)
        return false;
    if (index->op == OM_OP_ADD && om_footprint__fold(f, index->a, &first))
        index = &nodes[index->b];
    else if (index->op == OM_OP_ADD && om_footprint__fold(f, index->b, &first))
        index = &nodes[index->a];
    if (index->op != OM_OP_SLOT && index->op != OM_OP_ELEMENT)
        return false;
    const om_access cell =
        om_footprint__cells(f, index->a, index->op == OM_OP_ELEMENT ? index->b : 0);
    if (cell.count != 1 || first < 0 || (uint32_t) first >= om_model__slot(f->m, a->slot)->length)
        return false;
    *row = row_at(f, a->slot, first);
    *length = cell.cell;
    return row->cell == f->cell_of[a->slot] + (uint32_t) first;
}

int om_footprint__find_queues(om_footprint *f)
{
    const om_model *m = f->m;
    const uint32_t cells = f->cell_of[om_model_slot_count(m)];
    if (!OM_NEW(m->heap, f->length_of, cells + (size_t) 1) ||
        !OM_NEW(m->heap, f->rows_of, cells + (size_t) 1))
        return OM_ENOMEM;
    for (uint32_t c = 0; c < cells; c++)
        f->length_of[c] = OM_NONE;
    for (uint32_t t = 0; t < f->transitions; t++) {
        const om_transition *tr = om_model_transition(m, t);
        for (uint32_t i = 0; i < tr->assign_count && !f->dead[t]; i++) {
            om_access row;
            uint32_t length;
            if (appends(f, &tr->assigns[i], &row, &length) && f->length_of[row.cell] == OM_NONE) {
                f->length_of[row.cell] = length;
                f->rows_of[length]++;
            }
        }
    }
    return OM_OK;
}

/* ---- what a guard says of a length ---- */

/* Returns the number of the conjunct by which a guard implies low <= cell <= high; OM_NONE: there
 * is none. The guard is that of the transition to which accesses are being added. */
static uint32_t implied(
    const om_footprint *f, uint32_t t, uint32_t cell, om_value low, om_value high)
{
    const om_slot *s = om_model__slot(f->m, f->slot_of[cell]);
    for (uint32_t i = f->first_conjunct[t]; i < f->conjunct_count; i++) {
        const om_conjunct *c = &f->conjuncts[i];
        const om_access *a = &f->accesses[c->first];
        om_value least = s->low, most = s->high;
        if (c->count != 1 || a->cell != cell || a->count != 1)
            continue;
        if ((a->kind == OM_TEST_AT_LEAST || a->kind == OM_TEST_EQUAL) && a->value > least)
            least = a->value;
        if ((a->kind == OM_TEST_AT_MOST || a->kind == OM_TEST_EQUAL) && a->value < most)
            most = a->value;
        if (a->kind == OM_TEST_DIFFERS && a->value == least)
            least++;
        if (a->kind == OM_TEST_DIFFERS && a->value == most)
            most--;
        if (least >= low && most <= high)
            return i;
    }
    return OM_NONE;
}

/* The conjunct by which a guard implies that a queue has an element. */
static uint32_t has_first(const om_footprint *f, uint32_t t, uint32_t length)
{
    return implied(f, t, length, 1, OM_VALUE_MAX);
}

/* ---- transitions that take the first element ---- */

/* Returns true if some row of an array that lies among the cells has this length. */
static bool has_row(const om_footprint *f, const om_access *cells, uint32_t length)
{
    const uint32_t slot = f->slot_of[cells->cell];
    om_access row = row_at(f, slot, (om_value) (cells->cell - f->cell_of[slot]));
    for (; row.cell < cells->cell + cells->count; row.cell += row.count)
        if (f->length_of[row.cell] == length)
            return true;
    return false;
}

static bool subtracts_one(const om_footprint *f, const om_assign *a)
{
    const om_node *nodes = f->m->nodes, *v = &nodes[a->value], *left = &nodes[v->a];
    return a->value != 0 && v->op == OM_OP_SUB && nodes[v->b].op == OM_OP_CONST &&
           nodes[v->b].value == 1 && (left->op == OM_OP_SLOT || left->op == OM_OP_ELEMENT) &&
           left->a == a->slot && (left->op == OM_OP_SLOT || left->b == a->index);
}

/* Returns the first cell of the row if the assignment takes out its first element; or OM_NONE. */
static uint32_t taken_by(om_footprint *f, const om_assign *a)
{
    om_value index = 0;
    if (a->value != 0 || (a->index != 0 && !om_footprint__fold(f, a->index, &index)) || index < 0 ||
        (index > 0 && (uint32_t) index >= om_model__slot(f->m, a->slot)->length))
        return OM_NONE;
    const uint32_t row = row_at(f, a->slot, index).cell;
    return row == f->cell_of[a->slot] + (uint32_t) index ? row : OM_NONE;
}

/* Returns true if one of the first assignments takes out the element that number i does. */
static bool takes_again(om_footprint *f, const om_assign *assigns, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (taken_by(f, &assigns[k]) == taken_by(f, &assigns[i]))
            return true;
    return false;
}

/* Returns true if a transition takes the first element out of all rows of a length, changes their
 * contents in no other way, and subtracts one from the length. */
static bool takes(om_footprint *f, uint32_t t, uint32_t length)
{
    const om_transition *tr = om_model_transition(f->m, t);
    uint32_t taken = 0, subtracted = 0;
    if (tr->assign_count > MOST_ASSIGNED)
        return false;
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const om_assign *a = &tr->assigns[i];
        const om_access cells = om_footprint__cells(f, a->slot, a->index),
                        is_length = { .cell = length, .count = 1 };
        const uint32_t row = taken_by(f, a);
        if (row != OM_NONE && f->length_of[row] == length) {
            if (takes_again(f, tr->assigns, i))
                return false;
            taken++;
        } else if (om_access__overlap(&cells, &is_length)) {
            if (cells.count != 1 || !subtracts_one(f, a))
                return false;
            subtracted++;
        } else if (has_row(f, &cells, length))
            return false;
    }
    return subtracted == 1 && taken == f->rows_of[length];
}

/* ---- ends ---- */

/* Returns true if the transition has written the cell, or all of its array, before. */
static bool has_written(const om_footprint *f, uint32_t t, uint32_t cell)
{
    const uint32_t of[] = { f->last_write[cell], f->last_write[f->cell_of[f->slot_of[cell]]] };
    for (int k = 0; k < 2; k++) {
        const om_access *a = &f->accesses[of[k]];
        if (of[k] >= f->first[t] && of[k] < f->access_count && om_access__writes(a) &&
            a->cell <= cell && cell < a->cell + a->count)
            return true;
    }
    return false;
}

om_end om_footprint__end_written(om_footprint *f, uint32_t t, const om_assign *a, om_access *cells)
{
    om_access row;
    uint32_t length = OM_NONE;
    if (a->value == 0) {
        const uint32_t first = taken_by(f, a);
        *cells = (om_access){ .cell = f->cell_of[a->slot],
            .count = f->cell_of[a->slot + 1] - f->cell_of[a->slot] };
        if (first == OM_NONE)
            return OM_MIDDLE;
        *cells = row_at(f, a->slot, (om_value) (first - f->cell_of[a->slot]));
        length = f->length_of[first];
    } else if (cells->count == 1 && f->rows_of[cells->cell] > 0)
        length = cells->cell;
    else if (appends(f, a, &row, &length) && f->length_of[row.cell] == length &&
             !has_written(f, t, length) &&
             implied(f, t, length, 0, (om_value) row.count - 1) != OM_NONE) {
        *cells = row;
        return OM_BACK;
    } else
        return OM_MIDDLE;
    return length != OM_NONE && has_first(f, t, length) != OM_NONE && takes(f, t, length)
               ? OM_FRONT
               : OM_MIDDLE;
}

void om_footprint__mark_reads(om_footprint *f, uint32_t t, size_t first)
{
    for (size_t i = first; i < f->access_count; i++) {
        om_access *a = &f->accesses[i];
        const uint32_t length = f->length_of[a->cell];
        if (length != OM_NONE && a->count == 1 && !has_written(f, t, a->cell) &&
            has_first(f, t, length) != OM_NONE)
            a->end = OM_FRONT;
    }
}

/* Returns the length of the queue whose front a conjunct reads; OM_NONE: there is none, or two. */
static uint32_t length_behind(const om_footprint *f, const om_conjunct *c)
{
    uint32_t length = OM_NONE;
    for (uint32_t i = c->first; i < c->first + c->count; i++) {
        const om_access *a = &f->accesses[i];
        if (a->end != OM_FRONT)
            continue;
        if (length != OM_NONE && f->length_of[a->cell] != length)
            return OM_NONE;
        length = f->length_of[a->cell];
    }
    return length;
}

void om_footprint__mark_guard(om_footprint *f, uint32_t t)
{
    om_footprint__mark_reads(f, t, f->first[t]);
    for (uint32_t i = f->first_conjunct[t]; i < f->conjunct_count; i++) {
        const uint32_t length = length_behind(f, &f->conjuncts[i]);
        if (length != OM_NONE)
            f->conjuncts[i].behind = has_first(f, t, length);
    }
}
