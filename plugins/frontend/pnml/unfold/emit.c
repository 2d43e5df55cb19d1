/* SPDX-License-Identifier: Apache-2.0 */
/* The net of an unfolded symmetric net: facts become places, bindings become transitions. */
#include "join.h"

#include <assert.h>
#include <string.h>

static const char *keep_text(om_net *net, const char *s)
{
    return s == NULL ? NULL : om_region_copy(&net->region, s, strlen(s));
}

static int emit_node(const pnml_unfolding *j, om_net *net, const pnml_node *n, om_net_node *out)
{
    out->id = keep_text(net, n->id);
    out->name = keep_text(net, n->name);
    out->pos = n->pos;
    return out->id == NULL || (n->name != NULL && out->name == NULL) ? om_fail_memory(j->d->ctx)
                                                                     : OM_OK;
}

static int emit_nodes(const pnml_unfolding *j, om_net *net)
{
    const pnml_document *d = j->d;
    int rc = OM_OK;
    net->place_node_count = j->store_count;
    net->transition_node_count = j->rule_count;
    net->place_nodes = om_region_take(&net->region, j->store_count, sizeof *net->place_nodes);
    net->transition_nodes =
        om_region_take(&net->region, j->rule_count, sizeof *net->transition_nodes);
    net->name = keep_text(net, d->name);
    if (!net->place_nodes || !net->transition_nodes || (d->name != NULL && net->name == NULL))
        return om_fail_memory(d->ctx);
    for (size_t i = 0; i < d->ids.count && rc == OM_OK; i++) {
        const pnml_node *n = &d->nodes[i];
        if (n->kind == PNML_PLACE)
            rc = emit_node(j, net, n, &net->place_nodes[j->number[i]]);
        else if (n->kind == PNML_TRANSITION)
            rc = emit_node(j, net, n, &net->transition_nodes[j->number[i]]);
    }
    return rc;
}

/* Copies the text to *out and empties it. */
static int take_text(const pnml_unfolding *j, om_net *net, om_text *text, const char **out)
{
    *out = text->failed ? NULL : om_region_copy(&net->region, text->text, text->length);
    text->length = 0;
    return *out == NULL ? om_fail_memory(j->d->ctx) : OM_OK;
}

static int emit_places(const pnml_unfolding *j, om_net *net, om_text *text)
{
    int rc = OM_OK;
    net->place_count = (uint32_t) j->facts.count;
    net->places = om_region_take(&net->region, j->facts.count, sizeof *net->places);
    if (net->places == NULL)
        return om_fail_memory(j->d->ctx);
    for (uint32_t i = 0; i < net->place_count && rc == OM_OK; i++) {
        const pnml_fact *f = &j->facts.facts[i];
        const pnml_sort *sort = j->stores[f->place].sort;
        om_net_place *p = &net->places[i];
        *p = (om_net_place){ .node = f->place, .initial = f->initial, .bound = OM_NET_NO_BOUND };
        if (net->place_nodes[f->place].count++ == 0)
            net->place_nodes[f->place].first = i;
        if (sort->kind == PNML_DOT)
            continue;
        pnml_sort_print(sort, f->colour, text);
        rc = take_text(j, net, text, &p->colour);
        if (rc == OM_OK && i % 4096 == 0)
            rc = om_context_stopped(j->d->ctx);
    }
    return rc;
}

/* ---- sorted bindings ---- */

static int compare_bindings(const pnml_rule *r, uint32_t a, uint32_t b)
{
    const uint32_t *x = r->bindings + (size_t) a * r->scope.count;
    const uint32_t *y = r->bindings + (size_t) b * r->scope.count;
    uint32_t i = 0;
    while (i < r->scope.count && x[i] == y[i])
        i++;
    return i == r->scope.count ? 0 : x[i] < y[i] ? -1 : 1;
}

/* Merges from[at, middle) and from[middle, end) into to. */
static void merge(
    const pnml_rule *r, const uint32_t *from, uint32_t *to, size_t at, size_t middle, size_t end)
{
    for (size_t a = at, b = middle, i = at; i < end; i++)
        to[i] = a < middle && (b >= end || compare_bindings(r, from[a], from[b]) <= 0) ? from[a++]
                                                                                       : from[b++];
}

/* Bottom-up merge sort; qsort() could not pass the rule to the comparison. */
static int sort_bindings(const pnml_unfolding *j, pnml_rule *r)
{
    size_t n = r->binding_count;
    uint32_t *order = om_alloc(j->region.heap, n, sizeof *order);
    uint32_t *other = om_alloc(j->region.heap, n, sizeof *other);
    int rc = order == NULL || other == NULL ? om_fail_memory(j->d->ctx) : OM_OK;
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        order[i] = (uint32_t) i;
    for (size_t piece = 1; piece < n && rc == OM_OK; piece *= 2) {
        for (size_t at = 0; at < n; at += 2 * piece) {
            size_t middle = at + piece < n ? at + piece : n;
            size_t end = middle + piece < n ? middle + piece : n;
            merge(r, order, other, at, middle, end);
        }
        uint32_t *swapped = order;
        order = other;
        other = swapped;
        rc = om_context_stopped(j->d->ctx);
    }
    om_free(j->region.heap, other);
    r->order = order;
    return rc;
}

/* ---- transitions ---- */

static int emit_tokens(pnml_unfolding *j, om_net *net, const pnml_rule *r, const pnml_flow *flows,
    uint32_t n, const uint32_t *binding, const om_net_arc **out, uint32_t *count)
{
    pnml_bag *b = &j->bag;
    int rc = OM_OK;
    b->count = 0;
    b->scope = &r->scope;
    for (uint32_t i = 0; i < n && rc == OM_OK; i++)
        rc = pnml_bag_add(b, flows[i].term, binding, flows[i].place);
    if (rc == OM_OK)
        rc = pnml_bag_settle(b, r->pos);
    om_net_arc *tokens =
        rc == OM_OK ? om_region_take(&net->region, b->count, sizeof *tokens) : NULL;
    if (tokens == NULL)
        return rc == OM_OK ? om_fail_memory(j->d->ctx) : rc;
    for (size_t i = 0; i < b->count; i++)
        tokens[i] = (om_net_arc){ pnml_facts_find(&j->facts, b->items[i].place, b->items[i].colour),
            b->items[i].count };
    *out = tokens;
    *count = (uint32_t) b->count;
    return OM_OK;
}

static int emit_transition(pnml_unfolding *j, om_net *net, const pnml_rule *r,
    const uint32_t *binding, om_net_transition *t, om_text *text)
{
    int rc = emit_tokens(j, net, r, r->takes, r->take_count, binding, &t->takes, &t->take_count);
    if (rc == OM_OK)
        rc = emit_tokens(j, net, r, r->gives, r->give_count, binding, &t->gives, &t->give_count);
    if (rc != OM_OK || r->scope.count == 0)
        return rc;
    pnml_binding_print(&j->sorts, &r->scope, binding, text);
    return take_text(j, net, text, &t->binding);
}

static int emit_rule(pnml_unfolding *j, om_net *net, uint32_t rule, om_text *text)
{
    pnml_rule *r = &j->rules[rule];
    om_net_node *node = &net->transition_nodes[rule];
    int rc = sort_bindings(j, r);
    node->first = net->transition_count;
    node->count = (uint32_t) r->binding_count;
    for (size_t i = 0; i < r->binding_count && rc == OM_OK; i++) {
        assert(net->transition_count < j->bindings);
        om_net_transition *t = &net->transitions[net->transition_count++];
        t->node = rule;
        rc = emit_transition(
            j, net, r, r->bindings + (size_t) r->order[i] * r->scope.count, t, text);
        if (rc == OM_OK && i % 1024 == 0)
            rc = om_context_stopped(j->d->ctx);
    }
    OM_FREE_ALL(j->region.heap, r->bindings, r->order);
    r->bindings = r->order = NULL;
    return rc;
}

int pnml_unfold_emit(pnml_unfolding *j, om_net *net)
{
    om_text text = { .heap = j->region.heap };
    int rc = emit_nodes(j, net);
    if (rc == OM_OK)
        rc = emit_places(j, net, &text);
    if (rc == OM_OK) {
        net->transitions =
            om_region_take(&net->region, (size_t) j->bindings, sizeof *net->transitions);
        rc = net->transitions == NULL ? om_fail_memory(j->d->ctx) : OM_OK;
    }
    for (uint32_t i = 0; i < j->rule_count && rc == OM_OK; i++)
        rc = emit_rule(j, net, i, &text);
    assert(rc != OM_OK || net->transition_count == j->bindings);
    om_text_free(&text);
    return rc;
}
