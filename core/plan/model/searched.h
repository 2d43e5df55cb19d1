/* SPDX-License-Identifier: Apache-2.0 */
/*
 * searched.h: the form of the model, and the form of it that a search runs on.
 *
 * M1  At most one of the compact and the merged form exists.
 * M2  A run of the merged form has a row of steps of the model for each of its steps.
 * M3  An open slot has a power of two of bits, from OM_OPEN_FIRST to OM_OPEN_LAST.
 * M4  The compact form has no assignment that overflows (core/model/transform/compact.c makes none
 *     of a model that has). States of all other forms have as many words as the model's.
 */
#ifndef OMEN_PLAN_SEARCHED_H
#define OMEN_PLAN_SEARCHED_H

#include "plan.h"

#include "model.h"
#include "stubborn/stubborn.h"

/* searched.c. Give the model the form that a check for these propositions requires; discard the
 * form of an earlier check. No executor may be open (P2). The second function does not choose the
 * treatment of assertions by the form. OM_OK; OM_ENOMEM. */
int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count);
int om_plan__shape_as(
    om_plan *p, om_model_form form, om_asserted asserted, const om_expr *aps, uint32_t ap_count);
/* Sets *ap to the expression of the states that properties see (om_model_set_visible()) and returns
 * 1. Returns 0 if properties see all states. */
uint32_t om_plan__seen(const om_plan *p, om_expr *ap);

/* The statements that a search may merge (core/model/transform/merge.h) */
typedef enum om_merging {
    OM_MERGE_NOTHING,
    OM_MERGE_OWN, /* only those of the process that moves */
    OM_MERGE_ALL
} om_merging;

/* The form of the model that a search runs on */
typedef struct om_searched {
    om_plan *plan;
    struct om_compact *compact; /* or NULL */
    struct om_merged *merged;   /* or NULL; if both are NULL: the model itself */
    om_expr *aps;               /* with `compact`: the search's propositions in that form */
    uint32_t overfull;          /* the open slot that has too few bits, or OM_NONE */
} om_searched;

/* Returns the form that is the model itself. */
om_searched om_searched__model_itself(om_plan *p);
/* Builds the form for these propositions, from the model as it is (om_plan__shape()). No executor
 * may be open. The caller frees *s, which must be initialised, whatever is returned. OM_OK;
 * OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
int om_searched__make(om_searched *s, const om_expr *aps, uint32_t count, om_merging merging);
void om_searched__free(om_searched *s);
om_model *om_searched__model(const om_searched *s);
/* Returns its propositions (`aps` are those of the model). */
const om_expr *om_searched__aps(const om_searched *s, const om_expr *aps);
/* Lets an executor of the form reduce by partial orders, and tells the user what that does.
 * `aps`: the propositions of the model. `kept` may be OM_REDUCE_NOTHING. OM_OK, also if it cannot
 * reduce or that does not pay; OM_ENOMEM; the status of a stopped context. */
int om_searched__reduce(const om_searched *s, om_executor **x, om_reduction kept, om_por por,
    const om_expr *aps, uint32_t count);
/* Lets an executor of the form leap over states that properties do not see, if there are any and
 * the form allows it. OM_OK or OM_ENOMEM. */
int om_searched__leap(const om_searched *s, om_executor **x);
/* Convert a run and a fault of the searched form to those of the model. A trace is cut at the first
 * possible state: where the expression holds, or where the fault occurs. OM_OK or OM_ENOMEM. */
typedef enum om_run_kind { OM_RUN_ANY, OM_RUN_TO_STATE, OM_RUN_TO_FAULT } om_run_kind;
int om_searched__take_run(const om_searched *s, om_lasso *l, om_run_kind kind);
om_fault om_searched__take_fault(const om_searched *s, om_fault fault);

/* open_slots.c */
/* Returns true if the fault is not the model's, but an open slot has too few bits. Records the
 * slot. */
bool om_searched__overfull(om_searched *s, om_fault fault);
/* Returns true if such a slot has wrapped in the last state of a run; records it. (The next step
 * would detect that, but a trace to a state in which an expression holds ends there.) */
bool om_searched__wrapped(om_searched *s, const om_lasso *l);
/* Gives the recorded slot more bits, for later searches of the plan. Returns false if it has the
 * maximum or no time is left. */
bool om_searched__widen(const om_searched *s);
/* Writes why the search ended: "p exceeds 31 bits" */
void om_searched__say_overfull(const om_searched *s, om_text *out);
/* Fails with OM_ELIMIT and that message. Returns rc if no slot has too few bits. */
int om_searched__unless_overfull(const om_searched *s, int rc);
/* Returns why no search of all states can end; NULL if it can or that is not known. Determined
 * once, in less than a second. */
const char *om_plan__endless(om_plan *p);

#endif
