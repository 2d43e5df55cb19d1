/* SPDX-License-Identifier: Apache-2.0 */
#include "product_impl.h"

#include "convert/to_testing.h"

#include <omen/plugin/guide.h>
#include <omen/plugin/movers.h>

#include <assert.h>

static bool good_spec(const om_product_spec *s)
{
    if (s->executor == NULL || s->executor->size < sizeof *s->executor || s->executor->words == 0 ||
        s->workers == 0)
        return false;
    if (s->deadlock_ap != OM_NONE && s->deadlock_ap >= 64)
        return false;
    if (s->states != NULL && (s->states->words != s->executor->words + (s->automaton != NULL) ||
                                 s->first_worker + s->workers > s->states->workers))
        return false;
    return s->automaton == NULL || s->executor->aps >= om_automaton_ap_count(s->automaton) ||
           om_automaton_ap_count(s->automaton) == 0;
}

/* Marks need an automaton to accept by them, and APs after the automaton's own. */
static bool good_fairness(const om_product_spec *s)
{
    const om_fairness *f = s->fairness;
    return s->automaton != NULL && f->processes <= 64 &&
           (f->aps == 0 || (f->first_ap >= om_automaton_ap_count(s->automaton) &&
                               f->first_ap + f->aps <= s->executor->aps));
}

/* With fairness the executor answers more propositions than the automaton reads. */
static void set_fairness(om_product *p)
{
    const om_product_spec *s = &p->spec;
    p->own_aps = UINT64_MAX;
    if ((s->variants & OM_PRODUCT_FAIRNESS) == 0)
        return;
    uint32_t own = om_automaton_ap_count(s->automaton);
    p->fairness = s->fairness;
    p->own_aps = own >= 64 ? UINT64_MAX : (UINT64_C(1) << own) - 1;
}

/* Sets up the states: the shared ones of the spec, or the product's own. */
static int get_states(om_product *p)
{
    om_states *states = p->spec.states;
    int rc = OM_OK;
    om_memory__init(&p->memory, p->heap, om_context_control(p->ctx));
    if (p->spec.workers > 1)
        p->memory.nodes = om_context__nodes(p->ctx);
    om_pages__init(&p->seen, &p->memory, sizeof(uint64_t));
    p->seen.total = &p->memory.side_bytes;
    p->seen.read_first = true;
    if (states == NULL) {
        rc = om_states__new(&p->own, p->ctx, p->words, p->spec.workers, p->spec.store);
        states = p->own;
    } else {
        p->shared = true;
        p->first_worker = p->spec.first_worker;
    }
    assert(rc != OM_OK || states->words == p->words);
    p->store = rc == OM_OK ? states->store : NULL;
    return rc;
}

int om_product__new(om_product **out, om_context *ctx, const om_product_spec *spec)
{
    om_product *p = NULL;
    int rc = OM_ENOMEM;

    if (!good_spec(spec))
        return om_fail(ctx, OM_EINVAL, NULL,
            "a product needs an executor with at least the automaton's propositions, and a worker");
    uint32_t fair = spec->fairness == NULL ? 0 : OM_PRODUCT_FAIRNESS;
    if (om_product__lacks(spec->variants & ~fair) != NULL)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "the product cannot be created: %s",
            om_product__lacks(spec->variants & ~fair));
    if ((spec->variants & fair) != 0 && !good_fairness(spec))
        return om_fail(ctx, OM_EINVAL, NULL,
            "fairness marks need an automaton, and propositions after its own");
    if (((spec->variants & OM_PRODUCT_TESTING) != 0) !=
        (spec->automaton != NULL && om_automaton__is_testing(spec->automaton)))
        return om_fail(
            ctx, OM_EINVAL, NULL, "a testing automaton and OM_PRODUCT_TESTING belong together");
    p = om_alloc(om_context_heap(ctx), 1, sizeof *p);
    if (p == NULL)
        return om_fail_memory(ctx);
    p->ctx = ctx;
    p->heap = om_context_heap(ctx);
    p->spec = *spec;
    p->model_words = spec->executor->words;
    p->words = p->model_words + (spec->automaton != NULL);
    set_fairness(p);
    p->counters = om_alloc(p->heap, spec->workers, sizeof *p->counters);
    p->overflow_vector = om_alloc(p->heap, p->model_words, sizeof *p->overflow_vector);
    atomic_flag_clear_explicit(&p->overflown, memory_order_relaxed);
    if (p->counters != NULL && p->overflow_vector != NULL)
        rc = get_states(p);
    if (rc != OM_OK) {
        rc = om_product__fail(p, rc);
        goto done;
    }
    if ((spec->variants & (OM_PRODUCT_LABELS | OM_PRODUCT_TESTING)) != 0)
        rc = om_side_new(&p->labels, p, sizeof(uint64_t));
    if (rc != OM_OK)
        goto done;
    *out = p;
    p = NULL;
done:
    om_product__free(p);
    return rc;
}

int om_product__set_fair_processes(om_product *p, const om_fair_processes *fair_processes)
{
    const uint32_t both = OM_PRODUCT_FAIR_PROCESSES | OM_PRODUCT_FAIRNESS;
    if ((p->spec.variants & both) != both || fair_processes->processes == 0 ||
        fair_processes->who == NULL)
        return om_fail(
            p->ctx, OM_EINVAL, NULL, "fairness by moving process needs a checker that supports it");
    p->fair_processes = fair_processes;
    return OM_OK;
}

void om_product__guide(om_product *p, const om_guiding *guiding)
{
    assert(guiding == NULL || guiding->guide->steady);
    p->guiding = guiding;
}

const om_fair_processes *om_product_fair_processes(const om_product *p)
{
    return p->fair_processes;
}

const om_fair_processes *om_product_movers(const om_product *p)
{
    return om_product_fair_processes(p);
}

void om_product__free(om_product *p)
{
    if (p == NULL)
        return;
    om_side_free(p->labels);
    om_states__free(p->own);
    om_pages__free(&p->seen);
    OM_FREE_ALL(p->heap, p->counters, p->overflow_vector, p);
}

int om_product__fail(const om_product *p, int rc)
{
    if (rc == OM_ENOMEM)
        return om_fail_memory(p->ctx);
    if (rc == OM_ELIMIT && p->shared) {
        om_stop_reason reason = om_control_stopped(om_context_control(p->spec.states->ctx));
        if (reason != OM_STOP_NONE)
            (void) om_control_stop(om_context_control(p->ctx), reason);
    }
    return rc; /* a limit is no failure: the control has the reason */
}

int om_product__intern(om_product *p, unsigned worker, const uint32_t *vectors, size_t n,
    const uint32_t *const *near, om_id *ids, bool *fresh)
{
    assert(worker < p->spec.workers);
    int rc = om_store__intern(
        p->store, p->first_worker + worker, vectors, p->words, n, near, ids, fresh);
    return rc == OM_OK && p->shared ? om_product__see(p, worker, ids, fresh, n) : rc;
}

const om_product_spec *om_product_spec_of(const om_product *p)
{
    return &p->spec;
}

om_context *om_product_context(const om_product *p)
{
    return p->ctx;
}

om_memory *om_product__memory(om_product *p)
{
    return &p->memory;
}

bool om_product__shares(const om_product *p)
{
    return p->shared;
}

bool om_product__ids_rise(const om_product *p, unsigned worker)
{
    return !p->shared && om_store__ids_rise(p->store, worker);
}

uint32_t om_product_words(const om_product *p)
{
    return p->words;
}

uint64_t om_product_state_count(const om_product *p)
{
    uint64_t n = 0;
    if (!p->shared)
        return om_store__count(p->store);
    for (unsigned i = 0; i < p->spec.workers; i++)
        n += atomic_load_explicit(&p->counters[i].states, memory_order_relaxed);
    return n;
}

uint64_t om_product__bytes(const om_product *p)
{
    return om_store__bytes(p->store) + atomic_load_explicit(&p->seen.bytes, memory_order_relaxed);
}

om_store_figures om_product__figures(const om_product *p)
{
    om_store_figures f = om_store__figures(p->store);
    f.states = om_product_state_count(p);
    f.side_bytes = atomic_load_explicit(&p->memory.side_bytes, memory_order_relaxed);
    return f;
}

uint64_t om_product_id_bound(const om_product *p)
{
    return om_store__bound(p->store);
}

bool om_product_has(const om_product *p, om_id id)
{
    return om_store__has(p->store, id) && (!p->shared || om_product__has_seen(p, id));
}

om_store_ids *om_product__ids(const om_product *p, const om_heap *heap)
{
    return om_store__ids(p->store, heap);
}

bool om_product__among(const om_store_ids *ids, om_id id)
{
    return om_store__among(ids, id);
}

uint64_t om_product__edge_count(const om_product *p)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->spec.workers; i++)
        n += atomic_load_explicit(&p->counters[i].edges, memory_order_relaxed);
    return n;
}

uint64_t om_product__expansion_count(const om_product *p)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->spec.workers; i++)
        n += atomic_load_explicit(&p->counters[i].expansions, memory_order_relaxed);
    return n;
}

/* ---- levels, for a progress line ---- */

/* All relaxed: these counters publish no other data. A reader may see the width of a level before
 * or after the level is counted. */

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

void om_product__levels(const om_product *p, om_levels *out)
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
    uint64_t n = 0, again = 0;
    for (unsigned i = 0; i < p->spec.workers; i++) {
        n += atomic_load_explicit(&p->counters[i].overflows, memory_order_relaxed);
        again += atomic_load_explicit(&p->counters[i].overflows_again, memory_order_relaxed);
    }
    n = n == 0 ? again : n; /* the search ended before it expanded those states again */
    if (vector != NULL)
        *vector = n == 0 ? NULL : p->overflow_vector;
    return n;
}
