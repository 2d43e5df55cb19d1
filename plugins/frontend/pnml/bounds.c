/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

/* A bound may show that transitions never fire, and then others hold: so often all is done again.
 */
enum { ROUNDS = 4 };

/* Transitions that are not possible. */
static size_t count_impossible(const pnml_net *net, const bool *possible)
{
    size_t n = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        n += !possible[t];
    return n;
}

/* Is there a place left that could have less than its bound says? */
static bool is_open(const pnml_net *net)
{
    uint32_t p = 0;
    while (p < net->place_count && net->places[p].bound <= net->places[p].initial)
        p++;
    return p < net->place_count;
}

bool pnml_has_more_to_prove(const pnml_net *net)
{
    const pnml_place *p = net->places, *end = p + net->place_count;
    while (p < end && (p->bound <= 1 || p->bound <= p->initial))
        p++;
    return p < end;
}

static int use_invariants(pnml_net *net, const bool *possible, pnml_bounds_figures *figures)
{
    pnml_invariants found = { .heap = NULL };
    int rc = pnml_invariants_find(&found, net, possible);
    figures->invariants += found.work;
    figures->invariant_count = found.count;
    if (rc == OM_OK)
        rc = pnml_bound_by_invariants(net, &found);
    pnml_invariants_free(&found);
    return rc;
}

static int one_round(pnml_net *net, const bool *possible, pnml_bounds_figures *figures)
{
    if (!is_open(net))
        return OM_OK;
    int rc = pnml_bound_by_flows(net, possible, &figures->flows);
    if (rc == OM_OK && is_open(net))
        rc = use_invariants(net, possible, figures);
    if (rc == OM_OK && pnml_has_more_to_prove(net))
        rc = pnml_bound_by_programs(net, possible, &figures->simplex);
    return rc;
}

static int all_rounds(pnml_net *net, bool *possible, pnml_bounds_figures *figures)
{
    int rc = pnml_possible(net, possible);
    for (size_t before = SIZE_MAX; rc == OM_OK && figures->rounds < ROUNDS;) {
        figures->impossible = count_impossible(net, possible);
        if (figures->impossible == before)
            break;
        before = figures->impossible;
        figures->rounds++;
        rc = one_round(net, possible, figures);
        if (rc == OM_OK)
            rc = pnml_possible(net, possible);
    }
    return rc;
}

int pnml_bounds_measured(pnml_net *net, pnml_bounds_figures *figures)
{
    const om_heap *heap = om_context_heap(net->ctx);
    pnml_bounds_figures unused = { .rounds = 0 };
    if (figures == NULL)
        figures = &unused;
    *figures = unused;
    for (uint32_t p = 0; p < net->place_count; p++)
        net->places[p].bound = PNML_NO_BOUND;
    bool *possible = om_alloc(heap, net->transition_count, sizeof *possible);
    if (possible == NULL)
        return om_fail_memory(net->ctx);
    int rc = all_rounds(net, possible, figures);
    om_free(heap, possible);
    return rc;
}

int pnml_bounds(pnml_net *net)
{
    return pnml_bounds_measured(net, NULL);
}
