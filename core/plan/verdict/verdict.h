/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.h: from the evidence of an attempt to a verdict: the referee, what the user is shown, and
 * shortest counterexamples.
 */
#ifndef OMEN_PLAN_VERDICT_H
#define OMEN_PLAN_VERDICT_H

#include "session.h"

/* If the options ask for no fairness, sets them to the fairness that the lasso claims to show. The
 * options borrow from the lasso. */
void om_plan__take_fairness(om_plan *p, const om_lasso *lasso);
/* Reads and translates the property, gives the model the form of the lasso, and replays the lasso.
 * The caller frees *t, as after om_plan__read(). */
int om_plan__referee_target(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso, om_target *t);

/* shown.c */
/* Builds the automaton of the runs that the target's formula allows, in `ctx` (which must outlive
 * it), and the expressions of its propositions. The caller frees both. Errors are those of
 * translating. */
int om_plan__allowed(
    om_plan *p, om_context *ctx, const om_target *t, om_automaton **out, om_expr **aps);
/*
 * Prepares a counterexample, or a trace to a fault, for the user: with the real values of dead
 * variables, and with its bad prefix as the options say. `checked` is the status of the check,
 * OM_OK or OM_EMODEL; the message of the check is kept. Returns `checked`, or OM_EINTERNAL if the
 * referee rejects the run with real values. If a limit ends the call, the lasso is unchanged. No
 * executor may be open; afterwards the model has the form of the lasso.
 */
int om_plan__show(om_plan *p, const om_target *t, int checked, om_check_result *out);
/* Stores the states of a result's lasso in the lasso, because the model has the form of a later
 * search when the lasso is written. The model must have the form of the lasso. OM_OK;
 * OM_EINTERNAL. */
int om_plan__keep_states(om_plan *p, om_check_result *out);
/* Puts real values into the trace of an exploration (or NULL) and into the trace to an overflow, as
 * om_plan__show() does. */
void om_plan__show_traces(om_plan *p, om_lasso *trace);

/* shortest.c */
/* Returns OM_EUSAGE if a shortest lasso is requested and the property has none. */
int om_plan__vet_shortest(const om_plan *p, const om_target *t);
/* If the options ask for it, replaces the result's lasso by one of minimal length, if one is found
 * in time; the result says whether it is proved minimal. `product` is that of the check, for its
 * executor, which must have no other user. OM_OK; OM_EINTERNAL. */
int om_plan__shortest(
    om_plan *p, const om_target *t, const om_product_spec *product, om_check_result *out);

/* check.c: returns true if the search for the target continues where an assertion of the model
 * fails. */
bool om_plan__ignores_assertions(const om_plan *p, const om_target *t);
/* Makes the verdict about assertion `number` of the model, which fails: its place becomes the name
 * of the property, and its text the fault. OM_OK or OM_ENOMEM. */
int om_plan__name_assertion(om_plan *p, uint32_t number, om_check_result *out);
/* Replays a lasso that `who` found. OM_OK; OM_EINTERNAL, with a message, if the referee rejects it;
 * else the status that ended the replay. */
int om_plan__referee(
    om_plan *p, const om_lasso *l, const om_obligation *obligation, const char *who);
/* Handles status `rc` of building and replaying a counterexample under `ctx`. If time or memory ran
 * out, the violation stands without a counterexample, with the reason, and the function returns
 * OM_OK. */
int om_plan__unless_refereed(om_plan *p, int rc, om_context *ctx, om_check_result *out);
/* Sets the verdict UNKNOWN with a copy of `why`. Clears the context's message. */
int om_plan__unknown(const om_plan *p, const char *why, om_check_result *out);
/* Fills verdict, figures and reason of the result from the parts that ran. *violated is the attempt
 * with the evidence, *faulty the first that met a fault, or NULL. Returns the first failure, with
 * its message in the plan's context. */
int om_plan__sum(om_plan *p, om_part *parts, size_t count, om_check_result *out,
    om_attempt **violated, om_attempt **faulty);
/* Moves the figures of all parts to the result. The parts lose their evidence. */
int om_plan__take_parts(const om_plan *p, om_part *parts, size_t count, om_check_result *out);

#endif
