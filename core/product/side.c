/* SPDX-License-Identifier: Apache-2.0 */
#include "product_impl.h"

struct om_side {
    const om_heap *heap;
    om_pages pages;
    unsigned shift; /* log2 of the number of consecutive ids that share an element */
};

enum { MOST_SHIFT = 16 };

int om_side_new_grouped(om_side **out, om_product *p, size_t size, unsigned log2_ids)
{
    if (size == 0 || size > 64 || (size & (size - 1)) != 0)
        return om_fail(p->ctx, OM_EINVAL, NULL,
            "elements of a side array are 1, 2, 4, ... or 64 bytes, not %zu", size);
    if (log2_ids > MOST_SHIFT)
        return om_fail(p->ctx, OM_EINVAL, NULL,
            "an element of a side array is for at most 2^%d ids, not 2^%u", MOST_SHIFT, log2_ids);
    om_side *s = om_alloc(p->heap, 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(p->ctx);
    s->heap = p->heap;
    s->shift = log2_ids;
    om_pages__init(&s->pages, &p->memory, size);
    s->pages.total = &p->memory.side_bytes;
    s->pages.read_first = true;
    *out = s;
    return OM_OK;
}

int om_side_new(om_side **out, om_product *p, size_t size)
{
    return om_side_new_grouped(out, p, size, 0);
}

void om_side_free(om_side *s)
{
    if (s == NULL)
        return;
    om_pages__free(&s->pages);
    om_free(s->heap, s);
}

void *om_side_at(om_side *s, om_id id)
{
    void *at = om_pages__find(&s->pages, id >> s->shift);
    if (at == NULL && om_pages__ensure(&s->pages, id >> s->shift, &at) != OM_OK)
        return NULL;
    return at;
}

void om_side_fetch(const om_side *s, om_id id)
{
    __builtin_prefetch(om_pages__find(&s->pages, id >> s->shift)); /* NULL is harmless */
}

uint64_t om_side_bytes(const om_side *s)
{
    return atomic_load_explicit(&s->pages.bytes, memory_order_relaxed);
}
