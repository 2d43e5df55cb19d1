/* SPDX-License-Identifier: Apache-2.0 */
#include "multiset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ITEMS = 1 << 22, /* colours of a multiset */
    ASK_EVERY = 1 << 16   /* items between two checks for interruption */
};

uint64_t pnml_colour_term_value(const pnml_colour_term *t, const uint32_t *binding)
{
    uint64_t colour = 0;
    switch (t->kind) {
    case PNML_VARIABLE:
        assert(binding[t->number] < t->sort->size && t->shift < t->sort->size); /* K1 */
        colour = binding[t->number] + t->shift;
        return colour >= t->sort->size ? colour - t->sort->size : colour;
    case PNML_ELEMENT_OF:
        return t->sort->class_of[pnml_colour_term_value(t->args[0], binding)];
    case PNML_TUPLE:
        for (uint32_t i = 0; i < t->count; i++)
            colour += pnml_colour_term_value(t->args[i], binding) * t->sort->strides[i];
        assert(colour < t->sort->size); /* K1 */
        return colour;
    default:
        assert(t->kind == PNML_CONSTANT && t->number < t->sort->size); /* K1 */
        return t->number;
    }
}

static bool one_holds(const pnml_colour_term *t, const uint32_t *binding)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (pnml_guard_holds(t->args[i], binding))
            return true;
    return false;
}

static bool all_hold(const pnml_colour_term *t, const uint32_t *binding)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!pnml_guard_holds(t->args[i], binding))
            return false;
    return true;
}

bool pnml_guard_holds(const pnml_colour_term *t, const uint32_t *binding)
{
    switch (t->kind) {
    case PNML_AND:
        return all_hold(t, binding);
    case PNML_OR:
        return one_holds(t, binding);
    case PNML_NOT:
        return !pnml_guard_holds(t->args[0], binding);
    case PNML_IMPLY:
        return !pnml_guard_holds(t->args[0], binding) || pnml_guard_holds(t->args[1], binding);
    case PNML_TRUTH:
        return t->number != 0;
    default:
        break;
    }
    assert(t->count == 2);
    uint64_t a = pnml_colour_term_value(t->args[0], binding),
             b = pnml_colour_term_value(t->args[1], binding);
    switch (t->kind) {
    case PNML_EQUAL:
        return a == b;
    case PNML_UNEQUAL:
        return a != b;
    case PNML_LESS:
        return a < b;
    default:
        assert(t->kind == PNML_LESS_EQUAL);
        return a <= b;
    }
}

/* ---- multisets ---- */

/* A term's evaluation in a binding. */
typedef struct evaluation {
    pnml_bag *b;
    const uint32_t *binding;
    uint32_t place;
} evaluation;

static int push(const evaluation *v, const pnml_colour_term *t, uint64_t colour, uint64_t count)
{
    pnml_bag *b = v->b;
    om_context *ctx = b->sorts->d->ctx;
    assert(colour < (t->kind == PNML_CLASS ? t->sort->base->size : t->sort->size)); /* K1 */
    if (b->count >= MOST_ITEMS || count > (uint64_t) OM_VALUE_MAX)
        return PNML_FAIL(b->sorts->d, t->pos,
            "a multiset with more than %d colours, or %" OM_VALUE_FORMAT " of one", MOST_ITEMS,
            OM_VALUE_MAX);
    if (!OM_ROOM(b->heap, b->items, &b->room, b->count + 1))
        return om_fail_memory(ctx);
    b->items[b->count++] = (pnml_item){ colour, v->place, (om_value) count };
    return b->count % ASK_EVERY == 0 ? om_context_stopped(ctx) : OM_OK;
}

static int compare_items(const void *left, const void *right)
{
    const pnml_item *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->colour == b->colour ? 0 : a->colour < b->colour ? -1 : 1;
}

static int settle_from(pnml_bag *b, size_t start, om_written pos)
{
    size_t n = start;
    bool sorted = true;
    assert(start <= b->count);
    for (size_t i = start + 1; i < b->count && sorted; i++)
        sorted = compare_items(&b->items[i - 1], &b->items[i]) < 0;
    if (sorted)
        return OM_OK;
    qsort(b->items + start, b->count - start, sizeof *b->items, compare_items);
    for (size_t i = start + 1; i < b->count; i++) {
        pnml_item *into = &b->items[n];
        if (compare_items(into, &b->items[i]) != 0)
            b->items[++n] = b->items[i];
        else if (into->count > OM_VALUE_MAX - b->items[i].count)
            return PNML_FAIL(
                b->sorts->d, pos, "more than %" OM_VALUE_FORMAT " tokens", OM_VALUE_MAX);
        else
            into->count += b->items[i].count;
    }
    b->count = n + 1;
    return OM_OK;
}

int pnml_bag_settle(pnml_bag *b, om_written pos)
{
    return settle_from(b, 0, pos);
}

static int evaluate(const evaluation *v, const pnml_colour_term *t, uint64_t scale);

static int too_little(const evaluation *v, const pnml_colour_term *t, uint64_t colour)
{
    const pnml_bag *b = v->b;
    om_text text = { .heap = b->heap };
    pnml_sort_print(t->sort, colour, &text);
    if (b->scope->count > 0) {
        om_text_add(&text, " where ");
        pnml_binding_print(b->sorts, b->scope, v->binding, &text);
    }
    int rc = text.failed ? om_fail_memory(b->sorts->d->ctx)
                         : PNML_FAIL(b->sorts->d, t->pos,
                               "more is subtracted than is present of %.400s", text.text);
    om_text_free(&text);
    return rc;
}

static int subtract(const evaluation *v, const pnml_colour_term *t, uint64_t scale)
{
    pnml_bag *b = v->b;
    size_t start = b->count, to = start;
    int rc = evaluate(v, t->args[0], scale);
    if (rc == OM_OK)
        rc = settle_from(b, start, t->pos);
    size_t middle = b->count, at = start;
    if (rc == OM_OK)
        rc = evaluate(v, t->args[1], scale);
    if (rc == OM_OK)
        rc = settle_from(b, middle, t->pos);
    for (size_t i = middle; i < b->count && rc == OM_OK; i++, at++) {
        const pnml_item less = b->items[i];
        assert(to <= at && less.place == v->place); /* none is overwritten before it is read */
        while (at < middle && b->items[at].colour < less.colour)
            b->items[to++] = b->items[at++];
        if (at == middle || b->items[at].colour != less.colour || b->items[at].count < less.count)
            return too_little(v, t, less.colour);
        if (b->items[at].count > less.count) {
            b->items[to] = b->items[at];
            b->items[to++].count -= less.count;
        }
    }
    while (at < middle && rc == OM_OK)
        b->items[to++] = b->items[at++];
    b->count = to;
    return rc;
}

/* Replaces the items from `start` on by all combinations of one of [start, middle) with one of the
 * rest. */
static int combine(
    const evaluation *v, const pnml_colour_term *t, size_t start, size_t middle, uint64_t stride)
{
    pnml_bag *b = v->b;
    size_t end = b->count;
    assert(start <= middle && middle <= end);
    for (size_t i = start; i < middle; i++)
        for (size_t k = middle; k < end; k++) {
            const pnml_item x = b->items[i], y = b->items[k];
            int rc =
                push(v, t, x.colour + y.colour * stride, (uint64_t) x.count * (uint64_t) y.count);
            if (rc != OM_OK)
                return rc;
        }
    size_t made = b->count - end;
    memmove(b->items + start, b->items + end, made * sizeof *b->items);
    b->count = start + made;
    return OM_OK;
}

static int combine_all(const evaluation *v, const pnml_colour_term *t, uint64_t scale)
{
    size_t start = v->b->count;
    int rc = push(v, t, 0, scale);
    for (uint32_t i = 0; i < t->count && rc == OM_OK; i++) {
        size_t middle = v->b->count;
        rc = evaluate(v, t->args[i], 1);
        if (rc == OM_OK)
            rc = combine(v, t, start, middle, t->sort->strides[i]);
    }
    return rc;
}

static int add_class(const evaluation *v, const pnml_colour_term *t, uint64_t scale)
{
    int rc = OM_OK;
    for (uint64_t i = 0; i < t->sort->base->size && rc == OM_OK; i++)
        if (t->sort->class_of[i] == t->number)
            rc = push(v, t, i, scale);
    return rc;
}

/* The recursion is as deep as the document's nesting, which has a limit. */
static int evaluate(const evaluation *v, const pnml_colour_term *t, uint64_t scale)
{
    int rc = OM_OK;
    assert(scale <= (uint64_t) OM_VALUE_MAX); /* colour_terms.c bounds products of multiplicities */
    switch (t->kind) {
    case PNML_ALL:
        for (uint64_t i = 0; i < t->sort->size && rc == OM_OK; i++)
            rc = push(v, t, i, scale);
        return rc;
    case PNML_CLASS:
        return add_class(v, t, scale);
    case PNML_ADD:
        for (uint32_t i = 0; i < t->count && rc == OM_OK; i++)
            rc = evaluate(v, t->args[i], scale);
        return rc;
    case PNML_SCALE:
        return t->number == 0 ? OM_OK : evaluate(v, t->args[0], scale * t->number);
    case PNML_SUBTRACT:
        return subtract(v, t, scale);
    default:
        return t->many ? combine_all(v, t, scale)
                       : push(v, t, pnml_colour_term_value(t, v->binding), scale);
    }
}

int pnml_bag_add(pnml_bag *b, const pnml_colour_term *t, const uint32_t *binding, uint32_t place)
{
    evaluation v = { b, binding, place };
    return evaluate(&v, t, 1);
}

void pnml_bag_free(pnml_bag *b)
{
    om_free(b->heap, b->items);
    b->items = NULL;
    b->count = b->room = 0;
}

void pnml_binding_print(
    const pnml_sorts *s, const pnml_scope *scope, const uint32_t *binding, om_text *out)
{
    for (uint32_t i = 0; i < scope->count; i++) {
        const pnml_variable *v = &s->variables[scope->variables[i]];
        om_text_printf(out, "%s%s = ", i == 0 ? "" : ", ", v->name);
        pnml_sort_print(v->sort, binding[i], out);
    }
}
