/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h: propositions over a net. README.md says what they may be. */
#ifndef PNML_EXPRESSION_H
#define PNML_EXPRESSION_H

#include "symbols.h"

/* Reads a proposition. OM_EINPUT with the place of what is wrong; OM_ENOMEM; OM_ELIMIT or OM_ESTOP
 * when the context is stopped. */
int pnml_expression(om_net *net, const pnml_symbols *symbols, om_model *m, const char *origin,
    const char *text, om_expr *out);

#endif
