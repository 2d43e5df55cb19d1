/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Fewer channels are told apart: what is known of each alone is worth more. */
enum { PML_LEAST_GROUP = 3 };

int pml_check_channel(const pml_scope *s, const pml_expr *e)
{
    const pml_variable *last = e->variable;
    for (const pml_expr *f = e; f != NULL; f = f->field)
        last = f->variable;
    if (last->type != PML_CHAN)
        return PML_FAIL(s->l->file, e->at, "\"%s\" is not a channel", e->name);
    return OM_OK;
}

/* ---- what a reference may mean ---- */

static const pml_variable *last_of(const pml_expr *e)
{
    while (e->field != NULL)
        e = e->field;
    return e->variable;
}

int pml_open_reference(const pml_scope *s, const pml_expr *e, pml_reference *out)
{
    const om_model *m = s->l->model;
    const pml_variable *last = last_of(e);
    *out = (pml_reference){ .l = s->l, .high = s->l->channel_count };
    int rc = pml_lower_expression(s, e, &out->value);
    if (rc != OM_OK)
        return rc;
    const om_node *n = om_model_node(m, out->value);
    if (n->op == OM_OP_CONST) {
        out->exact = n->value > 0 && n->value <= (om_value) s->l->channel_count;
        out->low = out->exact ? (uint32_t) n->value - 1 : 0;
        out->high = out->exact ? (uint32_t) n->value : 0;
    } else if (last->channel != NULL && !last->assigned) {
        /* A variable that is never assigned holds only its own channels. */
        assert(n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT);
        const om_slot *slot = om_model_slot(m, n->a);
        const bool own = !e->variable->is_global && s->self->site != OM_NONE;
        out->exact = !own;
        out->low = own ? s->self->channel : (uint32_t) slot->initial[0] - 1;
        out->high = out->low + (own                    ? s->self->channel_count
                                   : slot->length == 0 ? 1
                                                       : slot->length);
    }
    out->next = out->low;
    assert(out->low <= out->high && out->high <= s->l->channel_count); /* P2 */
    return OM_OK;
}

/* Returns the condition that the number is that of a channel of the group. */
static om_expr is_in(om_model *m, const pml_group *g, om_expr number)
{
    const om_value first = (om_value) g->first + 1,
                   last = first + (om_value) (g->stride * (g->count - 1));
    om_expr in =
        om_expr_binary(m, OM_OP_AND, om_expr_binary(m, OM_OP_GE, number, om_expr_const(m, first)),
            om_expr_binary(m, OM_OP_LE, number, om_expr_const(m, last)));
    if (g->stride == 1)
        return in;
    const om_expr distance = om_expr_binary(m, OM_OP_SUB, number, om_expr_const(m, first));
    const om_expr rest =
        om_expr_binary(m, OM_OP_MOD, distance, om_expr_const(m, (om_value) g->stride));
    return om_expr_binary(m, OM_OP_AND, in, om_expr_binary(m, OM_OP_EQ, rest, om_expr_const(m, 0)));
}

/* Returns true if the reference can mean nothing but channels of the group. */
static bool is_within(const pml_reference *r, const pml_group *g)
{
    return r->exact && g->stride == 1 && r->low >= g->first && r->high <= g->first + g->count;
}

bool pml_next_meant(pml_reference *r, pml_meant *out)
{
    om_model *m = r->l->model;
    while (r->next < r->high) {
        const uint32_t c = r->next++;
        const pml_group *g = r->l->channels[c].group;
        *out = (pml_meant){ .channel = c };
        if (om_model_node(m, r->value)->op == OM_OP_CONST)
            return true;
        if (g == NULL) {
            out->when = om_expr_binary(m, OM_OP_EQ, r->value, om_expr_const(m, (om_value) c + 1));
            return true;
        }
        if (c >= g->first + g->stride && c - g->stride >= r->low)
            continue; /* the group was returned for an earlier one */
        if (g->stride == 1)
            r->next = r->high < g->first + g->count ? r->high : g->first + g->count;
        *out = (pml_meant){ .channel = g->first,
            .number = r->value,
            .when = is_within(r, g) ? 0 : is_in(m, g, r->value) };
        return true;
    }
    return false;
}

/* Returns true if a channel of the group is one of those that the reference may mean. */
static bool may_meet(const pml_reference *r, const pml_meant *meant)
{
    const pml_group *g = r->l->channels[meant->channel].group;
    for (uint32_t k = 0; meant->number != 0 && k < g->count; k++)
        if (g->first + k * g->stride >= r->low && g->first + k * g->stride < r->high)
            return true;
    return meant->number == 0 && meant->channel >= r->low && meant->channel < r->high;
}

int pml_means(
    const pml_scope *s, const pml_expr *e, const pml_meant *meant, om_expr *out, bool *possible)
{
    om_model *m = s->l->model;
    pml_reference r;
    *out = 0;
    *possible = false;
    const int rc = pml_open_reference(s, e, &r);
    if (rc != OM_OK || !may_meet(&r, meant))
        return rc;
    *possible = true;
    const bool known = om_model_node(m, r.value)->op == OM_OP_CONST;
    if (known && meant->number == 0)
        return OM_OK;
    const om_expr number =
        meant->number != 0 ? meant->number : om_expr_const(m, (om_value) meant->channel + 1);
    return pml_made(s, e, om_expr_binary(m, OM_OP_EQ, r.value, number), out);
}

/* ---- groups ---- */

static bool same_slots(const om_model *m, uint32_t a, uint32_t b)
{
    const om_slot *x = om_model_slot(m, a), *y = om_model_slot(m, b);
    return x->type == y->type && x->length == y->length && x->low == y->low && x->high == y->high &&
           x->enumerators == y->enumerators;
}

static bool same_shape(const pml_lowering *l, const pml_channel *a, const pml_channel *b)
{
    const pml_variable *x = a->init->fields, *y = b->init->fields;
    if (a->init->capacity != b->init->capacity || a->init->field_count != b->init->field_count)
        return false;
    for (uint32_t k = 0; k < a->init->field_count; k++, x = x->next, y = y->next)
        if (x->type != y->type || x->bits != y->bits ||
            (a->init->capacity != 0 && !same_slots(l->model, a->items[k], b->items[k])))
            return false;
    return true;
}

/* Returns true if channel c can be the next one of a group that begins with this channel. */
static bool may_join(const pml_lowering *l, uint32_t first, uint32_t c)
{
    const pml_channel *channel = &l->channels[c];
    return channel->group == NULL && (l->any_channel || channel->indexed) &&
           same_shape(l, &l->channels[first], channel);
}

/* Finds the channels that the group takes, at the least distance. */
static void extend(const pml_lowering *l, pml_group *g)
{
    g->count = g->stride = 1;
    for (uint32_t c = g->first + 1; c < l->channel_count && g->count == 1; c++)
        if (may_join(l, g->first, c)) {
            g->stride = c - g->first;
            g->count = 2;
        }
    while (g->count > 1 && g->first + g->count * g->stride < l->channel_count &&
           may_join(l, g->first, g->first + g->count * g->stride))
        g->count++;
}

static int join(
    pml_lowering *l, const pml_group *g, const char *what, uint32_t field, uint32_t *out)
{
    const om_heap *heap = l->file->region.heap;
    uint32_t *members = om_alloc(heap, g->count, sizeof *members);
    om_text name = { .heap = heap };
    if (members == NULL)
        return om_fail_memory(l->file->ctx);
    for (uint32_t k = 0; k < g->count; k++) {
        const pml_channel *c = &l->channels[g->first + k * g->stride];
        members[k] = field == OM_NONE ? c->count : c->items[field];
    }
    om_text_printf(&name, "_channels%u.%s", (unsigned) g->first + 1, what);
    const int rc = name.failed ? om_fail_memory(l->file->ctx)
                               : om_model_join_slots(l->model, name.text, members, g->count, out);
    om_text_free(&name);
    om_free(heap, members);
    return rc;
}

static int join_all(pml_lowering *l, pml_group *g)
{
    const pml_chan_init *init = l->channels[g->first].init;
    g->items = om_region_take(&l->file->region, init->field_count, sizeof *g->items);
    int rc = g->items == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    if (rc != OM_OK || init->capacity == 0)
        return rc;
    rc = join(l, g, "len", OM_NONE, &g->counts);
    for (uint32_t k = 0; k < init->field_count && rc == OM_OK; k++) {
        char field[16];
        (void) snprintf(field, sizeof field, "%u", (unsigned) k);
        rc = join(l, g, field, k, &g->items[k]);
    }
    return rc;
}

/* Returns the length of "q[", for an element "q[0]" of an array of channels; else 0. */
static size_t array_name(const char *channel)
{
    const char *bracket = strrchr(channel, '[');
    return bracket == NULL || channel[strlen(channel) - 1] != ']'
               ? 0
               : (size_t) (bracket - channel) + 1;
}

/* Names the group "q[*]" if its channels are elements of one array, else "*". */
static int name_group(pml_lowering *l, pml_group *g)
{
    const char *first = l->channels[g->first].name;
    size_t length = array_name(first);
    om_text name = { .heap = l->file->region.heap };
    for (uint32_t k = 1; k < g->count; k++) {
        const char *other = l->channels[g->first + k * g->stride].name;
        if (array_name(other) != length || strncmp(other, first, length) != 0)
            length = 0;
    }
    om_text_add_n(&name, first, length);
    om_text_add(&name, length == 0 ? "*" : "*]");
    g->name = name.failed ? NULL : om_region_copy(&l->file->region, name.text, name.length);
    om_text_free(&name);
    return g->name == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
}

int pml_make_groups(pml_lowering *l)
{
    int rc = OM_OK;
    if (l->file->trace != NULL) /* P5 */
        return OM_OK;
    for (uint32_t c = 0; c < l->channel_count && rc == OM_OK; c++) {
        pml_group found = { .first = c };
        if (!may_join(l, c, c))
            continue;
        extend(l, &found);
        if (found.count < PML_LEAST_GROUP)
            continue;
        pml_group *g = om_region_take(&l->file->region, 1, sizeof *g);
        if (g == NULL)
            return om_fail_memory(l->file->ctx);
        *g = found;
        for (uint32_t k = 0; k < g->count; k++)
            l->channels[g->first + k * g->stride].group = g;
        rc = name_group(l, g);
        if (rc == OM_OK)
            rc = join_all(l, g);
    }
    return rc;
}

const char *pml_channel_name(const pml_lowering *l, const pml_meant *c)
{
    const pml_channel *channel = &l->channels[c->channel];
    return c->number == 0 ? channel->name : channel->group->name;
}

/* ---- the contents of channels ---- */

/* Returns the place of a channel in its group. If the channel is computed, the result is a valid
 * place for any number, so that no fault arises where the channel is not meant. */
static om_expr place_in(const pml_lowering *l, const pml_meant *c)
{
    om_model *m = l->model;
    const pml_group *g = l->channels[c->channel].group;
    if (c->number == 0)
        return om_expr_const(m, (om_value) ((c->channel - g->first) / g->stride));
    /* (number - first - 1) / stride for a number of the group; what is added keeps it from being
     * negative. */
    const uint32_t whole = g->stride * g->count;
    const uint32_t more = (whole - (g->first + 1) % whole) % whole;
    om_expr at = om_expr_binary(m, OM_OP_ADD, c->number, om_expr_const(m, (om_value) more));
    if (g->stride > 1)
        at = om_expr_binary(m, OM_OP_DIV, at, om_expr_const(m, (om_value) g->stride));
    return om_expr_binary(m, OM_OP_MOD, at, om_expr_const(m, (om_value) g->count));
}

pml_spot pml_count_of(const pml_lowering *l, const pml_meant *c)
{
    const pml_channel *channel = &l->channels[c->channel];
    if (channel->group == NULL)
        return (pml_spot){ channel->count, 0 };
    return (pml_spot){ channel->group->counts, place_in(l, c) };
}

pml_spot pml_item_of(const pml_lowering *l, const pml_meant *c, uint32_t field, om_expr place)
{
    om_model *m = l->model;
    const pml_channel *channel = &l->channels[c->channel];
    if (channel->group == NULL)
        return (pml_spot){ channel->items[field], place };
    const om_expr row = om_expr_binary(
        m, OM_OP_MUL, place_in(l, c), om_expr_const(m, (om_value) channel->init->capacity));
    return (pml_spot){ channel->group->items[field], om_expr_binary(m, OM_OP_ADD, row, place) };
}

om_expr pml_read(om_model *m, pml_spot at)
{
    return at.index == 0 ? om_expr_slot(m, at.slot) : om_expr_element(m, at.slot, at.index);
}

/* ---- messages ---- */

int pml_fail_fields(const pml_scope *s, const om_place *at, uint32_t count,
    const pml_chan_init *init, const char *name)
{
    return PML_FAIL(s->l->file, *at,
        "a message of the channel \"%s\" has %u field%s, this one has %u", name,
        (unsigned) init->field_count, init->field_count == 1 ? "" : "s", (unsigned) count);
}

int pml_matches(const pml_scope *s, const pml_expr *args, bool random, const pml_meant *c,
    uint32_t position, om_expr *out)
{
    om_model *m = s->l->model;
    const pml_chan_init *init = s->l->channels[c->channel].init;
    const uint32_t fields = init->field_count;
    assert(position < init->capacity);
    om_expr place = om_expr_const(m, (om_value) position);
    uint32_t i = 0;
    int rc = pml_made(
        s, args, om_expr_binary(m, OM_OP_GT, pml_read(m, pml_count_of(s->l, c)), place), out);
    for (const pml_expr *e = args; e != NULL && rc == OM_OK; e = e->next, i++) {
        om_expr value = 0;
        if (e->kind == PML_VARIABLE || e->kind == PML_IGNORE || (random && i >= fields))
            continue;
        rc = pml_lower_expression(s, e->kind == PML_EVAL ? e->a : e, &value);
        if (rc != OM_OK)
            return rc;
        om_expr item =
            i < fields ? pml_read(m, pml_item_of(s->l, c, i, place)) : om_expr_const(m, 0);
        rc = pml_made(s, e, pml_and(m, *out, om_expr_binary(m, OM_OP_EQ, item, value)), out);
    }
    return rc;
}

static int poll_channel(const pml_scope *s, const pml_expr *e, const pml_meant *c, om_expr *out)
{
    const pml_channel *channel = &s->l->channels[c->channel];
    uint32_t last = e->word != 0 || channel->init->capacity == 0 ? channel->init->capacity : 1;
    int rc = OM_OK;
    *out = channel->init->capacity == 0 ? om_expr_const(s->l->model, 0) : 0;
    if (channel->init->capacity == 0 && c->when == 0 && c->number == 0)
        return PML_FAIL(s->l->file, e->at,
            "\"%s\" is a rendezvous channel, which never holds a message",
            pml_channel_name(s->l, c));
    for (uint32_t k = 0; k < last && rc == OM_OK; k++) {
        om_expr here = 0;
        rc = pml_matches(s, e->args, e->word != 0, c, k, &here);
        *out = pml_or(s->l->model, *out, here);
    }
    return rc;
}

int pml_poll(const pml_scope *s, const pml_expr *e, om_expr *out)
{
    pml_reference r = { .l = s->l };
    pml_meant c;
    int rc = pml_check_channel(s, e->a);
    om_expr all = 0;
    if (rc == OM_OK)
        rc = pml_open_reference(s, e->a, &r);
    while (rc == OM_OK && pml_next_meant(&r, &c)) {
        om_expr holds = 0;
        rc = poll_channel(s, e, &c, &holds);
        all = pml_or(s->l->model, all, pml_and(s->l->model, c.when, holds));
    }
    if (rc != OM_OK)
        return rc;
    return pml_made(s, e, all == 0 ? om_expr_const(s->l->model, 0) : all, out);
}

/* A rendezvous channel is always empty, and never full. */
static om_expr length_of(const pml_scope *s, unsigned word, const pml_meant *c)
{
    om_model *m = s->l->model;
    const uint32_t capacity = s->l->channels[c->channel].init->capacity;
    if (capacity == 0) /* the message of a rendezvous is never visible */
        return om_expr_const(m, word == PML_OF_EMPTY || word == PML_OF_NFULL);
    om_expr count = pml_read(m, pml_count_of(s->l, c));
    om_expr zero = om_expr_const(m, 0), most = om_expr_const(m, (om_value) capacity);
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
    pml_reference r = { .l = s->l };
    pml_meant c;
    int rc = pml_check_channel(s, e->a);
    om_expr all = 0;
    if (s->l->initial)
        return PML_REFUSE(s->l->file, e->at, "channels in initial values are not supported");
    if (rc == OM_OK)
        rc = pml_open_reference(s, e->a, &r);
    while (rc == OM_OK && pml_next_meant(&r, &c)) {
        om_expr one = length_of(s, e->word, &c);
        if (c.when != 0)
            one = om_expr_binary(m, OM_OP_MUL, c.when, one);
        all = all == 0 ? one : om_expr_binary(m, OM_OP_ADD, all, one);
    }
    if (rc != OM_OK)
        return rc;
    return pml_made(s, e, all == 0 ? om_expr_const(m, 0) : all, out);
}
