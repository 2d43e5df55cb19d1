/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_form.h"
#include "property/property.h"
#include "schedule/attempt.h"
#include "schedule/supervise.h"
#include "verdict/verdict.h"

#include "process/processors.h"
#include "model.h"
#include "reset.h"

#include <string.h>

int om_plan_new(om_plan **out, om_context *ctx, const om_registry *registry,
    const om_frontend *frontend, om_model *model, const om_plan_options *options)
{
    static const om_plan_options none = { 0 };
    const om_heap *heap = om_context_heap(ctx);
    om_plan *p = om_alloc(heap, 1, sizeof *p);

    if (p == NULL)
        return om_fail_memory(ctx);
    p->ctx = ctx;
    p->heap = heap;
    p->registry = registry;
    p->frontend = frontend;
    p->model = model;
    p->options = options == NULL ? none : *options;
    p->searched.overfull = OM_NONE;
    p->threads = p->options.threads == 0 ? om_processors__count() : p->options.threads;
    if (p->options.limits.memory_bytes == 0)
        p->options.limits.memory_bytes = om_default_memory_limit();
    int rc = om_context_new_below(&p->devices.ctx, ctx) == OM_OK ? OM_OK : om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = om_plan__supervisor_init(p);
    if (rc != OM_OK) {
        om_context_free(p->devices.ctx);
        om_free(heap, p);
        return rc;
    }
    *out = p;
    return OM_OK;
}

void om_plan_free(om_plan *p)
{
    if (p == NULL)
        return;
    om_race__settle(p);
    om_devices_close(p->devices.list);
    om_plan__forget_overflows(p);
    om_plan__free_searched(p);
    om_free(p->heap, p->gave_up);
    om_context_free(p->devices.ctx);
    om_plan__supervisor_destroy(p);
    om_free(p->heap, p);
}

om_control *om_plan_control(om_plan *p)
{
    return om_context_control(p->ctx);
}

void om_plan_share_time(om_plan *p, size_t checks)
{
    p->checks_left = checks;
}

bool om_plan_busy(om_plan *p)
{
    return om_race__busy(p);
}

int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count)
{
    uint32_t resets = 0;
    om_model__keep_dead(p->model);
    om_model__set_asserted(p->model, p->ends_at_assertions    ? OM_ASSERTED_AS_ENDS
                                     : form.ignore_assertions ? OM_ASSERTED_FINAL
                                                              : OM_ASSERTED);
    int rc = om_model_set_overflow(p->model, form.overflow);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "assignments that may overflow: %u",
            om_model_overflow_sites(p->model));
    if (rc != OM_OK || !form.reset_dead)
        return rc;
    rc = om_model__reset_dead(p->model, aps, ap_count, &resets);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%u resets of dead variables", resets);
    return rc;
}

void om_plan__take_fairness(om_plan *p, const om_lasso *lasso)
{
    if (om_fair__asked(p))
        return;
    p->options.fairness = lasso->fairness;
    p->options.fair = (const char *const *) &lasso->fair;
    p->options.fair_count = lasso->fair != NULL;
}

/* Builds the automaton that detects bad prefixes of a formula, if the lasso claims one. */
static int read_allowed(om_plan *p, const om_lasso *lasso, om_target *t)
{
    if (t->ltl == NULL || (lasso->loop != OM_NO_LOOP && lasso->bad_prefix == 0))
        return OM_OK;
    int rc = om_plan__allowed(p, p->ctx, t, &t->allowed, &t->allowed_aps);
    t->obligation.allowed = t->allowed;
    t->obligation.allowed_aps = t->allowed_aps;
    return rc;
}

int om_plan__referee_target(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso, om_target *t)
{
    int rc = om_plan__read_and_translate(p, kind, text, t);
    if (rc == OM_OK)
        rc = read_allowed(p, lasso, t);
    if (rc == OM_OK)
        rc = om_plan__shape(p, lasso->form, t->aps, t->all_aps);
    return rc == OM_OK ? om_lasso_replay(p->ctx, lasso, &t->obligation) : rc;
}

int om_plan_replay(om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso)
{
    const om_plan_options asked = p->options;
    om_target t = { 0 };
    int rc = om_plan__begin(p, false);
    if (rc != OM_OK)
        return rc;
    om_plan__take_fairness(p, lasso);
    rc = om_plan__referee_target(p, kind, text, lasso, &t);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    p->options = asked;
    return rc;
}
