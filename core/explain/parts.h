/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: functions that the files of core/explain share. */
#ifndef OM_EXPLAIN_PARTS_H
#define OM_EXPLAIN_PARTS_H

#include <omen/host/explain.h>

/* expression.c */
/* Appends the expression in readable form, with names of slots and values: "P_0 == crit && x[i] <
 * 3". */
void om_explain__put_expression(const om_model *m, om_expr e, om_text *out);
/*
 * Makes a formula of an expression, taken apart at logical operators. aps, with room for 64,
 * receives the expressions of its propositions. OM_OK; OM_EUNSUPPORTED, without a message, if there
 * are too many, or different ones have the same text; OM_ENOMEM.
 */
int om_explain__take_apart(const om_model *m, om_expr e, om_ltl *l, om_expr *aps, om_ltl_ref *out);

/* accepted.c: finds an accepting run of the automaton on a word that it accepts; none if it is too
 * large. OM_OK; OM_ENOMEM; OM_EINTERNAL if the automaton does not accept the word; a stop. */
int om_explain__accepted(om_context *ctx, const om_automaton *a, const om_label *labels, size_t n,
    size_t loop, om_explanation *out);

/* blocked.c: explains why no transition is enabled in the last state of the run. OM_OK, OM_ENOMEM,
 * a stop. */
int om_explain__blocked(om_context *ctx, om_model *m, const om_lasso *run, om_explanation *out);

#endif
