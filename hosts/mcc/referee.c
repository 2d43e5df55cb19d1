/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges runs of the net as it was read, against a property. Whatever reduction, translation or
 * search found them, this file uses only the firing rule and the formula.
 *
 *  J1  A run has a marking before each firing; one that ends has another, which repeats.
 *  J2  Only MCC_UNTIL has values of a first argument.
 */
#include "mcc.h"

#include <assert.h>
#include <string.h>

typedef struct referee {
    mcc *m;
    const om_firings *run;
    size_t positions, loop; /* number of markings; the position after the last one */
    om_value *marking;
} referee;

static bool is_enabled(const om_net_transition *t, const om_value *marking)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (marking[t->takes[i].place] < t->takes[i].count)
            return false;
    for (uint32_t i = 0; i < t->limit_count; i++)
        if (marking[t->limits[i].place] > t->limits[i].most)
            return false;
    return true;
}

/* Fires a transition. Returns false if it is not enabled. */
static bool fire(const om_net *net, uint32_t transition, om_value *marking)
{
    const om_net_transition *t = &net->transitions[transition];
    if (!is_enabled(t, marking))
        return false;
    for (uint32_t i = 0; i < t->take_count; i++)
        marking[t->takes[i].place] -= t->takes[i].count;
    for (uint32_t i = 0; i < t->reset_count; i++)
        marking[t->resets[i]] = 0;
    for (uint32_t i = 0; i < t->give_count; i++)
        if (__builtin_add_overflow(
                marking[t->gives[i].place], t->gives[i].count, &marking[t->gives[i].place]))
            return false;
    return true;
}

static void reset(referee *r)
{
    for (uint32_t p = 0; p < r->m->net->place_count; p++)
        r->marking[p] = r->m->net->places[p].initial;
}

static bool *value_of(referee *r, const mcc_formula *f);

static bool *value_of_atom(referee *r, const om_predicate *p)
{
    bool *v = om_alloc(r->m->c->heap, r->positions + 1, sizeof *v);
    reset(r);
    for (size_t i = 0; v != NULL && i < r->positions; i++) {
        v[i] = om_predicate_holds(p, r->marking);
        if (i < r->run->count)
            (void) fire(r->m->net, r->run->transitions[i], r->marking);
    }
    return v;
}

/* Computes an operator backwards along the run. a: values of the last argument, replaced by the
 * result; b: of the first, or NULL. Two rounds are needed: in the second, the first position of the
 * loop has its value. */
static void go_back(const referee *r, mcc_kind kind, bool *a, const bool *b)
{
    bool next = kind == MCC_GLOBALLY;
    assert((kind == MCC_UNTIL) == (b != NULL)); /* J2 */
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = r->positions; i-- > 0;) {
            if (i + 1 == r->positions && round == 1)
                next = a[r->loop];
            if (kind == MCC_GLOBALLY)
                next = a[i] && next;
            else
                next = a[i] || ((b == NULL || b[i]) && next);
            a[i] = next;
        }
}

static void step(const referee *r, bool *a)
{
    const bool first = a[r->loop];
    for (size_t i = 0; i + 1 < r->positions; i++)
        a[i] = a[i + 1];
    a[r->positions - 1] = first;
}

static void join(const referee *r, mcc_kind kind, bool *a, const bool *b)
{
    for (size_t i = 0; i < r->positions; i++)
        a[i] = kind == MCC_AND ? a[i] && b[i] : a[i] || b[i];
}

static bool *value_of_joined(referee *r, const mcc_formula *f)
{
    bool *a = value_of(r, f->args[0]);
    for (uint32_t i = 1; a != NULL && i < f->count; i++) {
        bool *b = value_of(r, f->args[i]);
        if (b != NULL)
            join(r, f->kind, a, b);
        om_free(r->m->c->heap, b);
        if (b == NULL) {
            om_free(r->m->c->heap, a);
            a = NULL;
        }
    }
    return a;
}

static bool *value_of_until(referee *r, const mcc_formula *f)
{
    bool *b = value_of(r, f->args[0]);
    bool *a = b == NULL ? NULL : value_of(r, f->args[1]);
    if (a != NULL)
        go_back(r, MCC_UNTIL, a, b);
    om_free(r->m->c->heap, b);
    return a;
}

/* Returns the value for each position; the caller frees it with om_free(). NULL if memory runs
 * out. */
static bool *value_of(referee *r, const mcc_formula *f)
{
    if (f->kind == MCC_ATOM)
        return value_of_atom(r, f->atom);
    if (f->kind == MCC_AND || f->kind == MCC_OR)
        return value_of_joined(r, f);
    if (f->kind == MCC_UNTIL)
        return value_of_until(r, f);
    bool *a = value_of(r, f->args[0]);
    if (a == NULL)
        return NULL;
    if (f->kind == MCC_NEXT)
        step(r, a);
    else if (f->kind == MCC_NOT)
        for (size_t i = 0; i < r->positions; i++)
            a[i] = !a[i];
    else
        go_back(r, f->kind, a, NULL);
    return a;
}

/* Returns true if every transition of the run is enabled in its turn. */
static bool can_fire(referee *r)
{
    reset(r);
    for (size_t i = 0; i < r->run->count; i++)
        if (!fire(r->m->net, r->run->transitions[i], r->marking))
            return false;
    return true;
}

static bool can_nothing(const referee *r)
{
    const om_net *net = r->m->net;
    for (uint32_t t = 0; t < net->transition_count; t++)
        if (is_enabled(&net->transitions[t], r->marking))
            return false;
    return true;
}

static int object(const referee *r, const char *id)
{
    return om_fail(r->m->c->ctx, OM_EINTERNAL, NULL,
        "%s: the run found on the reduced net is not a counterexample on the net", id);
}

static int judge_formula(referee *r, const mcc_property *p)
{
    bool *v = value_of(r, p->asked);
    const bool refuted = v != NULL && !v[0];
    om_free(r->m->c->heap, v);
    return v == NULL ? om_fail_memory(r->m->c->ctx) : refuted ? OM_OK : object(r, p->id);
}

static om_wide sum_of(const mcc_property *p, const om_value *marking)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < p->term_count; i++)
        sum += p->terms[i].factor * marking[p->terms[i].place];
    return sum;
}

int mcc_judge(mcc *m, const mcc_property *p, const om_firings *run, om_wide value)
{
    const bool ends = run->loop >= run->count;
    referee r = { .m = m,
        .run = run,
        .positions = run->count + ends,
        .loop = ends ? run->count : run->loop,
        .marking = om_alloc(m->c->heap, (size_t) m->net->place_count + 1, sizeof *r.marking) };
    int rc = OM_OK;
    assert(r.loop < r.positions && r.positions >= run->count); /* J1 */
    if (r.marking == NULL)
        return om_fail_memory(m->c->ctx);
    if (!can_fire(&r) || (run->loop == run->count && !can_nothing(&r)))
        rc = object(&r, p->id);
    else if (p->question == MCC_RUNS)
        rc = judge_formula(&r, p);
    else if (p->question == MCC_BOUND)
        rc = sum_of(p, r.marking) == value ? OM_OK : object(&r, p->id);
    else if (p->wanted != NULL)
        rc = om_predicate_holds(p->wanted, r.marking) ? OM_OK : object(&r, p->id);
    om_free(m->c->heap, r.marking);
    return rc;
}
