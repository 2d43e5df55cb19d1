/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>

static om_place place_of(const dve_scope *s, dve_pos pos)
{
    return (om_place){ s->origin, pos.line, pos.column };
}

#define FAIL(s, pos, ...)                                                                    \
    om_fail((s)->file->ctx, OM_EINPUT, &(om_place){ (s)->origin, (pos).line, (pos).column }, \
        __VA_ARGS__)

/* Stores e in *out. The model returns 0 for a failure and keeps its status, which is returned
 * here. */
static int made(const dve_scope *s, dve_pos pos, om_expr e, om_expr *out)
{
    om_place place = place_of(s, pos);
    *out = e;
    if (e != 0)
        return OM_OK;
    int rc = om_model_expr_check(s->model, &place);
    return rc != OM_OK ? rc : om_fail_memory(s->file->ctx);
}

/* Returns the variable that a name without an owner stands for; NULL with *rc set if there is
 * none. */
static const dve_variable *find_variable(const dve_scope *s, const dve_expr *e, int *rc)
{
    const dve_symbol *y = dve_lookup(s->file, s->process, e->name);
    om_place place = place_of(s, e->name_pos);
    if (y != NULL && y->kind == DVE_IS_VARIABLE)
        return y->variable;
    if (y == NULL)
        *rc = dve_unknown(s->file, &place, "variable", e->name, s->process, true, DVE_IS_VARIABLE);
    else if (y->kind == DVE_IS_PROCESS)
        *rc = FAIL(s, e->name_pos,
            "\"%s\" is a process, which has no value; \"%s.STATE\" tests its state", e->name,
            e->name);
    else
        *rc = FAIL(s, e->name_pos, "\"%s\" is a %s, not a variable", e->name,
            y->kind == DVE_IS_STATE ? "state" : "channel");
    return NULL;
}

/* Arrays always have an index here: see dve_complete(). */
static int check_index(const dve_scope *s, const dve_expr *e, const dve_variable *v)
{
    assert(!v->is_array || e->a != NULL); /* D3 */
    if (!v->is_array && e->a != NULL)
        return FAIL(s, e->name_pos, "\"%s\" is not an array", v->name);
    return OM_OK;
}

/* Lowers a constant, or a variable's initial value within an initialiser. */
static int lower_value(const dve_scope *s, const dve_expr *e, const dve_variable *v, om_expr *out)
{
    om_value index = 0;
    if (v->values == NULL)
        return FAIL(s, e->name_pos, "\"%s\" has no value yet here", v->name);
    if (e->a != NULL) {
        int rc = dve_lower_constant(s, e->a, &index);
        if (rc != OM_OK)
            return rc;
        if (index < 0 || (uint32_t) index >= v->length)
            return FAIL(s, e->a->pos, "\"%s\" has no element %" OM_VALUE_FORMAT, v->name, index);
    }
    return made(s, e->pos, om_expr_const(s->model, v->values[index]), out);
}

static int lower_variable(
    const dve_scope *s, const dve_expr *e, const dve_variable *v, om_expr *out)
{
    int rc = check_index(s, e, v);
    om_expr index = 0;
    if (rc != OM_OK)
        return rc;
    if (s->initial || (v->is_const && e->a == NULL))
        return lower_value(s, e, v, out);
    if (v->slot == OM_NONE)
        return FAIL(s, e->name_pos, "\"%s\" is a variable of the property process", v->name);
    if (e->a != NULL && (rc = dve_lower_expression(s, e->a, &index)) != OM_OK)
        return rc;
    return made(s, e->pos,
        e->a == NULL ? om_expr_slot(s->model, v->slot) : om_expr_element(s->model, v->slot, index),
        out);
}

om_expr dve_at(om_model *m, const dve_process *p, const dve_state *s)
{
    assert(p->location != OM_NONE && s->index < p->state_count);
    return om_expr_binary(
        m, OM_OP_EQ, om_expr_slot(m, p->location), om_expr_const(m, (om_value) s->index));
}

static int lower_state(
    const dve_scope *s, dve_pos pos, const dve_process *p, const dve_state *at, om_expr *out)
{
    if (s->initial)
        return FAIL(s, pos, "a state cannot be used in an initial value");
    if (p->location == OM_NONE)
        return FAIL(
            s, pos, "\"%s\" is the property process, which is not part of the system", p->name);
    return made(s, pos, dve_at(s->model, p, at), out);
}

/* Returns the process of that name; NULL with *rc set if there is none. */
static const dve_process *find_process(const dve_scope *s, const char *name, dve_pos pos, int *rc)
{
    const dve_symbol *y = dve_find(s->file, NULL, name);
    om_place place = place_of(s, pos);
    if (y != NULL && y->kind == DVE_IS_PROCESS)
        return y->process;
    *rc = y == NULL ? dve_unknown(s->file, &place, "process", name, NULL, false, DVE_IS_PROCESS)
                    : FAIL(s, pos, "\"%s\" is not a process", name);
    return NULL;
}

/* Lowers P.state, P.variable and P->variable, each variable with or without an index. */
static int lower_owned(const dve_scope *s, const dve_expr *e, om_expr *out)
{
    int rc = OM_OK;
    const dve_process *p = find_process(s, e->owner, e->pos, &rc);
    if (p == NULL)
        return rc;
    const dve_symbol *y = dve_find(s->file, p, e->name);
    om_place place = place_of(s, e->name_pos);
    if (y == NULL)
        return dve_unknown(s->file, &place, e->arrow ? "variable" : "state or variable", e->name, p,
            false,
            e->arrow ? DVE_IS_VARIABLE : (unsigned) DVE_IS_VARIABLE | (unsigned) DVE_IS_STATE);
    if (y->kind == DVE_IS_VARIABLE)
        return lower_variable(s, e, y->variable, out);
    if (e->arrow || e->a != NULL)
        return om_fail(s->file->ctx, OM_EINPUT, &place,
            "\"%s\" is a state of process \"%s\", not a variable", e->name, p->name);
    return lower_state(s, e->name_pos, p, y->state, out);
}

/* Lowers P == 'state' in a proposition, with the two sides in either order. */
static int lower_location(const dve_scope *s, const dve_expr *e, om_expr *out)
{
    const dve_expr *quoted = e->b->kind == DVE_STRING ? e->b : e->a;
    const dve_expr *name = quoted == e->b ? e->a : e->b;
    assert(quoted->kind == DVE_STRING);
    int rc = OM_OK;
    if ((e->op != OM_OP_EQ && e->op != OM_OP_NE) || name->kind != DVE_REFERENCE ||
        name->owner != NULL || name->a != NULL)
        return FAIL(
            s, quoted->pos, "the state '%s' can only be compared with a process", quoted->name);
    const dve_process *p = find_process(s, name->name, name->pos, &rc);
    if (p == NULL)
        return rc;
    const dve_symbol *y = dve_find(s->file, p, quoted->name);
    om_place place = place_of(s, quoted->pos);
    if (y == NULL || y->kind != DVE_IS_STATE)
        return dve_unknown(s->file, &place, "state", quoted->name, p, false, DVE_IS_STATE);
    om_expr at = 0;
    rc = lower_state(s, name->pos, p, y->state, &at);
    if (rc != OM_OK || e->op == OM_OP_EQ) {
        *out = at;
        return rc;
    }
    return made(s, e->pos, om_expr_unary(s->model, OM_OP_NOT, at), out);
}

static int lower_binary(const dve_scope *s, const dve_expr *e, om_expr *out)
{
    om_expr a = 0, b = 0;
    if (e->a->kind == DVE_STRING || e->b->kind == DVE_STRING)
        return lower_location(s, e, out);
    int rc = dve_lower_expression(s, e->a, &a);
    if (rc == OM_OK)
        rc = dve_lower_expression(s, e->b, &b);
    return rc != OM_OK ? rc : made(s, e->pos, om_expr_binary(s->model, e->op, a, b), out);
}

/* The parser bounds the height of the tree, and so the depth of this recursion. */
int dve_lower_expression(const dve_scope *s, const dve_expr *e, om_expr *out)
{
    om_expr a = 0;
    assert(e->depth <= DVE_MAX_DEPTH); /* D4 */
    int rc;
    switch (e->kind) {
    case DVE_NUMBER:
        return made(s, e->pos, om_expr_const(s->model, e->value), out);
    case DVE_STRING:
        return FAIL(s, e->pos, "the state '%s' can only be compared with a process", e->name);
    case DVE_REFERENCE:
        if (e->owner != NULL)
            return lower_owned(s, e, out);
        rc = OM_OK;
        const dve_variable *v = find_variable(s, e, &rc);
        return v == NULL ? rc : lower_variable(s, e, v, out);
    case DVE_UNARY:
        rc = dve_lower_expression(s, e->a, &a);
        return rc != OM_OK ? rc : made(s, e->pos, om_expr_unary(s->model, e->op, a), out);
    case DVE_BINARY:
        break;
    }
    return lower_binary(s, e, out);
}

int dve_lower_constant(const dve_scope *s, const dve_expr *e, om_value *out)
{
    dve_scope inner = *s;
    om_expr value = 0;
    inner.initial = true;
    int rc = dve_lower_expression(&inner, e, &value);
    if (rc != OM_OK)
        return rc;
    const om_node *n = om_model_node(s->model, value);
    if (n->op != OM_OP_CONST)
        return FAIL(s, e->pos, "this initial value cannot be computed: it divides by zero");
    *out = n->value;
    return OM_OK;
}

int dve_lower_target(
    const dve_scope *s, const dve_expr *e, const dve_variable **variable, om_expr *index)
{
    int rc = OM_OK;
    const dve_variable *v = find_variable(s, e, &rc);
    *variable = v;
    *index = 0;
    if (v != NULL)
        rc = check_index(s, e, v);
    if (rc != OM_OK || v == NULL)
        return rc;
    if (v->is_const)
        return FAIL(s, e->name_pos, "\"%s\" is a constant and cannot be assigned to", e->name);
    if (v->slot == OM_NONE)
        return FAIL(s, e->name_pos, "\"%s\" is a variable of the property process", e->name);
    return e->a == NULL ? OM_OK : dve_lower_expression(s, e->a, index);
}
