/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of states that are stored, for products of which they are asked for (OM_PRODUCT_LABELS).
 * Each is computed once and kept beside the state, twice the label plus one, where the propositions
 * leave a bit for that; two workers who do so at once write the same.
 */
#include "product_impl.h"

enum { MOST_KEPT = 63 };

const char *om_product__lacks(uint32_t variants)
{
    if ((variants & ~(uint32_t) OM_PRODUCT_ALL) != 0)
        return "it asks for a product that this library does not know";
    if ((variants & OM_PRODUCT_FAIRNESS) != 0)
        return "it asks for marks of fairness, which no product has yet";
    return NULL;
}

/* The model has no successor there, and does not go wrong. */
static int has_deadlock(om_cursor *c, const uint32_t *vector, bool *out)
{
    const om_executor *x = c->p->spec.executor;
    c->beyond.count = 0;
    int rc = x->append(x, vector, &c->beyond);
    *out = rc == OM_OK && c->beyond.fault == 0 && c->beyond.count == 0;
    c->beyond.fault = 0;
    return rc == OM_ENOMEM ? om_fail_memory(c->p->ctx) : rc;
}

/* Where it cannot be evaluated it is 0, and not kept: whoever expands the state finds the fault. */
static int label_of(om_cursor *c, om_id id, om_label *out)
{
    const om_product *p = c->p;
    const om_executor *x = p->spec.executor;
    const bool keeps = x->aps <= MOST_KEPT && p->spec.deadlock_ap != MOST_KEPT;
    _Atomic uint64_t *kept = om_side_at(p->labels, id);
    om_fault fault = 0;
    bool deadlock = false;
    int rc = OM_OK;
    if (kept == NULL)
        return om_fail_memory(p->ctx);
    /* relaxed, both: the label is all there is. */
    uint64_t word = keeps ? atomic_load_explicit(kept, memory_order_relaxed) : 0;
    if (word != 0) {
        *out = word >> 1;
        return OM_OK;
    }
    const uint32_t *vector = om_store__row(p->store, id, c->row);
    *out = x->aps == 0 ? 0 : x->labels(x, vector, &fault);
    if (p->spec.deadlock_ap != OM_NONE) {
        om_label bit = UINT64_C(1) << p->spec.deadlock_ap;
        rc = has_deadlock(c, vector, &deadlock);
        *out = deadlock ? *out | bit : *out & ~bit;
    }
    if (fault != 0)
        *out = 0;
    else if (rc == OM_OK && keeps)
        atomic_store_explicit(kept, *out << 1 | 1, memory_order_relaxed);
    return rc;
}

int om_cursor_labels(om_cursor *c, om_label *source, const om_label **targets)
{
    const om_product *p = c->p;
    if (p->labels == NULL)
        return om_fail(p->ctx, OM_EINVAL, NULL, "labels were not asked for (OM_PRODUCT_LABELS)");
    om_label *grown =
        om_grow(p->heap, c->labels, &c->label_capacity, c->step_count + 1, sizeof *grown);
    if (grown == NULL)
        return om_fail_memory(p->ctx);
    c->labels = grown;
    int rc = c->steps_of == OM_NO_ID ? OM_OK : label_of(c, c->steps_of, source);
    for (size_t i = 0; i < c->step_count && rc == OM_OK; i++)
        rc = label_of(c, c->steps[i].to, &c->labels[i]);
    if (c->steps_of == OM_NO_ID)
        *source = 0;
    *targets = c->labels;
    return rc;
}
