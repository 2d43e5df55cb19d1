/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about variables and statements that the text alone shows. */
#include "ast.h"

bool pml_type_range(const pml_variable *v, om_value *low, om_value *high)
{
    *low = 0;
    switch (v->type) {
    case PML_BIT:
    case PML_BOOL: /* SPIN stores arrays of bits as arrays of bytes, without truncation */
        *high = v->length != 0 ? UINT8_MAX : 1;
        return true;
    case PML_BYTE:
    case PML_MTYPE:
        *high = UINT8_MAX;
        return true;
    case PML_CHAN:
    case PML_PID:
        *high = v->wide ? UINT16_MAX : UINT8_MAX;
        return true;
    case PML_SHORT:
        *low = INT16_MIN;
        *high = INT16_MAX;
        return true;
    case PML_UNSIGNED:
        *high = (om_value) ((UINT32_C(1) << (v->bits < 31 ? v->bits : 31)) - 1);
        return true;
    default:
        *low = OM_VALUE_MIN;
        *high = OM_VALUE_MAX;
        return false;
    }
}

uint32_t pml_leaf_count(const pml_variable *v)
{
    uint32_t count = 0;
    if (v->structure == NULL)
        return 1;
    for (const pml_variable *f = v->structure->fields; f != NULL; f = f->next)
        count += pml_leaf_count(f);
    return count;
}

const pml_expr *pml_run_in(const pml_statement *s)
{
    return s == NULL ? NULL : s->run;
}
