/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of transitions: what they assign, by the values of the cells that decide it. */
#include "relaxed.h"

#include <assert.h>
#include <string.h>

/* Returns false if there are too many changes. */
static bool change_cell(view *v, uint32_t cell, const form *value)
{
    uint32_t i = 0;
    while (i < v->changed && v->changes[i].cell != cell)
        i++;
    assert(v->changed <= MOST_WRITES);
    if (i == MOST_WRITES)
        return false;
    v->changed += i == v->changed;
    v->changes[i] = (change){ .cell = cell, .known = value != NULL };
    if (value != NULL)
        v->changes[i].value = *value;
    return true;
}

/* Takes an element out of an array. */
static bool take_out(const net *n, view *v, uint32_t slot, uint32_t index)
{
    const uint32_t first = n->cell_of[slot], end = n->cell_of[slot + 1];
    const form zero = { .count = 0 };
    bool fits = true;
    for (uint32_t c = first + index; c + 1 < end && fits; c++) {
        form next;
        const bool known = form_of_cell(v, c + 1, &next);
        fits = change_cell(v, c, known ? &next : NULL);
    }
    return fits && change_cell(v, end - 1, &zero);
}

/* Assigns an unknown value, or to an unknown element. */
static bool blur(const net *n, view *v, uint32_t slot, const form *index)
{
    const uint32_t first = n->cell_of[slot], end = n->cell_of[slot + 1];
    bool fits = true;
    if (index != NULL)
        return change_cell(v, first + (uint32_t) index->constant, NULL);
    for (uint32_t c = first; c < end && fits; c++)
        fits = change_cell(v, c, NULL);
    return fits;
}

typedef enum outcome { DONE, BLOCKED, IMPOSSIBLE } outcome;

/* Does an assignment; BLOCKED: the value of the cell *by is to be known. */
static outcome assign(const net *n, view *v, const om_assign *a, uint32_t *by)
{
    const uint32_t length = n->cell_of[a->slot + 1] - n->cell_of[a->slot];
    form index = { .count = 0 }, value;
    bool known = a->index == 0 || form_of(n, v, a->index, &index, by);
    if (known && index.count > 0) {
        *by = index.terms[0].cell;
        known = false;
    }
    if (!known && form_may_bind(n, v, *by))
        return BLOCKED;
    if (known && (index.constant < 0 || index.constant >= length))
        return IMPOSSIBLE;
    bool fits;
    if (!known)
        fits = blur(n, v, a->slot, NULL);
    else if (a->value == 0)
        fits = take_out(n, v, a->slot, (uint32_t) index.constant);
    else if (form_of(n, v, a->value, &value, by))
        fits = change_cell(v, n->cell_of[a->slot] + (uint32_t) index.constant, &value);
    else if (form_may_bind(n, v, *by))
        return BLOCKED;
    else
        fits = blur(n, v, a->slot, &index);
    return fits ? DONE : IMPOSSIBLE;
}

static void keep(net *n, uint32_t transition, const view *v)
{
    step_case c = { .transition = transition, .view = *v, .action = OM_NONE };
    if (n->case_count >= MOST_CASES)
        n->rc = OM_EUNSUPPORTED;
    if (n->rc != OM_OK)
        return;
    c.view.changes = NULL;
    if (!OM_ROOM(n->heap, n->cases, &n->case_room, n->case_count + 1) ||
        !OM_NEW(n->heap, c.view.changes, v->changed + (size_t) 1)) {
        n->rc = OM_ENOMEM;
        return;
    }
    if (v->changed > 0)
        memcpy(c.view.changes, v->changes, v->changed * sizeof *v->changes);
    n->cases[n->case_count++] = c;
}

/* The recursion is as deep as the number of bindings. */
static void make(net *n, uint32_t transition, const view *begin)
{
    const om_transition *t = om_model_transition(n->m, transition);
    change changes[MOST_WRITES];
    view v = *begin;
    outcome result = DONE;
    uint32_t by = OM_NONE;
    v.changes = changes;
    for (uint32_t i = 0; i < t->assign_count && result == DONE; i++)
        result = assign(n, &v, &t->assigns[i], &by);
    if (result == DONE)
        keep(n, transition, &v);
    if (result != BLOCKED)
        return;
    om_value low, high;
    form_range(n, by, &low, &high);
    for (om_wide value = low; value <= high && n->rc == OM_OK; value++) {
        const view bound = form_bind(n, begin, by, (om_value) value);
        make(n, transition, &bound);
    }
}

void cases_make(net *n, uint32_t transition)
{
    const view nothing = { .values = 1 };
    if (n->first_case[transition] != OM_NONE)
        return;
    n->first_case[transition] = (uint32_t) n->case_count;
    make(n, transition, &nothing);
    n->cases_of[transition] = (uint32_t) n->case_count - n->first_case[transition];
}
