/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extended.h: nets with limits and resets (inhibitor arcs, capacities, reset arcs), for the parts
 * of this module that support only plain P/T nets.
 *
 * Most proofs are about an over-approximation, the relaxed net: limits are omitted, and a reset of
 * a place becomes a transition that takes one token from it and gives nothing (its drain). A run of
 * the net is a run of the relaxed net: before a transition that resets a place, the drain fires
 * once for each token of the place that the transition does not take. So bounds, invariants and the
 * state equation of the relaxed net hold for the net.
 *
 *   possible, flows, invariants, propagate, programs, implied   use the relaxed net
 *   bounds      in addition, a limit bounds a place if transitions add to it only below the limit
 *   lower       limits are conjuncts of guards, resets are assignments of constants
 *   predicate   "fireable" includes the limits
 *   firing, walk, expansion   implement the complete firing rule
 *   pump        a run repeats only if no place that grows has a limit in it or is reset by it
 *   reduce      no pass is applied: the passes are proved only for plain nets
 */
#ifndef OMEN_NET_EXTENDED_H
#define OMEN_NET_EXTENDED_H

#include <omen/plugin/net.h>

/* Iterates over the places that a transition takes from, gives to or resets, in ascending order.
 * Zero-initialise. */
typedef struct om_net_arc_walk {
    uint32_t take, give, reset; /* indices of the next entries */
    uint32_t place;
    om_value takes, gives;
    bool resets;
} om_net_arc_walk;

/* Advances to the next place. Returns false if there is none. */
static inline bool om_net_arc_walk__step(const om_net_transition *t, om_net_arc_walk *w)
{
    const uint32_t from = w->take < t->take_count ? t->takes[w->take].place : OM_NONE;
    const uint32_t to = w->give < t->give_count ? t->gives[w->give].place : OM_NONE;
    const uint32_t emptied = w->reset < t->reset_count ? t->resets[w->reset] : OM_NONE;
    w->place = from < to ? from : to;
    w->place = emptied < w->place ? emptied : w->place;
    if (w->place == OM_NONE)
        return false;
    w->takes = from == w->place ? t->takes[w->take++].count : 0;
    w->gives = to == w->place ? t->gives[w->give++].count : 0;
    w->resets = emptied == w->place;
    w->reset += w->resets;
    return true;
}

/* Returns the tokens of the place after the firing, given the tokens before it. */
static inline om_wide om_net_arc_walk__after(const om_net_arc_walk *w, om_value tokens)
{
    return (w->resets ? 0 : (om_wide) tokens - w->takes) + w->gives;
}

/* Returns true if no transition has a limit or a reset. */
bool om_net__is_plain(const om_net *net);

/* Returns true if the transition is enabled in the marking. */
bool om_net__can_fire(const om_net_transition *t, const om_value *marking);

/* Makes the relaxed net of one that is not plain, with the bounds of the net. It borrows arcs and
 * the file name from the net. Call om_net_clear() in any case. Returns OM_OK or OM_ENOMEM. */
int om_net__relax(const om_net *net, om_net *out);

/* Lowers bounds of places to which transitions add tokens only up to some limit. most: scratch
 * memory, by place. */
void om_net__bound_by_limits(om_net *net, om_value *most);

#endif
