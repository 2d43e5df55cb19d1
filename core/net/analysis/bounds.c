/* SPDX-License-Identifier: Apache-2.0 */
#include "extended.h"
#include "proofs.h"
#include "values.h"

#include <omen/host/predicate.h>

#include <string.h>

/* A bound may show that transitions never fire, which may imply other bounds: maximum number of
 * iterations. */
enum { ROUNDS = 4 };

/* Returns the number of impossible transitions. */
static size_t count_impossible(const om_net *net, const bool *possible)
{
    size_t n = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        n += !possible[t];
    return n;
}

/* Returns true if a place may have a bound that can be improved. */
static bool is_open(const om_net *net)
{
    uint32_t p = 0;
    while (p < net->place_count && net->places[p].bound <= net->places[p].initial)
        p++;
    return p < net->place_count;
}

bool om_net__has_more_to_prove(const om_net *net)
{
    const om_net_place *p = net->places, *end = p + net->place_count;
    while (p < end && (p->bound <= 1 || p->bound <= p->initial))
        p++;
    return p < end;
}

static int use_invariants(om_net *net, bool *possible, om_net_bound_figures *figures)
{
    om_net_invariants found = { .heap = NULL };
    int rc = om_net_invariants__find(&found, net, possible, 0);
    figures->invariants += found.work;
    figures->invariant_count = found.count;
    if (rc == OM_OK)
        rc = om_net__bound_by_invariants(net, &found);
    if (rc == OM_OK && om_net__has_more_to_prove(net))
        rc = om_net__bound_by_values(net, &found, possible, NULL);
    om_net_invariants__free(&found);
    return rc;
}

static int one_round(om_net *net, bool *possible, om_net_bound_figures *figures)
{
    om_net_changes changes = { .count = 0 };
    if (!is_open(net))
        return OM_OK;
    int rc = om_net_changes__make(&changes, net, possible);
    if (rc == OM_OK)
        rc = om_net__bound_by_flows(net, &changes, &figures->flows);
    if (rc == OM_OK && is_open(net))
        rc = use_invariants(net, possible, figures);
    if (rc == OM_OK && om_net__has_more_to_prove(net))
        rc = om_net__bound_by_programs(net, &changes, &figures->simplex);
    om_net_changes__free(&changes, om_context_heap(net->ctx));
    return rc;
}

static int all_rounds(om_net *net, bool *possible, om_net_bound_figures *figures)
{
    int rc = om_net__possible(net, possible);
    for (size_t before = SIZE_MAX; rc == OM_OK && figures->rounds < ROUNDS;) {
        figures->impossible = count_impossible(net, possible);
        if (figures->impossible == before)
            break;
        before = figures->impossible;
        figures->rounds++;
        rc = one_round(net, possible, figures);
        if (rc == OM_OK)
            rc = om_net__possible(net, possible);
    }
    return rc;
}

static int bound_plain(om_net *net, om_net_bound_figures *figures)
{
    const om_heap *heap = om_context_heap(net->ctx);
    bool *possible = om_alloc(heap, net->transition_count, sizeof *possible);
    if (possible == NULL)
        return om_fail_memory(net->ctx);
    int rc = all_rounds(net, possible, figures);
    om_free(heap, possible);
    return rc;
}

/* Bounds of the relaxed net hold for the net. Bounds that follow from limits are known
 * initially. */
static int bound_extended(om_net *net, om_net_bound_figures *figures)
{
    const om_heap *heap = om_context_heap(net->ctx);
    om_net relaxed;
    om_value *most = om_alloc(heap, (size_t) net->place_count + 1, sizeof *most);
    if (most == NULL)
        return om_fail_memory(net->ctx);
    om_net__bound_by_limits(net, most);
    om_free(heap, most);
    int rc = om_net__relax(net, &relaxed);
    if (rc == OM_OK) {
        rc = bound_plain(&relaxed, figures);
        for (uint32_t p = 0; p < net->place_count; p++)
            net->places[p].bound = relaxed.places[p].bound;
    }
    om_net_clear(&relaxed);
    return rc;
}

int om_net__bound_measured(om_net *net, om_net_bound_figures *figures)
{
    om_net_bound_figures unused = { .rounds = 0 };
    if (figures == NULL)
        figures = &unused;
    *figures = unused;
    for (uint32_t p = 0; p < net->place_count; p++)
        net->places[p].bound = OM_NET_NO_BOUND;
    return om_net__is_plain(net) ? bound_plain(net, figures) : bound_extended(net, figures);
}

int om_net_bound(om_net *net)
{
    return om_net__bound_measured(net, NULL);
}

/* ---- lower bounds ---- */

/* net: plain, a copy whose bounds may be lowered */
static int find_least(om_net *net, om_value *least)
{
    const om_heap *heap = om_context_heap(net->ctx);
    om_net_invariants found = { .heap = NULL };
    bool *possible = om_alloc(heap, (size_t) net->transition_count + 1, sizeof *possible);
    if (possible == NULL)
        return om_fail_memory(net->ctx);
    int rc = om_net__possible(net, possible);
    if (rc == OM_OK)
        rc = om_net_invariants__find(&found, net, possible, 0);
    if (rc == OM_OK)
        rc = om_net__bound_by_values(net, &found, possible, least);
    om_net_invariants__free(&found);
    om_free(heap, possible);
    return rc;
}

int om_net_least(const om_net *net, om_value *least)
{
    om_net relaxed;
    memset(least, 0, net->place_count * sizeof *least);
    if (!om_net__has_more_to_prove(net))
        return OM_OK; /* 0 is good enough for places with at most one token */
    int rc = om_net__relax(net, &relaxed);
    if (rc == OM_OK)
        rc = find_least(&relaxed, least);
    om_net_clear(&relaxed);
    return rc;
}
