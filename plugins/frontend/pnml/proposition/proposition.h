/* SPDX-License-Identifier: Apache-2.0 */
/* proposition.h: propositions over a net. README.md has their grammar. */
#ifndef PNML_PROPOSITION_H
#define PNML_PROPOSITION_H

#include "symbols.h"

/* Reads a proposition. Returns OM_EINPUT with the place of the error; OM_ENOMEM; OM_ELIMIT or
 * OM_ESTOP when the context is stopped. */
int pnml_proposition(om_net *net, const pnml_symbols *symbols, om_model *m, const char *origin,
    const char *text, om_expr *out);

#endif
