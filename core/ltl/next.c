/* SPDX-License-Identifier: Apache-2.0 */
#include "next.h"

#include "formula_nodes.h"

int om_ltl__has_next(const om_ltl *l, om_ltl_ref f, bool *has)
{
    uint8_t *part = om_alloc(l->heap, (size_t) f + 1, sizeof *part);
    *has = true;
    if (part == NULL)
        return OM_ENOMEM;
    (void) om_ltl__mark_subformulas(l, f, part);
    *has = false;
    for (om_ltl_ref g = 1; g <= f; g++)
        *has = *has || (part[g] != 0 && l->nodes[g].op == OM_LTL_NEXT);
    om_free(l->heap, part);
    return OM_OK;
}
