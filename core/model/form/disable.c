/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disabling a transition. Facts found when the model was finished (intervals, absence of faults)
 * hold for all its runs, so they remain true for a subset of the runs.
 */
#include "model.h"

#include "form.h"

int om_model__disable(om_model *m, uint32_t transition)
{
    om_model__enable(m);
    if (!m->finished || transition >= m->transitions.count)
        return om_fail(m->ctx, OM_EINVAL, NULL, "no such transition to disable");
    const om_expr never = om_expr_const(m, 0);
    if (never == 0)
        return om_model_expr_check(m, NULL);
    om_transition *t = m->transitions.at[transition];
    m->disabled = t;
    m->own_guard = t->guard;
    t->guard = never;
    return OM_OK;
}

void om_model__enable(om_model *m)
{
    if (m->disabled != NULL)
        m->disabled->guard = m->own_guard;
    m->disabled = NULL;
}
