/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of ids, and a word for each state: 0 if it was never on the list, its position + 1, or
 * GONE.
 *
 * Invariant T1: words[id] == i + 1 if and only if the state at position i is id, for all i below
 * count.
 */
#include "product.h"
#include "store.h"

#include <omen/plugin/live_stack.h>

#include <assert.h>

#define GONE UINT32_MAX

struct om_live_stack {
    om_context *ctx;
    const om_heap *heap;
    om_pages words; /* uint32_t by id */
    uint32_t *low;  /* by position: the low 32 bits of its id */
    uint8_t *high;  /* the 8 bits above them; NULL while they are 0 for all */
    size_t count, capacity, high_capacity;
};

int om_live_stack_new(om_live_stack **out, om_product *p)
{
    om_context *ctx = om_product_context(p);
    om_live_stack *t = om_alloc(om_context_heap(ctx), 1, sizeof *t);
    if (t == NULL)
        return om_fail_memory(ctx);
    t->ctx = ctx;
    t->heap = om_context_heap(ctx);
    om_memory *memory = om_product__memory(p);
    om_pages__init(&t->words, memory, sizeof *t->low);
    t->words.total = &memory->side_bytes;
    t->words.read_first = true;
    *out = t;
    return OM_OK;
}

void om_live_stack_free(om_live_stack *t)
{
    if (t == NULL)
        return;
    om_pages__free(&t->words);
    OM_FREE_ALL(t->heap, t->low, t->high, t);
}

uint64_t om_live_stack_size(const om_live_stack *t)
{
    return t->count;
}

uint64_t om_live_stack_bytes(const om_live_stack *t)
{
    return t->capacity * sizeof *t->low + t->high_capacity * sizeof *t->high +
           atomic_load_explicit(&t->words.bytes, memory_order_relaxed);
}

om_id om_live_stack_at(const om_live_stack *t, uint64_t position)
{
    assert(position < t->count);
    return (t->high == NULL ? 0 : (om_id) t->high[position] << 32) | t->low[position];
}

static uint32_t *word(const om_live_stack *t, om_id id)
{
    return om_pages__find(&t->words, id);
}

void om_live_stack_fetch(const om_live_stack *t, om_id id)
{
    __builtin_prefetch(word(t, id)); /* of NULL: harmless */
}

uint64_t om_live_stack_find(const om_live_stack *t, om_id id)
{
    const uint32_t *w = word(t, id);
    if (w == NULL || *w == 0)
        return OM_NO_ID;
    assert(*w == GONE || (*w <= t->count && om_live_stack_at(t, *w - 1u) == id)); /* T1 */
    return *w == GONE ? OM_LIVE_STACK_GONE : *w - 1u;
}

/* Makes space for one more element with this id. */
static int grow(om_live_stack *t, om_id id)
{
    if (!OM_ROOM(t->heap, t->low, &t->capacity, t->count + 1))
        return om_fail_memory(t->ctx);
    if (id >> 32 == 0 && t->high == NULL)
        return OM_OK;
    size_t before = t->high == NULL ? 0 : t->count;
    if (!OM_ROOM(t->heap, t->high, &t->high_capacity, t->count + 1))
        return om_fail_memory(t->ctx);
    while (before < t->count)
        t->high[before++] = 0;
    return OM_OK;
}

int om_live_stack_push(om_live_stack *t, om_id id)
{
    void *at = word(t, id);
    if (t->count >= GONE - 1)
        return om_fail(t->ctx, OM_ELIMIT, NULL,
            "a depth-first search with more than %u live states", GONE - 1);
    int rc = at != NULL ? OM_OK : om_pages__ensure(&t->words, id, &at);
    if (rc != OM_OK)
        return rc == OM_ENOMEM ? om_fail_memory(t->ctx) : rc;
    rc = grow(t, id);
    if (rc != OM_OK)
        return rc;
    uint32_t *w = at;
    assert(*w == 0);
    t->low[t->count] = (uint32_t) id;
    if (t->high != NULL)
        t->high[t->count] = (uint8_t) (id >> 32);
    *w = (uint32_t) ++t->count; /* T1 */
    return OM_OK;
}

void om_live_stack_cut(om_live_stack *t, uint64_t size)
{
    enum { AHEAD = 16 };
    while (t->count > size) {
        if (t->count > AHEAD)
            om_live_stack_fetch(t, om_live_stack_at(t, t->count - AHEAD));
        uint32_t *w = word(t, om_live_stack_at(t, t->count - 1));
        assert(*w == t->count); /* T1 */
        *w = GONE;
        t->count--;
    }
}
