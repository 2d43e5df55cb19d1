/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <string.h>

/* 0 is the model's word for a failure, which it then remembers. */
static int made(const pml_scope *s, const pml_expr *e, om_expr value, om_expr *out)
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

/* As a tree that is low where there are many; of none it is false. */
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
    return om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, i->location),
        om_expr_const(m, (om_value) n->location));
}

static om_expr truth(om_model *m, om_expr e)
{
    return om_expr_binary(m, OM_OP_NE, e, om_expr_const(m, 0));
}

/* ---- references ---- */

static uint32_t leaf_count(const pml_variable *v)
{
    uint32_t count = 0;
    if (v->structure == NULL)
        return 1;
    for (const pml_variable *f = v->structure->fields; f != NULL; f = f->next)
        count += leaf_count(f);
    return count;
}

static const pml_place *place_of(const pml_scope *s, const pml_expr *e)
{
    const pml_variable *v = e->variable;
    if (v->is_global)
        return s->l->globals[v->index];
    return s->self == NULL || s->self->type != v->owner ? NULL : s->self->places[v->index];
}

/* An index that does not count is 0, so that it cannot be outside the array. */
static int lower_index(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    int rc = pml_lower_expression(s, e, out);
    if (rc == OM_OK && s->under != 0)
        rc = made(s, e,
            om_expr_binary(s->l->model, OM_OP_MUL, *out, truth(s->l->model, s->under)), out);
    return rc;
}

int pml_lower_target(const pml_scope *s, const pml_expr *e, pml_target *out)
{
    const pml_place *p = place_of(s, e);
    int rc = OM_OK;
    *out = (pml_target){ .variable = e->variable };
    if (p == NULL)
        return PML_FAIL(s->l->file, e->at, "\"%s\" cannot be seen from here", e->name);
    for (;; e = e->field) {
        out->variable = e->variable;
        if (e->variable->length != 0 && e->a == NULL)
            return PML_FAIL(s->l->file, e->at, "\"%s\" is an array: which element?", e->name);
        if (e->a != NULL && (rc = lower_index(s, e->a, &out->index)) != OM_OK)
            return rc;
        if (e->field == NULL)
            break;
        for (const pml_variable *f = e->variable->structure->fields; f != e->field->variable;
             f = f->next)
            p += leaf_count(f);
    }
    if (out->variable->structure != NULL)
        return PML_REFUSE(s->l->file, e->at, "structures as a whole are not read");
    out->place = *p;
    return OM_OK;
}

/* What is stored initially, while the model is built. */
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
    return made(s, e, om_expr_const(m, slot->initial[index]), out);
}

static int lower_reference(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    pml_target t;
    int rc = pml_lower_target(s, e, &t);
    if (rc != OM_OK)
        return rc;
    if (t.place.constant)
        return made(s, e, om_expr_const(m, t.place.value), out);
    if (s->l->initial)
        return initial_of(s, e, &t, out);
    return made(s, e,
        t.index != 0 ? om_expr_element(m, t.place.slot, t.index) : om_expr_slot(m, t.place.slot),
        out);
}

/* ---- channels ---- */

int pml_check_channel(const pml_scope *s, const pml_expr *e)
{
    const pml_variable *last = e->variable;
    for (const pml_expr *f = e; f != NULL; f = f->field)
        last = f->variable;
    if (last->type != PML_CHAN)
        return PML_FAIL(s->l->file, e->at, "\"%s\" is no channel", e->name);
    return OM_OK;
}

int pml_means_channel(
    const pml_scope *s, const pml_expr *e, uint32_t c, om_expr *out, bool *possible)
{
    om_model *m = s->l->model;
    om_expr value = 0;
    *out = 0;
    const pml_variable *last = e->variable;
    for (const pml_expr *f = e; f != NULL; f = f->field)
        last = f->variable;
    int rc = pml_lower_expression(s, e, &value);
    if (rc != OM_OK)
        return rc;
    const om_node *n = om_model_node(m, value);
    if (n->op == OM_OP_CONST) {
        *possible = n->value == (om_value) c + 1;
        return OM_OK;
    }
    *possible = true;
    /* An array that is never assigned to means its own channels alone. */
    if (last->channel != NULL && !last->assigned && e->field == NULL) {
        om_value first = om_model_slot(m, n->a)->initial[0];
        *possible = (om_value) c + 1 >= first &&
                    (om_value) c + 1 < first + (om_value) last->length;
        if (last->owner != NULL && s->self->site != OM_NONE)
            *possible = c >= s->self->channel && c < s->self->channel + s->self->channel_count;
    }
    return made(
        s, e, om_expr_binary(m, OM_OP_EQ, value, om_expr_const(m, (om_value) c + 1)), out);
}

int pml_check_arguments(const pml_scope *s, const pml_expr *at, const pml_expr *args,
    uint32_t count, const pml_channel *c)
{
    (void) args;
    if (count != c->init->field_count)
        return PML_FAIL(s->l->file, at->at,
            "a message of the channel \"%s\" has %u field%s, this one has %u", c->name,
            (unsigned) c->init->field_count, c->init->field_count == 1 ? "" : "s",
            (unsigned) count);
    return OM_OK;
}

int pml_matches(const pml_scope *s, const pml_expr *args, uint32_t c, uint32_t position,
    om_expr *out)
{
    om_model *m = s->l->model;
    const pml_channel *channel = &s->l->channels[c];
    uint32_t i = 0;
    int rc = made(s, args,
        om_expr_binary(m, OM_OP_GT, om_expr_slot(m, channel->count),
            om_expr_const(m, (om_value) position)),
        out);
    for (const pml_expr *e = args; e != NULL && rc == OM_OK; e = e->next, i++) {
        om_expr value = 0;
        if (e->kind == PML_VARIABLE || e->kind == PML_IGNORE)
            continue;
        rc = pml_lower_expression(s, e->kind == PML_EVAL ? e->a : e, &value);
        if (rc != OM_OK)
            return rc;
        om_expr item =
            om_expr_element(m, channel->items[i], om_expr_const(m, (om_value) position));
        rc = made(s, e, pml_and(m, *out, om_expr_binary(m, OM_OP_EQ, item, value)), out);
    }
    return rc;
}

static int poll_channel(const pml_scope *s, const pml_expr *e, uint32_t c, om_expr *out)
{
    const pml_channel *channel = &s->l->channels[c];
    uint32_t last = e->word != 0 ? channel->init->capacity : 1;
    int rc = pml_check_arguments(s, e, e->args, e->arg_count, channel);
    *out = 0;
    if (rc == OM_OK && channel->init->capacity == 0)
        return PML_REFUSE(
            s->l->file, e->at, "asking for a message of a rendezvous channel is not read");
    for (uint32_t k = 0; k < last && rc == OM_OK; k++) {
        om_expr here = 0;
        rc = pml_matches(s, e->args, c, k, &here);
        *out = pml_or(s->l->model, *out, here);
    }
    return rc;
}

int pml_poll(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    int rc = pml_check_channel(s, e->a);
    om_expr all = 0;
    for (uint32_t c = 0; c < s->l->channel_count && rc == OM_OK; c++) {
        om_expr means = 0, holds = 0;
        bool possible = false;
        rc = pml_means_channel(s, e->a, c, &means, &possible);
        if (rc != OM_OK || !possible ||
            (means != 0 && s->l->channels[c].init->field_count != e->arg_count))
            continue;
        rc = poll_channel(s, e, c, &holds);
        all = pml_or(s->l->model, all, pml_and(s->l->model, means, holds));
    }
    if (rc != OM_OK)
        return rc;
    return made(s, e, all == 0 ? om_expr_const(s->l->model, 0) : all, out);
}

static om_expr length_of(const pml_scope *s, unsigned word, const pml_channel *c)
{
    om_model *m = s->l->model;
    om_expr count = om_expr_slot(m, c->count);
    om_expr zero = om_expr_const(m, 0), most = om_expr_const(m, (om_value) c->init->capacity);
    switch (word) {
    case PML_OF_EMPTY:
        return om_expr_binary(m, OM_OP_EQ, count, zero);
    case PML_OF_NEMPTY:
        return om_expr_binary(m, OM_OP_NE, count, zero);
    case PML_OF_FULL:
        return om_expr_binary(m, OM_OP_EQ, count, most);
    case PML_OF_NFULL:
        return om_expr_binary(m, OM_OP_NE, count, most);
    default:
        return count;
    }
}

/* len(c) and its like: a sum over the channels that c may mean. */
static int lower_length(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    int rc = pml_check_channel(s, e->a);
    om_expr all = 0;
    if (s->l->initial)
        return PML_REFUSE(s->l->file, e->at, "channels in initial values are not read");
    for (uint32_t c = 0; c < s->l->channel_count && rc == OM_OK; c++) {
        om_expr means = 0;
        bool possible = false;
        rc = pml_means_channel(s, e->a, c, &means, &possible);
        if (rc != OM_OK || !possible)
            continue;
        if (s->l->channels[c].init->capacity == 0 && e->word != PML_OF_LEN)
            return PML_REFUSE(
                s->l->file, e->at, "asking how full a rendezvous channel is is not read");
        om_expr one = s->l->channels[c].init->capacity == 0
                          ? om_expr_const(m, 0)
                          : length_of(s, e->word, &s->l->channels[c]);
        if (means != 0)
            one = om_expr_binary(m, OM_OP_MUL, means, one);
        all = all == 0 ? one : om_expr_binary(m, OM_OP_ADD, all, one);
    }
    if (rc != OM_OK)
        return rc;
    return made(s, e, all == 0 ? om_expr_const(m, 0) : all, out);
}

/* ---- other processes ---- */

static int lower_label(
    const pml_scope *s, const pml_expr *e, const pml_instance *i, om_expr *out)
{
    const pml_node *n = pml_marked(i->type->graph, e->label);
    if (n == NULL)
        return PML_FAIL(s->l->file, e->at, "there is no label \"%s\" in \"%s\"", e->label, e->name);
    return made(s, e,
        n->location == 0 ? om_expr_const(s->l->model, 0) : pml_at(s->l->model, i, n), out);
}

static int lower_other_variable(
    const pml_scope *s, const pml_expr *e, const pml_instance *i, om_expr *out)
{
    const pml_variable *v = i->type->variables;
    while (v != NULL && strcmp(v->name, e->label) != 0)
        v = v->next;
    if (v == NULL)
        return PML_FAIL(
            s->l->file, e->at, "there is no variable \"%s\" in \"%s\"", e->label, e->name);
    if (v->length != 0 || v->structure != NULL)
        return PML_REFUSE(s->l->file, e->at, "arrays of other processes are not read");
    const pml_place *p = i->places[v->index];
    return made(s, e,
        p->constant ? om_expr_const(s->l->model, p->value) : om_expr_slot(s->l->model, p->slot),
        out);
}

/* P@label, P[i]@label, P:x, P[i]:x; without an index there must be one P alone. */
static int lower_remote(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr number = 0, all = 0;
    int rc = OM_OK;
    if (s->l->initial)
        return PML_FAIL(s->l->file, e->at, "another process has no place in an initial value");
    if (e->a != NULL)
        rc = pml_lower_expression(s, e->a, &number);
    else if (e->process->copies > 1)
        return PML_FAIL(
            s->l->file, e->at, "there may be several \"%s\": which one is meant?", e->name);
    for (uint32_t k = 0; k < s->l->instance_count && rc == OM_OK; k++) {
        const pml_instance *i = &s->l->instances[k];
        om_expr one = 0;
        if (i->type != e->process)
            continue;
        rc = e->kind == PML_REMOTE ? lower_label(s, e, i, &one)
                                   : lower_other_variable(s, e, i, &one);
        if (rc == OM_OK && number != 0) {
            om_expr lives = om_expr_binary(m, OM_OP_AND,
                truth(m, om_expr_slot(m, i->location)),
                om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, i->pid), number));
            one = om_expr_binary(m, OM_OP_MUL, lives, one);
        }
        all = all == 0 ? one : om_expr_binary(m, OM_OP_ADD, all, one);
    }
    return rc != OM_OK ? rc : made(s, e, all == 0 ? om_expr_const(m, 0) : all, out);
}

/* np_: no process is at a label that makes progress. */
static int lower_no_progress(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr any = 0;
    for (uint32_t k = 0; k < s->l->instance_count; k++) {
        const pml_instance *i = &s->l->instances[k];
        const pml_graph *g = i->type->graph;
        for (uint32_t n = 0; n < g->location_count; n++)
            if (g->locations[n]->is_progress)
                any = pml_or(m, any, pml_at(m, i, g->locations[n]));
    }
    return made(
        s, e, any == 0 ? om_expr_const(m, 1) : om_expr_unary(m, OM_OP_NOT, any), out);
}

/* ---- operators ---- */

/* A divisor that does not count is 1, so that it cannot be 0. */
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
    return rc != OM_OK ? rc : made(s, e, om_expr_binary(s->l->model, e->op, a, b), out);
}

/* (a -> b : c), of which one value alone is computed as far as faults go */
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
    return made(s, e,
        om_expr_binary(m, OM_OP_ADD, om_expr_binary(m, OM_OP_MUL, yes, b),
            om_expr_binary(m, OM_OP_MUL, no, c)),
        out);
}

static int lower_timeout(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_expr stuck = 0;
    s->l->any_timeout = true;
    if (s->l->no_timeout || s->l->initial)
        return made(s, e, om_expr_const(s->l->model, 0), out);
    int rc = pml_stuck(s->l, &stuck);
    return rc != OM_OK ? rc : made(s, e, stuck, out);
}

static int lower_pid(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    if (s->self == NULL)
        return PML_FAIL(s->l->file, e->at, "\"_pid\" is that of no process here");
    return made(s, e,
        s->l->initial ? om_expr_const(m, (om_value) s->self->active)
                      : om_expr_slot(m, s->self->pid),
        out);
}

/* The parser bounds the height of the tree, and so this recursion. */
int pml_lower_expression(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    om_expr a = 0;
    int rc;
    switch (e->kind) {
    case PML_NUMBER:
        return made(s, e, om_expr_const(m, e->value), out);
    case PML_VARIABLE:
        return lower_reference(s, e, out);
    case PML_UNARY:
        rc = pml_lower_expression(s, e->a, &a);
        return rc != OM_OK ? rc : made(s, e, om_expr_unary(m, e->op, a), out);
    case PML_BINARY:
        return lower_binary(s, e, out);
    case PML_COND:
        return lower_choice(s, e, out);
    case PML_LEN:
        return lower_length(s, e, out);
    case PML_POLL:
        return pml_poll(s, e, out);
    case PML_TIMEOUT:
        return lower_timeout(s, e, out);
    case PML_PID_OF:
        return lower_pid(s, e, out);
    case PML_NR_PR:
        return made(s, e, om_expr_slot(m, s->l->processes), out);
    case PML_NP:
        return lower_no_progress(s, e, out);
    case PML_REMOTE:
    case PML_REMOTE_VARIABLE:
        return lower_remote(s, e, out);
    case PML_RUN:
        return PML_REFUSE(s->l->file, e->at,
            "\"run\" is read as a statement, or as all of the right side of an assignment");
    case PML_UNSUPPORTED:
        return PML_REFUSE(s->l->file, e->at, "\"%s\" is not read", e->name);
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
