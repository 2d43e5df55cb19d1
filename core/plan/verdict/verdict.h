/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.h: from the outcomes of a try to a verdict: evidence, the referee, what the user is
 * shown, and shortest counterexamples.
 *
 * V1  A result gets the parts of one try, once.
 * V2  A complete result that HOLDS has neither a lasso nor a reason; one that is UNKNOWN has a
 *     reason.
 * V3  The lasso of a result has at least one state, and no longer bad prefix than the run.
 * V4  A result about an assertion is a violation, and names an assertion of the model.
 */
#ifndef OMEN_PLAN_VERDICT_H
#define OMEN_PLAN_VERDICT_H

#include "model/overflow.h"
#include "schedule/try.h"

/* One check of one property: lives until its result is complete. Only the plan's own thread uses
 * it. */
typedef struct om_check {
    om_plan *plan;
    om_target *target; /* NULL: an automaton by itself */
    const om_plan_options *options;
    om_check_result *result; /* its heap is the plan's */
    om_overflows overflows;  /* that the last search met */
    om_fault fault;          /* fault of the model that ended it, or 0 */
} om_check;

/* Reason of UNKNOWN if the model has a fault */
extern const char om_check__fault_reason[];

/* result.c */
/* Sets the verdict UNKNOWN with a copy of `why`. The second function also clears the context's
 * message. OM_OK or OM_ENOMEM. */
int om_check__set_reason(om_check *c, const char *why);
int om_check__unknown(om_check *c, const char *why);
/* Replaces the result by an empty one that is UNKNOWN. */
void om_check__forget_result(om_check *c);
/* Moves the context's error to the result, as a fault, with a warning. */
void om_check__take_failure(om_check *c);
/* Makes the verdict about assertion `number` of the model, which fails: its place becomes the name
 * of the property, and its text the fault. OM_OK or OM_ENOMEM. */
int om_check__name_assertion(om_check *c, uint32_t number);

/* Fills verdict, figures and reason of the result from the parts that ran. *violated is the attempt
 * with the evidence, *faulty the first that met a fault, or NULL. Returns the first failure, with
 * its message in the plan's context. */
int om_check__sum(om_check *c, om_try *try, om_attempt **violated, om_attempt **faulty);
/* Moves the figures of all parts to the result. The parts lose their evidence. */
int om_check__take_parts(om_check *c, om_try *try);

/* certify.c. Makes the counterexample after the parts have run, within the rest of the limits, and
 * lets the referee replay it. A violation with a lasso takes precedence over a fault, which is
 * reported in addition. OM_OK; OM_EMODEL with the trace to a fault; OM_EINTERNAL. */
int om_check__certify(om_check *c, om_try *try, om_attempt *violated, om_attempt *faulty);

/* referee.c */
/* Replays a lasso that `who` found. OM_OK; OM_EINTERNAL, with a message, if the referee rejects it;
 * else the status that ended the replay. */
int om_plan__referee(
    om_plan *p, const om_lasso *l, const om_obligation *obligation, const char *who);
/* Builds the automaton that detects bad prefixes of the target's formula, if the lasso claims one,
 * for the target's obligation. OM_OK; the errors of translating. */
int om_plan__read_allowed(om_plan *p, const om_lasso *lasso, om_target *t);
/* Handles status `rc` of building and replaying a counterexample under `ctx`. If time or memory ran
 * out, the violation stands without a counterexample, with the reason, and the function returns
 * OM_OK. */
int om_check__unless_refereed(om_check *c, int rc, om_context *ctx);
/* om_plan_replay() under these options. */
int om_plan__replay(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, const om_lasso *lasso);
/* Returns the options under which a lasso is replayed: these, but if they ask for no fairness, with
 * the fairness that the lasso claims to show. The options borrow from the lasso. */
om_plan_options om_plan__options_for(const om_plan_options *options, const om_lasso *lasso);
/* Reads and translates the property, gives the model the form of the lasso, and replays the lasso.
 * The caller frees *t, as after om_plan__read(). */
int om_plan__referee_target(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, const om_lasso *lasso, om_target *t);

/* shown.c */
/*
 * Prepares a counterexample, or a trace to a fault, for the user: with the real values of dead
 * variables, and with its bad prefix treated as `prefix` says. `checked` is the status of the
 * check, OM_OK or OM_EMODEL; the message of the check is kept. Returns `checked`, or OM_EINTERNAL
 * if the referee rejects the run with real values. If a limit ends the call, the lasso is
 * unchanged. No executor may be open; afterwards the model has the form of the lasso.
 */
int om_check__show(om_check *c, int checked, om_prefix prefix);
/* Stores the states of the result's lasso in the lasso, because the model has the form of a later
 * search when the lasso is written. The model must have the form of the lasso. OM_OK;
 * OM_EINTERNAL. */
int om_check__keep_states(om_check *c);
/* Puts real values into the trace of an exploration (or NULL) and into the trace to an overflow, as
 * om_check__show() does. */
void om_plan__show_traces(om_plan *p, om_lasso *trace);

/* shortest.c. If the options ask for it, replaces the result's lasso by one of minimal length, if
 * one is found in time; the result says whether it is proved minimal. Uses the executor of the try,
 * which must have no other user. OM_OK; OM_EINTERNAL. */
int om_check__shortest(om_check *c, const om_try *try);

#endif
