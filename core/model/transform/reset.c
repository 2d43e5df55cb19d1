/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dead variables, and slots that nothing reads. A variable is dead in a location of its process if
 * it is written before it is read on every path from there. Its value does not matter then, and
 * states that differ only in it need not be distinguished. So a transition that enters such a
 * location assigns the variable its initial value.
 *
 * Candidates are the slots of a process (scalars, and short arrays) that no transition assigns
 * without moving the process. A transition that starts a process moves it, because it assigns its
 * location. Liveness follows from the location graph of the process by the usual equations (a read
 * is a use, even if the value has no effect; only a write of the whole slot kills). A candidate is
 * also live in a location in which another process, an assertion or an atomic proposition reads it:
 * that is, if it remains in their expressions after the location is substituted for its slot.
 *
 * Why verdicts are preserved: let two states be related if they differ at most in candidates that
 * are dead in the location of their process. Related states give all propositions and assertions
 * the same value. A transition that moves the process reads no dead candidate of it (that would be
 * a use), and any other transition reads none on whose value it depends there. So it is enabled in
 * both states or in neither, and faults in both or in neither. Its targets are related: a candidate
 * that is live there was either written, from equal values, or was live before and equal. Setting a
 * dead candidate to any value stays within the relation. So the relation is a bisimulation between
 * the model with and without resets, transition by transition. Both have the same runs of
 * propositions, the same deadlocks and the same faults.
 *
 * A slot that nothing reads (unread.h) is dead in all locations. Each transition that assigns it
 * resets it, so it keeps its initial value. Its owner and the movers do not matter: no guard, no
 * fault and no assignment to a slot that is read depends on it, and the argument is the same. The
 * value of such a slot may wrap in the model without resets alone: that is not reported, because
 * the reset replaces the assignment.
 *
 * A lasso found in this way is a run of the model with resets, and the referee checks it there.
 * Then it is translated to the model without resets (core/lasso/referee/real.c) and checked again;
 * this lasso is shown.
 */
#include "reset.h"

#include "analysis/dead.h"
#include "analysis/sites.h"
#include "analysis/unread.h"

#include <assert.h>
#include <string.h>

/* The resets being added. */
typedef struct resets {
    om_model *m;
    om_dead dead;
    om_unread unread;
    om_assign *list; /* assignments of one transition, with resets */
    size_t capacity;
    uint32_t made;
} resets;

static bool append(resets *r, size_t *count, uint32_t slot)
{
    const om_slot *s = om_model__slot(r->m, slot);
    uint32_t elements = s->length == 0 ? 1 : s->length;
    if (!OM_ROOM(r->m->heap, r->list, &r->capacity, *count + elements))
        return false;
    for (uint32_t i = 0; i < elements; i++)
        r->list[(*count)++] = (om_assign){ .slot = slot,
            .index = s->length == 0 ? 0 : om_expr_const(r->m, (om_value) i),
            .value = om_expr_const(r->m, s->initial[i]) };
    return true;
}

/* Sets the transition's assignments, which begin with its own. A session checks one property after
 * another, so the memory of an earlier list is reused. */
static int replace(om_model *m, uint32_t t, const om_assign *list, size_t count)
{
    om_transition *tr = m->transitions.at[t];
    om_own *own = &m->own[t];
    assert(count >= own->count); /* its own assignments come first */
    om_assign *kept = own->with_resets;
    if (kept == NULL || count > own->capacity) {
        if ((kept = om_region_take(&m->region, count, sizeof *kept)) == NULL)
            return OM_ENOMEM;
        own->with_resets = kept;
        own->capacity = (uint32_t) count;
    }
    memcpy(kept, list, count * sizeof *kept);
    tr->assigns = kept;
    tr->assign_count = (uint32_t) count;
    return om_model_expr_check(m, NULL);
}

/* Adds the resets that om_dead__solve() found to the transition. */
static int reset_by(resets *r, uint32_t t)
{
    const om_dead *d = &r->dead;
    const om_transition *tr = r->m->transitions.at[t];
    size_t count = tr->assign_count;
    if (!OM_ROOM(r->m->heap, r->list, &r->capacity, count))
        return OM_ENOMEM;
    if (count != 0)
        memcpy(r->list, tr->assigns, count * sizeof *r->list);
    for (uint32_t i = d->wanted[t]; i != OM_NONE; i = d->items[i].next) {
        if (r->unread.is[d->items[i].number])
            continue; /* it has its initial value anyway */
        if (!append(r, &count, d->items[i].number))
            return OM_ENOMEM;
        r->made++;
    }
    return count == tr->assign_count ? OM_OK : replace(r->m, t, r->list, count);
}

static bool is_among(const om_assign *list, size_t count, const om_assign *a)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].slot == a->slot && list[i].index == a->index && list[i].value == a->value)
            return true;
    return false;
}

/* Returns true if an assignment does nothing but set its variable, to a value that may wrap. */
static bool may_wrap(const om_model *m, uint32_t t, uint32_t assign)
{
    const om_assign *a = &om_model_transition(m, t)->assigns[assign];
    return m->overflow == OM_OVERFLOW_WRAP && om_model__site(m, t, assign) != OM_NONE &&
           a->value != 0 && !m->facts[a->value].faults;
}

/* Resets the unread slots that a transition assigns: after all assignments, or in place of one that
 * may wrap, so that it does not. */
static int reset_unread(resets *r, uint32_t t)
{
    const om_transition *tr = r->m->transitions.at[t];
    const uint32_t own = tr->assign_count, before = r->made;
    size_t count = own;
    if (!OM_ROOM(r->m->heap, r->list, &r->capacity, own))
        return OM_ENOMEM;
    if (own != 0)
        memcpy(r->list, tr->assigns, own * sizeof *r->list);
    for (uint32_t i = 0; i < own; i++) {
        const om_assign *a = &tr->assigns[i];
        om_assign reset;
        if (!r->unread.is[a->slot])
            continue;
        if (!om_unread__reset(&r->unread, t, i, &reset) ||
            !OM_ROOM(r->m->heap, r->list, &r->capacity, count + 1))
            return OM_ENOMEM;
        if (may_wrap(r->m, t, i))
            r->list[i] = reset;
        else if (is_among(r->list + own, count - own, &reset))
            continue;
        else
            r->list[count++] = reset;
        r->made++;
    }
    return r->made == before ? OM_OK : replace(r->m, t, r->list, count);
}

static int reset_process(resets *r, uint32_t process)
{
    const om_dead *d = &r->dead;
    if (d->first[process] == d->first[process + 1]) /* no candidates */
        return OM_OK;
    int rc = om_dead__solve(&r->dead, process);
    for (uint32_t i = d->moves.first[process]; i < d->moves.first[process + 1] && rc == OM_OK;
         i++) {
        const uint32_t t = d->moves.at[i].transition;
        rc = d->wanted[t] == OM_NONE ? om_context_stopped(r->m->ctx) : reset_by(r, t);
    }
    return rc;
}

/* Records the number of each transition's own assignments, which come first. */
static int remember(om_model *m)
{
    uint32_t count = om_model_transition_count(m);
    if (m->own != NULL)
        return OM_OK;
    om_own *own = om_region_take(&m->region, count, sizeof *own);
    if (own == NULL)
        return OM_ENOMEM;
    for (uint32_t t = 0; t < count; t++) {
        const om_transition *tr = om_model_transition(m, t);
        own[t] = (om_own){ tr->assigns, tr->assign_count, tr->assign_count, NULL };
    }
    m->own = own;
    return OM_OK;
}

bool om_model__is_unread(const om_model *m, uint32_t slot)
{
    assert(slot < m->slots.count);
    return m->unread != NULL && m->unread[slot];
}

/* Keeps which slots are unread. The memory is the model's, and used again. */
static int keep_unread(om_model *m, const om_unread *u)
{
    bool *unread = m->unread_room;
    if (u->count > 0 && unread == NULL)
        unread = m->unread_room = om_region_take(&m->region, m->slots.count, sizeof *unread);
    m->unread = NULL;
    if (u->count == 0)
        return OM_OK;
    if (unread == NULL)
        return OM_ENOMEM;
    for (uint32_t s = 0; s < m->slots.count; s++)
        unread[s] = u->is[om_model__is_member(m, s) ? om_model__kept_slot(m, s)->family : s];
    m->unread = unread;
    return OM_OK;
}

void om_model__keep_dead(om_model *m)
{
    for (uint32_t t = 0; m->own != NULL && t < om_model_transition_count(m); t++) {
        om_transition *tr = m->transitions.at[t];
        tr->assigns = m->own[t].assigns;
        tr->assign_count = m->own[t].count;
    }
    m->resets = 0;
}

int om_model__reset_dead(om_model *m, const om_expr *aps, uint32_t ap_count, uint32_t *made)
{
    resets r = { .m = m };
    int rc = om_model__may_run(m, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    om_model__keep_dead(m);
    rc = remember(m);
    if (rc == OM_OK) {
        rc = om_unread__open(&r.unread, m, aps, ap_count);
        if (rc == OM_OK)
            rc = keep_unread(m, &r.unread);
        for (uint32_t t = 0; t < m->transitions.count && rc == OM_OK && r.unread.count > 0; t++)
            rc = reset_unread(&r, t);
    }
    if (rc == OM_OK) {
        rc = om_dead__open(&r.dead, m, aps, ap_count);
        uint32_t processes = r.dead.count > 0 ? om_model_process_count(m) : 0;
        for (uint32_t p = 0; p < processes && rc == OM_OK; p++)
            rc = reset_process(&r, p);
        om_dead__close(&r.dead);
    }
    if (rc == OM_OK)
        m->resets = r.made;
    else
        om_model__keep_dead(m);
    om_unread__close(&r.unread);
    om_free(m->heap, r.list);
    if (rc == OM_OK && made != NULL)
        *made = r.made;
    return rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
}
