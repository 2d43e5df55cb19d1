/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of stored states, for products that need them (OM_PRODUCT_LABELS). Each label is computed
 * once and kept in a side array as twice the label plus one, if the propositions leave a bit for
 * that. Two workers that compute the same label at once write the same value.
 */
#include "product_impl.h"

enum { MOST_KEPT = 63 };

const char *om_product__lacks(uint32_t variants)
{
    if ((variants & ~(uint32_t) OM_PRODUCT_ALL) != 0)
        return "it asks for a product that this library does not know";
    if ((variants & OM_PRODUCT_FAIRNESS) != 0)
        return "it asks for fairness marks, which only the check may request";
    return NULL;
}

/* Sets *out to true if the model has no successor in this state and does not go wrong in it. */
static int has_deadlock(om_cursor *c, const uint32_t *vector, bool *out)
{
    const om_executor *x = c->p->spec.executor;
    c->beyond.count = 0;
    int rc = x->append(x, vector, &c->beyond);
    *out = rc == OM_OK && c->beyond.fault == 0 && c->beyond.count == 0;
    c->beyond.fault = 0;
    return rc == OM_ENOMEM ? om_fail_memory(c->p->ctx) : rc;
}

int om_label__find(om_cursor *c, om_id id, const uint32_t *vector, const bool *deadlock,
    om_label *out, om_label *word, om_fault *fault)
{
    const om_product *p = c->p;
    const bool keeps = p->spec.executor->aps <= MOST_KEPT && p->spec.deadlock_ap != MOST_KEPT;
    bool ends = deadlock != NULL && *deadlock;
    int rc = OM_OK;
    *fault = 0;
    *word = 0;
    if (keeps && id != OM_NO_ID) {
        const _Atomic uint64_t *kept = om_side_at(p->labels, id);
        if (kept == NULL)
            return om_fail_memory(p->ctx);
        /* relaxed: the word carries the label itself and publishes no other data. */
        *word = atomic_load_explicit(kept, memory_order_relaxed);
        *out = *word >> 1;
    }
    if (*word != 0)
        return OM_OK;
    if (p->spec.deadlock_ap != OM_NONE && deadlock == NULL)
        rc = has_deadlock(c, vector, &ends);
    *out = om_cursor__label(c, vector, ends, fault);
    if (rc == OM_OK && keeps && *fault == 0)
        *word = *out << 1 | 1;
    return rc;
}

int om_label__keep(const om_product *p, om_id id, om_label word)
{
    _Atomic uint64_t *kept = om_side_at(p->labels, id);
    if (kept == NULL)
        return om_fail_memory(p->ctx);
    /* relaxed: as above; another thread that writes this word writes the same value. */
    atomic_store_explicit(kept, word, memory_order_relaxed);
    return OM_OK;
}

/* A label that cannot be evaluated is 0 and is not kept: expanding the state finds the fault. */
static int label_of(om_cursor *c, om_id id, om_label *out)
{
    om_label word = 0;
    om_fault fault = 0;
    int rc =
        om_label__find(c, id, om_store__row(c->p->store, id, c->row), NULL, out, &word, &fault);
    if (fault != 0)
        *out = 0;
    return rc == OM_OK && word != 0 ? om_label__keep(c->p, id, word) : rc;
}

int om_cursor_labels(om_cursor *c, om_label *source, const om_label **targets)
{
    const om_product *p = c->p;
    if ((p->spec.variants & OM_PRODUCT_LABELS) == 0)
        return om_fail(p->ctx, OM_EINVAL, NULL, "labels were not asked for (OM_PRODUCT_LABELS)");
    if (!OM_ROOM(p->heap, c->labels, &c->label_capacity, c->step_count + 1))
        return om_fail_memory(p->ctx);
    int rc = c->steps_of == OM_NO_ID ? OM_OK : label_of(c, c->steps_of, source);
    for (size_t i = 0; i < c->step_count && rc == OM_OK; i++)
        rc = label_of(c, c->steps[i].to, &c->labels[i]);
    if (c->steps_of == OM_NO_ID)
        *source = 0;
    *targets = c->labels;
    return rc;
}
