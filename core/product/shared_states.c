/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States that several products share, and the set of states that each product has met.
 *
 * The parts of an automaton are checked side by side, each in a product of its own with the same
 * model. They mostly reach the same model states under the same automaton states, so they share a
 * store. Each product keeps only one bit a state, set if it has met that state, instead of the
 * state once more.
 *
 * Invariant V1: for each state that a product meets, exactly one of its cursors reports it as
 * fresh: the one whose atomic OR sets the bit.
 */
#include "product_impl.h"

#include <assert.h>

int om_states__new(
    om_states **out, om_context *ctx, uint32_t words, unsigned workers, om_store_kind kind)
{
    const om_heap *heap = om_context_heap(ctx);
    om_states *s = om_alloc(heap, 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(ctx);
    s->ctx = ctx;
    s->heap = heap;
    s->words = words;
    s->workers = workers;
    const om_store_spec spec = { .heap = heap,
        .control = om_context_control(ctx),
        .kind = kind,
        .words = words,
        .workers = workers,
        /* A single worker is served best by memory of its own node. */
        .nodes = workers > 1 ? om_context__nodes(ctx) : NULL };
    int rc = om_store__new(&s->store, &spec);
    if (rc != OM_OK) {
        om_free(heap, s);
        return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
    }
    *out = s;
    return OM_OK;
}

void om_states__free(om_states *s)
{
    if (s == NULL)
        return;
    om_store__free(s->store);
    om_free(s->heap, s);
}

uint64_t om_states__count(const om_states *s)
{
    return om_store__count(s->store);
}

enum { WORD_BITS = 6 }; /* log2 of the bits in an element of `seen` */

/* Returns the word with the bit of an id; NULL if memory runs out. */
static _Atomic uint64_t *word_of(om_product *p, om_id id)
{
    void *at = om_pages__find(&p->seen, id >> WORD_BITS);
    if (at == NULL && om_pages__ensure(&p->seen, id >> WORD_BITS, &at) != OM_OK)
        return NULL;
    return at;
}

bool om_product__has_seen(const om_product *p, om_id id)
{
    const _Atomic uint64_t *word = om_pages__find(&p->seen, id >> WORD_BITS);
    return word != NULL &&
           (atomic_load_explicit(word, memory_order_relaxed) >> (id & 63) & 1) != 0; /* see V1 */
}

int om_product__see(om_product *p, unsigned worker, const om_id *ids, bool *fresh, size_t n)
{
    assert(p->shared && worker < p->spec.workers); /* V1 */
    uint64_t new = 0;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(om_pages__find(&p->seen, ids[i] >> WORD_BITS)); /* NULL is harmless */
    for (size_t i = 0; i < n; i++) {
        const uint64_t bit = UINT64_C(1) << (ids[i] & 63);
        _Atomic uint64_t *word = word_of(p, ids[i]);
        if (word == NULL)
            return OM_ENOMEM;
        /* relaxed: V1 concerns a single word, and the data of a state is published elsewhere. Most
         * states are met again, and a plain read keeps the cache line shared. */
        fresh[i] = (atomic_load_explicit(word, memory_order_relaxed) & bit) == 0 &&
                   (atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit) == 0;
        new += fresh[i];
    }
    om_set__add_figure(&p->counters[worker].states, new);
    return OM_OK;
}
