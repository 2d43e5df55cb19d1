/* SPDX-License-Identifier: Apache-2.0 */
/* The form of the model itself: overflows, assertions, resets of dead variables. */
#include "searched.h"

#include "reset.h"

#include <assert.h>

int om_plan__shape_as(
    om_plan *p, om_model_form form, om_asserted asserted, const om_expr *aps, uint32_t ap_count)
{
    uint32_t resets = 0;
    assert(p->supervisor.watched.self == NULL); /* P2 */
    om_model__keep_dead(p->model);
    om_model__set_asserted(p->model, asserted);
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

int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count)
{
    return om_plan__shape_as(
        p, form, form.ignore_assertions ? OM_ASSERTED_FINAL : OM_ASSERTED, aps, ap_count);
}

uint32_t om_plan__seen(const om_plan *p, om_expr *ap)
{
    *ap = om_model__visible(p->model);
    return *ap != 0;
}
