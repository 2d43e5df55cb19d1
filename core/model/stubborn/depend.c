/* SPDX-License-Identifier: Apache-2.0 */
#include "depend.h"

#include <assert.h>

/* MOST_ENTRIES: of all lists; MOST_VISITS: of accesses and conjuncts, to find the rivals: 0.2 s */
enum { MOST_ENTRIES = 1 << 24, MOST_VISITS = 1 << 24 };

/* The accesses of each cell, and those of parts of each array: lists of their numbers. */
typedef struct users {
    om_depend *d;
    uint32_t *transition_of; /* by access */
    om_lists by_cell;        /* by cell, then by slot: accesses with a computed index */
    uint32_t *stamps, stamp; /* by transition: it is in the list */
    uint64_t visits;
} users;

/* ---- who uses a cell ---- */

/* Returns the number of the list in which an access is kept. */
static uint32_t list_of(const users *u, const om_access *a)
{
    const om_footprint *f = &u->d->footprint;
    const uint32_t cells = f->cell_of[om_model_slot_count(u->d->m)];
    return a->count == 1 ? a->cell : cells + f->slot_of[a->cell];
}

/* Sorts the accesses by list: a counting sort. */
static bool index_users(users *u)
{
    const om_footprint *f = &u->d->footprint;
    const om_heap *heap = u->d->m->heap;
    const uint32_t slots = om_model_slot_count(u->d->m);
    om_lists *l = &u->by_cell;
    l->lists = f->cell_of[slots] + (size_t) slots;
    if (!OM_NEW(heap, l->first, l->lists + 2) || !OM_NEW(heap, l->at, f->access_count + 1) ||
        !OM_NEW(heap, u->transition_of, f->access_count + 1))
        return false;
    for (uint32_t t = 0; t < f->all; t++)
        for (uint32_t i = f->first[t]; i < f->first[t + 1]; i++)
            u->transition_of[i] = t;
    for (size_t i = 0; i < f->access_count; i++)
        l->first[list_of(u, &f->accesses[i]) + 2]++;
    for (size_t i = 2; i < l->lists + 2; i++)
        l->first[i] += l->first[i - 1];
    for (size_t i = 0; i < f->access_count; i++)
        l->at[l->first[list_of(u, &f->accesses[i]) + 1]++] = (uint32_t) i;
    l->count = f->access_count;
    return true;
}

/* A visit of an access that may overlap with another one, of transition t */
typedef int visit(users *u, uint32_t access, const om_access *of, uint32_t t);

static int visit_list(users *u, uint32_t list, const om_access *of, visit *v, uint32_t t)
{
    int rc = OM_OK;
    for (uint32_t i = u->by_cell.first[list]; i < u->by_cell.first[list + 1] && rc == OM_OK; i++)
        rc = v(u, u->by_cell.at[i], of, t);
    return rc;
}

static int visit_users(users *u, const om_access *of, visit *v, uint32_t t)
{
    const uint32_t cells = u->d->footprint.cell_of[om_model_slot_count(u->d->m)];
    int rc = OM_OK;
    for (uint32_t c = of->cell; c < of->cell + of->count && rc == OM_OK; c++)
        rc = visit_list(u, c, of, v, t);
    return rc == OM_OK ? visit_list(u, cells + u->d->footprint.slot_of[of->cell], of, v, t) : rc;
}

/* ---- lists ---- */

static int open_lists(om_lists *l, const om_heap *heap, size_t most)
{
    return OM_NEW(heap, l->first, most + 1) ? OM_OK : OM_ENOMEM;
}

static void begin_list(om_lists *l)
{
    l->first[++l->lists] = (uint32_t) l->count;
}

/* Adds a transition to the last list. */
static int add_to_list(om_lists *l, const om_heap *heap, uint32_t transition)
{
    assert(l->lists > 0);
    if (l->count >= MOST_ENTRIES)
        return OM_EUNSUPPORTED;
    if (!OM_ROOM(heap, l->at, &l->room, l->count + 1))
        return OM_ENOMEM;
    l->at[l->count++] = transition;
    l->first[l->lists] = (uint32_t) l->count;
    return OM_OK;
}

static void free_lists(om_lists *l, const om_heap *heap)
{
    OM_FREE_ALL(heap, l->first, l->at);
}

/* ---- rivals ---- */

/* Returns true if the guards of two transitions have tests that exclude each other. */
static bool exclude(const om_footprint *f, uint32_t t, uint32_t u, uint64_t *visits)
{
    const uint32_t all = f->first_conjunct[t + 1] - f->first_conjunct[t];
    *visits += (uint64_t) all * (f->first_conjunct[u + 1] - f->first_conjunct[u]);
    for (uint32_t i = f->first_conjunct[t]; i < f->first_conjunct[t + 1]; i++)
        for (uint32_t k = f->first_conjunct[u]; k < f->first_conjunct[u + 1]; k++) {
            const om_conjunct *a = &f->conjuncts[i], *b = &f->conjuncts[k];
            if (a->count == 1 && b->count == 1 &&
                om_access__exclude(&f->accesses[a->first], &f->accesses[b->first]))
                return true;
        }
    return false;
}

/* Returns true if one of two transitions is a last resort: they are never enabled both. */
static bool are_apart(const om_depend *d, uint32_t t, uint32_t u)
{
    return t < d->footprint.transitions && u < d->footprint.transitions &&
           om_model__is_last_resort(d->m, t) != om_model__is_last_resort(d->m, u);
}

static int add_rival(users *u, uint32_t access, const om_access *of, uint32_t t)
{
    om_depend *d = u->d;
    const uint32_t other = u->transition_of[access];
    u->visits++;
    if (other == t || u->stamps[other] == u->stamp ||
        !om_access__conflict(of, &d->footprint.accesses[access]))
        return OM_OK;
    u->stamps[other] = u->stamp;
    return om_depend__is_never(d, other) || are_apart(d, t, other) ||
                   exclude(&d->footprint, t, other, &u->visits)
               ? OM_OK
               : add_to_list(&d->rivals, d->m->heap, other);
}

static int find_rivals(users *u)
{
    om_depend *d = u->d;
    const om_footprint *f = &d->footprint;
    int rc = open_lists(&d->rivals, d->m->heap, f->transitions);
    for (uint32_t t = 0; t < f->transitions && rc == OM_OK; t++) {
        begin_list(&d->rivals);
        u->stamp++;
        for (uint32_t i = f->first[t]; i < f->first[t + 1] && rc == OM_OK; i++) {
            rc = visit_users(u, &f->accesses[i], add_rival, t);
            if (rc == OM_OK)
                rc = u->visits > MOST_VISITS ? OM_EUNSUPPORTED : om_context_stopped(d->m->ctx);
        }
    }
    return rc;
}

/* ---- enablers ---- */

static int add_once(users *u, uint32_t t)
{
    om_depend *d = u->d;
    if (u->stamps[t] == u->stamp || om_depend__is_never(d, t))
        return OM_OK;
    u->stamps[t] = u->stamp;
    return add_to_list(&d->enablers, d->m->heap, t);
}

static int add_enabler(users *u, uint32_t access, const om_access *of, uint32_t behind)
{
    const om_access *a = &u->d->footprint.accesses[access];
    if (!om_access__may_enable(a, of))
        return OM_OK;
    if (behind != OM_NONE && a->end == OM_BACK && of->end == OM_FRONT) /* F6 */
        return OM_OK;
    return add_once(u, u->transition_of[access]);
}

static int add_disabler(users *u, uint32_t access, const om_access *of, uint32_t unused)
{
    (void) unused;
    return om_access__may_disable(&u->d->footprint.accesses[access], of)
               ? add_once(u, u->transition_of[access])
               : OM_OK;
}

/* Makes the list of a conjunct. */
static int list_enablers(users *u, const om_conjunct *g)
{
    const om_footprint *f = &u->d->footprint;
    int rc = OM_OK;
    begin_list(&u->d->enablers);
    u->stamp++;
    for (uint32_t i = 0; i < g->count && rc == OM_OK; i++)
        rc = visit_users(u, &f->accesses[g->first + i], add_enabler, g->behind);
    if (g->behind != OM_NONE && rc == OM_OK)
        rc = visit_users(u, &f->accesses[f->conjuncts[g->behind].first], add_disabler, g->behind);
    return rc == OM_OK ? om_context_stopped(u->d->m->ctx) : rc;
}

/* Equal conjuncts share a list. */
static int find_enablers(users *u)
{
    om_depend *d = u->d;
    const om_footprint *f = &d->footprint;
    const size_t nodes = d->m->node_count;
    uint32_t *known = NULL; /* by expression, and again for those with one behind: 1 + its list */
    int rc = open_lists(&d->enablers, d->m->heap, f->conjunct_count);
    if (!OM_NEW(d->m->heap, known, 2 * nodes) ||
        !OM_NEW(d->m->heap, d->enabler_of, f->conjunct_count + 1))
        rc = OM_ENOMEM;
    for (size_t c = 0; c < f->conjunct_count && rc == OM_OK; c++) {
        const om_conjunct *g = &f->conjuncts[c];
        uint32_t *list = &known[g->expression + (g->behind != OM_NONE ? nodes : 0)];
        if (g->negated || *list == 0) {
            rc = list_enablers(u, g);
            d->enabler_of[c] = (uint32_t) d->enablers.lists - 1;
            *list = g->negated ? *list : (uint32_t) d->enablers.lists;
        } else
            d->enabler_of[c] = *list - 1;
    }
    om_free(d->m->heap, known);
    return rc;
}

/* ---- what is seen ---- */

/* Returns true if a guard with this test implies that another test holds, or fails. */
static bool decides(const om_access *guard, const om_access *test, bool holds)
{
    if (!om_access__tests(guard) || guard->cell != test->cell)
        return false;
    return holds ? guard->kind == OM_TEST_EQUAL && om_access__passes(test, guard->value)
                 : om_access__exclude(guard, test);
}

/* Returns true if a write of a transition may change whether a test holds. */
static bool may_change(
    const om_footprint *f, uint32_t t, const om_access *write, const om_access *test)
{
    if (test->kind == OM_READ || write->kind != OM_WRITE_CONST)
        return true;
    const bool holds = om_access__passes(test, write->value);
    for (uint32_t i = f->first[t]; i < f->first[t + 1]; i++)
        if (decides(&f->accesses[i], test, holds))
            return false;
    return true;
}

static int see(users *u, uint32_t access, const om_access *of, uint32_t unused)
{
    const om_footprint *f = &u->d->footprint;
    const uint32_t t = u->transition_of[access];
    const om_access *a = &f->accesses[access];
    (void) unused;
    if (om_access__writes(a) && om_access__overlap(a, of) && may_change(f, t, a, of))
        u->d->seen[t] = true;
    return OM_OK;
}

static int find_seen(users *u, const om_expr *aps, uint32_t count)
{
    om_footprint *f = &u->d->footprint;
    const size_t first = f->access_count;
    om_values *values = f->values;
    int rc = OM_OK;
    f->values = NULL; /* propositions are also looked at where L2 says that no transition looks */
    for (uint32_t i = 0; i < count; i++)
        om_footprint__read_truth(f, aps[i]);
    f->values = values;
    rc = f->rc;
    for (size_t i = first; i < f->access_count && rc == OM_OK; i++) {
        rc = visit_users(u, &f->accesses[i], see, 0);
        if (rc == OM_OK)
            rc = om_context_stopped(u->d->m->ctx);
    }
    f->access_count = first;
    return rc;
}

/* ---- all of it ---- */

/* Values that do not fit are faults, too, if the model is told so. */
static bool may_fault(om_depend *d)
{
    om_footprint *f = &d->footprint;
    bool may = f->all > f->transitions;
    if (d->m->tame && d->m->overflow != OM_OVERFLOW_ERROR)
        return may;
    for (uint32_t t = 0; t < f->transitions && !may; t++)
        may = om_footprint__step_may_fault(f, t);
    return may;
}

int om_depend__open(
    om_depend *d, const om_model *m, const om_executor *x, const om_expr *aps, uint32_t count)
{
    const uint32_t transitions = om_model_transition_count(m);
    users u = { .d = d };
    *d = (om_depend){ .m = m };
    int rc = om_footprint__open(&d->footprint, m, x);
    if (rc == OM_OK &&
        (!index_users(&u) || !OM_NEW(m->heap, u.stamps, d->footprint.all + (size_t) 1) ||
            !OM_NEW(m->heap, d->seen, transitions + (size_t) 1) ||
            !OM_NEW(m->heap, d->sticky, transitions + (size_t) 1)))
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = find_rivals(&u);
    if (rc == OM_OK)
        rc = find_enablers(&u);
    if (rc == OM_OK)
        rc = find_seen(&u, aps, count);
    if (rc == OM_OK)
        rc = om_depend__find_sticky(d);
    d->faults = rc == OM_OK && may_fault(d);
    free_lists(&u.by_cell, m->heap);
    OM_FREE_ALL(m->heap, u.transition_of, u.stamps);
    return rc;
}

void om_depend__close(om_depend *d)
{
    free_lists(&d->rivals, d->m->heap);
    free_lists(&d->enablers, d->m->heap);
    OM_FREE_ALL(d->m->heap, d->enabler_of, d->seen, d->sticky);
    om_footprint__close(&d->footprint);
}
