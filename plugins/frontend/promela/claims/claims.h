/* SPDX-License-Identifier: Apache-2.0 */
/* claims.h: lowers what a model says about its runs: claims, formulas and accepting labels. */
#ifndef PROMELA_CLAIMS_H
#define PROMELA_CLAIMS_H

#include "lower/lower.h"

/* Adds the never claims, each as a property. */
int pml_lower_claims(pml_lowering *l);
/* Adds the formulas of the file's ltl blocks, each as a property with its name. */
int pml_lower_formulas(pml_lowering *l);
/* Appends the formula in the syntax of om_ltl_parse(), with propositions in quotes. */
int pml_write_formula(pml_lowering *l, const pml_expr *e, om_text *out);
/* Adds the property "accept" if the model has such labels. It is checked on request only. */
int pml_lower_accept(pml_lowering *l);

#endif
