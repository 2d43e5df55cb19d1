/* SPDX-License-Identifier: Apache-2.0 */
#include "product_impl.h"

static bool good_spec(const om_product_spec *s)
{
    if (s->executor == NULL || s->executor->size < sizeof *s->executor || s->executor->words == 0 ||
        s->workers == 0)
        return false;
    if (s->deadlock_ap != OM_NONE && s->deadlock_ap >= 64)
        return false;
    return s->automaton == NULL || s->executor->aps >= om_automaton_ap_count(s->automaton) ||
           om_automaton_ap_count(s->automaton) == 0;
}

int om_product_new(om_product **out, om_context *ctx, const om_product_spec *spec)
{
    om_product *p = NULL;
    int rc = OM_ENOMEM;

    if (!good_spec(spec))
        return om_fail(ctx, OM_EINVAL, NULL,
            "a product needs an executor with at least the automaton's propositions, and a worker");
    p = om_alloc(om_context_heap(ctx), 1, sizeof *p);
    if (p == NULL)
        return om_fail_memory(ctx);
    p->ctx = ctx;
    p->heap = om_context_heap(ctx);
    p->spec = *spec;
    p->model_words = spec->executor->words;
    p->words = p->model_words + (spec->automaton != NULL);
    p->counters = om_alloc(p->heap, spec->workers, sizeof *p->counters);
    p->overflow_vector = om_alloc(p->heap, p->model_words, sizeof *p->overflow_vector);
    atomic_flag_clear_explicit(&p->overflown, memory_order_relaxed);
    if (p->counters != NULL && p->overflow_vector != NULL) {
        om_store_spec store = { .heap = p->heap,
            .control = om_context_control(ctx),
            .kind = spec->store,
            .words = p->words,
            .workers = spec->workers,
            /* One worker is best served by memory of its own node. */
            .nodes = spec->workers > 1 ? om_context_nodes(ctx) : NULL };
        rc = om_store_new(&p->store, &store);
    }
    if (rc != OM_OK) {
        rc = om_product__fail(p, rc);
        goto done;
    }
    *out = p;
    p = NULL;
done:
    om_product_free(p);
    return rc;
}

void om_product_free(om_product *p)
{
    if (p == NULL)
        return;
    om_store_free(p->store);
    om_free(p->heap, p->counters);
    om_free(p->heap, p->overflow_vector);
    om_free(p->heap, p);
}

int om_product__fail(const om_product *p, int rc)
{
    if (rc == OM_ENOMEM)
        return om_fail_memory(p->ctx);
    return rc; /* a limit is no failure: the control has the reason */
}

const om_product_spec *om_product_spec_of(const om_product *p)
{
    return &p->spec;
}

om_context *om_product_context(const om_product *p)
{
    return p->ctx;
}

om_store *om_product__store(const om_product *p)
{
    return p->store;
}

uint32_t om_product_words(const om_product *p)
{
    return p->words;
}

uint64_t om_product_state_count(const om_product *p)
{
    return om_store_count(p->store);
}

uint64_t om_product_bytes(const om_product *p)
{
    return om_store_bytes(p->store);
}

om_store_figures om_product_figures(const om_product *p)
{
    return om_store_figures_of(p->store);
}

uint64_t om_product_id_bound(const om_product *p)
{
    return om_store_bound(p->store);
}

bool om_product_has(const om_product *p, om_id id)
{
    return om_store_has(p->store, id);
}

uint64_t om_product_edge_count(const om_product *p)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->spec.workers; i++)
        n += atomic_load_explicit(&p->counters[i].edges, memory_order_relaxed);
    return n;
}

/* ---- levels, for a progress line ---- */

/* All relaxed: figures, which carry no data; their reader may see the width of a level before the
 * level is counted, or after. */

void om_product__begin_search(om_product *p)
{
    atomic_store_explicit(&p->levels.count, 0, memory_order_relaxed);
}

void om_product__begin_level(om_product *p, uint64_t width)
{
    uint32_t n = atomic_load_explicit(&p->levels.count, memory_order_relaxed);
    atomic_store_explicit(&p->levels.widths[n % OM_LEVELS_SHOWN], width, memory_order_relaxed);
    atomic_store_explicit(&p->levels.count, n + 1, memory_order_relaxed);
}

void om_product_levels(const om_product *p, om_levels *out)
{
    uint32_t n = atomic_load_explicit(&p->levels.count, memory_order_relaxed);
    *out = (om_levels){ .count = n };
    for (uint32_t i = 0; i < OM_LEVELS_SHOWN && i < n; i++)
        out->widths[i] = atomic_load_explicit(
            &p->levels.widths[(n - 1 - i) % OM_LEVELS_SHOWN], memory_order_relaxed);
}

/* ---- overflows ---- */

uint64_t om_product__overflows(const om_product *p, const uint32_t **vector)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->spec.workers; i++)
        n += atomic_load_explicit(&p->counters[i].overflows, memory_order_relaxed);
    if (vector != NULL)
        *vector = n == 0 ? NULL : p->overflow_vector;
    return n;
}
