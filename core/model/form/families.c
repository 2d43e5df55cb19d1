/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families: slots that are joined to one array (om_model_join_slots()). Analyses and executors see
 * an array like any other; no expression and no assignment names a member.
 *
 * F1  Families are the last slots, and a member belongs to one of them.
 * F2  The members lie in the family one after the other, each on as many bits per element.
 */
#include "interval.h"

#include <assert.h>
#include <string.h>

static uint32_t elements_of(const om_slot *s)
{
    return s->length == 0 ? 1 : s->length;
}

static bool fit_together(const om_slot *a, const om_slot *b)
{
    return a->type == b->type && a->length == b->length && a->low == b->low && a->high == b->high &&
           a->enumerators == b->enumerators;
}

/* Returns true if some expression names the slot. */
static bool is_read(const om_model *m, uint32_t slot)
{
    for (size_t e = 1; e < m->node_count; e++)
        if ((m->nodes[e].op == OM_OP_SLOT || m->nodes[e].op == OM_OP_ELEMENT) &&
            m->nodes[e].a == slot)
            return true;
    return false;
}

static int check_members(om_model *m, const uint32_t *members, uint32_t count)
{
    if (m->finished || m->narrowed || m->transitions.count != 0 || count == 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "slots are joined before transitions are added");
    for (uint32_t k = 0; k < count; k++)
        if (members[k] >= m->slots.count || om_model__is_member(m, members[k]) ||
            om_model__kept_slot(m, members[k])->row != 0 ||
            !fit_together(om_model__slot(m, members[0]), om_model__slot(m, members[k])))
            return om_fail(m->ctx, OM_EINVAL, NULL, "these slots cannot be joined");
    for (uint32_t k = 0; k < count; k++)
        if (is_read(m, members[k]))
            return om_fail(m->ctx, OM_EINVAL, NULL, "an expression reads a slot that is joined");
    return OM_OK;
}

int om_model_join_slots(
    om_model *m, const char *name, const uint32_t *members, uint32_t count, uint32_t *out)
{
    int rc = check_members(m, members, count);
    if (rc != OM_OK)
        return rc;
    const om_slot *first = om_model__slot(m, members[0]);
    const uint32_t row = elements_of(first), families = m->families;
    om_slot all = *first;
    all.name = name;
    if ((uint64_t) row * count > OM_WORDS_MOST * UINT64_C(32))
        return om_fail(m->ctx, OM_EINPUT, &first->place, "array %s is too long", name);
    all.length = row * count;
    om_value *initial = om_alloc(m->heap, all.length, sizeof *initial);
    if (initial == NULL)
        return om_fail_memory(m->ctx);
    for (uint32_t k = 0; k < count; k++) {
        const om_slot *s = om_model__slot(m, members[k]);
        memcpy(initial + (size_t) k * row, s->initial, row * sizeof *initial);
        all.process = s->process == all.process ? all.process : OM_NONE;
    }
    all.initial = initial;
    uint32_t family = OM_NONE;
    m->families = 0;
    rc = om_model_add_slot(m, &all, &family);
    m->families = families + (rc == OM_OK);
    om_free(m->heap, initial);
    for (uint32_t k = 0; k < count && rc == OM_OK; k++) {
        om_kept_slot *s = m->slots.at[members[k]];
        s->family = family;
        s->first = k * row;
    }
    if (rc == OM_OK) {
        om_kept_slot *made = m->slots.at[family];
        made->row = row;
        *out = family;
    }
    assert(rc != OM_OK || family + 1 == m->slots.count); /* F1 */
    return rc;
}

uint32_t om_model_shown_slots(const om_model *m)
{
    return (uint32_t) m->slots.count - m->families;
}

/* A computed index is checked against the member: one outside of it becomes -1, the index of no
 * element. */
om_expr om_model__index_of_member(om_model *m, uint32_t slot, om_expr index)
{
    const om_kept_slot *s = om_model__kept_slot(m, slot);
    const om_expr first = om_expr_const(m, (om_value) s->first), one = om_expr_const(m, 1);
    if (index == 0)
        return first;
    const om_expr place = om_expr_binary(m, OM_OP_ADD, first, index);
    if (!om_interval__may_miss(m, index, &s->said))
        return place;
    const om_expr valid =
        om_expr_binary(m, OM_OP_AND, om_expr_binary(m, OM_OP_GE, index, om_expr_const(m, 0)),
            om_expr_binary(m, OM_OP_LT, index, om_expr_const(m, (om_value) s->said.length)));
    const om_expr after = om_expr_binary(m, OM_OP_ADD, place, one);
    return om_expr_binary(m, OM_OP_SUB, om_expr_binary(m, OM_OP_MUL, valid, after), one);
}

int om_model__assign_families(om_model *m, om_assign *assigns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        om_assign *a = &assigns[i];
        if (a->slot >= m->slots.count || !om_model__is_member(m, a->slot))
            continue;
        if ((om_model__slot(m, a->slot)->length != 0) != (a->index != 0))
            return om_fail(
                m->ctx, OM_EINVAL, NULL, "an array needs an index, other variables take none");
        a->index = om_model__index_of_member(m, a->slot, a->index);
        a->slot = om_model__kept_slot(m, a->slot)->family;
    }
    return OM_OK;
}

bool om_model__is_of_member(const om_model *m, const om_node *n, uint32_t slot)
{
    const om_kept_slot *s = om_model__kept_slot(m, slot);
    const om_node *index = &m->nodes[n->b];
    assert(n->op == OM_OP_ELEMENT);
    return n->a == s->family &&
           (index->op != OM_OP_CONST ||
               (index->value >= (om_value) s->first &&
                   index->value - (om_value) s->first < (om_value) elements_of(&s->said)));
}

void om_model__place_members(om_model *m)
{
    for (size_t i = 0; i < m->slots.count; i++) {
        om_kept_slot *s = m->slots.at[i];
        if (s->family == OM_NONE)
            continue;
        const om_slot *f = om_model__slot(m, s->family);
        s->said.type = f->type;
        s->said.bits = f->bits;
        s->said.position = f->position + s->first * f->bits; /* F2 */
    }
}

void om_model__copy_families(const om_model *from, om_model *to)
{
    assert(from->slots.count == to->slots.count);
    to->families = from->families;
    for (uint32_t i = 0; i < from->slots.count; i++) {
        const om_kept_slot *s = om_model__kept_slot(from, i);
        om_kept_slot *made = to->slots.at[i];
        made->row = s->row;
        made->family = s->family;
        made->first = s->first;
    }
}

uint32_t om_model__assigned_slot(const om_model *m, uint32_t slot)
{
    const om_kept_slot *s = om_model__kept_slot(m, slot);
    return s->family != OM_NONE ? s->family : slot;
}

uint32_t om_model__shown_slot(const om_model *m, uint32_t slot, uint32_t *element)
{
    const om_kept_slot *f = om_model__kept_slot(m, slot);
    const uint32_t first = f->row == 0 ? 0 : *element - *element % f->row;
    for (uint32_t i = 0; f->row != 0 && i < om_model_shown_slots(m); i++) {
        const om_kept_slot *s = om_model__kept_slot(m, i);
        if (s->family != slot || s->first != first)
            continue;
        *element = s->said.length == 0 ? OM_NONE : *element - first;
        return i;
    }
    return slot;
}
