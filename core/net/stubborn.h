/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stubborn.h: transitions that suffice to be fired in a marking, in a search for a goal.
 *
 * In a marking M, a set S of transitions is stubborn here if
 *
 *   B1  for each disabled transition of S, S has all transitions that add tokens to one of the
 *       places on which it lacks tokens;
 *   B2  for each enabled transition t of S and each place p that t takes from, S has all
 *       transitions that take from p if t leaves fewer tokens there; otherwise, those that leave
 *       fewer tokens there;
 *   B3  if M does not meet the goal, each run from M to a goal has a transition of S.
 *
 * Then the enabled transitions of S suffice. For let w be a run from M to a goal, of the least
 * length, and t its first transition of S (B3): w = u t v. By B1, t is enabled in M, because u adds
 * nothing to the place that B1 is about. By B2, u takes nothing that t needs, and t takes nothing
 * that u needs, so t u v is a run, too, and leads to the same marking. By induction over the
 * length, the search finds a goal from the marking behind t. (Valmari, "Stubborn sets for reduced
 * state space generation", 1991; for goals: Schmidt, "Stubborn sets for standard properties", 1999;
 * Bønneland et al., "Start pruning when time gets urgent", 2018.)
 *
 * B3 for a predicate: S has all transitions that raise the sum of an inequality that does not hold;
 * of "and", one argument that does not hold is chosen, of "or", all are. For a sum: S has all that
 * raise it. For deadlocks: S has an enabled transition t; by B2, t stays enabled unless one of S
 * fires.
 *
 * All of this applies to plain P/T nets.
 */
#ifndef OM_NET_STUBBORN_H
#define OM_NET_STUBBORN_H

#include "goal.h"

/* A1: member[t] is the number of the set if the transition is in it; smaller otherwise. */
typedef struct om_net_stubborn {
    const om_net_firing *firing; /* borrowed, for its marking and its index of takers */
    const om_seek *seek;         /* borrowed, for its goal */
    uint8_t *lowers;             /* by entry of firing->takers: it leaves fewer tokens there */
    uint32_t *first_adder;       /* by place, as firing->first */
    uint32_t *adders;            /* transitions that add tokens to a place */
    om_wide *factor;             /* by place; 0 between two uses */
    uint64_t *member;            /* by transition */
    uint64_t set;                /* the number of the set */
    uint32_t *list, *best;       /* transitions of the set; enabled ones of the best set */
    uint32_t count, best_count;
    uint32_t start; /* the transition that is tried first for a deadlock */
    uint64_t work;  /* arcs and terms that were looked at */
} om_net_stubborn;

/* Opens the computation for the firing's net, which must be plain. Call om_net_stubborn__close() in
 * any case. OM_OK or OM_ENOMEM. */
int om_net_stubborn__open(om_net_stubborn *s, const om_net_firing *f, const om_seek *seek);
void om_net_stubborn__close(om_net_stubborn *s);
/* Returns the enabled transitions of a stubborn set of the firing's marking, which does not meet
 * the goal, *count of them, valid until the next call. If there are none, no goal can be reached
 * from there. */
const uint32_t *om_net_stubborn__find(om_net_stubborn *s, uint32_t *count);

#endif
