/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways back to an initial state are not kept for each state but for each batch: which ids came
 * fresh of which sources. Invariants:
 *  B1  The origins of a worker are sorted by their first id, and each state is in exactly one.
 *  B2  Of the sources of an origin, the first one that has an edge to one of its states is the one
 *      that it was stored from: an earlier one with that edge would have stored it.
 */
#include "breadth.h"

#include "product_impl.h"

#include <string.h>

enum { MERGED = 4 }; /* sources of an origin made from several batches */

/* How many origins of a worker have their first id at `id` or below. */
static size_t count_until(const om_breadth_worker *w, om_id id)
{
    size_t low = 0, high = w->origin_count;
    if (high == 0 || w->origins[high - 1].first <= id)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->origins[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* B1. Narrow levels give many small batches: some are merged, so that they take less. */
int om_breadth__remember(const om_breadth *b, om_breadth_worker *w, om_origin o)
{
    if (w->origin_count > 0) {
        om_origin *last = &w->origins[w->origin_count - 1];
        if (last->first + last->count == o.first && last->source + last->sources == o.source &&
            last->sources != 0 && last->sources + o.sources <= MERGED) {
            last->count += o.count;
            last->sources += o.sources;
            return OM_OK;
        }
    }
    om_origin *origins =
        om_grow(b->heap, w->origins, &w->origin_room, w->origin_count + 1, sizeof *origins);
    if (origins == NULL)
        return om_fail_memory(b->ctx);
    w->origins = origins;
    /* At the end, but for ids that were another worker's before (om_store__ids_rise()). */
    size_t at = count_until(w, o.first);
    memmove(origins + at + 1, origins + at, (w->origin_count++ - at) * sizeof *origins);
    origins[at] = o;
    return OM_OK;
}

static const om_origin *origin_of(const om_breadth *b, om_id id)
{
    for (unsigned i = 0; i < b->count; i++) {
        const om_breadth_worker *w = &b->workers[i];
        size_t n = count_until(w, id);
        if (n > 0 && id - w->origins[n - 1].first < w->origins[n - 1].count)
            return &w->origins[n - 1];
    }
    return NULL;
}

/* The state that an id was stored from, OM_NO_ID for an initial one. */
static int parent_of(const om_breadth *b, om_cursor *c, om_id id, om_id *out)
{
    const om_origin *o = origin_of(b, id);
    bool leads = false;
    if (o != NULL && o->sources == 0) {
        *out = OM_NO_ID;
        return OM_OK;
    }
    for (uint32_t i = 0; o != NULL && i < o->sources; i++) { /* B2 */
        int rc = om_cursor__leads(c, o->source + i, id, &leads);
        if (rc != OM_OK)
            return rc;
        if (leads) {
            *out = o->source + i;
            return OM_OK;
        }
    }
    return om_fail(b->ctx, OM_EINTERNAL, NULL, "a state has no way back");
}

int om_breadth_path(const om_breadth *b, om_cursor *c, om_id last, om_id **path, size_t *n)
{
    om_id *ids = NULL;
    size_t count = 0, room = 0;
    int rc = OM_OK;

    for (om_id id = last; id != OM_NO_ID && rc == OM_OK;) {
        om_id *grown = om_grow(b->heap, ids, &room, count + 1, sizeof *ids);
        if (grown == NULL) {
            rc = om_fail_memory(b->ctx);
            break;
        }
        ids = grown;
        ids[count++] = id;
        rc = parent_of(b, c, id, &id);
    }
    if (rc != OM_OK) {
        om_free(b->heap, ids);
        return rc;
    }
    for (size_t i = 0; i < count / 2; i++) {
        om_id swap = ids[i];
        ids[i] = ids[count - 1 - i];
        ids[count - 1 - i] = swap;
    }
    *path = ids;
    *n = count;
    return OM_OK;
}
