/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers (footprint.h): assertions that are checked, and guards whose evaluation may fault.
 *
 * A condition that says that nothing can move, such as `timeout`, reads nearly all of the state. If
 * one of its parts faults, the guard of another transition faults in the same state, and that guard
 * is a watcher, too. So the fault of the condition itself needs none (om_idle__is_tried()). Parts
 * are smaller than the whole: some watcher remains.
 */
#include "footprint.h"

#include "analysis/idle.h"
#include "form/proved.h"

static void begin_watcher(om_footprint *f)
{
    f->first[f->all] = (uint32_t) f->access_count;
    f->first_conjunct[f->all++] = (uint32_t) f->conjunct_count;
}

/* The state in which `e` is false */
static void watch_for_false(om_footprint *f, om_expr e)
{
    const om_node n = f->m->nodes[e];
    if (f->rc != OM_OK)
        return;
    if (n.op == OM_OP_IMPLY) {
        om_footprint__read_guard(f, n.a);
        watch_for_false(f, n.b);
    } else if (n.op == OM_OP_OR) {
        watch_for_false(f, n.a);
        watch_for_false(f, n.b);
    } else if (n.op == OM_OP_NOT)
        om_footprint__read_guard(f, n.a);
    else
        om_footprint__add_conjunct(f, e, true);
}

/* Returns true if the evaluation of a conjunct may be the only one that faults in a state. */
static bool is_watched(
    om_footprint *f, om_idle *idle, om_expr guard, uint32_t watcher, uint32_t conjunct)
{
    return om_footprint__conjunct_may_fault(f, watcher, conjunct) &&
           !om_idle__is_tried(idle, guard, f->conjuncts[conjunct].expression);
}

/* Returns what is evaluated first of an assertion's condition, if it fails only where that holds;
 * or 0. */
static om_expr premise_of(const om_model *m, om_expr e)
{
    const om_node *n = om_model_node(m, e);
    return n->op == OM_OP_NOT || n->op == OM_OP_IMPLY ? n->a : 0;
}

static void watch_assertion(om_footprint *f, om_idle *idle, om_expr e)
{
    const size_t first = f->conjunct_count, first_access = f->access_count;
    const om_expr premise = premise_of(f->m, e);
    om_value v;
    begin_watcher(f);
    watch_for_false(f, e);
    const size_t end = f->conjunct_count;
    size_t i = first;
    while (i < end && !om_footprint__fold(f, f->conjuncts[i].expression, &v) &&
           (i + 1 == end || !is_watched(f, idle, premise, f->all - 1, (uint32_t) i)))
        i++;
    if (f->rc != OM_OK || i == end)
        return;
    if (om_footprint__fold(f, f->conjuncts[i].expression, &v)) { /* it is always false */
        f->all--;
        f->conjunct_count = first;
        f->access_count = first_access;
        return;
    }
    /* After a fault, the rest is not evaluated: it need not be false. */
    f->access_count = f->conjuncts[i].first;
    for (; i < end; i++) {
        f->conjunct_count = i;
        om_footprint__add_general(f, f->conjuncts[i].expression);
    }
}

static void watch_assertions(om_footprint *f, om_idle *idle)
{
    for (uint32_t i = 0; i < om_model_assertion_count(f->m); i++) {
        if (!om_model__checks(f->m, i) || om_model__open_of(f->m, i) != OM_NONE)
            continue;
        watch_assertion(f, idle, om_model_assertion(f->m, i)->condition);
    }
}

/* A guard faults after the conjuncts before the first one that may. */
static void watch_guard(om_footprint *f, om_idle *idle, uint32_t t)
{
    const uint32_t end = f->first_conjunct[t + 1];
    uint32_t i = f->first_conjunct[t];
    const om_expr guard = om_model_transition(f->m, t)->guard;
    while (i < end && !is_watched(f, idle, guard, t, i))
        i++;
    if (i == end)
        return;
    begin_watcher(f);
    for (uint32_t k = f->first_conjunct[t]; k < i && f->rc == OM_OK; k++)
        om_footprint__add_conjunct(f, f->conjuncts[k].expression, false);
    for (uint32_t k = i; k < end && f->rc == OM_OK; k++)
        om_footprint__add_general(f, f->conjuncts[k].expression);
}

void om_footprint__watch(om_footprint *f)
{
    om_idle idle;
    if (!om_idle__open(&idle, f->m))
        f->rc = OM_ENOMEM;
    watch_assertions(f, &idle);
    for (uint32_t t = 0; t < f->transitions && !f->m->tame && f->rc == OM_OK; t++) {
        const size_t first = f->access_count, first_conjunct = f->conjunct_count;
        watch_guard(f, &idle, t);
        (void) om_footprint__goes_on(f, first, first_conjunct);
    }
    om_idle__close(&idle);
    f->first[f->all] = (uint32_t) f->access_count;
    f->first_conjunct[f->all] = (uint32_t) f->conjunct_count;
}
