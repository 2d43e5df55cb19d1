/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot is read if a guard, an assertion or a proposition reads it; if it decides whether an
 * assignment faults, or where it writes; or if an assignment to a slot that is read reads it. All
 * others are unread: neither the runs of a state over the propositions nor its faults depend on
 * them. An overflow is a fault only in the mode that makes it one: otherwise the value wraps, and a
 * counter that nothing reads may count as far as it likes. (If the value may fault as well, it is
 * still evaluated, and what its overflow depends on is read, so that a report of it is true.)
 *
 * The compact form of a net (compact.h) is made of models without resets, so they have no unread
 * slots.
 */
#include "unread.h"

#include "sites.h"

#include <assert.h>

/* An assignment, in a list by its slot */
typedef struct writer {
    uint32_t transition, assign;
} writer;

typedef struct finding {
    om_unread *u;
    uint32_t *first; /* by slot: its first writer; one entry more at the end */
    writer *writers;
    uint32_t *queue; /* slots that are read, whose writers have not been looked at */
    size_t queued;
    bool *fault_read; /* by node, as many as there were: read_faults() was called for it */
} finding;

static void is_read(void *self, uint32_t slot)
{
    finding *f = self;
    if (!f->u->is[slot])
        return;
    f->u->is[slot] = false;
    assert(f->queued < f->u->m->slots.count); /* once for each slot */
    f->queue[f->queued++] = slot;
}

static void read_expr(finding *f, om_expr e)
{
    om_reading__slots(&f->u->reading, e, is_read, f);
}

/* Reads what decides whether an evaluation faults. */
static void read_faults(finding *f, om_expr e)
{
    const om_model *m = f->u->m;
    const om_node n = m->nodes[e];
    if (e == 0 || !m->facts[e].faults || f->fault_read[e])
        return;
    f->fault_read[e] = true;
    switch ((om_op) n.op) {
    case OM_OP_ELEMENT:
        read_expr(f, n.b);
        return;
    case OM_OP_DIV:
    case OM_OP_MOD:
        read_faults(f, n.a);
        read_expr(f, n.b);
        return;
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        read_faults(f, n.a);
        if (m->facts[n.b].faults)
            read_expr(f, n.a); /* it decides whether b is evaluated */
        break;
    default:
        read_faults(f, n.a);
        break;
    }
    if (n.b != 0)
        read_faults(f, n.b);
}

static bool make_lists(finding *f)
{
    const om_model *m = f->u->m;
    const size_t slots = m->slots.count;
    if (!OM_NEW(m->heap, f->first, slots + 2) || !OM_NEW(m->heap, f->queue, slots + 1) ||
        !OM_NEW(m->heap, f->fault_read, m->node_count + 1))
        return false;
    for (size_t t = 0; t < m->transitions.count; t++) {
        const om_transition *tr = om_model_transition(m, (uint32_t) t);
        for (uint32_t i = 0; i < tr->assign_count; i++)
            f->first[tr->assigns[i].slot + 2]++;
    }
    for (size_t s = 0; s < slots; s++)
        f->first[s + 2] += f->first[s + 1];
    if (!OM_NEW(m->heap, f->writers, f->first[slots + 1] + (size_t) 1))
        return false;
    for (uint32_t t = 0; t < m->transitions.count; t++) {
        const om_transition *tr = om_model_transition(m, t);
        for (uint32_t i = 0; i < tr->assign_count; i++)
            f->writers[f->first[tr->assigns[i].slot + 1]++] = (writer){ t, i };
    }
    return true;
}

/* Reads all that decides on runs, faults and places. */
static int read_deciding(finding *f, const om_expr *aps, uint32_t ap_count)
{
    const om_model *m = f->u->m;
    for (uint32_t i = 0; i < ap_count; i++)
        read_expr(f, aps[i]);
    for (uint32_t i = 0; i < m->assertions.count; i++)
        read_expr(f, om_model_assertion(m, i)->condition);
    read_expr(f, m->progress);
    read_expr(f, m->visible);
    for (size_t i = 0; i < m->processes.count; i++)
        if (om_model_process(m, (uint32_t) i)->location != OM_NONE)
            is_read(f, om_model__assigned_slot(m, om_model_process(m, (uint32_t) i)->location));
    for (uint32_t t = 0; t < m->transitions.count; t++) {
        const om_transition *tr = om_model_transition(m, t);
        read_expr(f, tr->guard);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            const om_assign *a = &tr->assigns[i];
            read_expr(f, a->index);
            const bool matters =
                m->overflow == OM_OVERFLOW_ERROR || (a->value != 0 && m->facts[a->value].faults);
            if (matters && om_model__site(m, t, i) != OM_NONE)
                read_expr(f, a->value);
            else
                read_faults(f, a->value);
        }
        if (om_context_stopped(m->ctx) != OM_OK)
            return om_context_stopped(m->ctx);
    }
    return OM_OK;
}

/* Reads all slots that some assignment writes without a reset. */
static void read_unreset(finding *f)
{
    const om_model *m = f->u->m;
    om_assign reset;
    for (uint32_t s = 0; s < m->slots.count; s++)
        for (uint32_t i = f->first[s]; f->u->is[s] && i < f->first[s + 1]; i++)
            if (!om_unread__reset(f->u, f->writers[i].transition, f->writers[i].assign, &reset))
                is_read(f, s);
}

/* Reads what is written to slots that are read. */
static int follow(finding *f)
{
    const om_model *m = f->u->m;
    while (f->queued > 0) {
        const uint32_t slot = f->queue[--f->queued];
        for (uint32_t i = f->first[slot]; i < f->first[slot + 1]; i++) {
            const writer *w = &f->writers[i];
            read_expr(f, om_model_transition(m, w->transition)->assigns[w->assign].value);
        }
        if (om_context_stopped(m->ctx) != OM_OK)
            return om_context_stopped(m->ctx);
    }
    return OM_OK;
}

int om_unread__open(om_unread *u, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    const size_t slots = m->slots.count;
    finding f = { .u = u };
    assert(m->finished && m->resets == 0);
    u->m = m;
    u->reading.m = m;
    if (!OM_NEW(m->heap, u->is, slots + 1))
        return OM_ENOMEM;
    if (m->open_count > 0 || m->implied_count > 0 || m->constants_left_out)
        return OM_OK;
    for (size_t s = 0; s < slots; s++)
        u->is[s] = true;
    int rc = make_lists(&f) ? om_reading__begin(&u->reading) : OM_ENOMEM;
    if (rc == OM_OK) {
        read_unreset(&f);
        /* It has read other expressions: all nodes are to be visited again. */
        rc = om_reading__begin(&u->reading);
    }
    if (rc == OM_OK)
        rc = read_deciding(&f, aps, ap_count);
    if (rc == OM_OK)
        rc = follow(&f);
    for (size_t s = 0; s < slots && rc == OM_OK; s++)
        u->count += u->is[s] && f.first[s] < f.first[s + 1];
    OM_FREE_ALL(m->heap, f.first, f.writers, f.queue, f.fault_read);
    return rc;
}

void om_unread__close(om_unread *u)
{
    if (u->m == NULL)
        return;
    om_reading__close(&u->reading);
    om_free(u->m->heap, u->is);
}

/* ---- resets ---- */

typedef struct index_reads {
    const om_transition *transition;
    bool changed; /* the transition assigns a slot that the index reads */
} index_reads;

static void look_for(void *self, uint32_t slot)
{
    index_reads *r = self;
    for (uint32_t i = 0; i < r->transition->assign_count; i++)
        r->changed |= r->transition->assigns[i].slot == slot;
}

static bool begins_equal(const om_slot *s)
{
    for (uint32_t i = 1; i < s->length; i++)
        if (s->initial[i] != s->initial[0])
            return false;
    return true;
}

/* After an element is taken out of an array of initial values, only the last one of its row may
 * differ from its own; that is the last one of the array, or nothing differs. */
static bool reset_last(om_model *m, const om_assign *a, om_assign *out)
{
    const om_slot *s = om_model__slot(m, a->slot);
    *out = (om_assign){ .slot = a->slot,
        .index = om_expr_const(m, (om_value) s->length - 1),
        .value = om_expr_const(m, s->initial[0]) };
    return begins_equal(s) && (s->initial[0] == 0 || om_model__row(m, a->slot) == s->length);
}

bool om_unread__reset(om_unread *u, uint32_t transition, uint32_t assign, om_assign *out)
{
    om_model *m = u->m;
    const om_transition *tr = om_model_transition(m, transition);
    const om_assign *a = &tr->assigns[assign];
    const om_slot *s = om_model__slot(m, a->slot);
    const om_node *index = &m->nodes[a->index];
    index_reads reads = { tr, false };
    om_value initial = s->initial[0];
    assert(assign < tr->assign_count);
    if (a->value == 0)
        return reset_last(m, a, out);
    if (s->length > 0 && index->op == OM_OP_CONST && index->value >= 0 &&
        (uint32_t) index->value < s->length)
        initial = s->initial[index->value];
    else if (s->length > 0) {
        if (!begins_equal(s) || om_reading__begin(&u->reading) != OM_OK)
            return false;
        om_reading__slots(&u->reading, a->index, look_for, &reads);
    }
    *out = (om_assign){ .slot = a->slot, .index = a->index, .value = om_expr_const(m, initial) };
    return !reads.changed;
}
