/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for a counterexample of minimal length, if the options ask for one. */
#include "verdict.h"

#include "control/control.h"
#include "shorten/shortest_lasso.h"
#include "supervise.h"

/* Returns the end of the search: at most three quarters of the check's remaining time, because its
 * result must be refereed. */
static uint64_t end_of(const om_check *c)
{
    uint64_t left = om_control_left_ns(om_context_control(c->plan->ctx));
    uint64_t time = c->options->shortest_ns;
    if (left != UINT64_MAX && time > left - left / 4)
        time = left - left / 4;
    return om_clock_ns() + time;
}

/* Searches in a context of its own: a limit ends only this search. */
static int search(
    const om_check *c, om_product_spec product, om_lasso *out, size_t below, bool *minimal)
{
    const om_plan *p = c->plan;
    const uint64_t until_ns = end_of(c);
    om_automaton *converted = NULL;
    om_context *ctx = NULL;
    int rc = om_context_new_below(&ctx, p->ctx);
    if (rc != OM_OK)
        return OM_OK;
    if ((om_automaton_acceptance_classes(product.automaton) & OM_ACCEPT_GENERALIZED_BUCHI) == 0) {
        rc = om_automaton_to_generalized_buchi(product.automaton, ctx, &converted);
        product.automaton = converted;
    }
    if (rc == OM_OK)
        rc = om_lasso__shortest(out, ctx, &product, below, until_ns, minimal);
    if (rc == OM_EINTERNAL)
        rc = om_fail(p->ctx, rc, NULL, "%s", om_context_error(ctx));
    else
        rc = OM_OK; /* the existing counterexample stands */
    om_automaton_free(converted);
    om_context_free(ctx);
    out->heap = p->heap; /* the heap of `ctx` has been freed */
    return rc;
}

int om_check__shortest(om_check *c, const om_try *try)
{
    om_plan *p = c->plan;
    om_check_result *out = c->result;
    om_product_spec own = try->spec.product;
    om_lasso found = { 0 };
    bool minimal = false;
    if (c->options->shortest_ns == 0 || !out->has_lasso || out->lasso.loop == OM_NO_LOOP)
        return OM_OK;
    own.automaton = c->target->automaton;
    own.store = c->options->store;
    own.seed = 0;
    int rc = search(c, own, &found, out->lasso.count, &minimal);
    om_plan__after(p);
    if (rc == OM_OK)
        rc = om_searched__take_run(&try->searched, &found, OM_RUN_ANY);
    if (rc == OM_OK && found.count != 0) {
        rc = om_plan__referee(p, &found, &c->target->obligation, "the search for a shortest lasso");
        if (rc == OM_OK) {
            om_lasso shorter = found;
            found = out->lasso;
            out->lasso = shorter;
        }
        minimal = minimal && rc == OM_OK;
        if (rc == OM_ELIMIT || rc == OM_ENOMEM || rc == OM_ESTOP) {
            om_context_clear(p->ctx);
            rc = OM_OK;
        }
    }
    om_lasso_free(&found);
    out->memory_bytes = om_resident__peak_bytes();
    out->minimality = minimal ? OM_MINIMAL : OM_NOT_PROVEN;
    return rc;
}
