/* SPDX-License-Identifier: Apache-2.0 */
/* Used without GLPK: the state equation rules nothing out. */
#include "mcc_equation.h"

int mcc_impossible(const om_net *net, const om_predicate *p, uint64_t until_ns, bool *impossible,
    mcc_equation_figures *figures)
{
    (void) net;
    (void) until_ns;
    *impossible = p->kind == OM_PREDICATE_FALSE;
    if (figures != NULL)
        *figures = (mcc_equation_figures){ 0, 0 };
    return OM_OK;
}
