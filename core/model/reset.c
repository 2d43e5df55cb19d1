/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dead variables. A variable is dead in a location of its process when on every way from there it
 * is written before it is read; then its value is of no consequence, and states that differ in it
 * alone need not be told apart. So a transition that enters such a location gives it its initial
 * value.
 *
 * Candidates are the slots of a process (scalars, and short arrays) that no transition without that
 * process mentions, and neither an assertion nor an atomic proposition. What is live follows from
 * the location graph of the process by the usual equations (a read is a use, whatever becomes of
 * the value; only a whole slot is killed).
 *
 * Why verdicts stay: let two states be related when they differ at most in candidates that are dead
 * in the location of their process. Related states give all propositions and assertions the same
 * value. A transition that involves the process reads no dead candidate of it (that would be a
 * use), any other mentions none; so it is enabled in both or in none, and faults in both or in
 * none. Its targets are related: what is live there was written, from equal values, or it was live
 * before and equal. Setting a dead candidate to whatever stays within the relation. So the relation
 * is a bisimulation between the model as it was and with resets, transition by transition, and they
 * have the same runs of propositions, the same deadlocks and the same faults.
 *
 * The lasso that comes of it is one of the model with resets, and is refereed there.
 */
#include "reset.h"

#include "form.h"

#include <string.h>

enum { LONGEST = 64 /* elements of an array that is a candidate */ };

/* What is known of a transition besides its list of assignments. */
typedef struct om_own {
    uint32_t count;         /* its own assignments, the first ones */
    uint32_t capacity;      /* of the list */
    om_assign *with_resets; /* the list, once there were resets; else NULL */
} om_own;

typedef struct bits {
    uint64_t *at;
    size_t words; /* of one row */
} bits;

typedef struct analysis {
    om_model *m;
    uint32_t transitions, slots;
    uint32_t *number;         /* by slot: of the candidate, or OM_NONE */
    uint32_t *slot_of;        /* by candidate */
    uint32_t count;           /* candidates */
    bits uses, kills, writes; /* rows: transitions; columns: candidates */
    bits live;                /* rows: locations of one process */
    uint32_t *seen, stamp;    /* by node */
    uint64_t *done;           /* candidates written whole so far, one row */
    uint64_t *elements;       /* by candidate: elements written so far */
    om_assign *list;          /* assignments of one transition, with resets */
    size_t capacity;
} analysis;

static bool make(const analysis *a, bits *b, size_t rows)
{
    b->words = a->count / 64 + 1;
    b->at =
        rows > SIZE_MAX / b->words ? NULL : om_alloc(a->m->heap, rows * b->words, sizeof *b->at);
    return b->at != NULL;
}

static uint64_t *row(const bits *b, uint32_t i)
{
    return b->at + i * b->words;
}

static bool has(const uint64_t *r, uint32_t i)
{
    return ((r[i / 64] >> (i % 64)) & 1) != 0;
}

static void add(uint64_t *r, uint32_t i)
{
    r[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool involves(const om_transition *t, uint32_t process)
{
    return process != OM_NONE && (t->process == process || t->partner == process);
}

/* ---- candidates ---- */

/* Calls see() for every slot that e reads. Each node is visited once until the stamp changes. */
typedef void on_slot(analysis *a, uint32_t slot, uint32_t subject);

static void visit(analysis *a, om_expr e, on_slot *see, uint32_t subject)
{
    const om_node n = a->m->nodes[e];
    if (e == 0 || a->seen[e] == a->stamp)
        return;
    a->seen[e] = a->stamp;
    if (n.op == OM_OP_CONST)
        return;
    if (n.op == OM_OP_SLOT || n.op == OM_OP_ELEMENT)
        see(a, n.a, subject);
    else
        visit(a, n.a, see, subject);
    if (n.op != OM_OP_SLOT)
        visit(a, n.b, see, subject);
}

static void exclude(analysis *a, uint32_t slot, uint32_t subject)
{
    (void) subject;
    a->number[slot] = OM_NONE;
}

/* A transition mentions a slot: only with its owner does it stay a candidate. */
static void mentioned(analysis *a, uint32_t slot, uint32_t t)
{
    if (!involves(om_model_transition(a->m, t), om_model__slot(a->m, slot)->process))
        a->number[slot] = OM_NONE;
}

static bool may_be_candidate(const om_model *m, uint32_t slot)
{
    const om_slot *s = om_model__slot(m, slot);
    if (s->process == OM_NONE || s->length > LONGEST)
        return false;
    uint32_t location = om_model_process(m, s->process)->location;
    return location != OM_NONE && location != slot;
}

static void exclude_mentioned(analysis *a, const om_expr *aps, uint32_t ap_count)
{
    a->stamp++;
    for (uint32_t i = 0; i < ap_count; i++)
        visit(a, aps[i], exclude, 0);
    for (uint32_t i = 0; i < om_model_assertion_count(a->m); i++)
        visit(a, om_model_assertion(a->m, i)->condition, exclude, 0);
    for (uint32_t i = 0; i < om_model_process_count(a->m); i++)
        if (om_model_process(a->m, i)->location != OM_NONE)
            exclude(a, om_model_process(a->m, i)->location, 0);
    for (uint32_t t = 0; t < a->transitions; t++) {
        const om_transition *tr = om_model_transition(a->m, t);
        a->stamp++;
        visit(a, tr->guard, mentioned, t);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            visit(a, tr->assigns[i].index, mentioned, t);
            visit(a, tr->assigns[i].value, mentioned, t);
            mentioned(a, tr->assigns[i].slot, t);
        }
    }
}

static void find_candidates(analysis *a, const om_expr *aps, uint32_t ap_count)
{
    for (uint32_t s = 0; s < a->slots; s++)
        a->number[s] = may_be_candidate(a->m, s) ? 0 : OM_NONE;
    exclude_mentioned(a, aps, ap_count);
    for (uint32_t s = 0; s < a->slots; s++)
        if (a->number[s] != OM_NONE) {
            a->number[s] = a->count;
            a->slot_of[a->count++] = s;
        }
}

/* ---- what a transition does ---- */

static void used(analysis *a, uint32_t slot, uint32_t t)
{
    uint32_t c = a->number[slot];
    if (c != OM_NONE && !has(a->done, c))
        add(row(&a->uses, t), c);
}

/* Is candidate c written whole once this assignment is made? */
static bool whole(analysis *a, uint32_t c, const om_assign *as)
{
    uint32_t length = om_model__slot(a->m, as->slot)->length;
    if (length == 0)
        return true;
    const om_node *i = om_model_node(a->m, as->index);
    if (i->op == OM_OP_CONST && i->value >= 0 && (uint32_t) i->value < length)
        a->elements[c] |= UINT64_C(1) << i->value;
    return a->elements[c] == UINT64_MAX >> (64 - length);
}

static void summarise(analysis *a, uint32_t t)
{
    const om_transition *tr = om_model_transition(a->m, t);
    memset(a->done, 0, a->uses.words * sizeof *a->done);
    memset(a->elements, 0, a->count * sizeof *a->elements);
    a->stamp++;
    visit(a, tr->guard, used, t);
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const om_assign *as = &tr->assigns[i];
        uint32_t c = a->number[as->slot];
        visit(a, as->index, used, t);
        visit(a, as->value, used, t);
        if (c == OM_NONE)
            continue;
        add(row(&a->writes, t), c);
        if (whole(a, c, as) && !has(a->done, c)) {
            add(a->done, c);
            add(row(&a->kills, t), c);
        }
    }
}

/* ---- the location graph ---- */

/* The location that the guard asks for, or OM_NONE. */
static uint32_t source(const om_model *m, om_expr guard, uint32_t location)
{
    const om_node *n = &m->nodes[guard];
    if (guard == 0)
        return OM_NONE;
    if (n->op == OM_OP_AND) {
        uint32_t left = source(m, n->a, location);
        return left != OM_NONE ? left : source(m, n->b, location);
    }
    if (n->op != OM_OP_EQ || m->nodes[n->a].op != OM_OP_SLOT || m->nodes[n->a].a != location ||
        m->nodes[n->b].op != OM_OP_CONST)
        return OM_NONE;
    return (uint32_t) m->nodes[n->b].value;
}

#define STAYS UINT32_MAX          /* no location: it is left as it is */
#define ANYWHERE (UINT32_MAX - 1) /* no location: it is computed */

static uint32_t target(const om_model *m, const om_transition *t, uint32_t location)
{
    uint32_t to = STAYS;
    for (uint32_t i = 0; i < t->assign_count; i++)
        if (t->assigns[i].slot == location) {
            const om_node *v = om_model_node(m, t->assigns[i].value);
            to = v->op == OM_OP_CONST ? (uint32_t) v->value : ANYWHERE;
        }
    return to;
}

/* Can the graph be read off? Not where others move the process, or to a place that is computed. */
static bool readable(const analysis *a, uint32_t process, uint32_t location)
{
    uint32_t locations = om_model__slot(a->m, location)->enumerators;
    for (uint32_t t = 0; t < a->transitions; t++) {
        const om_transition *tr = om_model_transition(a->m, t);
        uint32_t to = target(a->m, tr, location), from = source(a->m, tr->guard, location);
        if (to != STAYS && (to >= locations || !involves(tr, process)))
            return false;
        if (from != OM_NONE && from >= locations)
            return false;
    }
    return true;
}

/* live[from] gets what t needs; true when that is news. */
static bool flow(analysis *a, uint32_t t, uint32_t from, uint32_t to)
{
    uint64_t *into = row(&a->live, from);
    const uint64_t *out = row(&a->live, to);
    bool news = false;
    for (size_t w = 0; w < a->live.words; w++) {
        uint64_t need = row(&a->uses, t)[w] | (out[w] & ~row(&a->kills, t)[w]);
        news = news || (need & ~into[w]) != 0;
        into[w] |= need;
    }
    return news;
}

static void solve(analysis *a, uint32_t process, uint32_t location)
{
    uint32_t locations = om_model__slot(a->m, location)->enumerators;
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = a->transitions; k-- > 0;) {
            const om_transition *t = om_model_transition(a->m, k);
            if (!involves(t, process))
                continue;
            uint32_t from = source(a->m, t->guard, location), to = target(a->m, t, location);
            for (uint32_t l = 0; l < locations; l++)
                if (from == OM_NONE || from == l)
                    news = flow(a, k, l, to == STAYS ? l : to) || news;
        }
    }
}

/* ---- resets ---- */

static bool append(analysis *a, size_t *count, uint32_t slot)
{
    const om_slot *s = om_model__slot(a->m, slot);
    uint32_t elements = s->length == 0 ? 1 : s->length;
    om_assign *list = om_grow(a->m->heap, a->list, &a->capacity, *count + elements, sizeof *list);
    if (list == NULL)
        return false;
    a->list = list;
    for (uint32_t i = 0; i < elements; i++)
        list[(*count)++] = (om_assign){ .slot = slot,
            .index = s->length == 0 ? 0 : om_expr_const(a->m, (om_value) i),
            .value = om_expr_const(a->m, s->initial[i]) };
    return true;
}

/* Has candidate c to be reset by t, from one location (or OM_NONE) to another? Not where it was
 * dead before already and is left alone: then it has its initial value. */
static bool wants_reset(const analysis *a, uint32_t c, uint32_t t, uint32_t from, uint32_t to)
{
    bool was_dead = from != OM_NONE && !has(row(&a->live, from), c);
    return !has(row(&a->live, to), c) && (has(row(&a->writes, t), c) || !was_dead);
}

/* Gives the transition these assignments, which begin with its own. A session checks one property
 * after another: memory that an earlier list had is used again. */
static int replace(om_model *m, uint32_t t, const om_assign *list, size_t count)
{
    om_transition *tr = m->transitions.at[t];
    om_own *own = &m->own[t];
    om_assign *kept = own->with_resets;
    if (count > own->capacity) {
        if ((kept = om_model__take(m, count, sizeof *kept)) == NULL)
            return OM_ENOMEM;
        own->with_resets = kept;
        own->capacity = (uint32_t) count;
    }
    memcpy(kept, list, count * sizeof *kept);
    tr->assigns = kept;
    tr->assign_count = (uint32_t) count;
    return om_model_expr_check(m, NULL);
}

static int reset_by(analysis *a, uint32_t process, uint32_t location, uint32_t t, uint32_t *resets)
{
    om_transition *tr = a->m->transitions.at[t];
    uint32_t from = source(a->m, tr->guard, location), to = target(a->m, tr, location);
    size_t count = tr->assign_count;
    if (to == STAYS)
        to = from;
    if (to == OM_NONE) /* it is not known where it is */
        return OM_OK;
    om_assign *list = om_grow(a->m->heap, a->list, &a->capacity, count, sizeof *list);
    if (list == NULL)
        return OM_ENOMEM;
    a->list = list;
    if (count != 0)
        memcpy(list, tr->assigns, count * sizeof *list);
    for (uint32_t c = 0; c < a->count; c++) {
        uint32_t slot = a->slot_of[c];
        if (om_model__slot(a->m, slot)->process != process || !wants_reset(a, c, t, from, to))
            continue;
        if (!append(a, &count, slot))
            return OM_ENOMEM;
        ++*resets;
    }
    if (count == tr->assign_count)
        return OM_OK;
    return replace(a->m, t, a->list, count);
}

static int reset_process(analysis *a, uint32_t process, uint32_t *resets)
{
    uint32_t location = om_model_process(a->m, process)->location;
    int rc = OM_OK;
    if (location == OM_NONE || !readable(a, process, location))
        return OM_OK;
    if (!make(a, &a->live, om_model__slot(a->m, location)->enumerators))
        return OM_ENOMEM;
    solve(a, process, location);
    for (uint32_t t = 0; t < a->transitions && rc == OM_OK; t++)
        if (involves(om_model_transition(a->m, t), process))
            rc = reset_by(a, process, location, t, resets);
    om_free(a->m->heap, a->live.at);
    a->live.at = NULL;
    return rc;
}

/* ---- the whole ---- */

/* Remembers the model's own assignments, which come first. */
static int remember(om_model *m)
{
    uint32_t count = om_model_transition_count(m);
    if (m->own != NULL)
        return OM_OK;
    om_own *own = om_model__take(m, count, sizeof *own);
    if (own == NULL)
        return OM_ENOMEM;
    for (uint32_t t = 0; t < count; t++)
        own[t].count = own[t].capacity = om_model_transition(m, t)->assign_count;
    m->own = own;
    return OM_OK;
}

void om_model__keep_dead(om_model *m)
{
    for (uint32_t t = 0; m->own != NULL && t < om_model_transition_count(m); t++) {
        om_transition *tr = m->transitions.at[t];
        tr->assign_count = m->own[t].count;
    }
    m->resets = 0;
}

static int analyse(analysis *a, const om_expr *aps, uint32_t ap_count, uint32_t *resets)
{
    const om_heap *heap = a->m->heap;
    a->number = om_alloc(heap, a->slots, sizeof *a->number);
    a->slot_of = om_alloc(heap, a->slots, sizeof *a->slot_of);
    a->seen = om_alloc(heap, a->m->node_count, sizeof *a->seen);
    if (a->number == NULL || a->slot_of == NULL || a->seen == NULL)
        return OM_ENOMEM;
    find_candidates(a, aps, ap_count);
    a->done = om_alloc(heap, a->count / 64 + 1, sizeof *a->done);
    a->elements = om_alloc(heap, a->count, sizeof *a->elements);
    if (a->done == NULL || a->elements == NULL || !make(a, &a->uses, a->transitions) ||
        !make(a, &a->kills, a->transitions) || !make(a, &a->writes, a->transitions))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < a->transitions; t++)
        summarise(a, t);
    int rc = OM_OK;
    for (uint32_t p = 0; p < om_model_process_count(a->m) && a->count > 0 && rc == OM_OK; p++)
        rc = reset_process(a, p, resets);
    return rc;
}

int om_model__reset_dead(om_model *m, const om_expr *aps, uint32_t ap_count, uint32_t *resets)
{
    analysis a = { .m = m };
    uint32_t made = 0;
    int rc = om_model__may_run(m, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    a.transitions = om_model_transition_count(m);
    a.slots = om_model_slot_count(m);
    om_model__keep_dead(m);
    rc = remember(m);
    if (rc == OM_OK)
        rc = analyse(&a, aps, ap_count, &made);
    if (rc == OM_OK)
        m->resets = made;
    else
        om_model__keep_dead(m);
    om_free(m->heap, a.number);
    om_free(m->heap, a.slot_of);
    om_free(m->heap, a.seen);
    om_free(m->heap, a.done);
    om_free(m->heap, a.elements);
    om_free(m->heap, a.uses.at);
    om_free(m->heap, a.kills.at);
    om_free(m->heap, a.writes.at);
    om_free(m->heap, a.live.at);
    om_free(m->heap, a.list);
    if (rc == OM_OK && resets != NULL)
        *resets = made;
    return rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
}
