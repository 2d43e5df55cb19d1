/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for a counterexample of minimal length, if the options ask for one. */
#include "model/model_form.h"
#include "schedule/supervise.h"
#include "verdict.h"
#include "shorten/shortest_lasso.h"

#include "control/control.h"

int om_plan__vet_shortest(const om_plan *p, const om_target *t)
{
    if (p->options.shortest_ns != 0 && t->is_fair)
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "a shortest lasso was requested, but the search for one does not support fairness");
    return p->options.shortest_ns == 0 || !t->trace
               ? OM_OK
               : om_fail(p->ctx, OM_EUSAGE, NULL,
                     "a shortest lasso was requested, but a violation of '%s' is a finite trace "
                     "(already a shortest one with the default checker and --merge off)",
                     t->name);
}

/* Returns the end of the search: at most three quarters of the check's remaining time, because its
 * result must be refereed. */
static uint64_t end_of(const om_plan *p)
{
    uint64_t left = om_control_left_ns(om_context_control(p->ctx));
    uint64_t time = p->options.shortest_ns;
    if (left != UINT64_MAX && time > left - left / 4)
        time = left - left / 4;
    return om_clock_ns() + time;
}

/* Searches in a context of its own: a limit ends only this search. */
static int search(
    const om_plan *p, om_product_spec product, om_lasso *out, size_t below, bool *minimal)
{
    const uint64_t until_ns = end_of(p);
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

int om_plan__shortest(
    om_plan *p, const om_target *t, const om_product_spec *product, om_check_result *out)
{
    om_product_spec own = *product;
    om_lasso found = { 0 };
    bool minimal = false;
    if (p->options.shortest_ns == 0 || !out->has_lasso || out->lasso.loop == OM_NO_LOOP)
        return OM_OK;
    own.automaton = t->automaton;
    own.store = p->options.store;
    own.seed = 0;
    int rc = search(p, own, &found, out->lasso.count, &minimal);
    om_plan__after(p);
    if (rc == OM_OK)
        rc = om_plan__take_run(p, &found, OM_RUN_ANY);
    if (rc == OM_OK && found.count != 0) {
        rc = om_plan__referee(p, &found, &t->obligation, "the search for a shortest lasso");
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
