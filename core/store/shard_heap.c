/* SPDX-License-Identifier: Apache-2.0 */
#include "shard_heap.h"

#include <assert.h>

void om_shard_heap__init(om_shard_heap *h, om_memory *memory)
{
    *h = (om_shard_heap){ .count = 0 };
    om_pages__init(&h->pages, memory, sizeof(om_shard_bound));
}

void om_shard_heap__free(om_shard_heap *h)
{
    om_pages__free(&h->pages);
    *h = (om_shard_heap){ .count = 0 };
}

/* Allocates a segment when its first element, or a reserved one before it, is requested. */
int om_shard_heap__reserve(om_shard_heap *h, uint64_t count)
{
    void *at;
    int rc = OM_OK;
    for (uint64_t i = h->count; i < count && rc == OM_OK; i += UINT64_C(1) << OM_SEGMENT_FIRST_BITS)
        rc = om_pages__ensure(&h->pages, i, &at);
    return rc == OM_OK && count != 0 ? om_pages__ensure(&h->pages, count - 1, &at) : rc;
}

/* Orders by bound, then by hash, so that the order does not depend on the history. */
static bool is_before(const om_shard_bound *a, const om_shard_bound *b)
{
    return a->ids < b->ids || (a->ids == b->ids && a->hash < b->hash);
}

void om_shard_heap__add(om_shard_heap *h, om_shard_bound x)
{
    assert(om_shard_heap__at(h, h->count) != NULL);
    uint64_t i = h->count++;
    for (; i > 0 && is_before(&x, om_shard_heap__at(h, (i - 1) / 2)); i = (i - 1) / 2)
        *om_shard_heap__at(h, i) = *om_shard_heap__at(h, (i - 1) / 2);
    *om_shard_heap__at(h, i) = x;
}

void om_shard_heap__replace_top(om_shard_heap *h, om_shard_bound x)
{
    assert(h->count > 0);
    uint64_t i = 0;
    for (uint64_t k; (k = 2 * i + 1) < h->count; i = k) {
        if (k + 1 < h->count && is_before(om_shard_heap__at(h, k + 1), om_shard_heap__at(h, k)))
            k++;
        if (!is_before(om_shard_heap__at(h, k), &x))
            break;
        *om_shard_heap__at(h, i) = *om_shard_heap__at(h, k);
    }
    *om_shard_heap__at(h, i) = x;
}

void om_shard_heap__remove_top(om_shard_heap *h)
{
    assert(h->count > 0);
    if (--h->count > 0)
        om_shard_heap__replace_top(h, *om_shard_heap__at(h, h->count));
}
