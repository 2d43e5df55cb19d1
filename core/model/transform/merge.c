/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statement merging. merge_points.h defines the locations that are *passed*, by M1 to M4.
 *
 * If a transition enters a passed location and the guards of M2 hold after it, the transitions that
 * leave the location are appended to it. Their guards are evaluated before the first step, with the
 * values assigned by the steps in between substituted for the slots.
 *
 * Why verdicts are preserved. Let s be a state in which p is in l, and s' its successor by a
 * transition t of l. By M3 they have the same propositions. A step u of other processes from s is
 * enabled in s', and leads from there to the successor by t of the state after u: neither writes
 * what the other reads or writes. (If the guard of u is false in l, u is not enabled in s and there
 * is nothing to show.) So in every run of the model in which p eventually leaves l, that step can
 * be moved forward to directly after the step into l. Which step is taken does not depend on the
 * time, because only slots that p writes exclusively decide it. A run in which p never leaves l
 * equals, except for repetitions, the run in which it has left l. By M4 only finitely many states
 * are repeated per step, so runs differ only by stuttering (Clarke, Grumberg, Peled: Model
 * Checking, chapter 10: t is invisible and independent of all steps of others). By M2, no state in
 * l is a deadlock. A state in which only transitions of l are enabled is followed by a state that
 * the merged form keeps.
 *
 * With fairness to processes (`movers`): p is enabled in l until it moves, so a fair run leaves l.
 * Which steps the other processes can take must be the same before and after. If l disabled one of
 * them, leaving out l would make a process that is disabled now and then one that waits in vain. A
 * step of p counts as a move of p.
 *
 * Runs of the merged form are translated to the model step by step; the referee never sees this
 * form.
 */
#include "merge.h"

#include "form/interval.h"
#include "merge_points.h"
#include "model.h"
#include "analysis/moves.h"
#include "analysis/sites.h"

#include <assert.h>
#include <string.h>

enum {
    GUARD_SIZE = 256, /* maximum size of a guard that is moved forward, in nodes */
    LONGEST = 4096,   /* maximum assignments of one transition */
    WAYS = 32,        /* transitions that leave a passed location, at most */
    TIMES = 4,
    MORE = 512 /* limit on the number of transitions: TIMES * the original ones + MORE */
};

/* A transition of the merged form before it is added to the model. */
typedef struct made_transition {
    om_expr guard;
    uint32_t origin;                     /* the first of the row */
    uint32_t assign_first, assign_count; /* in assigns[], written[], fits[] */
    uint32_t row_first, row_count;       /* in rows[] */
    bool kept;
} made_transition;

struct om_merged {
    const om_heap *heap;
    om_model *full, *model;
    om_expr *aps;
    uint32_t ap_count, passed;
    uint32_t *rows; /* transitions of the full model */
    size_t row_room;
    uint32_t row_end;
    uint32_t *row; /* by transition: start of its row; one entry more at the end */
};

typedef struct merging {
    om_merged *g;
    const om_heap *heap;
    bool movers;
    om_rewrite copy; /* from the full model's expressions */
    om_merge_input in;
    om_transition *transitions; /* with the new model's expressions */
    om_assign *own;             /* of these */
    bool *certain;
    om_expr *conditions;
    om_points points;
    /* The results. */
    made_transition *made;
    size_t made_count, made_room;
    om_assign *assigns;
    om_written *written;
    bool *fits;
    size_t assign_room, written_room, fits_room;
    uint32_t assign_end;
    /* The transition being built. */
    om_assign now[LONGEST];
    om_written now_written[LONGEST];
    bool now_fits[LONGEST];
    uint32_t now_count;
    uint32_t chain[2 * 64 + 2], chain_count; /* its row */
    om_rewrite before; /* rewrites expressions after now[] in terms of the state before it */
    om_expr *value;    /* by slot: its value after now[]; 0: unchanged or unknown */
    bool *unknown;     /* by slot: its value after now[] is unknown */
    uint32_t *touched, touched_count;
    bool lost; /* an unknown value was read */
} merging;

/* ---- copying the model to the new arena ---- */

/* Copies slots and processes; the layout follows from them. */
static int copy_frame(const om_model *from, om_model *to)
{
    int rc = OM_OK;
    for (uint32_t p = 0; p < from->processes.count && rc == OM_OK; p++)
        rc = om_model_add_process(to, om_model_process(from, p)->name, NULL);
    for (uint32_t s = 0; s < from->slots.count && rc == OM_OK; s++) {
        const om_slot *slot = om_model__slot(from, s);
        rc = om_model_add_slot(to, slot, NULL);
        if (rc != OM_OK)
            return rc;
        om_slot *made = to->slots.at[s]; /* it may have been narrowed */
        made->bits = slot->bits;
        made->low = slot->low;
        made->high = slot->high;
    }
    if (rc == OM_OK)
        om_model__copy_families(from, to);
    if (rc == OM_OK && from->ranges != NULL) {
        if (!OM_NEW(to->heap, to->ranges, from->slots.count))
            return om_fail_memory(to->ctx);
        memcpy(to->ranges, from->ranges, from->slots.count * sizeof *to->ranges);
    }
    to->room = from->room; /* its option belongs to `from`, which outlives the copy */
    for (uint32_t p = 0; p < from->processes.count && rc == OM_OK; p++)
        if (om_model_process(from, p)->location != OM_NONE)
            rc = om_model_set_location(to, p, om_model_process(from, p)->location);
    return rc;
}

static int copy_expr(merging *x, om_expr e, om_expr *out)
{
    int rc = om_rewrite__expr(&x->copy, e, out);
    return rc == OM_OK ? om_model_expr_check(x->g->model, NULL) : om_fail_memory(x->g->full->ctx);
}

static bool assign_may_fault(const om_model *m, const om_assign *a)
{
    return (a->value != 0 && m->facts[a->value].faults) ||
           (a->index != 0 && (m->facts[a->index].faults ||
                                 om_interval__may_miss(m, a->index, om_model__slot(m, a->slot))));
}

static bool has_sites(const om_model *m, uint32_t t)
{
    return m->site_of[t] != m->site_of[t + 1];
}

/* Returns true if a copied transition never faults; an overflow counts unless it wraps. */
static bool is_certain(const merging *x, uint32_t t, const om_transition *made)
{
    const om_model *full = x->g->full, *m = x->g->model;
    bool certain = (full->overflow == OM_OVERFLOW_WRAP || !has_sites(full, t)) &&
                   (full->tame || made->guard == 0 || !m->facts[made->guard].faults);
    for (uint32_t i = 0; i < made->assign_count && certain && !full->tame; i++)
        certain = !assign_may_fault(m, &made->assigns[i]);
    return certain;
}

static int copy_transitions(merging *x)
{
    const om_model *full = x->g->full;
    const uint32_t count = om_model_transition_count(full);
    size_t assigns = 0;
    for (uint32_t t = 0; t < count; t++)
        assigns += om_model_transition(full, t)->assign_count;
    if (!OM_NEW(x->heap, x->transitions, (size_t) count + 1) ||
        !OM_NEW(x->heap, x->certain, (size_t) count + 1) || !OM_NEW(x->heap, x->own, assigns + 1))
        return om_fail_memory(full->ctx);
    om_assign *next = x->own;
    int rc = OM_OK;
    for (uint32_t t = 0; t < count && rc == OM_OK; t++) {
        const om_transition *from = om_model_transition(full, t);
        om_transition *to = &x->transitions[t];
        *to = *from;
        to->assigns = next;
        rc = copy_expr(x, from->guard, &to->guard);
        for (uint32_t i = 0; i < from->assign_count && rc == OM_OK; i++, next++) {
            next->slot = from->assigns[i].slot;
            rc = copy_expr(x, from->assigns[i].index, &next->index);
            if (rc == OM_OK)
                rc = copy_expr(x, from->assigns[i].value, &next->value);
        }
        x->certain[t] = rc == OM_OK && is_certain(x, t, to);
    }
    assert(rc != OM_OK || next == x->own + assigns);
    return rc;
}

static int copy_the_rest(merging *x, const om_expr *aps)
{
    const om_model *full = x->g->full;
    const uint32_t count = om_model_assertion_count(full);
    om_merge_input *in = &x->in;
    int rc = OM_OK;
    if (!OM_NEW(x->heap, x->conditions, (size_t) count + 1) ||
        !OM_NEW(x->heap, x->g->aps, (size_t) x->g->ap_count + 1))
        return om_fail_memory(full->ctx);
    for (uint32_t i = 0; i < count && rc == OM_OK; i++)
        rc = copy_expr(x, om_model_assertion(full, i)->condition, &x->conditions[i]);
    for (uint32_t i = 0; i < x->g->ap_count && rc == OM_OK; i++)
        rc = copy_expr(x, aps[i], &x->g->aps[i]);
    *in = (om_merge_input){ .m = x->g->model,
        .transitions = x->transitions,
        .certain = x->certain,
        .transition_count = om_model_transition_count(full),
        .conditions = x->conditions,
        .condition_count = count,
        .aps = x->g->aps,
        .ap_count = x->g->ap_count,
        .movers = x->movers };
    return rc == OM_OK ? copy_expr(x, full->visible, &in->visible) : rc;
}

/* ---- expressions after a transition, in terms of the state before ---- */

static om_expr instead(void *self, om_expr e, om_node n)
{
    merging *x = self;
    if (n.op != OM_OP_SLOT && n.op != OM_OP_ELEMENT)
        return 0;
    if (x->unknown[n.a]) {
        x->lost = true;
        return e;
    }
    return n.op == OM_OP_SLOT ? x->value[n.a] : 0;
}

static bool is_stored_whole(const om_model *m, const om_slot *s, om_expr value)
{
    return om_interval__within(om_interval__of(m, value), om_interval__of_slot(s));
}

/* Computes the values of slots after the assignments of now[]. */
static int find_values(merging *x)
{
    for (uint32_t i = 0; i < x->touched_count; i++) {
        x->value[x->touched[i]] = 0;
        x->unknown[x->touched[i]] = false;
    }
    x->touched_count = 0;
    for (uint32_t i = 0; i < x->now_count; i++) {
        const om_assign *a = &x->now[i];
        om_expr value = 0;
        x->lost = false;
        om_rewrite__again(&x->before);
        if (om_rewrite__expr(&x->before, a->value, &value) != OM_OK)
            return OM_ENOMEM;
        if (x->value[a->slot] == 0 && !x->unknown[a->slot])
            x->touched[x->touched_count++] = a->slot;
        x->unknown[a->slot] =
            x->lost || a->index != 0 || value == 0 || x->g->model->facts[value].size > GUARD_SIZE ||
            !is_stored_whole(x->g->model, om_model__slot(x->g->model, a->slot), value);
        x->value[a->slot] = x->unknown[a->slot] ? 0 : value;
    }
    om_rewrite__again(&x->before);
    return OM_OK;
}

/* Sets *out to a conjunct in terms of the state before now[], or to 0 if that is impossible. Call
 * after find_values(). */
static int as_before(merging *x, om_expr e, om_expr *out)
{
    const om_model *m = x->g->model;
    x->lost = false;
    om_rewrite__again(&x->before); /* a cached node would not set `lost` again */
    if (om_rewrite__expr(&x->before, e, out) != OM_OK)
        return OM_ENOMEM;
    if (x->lost || *out == 0 || m->facts[*out].size > GUARD_SIZE)
        *out = 0;
    return OM_OK;
}

static bool holds(const om_model *m, om_expr e, om_expr guard)
{
    const om_node *n = &m->nodes[e];
    if (n->op == OM_OP_CONST)
        return n->value != 0;
    if (guard == 0)
        return false;
    const om_node *g = &m->nodes[guard];
    return guard == e || (g->op == OM_OP_AND && (holds(m, e, g->a) || holds(m, e, g->b)));
}

/* ---- rows of transitions ---- */

static bool make_room(merging *x)
{
    om_merged *g = x->g;
    const size_t assigns = (size_t) x->assign_end + x->now_count;
    return OM_ROOM(x->heap, x->made, &x->made_room, x->made_count + 1) &&
           OM_ROOM(x->heap, x->assigns, &x->assign_room, assigns) &&
           OM_ROOM(x->heap, x->written, &x->written_room, assigns) &&
           OM_ROOM(x->heap, x->fits, &x->fits_room, assigns) &&
           OM_ROOM(x->heap, g->rows, &g->row_room, (size_t) g->row_end + x->chain_count);
}

/* Returns true if the value that assignment i stores is overwritten before it is read. Applies only
 * to locations. */
static bool is_replaced(const merging *x, uint32_t i)
{
    const om_model *m = x->g->model;
    const uint32_t slot = x->now[i].slot;
    if (x->points.process_of[slot] == OM_NONE || m->nodes[x->now[i].value].op != OM_OP_CONST)
        return false;
    for (uint32_t k = i + 1; k < x->now_count; k++) {
        if (om_expr_reads(m, x->now[k].value, slot) || om_expr_reads(m, x->now[k].index, slot))
            return false;
        if (x->now[k].slot == slot)
            return true;
    }
    return false;
}

static int put_made(merging *x, om_expr guard)
{
    const om_model *full = x->g->full;
    /* If a transition may overflow, all its assignments keep their numbers. */
    const bool shorten =
        x->chain_count > 1 && full->site_of[x->chain[0]] == full->site_of[x->chain[0] + 1];
    assert(x->chain_count != 0 && x->now_count <= LONGEST);
    if (!make_room(x))
        return OM_ENOMEM;
    made_transition *t = &x->made[x->made_count++];
    *t = (made_transition){ .guard = guard,
        .origin = x->chain[0],
        .assign_first = x->assign_end,
        .row_first = x->g->row_end,
        .row_count = x->chain_count };
    for (uint32_t i = 0; i < x->now_count; i++) {
        if (shorten && is_replaced(x, i))
            continue;
        x->assigns[x->assign_end] = x->now[i];
        x->written[x->assign_end] = x->now_written[i];
        x->fits[x->assign_end++] = x->now_fits[i];
        t->assign_count++;
    }
    memcpy(x->g->rows + x->g->row_end, x->chain, x->chain_count * sizeof *x->chain);
    x->g->row_end += x->chain_count;
    return OM_OK;
}

/* Appends the effect of a transition to now[]. Returns false if the result would be too long. */
static bool add_step(merging *x, uint32_t t)
{
    const om_model *full = x->g->full;
    const om_transition *tr = &x->transitions[t];
    if (x->now_count + tr->assign_count > LONGEST ||
        x->chain_count == sizeof x->chain / sizeof *x->chain)
        return false;
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const bool own = tr->written != NULL && i < om_model__own_count(full, t);
        x->now_written[x->now_count] = own ? tr->written[i] : (om_written){ 0, 0 };
        x->now_fits[x->now_count] = own && om_model__site(full, t, i) == OM_NONE;
        x->now[x->now_count++] = tr->assigns[i];
    }
    x->chain[x->chain_count++] = t;
    return true;
}

/* ---- appending transitions ---- */

/* Returns the location of the process after now[] if now[] moves it to a known location, else
 * OM_NONE. */
static uint32_t stands(const merging *x, uint32_t process)
{
    const uint32_t slot = om_model_process(x->g->model, process)->location;
    for (uint32_t i = x->now_count; i-- > 0;)
        if (x->now[i].slot == slot) {
            const om_node *n = &x->g->model->nodes[x->now[i].value];
            return n->op == OM_OP_CONST ? (uint32_t) n->value : OM_NONE;
        }
    return OM_NONE;
}

/* Returns the passed location that now[] moves a process to, or NULL. */
static const om_point *passed_by(const merging *x, uint32_t process)
{
    if (process == OM_NONE || x->points.base[process] == OM_NONE)
        return NULL;
    const uint32_t location = stands(x, process);
    const om_point *p = location == OM_NONE ? NULL : om_points__at(&x->points, process, location);
    return p != NULL && p->passed ? p : NULL;
}

/* A location is not tried again if its transitions could not be appended to the step. */
enum { TRIED = 8 };
typedef struct tried {
    const om_point *at[TRIED];
    uint32_t count;
} tried;

static bool was_tried(const tried *t, const om_point *p)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->at[i] == p)
            return true;
    return t->count == TRIED;
}

/* Returns the passed location of a process that moves or, unless movers count, of one that is
 * started. */
static const om_point *next_point(const merging *x, const tried *t)
{
    const om_transition *first = &x->transitions[x->chain[0]];
    const om_point *p = passed_by(x, first->process);
    if (p == NULL || was_tried(t, p))
        p = passed_by(x, first->partner);
    for (uint32_t i = 0; i < x->now_count && !x->movers && (p == NULL || was_tried(t, p)); i++)
        p = passed_by(x, x->points.process_of[x->now[i].slot]);
    return p != NULL && !was_tried(t, p) ? p : NULL;
}

/* Sets *fit if all transitions that leave the point can be appended to now[]. Then guards[] has
 * their guards in terms of the state before (0: never enabled), in the order of the list. Call
 * after find_values(). */
static int fit_behind(
    merging *x, const om_point *p, om_expr guard, om_expr *guards, uint32_t *count, bool *fit)
{
    om_model *m = x->g->model;
    const om_expr yes = om_expr_const(m, 1);
    *count = 0;
    *fit = yes != 0;
    for (uint32_t t = p->first; t != OM_NONE && *fit; t = x->points.next[t]) {
        const om_residue *r = &x->points.residue[t];
        om_expr all = yes, e = 0;
        for (uint32_t i = 0; i < r->steady_count && *fit; i++) {
            if (as_before(x, x->points.conjuncts[r->steady_first + i], &e) != OM_OK)
                return OM_ENOMEM;
            *fit = e != 0 && holds(m, e, guard);
        }
        for (uint32_t i = 0; i < r->count && *fit; i++) {
            if (as_before(x, x->points.conjuncts[r->first + i], &e) != OM_OK)
                return OM_ENOMEM;
            *fit = e != 0 && (x->g->full->tame || !m->facts[e].faults);
            all = *fit ? om_expr_binary(m, OM_OP_AND, all, e) : all;
        }
        *fit = *fit && all != 0 && m->facts[all].size <= GUARD_SIZE;
        const bool never = *fit && m->nodes[all].op == OM_OP_CONST && m->nodes[all].value == 0;
        assert(*count < WAYS); /* merge_points.c passes no location with more */
        guards[(*count)++] = never ? 0 : all;
    }
    return OM_OK;
}

static om_expr both(om_model *m, om_expr guard, om_expr e)
{
    return guard == 0 ? e : om_expr_binary(m, OM_OP_AND, guard, e);
}

/* Appends all possible transitions to now[], which has this guard, and adds the results. The
 * recursion is at most DEPTH deep for each process that moves. */
static int extend(merging *x, om_expr guard, tried t)
{
    om_expr guards[WAYS] = { 0 };
    uint32_t count = 0, k = 0;
    const uint32_t now = x->now_count, chain = x->chain_count;
    const om_point *p = next_point(x, &t);
    bool fit = false;
    if (p == NULL)
        return put_made(x, guard);
    int rc = find_values(x);
    if (rc == OM_OK)
        rc = fit_behind(x, p, guard, guards, &count, &fit);
    if (rc != OM_OK)
        return rc;
    for (uint32_t s = p->first; s != OM_NONE && fit; s = x->points.next[s]) {
        fit = add_step(x, s);
        x->now_count = now;
        x->chain_count = chain;
    }
    if (!fit) {
        t.at[t.count++] = p;
        assert(t.count <= TRIED);
        return extend(x, guard, t);
    }
    assert(x->now_count == now && x->chain_count == chain);
    for (uint32_t s = p->first; s != OM_NONE && rc == OM_OK; s = x->points.next[s], k++) {
        const om_node *n = &x->g->model->nodes[guards[k]];
        if (guards[k] == 0)
            continue;
        (void) add_step(x, s);
        rc = extend(x, n->op == OM_OP_CONST ? guard : both(x->g->model, guard, guards[k]), t);
        x->now_count = now;
        x->chain_count = chain;
    }
    return rc;
}

static int make_all(merging *x)
{
    const uint32_t count = x->in.transition_count;
    const size_t most = (size_t) TIMES * count + MORE;
    int rc = OM_OK;
    for (uint32_t t = 0; t < count && rc == OM_OK; t++) {
        const tried none = { .count = 0 };
        const om_expr guard = x->transitions[t].guard;
        x->now_count = x->chain_count = 0;
        rc = om_context_stopped(x->g->full->ctx);
        if (rc == OM_OK && !add_step(x, t)) { /* too long to be extended */
            x->g->passed = 0;
            return OM_OK;
        }
        if (rc == OM_OK)
            rc = x->made_count + (count - t) < most ? extend(x, guard, none) : put_made(x, guard);
    }
    return rc;
}

/* ---- transitions to keep ---- */

/* The reachable locations of processes: a transition waits for its source points. */
typedef struct keeping {
    bool *occupied;          /* by point */
    uint32_t *waiting;       /* by point: the first transition that waits for it, or OM_NONE */
    uint32_t *next;          /* by made transition, two each: the next one that waits there */
    uint8_t *missing;        /* by made transition: points that it waits for */
    uint32_t *queue, queued; /* made transitions that can be taken */
} keeping;

/* Decrements the number of points that the transition waits for; queues it at 0. */
static void may_start(keeping *k, uint32_t made)
{
    assert(k->missing[made] != 0);
    if (--k->missing[made] == 0)
        k->queue[k->queued++] = made;
}

static void occupy(keeping *k, uint32_t point)
{
    if (k->occupied[point])
        return;
    k->occupied[point] = true;
    for (uint32_t w = k->waiting[point]; w != OM_NONE; w = k->next[w])
        may_start(k, w / 2);
}

/* Registers the transition at its source points; it can be taken only after they are occupied. */
static void wait_for_points(const merging *x, keeping *k, uint32_t made)
{
    const om_transition *first = &x->transitions[x->made[made].origin];
    const uint32_t process[2] = { first->process, first->partner };
    k->missing[made] = 1;
    for (uint32_t i = 0; i < 2; i++) {
        if (process[i] == OM_NONE || x->points.base[process[i]] == OM_NONE)
            continue;
        const uint32_t slot = om_model_process(x->g->model, process[i])->location;
        const uint32_t from = om_move__source(x->g->model, first->guard, slot);
        if (from == OM_NONE)
            continue;
        const uint32_t point = x->points.base[process[i]] + from;
        assert(point < x->points.point_count);
        k->missing[made]++;
        k->next[2 * made + i] = k->waiting[point];
        k->waiting[point] = 2 * made + i;
    }
    may_start(k, made);
}

/* Marks the target points of the transition. A process with an unknown target has no points. */
static void occupy_targets(const merging *x, keeping *k, const made_transition *t)
{
    for (uint32_t i = 0; i < t->assign_count; i++) {
        const om_assign *a = &x->assigns[t->assign_first + i];
        const uint32_t process = x->points.process_of[a->slot];
        const om_node *n = &x->g->model->nodes[a->value];
        if (process != OM_NONE && x->points.base[process] != OM_NONE && n->op == OM_OP_CONST)
            occupy(k, x->points.base[process] + (uint32_t) n->value);
    }
}

static void occupy_initial(const merging *x, keeping *k)
{
    const om_model *m = x->g->model;
    for (uint32_t p = 0; p < om_model_process_count(m); p++)
        if (x->points.base[p] != OM_NONE) {
            const om_slot *s = om_model__slot(m, om_model_process(m, p)->location);
            occupy(k, x->points.base[p] + (uint32_t) s->initial[0]);
        }
}

static int keep(merging *x, keeping *k)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < x->points.point_count; i++)
        k->waiting[i] = OM_NONE;
    for (uint32_t i = 0; i < x->made_count && rc == OM_OK; i++) {
        wait_for_points(x, k, i);
        rc = om_context_stopped(x->g->full->ctx);
    }
    occupy_initial(x, k);
    assert(k->queued <= x->made_count);
    for (uint32_t i = 0; i < k->queued && rc == OM_OK; i++) {
        x->made[k->queue[i]].kept = true;
        occupy_targets(x, k, &x->made[k->queue[i]]);
        rc = om_context_stopped(x->g->full->ctx);
    }
    return rc;
}

/* Marks the transitions to keep. Transitions from locations that are always passed are left out. */
static int keep_what_can_be(merging *x)
{
    const size_t points = (size_t) x->points.point_count + 1, made = x->made_count + 1;
    keeping k = { .occupied = om_alloc(x->heap, points, sizeof *k.occupied),
        .waiting = om_alloc(x->heap, points, sizeof *k.waiting),
        .next = om_alloc(x->heap, 2 * made, sizeof *k.next),
        .missing = om_alloc(x->heap, made, sizeof *k.missing),
        .queue = om_alloc(x->heap, made, sizeof *k.queue) };
    const bool room = k.occupied != NULL && k.waiting != NULL && k.next != NULL &&
                      k.missing != NULL && k.queue != NULL;
    const int rc = room ? keep(x, &k) : om_fail_memory(x->g->full->ctx);
    OM_FREE_ALL(x->heap, k.occupied, k.waiting, k.next, k.missing, k.queue);
    return rc;
}

static int add_transition(merging *x, const made_transition *t)
{
    om_transition made = x->transitions[t->origin];
    made.guard = t->guard;
    made.assigns = x->assigns + t->assign_first;
    made.written = x->written + t->assign_first;
    made.assign_count = t->assign_count;
    const int rc = om_model_add_transition(x->g->model, &made, NULL);
    return rc == OM_OK && om_model__is_last_resort(x->g->full, t->origin)
               ? om_model_set_last_resort(x->g->model)
               : rc;
}

/* Adds the kept transitions, their rows, and the facts about their assignments. */
static int add_transitions(merging *x)
{
    om_merged *g = x->g;
    om_model *m = g->model;
    uint32_t kept = 0, end = 0;
    size_t assigns = 0;
    int rc = OM_OK;
    for (size_t i = 0; i < x->made_count; i++)
        assigns += x->made[i].kept ? x->made[i].assign_count : 0;
    g->row = om_alloc(x->heap, x->made_count + 1, sizeof *g->row);
    m->fits = om_region_take(&m->region, assigns + 1, sizeof *m->fits);
    uint32_t *rows = om_alloc(x->heap, (size_t) g->row_end + 1, sizeof *rows);
    if (g->row == NULL || m->fits == NULL || rows == NULL) {
        om_free(x->heap, rows);
        return om_fail_memory(m->ctx);
    }
    assigns = 0;
    for (size_t i = 0; i < x->made_count && rc == OM_OK; i++) {
        const made_transition *t = &x->made[i];
        if (!t->kept)
            continue;
        memcpy(m->fits + assigns, x->fits + t->assign_first, t->assign_count * sizeof *m->fits);
        assigns += t->assign_count;
        memcpy(rows + end, g->rows + t->row_first, t->row_count * sizeof *rows);
        g->row[kept++] = end;
        end += t->row_count;
        rc = add_transition(x, t);
    }
    assert(kept <= x->made_count && end <= g->row_end);
    g->row[kept] = end;
    om_free(x->heap, g->rows);
    g->rows = rows;
    return rc;
}

static int finish(merging *x)
{
    const om_model *full = x->g->full;
    om_model *m = x->g->model;
    int rc = keep_what_can_be(x);
    if (rc == OM_OK)
        rc = add_transitions(x);
    for (uint32_t i = 0; i < om_model_assertion_count(full) && rc == OM_OK; i++) {
        om_assertion a = *om_model_assertion(full, i);
        a.condition = om_model__checks(full, i) ? x->conditions[i] : om_expr_const(m, 1);
        rc = om_model_add_assertion(m, &a);
        if (rc == OM_OK && om_model__is_final(full, i))
            rc = om_model_set_final(m);
    }
    if (rc == OM_OK && x->in.visible != 0)
        rc = om_model_set_visible(m, x->in.visible);
    if (rc == OM_OK)
        rc = om_model_finish(m);
    if (rc != OM_OK)
        return rc;
    m->tame = full->tame;
    m->resets = full->resets;
    om_model__set_asserted(m, full->asserted);
    return om_model_set_overflow(m, full->overflow);
}

/* ---- opening and closing ---- */

static int make_tables(merging *x)
{
    const size_t slots = (size_t) om_model_slot_count(x->g->full) + 1;
    x->before =
        (om_rewrite){ .from = x->g->model, .to = x->g->model, .instead = instead, .self = x };
    return OM_NEW(x->heap, x->value, slots) && OM_NEW(x->heap, x->unknown, slots) &&
                   OM_NEW(x->heap, x->touched, slots)
               ? OM_OK
               : OM_ENOMEM;
}

static int merge(merging *x, const om_expr *aps)
{
    om_context *ctx = x->g->full->ctx;
    int rc = om_model_new(&x->g->model, ctx, x->g->full->name);
    if (rc == OM_OK)
        rc = copy_frame(x->g->full, x->g->model);
    x->copy = (om_rewrite){ .from = x->g->full, .to = x->g->model };
    if (rc == OM_OK)
        rc = copy_transitions(x);
    if (rc == OM_OK)
        rc = copy_the_rest(x, aps);
    if (rc != OM_OK)
        return rc;
    rc = om_points__open(&x->points, &x->in);
    x->g->passed = x->points.passed;
    if (rc == OM_OK && x->g->passed != 0)
        rc = make_tables(x);
    if (rc == OM_OK && x->g->passed != 0)
        rc = make_all(x);
    if (rc == OM_ENOMEM)
        return om_fail_memory(ctx);
    if (rc == OM_OK && x->g->passed != 0)
        rc = finish(x);
    return rc;
}

static void drop(merging *x)
{
    om_rewrite__close(&x->copy);
    om_rewrite__close(&x->before);
    om_points__close(&x->points);
    OM_FREE_ALL(x->heap, x->transitions, x->own, x->certain, x->conditions, x->made, x->assigns,
        x->written, x->fits, x->value, x->unknown, x->touched, x);
}

/* Returns true if a process of the model has locations; nets have none. */
static bool may_be_merged(const om_model *m)
{
    bool may = false;
    for (uint32_t p = 0; p < m->processes.count; p++)
        may = may || om_model__own_location(m, p) != OM_NONE;
    return may && m->finished && m->disabled == NULL;
}

int om_merged__new(om_merged **out, om_model *m, const om_expr *aps, uint32_t ap_count, bool movers)
{
    *out = NULL;
    if (!may_be_merged(m))
        return OM_OK;
    om_merged *g = om_alloc(m->heap, 1, sizeof *g);
    merging *x = om_alloc(m->heap, 1, sizeof *x);
    if (g == NULL || x == NULL) {
        OM_FREE_ALL(m->heap, g, x);
        return om_fail_memory(m->ctx);
    }
    *g = (om_merged){ .heap = m->heap, .full = m, .ap_count = ap_count };
    x->g = g;
    x->heap = m->heap;
    x->movers = movers;
    int rc = merge(x, aps);
    drop(x);
    if (rc == OM_EINPUT && g->model->status == OM_EINPUT) { /* expressions became too large */
        om_context_clear(m->ctx);
        g->passed = 0;
        rc = OM_OK;
    }
    if (rc == OM_OK && g->passed != 0)
        *out = g;
    else
        om_merged__free(g);
    return rc;
}

void om_merged__free(om_merged *g)
{
    if (g == NULL)
        return;
    om_model_free(g->model);
    OM_FREE_ALL(g->heap, g->aps, g->rows, g->row, g);
}

om_model *om_merged__model(const om_merged *g)
{
    return g->model;
}

const om_expr *om_merged__aps(const om_merged *g)
{
    return g->aps;
}

uint32_t om_merged__passed(const om_merged *g)
{
    return g->passed;
}

const uint32_t *om_merged__row(const om_merged *g, uint32_t transition, uint32_t *count)
{
    *count = g->row[transition + 1] - g->row[transition];
    return g->rows + g->row[transition];
}

/* Only the first transition of a row can fault (M1). */
om_fault om_merged__fault(const om_merged *g, om_fault fault)
{
    const uint32_t subject = OM_FAULT_SUBJECT(fault);
    const om_fault kind = OM_FAULT_KIND(fault);
    if (kind == OM_FAULT_INDEX || kind == OM_FAULT_DIVISION)
        return OM_FAULT(kind, g->rows[g->row[subject]]);
    if (kind != OM_FAULT_OVERFLOW)
        return fault;
    const om_site *site = &g->model->sites[subject];
    return OM_FAULT(kind, om_model__site(g->full, g->rows[g->row[site->transition]], site->assign));
}

int om_merged__find_overflow(const om_merged *g, const uint32_t *vector, om_overflow *out)
{
    uint32_t count = 0;
    const int rc = om_model_find_overflow(g->model, vector, out);
    if (rc != OM_OK)
        return rc;
    const uint32_t *row = om_merged__row(g, out->transition, &count);
    uint32_t slot = om_model_find_slot(g->model, out->variable);
    const om_place at = out->place;
    out->variable = om_model__slot(g->full, slot)->name;
    if (om_model__is_member(g->full, slot))
        slot = om_model__kept_slot(g->full, slot)->family;
    for (uint32_t i = 0; i < count; i++) {
        const om_transition *t = om_model_transition(g->full, row[i]);
        out->transition = row[i];
        out->place = (om_place){ t->place.file, at.line, at.column };
        for (uint32_t k = 0; k < t->assign_count && t->written != NULL; k++)
            if (t->assigns[k].slot == slot && t->written[k].line == at.line &&
                t->written[k].column == at.column)
                return OM_OK;
    }
    return OM_OK;
}
