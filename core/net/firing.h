/* SPDX-License-Identifier: Apache-2.0 */
/* firing.h: a marking that transitions change, and which of them can fire there. */
#ifndef OM_NET_FIRING_H
#define OM_NET_FIRING_H

#include "extended.h"

/* A transition that takes from a place, and how much; or that has a limit there, and which. */
typedef struct om_net_taker {
    uint32_t transition;
    om_value count;
} om_net_taker;

/*
 * What can fire is kept from marking to marking: a transition lacks as many places as hold less
 * than it takes, or more than its limit, and can fire when it lacks none. One that fires makes a
 * difference to those alone that take from, or have limits of, the places it changes.
 */
typedef struct om_net_firing {
    const om_net *net;
    om_value *marking;
    uint32_t *first; /* by place: of its takers, which end where the next one's begin */
    om_net_taker *takers;
    uint32_t *limit_first; /* the same of limits; NULL: the net has none */
    om_net_taker *limiters;
    uint32_t *lacks;   /* by transition */
    uint32_t *enabled; /* those that can fire, in no order; */
    uint32_t *at;      /* by transition: where it is there */
    uint32_t enabled_count;
} om_net_firing;

/* At the initial marking. What was made is to be freed, whatever is returned. OM_OK or OM_ENOMEM.
 */
int om_net_firing__open(om_net_firing *f, const om_net *net);
void om_net_firing__close(om_net_firing *f);
/* Back to the initial marking. */
void om_net_firing__reset(om_net_firing *f);
/* Fires a transition that can. false: a count would be too large, and the marking is of no use. */
bool om_net_firing__fire(om_net_firing *f, uint32_t transition);
/* Fires a list of transitions from the initial marking, into `marking`; false: one of them cannot,
 * or a count would be too large. */
bool om_net_firing__replay(
    const om_net *net, const uint32_t *transitions, size_t count, om_value *marking);

#endif
