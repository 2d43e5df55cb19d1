/* SPDX-License-Identifier: Apache-2.0 */
/*
 * property.h: reading a property into a target: its automaton, its propositions, assumptions and
 * stuttering.
 */
#ifndef OMEN_PLAN_PROPERTY_H
#define OMEN_PLAN_PROPERTY_H

#include "session.h"

/* target.c. Reads a property and translates it. The caller frees the contents of *t, whatever is
 * returned. OM_ELIMIT, with the name in *t, if a limit ended the call. */
int om_plan__read(om_plan *p, om_property_kind kind, const char *text, om_target *t);
int om_plan__translate(om_plan *p, om_target *t);
/* Reads a proposition at the given place (line 0: none) in the source that `file` names. */
int om_plan__read_ap(
    om_plan *p, const char *file, uint32_t line, uint32_t column, const char *name, om_expr *out);
/* Finds the expressions of an automaton's propositions among those of the formula. The caller frees
 * *out. */
int om_plan__aps_of(om_plan *p, const om_target *t, const om_automaton *a, om_expr **out);
/* om_plan__read(), then om_plan__translate(). */
int om_plan__read_and_translate(om_plan *p, om_property_kind kind, const char *text, om_target *t);
void om_plan__target_free(const om_plan *p, om_target *t);

/* forbidden.c. Automata over one AP. The caller sets its expression, t->aps[0]. OM_OK,
 * OM_ENOMEM. */
/* F ap; the counterexample is a finite trace. */
int om_plan__forbid_ever(const om_plan *p, const char *ap, om_target *t);
/* FG !ap: acceptance is Fin(0), and an edge that leaves a state in which the AP is true is in set
 * 0. So an accepting cycle has no such state, and acceptance sets that are required in addition do
 * not change that. */
int om_plan__forbid_at_last_without(const om_plan *p, const char *ap, om_target *t);

/* testing.c */
/* Returns true if the checker asks for a testing automaton. */
bool om_plan__wants_testing(const om_checker *c);
/* Converts the attempt's automaton to a testing automaton. OM_EUSAGE if that is unsound or
 * soundness cannot be determined; other errors are those of the conversion. */
int om_plan__testing(const om_plan *p, const om_part *part, om_attempt *t);
/* Returns the size reported to the user. For a testing automaton, it excludes the initial state and
 * the stuttering steps, as the paper counts (core/automaton/convert/to_testing.h). */
void om_plan__automaton_size(const om_automaton *a, uint32_t *states, uint32_t *edges);

/* stutter.c. Stuttering of a target: its automaton is stutter-invariant; it is not; it declares
 * that it is; or nothing is known */
typedef enum om_stuttering {
    OM_STUTTER_NOT_KNOWN,
    OM_STUTTER_INVARIANT,
    OM_STUTTER_DECLARED,
    OM_STUTTER_COUNTS
} om_stuttering;
/* Determines the stuttering of a target, in unbounded time. Errors are those of translating and
 * complementing. */
int om_plan__stutter(const om_plan *p, const om_target *t, om_stuttering *out);

/* The statements that a check may merge (core/model/merge.h) */
typedef enum om_merging {
    OM_MERGE_NOTHING,
    OM_MERGE_OWN, /* only those of the process that moves */
    OM_MERGE_ALL
} om_merging;
/* Determines what a check may merge. OM_EUSAGE if the options ask for merging, and merging is
 * unsound or soundness cannot be determined; other errors are those of om_plan__stutter(). */
int om_plan__merging(const om_plan *p, const om_target *t, om_merging *out);
/* Returns what an exploration may merge: nothing unless the options ask for it. */
om_merging om_plan__merging_all(const om_plan *p);

/* fair_target.c */
/* Called after the property is read: reads the assumptions and reports how each is handled.
 * Returns the statuses of om_fair__read(); OM_EUSAGE for assumptions that such a property does
 * not allow. */
int om_fair__read_target(om_plan *p, om_target *t);
/* Appends the APs of fairness to those of the automaton. OM_EUNSUPPORTED if there are too many. */
int om_fair__add_aps(om_plan *p, om_target *t);
/* Adds the fairness that a counterexample must show to the obligation. */
void om_fair__oblige(const om_plan *p, om_target *t);
/* Returns the assumptions about infinite runs in this check, for the report. */
om_fairness_report om_plan__fairness(const om_plan *p, const om_target *t);

#endif
