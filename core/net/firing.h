/* SPDX-License-Identifier: Apache-2.0 */
/* firing.h: a marking that transitions change, and the transitions enabled in it. */
#ifndef OM_NET_FIRING_H
#define OM_NET_FIRING_H

#include "extended.h"

/* A transition that takes `count` tokens from a place, or has the limit `count` there. */
typedef struct om_net_taker {
    uint32_t transition;
    om_value count;
} om_net_taker;

/* Lists the transitions that take from each place: those of place p are (*takers)[(*first)[p] ..
 * (*first)[p + 1]]. The caller frees both. Returns OM_OK or OM_ENOMEM. */
int om_net__index_takers(const om_net *net, uint32_t **first, om_net_taker **takers);

/*
 * The set of enabled transitions is maintained incrementally. A transition lacks each place that
 * has fewer tokens than it takes, or more than its limit; it is enabled if it lacks none. A firing
 * affects only transitions that take from, or have limits at, the places that it changes.
 *
 *  F1  enabled[at[t]] is t for each transition t that lacks no place; no other transition is in
 *      enabled[].
 */
typedef struct om_net_firing {
    const om_net *net;
    om_value *marking;
    uint32_t *first; /* by place: its first taker; the takers end at the next place's first one */
    om_net_taker *takers;
    uint32_t *limit_first; /* the same for limits; NULL: the net has none */
    om_net_taker *limiters;
    uint32_t *lacks;   /* by transition: the number of places that it lacks */
    uint32_t *enabled; /* enabled transitions, unordered */
    uint32_t *at;      /* by transition: its index in enabled[] */
    uint32_t enabled_count;
} om_net_firing;

/* Opens at the initial marking. Call om_net_firing__close() in any case. Returns OM_OK or
 * OM_ENOMEM. */
int om_net_firing__open(om_net_firing *f, const om_net *net);
void om_net_firing__close(om_net_firing *f);
/* Resets to the initial marking. */
void om_net_firing__reset(om_net_firing *f);
/* Sets the marking, which must not be invalid; costs little if few places differ. */
void om_net_firing__move(om_net_firing *f, const om_value *marking);
/* Fires an enabled transition. Returns false if a count would be too large; the marking is then
 * invalid. */
bool om_net_firing__fire(om_net_firing *f, uint32_t transition);
/* Fires a list of transitions from the initial marking, into `marking`. Returns false if one of
 * them is not enabled or a count would be too large. */
bool om_net_firing__replay(
    const om_net *net, const uint32_t *transitions, size_t count, om_value *marking);

#endif
