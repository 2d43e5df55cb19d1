/* SPDX-License-Identifier: Apache-2.0 */
/* The names that another tool gives to the steps of a model. */
#include "form.h"
#include "model.h"

#include <string.h>

struct om_foreign_row {
    const om_foreign_step *steps;
    uint32_t count;
};

static size_t count_of(const om_model *m, om_foreign_kind kind)
{
    return kind == OM_FOREIGN_TRANSITION  ? m->transitions.count
           : kind == OM_FOREIGN_ASSERTION ? m->assertions.count
                                          : m->properties.count;
}

int om_model_set_foreign(
    om_model *m, om_foreign_kind kind, uint32_t index, const om_foreign_step *steps, uint32_t count)
{
    if ((unsigned) kind >= OM_FOREIGN_KINDS || index >= count_of(m, kind))
        return om_fail(
            m->ctx, OM_EINVAL, NULL, "no such transition, assertion or property for these steps");
    om_foreign_rows *rows = &m->foreign[kind];
    om_foreign_step *kept = om_region_take(&m->region, count == 0 ? 1 : count, sizeof *kept);
    if (kept == NULL || !OM_ROOM(m->heap, rows->at, &rows->capacity, (size_t) index + 1))
        return om_fail_memory(m->ctx);
    if (count != 0)
        memcpy(kept, steps, count * sizeof *kept);
    for (; rows->count <= index; rows->count++)
        rows->at[rows->count] = (struct om_foreign_row){ NULL, 0 };
    rows->at[index] = (struct om_foreign_row){ kept, count };
    return OM_OK;
}

bool om_model__has_foreign(const om_model *m)
{
    size_t any = 0;
    for (int k = 0; k < OM_FOREIGN_KINDS; k++)
        any += m->foreign[k].count;
    return any != 0;
}

const om_foreign_step *om_model__foreign(
    const om_model *m, om_foreign_kind kind, uint32_t index, uint32_t *count)
{
    const om_foreign_rows *rows = &m->foreign[kind];
    *count = index < rows->count ? rows->at[index].count : 0;
    return index < rows->count ? rows->at[index].steps : NULL;
}
