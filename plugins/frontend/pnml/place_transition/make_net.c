/* SPDX-License-Identifier: Apache-2.0 */
#include "make_net.h"

#include "special.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STRIDE = 4096 }; /* nodes or arcs between two checks for interruption */

typedef struct making {
    om_net *net;
    const pnml_document *d;
    uint32_t *number;          /* by node: number of its place or transition */
    om_net_arc *takes, *gives; /* of all transitions, one after the other */
    /* by transition, while its lists are filled: index of the next entry */
    uint32_t *took, *gave;
} making;

static int every_so_often(const making *k, size_t i)
{
    return i % STRIDE != 0 ? OM_OK : om_context_stopped(k->net->ctx);
}

static void *take(making *k, size_t count, size_t size)
{
    return om_region_take(&k->net->region, count, size);
}

static bool copy_text(making *k, const char *s, const char **out)
{
    *out = s == NULL ? NULL : om_region_copy(&k->net->region, s, strlen(s));
    return s == NULL || *out != NULL;
}

/* Numbers the places and the transitions, in the order of the nodes. */
static int count_nodes(making *k)
{
    om_net *net = k->net;
    size_t count = k->d->ids.count;
    if ((k->number = take(k, count, sizeof *k->number)) == NULL)
        return om_fail_memory(net->ctx);
    for (size_t i = 0; i < count; i++) {
        if (k->d->nodes[i].kind == PNML_PLACE)
            k->number[i] = net->place_count++;
        else if (k->d->nodes[i].kind == PNML_TRANSITION)
            k->number[i] = net->transition_count++;
    }
    net->place_node_count = net->place_count;
    net->transition_node_count = net->transition_count;
    net->places = take(k, net->place_count, sizeof *net->places);
    net->place_nodes = take(k, net->place_count, sizeof *net->place_nodes);
    net->transitions = take(k, net->transition_count, sizeof *net->transitions);
    net->transition_nodes = take(k, net->transition_count, sizeof *net->transition_nodes);
    bool made = net->places != NULL && net->place_nodes != NULL && net->transitions != NULL &&
                net->transition_nodes != NULL && copy_text(k, k->d->name, &net->name);
    return made ? OM_OK : om_fail_memory(net->ctx);
}

static int copy_node(making *k, const pnml_node *from, uint32_t number, om_net_node *to)
{
    to->pos = from->pos;
    to->first = number;
    to->count = 1;
    return copy_text(k, from->id, &to->id) && copy_text(k, from->name, &to->name)
               ? OM_OK
               : om_fail_memory(k->net->ctx);
}

static int make_nodes(making *k)
{
    om_net *net = k->net;
    int rc = OM_OK;
    for (size_t i = 0; i < k->d->ids.count && rc == OM_OK; i++) {
        const pnml_node *n = &k->d->nodes[i];
        uint32_t number = k->number[i];
        if (n->kind == PNML_PLACE) {
            net->places[number] =
                (om_net_place){ .node = number, .initial = n->marking, .bound = OM_NET_NO_BOUND };
            rc = copy_node(k, n, number, &net->place_nodes[number]);
        } else if (n->kind == PNML_TRANSITION) {
            net->transitions[number].node = number;
            rc = copy_node(k, n, number, &net->transition_nodes[number]);
        }
        if (rc == OM_OK)
            rc = every_so_often(k, i);
    }
    return rc;
}

/* Returns true if the arc leads from a place to a transition. Sets *place and *transition to its
 * ends in either case. */
static bool takes(const making *k, const pnml_arc *a, uint32_t *place, uint32_t *transition)
{
    assert(pnml_arc_is_resolved(k->d, a)); /* R1 */
    bool from_place = k->d->nodes[a->source].kind == PNML_PLACE;
    *place = k->number[from_place ? a->source : a->target];
    *transition = k->number[from_place ? a->target : a->source];
    return from_place;
}

/* Allocates the lists of each transition, with as many entries as it has arcs. */
static int make_room(making *k)
{
    om_net *net = k->net;
    uint32_t place, transition, taken = 0, given = 0;
    size_t arcs = k->d->arc_count;
    if (arcs >= OM_NONE)
        return PNML_FAIL(net, ((om_written){ 0, 0 }), "the net has too many arcs");
    k->takes = take(k, arcs, sizeof *k->takes);
    k->gives = take(k, arcs, sizeof *k->gives);
    k->took = take(k, net->transition_count, sizeof *k->took);
    k->gave = take(k, net->transition_count, sizeof *k->gave);
    if (k->takes == NULL || k->gives == NULL || k->took == NULL || k->gave == NULL)
        return om_fail_memory(net->ctx);
    for (size_t i = 0; i < arcs; i++) {
        if (k->d->arcs[i].kind != PNML_ARC_NORMAL)
            continue;
        if (takes(k, &k->d->arcs[i], &place, &transition))
            net->transitions[transition].take_count++;
        else
            net->transitions[transition].give_count++;
    }
    for (uint32_t t = 0; t < net->transition_count; t++) {
        k->took[t] = taken;
        k->gave[t] = given;
        net->transitions[t].takes = k->takes + taken;
        net->transitions[t].gives = k->gives + given;
        taken += net->transitions[t].take_count;
        given += net->transitions[t].give_count;
    }
    return OM_OK;
}

static void fill(making *k)
{
    uint32_t place, transition;
    for (size_t i = 0; i < k->d->arc_count; i++) {
        const pnml_arc *a = &k->d->arcs[i];
        if (a->kind != PNML_ARC_NORMAL)
            continue;
        om_net_arc *to = takes(k, a, &place, &transition) ? &k->takes[k->took[transition]++]
                                                          : &k->gives[k->gave[transition]++];
        *to = (om_net_arc){ place, a->weight };
    }
}

static int by_place(const void *x, const void *y)
{
    const om_net_arc *a = x, *b = y;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Sorts a list and adds up the entries of each place. */
static int add_up(making *k, uint32_t transition, om_net_arc *list, uint32_t *count)
{
    uint32_t kept = 0;
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_place);
    for (uint32_t i = 0; i < *count; i++) {
        if (kept == 0 || list[kept - 1].place != list[i].place) {
            list[kept++] = list[i];
            continue;
        }
        om_wide sum = (om_wide) list[kept - 1].count + list[i].count;
        const om_net_node *t = &k->net->transition_nodes[transition];
        if (sum > OM_VALUE_MAX)
            return PNML_FAIL(k->net, t->pos,
                "the arcs between transition '%.100s' and place '%.100s' add up to more than "
                "%" OM_VALUE_FORMAT " tokens",
                t->id, k->net->place_nodes[list[i].place].id, OM_VALUE_MAX);
        list[kept - 1].count = (om_value) sum;
    }
    *count = kept;
    return OM_OK;
}

static int add_up_all(making *k)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < k->net->transition_count && rc == OM_OK; i++) {
        om_net_transition *t = &k->net->transitions[i];
        assert(t->takes + t->take_count == k->takes + k->took[i]); /* filled */
        assert(t->gives + t->give_count == k->gives + k->gave[i]);
        rc = add_up(k, i, k->takes + (t->takes - k->takes), &t->take_count);
        if (rc == OM_OK)
            rc = add_up(k, i, k->gives + (t->gives - k->gives), &t->give_count);
        if (rc == OM_OK)
            rc = every_so_often(k, i);
    }
    return rc;
}

int pnml_net_make(om_net *net, const pnml_document *d)
{
    making k = { .net = net, .d = d };
    int rc = count_nodes(&k);
    if (rc == OM_OK)
        rc = make_nodes(&k);
    if (rc == OM_OK)
        rc = make_room(&k);
    if (rc != OM_OK)
        return rc;
    fill(&k);
    rc = add_up_all(&k);
    return rc == OM_OK && d->special ? pnml_special_add(net, d, k.number) : rc;
}
