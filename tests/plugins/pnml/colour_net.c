/* SPDX-License-Identifier: Apache-2.0 */
#include "colour_net.h"

#include <string.h>

int colour_net_read(om_context *ctx, const char *text, size_t length, om_net *net)
{
    const om_heap *heap = om_context_heap(ctx);
    pnml_document d = {
        .ctx = ctx, .file = "m.pnml", .region = { .heap = heap }, .ids = { .heap = heap }
    };
    *net = (om_net){ .ctx = ctx, .file = "m.pnml", .region = { .heap = heap } };
    int rc = pnml_document_read(&d, text, length);
    if (rc == OM_OK)
        rc = d.coloured ? pnml_unfold(net, &d) : pnml_net_make(net, &d);
    pnml_document_free(&d);
    return rc;
}

typedef struct exploration {
    const om_heap *heap;
    const om_net *net;
    size_t width;
    uint8_t *states;
    size_t count, room;
    uint32_t *slots;
    size_t capacity;
} exploration;

static size_t hash_of(const uint8_t *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * 0x100000001b3u;
    return (size_t) (h ^ h >> 29);
}

static size_t slot_of(const exploration *x, const uint8_t *s)
{
    size_t at = hash_of(s, x->width) & (x->capacity - 1);
    while (x->slots[at] != 0 && memcmp(x->states + (x->slots[at] - 1) * x->width, s, x->width) != 0)
        at = (at + 1) & (x->capacity - 1);
    return at;
}

static bool make_room(exploration *x)
{
    uint8_t *grown = om_grow(x->heap, x->states, &x->room, x->count + 1, x->width);
    if (grown == NULL)
        return false;
    x->states = grown;
    if (2 * (x->count + 1) <= x->capacity)
        return true;
    size_t capacity = x->capacity == 0 ? 1024 : 2 * x->capacity;
    uint32_t *slots = om_alloc(x->heap, capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    om_free(x->heap, x->slots);
    x->slots = slots;
    x->capacity = capacity;
    for (size_t i = 0; i < x->count; i++)
        x->slots[slot_of(x, x->states + i * x->width)] = (uint32_t) i + 1;
    return true;
}

static bool intern(exploration *x, const uint8_t *s)
{
    if (!make_room(x))
        return false;
    size_t at = slot_of(x, s);
    if (x->slots[at] != 0)
        return true;
    memcpy(x->states + x->count * x->width, s, x->width);
    x->slots[at] = (uint32_t) ++x->count;
    return true;
}

static bool enabled(const om_net_transition *t, const uint8_t *s)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (s[t->takes[i].place] < t->takes[i].count)
            return false;
    return true;
}

static bool fire(const om_net_transition *t, uint8_t *s)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        s[t->takes[i].place] = (uint8_t) (s[t->takes[i].place] - t->takes[i].count);
    for (uint32_t i = 0; i < t->give_count; i++) {
        om_wide sum = (om_wide) s[t->gives[i].place] + t->gives[i].count;
        if (sum > UINT8_MAX)
            return false;
        s[t->gives[i].place] = (uint8_t) sum;
    }
    return true;
}

static void measure(const om_net *net, const uint8_t *s, colour_size *out)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < net->place_count; i++) {
        sum += s[i];
        out->most_in_place = s[i] > out->most_in_place ? s[i] : out->most_in_place;
    }
    out->most_in_marking = sum > out->most_in_marking ? sum : out->most_in_marking;
}

int colour_explore(const om_heap *heap, const om_net *net, uint64_t limit, colour_size *out,
    colour_firing_fn *fired, void *self)
{
    exploration x = { .heap = heap, .net = net, .width = (size_t) net->place_count + 1 };
    uint8_t *from = om_alloc(heap, x.width, 1), *to = om_alloc(heap, x.width, 1);
    int rc = from == NULL || to == NULL ? OM_ENOMEM : OM_OK;
    *out = (colour_size){ .states = 0 };
    for (uint32_t i = 0; i < net->place_count && rc == OM_OK; i++) {
        rc = net->places[i].initial > UINT8_MAX ? OM_ELIMIT : OM_OK;
        from[i] = (uint8_t) net->places[i].initial;
    }
    if (rc == OM_OK)
        rc = intern(&x, from) ? OM_OK : OM_ENOMEM;
    for (size_t i = 0; i < x.count && x.count <= limit && rc == OM_OK; i++) {
        memcpy(from, x.states + i * x.width, x.width);
        measure(net, from, out);
        for (uint32_t t = 0; t < net->transition_count && rc == OM_OK; t++) {
            if (!enabled(&net->transitions[t], from))
                continue;
            memcpy(to, from, x.width);
            out->firings++;
            rc = !fire(&net->transitions[t], to) ? OM_ELIMIT : intern(&x, to) ? OM_OK : OM_ENOMEM;
            if (rc == OM_OK && fired != NULL)
                fired(self, net, from, t, to);
        }
    }
    out->states = x.count;
    out->complete = x.count <= limit;
    om_free(heap, from);
    om_free(heap, to);
    om_free(heap, x.states);
    om_free(heap, x.slots);
    return rc;
}
