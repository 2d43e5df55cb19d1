/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>

/* ---- moves ---- */

void dve_move_guard(dve_move *v, om_expr e)
{
    if (v->guard == 0)
        v->guard = e;
    else if (e != 0)
        v->guard = om_expr_binary(v->scope.model, OM_OP_AND, v->guard, e);
}

int dve_move_assign_at(dve_move *v, om_written at, om_assign assign)
{
    const om_heap *heap = v->scope.file->region.heap;
    if (!OM_ROOM(heap, v->assigns, &v->capacity, v->count + 1))
        return om_fail_memory(v->scope.file->ctx);
    if (!OM_ROOM(heap, v->written, &v->written_capacity, v->count + 1))
        return om_fail_memory(v->scope.file->ctx);
    v->written[v->count] = at;
    v->assigns[v->count++] = assign;
    return OM_OK;
}

int dve_move_assign(dve_move *v, uint32_t slot, om_expr index, om_expr value)
{
    return dve_move_assign_at(v, (om_written){ 0, 0 }, (om_assign){ slot, index, value });
}

int dve_move_target(dve_move *v, const dve_expr *target, om_expr value)
{
    const dve_variable *variable = NULL;
    om_expr index = 0;
    int rc = dve_lower_target(&v->scope, target, &variable, &index);
    return rc == OM_OK ? dve_move_assign_at(v, (om_written){ target->pos.line, target->pos.column },
                             (om_assign){ variable->slot, index, value })
                       : rc;
}

int dve_move_apply(dve_move *v, const dve_process *p, const dve_transition *t)
{
    /* The location comes first, as in DiVinE: an effect may read the process's own state. */
    int rc = OM_OK;
    assert(t->from.state != NULL && t->to.state != NULL); /* D1 */
    v->scope.process = p;
    if (t->from.state != t->to.state)
        rc = dve_move_assign(
            v, p->location, 0, om_expr_const(v->scope.model, (om_value) t->to.state->index));
    for (const dve_effect *e = t->effects; e != NULL && rc == OM_OK; e = e->next) {
        om_expr value = 0;
        if ((rc = dve_lower_expression(&v->scope, e->value, &value)) == OM_OK)
            rc = dve_move_target(v, e->target, value);
    }
    return rc;
}

int dve_move_emit(
    dve_move *v, uint32_t process, uint32_t partner, const dve_transition *t, const char *label)
{
    om_transition made = { .process = process,
        .partner = partner,
        .guard = v->guard,
        .assigns = v->assigns,
        .assign_count = (uint32_t) v->count,
        .written = v->written,
        .label = label,
        .place = dve_place(v->scope.file, t->pos) };
    int rc = om_model_expr_check(v->scope.model, &made.place);
    v->guard = 0;
    v->count = 0;
    return rc == OM_OK ? om_model_add_transition(v->scope.model, &made, NULL) : rc;
}

void dve_move_free(dve_move *v)
{
    OM_FREE_ALL(v->scope.file->region.heap, v->assigns, v->written);
}

/* ---- one process alone ---- */

/* While a process is in a committed state, only transitions from committed states are enabled.
 * Guards all others. */
static void guard_commitment(dve_lowering *l, dve_move *v, const dve_transition *t)
{
    if (!t->from.state->commit)
        dve_move_guard(v, l->none_committed);
}

static int lower_guard(dve_move *v, const dve_process *p, const dve_transition *t)
{
    om_expr guard = 0;
    v->scope.process = p;
    int rc = t->guard == NULL ? OM_OK : dve_lower_expression(&v->scope, t->guard, &guard);
    if (rc == OM_OK)
        dve_move_guard(v, guard);
    return rc;
}

/* c[count] := values; count++; the guard requires a free place. The values are those before the
 * effects. */
static int lower_buffered_send(dve_move *v, const dve_transition *t)
{
    om_model *m = v->scope.model;
    const dve_channel *c = t->channel;
    assert(c->capacity != 0 && t->value_count == c->type_count); /* D2 */
    om_expr count = om_expr_slot(m, c->count_slot);
    int rc = OM_OK;
    uint32_t i = 0;
    dve_move_guard(v, om_expr_binary(m, OM_OP_LT, count, om_expr_const(m, (om_value) c->capacity)));
    for (const dve_expr *e = t->values; e != NULL && rc == OM_OK; e = e->next, i++) {
        om_expr value = 0;
        if ((rc = dve_lower_expression(&v->scope, e, &value)) == OM_OK)
            rc = dve_move_assign(v, c->item_slots[i], count, value);
    }
    return rc != OM_OK ? rc
                       : dve_move_assign(v, c->count_slot, 0,
                             om_expr_binary(m, OM_OP_ADD, count, om_expr_const(m, 1)));
}

/* Takes out the first message; the last place becomes 0, so that equal contents have equal state
 * vectors. */
static int shift_channel(dve_move *v, const dve_channel *c)
{
    const om_expr first = om_expr_const(v->scope.model, 0);
    int rc = OM_OK;
    for (uint32_t i = 0; i < c->type_count && rc == OM_OK; i++)
        rc = dve_move_assign(v, c->item_slots[i], first, 0);
    return rc;
}

/* variables := c[0]; the other messages move forward; the guard requires a message. The effects
 * see the received values. */
static int lower_buffered_receive(dve_move *v, const dve_transition *t)
{
    om_model *m = v->scope.model;
    const dve_channel *c = t->channel;
    assert(c->capacity != 0 && t->value_count == c->type_count); /* D2 */
    om_expr count = om_expr_slot(m, c->count_slot);
    int rc = OM_OK;
    uint32_t i = 0;
    dve_move_guard(v, om_expr_binary(m, OM_OP_GT, count, om_expr_const(m, 0)));
    for (const dve_expr *e = t->values; e != NULL && rc == OM_OK; e = e->next, i++)
        rc = dve_move_target(v, e, om_expr_element(m, c->item_slots[i], om_expr_const(m, 0)));
    if (rc == OM_OK)
        rc = shift_channel(v, c);
    return rc != OM_OK ? rc
                       : dve_move_assign(v, c->count_slot, 0,
                             om_expr_binary(m, OM_OP_SUB, count, om_expr_const(m, 1)));
}

/* Sequence charts parse labels; core/lasso/formats/chart.h describes the format. */
static int emit_alone(dve_lowering *l, dve_move *v, const dve_process *p, const dve_transition *t)
{
    om_text label = { .heap = l->file->region.heap };
    om_text_printf(&label, "%s: %s -> %s", p->name, t->from.name, t->to.name);
    if (t->sync != DVE_NO_SYNC)
        om_text_printf(&label, " (%s%c)", t->channel_name, t->sync == DVE_SEND ? '!' : '?');
    int rc = label.failed ? om_fail_memory(l->file->ctx)
                          : dve_move_emit(v, p->process, OM_NONE, t, label.text);
    om_text_free(&label);
    return rc;
}

static int lower_alone(dve_lowering *l, const dve_process *p, const dve_transition *t)
{
    assert(!p->is_property && (t->sync == DVE_NO_SYNC || t->channel != NULL)); /* D1 */
    dve_move v = {
        .scope = { .file = l->file, .model = l->model, .process = p, .origin = l->file->file }
    };
    dve_move_guard(&v, dve_at(l->model, p, t->from.state));
    guard_commitment(l, &v, t);
    int rc = lower_guard(&v, p, t);
    if (rc == OM_OK && t->sync == DVE_SEND)
        rc = lower_buffered_send(&v, t);
    if (rc == OM_OK && t->sync == DVE_RECEIVE)
        rc = lower_buffered_receive(&v, t);
    if (rc == OM_OK)
        rc = dve_move_apply(&v, p, t);
    if (rc == OM_OK)
        rc = emit_alone(l, &v, p, t);
    dve_move_free(&v);
    return rc;
}

/* ---- the whole file ---- */

/* Iterator over the committed states, process by process. */
typedef struct committed {
    const dve_process *p;
    const dve_state *s; /* last state returned */
} committed;

static bool next_committed(committed *c)
{
    for (; c->p != NULL; c->p = c->p->next, c->s = NULL) {
        c->s = c->s == NULL ? c->p->states : c->s->next;
        while (c->s != NULL && !c->s->commit)
            c->s = c->s->next;
        if (c->s != NULL && !c->p->is_property)
            return true;
    }
    return false;
}

/* Returns "some process is in one of the next n committed states", as a balanced tree if n is
 * large. */
static om_expr some_committed(om_model *m, committed *c, size_t n)
{
    if (n >= DVE_LONG_ROW) {
        om_expr left = some_committed(m, c, n / 2);
        return om_expr_binary(m, OM_OP_OR, left, some_committed(m, c, n - n / 2));
    }
    om_expr any = 0;
    while (n-- > 0 && next_committed(c)) {
        om_expr at = dve_at(m, c->p, c->s);
        any = any == 0 ? at : om_expr_binary(m, OM_OP_OR, any, at);
    }
    return any;
}

/*
 * Sets none_committed to "no process is in a committed state". As in DiVinE, while some process is
 * in a committed state, only transitions that leave committed states are enabled, and both halves
 * of a synchronisation must leave one.
 */
static void find_committed(dve_lowering *l)
{
    committed all = { l->file->processes, NULL }, again = all;
    size_t n = 0;
    while (next_committed(&all))
        n++;
    l->none_committed =
        n == 0 ? 0 : om_expr_unary(l->model, OM_OP_NOT, some_committed(l->model, &again, n));
}

int dve_lower_async(dve_lowering *l)
{
    int rc = OM_OK;
    find_committed(l);
    for (const dve_process *p = l->file->processes; p != NULL; p = p->next)
        for (const dve_transition *t = p->transitions; t != NULL && rc == OM_OK; t = t->next) {
            if (p->is_property)
                continue;
            if (t->sync == DVE_NO_SYNC || t->channel->capacity != 0)
                rc = lower_alone(l, p, t);
            else if (t->sync == DVE_SEND) /* adds the receiver's half, too */
                rc = dve_lower_pairs(l, p, t);
        }
    return rc;
}

static int lower_assertion(dve_file *f, om_model *m, const dve_process *p, const dve_assertion *a)
{
    dve_scope s = { .file = f, .model = m, .process = p, .origin = f->file };
    om_expr condition = 0;
    int rc = dve_lower_expression(&s, a->condition, &condition);
    if (rc != OM_OK)
        return rc;
    om_text text = { .heap = f->region.heap };
    om_text_printf(&text, "%s.%s: %.*s", p->name, a->state.name,
        (int) (a->condition->end - a->condition->begin), f->text + a->condition->begin);
    om_assertion made = {
        .condition = om_expr_binary(m, OM_OP_IMPLY, dve_at(m, p, a->state.state), condition),
        .text = text.text,
        .place = dve_place(f, a->state.pos),
    };
    rc = text.failed ? om_fail_memory(f->ctx) : om_model_expr_check(m, &made.place);
    if (rc == OM_OK)
        rc = om_model_add_assertion(m, &made);
    om_text_free(&text);
    return rc;
}

int dve_lower_file(dve_file *f, om_model *m)
{
    dve_lowering l = { .file = f, .model = m };
    int rc = dve_lower_slots(f, m);
    if (rc == OM_OK)
        rc = f->synchronous ? dve_lower_sync(&l) : dve_lower_async(&l);
    for (const dve_process *p = f->processes; p != NULL; p = p->next)
        for (const dve_assertion *a = p->assertions; a != NULL && rc == OM_OK; a = a->next)
            rc = p->is_property
                     ? DVE_FAIL(f, a->state.pos, "the property process cannot have assertions")
                     : lower_assertion(f, m, p, a);
    if (rc == OM_OK && f->property != NULL)
        rc = dve_lower_property(f, m);
    return rc == OM_OK ? om_model_expr_check(m, NULL) : rc;
}
