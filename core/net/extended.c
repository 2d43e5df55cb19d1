/* SPDX-License-Identifier: Apache-2.0 */
#include "extended.h"

#include "analysis/proofs.h"

#include <assert.h>

bool om_net__is_plain(const om_net *net)
{
    for (uint32_t t = 0; t < net->transition_count; t++)
        if (net->transitions[t].limit_count != 0 || net->transitions[t].reset_count != 0)
            return false;
    return true;
}

bool om_net__can_fire(const om_net_transition *t, const om_value *marking)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (marking[t->takes[i].place] < t->takes[i].count)
            return false;
    for (uint32_t i = 0; i < t->limit_count; i++)
        if (marking[t->limits[i].place] > t->limits[i].most)
            return false;
    return true;
}

/* ---- the relaxed net ---- */

static om_value taken(const om_net_transition *t, uint32_t place)
{
    uint32_t i = 0;
    while (i < t->take_count && t->takes[i].place < place)
        i++;
    return i < t->take_count && t->takes[i].place == place ? t->takes[i].count : 0;
}

/* Returns true if its limits prevent the transition from ever firing. */
static bool is_dead(const om_net_transition *t)
{
    for (uint32_t i = 0; i < t->limit_count; i++)
        if (t->limits[i].most < taken(t, t->limits[i].place))
            return true;
    return false;
}

static uint32_t mark_reset_places(const om_net *net, uint8_t *reset)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].reset_count; i++) {
            const uint32_t place = net->transitions[t].resets[i];
            count += reset[place] == 0;
            reset[place] = 1;
        }
    return count;
}

static void add_drains(om_net *out, const uint8_t *reset, om_net_arc *tokens)
{
    for (uint32_t p = 0; p < out->place_count; p++)
        if (reset[p] != 0) {
            *tokens = (om_net_arc){ p, 1 };
            out->transitions[out->transition_count++] =
                (om_net_transition){ .takes = tokens++, .take_count = 1 };
        }
}

int om_net__relax(const om_net *net, om_net *out)
{
    om_region *region = &out->region;
    *out = (om_net){ .ctx = net->ctx, .file = net->file, .region = { .heap = net->region.heap } };
    uint8_t *reset = om_region_take(region, (size_t) net->place_count + 1, sizeof *reset);
    if (reset == NULL)
        return om_fail_memory(net->ctx);
    const uint32_t drains = mark_reset_places(net, reset);
    const size_t transitions = (size_t) net->transition_count + drains + 1;
    out->places = om_region_take(region, (size_t) net->place_count + 1, sizeof *out->places);
    out->transitions = om_region_take(region, transitions, sizeof *out->transitions);
    om_net_arc *tokens = om_region_take(region, (size_t) drains + 1, sizeof *tokens);
    if (out->places == NULL || out->transitions == NULL || tokens == NULL || transitions >= OM_NONE)
        return om_fail_memory(net->ctx);
    out->place_count = net->place_count;
    for (uint32_t p = 0; p < net->place_count; p++)
        out->places[p] = net->places[p];
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const om_net_transition *from = &net->transitions[t];
        if (!is_dead(from)) /* a dead transition has no arcs there */
            out->transitions[t] = (om_net_transition){ .takes = from->takes,
                .gives = from->gives,
                .take_count = from->take_count,
                .give_count = from->give_count };
    }
    out->transition_count = net->transition_count;
    add_drains(out, reset, tokens);
    assert(out->transition_count == net->transition_count + drains);
    return OM_OK;
}

/* ---- bounds ---- */

/* Returns the maximum tokens of the place after a firing that adds to it; OM_NET_NO_BOUND:
 * unbounded. */
static om_value most_after(const om_net_transition *t, const om_net_arc_walk *w)
{
    om_wide most = w->gives;
    uint32_t i = 0;
    while (i < t->limit_count && t->limits[i].place < w->place)
        i++;
    if (!w->resets) {
        if (i == t->limit_count || t->limits[i].place != w->place)
            return OM_NET_NO_BOUND;
        most += (om_wide) t->limits[i].most - w->takes;
    }
    return most < OM_NET_NO_BOUND ? (om_value) most : OM_NET_NO_BOUND;
}

void om_net__bound_by_limits(om_net *net, om_value *most)
{
    for (uint32_t p = 0; p < net->place_count; p++)
        most[p] = net->places[p].initial;
    for (uint32_t n = 0; n < net->transition_count; n++) {
        const om_net_transition *t = &net->transitions[n];
        om_net_arc_walk w = { .take = 0 };
        while (!is_dead(t) && om_net_arc_walk__step(t, &w)) {
            const om_value after = w.gives > w.takes ? most_after(t, &w) : 0;
            if (after > most[w.place])
                most[w.place] = after;
        }
    }
    for (uint32_t p = 0; p < net->place_count; p++)
        (void) om_net__lower_bound_to(&net->places[p], most[p]);
}
