/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>

/* Converts the value to the channel's type; DiVinE does so before the value is handed over. */
static om_expr converted(om_model *m, const dve_channel *c, uint32_t i, om_expr value)
{
    if (c->types == NULL)
        return value;
    if (c->types[i] == OM_U8)
        return om_expr_binary(m, OM_OP_BAND, value, om_expr_const(m, 0xff));
    om_expr sixteen = om_expr_const(m, 16);
    return om_expr_binary(m, OM_OP_SHR, om_expr_binary(m, OM_OP_SHL, value, sixteen), sixteen);
}

/* Sets *out if receiving the first `count` values overwrites a variable that `value` reads. */
static int overwritten(
    dve_move *v, const dve_transition *receive, uint32_t count, om_expr value, bool *out)
{
    const dve_expr *to = receive->values;
    int rc = OM_OK;
    *out = false;
    for (uint32_t i = 0; i < count && !*out && rc == OM_OK; i++, to = to->next) {
        const dve_variable *variable = NULL;
        om_expr index = 0;
        rc = dve_lower_target(&v->scope, to, &variable, &index);
        *out = rc == OM_OK && om_expr_reads(v->scope.model, value, variable->slot);
    }
    return rc;
}

/* Makes the slot that keeps value i, unless it exists. */
static int find_kept(dve_move *v, dve_channel *c, uint32_t i)
{
    static const om_value zero = 0;
    const dve_file *f = v->scope.file;
    assert(i < c->width);
    if (c->kept[i] != OM_NONE)
        return OM_OK;
    om_text name = { .heap = f->region.heap };
    om_text_printf(&name, "%s'%u", c->name, (unsigned) i); /* not a legal name in the source */
    int rc = name.failed ? om_fail_memory(f->ctx)
                         : om_model_add_slot(v->scope.model,
                               &(om_slot){ .name = name.text,
                                   .type = OM_I32,
                                   .process = OM_NONE,
                                   .initial = &zero,
                                   .place = dve_place(f, c->pos) },
                               &c->kept[i]);
    om_text_free(&name);
    return rc;
}

/* Saves value i in its slot, which is 0 in every state, and replaces *value by a read of that
 * slot. */
static int keep(dve_move *v, dve_channel *c, uint32_t i, om_expr *value)
{
    om_model *m = v->scope.model;
    int rc = find_kept(v, c, i);
    if (rc == OM_OK)
        rc = dve_move_assign(v, c->kept[i], 0, *value);
    if (rc == OM_OK)
        *value = om_expr_slot(m, c->kept[i]);
    return rc;
}

/* Computes the values as of before the step. A value that receiving would change on the way is
 * kept in a slot. */
static int evaluate(dve_move *v, const dve_process *p, const dve_transition *send,
    const dve_process *q, const dve_transition *receive, om_expr *values)
{
    int rc = OM_OK;
    uint32_t i = 0;
    for (const dve_expr *e = send->values; e != NULL && rc == OM_OK; e = e->next, i++) {
        bool changes = false;
        v->scope.process = p;
        if ((rc = dve_lower_expression(&v->scope, e, &values[i])) != OM_OK)
            break;
        values[i] = converted(v->scope.model, send->channel, i, values[i]);
        v->scope.process = q;
        rc = overwritten(v, receive, i, values[i], &changes);
        if (rc == OM_OK && changes)
            rc = keep(v, send->channel, i, &values[i]);
    }
    return rc;
}

/* Assigns the sender's values to the receiver's variables, then clears the kept slots. */
static int hand_over(dve_move *v, const dve_process *p, const dve_transition *send,
    const dve_process *q, const dve_transition *receive)
{
    om_model *m = v->scope.model;
    assert(receive->value_count == send->value_count && v->count == 0); /* D2 */
    om_expr *values = om_alloc(v->scope.file->region.heap, send->value_count, sizeof *values);
    if (values == NULL)
        return om_fail_memory(v->scope.file->ctx);
    int rc = evaluate(v, p, send, q, receive, values);
    size_t kept = v->count;
    uint32_t i = 0;
    for (const dve_expr *to = receive->values; to != NULL && rc == OM_OK; to = to->next)
        rc = dve_move_target(v, to, values[i++]);
    for (size_t k = 0; k < kept && rc == OM_OK; k++)
        rc = dve_move_assign(v, v->assigns[k].slot, 0, om_expr_const(m, 0));
    om_free(v->scope.file->region.heap, values);
    return rc;
}

static int guard_pair(dve_lowering *l, dve_move *v, const dve_process *p,
    const dve_transition *send, const dve_process *q, const dve_transition *receive)
{
    om_expr guard = 0;
    int rc = OM_OK;
    dve_move_guard(v, dve_at(l->model, p, send->from.state));
    dve_move_guard(v, dve_at(l->model, q, receive->from.state));
    if (!send->from.state->commit)
        dve_move_guard(v, l->none_committed);
    v->scope.process = p;
    if (send->guard != NULL)
        rc = dve_lower_expression(&v->scope, send->guard, &guard);
    dve_move_guard(v, guard);
    guard = 0;
    v->scope.process = q;
    if (rc == OM_OK && receive->guard != NULL)
        rc = dve_lower_expression(&v->scope, receive->guard, &guard);
    dve_move_guard(v, guard);
    return rc;
}

static int emit_pair(dve_lowering *l, dve_move *v, const dve_process *p, const dve_transition *send,
    const dve_process *q, const dve_transition *receive)
{
    om_text label = { .heap = l->file->region.heap };
    if (++l->emitted > DVE_MAX_TRANSITIONS)
        return DVE_FAIL(l->file, send->pos, "more than %d pairs of senders and receivers",
            (int) DVE_MAX_TRANSITIONS);
    om_text_printf(&label, "%s: %s -> %s | %s: %s -> %s (%s)", p->name, send->from.name,
        send->to.name, q->name, receive->from.name, receive->to.name, send->channel_name);
    int rc = label.failed ? om_fail_memory(l->file->ctx)
                          : dve_move_emit(v, p->process, q->process, send, label.text);
    om_text_free(&label);
    return rc;
}

/* DiVinE forbids that both sides assign to one variable; it is most likely a mistake. */
static void warn_conflict(
    const dve_move *v, size_t received, const dve_transition *send, const dve_process *q)
{
    for (size_t i = received; i < v->count; i++)
        for (size_t k = 0; k < received; k++)
            if (v->assigns[i].slot == v->assigns[k].slot) {
                DVE_WARN(v->scope.file, send->pos,
                    "\"%s\" is also assigned by \"%s\", the receiver; the sender's effect prevails",
                    om_model_slot(v->scope.model, v->assigns[i].slot)->name, q->name);
                return;
            }
}

/*
 * The order is DiVinE's: the values are handed over, the receiver moves and has its effects, then
 * the sender. If both use the same variable, the later one sees the earlier one's effects.
 */
static int lower_pair(dve_lowering *l, const dve_process *p, const dve_transition *send,
    const dve_process *q, const dve_transition *receive)
{
    dve_move v = { .scope = { .file = l->file, .model = l->model, .origin = l->file->file } };
    assert(p != q && send->channel == receive->channel && send->channel->capacity == 0);
    int rc = guard_pair(l, &v, p, send, q, receive);
    if (rc == OM_OK)
        rc = hand_over(&v, p, send, q, receive);
    if (rc == OM_OK)
        rc = dve_move_apply(&v, q, receive);
    size_t received = v.count;
    if (rc == OM_OK)
        rc = dve_move_apply(&v, p, send);
    if (rc == OM_OK)
        warn_conflict(&v, received, send, q);
    if (rc == OM_OK)
        rc = emit_pair(l, &v, p, send, q, receive);
    dve_move_free(&v);
    return rc;
}

int dve_lower_pairs(dve_lowering *l, const dve_process *p, const dve_transition *t)
{
    int rc = OM_OK;
    for (const dve_receiver *r = t->channel->receivers; r != NULL && rc == OM_OK; r = r->next) {
        if (r->process == p || r->process->is_property)
            continue;
        /* If exactly one half leaves a committed state, the pair can never move. */
        if (r->transition->from.state->commit == t->from.state->commit)
            rc = lower_pair(l, p, t, r->process, r->transition);
    }
    return rc;
}
