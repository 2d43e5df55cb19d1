/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the node that a name in a proposition denotes, or suggests one. */
#include "scan.h"

#include <assert.h>

/* Returns all ids and names of places (or of transitions); the caller frees the array. */
static const char **known(const pnml_scan *s, bool places, size_t *count)
{
    const pnml_names *all = &s->symbols->names;
    const char **names = om_alloc(s->net->region.heap, all->count, sizeof *names);
    *count = 0;
    for (size_t i = 0; names != NULL && i < all->count; i++) {
        const pnml_symbol *y = &s->symbols->symbols[i];
        if ((places ? y->place : y->transition) < PNML_SHARED)
            names[(*count)++] = all->names[i];
    }
    return names;
}

/* Records "unknown place ...; did you mean ...?", for the longest possible name or, failing that,
 * for the first word. */
static int unknown(const pnml_scan *s, bool place)
{
    const om_heap *heap = s->net->region.heap;
    om_place at = pnml_scan_place(s, s->began);
    size_t count, run = s->quoted ? s->length : s->run;
    const char **names = known(s, place, &count), *nearest = NULL;
    char *text = om_strndup(heap, s->token, run < 1000 ? run : 1000);
    if (names != NULL && text != NULL) {
        nearest = om_nearest(text, names, count);
        if (nearest == NULL)
            text[s->length < 1000 ? s->length : 1000] = '\0';
        if (nearest == NULL)
            nearest = om_nearest(text, names, count);
    }
    int rc = names == NULL || text == NULL ? om_fail_memory(s->net->ctx)
             : nearest == NULL ? om_fail(s->net->ctx, OM_EINPUT, &at, "unknown %s \"%.100s\"",
                                     place ? "place" : "transition", text)
                               : om_fail(s->net->ctx, OM_EINPUT, &at,
                                     "unknown %s \"%.100s\"; did you mean \"%.100s\"?",
                                     place ? "place" : "transition", text, nearest);
    om_free(heap, text);
    om_free(heap, (void *) names);
    return rc;
}

/* Records why the current name cannot be used. */
static int misused(const pnml_scan *s, bool place, bool shared)
{
    om_place at = pnml_scan_place(s, s->began);
    int n = s->length > 100 ? 100 : (int) s->length;
    om_context *ctx = s->net->ctx;
    if (shared)
        return om_fail(
            ctx, OM_EINPUT, &at, "the name \"%.*s\" is ambiguous: use an id", n, s->token);
    if (place)
        return om_fail(ctx, OM_EINPUT, &at,
            "\"%.*s\" is a transition; fire(...) tests whether it can fire", n, s->token);
    return om_fail(ctx, OM_EINPUT, &at, "\"%.*s\" is a place, not a transition", n, s->token);
}

const om_net_node *pnml_scan_node(pnml_scan *s, bool place, int *rc)
{
    bool named = s->kind == PNML_NAME;
    const pnml_symbol *y = named ? pnml_symbols_find(s->symbols, s->token, s->length) : NULL;
    uint32_t number = y == NULL ? OM_NONE : place ? y->place : y->transition;
    if (!named)
        *rc = pnml_scan_unexpected(s, place ? "a place" : "a transition");
    else if (y == NULL)
        *rc = unknown(s, place);
    else if (number >= PNML_SHARED)
        *rc = misused(s, place, number == PNML_SHARED);
    if (number >= PNML_SHARED)
        return NULL;
    assert(number < (place ? s->net->place_node_count : s->net->transition_node_count));
    pnml_scan_next(s);
    return place ? &s->net->place_nodes[number] : &s->net->transition_nodes[number];
}
