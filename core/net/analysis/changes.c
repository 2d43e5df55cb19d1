/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

void om_net_changes__free(om_net_changes *c, const om_heap *heap)
{
    OM_FREE_ALL(heap, c->first, c->place_first, c->of_transition, c->of_place);
    *c = (om_net_changes){ .count = 0 };
}

/* Lists gives minus takes; both are in ascending order of places. */
static void list_transition(om_net_changes *c, const om_net_transition *t)
{
    for (uint32_t i = 0, k = 0; i < t->take_count || k < t->give_count;) {
        uint32_t taken = i < t->take_count ? t->takes[i].place : OM_NONE;
        uint32_t given = k < t->give_count ? t->gives[k].place : OM_NONE;
        uint32_t place = taken < given ? taken : given;
        int64_t change = 0;
        if (given == place)
            change += t->gives[k++].count;
        if (taken == place)
            change -= t->takes[i++].count;
        if (change != 0)
            c->of_transition[c->count++] = (om_net_change){ place, (om_value) change };
    }
}

/* place_first[p + 2] counts the changes of p; then place_first[p + 1] is the position of the next
 * one of p; finally place_first[p] is their start. */
static void sort_by_place(om_net_changes *c, const om_net *net)
{
    for (size_t i = 0; i < c->count; i++)
        c->place_first[c->of_transition[i].at + 2]++;
    for (uint32_t p = 1; p <= net->place_count; p++)
        c->place_first[p + 1] += c->place_first[p];
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (size_t i = c->first[t]; i < c->first[t + 1]; i++) {
            const om_net_change *of = &c->of_transition[i];
            c->of_place[c->place_first[of->at + 1]++] = (om_net_change){ t, of->change };
        }
}

int om_net_changes__make(om_net_changes *out, const om_net *net, const bool *possible)
{
    const om_heap *heap = om_context_heap(net->ctx);
    size_t arcs = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        arcs += (size_t) net->transitions[t].take_count + net->transitions[t].give_count;
    if (!OM_NEW(heap, out->first, (size_t) net->transition_count + 1) ||
        !OM_NEW(heap, out->place_first, (size_t) net->place_count + 2) ||
        !OM_NEW(heap, out->of_transition, arcs) || !OM_NEW(heap, out->of_place, arcs))
        return om_fail_memory(net->ctx);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        out->first[t] = out->count;
        if (possible == NULL || possible[t])
            list_transition(out, &net->transitions[t]);
    }
    out->first[net->transition_count] = out->count;
    sort_by_place(out, net);
    return OM_OK;
}
