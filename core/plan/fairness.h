/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness.h: assumptions about endless runs, which become acceptance sets of the product's edges.
 * Only runs that meet them can be counterexamples.
 *
 * Of processes (om_process_fairness), with what "can move" and "moves" mean:
 *
 *   - A process can move in a state (it is enabled there) if one of the transitions that leave the
 *     state, as the executor gives them, moves it. So a process that waits for a message, for room
 *     in a channel or for a partner cannot move, nor can one whom another in a committed state
 *     keeps from it. It can move if it has any transition at all: a process that has a choice is
 *     asked to move, not to take each branch.
 *   - It moves along an edge whose transition is its own; both processes of a rendezvous move, and
 *     each of them can where the pair can.
 *   - A transition of no process, as those of a property process are (which is the automaton, and
 * no process of the model), moves nobody.
 *   - Where a run has ended it repeats its last state (--finite-runs=stutter): nobody can move
 *     there, so it is fair. With --finite-runs=ignore it is no run, fair or not.
 *   - A process without transitions, which could never move, has no set.
 *
 *   weak fairness     a process that from some point on can always move moves again and again:
 *                     Inf of the edges where it cannot, or does (generalized Buchi);
 *   strong fairness   a process that can move again and again moves again and again: Fin of the
 *                     edges where it can, or Inf of those where it does (Streett).
 *
 * Of what holds in states: formulas, of which conjunctions of clauses are recognised, where a
 * clause is a disjunction of any number of G F p and at most one F G q over propositional p and q:
 * Inf of the edges that leave a state with one of the p, or Fin of those that leave one without q.
 * So G F p -> G F q, F G p -> G F q, G F p and F G q. They are told by their operators, without any
 * rewriting but for negations. Other conjuncts become part of an LTL property that is checked.
 *
 * Where all of that, beside the property's own, is more acceptance sets than a mark word has bits
 * (64), processes get none. Who moves is then told by the transitions of steps (movers.h),
 * to a checker that asks for it (OM_PRODUCT_MOVERS); so, too, where such a checker is named. What
 * formulas assume has sets in any case.
 *
 * For all of these the automaton stays as it is (om_automaton__with_free_sets()), the whole of it
 * one strong part: where fairness must be shown no component accepts by itself.
 *
 * A. Duret-Lutz, D. Poitrenaud, J.-M. Couvreur, On-the-fly emptiness check of transition-based
 * Streett automata (ATVA 2009), section 3.
 */
#ifndef OM_PLAN_FAIRNESS_H
#define OM_PLAN_FAIRNESS_H

#include <omen/host/plan.h>
#include <omen/plugin/movers.h>

/* A clause; 0: that literal is not there. */
typedef struct om_fair_clause {
    om_expr fin, inf;
} om_fair_clause;

/* Sets of fairness: those of processes, then one for each expression. */
typedef struct om_fair_sets {
    bool unmarked;             /* processes have none, and fairness to them is asked for */
    uint32_t processes, count; /* of processes; all of them */
    om_acc *acc;               /* over these */
    size_t acc_length;
} om_fair_sets;

/* What is assumed in a check. */
typedef struct om_assumed {
    om_process_fairness processes;
    om_ltl *ltl;        /* of the formulas, or NULL; */
    om_ltl_ref formula; /* all of them */
    om_expr *ltl_aps;
    om_fair_clause *clauses; /* what was recognised of them */
    size_t clause_count, clause_capacity;
    om_text rest;      /* what was not, as a formula; or without text */
    uint32_t *process; /* of the model, those that can ever move */
    uint32_t process_count;
    om_expr *exprs;
    uint32_t expr_count;
    om_fair_sets marked;   /* of all of it; where they are too many, without a formula */
    om_fair_sets unmarked; /* where processes have none */
} om_assumed;

/*
 * What the plan's options ask for, beside a property whose counterexample is an endless run. Fills
 * *out, which is the caller's to free, whatever is returned. OM_EINPUT, OM_EUSAGE, OM_EUNSUPPORTED
 * (more sets of formulas than there can be), OM_ENOMEM, with a message.
 */
int om_fair__read(om_plan *p, om_assumed *out);
void om_fair__free(const om_plan *p, om_assumed *a);
/* Is anything asked for? */
bool om_fair__asked(const om_plan *p);
/* Splits a formula into clauses, and what is none of these. assume.c */
int om_fair__recognise(om_plan *p, om_assumed *a, om_ltl_ref f);

/* The marks of a product, when the raw `sets` have these images; in one piece, the caller's to
 * om_free(). `first_ap`: of the executor, where the expressions are. *movers: who moves, in that
 * piece, too; NULL where processes have sets. */
int om_fair__marks(const om_plan *p, const om_fair_sets *sets, const om_marks *images,
    uint32_t first_ap, om_fairness **out, const om_movers **movers);

#endif
