/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <string.h>

/* The model returns 0 for a failure and keeps its status. */
int pml_made(const pml_scope *s, const pml_expr *e, om_expr value, om_expr *out)
{
    *out = value;
    if (value != 0)
        return OM_OK;
    int rc = om_model_expr_check(s->l->model, &e->at);
    return rc != OM_OK ? rc : om_fail_memory(s->l->file->ctx);
}

om_expr pml_and(om_model *m, om_expr a, om_expr b)
{
    return a == 0 ? b : b == 0 ? a : om_expr_binary(m, OM_OP_AND, a, b);
}

om_expr pml_or(om_model *m, om_expr a, om_expr b)
{
    return a == 0 ? b : b == 0 ? a : om_expr_binary(m, OM_OP_OR, a, b);
}

/* Builds a tree of minimal height; the disjunction of an empty list is false. */
om_expr pml_any(om_model *m, const om_expr *list, size_t count)
{
    if (count == 0)
        return om_expr_const(m, 0);
    if (count == 1)
        return list[0];
    size_t half = count / 2;
    om_expr left = pml_any(m, list, half);
    return om_expr_binary(m, OM_OP_OR, left, pml_any(m, list + half, count - half));
}

om_expr pml_at(om_model *m, const pml_instance *i, const pml_node *n)
{
    return om_expr_binary(
        m, OM_OP_EQ, om_expr_slot(m, i->location), om_expr_const(m, (om_value) n->location));
}

om_expr pml_at_labels(const pml_lowering *l, pml_label_kind kind)
{
    om_expr any = 0;
    for (uint32_t k = 0; k < l->instance_count; k++) {
        const pml_instance *i = &l->instances[k];
        const pml_graph *g = i->type->graph;
        for (uint32_t n = 0; n < g->location_count; n++) {
            const pml_node *at = g->locations[n];
            if (kind == PML_LABEL_ACCEPT ? at->is_accept : at->is_progress)
                any = pml_or(l->model, any, pml_at(l->model, i, at));
        }
    }
    return any;
}

/* Returns the value of a slot of the process itself. */
static om_expr own(const pml_scope *s, uint32_t slot)
{
    om_model *m = s->l->model;
    return s->self->at == 0 ? om_expr_slot(m, slot) : om_expr_element(m, slot, s->self->at);
}

static om_expr truth(om_model *m, om_expr e)
{
    return om_expr_binary(m, OM_OP_NE, e, om_expr_const(m, 0));
}

/* ---- references ---- */

static const pml_place *place_of(const pml_scope *s, const pml_expr *e)
{
    const pml_variable *v = e->variable;
    if (v->is_global)
        return s->l->globals[v->index];
    return s->self == NULL || s->self->type != v->owner ? NULL : s->self->places[v->index];
}

/* Lowers an index. If its value does not count, it becomes 0, so that it cannot be out of bounds.
 */
static int lower_index(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    int rc = pml_lower_expression(s, e, out);
    if (rc == OM_OK && s->under != 0)
        rc = pml_made(
            s, e, om_expr_binary(s->l->model, OM_OP_MUL, *out, truth(s->l->model, s->under)), out);
    return rc;
}

/* Adds the condition that an index is within an array of this length; valid constants need none. */
static om_expr within(om_model *m, om_expr index, uint32_t length, om_expr all)
{
    const om_node *n = om_model_node(m, index); /* valid until a node is added */
    if (n != NULL && n->op == OM_OP_CONST && n->value >= 0 && (uint32_t) n->value < length)
        return all;
    om_expr most = om_expr_const(m, (om_value) length);
    all = pml_and(m, all, om_expr_binary(m, OM_OP_GE, index, om_expr_const(m, 0)));
    return pml_and(m, all, om_expr_binary(m, OM_OP_LT, index, most));
}

/*
 * Returns the index of element `index` of an array of `length` that is element `row` of an array
 * of `rows`. Both must be within their own bounds; otherwise the result is -1, which is the index
 * of no element.
 */
static om_expr in_row(om_model *m, om_expr row, uint32_t rows, om_expr index, uint32_t length)
{
    om_expr valid = within(m, index, length, within(m, row, rows, 0));
    om_expr begin = om_expr_binary(m, OM_OP_MUL, row, om_expr_const(m, (om_value) length));
    om_expr place = om_expr_binary(m, OM_OP_ADD, begin, index), one = om_expr_const(m, 1);
    if (valid == 0)
        return place;
    om_expr place_after = om_expr_binary(m, OM_OP_ADD, place, one);
    return om_expr_binary(
        m, OM_OP_SUB, om_expr_binary(m, OM_OP_MUL, truth(m, valid), place_after), one);
}

int pml_lower_target(const pml_scope *s, const pml_expr *e, pml_target *out)
{
    const pml_place *p = place_of(s, e);
    uint32_t length = 0;
    int rc = OM_OK;
    *out = (pml_target){ .variable = e->variable };
    if (p == NULL)
        return PML_FAIL(s->l->file, e->at, "\"%s\" cannot be seen from here", e->name);
    for (;; e = e->field) {
        out->variable = e->variable;
        if (e->variable->length != 0 && e->a == NULL)
            return PML_FAIL(s->l->file, e->at, "\"%s\" is an array: its index is missing", e->name);
        om_expr index = 0;
        if (e->a != NULL && (rc = lower_index(s, e->a, &index)) != OM_OK)
            return rc;
        if (e->a != NULL) {
            out->index = length == 0
                             ? index
                             : in_row(s->l->model, out->index, length, index, e->variable->length);
            length = e->variable->length * (length == 0 ? 1 : length);
        }
        if (e->field == NULL)
            break;
        for (const pml_variable *f = e->variable->structure->fields; f != e->field->variable;
             f = f->next)
            p += pml_leaf_count(f);
    }
    if (out->variable->structure != NULL)
        return PML_REFUSE(s->l->file, e->at, "structures as a whole are not supported");
    out->place = *p;
    if (p->at != 0 && !p->constant)
        out->index = length == 0 ? p->at
                                 : in_row(s->l->model, p->at,
                                       om_model_slot(s->l->model, p->slot)->length / length,
                                       out->index, length);
    return OM_OK;
}

/* Returns the initial value, while the model is being built. */
static int initial_of(const pml_scope *s, const pml_expr *e, const pml_target *t, om_expr *out)
{
    om_model *m = s->l->model;
    const om_slot *slot = om_model_slot(m, t->place.slot);
    om_value index = 0;
    if (t->index != 0) {
        const om_node *n = om_model_node(m, t->index);
        index = n->op == OM_OP_CONST ? n->value : -1;
        if (index < 0 || (uint32_t) index >= slot->length)
            return PML_FAIL(s->l->file, e->at, "\"%s\" has no such element", e->name);
    }
    return pml_made(s, e, om_expr_const(m, slot->initial[index]), out);
}

static int lower_reference(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    pml_target t;
    if (e->variable->forgotten)
        return PML_FAIL(s->l->file, e->at,
            "\"%s\" is hidden, and the model never reads it: no state has its value", e->name);
    int rc = pml_lower_target(s, e, &t);
    if (rc != OM_OK)
        return rc;
    if (t.place.constant)
        return pml_made(s, e, t.place.at != 0 ? t.place.at : om_expr_const(m, t.place.value), out);
    if (s->l->initial)
        return initial_of(s, e, &t, out);
    return pml_made(s, e,
        t.index != 0 ? om_expr_element(m, t.place.slot, t.index) : om_expr_slot(m, t.place.slot),
        out);
}

/* ---- other processes ---- */

static int lower_label(const pml_scope *s, const pml_expr *e, const pml_instance *i, om_expr *out)
{
    const pml_node *n = pml_marked(i->type->graph, e->label);
    if (n == NULL)
        return PML_FAIL(s->l->file, e->at, "there is no label \"%s\" in \"%s\"", e->label, e->name);
    if (n->kind == PML_N_JUMP)
        return PML_FAIL(s->l->file, e->at,
            "the label \"%s\" is at a jump, where a process never is: put \"skip\" before the jump",
            e->label);
    return pml_made(
        s, e, n->location == 0 ? om_expr_const(s->l->model, 0) : pml_at(s->l->model, i, n), out);
}

/* `under` is the condition that the process is the one referred to; otherwise its index does not
 * count. */
static int lower_other_variable(
    const pml_scope *s, const pml_expr *e, const pml_instance *i, om_expr under, om_expr *out)
{
    const pml_variable *v = i->type->variables;
    while (v != NULL && strcmp(v->name, e->label) != 0)
        v = v->next;
    if (v == NULL)
        return PML_FAIL(
            s->l->file, e->at, "there is no variable \"%s\" in \"%s\"", e->label, e->name);
    if (v->structure != NULL)
        return PML_REFUSE(s->l->file, e->at, "structures of other processes are not supported");
    const pml_expr *element = v->length == 0 && e->b != NULL && pml_is_zero(e->b) ? NULL : e->b;
    if ((v->length != 0) != (element != NULL))
        return PML_FAIL(s->l->file, e->at,
            v->length != 0 ? "\"%s\" is an array: its index is missing"
                           : "\"%s\" is not an array: its only index is 0",
            e->label);
    const pml_place *p = i->places[v->index];
    if (element != NULL) {
        om_expr index = 0;
        pml_scope inner = *s;
        inner.under = pml_and(s->l->model, s->under, under);
        int rc = lower_index(&inner, element, &index);
        if (rc != OM_OK)
            return rc;
        return pml_made(s, e, om_expr_element(s->l->model, p->slot, index), out);
    }
    return pml_made(s, e,
        p->constant ? om_expr_const(s->l->model, p->value) : om_expr_slot(s->l->model, p->slot),
        out);
}

/* Returns "the process runs, and has the lowest number of those of its type". */
static om_expr is_first(const pml_scope *s, const pml_instance *i)
{
    om_model *m = s->l->model;
    om_expr all = truth(m, om_expr_slot(m, i->location));
    for (uint32_t k = 0; k < s->l->instance_count; k++) {
        const pml_instance *j = &s->l->instances[k];
        if (j == i || j->type != i->type)
            continue;
        om_expr gone =
            om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, j->location), om_expr_const(m, 0));
        all = pml_and(m, all,
            pml_or(m, gone,
                om_expr_binary(m, OM_OP_GT, om_expr_slot(m, j->pid), om_expr_slot(m, i->pid))));
    }
    return all;
}

/* P@label, P[i]@label, P:x, P[i]:x; without an index the first P is meant, as in SPIN. */
static int lower_remote(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr number = 0, all = 0;
    int rc = OM_OK;
    if (s->l->initial)
        return PML_FAIL(s->l->file, e->at, "another process cannot be used in an initial value");
    if (e->a != NULL)
        rc = pml_lower_expression(s, e->a, &number);
    for (uint32_t k = 0; k < s->l->instance_count && rc == OM_OK; k++) {
        const pml_instance *i = &s->l->instances[k];
        om_expr one = 0;
        if (i->type != e->process)
            continue;
        om_expr meant = 0;
        if (number != 0)
            meant = om_expr_binary(m, OM_OP_AND, truth(m, om_expr_slot(m, i->location)),
                om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, i->pid), number));
        else if (e->process->copies > 1)
            meant = is_first(s, i);
        rc = e->kind == PML_REMOTE ? lower_label(s, e, i, &one)
                                   : lower_other_variable(s, e, i, meant, &one);
        if (rc == OM_OK && meant != 0)
            one = om_expr_binary(m, OM_OP_MUL, meant, one);
        all = all == 0 ? one : om_expr_binary(m, OM_OP_ADD, all, one);
    }
    return rc != OM_OK ? rc : pml_made(s, e, all == 0 ? om_expr_const(m, 0) : all, out);
}

/* Lowers a name as shown by traces. */
static int lower_slot(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_expr index = 0;
    int rc = e->a == NULL ? OM_OK : lower_index(s, e->a, &index);
    if (rc != OM_OK)
        return rc;
    return pml_made(s, e,
        e->a == NULL ? om_expr_slot(s->l->model, e->word)
                     : om_expr_element(s->l->model, e->word, index),
        out);
}

/* np_: no process is at a progress label. */
static int lower_no_progress(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr any = pml_at_labels(s->l, PML_LABEL_PROGRESS);
    return pml_made(s, e, any == 0 ? om_expr_const(m, 1) : om_expr_unary(m, OM_OP_NOT, any), out);
}

/* ---- operators ---- */

/* A divisor that does not count becomes 1, so that it cannot be 0. */
static om_expr safe_divisor(const pml_scope *s, om_expr b)
{
    om_model *m = s->l->model;
    if (s->under == 0)
        return b;
    om_expr counts = truth(m, s->under);
    return om_expr_binary(m, OM_OP_ADD, om_expr_binary(m, OM_OP_MUL, b, counts),
        om_expr_unary(m, OM_OP_NOT, s->under));
}

static int lower_binary(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_expr a = 0, b = 0;
    int rc = pml_lower_expression(s, e->a, &a);
    if (rc == OM_OK)
        rc = pml_lower_expression(s, e->b, &b);
    if (rc == OM_OK && (e->op == OM_OP_DIV || e->op == OM_OP_MOD))
        b = safe_divisor(s, b);
    return rc != OM_OK ? rc : pml_made(s, e, om_expr_binary(s->l->model, e->op, a, b), out);
}

/* (a -> b : c); only the chosen value can cause a fault */
static int lower_choice(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr a = 0, b = 0, c = 0;
    pml_scope inner = *s;
    int rc = pml_lower_expression(s, e->a, &a);
    if (rc != OM_OK)
        return rc;
    om_expr yes = truth(m, a), no = om_expr_unary(m, OM_OP_NOT, a);
    inner.under = pml_and(m, s->under, yes);
    if ((rc = pml_lower_expression(&inner, e->b, &b)) != OM_OK)
        return rc;
    inner.under = pml_and(m, s->under, no);
    if ((rc = pml_lower_expression(&inner, e->c, &c)) != OM_OK)
        return rc;
    return pml_made(s, e,
        om_expr_binary(m, OM_OP_ADD, om_expr_binary(m, OM_OP_MUL, yes, b),
            om_expr_binary(m, OM_OP_MUL, no, c)),
        out);
}

/* Builds a sum over the instances that may be the process with this number: the value `of` it, or
 * 0 if none is. */
static int of_process(const pml_scope *s, const pml_expr *e, om_expr *out,
    int (*of)(const pml_scope *, const pml_expr *, pml_instance *, om_expr *))
{
    om_model *m = s->l->model;
    om_expr number = 0, all = om_expr_const(m, 0);
    int rc = pml_lower_expression(s, e->a, &number);
    for (uint32_t k = 0; k < s->l->instance_count && rc == OM_OK; k++) {
        pml_instance *i = &s->l->instances[k];
        const om_node *n = om_model_node(m, number);
        om_expr one = 0;
        if (i->site == OM_NONE && n->op == OM_OP_CONST && n->value != (om_value) i->active)
            continue;
        rc = of(s, e, i, &one);
        om_expr lives = om_expr_binary(m, OM_OP_AND, truth(m, om_expr_slot(m, i->location)),
            om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, i->pid), number));
        all = om_expr_binary(m, OM_OP_ADD, all, om_expr_binary(m, OM_OP_MUL, lives, one));
    }
    return rc != OM_OK ? rc : pml_made(s, e, all, out);
}

static int priority_of(const pml_scope *s, const pml_expr *e, pml_instance *i, om_expr *out)
{
    (void) e;
    *out = om_expr_slot(s->l->model, i->priority);
    return OM_OK;
}

/* `enabled` of the process itself is an error in SPIN, and never true here. If processes ask it of
 * each other, the definition would be circular. */
static int enabled_of(const pml_scope *s, const pml_expr *e, pml_instance *i, om_expr *out)
{
    *out = om_expr_const(s->l->model, 0);
    if (i == s->self)
        return OM_OK;
    if (i->asked)
        return PML_REFUSE(s->l->file, e->at,
            "\"enabled\" of processes that apply it to each other is not supported");
    i->asked = true;
    int rc = pml_enabled_anywhere(s->l, i, out);
    i->asked = false;
    *out = truth(s->l->model, *out);
    return rc;
}

static int lower_priority(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    if (s->l->initial)
        return PML_FAIL(s->l->file, e->at, "a priority cannot be used in an initial value");
    if (e->a != NULL)
        return of_process(s, e, out, priority_of);
    if (s->self == NULL)
        return PML_FAIL(s->l->file, e->at, "\"_priority\" does not belong to a process here");
    return pml_made(s, e, own(s, s->self->priority), out);
}

static int lower_enabled(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    if (s->l->initial)
        return PML_FAIL(s->l->file, e->at, "\"enabled\" cannot be used in an initial value");
    return of_process(s, e, out, enabled_of);
}

/* SPIN's number of the control point of the process: all points within a d_step share one. */
static int place_number(const pml_scope *s, const pml_expr *e, pml_instance *i, om_expr *out)
{
    om_model *m = s->l->model;
    const pml_graph *g = i->type->graph;
    (void) e;
    *out = om_expr_const(m, 0);
    for (uint32_t k = 0; k < g->location_count; k++) {
        const pml_node *n = g->locations[k];
        const uint32_t element = n->d_step != NULL ? n->d_step->element : n->element;
        const om_value number = (om_value) (element - i->type->first_element) + 1;
        *out = om_expr_binary(m, OM_OP_ADD, *out,
            om_expr_binary(m, OM_OP_MUL, pml_at(m, i, n), om_expr_const(m, number)));
    }
    return OM_OK;
}

static int lower_place(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    if (s->l->initial)
        return PML_FAIL(s->l->file, e->at, "\"pc_value\" cannot be used in an initial value");
    return of_process(s, e, out, place_number);
}

static int lower_timeout(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_expr stuck = 0;
    s->l->any_timeout = true;
    if (s->l->no_timeout || s->l->initial)
        return pml_made(s, e, om_expr_const(s->l->model, 0), out);
    int rc = pml_stuck(s->l, &stuck);
    return rc != OM_OK ? rc : pml_made(s, e, stuck, out);
}

static int lower_pid(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    if (s->self == NULL)
        return PML_FAIL(s->l->file, e->at, "\"_pid\" does not belong to a process here");
    return pml_made(s, e,
        s->l->initial ? om_expr_const(m, (om_value) s->self->active) : own(s, s->self->pid), out);
}

/* The parser bounds the height of the tree, and so the depth of this recursion. */
int pml_lower_expression(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr a = 0;
    int rc;
    switch (e->kind) {
    case PML_NUMBER:
        return pml_made(s, e, om_expr_const(m, e->value), out);
    case PML_VARIABLE:
        return lower_reference(s, e, out);
    case PML_UNARY:
        rc = pml_lower_expression(s, e->a, &a);
        return rc != OM_OK ? rc : pml_made(s, e, om_expr_unary(m, e->op, a), out);
    case PML_BINARY:
        return lower_binary(s, e, out);
    case PML_COND:
        return lower_choice(s, e, out);
    case PML_LEN:
        return pml_lower_length(s, e, out);
    case PML_POLL:
        return pml_poll(s, e, out);
    case PML_TIMEOUT:
        return lower_timeout(s, e, out);
    case PML_PID_OF:
        return lower_pid(s, e, out);
    case PML_NR_PR:
        return pml_made(s, e, om_expr_slot(m, s->l->processes), out);
    case PML_LAST:
        return pml_made(s, e, om_expr_slot(m, s->l->last), out);
    case PML_PRIORITY:
        return lower_priority(s, e, out);
    case PML_ENABLED:
        return lower_enabled(s, e, out);
    case PML_PC:
        return lower_place(s, e, out);
    case PML_NP:
        return lower_no_progress(s, e, out);
    case PML_SLOT:
        return lower_slot(s, e, out);
    case PML_REMOTE:
    case PML_REMOTE_VARIABLE:
        return lower_remote(s, e, out);
    case PML_RUN:
        if (s->run == 0 && om_model_expr_check(s->l->model, &e->at) != OM_OK)
            return om_model_expr_check(s->l->model, &e->at); /* it could not be made */
        if (s->run == 0)
            return PML_FAIL(s->l->file, e->at, "no process can be started here");
        *out = s->run;
        return OM_OK;
    case PML_TEMPORAL:
        return PML_FAIL(s->l->file, e->at, "a formula has no value in an expression");
    default:
        break;
    }
    return PML_FAIL(s->l->file, e->at, "this has no value here");
}

int pml_lower_constant(const pml_scope *s, const pml_expr *e, om_value *out)
{
    om_expr value = 0;
    s->l->initial = true;
    int rc = pml_lower_expression(s, e, &value);
    s->l->initial = false;
    if (rc != OM_OK)
        return rc;
    const om_node *n = om_model_node(s->l->model, value);
    if (n->op != OM_OP_CONST)
        return PML_FAIL(s->l->file, e->at, "this initial value cannot be computed");
    *out = n->value;
    return OM_OK;
}
