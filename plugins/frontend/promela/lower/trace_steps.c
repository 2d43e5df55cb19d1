/* SPDX-License-Identifier: Apache-2.0 */
/* The events of sends and receives for a trace, and the effects of these events. */
#include "text/lexer.h"
#include "trace.h"

#include <assert.h>

/* ---- messages ---- */

/* Returns a field of the last message after the send. If the new message is inserted before the
 * end, that is the last one of the channel. */
static om_expr last_item(pml_lowering *l, const pml_way *way, uint32_t field, om_expr sent)
{
    om_model *m = l->model;
    const pml_channel *c = &l->channels[way->on.channel];
    if (c->init->capacity == 0 || way->position == OM_NONE)
        return sent;
    om_expr count = om_expr_slot(m, c->count);
    om_expr before = om_expr_binary(m, OM_OP_GT, count, om_expr_const(m, (om_value) way->position));
    om_expr last = om_expr_binary(
        m, OM_OP_MUL, before, om_expr_binary(m, OM_OP_SUB, count, om_expr_const(m, 1)));
    return om_expr_binary(m, OM_OP_ADD,
        om_expr_binary(m, OM_OP_MUL, before, om_expr_element(m, c->items[field], last)),
        om_expr_binary(m, OM_OP_MUL, om_expr_unary(m, OM_OP_NOT, before), sent));
}

static int sent_event(pml_lowering *l, const pml_instance *i, const pml_statement *s,
    const pml_way *way, pml_event *out)
{
    const pml_scope scope = { .l = l, .self = i };
    const pml_variable *f = l->channels[way->on.channel].init->fields;
    assert(s->arg_count == l->channels[way->on.channel].init->field_count); /* P3 */
    uint32_t k = 0;
    int rc = OM_OK;
    out->sent = true;
    out->channel = way->on.channel;
    for (const pml_expr *a = s->args; a != NULL && rc == OM_OK; a = a->next, f = f->next, k++) {
        om_expr value = 0;
        rc = pml_lower_expression(&scope, a, &value);
        if (rc == OM_OK)
            rc = pml_made(
                &scope, a, last_item(l, way, k, pml_truncated(l->model, f, value)), &out->items[k]);
    }
    return rc;
}

static void received_event(pml_lowering *l, const pml_way *way, pml_event *out)
{
    const pml_channel *c = &l->channels[way->on.channel];
    assert(c->init->field_count <= PML_MOST_FIELDS && c->init->capacity != 0);
    out->sent = false;
    out->channel = way->on.channel;
    for (uint32_t k = 0; k < c->init->field_count; k++)
        out->items[k] = om_expr_element(l->model, c->items[k], om_expr_const(l->model, 0));
}

/* Sets *reads if an `eval` among the trace's arguments reads the slot. */
static int find_reads(pml_lowering *l, const pml_statement *s, uint32_t slot, bool *reads)
{
    const pml_scope nobody = { .l = l };
    int rc = OM_OK;
    for (; s != NULL && rc == OM_OK; s = s->next) {
        for (const pml_option *o = s->options; o != NULL && rc == OM_OK; o = o->next)
            rc = find_reads(l, o->body, slot, reads);
        if (rc == OM_OK)
            rc = find_reads(l, s->body, slot, reads);
        if (rc == OM_OK)
            rc = find_reads(l, s->escape, slot, reads);
        for (const pml_expr *a = s->args; a != NULL && rc == OM_OK; a = a->next) {
            om_expr value = 0;
            if (a->kind == PML_EVAL)
                rc = pml_lower_expression(&nobody, a->a, &value);
            *reads = *reads || om_expr_reads(l->model, value, slot);
        }
    }
    return rc;
}

/* SPIN stores all fields but the last before it checks the event, so an `eval` of the trace must
 * not read them. */
static int check_stored(
    pml_lowering *l, const pml_instance *i, const pml_statement *s, const pml_trace_way *made)
{
    const pml_scope scope = { .l = l, .self = i };
    int rc = OM_OK;
    for (const pml_expr *a = s->args; a != NULL && rc == OM_OK; a = a->next) {
        pml_target t;
        bool reads = false;
        if (a->kind != PML_VARIABLE || a->variable->forgotten || made->to == 0)
            continue;
        rc = pml_lower_target(&scope, a, &t);
        if (rc == OM_OK)
            rc = find_reads(l, l->file->trace->body, t.place.slot, &reads);
        if (rc == OM_OK && reads)
            rc = PML_REFUSE(l->file, a->at,
                "receiving a message into a variable that an eval(...) of the trace reads is not "
                "supported");
    }
    return rc;
}

/* ---- steps ---- */

/* Moves the trace by both halves of a rendezvous, or by the only event; out->fails: one of the
 * halves is forbidden. */
static int moves_of(pml_lowering *l, const pml_instance *i, const pml_statement *s,
    const pml_way *way, pml_event *e, pml_trace_way *out)
{
    om_expr at = om_expr_slot(l->model, l->trace);
    const bool sends = s->kind == PML_S_SEND;
    pml_trace_way first = { 0, 0 };
    int rc = OM_OK;
    if (sends)
        rc = sent_event(l, i, s, way, e);
    else
        received_event(l, way, e);
    if (rc == OM_OK)
        rc = pml_trace_move(l, at, e, out);
    if (rc == OM_OK && !sends)
        rc = check_stored(l, i, s, out);
    if (rc != OM_OK || way->partner == NULL)
        return rc;
    first = *out;
    e->sent = false;
    rc = pml_trace_move(l, first.to != 0 ? first.to : at, e, out);
    if (rc == OM_OK)
        rc = check_stored(l, way->partner, way->with->s, out);
    out->to = out->to != 0 ? out->to : first.to;
    out->fails = pml_or(l->model, out->fails, first.fails);
    return rc;
}

int pml_trace_way_of(pml_lowering *l, const pml_instance *i, const pml_node *leaf,
    const pml_way *way, pml_trace_way *out)
{
    const pml_statement *s = leaf->kind == PML_N_LEAF ? leaf->s : NULL;
    *out = (pml_trace_way){ 0, 0 };
    if (l->file->trace == NULL || s == NULL || way->lost ||
        !(s->kind == PML_S_SEND || (s->kind == PML_S_RECEIVE && !s->keep)))
        return OM_OK;
    pml_event *e = om_alloc(l->file->region.heap, 1, sizeof *e);
    int rc = e == NULL ? om_fail_memory(l->file->ctx) : moves_of(l, i, s, way, e, out);
    om_free(l->file->region.heap, e);
    return rc;
}

/* ---- assertions ---- */

/* Adds the assertion that the leaf is not executed under this condition, in which the trace
 * forbids it. */
static int forbid(pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf,
    om_expr condition)
{
    om_text text = { .heap = l->file->region.heap };
    om_text_printf(&text, "%s: ", i->name);
    pml_add_words(leaf->s->first, leaf->s->last, &text);
    om_text_add(&text, l->file->trace->negated ? ": completes the notrace" : ": not in the trace");
    int rc = text.failed ? om_fail_memory(l->file->ctx)
                         : pml_add_fault(l, i, n, leaf, condition, &leaf->s->at, text.text);
    om_text_free(&text);
    return rc;
}

/* A send is an event whether or not a process receives it; `before` is the condition that it is
 * tried. */
static int lower_offers(
    pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf, om_expr before)
{
    const pml_scope scope = { .l = l, .self = i };
    int rc = OM_OK;
    for (uint32_t c = 0; c < l->channel_count && rc == OM_OK; c++) {
        pml_way way = { .on = { .channel = c } };
        pml_trace_way made = { 0, 0 };
        bool possible = false;
        if (l->channels[c].init->capacity != 0 ||
            leaf->s->arg_count != l->channels[c].init->field_count)
            continue;
        rc = pml_means(&scope, leaf->s->target, &way.on, &way.guard, &possible);
        if (rc == OM_OK && possible)
            rc = pml_trace_way_of(l, i, leaf, &way, &made);
        if (rc == OM_OK && made.fails != 0)
            rc = forbid(
                l, i, n, leaf, pml_and(l->model, before, pml_and(l->model, way.guard, made.fails)));
    }
    return rc;
}

int pml_lower_trace(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways)
{
    const pml_node *leaf = leaves->at[k].node;
    int rc = OM_OK;
    if (l->file->trace == NULL || leaf->kind != PML_N_LEAF)
        return OM_OK;
    for (size_t w = 0; w < ways->count && rc == OM_OK; w++) {
        pml_trace_way made = { 0, 0 };
        if (ways->at[w].miscounted)
            continue;
        rc = pml_trace_way_of(l, i, leaf, &ways->at[w], &made);
        if (rc == OM_OK && made.fails != 0)
            rc = forbid(l, i, n, leaf, pml_and(l->model, ways->at[w].guard, made.fails));
    }
    if (rc != OM_OK || leaf->s->kind != PML_S_SEND)
        return rc;
    om_expr before = 0;
    rc = pml_before(l, i, leaves, k, &before);
    return rc == OM_OK ? lower_offers(l, i, n, leaf, before) : rc;
}
