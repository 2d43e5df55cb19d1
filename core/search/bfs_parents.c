/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parents are not recorded for each state but for each batch: which ids were stored from which
 * sources. Invariants:
 *  B1  Each state on a level is in exactly one origin of a worker, and each state that a deep round
 *      has stored is in one of a diver (dive.h). They are sorted by first id when the first path is
 *      requested, which is rare.
 *  B2  Of the sources of an origin, the first one with an edge to one of its states is the one that
 *      the state was stored from: an earlier source with that edge would have stored it.
 *  B3  A path ends: the origins of levels lead to lower levels, those of deep rounds to states that
 *      were stored before.
 */
#include "deep.h"

#include "product.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MERGED = 4 }; /* sources of an origin made from several batches */

/* Returns the number of origins whose first id is at most `id`. */
static size_t count_until(const om_bfs_origins *o, om_id id)
{
    size_t low = 0, high = o->count;
    if (high == 0 || o->list[high - 1].first <= id)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->list[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* B1. Narrow levels produce many small batches: some are merged to save memory. */
int om_bfs__remember(const om_bfs *b, om_bfs_origins *to, om_bfs_origin o)
{
    assert(o.count > 0); /* B1 */
    if (to->count > 0) {
        om_bfs_origin *last = &to->list[to->count - 1];
        if (last->first + last->count == o.first && last->source + last->sources == o.source &&
            last->sources != 0 && last->sources + o.sources <= MERGED) {
            last->count += o.count;
            last->sources += o.sources;
            return OM_OK;
        }
    }
    if (!OM_ROOM(b->heap, to->list, &to->room, to->count + 1))
        return om_fail_memory(b->ctx);
    /* Ids rise unless they were another worker's before, or are shared with other products. */
    to->unsorted = to->unsorted || (to->count > 0 && o.first < to->list[to->count - 1].first);
    to->list[to->count++] = o;
    return OM_OK;
}

static int by_first(const void *x, const void *y)
{
    const om_bfs_origin *a = x, *b = y;
    return a->first < b->first ? -1 : a->first > b->first;
}

void om_bfs__sort_origins(om_bfs_origins *o)
{
    if (o->unsorted)
        qsort(o->list, o->count, sizeof *o->list, by_first);
    o->unsorted = false;
}

const om_bfs_origin *om_bfs__find_origin(const om_bfs_origins *o, om_id id)
{
    const size_t n = count_until(o, id);
    return n > 0 && id - o->list[n - 1].first < o->list[n - 1].count ? &o->list[n - 1] : NULL;
}

static void sort_origins(om_bfs *b)
{
    pthread_mutex_lock(&b->lock);
    for (unsigned i = 0; i < b->count; i++)
        om_bfs__sort_origins(&b->workers[i].origins);
    pthread_mutex_unlock(&b->lock);
}

/* Returns the origin on a level, or that in a deep round if no level has reached the state. */
static const om_bfs_origin *origin_of(const om_bfs *b, om_id id)
{
    const om_bfs_origin *o = NULL;
    for (unsigned i = 0; i < b->count && o == NULL; i++)
        o = om_bfs__find_origin(&b->workers[i].origins, id);
    return o == NULL && b->deep != NULL ? om_deep__origin(b->deep, id) : o;
}

/* Finds the parent, the state that `id` was stored from; OM_NO_ID for an initial state. */
static int parent_of(const om_bfs *b, om_cursor *c, om_id id, om_id *out)
{
    const om_bfs_origin *o = origin_of(b, id);
    bool leads = false;
    if (o == NULL && b->spec.between != NULL)
        return OM_EUNSUPPORTED; /* the worker that stored it did not report its parent */
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
    return om_fail(b->ctx, OM_EINTERNAL, NULL, "a state has no parent");
}

int om_bfs_path(om_bfs *b, om_cursor *c, om_id last, om_id **path, size_t *n)
{
    om_id *ids = NULL;
    size_t count = 0, capacity = 0;
    int rc = OM_OK;

    if (!b->spec.paths)
        return OM_EUNSUPPORTED;
    sort_origins(b);
    for (om_id id = last; id != OM_NO_ID && rc == OM_OK;) {
        if (!OM_ROOM(b->heap, ids, &capacity, count + 1)) {
            rc = om_fail_memory(b->ctx);
            break;
        }
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
