/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the parts of a model are consistent and that it may run. */
#define _GNU_SOURCE /* qsort_r() */
#include "interval.h"

#include <stdlib.h>
#include <string.h>

static bool process_or_none(const om_model *m, uint32_t p)
{
    return p == OM_NONE || p < m->processes.count;
}

static bool expr_or_none(const om_model *m, om_expr e)
{
    return e == 0 || om_model__has(m, e);
}

static int check_slot(om_model *m, const om_slot *s)
{
    om_interval holds = om_interval__of_slot(s);
    if (s->type == OM_ENUM)
        holds.high = holds.high < s->enumerators ? holds.high : (om_wide) s->enumerators - 1;
    if (!process_or_none(m, s->process))
        return om_fail(m->ctx, OM_EINVAL, NULL, "slot %s: no such process", s->name);
    for (uint32_t i = 0; i < (s->length == 0 ? 1 : s->length); i++)
        if (s->initial[i] < holds.low || s->initial[i] > holds.high)
            return om_fail(m->ctx, OM_EINVAL, NULL,
                "slot %s cannot hold its initial value %" OM_VALUE_FORMAT, s->name, s->initial[i]);
    return OM_OK;
}

static int check_process(om_model *m, const om_process *p)
{
    if (p->location == OM_NONE)
        return OM_OK;
    const om_slot *s = om_model__slot(m, p->location);
    if (s->type != OM_ENUM || s->length != 0)
        return om_fail(
            m->ctx, OM_EINVAL, NULL, "process %s: its location is not an enumeration", p->name);
    return OM_OK;
}

static int check_assign(om_model *m, const om_transition *t, const om_assign *a)
{
    const char *wrong = NULL;
    if (a->slot >= m->slots.count)
        wrong = "no such slot";
    else if (!expr_or_none(m, a->value) || !expr_or_none(m, a->index))
        wrong = "no such expression";
    else if (om_model__is_member(m, a->slot))
        wrong = "the slot is a member of a family";
    else if (a->value == 0 && a->index == 0)
        wrong = "a value is missing";
    else if ((om_model__slot(m, a->slot)->length != 0) != (a->index != 0))
        wrong = "an array needs an index, other variables take none";
    return wrong == NULL ? OM_OK : om_fail(m->ctx, OM_EINVAL, &t->place, "assignment: %s", wrong);
}

static int check_transition(om_model *m, const om_transition *t)
{
    if (!process_or_none(m, t->process) || !process_or_none(m, t->partner))
        return om_fail(m->ctx, OM_EINVAL, &t->place, "transition: no such process");
    if (!expr_or_none(m, t->guard))
        return om_fail(m->ctx, OM_EINVAL, &t->place, "transition: no such guard");
    for (uint32_t i = 0; i < t->assign_count; i++) {
        int rc = check_assign(m, t, &t->assigns[i]);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

static int check_property(om_model *m, const om_property *p)
{
    uint32_t n = p->automaton == NULL ? 0 : om_automaton_ap_count(p->automaton);
    for (uint32_t i = 0; i < n; i++)
        if (p->aps == NULL || !om_model__has(m, p->aps[i]))
            return om_fail(
                m->ctx, OM_EINVAL, NULL, "property %s: AP %u is not an expression", p->name, i);
    return OM_OK;
}

static int by_name(const void *x, const void *y, void *model)
{
    const uint32_t *a = x, *b = y;
    return strcmp(om_model__slot(model, *a)->name, om_model__slot(model, *b)->name);
}

static int check_names(om_model *m)
{
    size_t n = m->slots.count;
    int rc = OM_OK;
    uint32_t *sorted = om_alloc(m->heap, n, sizeof *sorted);
    if (sorted == NULL)
        return om_fail_memory(m->ctx);
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = i;
    qsort_r(sorted, n, sizeof *sorted, by_name, m);
    for (size_t i = 1; i < n && rc == OM_OK; i++)
        if (by_name(&sorted[i - 1], &sorted[i], m) == 0)
            rc = om_fail(m->ctx, OM_EINVAL, NULL, "two slots are called %s",
                om_model__slot(m, sorted[i])->name);
    om_free(m->heap, sorted);
    return rc;
}

int om_model__validate(om_model *m)
{
    int rc = check_names(m);
    for (size_t i = 0; i < m->slots.count && rc == OM_OK; i++)
        rc = check_slot(m, m->slots.at[i]);
    for (size_t i = 0; i < m->processes.count && rc == OM_OK; i++)
        rc = check_process(m, m->processes.at[i]);
    for (size_t i = 0; i < m->transitions.count && rc == OM_OK; i++)
        rc = check_transition(m, m->transitions.at[i]);
    for (size_t i = 0; i < m->assertions.count && rc == OM_OK; i++) {
        const om_assertion *a = m->assertions.at[i];
        if (!om_model__has(m, a->condition))
            rc = om_fail(m->ctx, OM_EINVAL, &a->place, "assertion: no such expression");
    }
    for (size_t i = 0; i < m->properties.count && rc == OM_OK; i++)
        rc = check_property(m, m->properties.at[i]);
    if (rc == OM_OK && m->progress != 0 && !om_model__has(m, m->progress))
        rc = om_fail(m->ctx, OM_EINVAL, NULL, "progress states: no such expression");
    if (rc == OM_OK && m->visible != 0 && !om_model__has(m, m->visible))
        rc = om_fail(m->ctx, OM_EINVAL, NULL, "states that properties see: no such expression");
    return rc;
}

int om_model__may_run(om_model *m, const om_expr *aps, uint32_t ap_count)
{
    int rc = om_model_expr_check(m, NULL);
    if (rc != OM_OK)
        return rc;
    if (!m->finished)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is not finished");
    if (ap_count > 64)
        return om_fail(m->ctx, OM_EINVAL, NULL, "more than 64 atomic propositions");
    for (uint32_t i = 0; i < ap_count; i++)
        if (!om_model__has(m, aps[i]))
            return om_fail(m->ctx, OM_EINVAL, NULL, "AP %u is not an expression", i);
    return OM_OK;
}
