/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_form.h: the form of the model that a search runs on, and overflows that the search met.
 */
#ifndef OMEN_PLAN_MODEL_FORM_H
#define OMEN_PLAN_MODEL_FORM_H

#include "property/property.h"
#include "session.h"

/* Gives the model the form that a check for these propositions requires; discards the form of an
 * earlier check. No executor may be open. */
int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count);

/* search_model.c
 * Builds the form that a search for these propositions runs on, from the model as it is
 * (om_plan__shape()). No executor may be open. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
int om_plan__make_searched(om_plan *p, const om_expr *aps, uint32_t count, om_merging merging);
/* Returns that form; om_plan__searched_aps() returns its propositions (`aps` are those of the
 * model). */
om_model *om_plan__searched(const om_plan *p);

/* Sets *ap to the expression of the states that properties see (om_model_set_visible()) and returns
 * 1. Returns 0 if properties see all states. */
uint32_t om_plan__seen(const om_plan *p, om_expr *ap);
const om_expr *om_plan__searched_aps(const om_plan *p, const om_expr *aps);
void om_plan__forget_searched(om_plan *p);
void om_plan__free_searched(om_plan *p);
/* Convert a run and a fault of the searched form to those of the model. A trace is cut at the first
 * possible state: where the expression holds, or where the fault occurs. OM_OK or OM_ENOMEM. */
typedef enum om_run_kind { OM_RUN_ANY, OM_RUN_TO_STATE, OM_RUN_TO_FAULT } om_run_kind;
int om_plan__take_run(const om_plan *p, om_lasso *l, om_run_kind kind);
om_fault om_plan__take_fault(const om_plan *p, om_fault fault);
/* Returns true if the fault is not the model's, but an open slot has too few bits. Records the
 * slot. */
bool om_plan__overfull(om_plan *p, om_fault fault);
/* Returns true if such a slot has wrapped in the last state of a run; records it. (The next step
 * would detect that, but a trace to a state in which an expression holds ends there.) */
bool om_plan__wrapped(om_plan *p, const om_lasso *l);
/* Gives the recorded slot more bits. Returns false if it has the maximum or no time is left. */
bool om_plan__widen(om_plan *p);
/* Writes why the search ended: "p comes to more than 31 bits hold" */
void om_plan__say_overfull(om_plan *p, om_text *out);
/* Fails with OM_ELIMIT and that message. Returns rc if no slot has too few bits. */
int om_plan__unless_overfull(om_plan *p, int rc);
/* Returns why no search of all states can end; NULL if it can or that is not known. Determined
 * once, in less than a second. */
const char *om_plan__endless(om_plan *p);

/* overflow.c. None of these functions fails; the report omits what is not available.
 * om_plan__keep_overflows() saves, after the run of a task, the number of overflows that it met and
 * a state from which one occurs. */
void om_plan__keep_overflows(om_attempt *t, const om_task *task);
/* Records `count` overflows of a search, one of the first on an edge from `vector` (takes
 * ownership). */
void om_plan__met_overflows(om_plan *p, uint64_t count, uint32_t *vector);
/* Makes the report of all recorded overflows. Called between om_plan__begin(), which discards the
 * report, and om_plan__end(). */
void om_plan__report_overflows(om_plan *p);
void om_plan__forget_overflows(om_plan *p);

#endif
