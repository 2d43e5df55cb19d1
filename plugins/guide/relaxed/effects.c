/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How steps bring leaves about. A step that makes another form of a leaf's form brings it about if
 * that form passes the test before: another leaf, which the action then needs.
 *
 * A step that adds to a form may be taken again and again (E. Scala, P. Haslum, S. Thiebaux, M.
 * Ramirez, "Subgoaling techniques for satisficing and optimal numeric planning", JAIR 68, 2020).
 * Its own guard may bound the form; so it is repeated only in that range.
 */
#include "relaxed.h"

#include <assert.h>

enum { MOST_DEPTH = 3 };
#define WIDEST ((om_wide) 1 << 50)

static void add_effect(net *n, effect e)
{
    assert(n->nodes[e.action].kind == ALL && n->nodes[e.action].weight > 0);
    if (n->effect_count >= MOST_ARCS)
        n->rc = OM_EUNSUPPORTED;
    else if (OM_ROOM(n->heap, n->effects, &n->effect_room, n->effect_count + 1))
        n->effects[n->effect_count++] = e;
    else
        n->rc = OM_ENOMEM;
}

/* ---- actions ---- */

static void add_pin(net *n, uint32_t action, uint32_t cell, om_wide value)
{
    if (!OM_ROOM(n->heap, n->pins, &n->pin_room, n->pin_count + 1)) {
        n->rc = OM_ENOMEM;
        return;
    }
    n->pins[n->pin_count++] = (binding){ cell, (om_value) value };
    n->nodes[action].pins++;
}

static const change *change_of(const view *v, uint32_t cell)
{
    for (uint32_t i = 0; i < v->changed; i++)
        if (v->changes[i].cell == cell)
            return &v->changes[i];
    return NULL;
}

/* Notes what is known of values after an action of a case: those that it needs, and sets. */
static uint32_t pin(net *n, uint32_t action, const view *v)
{
    const net_node at = n->nodes[action];
    if (action == ALWAYS || action == NEVER)
        return action;
    n->nodes[action].first_pin = (uint32_t) n->pin_count;
    for (uint32_t i = 0; i < at.count; i++) {
        const net_node *child = &n->nodes[n->arcs[at.first + i]];
        const leaf *l = child->kind == LEAF ? &n->leaves[child->first] : NULL;
        if (l == NULL || l->test != EQUAL || l->count != 1 || n->terms[l->first].factor != 1)
            continue;
        const uint32_t cell = n->terms[l->first].cell;
        const change *c = change_of(v, cell);
        if (c == NULL)
            add_pin(n, action, cell, -l->constant);
        else if (c->known && c->value.count == 1 && c->value.terms[0].cell == cell)
            add_pin(n, action, cell, c->value.constant - l->constant * c->value.terms[0].factor);
    }
    for (uint32_t i = 0; i < v->changed; i++)
        if (v->changes[i].known && v->changes[i].value.count == 0)
            add_pin(n, action, v->changes[i].cell, v->changes[i].value.constant);
    return action;
}

/* Returns the action of a case; ALWAYS or NEVER: there is none. */
static uint32_t action_of(net *n, uint32_t number)
{
    const step_case *c = &n->cases[number];
    const om_expr guard = om_model_transition(n->m, c->transition)->guard;
    const size_t begin = n->listed;
    view before = c->view;
    if (c->action != OM_NONE)
        return c->action;
    before.changed = 0;
    for (uint32_t i = 0; i < before.bound; i++) {
        const binding *b = &before.bindings[i];
        const form is = {
            .constant = -(om_wide) b->value, .count = 1, .terms = { { b->cell, 1 } }
        };
        condition_list(n, condition_on(n, &is, EQUAL, 0));
    }
    if (guard != 0)
        condition_need(n, &before, guard, true);
    return n->cases[number].action =
               pin(n, condition_close(n, begin, ALL, 1), &n->cases[number].view);
}

/* Returns an action that needs another condition, too. */
static uint32_t action_with(net *n, uint32_t action, uint32_t condition, const view *v)
{
    const size_t begin = n->listed;
    const net_node at = n->nodes[action];
    if (condition == ALWAYS || condition == NEVER)
        return condition == ALWAYS ? action : NEVER;
    for (uint32_t i = 0; i < at.count; i++)
        condition_list(n, n->arcs[at.first + i]);
    condition_list(n, condition);
    return pin(n, condition_close(n, begin, ALL, 1), v);
}

/* ---- forms ---- */

/* Returns 1 if a leaf has the same terms, -1 if they are negated, or 0. */
static int same_terms(const net *n, const leaf *a, const leaf *b)
{
    bool same = a->count == b->count, negated = same;
    for (uint32_t i = 0; i < a->count && (same || negated); i++) {
        const term *x = &n->terms[a->first + i], *y = &n->terms[b->first + i];
        same = same && x->cell == y->cell && x->factor == y->factor;
        negated = negated && x->cell == y->cell && x->factor == -y->factor;
    }
    return same ? 1 : negated ? -1 : 0;
}

/* Narrows the range of a leaf's terms by what an action needs. */
static void narrow(const net *n, const leaf *l, effect *e)
{
    const net_node *action = &n->nodes[e->action];
    for (uint32_t i = 0; i < action->count; i++) {
        const net_node *child = &n->nodes[n->arcs[action->first + i]];
        const leaf *other = child->kind == LEAF ? &n->leaves[child->first] : NULL;
        const int sign = other == NULL ? 0 : same_terms(n, l, other);
        if (sign == 0 || other->test == DIFFERS)
            continue;
        const om_wide bound = -other->constant * sign;
        if ((sign > 0 || other->test == EQUAL) && bound > e->low)
            e->low = bound;
        if ((sign < 0 || other->test == EQUAL) && bound < e->high)
            e->high = bound;
    }
}

/* Returns true if the last step of a repeated action may bring the leaf about. */
static bool may_arrive(const leaf *l, const effect *e)
{
    const om_wide at = -l->constant;
    if (l->test == AT_LEAST)
        return e->by > 0 && e->low < at && e->high >= at - e->by;
    if (l->test == EQUAL)
        return e->low <= at - e->by && e->high >= at - e->by;
    return e->low <= at && e->high >= at;
}

static bool passes(test t, om_wide value)
{
    return t == AT_LEAST ? value >= 0 : (value == 0) == (t == EQUAL);
}

/* Sets *after to what a step makes of a leaf's form, and *by to the difference. Returns false if
 * that is not known. */
static bool transform(const net *n, const leaf *l, const view *v, form *after, form *by)
{
    *after = *by = (form){ .constant = l->constant };
    bool known = true;
    for (uint32_t i = 0; i < l->count && known; i++) {
        const term *t = &n->terms[l->first + i];
        const form old = { .count = 1, .terms = { { t->cell, t->factor } } };
        form value;
        known = form_of_cell(v, t->cell, &value) && form_add(after, &value, t->factor) &&
                form_add(by, &old, 1);
    }
    const form before = *by;
    *by = *after;
    return known && form_add(by, &before, -1);
}

/* ---- the effects on a leaf ---- */

typedef enum influence { NO_CHANGE, FIXED, CHANGED } influence;

/* Returns whether a step changes a form, and sets *value if it gives all of it fixed values. */
static influence influence_on(const net *n, const leaf *l, const view *v, om_wide *value)
{
    uint32_t changed = 0, fixed = 0;
    *value = l->constant;
    for (uint32_t k = l->first; k < l->first + l->count; k++) {
        const change *c = change_of(v, n->terms[k].cell);
        const bool is_fixed = c != NULL && c->known && c->value.count == 0;
        changed += c != NULL;
        fixed += is_fixed;
        if (is_fixed)
            *value += c->value.constant * n->terms[k].factor;
    }
    return changed == 0 ? NO_CHANGE : fixed == l->count ? FIXED : CHANGED;
}

/* Returns the action of an effect that makes another form of the leaf's. */
static uint32_t action_before(net *n, const leaf *l, uint32_t number, const form *after)
{
    const uint32_t action = action_of(n, number);
    if (action == ALWAYS || action == NEVER || l->depth == MOST_DEPTH)
        return action;
    return action_with(
        n, action, condition_on(n, after, l->test, l->depth + 1), &n->cases[number].view);
}

/* Adds the effect of a case on a leaf, if it has one: only one that sets the form, or no such. */
static void add_case(net *n, uint32_t number, uint32_t which, bool only_sets)
{
    const leaf l = n->leaves[which];
    const view *v = &n->cases[number].view;
    effect e = { .kind = MAKES, .leaf = which, .low = -WIDEST, .high = WIDEST };
    form after, by;
    om_wide value;
    const influence how = influence_on(n, &l, v, &value);
    const bool known = how == CHANGED && transform(n, &l, v, &after, &by);
    if (how == FIXED && !passes(l.test, value)) {
        e.kind = SETS;
        e.by = value - l.constant;
    } else if (known && by.count == 0) {
        e.kind = ADDS;
        e.by = by.constant;
    }
    if (how == NO_CHANGE || (e.kind == SETS) != only_sets || (e.kind == ADDS && e.by == 0))
        return;
    e.action =
        known && e.kind == MAKES ? action_before(n, &l, number, &after) : action_of(n, number);
    if (e.action == ALWAYS || e.action == NEVER)
        return;
    if (e.kind == ADDS)
        narrow(n, &l, &e);
    if (e.kind != ADDS || may_arrive(&l, &e))
        add_effect(n, e);
}

static bool is_slot_of(const net *n, const leaf *l, uint32_t terms, uint32_t slot)
{
    for (uint32_t i = 0; i < terms; i++)
        if (n->cells[n->terms[l->first + i].cell].slot == slot)
            return true;
    return false;
}

static bool writes_one_of(const net *n, const leaf *l, uint32_t terms, uint32_t transition)
{
    const om_transition *t = om_model_transition(n->m, transition);
    for (uint32_t i = 0; i < t->assign_count; i++)
        if (is_slot_of(n, l, terms, t->assigns[i].slot))
            return true;
    return false;
}

/* Adds effects on a leaf by all transitions. */
static void make(net *n, uint32_t which, bool only_sets)
{
    const leaf l = n->leaves[which];
    for (uint32_t i = 0; i < l.count; i++) {
        const uint32_t slot = n->cells[n->terms[l.first + i].cell].slot;
        for (uint32_t k = n->first_writer[slot]; k < n->first_writer[slot + 1]; k++) {
            const uint32_t transition = n->writer[k];
            if (writes_one_of(n, &l, i, transition))
                continue; /* it was met with an earlier term */
            cases_make(n, transition);
            for (uint32_t c = 0; c < n->cases_of[transition] && n->rc == OM_OK; c++)
                add_case(n, n->first_case[transition] + c, which, only_sets);
        }
    }
}

void effects_make(net *n)
{
    for (uint32_t i = 0; i < n->leaf_count && n->rc == OM_OK; i++) {
        const size_t first = n->effect_count;
        bool adds = false;
        make(n, i, false);
        for (size_t k = first; k < n->effect_count; k++)
            adds = adds || n->effects[k].kind == ADDS;
        if (adds)
            make(n, i, true);
        n->leaves[i].counts = adds && n->leaves[i].count == 1;
        n->leaves[i].first_effect = (uint32_t) first;
        n->leaves[i].effects = (uint32_t) (n->effect_count - first);
    }
}
