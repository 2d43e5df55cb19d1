/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>

int pml_check_channel(const pml_scope *s, const pml_expr *e)
{
    const pml_variable *last = e->variable;
    for (const pml_expr *f = e; f != NULL; f = f->field)
        last = f->variable;
    if (last->type != PML_CHAN)
        return PML_FAIL(s->l->file, e->at, "\"%s\" is not a channel", e->name);
    return OM_OK;
}

int pml_means_channel(
    const pml_scope *s, const pml_expr *e, uint32_t c, om_expr *out, bool *possible)
{
    assert(c < s->l->channel_count); /* P2 */
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
    /* A variable that is never assigned holds only its own channels. */
    if (last->channel != NULL && !last->assigned) {
        assert(n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT);
        const om_slot *slot = om_model_slot(m, n->a);
        om_value first = slot->initial[0], count = slot->length == 0 ? 1 : (om_value) slot->length;
        *possible = (om_value) c + 1 >= first && (om_value) c + 1 < first + count;
        if (!e->variable->is_global && s->self->site != OM_NONE)
            *possible = c >= s->self->channel && c < s->self->channel + s->self->channel_count;
    }
    return pml_made(
        s, e, om_expr_binary(m, OM_OP_EQ, value, om_expr_const(m, (om_value) c + 1)), out);
}

int pml_fail_fields(const pml_scope *s, const om_place *at, uint32_t count,
    const pml_chan_init *init, const char *name)
{
    return PML_FAIL(s->l->file, *at,
        "a message of the channel \"%s\" has %u field%s, this one has %u", name,
        (unsigned) init->field_count, init->field_count == 1 ? "" : "s", (unsigned) count);
}

int pml_matches(const pml_scope *s, const pml_expr *args, bool random, uint32_t c,
    uint32_t position, om_expr *out)
{
    om_model *m = s->l->model;
    const pml_channel *channel = &s->l->channels[c];
    const uint32_t fields = channel->init->field_count;
    assert(position < channel->init->capacity);
    om_expr place = om_expr_const(m, (om_value) position);
    uint32_t i = 0;
    int rc =
        pml_made(s, args, om_expr_binary(m, OM_OP_GT, om_expr_slot(m, channel->count), place), out);
    for (const pml_expr *e = args; e != NULL && rc == OM_OK; e = e->next, i++) {
        om_expr value = 0;
        if (e->kind == PML_VARIABLE || e->kind == PML_IGNORE || (random && i >= fields))
            continue;
        rc = pml_lower_expression(s, e->kind == PML_EVAL ? e->a : e, &value);
        if (rc != OM_OK)
            return rc;
        om_expr item =
            i < fields ? om_expr_element(m, channel->items[i], place) : om_expr_const(m, 0);
        rc = pml_made(s, e, pml_and(m, *out, om_expr_binary(m, OM_OP_EQ, item, value)), out);
    }
    return rc;
}

/* sure: the reference is a constant, that channel */
static int poll_channel(const pml_scope *s, const pml_expr *e, uint32_t c, bool sure, om_expr *out)
{
    const pml_channel *channel = &s->l->channels[c];
    uint32_t last = e->word != 0 || channel->init->capacity == 0 ? channel->init->capacity : 1;
    int rc = OM_OK;
    *out = channel->init->capacity == 0 ? om_expr_const(s->l->model, 0) : 0;
    if (channel->init->capacity == 0 && sure)
        return PML_FAIL(s->l->file, e->at,
            "\"%s\" is a rendezvous channel, which never holds a message", channel->name);
    for (uint32_t k = 0; k < last && rc == OM_OK; k++) {
        om_expr here = 0;
        rc = pml_matches(s, e->args, e->word != 0, c, k, &here);
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
        if (rc != OM_OK || !possible)
            continue;
        rc = poll_channel(s, e, c, means == 0, &holds);
        all = pml_or(s->l->model, all, pml_and(s->l->model, means, holds));
    }
    if (rc != OM_OK)
        return rc;
    return pml_made(s, e, all == 0 ? om_expr_const(s->l->model, 0) : all, out);
}

/* A rendezvous channel is always empty, and never full. */
static om_expr length_of(const pml_scope *s, unsigned word, const pml_channel *c)
{
    om_model *m = s->l->model;
    if (c->init->capacity == 0) /* the message of a rendezvous is never visible */
        return om_expr_const(m, word == PML_OF_EMPTY || word == PML_OF_NFULL);
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

/* Lowers len(c) and its like: a sum over the channels that c may mean. */
int pml_lower_length(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    om_model *m = s->l->model;
    int rc = pml_check_channel(s, e->a);
    om_expr all = 0;
    if (s->l->initial)
        return PML_REFUSE(s->l->file, e->at, "channels in initial values are not supported");
    for (uint32_t c = 0; c < s->l->channel_count && rc == OM_OK; c++) {
        om_expr means = 0;
        bool possible = false;
        rc = pml_means_channel(s, e->a, c, &means, &possible);
        if (rc != OM_OK || !possible)
            continue;
        om_expr one = length_of(s, e->word, &s->l->channels[c]);
        if (means != 0)
            one = om_expr_binary(m, OM_OP_MUL, means, one);
        all = all == 0 ? one : om_expr_binary(m, OM_OP_ADD, all, one);
    }
    if (rc != OM_OK)
        return rc;
    return pml_made(s, e, all == 0 ? om_expr_const(m, 0) : all, out);
}
