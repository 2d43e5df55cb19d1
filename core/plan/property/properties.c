/* SPDX-License-Identifier: Apache-2.0 */
/* The properties that a model defines. */
#include "model.h"
#include "plan.h"
#include "form/proved.h"

/* Counts the assertions of the model's text. Those that bound open slots are added by the
 * lowering. */
static uint32_t assertions_of(const om_model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < om_model_assertion_count(m); i++)
        count += om_model__open_of(m, i) == OM_NONE;
    return count;
}

static bool has_default(const om_model *m)
{
    bool found = false;
    for (uint32_t i = 0; i < om_model_property_count(m) && !found; i++)
        found = !om_model_is_by_name(m, i);
    return found;
}

int om_plan_own_properties(const om_model *m, om_own_property **out, size_t *count)
{
    const uint32_t own = om_model_property_count(m), assertions = assertions_of(m);
    size_t n = 0;
    om_own_property *all =
        om_alloc(om_context_heap(om_model_context(m)), (size_t) own + 3, sizeof *all);
    if (all == NULL)
        return om_fail_memory(om_model_context(m));
    if (assertions != 0)
        all[n++] = (om_own_property){
            .kind = OM_PROPERTY_ASSERTION, .name = "assertions", .assertions = assertions
        };
    all[n++] = (om_own_property){ .kind = OM_PROPERTY_DEADLOCK,
        .name = "deadlock",
        .by_name = has_default(m) && !om_model__forbids_deadlock(m) };
    for (uint32_t i = 0; i < own; i++) {
        const om_property *p = om_model_property(m, i);
        all[n++] = (om_own_property){ .kind = OM_PROPERTY_NAMED,
            .name = p->name,
            .formula = p->automaton == NULL ? p->formula : NULL,
            .by_name = om_model_is_by_name(m, i) };
    }
    if (om_model__progress(m) != 0)
        all[n++] = (om_own_property){
            .kind = OM_PROPERTY_NON_PROGRESS, .name = "non-progress", .by_name = true
        };
    *out = all;
    *count = n;
    return OM_OK;
}
