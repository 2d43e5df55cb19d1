/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what the files of core/explain share. */
#ifndef OM_EXPLAIN_PARTS_H
#define OM_EXPLAIN_PARTS_H

#include <omen/host/explain.h>

/* expression.c */
/* Appends the expression as a reader would write it, slots and values by their names: "P_0 == crit
 * && x[i] < 3". */
void om_explain__put_expression(const om_model *m, om_expr e, om_text *out);
/* Makes a formula of an expression, taken apart at operators of logic. aps, with room for 64, has
 * the expressions of its propositions. OM_OK; OM_EUNSUPPORTED, with no message, where they are too
 * many, or cannot be told apart by their text; OM_ENOMEM. */
int om_explain__take_apart(const om_model *m, om_expr e, om_ltl *l, om_expr *aps, om_ltl_ref *out);

/* accepted.c: the way of a word that the automaton accepts through it; none where that is too
 * large. OM_OK; OM_ENOMEM; OM_EINTERNAL where it does not accept it; a stop. */
int om_explain__accepted(om_context *ctx, const om_automaton *a, const om_label *labels, size_t n,
    size_t loop, om_explanation *out);

/* blocked.c: why nothing can move in the last state of the run. OM_OK, OM_ENOMEM, a stop. */
int om_explain__blocked(om_context *ctx, om_model *m, const om_lasso *run, om_explanation *out);

#endif
