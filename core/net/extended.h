/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extended.h: nets with limits and resets (inhibitor arcs, capacities, reset arcs), for the parts
 * of this room that know plain P/T nets alone.
 *
 * Most proofs are about an over-approximation, the relaxed net: limits are left out, and a reset of
 * a place becomes a transition that takes one token from it and gives nothing (its drain). A run of
 * the net is one of the relaxed net: before a transition that resets a place, the drain fires as
 * often as the place has tokens beside those that the transition takes. So bounds, invariants and
 * the state equation of the relaxed net hold for the net.
 *
 *   possible, flows, invariants, propagate, programs, implied   see the relaxed net
 *   bounds      besides, places that transitions add to below a limit only are bounded by it
 *   lower       limits are conjuncts of guards, resets are assignments of constants
 *   predicate   "fireable" has the limits
 *   firing, walk, expansion   fire by the whole rule
 *   pump        a run repeats only if what grows has no limit in it and is not reset by it
 *   reduce      no pass is applied: what passes keep is proved of plain nets
 */
#ifndef OMEN_NET_EXTENDED_H
#define OMEN_NET_EXTENDED_H

#include <omen/plugin/net.h>

/* What a transition does to one place after the other, in ascending order of the places that it
 * takes from, gives to or resets. Zero-initialise. */
typedef struct om_net_arc_walk {
    uint32_t take, give, reset; /* which come next */
    uint32_t place;
    om_value takes, gives;
    bool resets;
} om_net_arc_walk;

/* false: there are no more places. */
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

/* Tokens of the place after the firing, if there are so many before it. */
static inline om_wide om_net_arc_walk__after(const om_net_arc_walk *w, om_value tokens)
{
    return (w->resets ? 0 : (om_wide) tokens - w->takes) + w->gives;
}

/* Has no transition a limit or a reset? */
bool om_net__is_plain(const om_net *net);

/* Can the transition fire there? */
bool om_net__can_fire(const om_net_transition *t, const om_value *marking);

/* The relaxed net of one that is not plain, with the bounds of the net. It borrows what the net
 * has; om_net_clear() gives it back, whatever is returned. OM_OK or OM_ENOMEM. */
int om_net__relax(const om_net *net, om_net *out);

/* Lowers bounds of places to which transitions add tokens only up to some limit. */
void om_net__bound_by_limits(om_net *net, om_value *most);

#endif
