/* SPDX-License-Identifier: Apache-2.0 */
/* formula.h: formulas of the user, in the grammar of the model's language or in omen's own. */
#ifndef OMEN_PLAN_FORMULA_H
#define OMEN_PLAN_FORMULA_H

#include "plan.h"

/* Reads text[0 .. length - 1], which is NUL-terminated, into the arena; `file` names it in
 * messages. */
int om_plan__parse_formula(
    om_plan *p, om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref *out);

#endif
