/* SPDX-License-Identifier: Apache-2.0 */
/* Finishes a model: nothing can be added any more. */
#include "sites.h"

#include <assert.h>

int om_model_finish(om_model *m)
{
    int rc = om_model_expr_check(m, NULL);
    if (rc != OM_OK)
        return rc;
    if (m->finished)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished already");
    rc = om_model__validate(m);
    if (rc == OM_OK)
        rc = om_model__lay_out(m);
    if (rc != OM_OK)
        return rc;
    uint32_t *initial = om_region_take(&m->region, m->words, sizeof *initial);
    if (initial == NULL)
        return om_fail_memory(m->ctx);
    for (uint32_t i = 0; i < m->slots.count; i++) {
        const om_slot *s = om_model__slot(m, i);
        for (uint32_t e = 0; e < (s->length == 0 ? 1 : s->length); e++)
            om_slot_set(s, initial, e, s->initial[e]);
    }
    rc = om_model__find_sites(m);
    if (rc != OM_OK)
        return rc;
    assert(m->words > 0 && !m->finished);
    m->initial = initial;
    m->finished = true;
    return OM_OK;
}
