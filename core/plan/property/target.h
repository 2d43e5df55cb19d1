/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h: a property that was read: its automaton of forbidden runs, its propositions, its
 * assumptions, and the obligation for the referee.
 *
 * T1  A translated target has `all_aps` expressions: those of the automaton (`ap_count`), and under
 *     fairness a false one, then those of `fair`.
 * T2  Only a target whose counterexample is an infinite run (not `trace`) can be fair.
 * T3  The deadlock AP is one of the automaton's, and exists if the obligation is about deadlocks.
 */
#ifndef OMEN_PLAN_TARGET_H
#define OMEN_PLAN_TARGET_H

#include "model/searched.h"
#include "property/fairness.h"

#include "stubborn/stubborn.h"

/* What is checked, and what a counterexample must show. Constant after om_plan__translate() */
struct om_target {
    const om_plan_options *options; /* under which it was read; they outlive it */
    char *name;                     /* name in the report */
    om_automaton *owned;            /* NULL if the model owns the automaton */
    const om_automaton *automaton;  /* of forbidden runs */
    om_expr *aps;
    uint32_t ap_count, deadlock_ap;
    om_ltl *ltl; /* or NULL */
    om_expr *ltl_aps;
    om_ltl_ref assumed; /* in the same arena: assumption that the automaton includes; 0: none */
    bool trace;         /* the counterexample is a finite trace */
    om_expr bad; /* with `trace`: holds in the last state; 0: none (deadlock, assertion, fault) */
    bool ends_apart; /* finite runs do not count unless options.stutter_non_progress */
    om_obligation obligation;
    om_automaton *allowed; /* automaton of the formula, if the obligation refers to it; owned */
    om_expr *allowed_aps;  /* its propositions; owned */
    om_assumed fair;       /* valid if `is_fair` */
    bool is_fair;          /* some fairness is assumed */
    bool translated;       /* om_plan__translate() has completed */
    uint32_t all_aps; /* length of `aps`: those of the automaton, a false one, those of `fair` */
};

/* target.c. Reads a property under these options, and translates it. The caller frees the contents
 * of *t, whatever is returned. OM_ELIMIT, with the name in *t, if a limit ended the call. */
int om_plan__read(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, om_target *t);
int om_plan__translate(om_plan *p, om_target *t);
/* om_plan__read(), then om_plan__translate(). */
int om_plan__read_and_translate(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, om_target *t);
void om_plan__target_free(const om_plan *p, om_target *t);

/* propositions.c. Reads a proposition at the given place (line 0: none) in the source that `file`
 * names. Messages begin with the place. */
int om_plan__read_ap(
    om_plan *p, const char *file, uint32_t line, uint32_t column, const char *name, om_expr *out);
/* Reads the propositions of the arena from number `known` on, and appends them to the array. */
int om_plan__read_ltl_aps(
    om_plan *p, const char *file, const om_ltl *l, uint32_t known, om_expr **aps);
/* Finds the expressions of an automaton's propositions among those of the formula. The caller frees
 * *out. */
int om_plan__aps_of(om_plan *p, const om_target *t, const om_automaton *a, om_expr **out);
/* Builds the automaton of the runs that the target's formula allows, in `ctx` (which must outlive
 * it), and the expressions of its propositions. The caller frees both. Errors are those of
 * translating. */
int om_plan__allowed(
    om_plan *p, om_context *ctx, const om_target *t, om_automaton **out, om_expr **aps);

/* forbidden.c. Automata over one AP. The caller sets its expression, t->aps[0]. OM_OK,
 * OM_ENOMEM. */
/* F ap; the counterexample is a finite trace. */
int om_plan__forbid_ever(const om_plan *p, const char *ap, om_target *t);
/* FG !ap: acceptance is Fin(0), and an edge that leaves a state in which the AP is true is in set
 * 0. So an accepting cycle has no such state, and acceptance sets that are required in addition do
 * not change that. */
int om_plan__forbid_at_last_without(const om_plan *p, const char *ap, om_target *t);

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
/* Determines what a check may merge. OM_EUSAGE if the options ask for merging, and merging is
 * unsound or soundness cannot be determined; other errors are those of om_plan__stutter(). */
int om_plan__merging(const om_plan *p, const om_target *t, om_merging *out);
/* Determines what a reduction by partial orders has to keep. OM_EUSAGE if the options ask for one,
 * and it is unsound or soundness cannot be determined; other errors are those of
 * om_plan__stutter(). */
int om_plan__reducing(const om_plan *p, const om_target *t, om_reduction *out);
/* Returns what an exploration may merge: nothing unless the options ask for it. */
om_merging om_plan__merging_all(const om_plan_options *o);

/* fair_target.c */
/* Called after the property is read: reads the assumptions and reports how each is handled.
 * Returns the statuses of om_fair__read(); OM_EUSAGE for assumptions that such a property does
 * not allow. */
int om_fair__read_target(om_plan *p, om_target *t);
/* Appends the APs of fairness to those of the automaton. OM_EUNSUPPORTED if there are too many. */
int om_fair__add_aps(om_plan *p, om_target *t);
/* Adds the fairness that a counterexample must show to the obligation. */
void om_fair__oblige(const om_plan *p, om_target *t);
/* Returns the assumptions about infinite runs in a check, for the report. */
om_fairness_report om_plan__fairness(const om_target *t);

#endif
