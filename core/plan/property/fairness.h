/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness.h: assumptions about infinite runs, which become acceptance sets of the product's edges.
 * Only runs that meet them can be counterexamples.
 *
 * Fairness to processes (om_process_fairness) depends on what "can move" and "moves" mean:
 *
 *   - A process can move in a state (it is enabled there) if one of the transitions that leave the
 *     state, as the executor lists them, moves it. So a process that waits for a message, for room
 *     in a channel or for a partner cannot move; nor can a process that is blocked because another
 *     process is in a committed state. A process can move if it has any transition at all: a
 *     process with a choice must move, but need not take each branch.
 *   - A process moves along an edge if the edge's transition is its own. Both processes of a
 *     rendezvous move, and each of them can move if the pair can.
 *   - A transition of no process moves none. Examples are the transitions of a property process,
 *     which is the automaton and not a process of the model.
 *   - A run that has ended repeats its last state (--finite-runs=stutter). No process can move
 *     there, so the run is fair. With --finite-runs=ignore it does not count, fair or not.
 *   - A process without transitions can never move and has no set.
 *
 *   weak fairness     a process that from some point on can always move moves infinitely often:
 *                     Inf of the edges where it cannot move or does move (generalized Buchi);
 *   strong fairness   a process that can move infinitely often moves infinitely often: Fin of the
 *                     edges where it can move, or Inf of those where it does (Streett).
 *
 * Formulas are assumptions about what holds in states. Conjunctions of clauses are recognised,
 * where a clause is a disjunction of any number of G F p and at most one F G q over propositional p
 * and q: Inf of the edges that leave a state with one of the p, or Fin of those that leave one
 * without q. This covers G F p -> G F q, F G p -> G F q, G F p and F G q. Clauses are recognised by
 * their operators; only negations are rewritten. Other conjuncts become part of an LTL property
 * that is checked.
 *
 * If all of these and the property's own sets exceed the bits of a mark word (64), processes get no
 * sets. Fairness to them is then derived from the transitions of steps (fair_processes.h), by a
 * checker that asks for it (OM_PRODUCT_FAIR_PROCESSES). The same applies if such a checker is
 * named. Assumed formulas have sets in any case.
 *
 * In all of these cases the automaton stays as it is (om_automaton__with_free_sets()), and all of
 * it is one strong part: under fairness no component accepts by itself.
 *
 * A. Duret-Lutz, D. Poitrenaud, J.-M. Couvreur, On-the-fly emptiness check of transition-based
 * Streett automata (ATVA 2009), section 3.
 *
 * F1  The sets are those of processes, two for each process if fairness is strong, then one for
 *     each expression; each literal of the formula names one of them.
 * F2  There are at most as many sets with a formula as a mark word has bits.
 * F3  `process` is sorted.
 * F4  An automaton with free sets has its own sets before them, and one more proposition.
 */
#ifndef OMEN_PLAN_FAIRNESS_H
#define OMEN_PLAN_FAIRNESS_H

#include "plan.h"

/* A clause; 0: the literal is absent */
typedef struct om_fair_clause {
    om_expr fin, inf;
} om_fair_clause;

/* Sets of fairness: those of processes, then one for each expression */
typedef struct om_fair_sets {
    bool unmarked;             /* fairness to processes is required, but they have no sets */
    uint32_t processes, count; /* number of sets of processes; number of all sets */
    om_acc *acc;               /* formula over these sets */
    size_t acc_length;
} om_fair_sets;

/* The assumptions of a check */
typedef struct om_assumed {
    om_process_fairness processes;
    om_ltl *ltl;        /* arena of the formulas, or NULL */
    om_ltl_ref formula; /* conjunction of all formulas */
    om_expr *ltl_aps;
    om_fair_clause *clauses; /* the recognised part of the formulas */
    size_t clause_count, clause_capacity;
    om_text rest;      /* the other conjuncts, as a formula; or without text */
    uint32_t *process; /* processes of the model that can ever move */
    uint32_t process_count;
    om_expr *exprs;
    uint32_t expr_count;
    om_fair_sets marked;   /* sets for all assumptions; without `acc` if there are too many */
    om_fair_sets unmarked; /* sets for the formulas only, if processes have none */
} om_assumed;

/*
 * Reads the assumptions that the options ask for, beside a property whose counterexample is
 * an infinite run. Fills *out; the caller frees it, whatever is returned. OM_EINPUT, OM_EUSAGE,
 * OM_EUNSUPPORTED (too many sets for formulas), OM_ENOMEM, with a message.
 */
int om_fair__read(om_plan *p, const om_plan_options *o, om_assumed *out);
void om_fair__free(const om_plan *p, om_assumed *a);
/* Returns true if the options ask for any assumption. */
bool om_fair__asked(const om_plan_options *o);
/* Splits a formula into clauses and a rest. assume.c */
int om_fair__recognise(om_plan *p, om_assumed *a, om_ltl_ref f);

#endif
