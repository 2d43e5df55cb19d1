/* SPDX-License-Identifier: Apache-2.0 */
#include "pnml_document.h"

#include <assert.h>

/* Resolves every reference to a node of its kind. Chains are followed with path compression, so
 * that all references together take few steps. */
static int resolve_references(pnml_document *d)
{
    for (uint32_t i = 0; i < d->ids.count; i++) {
        pnml_node *n = &d->nodes[i];
        uint32_t end = i, steps = 0;
        if (n->kind < PNML_REFERENCE_PLACE)
            continue;
        while (d->nodes[end].kind == n->kind && steps++ <= d->ids.count)
            end = d->nodes[end].refers_to;
        if (d->nodes[end].kind == n->kind)
            return PNML_FAIL(d, n->pos, "reference '%.100s' refers to itself", n->id);
        pnml_kind wanted = n->kind == PNML_REFERENCE_PLACE ? PNML_PLACE : PNML_TRANSITION;
        if (d->nodes[end].kind != wanted)
            return PNML_FAIL(d, n->pos, "reference '%.100s': there is no %s '%.100s'", n->id,
                wanted == PNML_PLACE ? "place" : "transition", d->nodes[end].id);
        assert(end != i && end < d->ids.count);
        for (uint32_t at = i, next; at != end; at = next) {
            next = d->nodes[at].refers_to;
            d->nodes[at].refers_to = end;
        }
    }
    return OM_OK;
}

static int resolve_end(pnml_document *d, const pnml_arc *a, uint32_t *end)
{
    const pnml_node *n = &d->nodes[*end];
    if (n->kind == PNML_MENTIONED)
        return PNML_FAIL(d, a->pos, "there is no place or transition '%.100s'", n->id);
    if (n->kind >= PNML_REFERENCE_PLACE)
        *end = n->refers_to;
    return OM_OK;
}

static int resolve_arcs(pnml_document *d)
{
    for (size_t i = 0; i < d->arc_count; i++) {
        pnml_arc *a = &d->arcs[i];
        int rc = resolve_end(d, a, &a->source);
        if (rc == OM_OK)
            rc = resolve_end(d, a, &a->target);
        if (rc != OM_OK)
            return rc;
        assert(d->nodes[a->source].kind < PNML_REFERENCE_PLACE);
        assert(d->nodes[a->target].kind < PNML_REFERENCE_PLACE);
        if (d->nodes[a->source].kind == d->nodes[a->target].kind)
            return PNML_FAIL(d, a->pos,
                "an arc leads from a place to a transition or vice versa, not from '%.100s' to "
                "'%.100s'",
                d->nodes[a->source].id, d->nodes[a->target].id);
        if (a->kind != PNML_ARC_NORMAL && d->nodes[a->source].kind != PNML_PLACE)
            return PNML_FAIL(d, a->pos,
                "an inhibitor, reset or read arc leads from a place to a transition, not from "
                "'%.100s' to '%.100s'",
                d->nodes[a->source].id, d->nodes[a->target].id);
    }
    return OM_OK;
}

int pnml_document_resolve(pnml_document *d)
{
    int rc = resolve_references(d);
    return rc != OM_OK ? rc : resolve_arcs(d);
}
