/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/plugin/net.h>

#include "extended.h"
#include "form/proved.h"
#include "analysis/implied.h"
#include "analysis/pump.h"

#include <assert.h>
#include <string.h>

typedef struct lowering {
    const om_net *net;
    om_model *m;
    om_text text; /* of a name or a label */
    om_assign *assigns;
    size_t assign_room;
    om_value *rises; /* by place: the most tokens that a transition adds to it */
} lowering;

om_expr om_expr_join(om_model *m, om_op op, om_expr *list, size_t n)
{
    assert(n > 0);
    for (; n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < n; i += 2)
            list[i / 2] = i + 1 < n ? om_expr_binary(m, op, list[i], list[i + 1]) : list[i];
    return list[0];
}

static om_expr compare(om_model *m, om_op op, uint32_t place, om_value tokens)
{
    return om_expr_binary(m, op, om_expr_slot(m, place), om_expr_const(m, tokens));
}

om_expr om_net_enabled(const om_net *net, om_model *m, uint32_t transition)
{
    const om_net_transition *t = &net->transitions[transition];
    const size_t count = (size_t) t->take_count + t->limit_count;
    if (count == 0)
        return om_expr_const(m, 1);
    om_expr *needs = om_alloc(net->region.heap, count, sizeof *needs);
    if (needs == NULL)
        return 0;
    for (uint32_t i = 0; i < t->take_count; i++)
        needs[i] = compare(m, OM_OP_GE, t->takes[i].place, t->takes[i].count);
    for (uint32_t i = 0; i < t->limit_count; i++)
        needs[t->take_count + i] = compare(m, OM_OP_LE, t->limits[i].place, t->limits[i].most);
    om_expr all = om_expr_join(m, OM_OP_AND, needs, count);
    om_free(net->region.heap, needs);
    return all;
}

/* ---- places ---- */

static om_place place_of(const om_net *net, const om_net_node *n)
{
    return (om_place){ net->file, n->pos.line, n->pos.column };
}

/* Sets l->text to the id, followed by the colour if the place is one of several. */
static int name_place(lowering *l, const om_net_place *p)
{
    l->text.length = 0;
    om_text_add(&l->text, l->net->place_nodes[p->node].id);
    if (p->colour != NULL)
        om_text_add(&l->text, p->colour);
    return l->text.failed ? om_fail_memory(l->net->ctx) : OM_OK;
}

static int add_slot(lowering *l, const om_net_place *p)
{
    bool bounded = p->bound != OM_NET_NO_BOUND;
    int rc = name_place(l, p);
    om_slot slot = { .name = l->text.text,
        .type = bounded ? OM_ENUM : OM_I32,
        .process = OM_NONE,
        .initial = &p->initial,
        .enumerators = bounded ? (uint32_t) p->bound + 1 : 0,
        .place = place_of(l->net, &l->net->place_nodes[p->node]) };
    return rc == OM_OK ? om_model_add_slot(l->m, &slot, NULL) : rc;
}

/* Asserts that the count is not negative: a sum of two counts that exceeds 32 bits is negative. */
static int assert_count(lowering *l, uint32_t place)
{
    const om_net_place *p = &l->net->places[place];
    int rc = name_place(l, p);
    if (rc != OM_OK)
        return rc;
    om_text_printf(&l->text, " has at most %" OM_VALUE_FORMAT " tokens", OM_VALUE_MAX);
    if (l->text.failed)
        return om_fail_memory(l->net->ctx);
    om_expr count = om_expr_slot(l->m, place);
    om_assertion a = { .condition = om_expr_binary(l->m, OM_OP_GE, count, om_expr_const(l->m, 0)),
        .text = l->text.text,
        .place = place_of(l->net, &l->net->place_nodes[p->node]) };
    rc = om_model_expr_check(l->m, &a.place);
    if (rc == OM_OK)
        rc = om_model_add_assertion(l->m, &a);
    return rc == OM_OK ? om_model__add_open(l->m, place, l->rises[place]) : rc;
}

/* ---- transitions ---- */

/* Sets l->text to "id", "id (name)" or "id [x = 1]". */
static int name_transition(lowering *l, const om_net_transition *t)
{
    const om_net_node *n = &l->net->transition_nodes[t->node];
    l->text.length = 0;
    om_text_add(&l->text, n->id);
    if (n->name != NULL && strcmp(n->name, n->id) != 0)
        om_text_printf(&l->text, " (%s)", n->name);
    if (t->binding != NULL)
        om_text_printf(&l->text, " [%s]", t->binding);
    return l->text.failed ? om_fail_memory(l->net->ctx) : OM_OK;
}

static int make_room(lowering *l, size_t need)
{
    if (!OM_ROOM(l->net->region.heap, l->assigns, &l->assign_room, need))
        return om_fail_memory(l->net->ctx);
    return OM_OK;
}

static om_assign assign(lowering *l, uint32_t place, om_value rise, om_expr value)
{
    l->rises[place] = rise > l->rises[place] ? rise : l->rises[place];
    return (om_assign){ .slot = place, .value = value };
}

/* Makes the assignments of the changed places, in the order of the places. */
static uint32_t find_changes(lowering *l, const om_net_transition *t)
{
    uint32_t count = 0;
    om_net_arc_walk w = { .take = 0 };
    while (om_net_arc_walk__step(t, &w)) {
        const om_value by = w.gives - w.takes;
        if (w.resets)
            l->assigns[count++] = assign(l, w.place, w.gives, om_expr_const(l->m, w.gives));
        else if (by != 0)
            l->assigns[count++] = assign(l, w.place, by,
                om_expr_binary(
                    l->m, OM_OP_ADD, om_expr_slot(l->m, w.place), om_expr_const(l->m, by)));
    }
    assert(count <= l->assign_room);
    return count;
}

static int add_transition(lowering *l, uint32_t number)
{
    const om_net_transition *t = &l->net->transitions[number];
    int rc = name_transition(l, t);
    if (rc == OM_OK)
        rc = make_room(l, (size_t) t->take_count + t->give_count + t->reset_count);
    if (rc != OM_OK)
        return rc;
    om_transition made = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = om_net_enabled(l->net, l->m, number),
        .assigns = l->assigns,
        .assign_count = find_changes(l, t),
        .label = l->text.text,
        .place = place_of(l->net, &l->net->transition_nodes[t->node]) };
    rc = made.guard == 0 ? om_model_expr_check(l->m, &made.place) : OM_OK;
    if (rc == OM_OK && made.guard == 0)
        rc = om_fail_memory(l->net->ctx);
    return rc == OM_OK ? om_model_add_transition(l->m, &made, NULL) : rc;
}

static int lower_all(lowering *l, const om_net_invariants *invariants)
{
    const om_net *net = l->net;
    int rc = OM_OK;
    for (uint32_t i = 0; i < net->place_count && rc == OM_OK; i++)
        rc = add_slot(l, &net->places[i]);
    for (uint32_t i = 0; i < net->transition_count && rc == OM_OK; i++)
        rc = add_transition(l, i);
    for (uint32_t i = 0; i < net->place_count && rc == OM_OK; i++)
        if (net->places[i].bound == OM_NET_NO_BOUND && l->rises[i] > 0)
            rc = assert_count(l, i);
    om_model__set_endless(l->m, om_net_pump__prove, net);
    return rc == OM_OK ? om_net_implied__add(net, invariants, l->m) : rc;
}

int om_net_lower(const om_net *net, om_model *m)
{
    const om_heap *heap = net->region.heap;
    lowering l = { .net = net, .m = m, .text = { .heap = heap } };
    om_net_invariants invariants = { .heap = NULL };
    int rc = om_net_implied__find(&invariants, net); /* while the model uses no memory yet */
    if (rc != OM_OK)
        return rc;
    l.rises = om_alloc(heap, net->place_count, sizeof *l.rises);
    rc = l.rises == NULL ? om_fail_memory(net->ctx) : lower_all(&l, &invariants);
    om_net_invariants__free(&invariants);
    om_text_free(&l.text);
    OM_FREE_ALL(heap, l.assigns, l.rises);
    return rc;
}
