/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarjan's search, with Gabow's stack of components in place of low links: the entries of the stack
 * are strongly connected as far as their edges are known. Edges to live or done states are
 * processed when the state that they leave is entered, so that cycles are seen as early as
 * possible; the others are followed in the cursor's order.
 *
 * Invariants:
 *  E1  The number of a live state is n if and only if live[n - 1] is that state. The numbers of a
 *      component are consecutive, from its root on, as are its edges among the arcs and its rows
 *      among the rows.
 *  E2  `within` and the rows of a component cover all its states, and those of its edges that were
 *      met and lead to one of its states.
 */
#include "search.h"

#include <assert.h>
#include <string.h>

enum { UNKNOWN = 0 };
#define DONE UINT32_MAX

static int fail_memory(const search *s)
{
    return om_fail_memory(om_task_context(s->in->task));
}

static component *top(const search *s)
{
    return &s->stack[s->count - 1];
}

static uint64_t *met_of(const search *s, size_t k)
{
    return s->rows + 2 * k * s->in->words;
}

static uint64_t *must_of(const search *s, size_t k)
{
    return met_of(s, k) + s->in->words;
}

static int number_of(const search *s, om_id id, uint32_t *number)
{
    const uint32_t *at = om_side_at(s->in->numbers, id);
    if (at == NULL)
        return fail_memory(s);
    *number = *at;
    return OM_OK;
}

static int set_number(const search *s, om_id id, uint32_t number)
{
    uint32_t *at = om_side_at(s->in->numbers, id);
    if (at == NULL)
        return fail_memory(s);
    *at = number;
    return OM_OK;
}

/* ---- evidence ---- */

/* Returns the component of the live state of this number. */
static size_t component_of(const search *s, uint64_t number)
{
    size_t low = 0, high = s->count;
    assert(number > 0 && number <= s->max);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->stack[middle].root <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns true if a state is live in this search; its number may be of another search. */
static bool is_live(const search *s, om_id id, uint32_t *number)
{
    return number_of(s, id, number) == OM_OK && *number != UNKNOWN && *number <= s->max &&
           s->live[*number - 1] == id;
}

bool search_same(const search *s, om_id a, om_id b)
{
    uint32_t i = UNKNOWN, k = UNKNOWN;
    return is_live(s, a, &i) && is_live(s, b, &k) && component_of(s, i) == component_of(s, k);
}

static bool same(void *self, om_id a, om_id b)
{
    return search_same(self, a, b);
}

/* Returns the path to the root of the last component: the root of each component, and the state
 * that the edge into the next one leaves. If the search did not begin at the initial states, that
 * root alone. */
static om_id *path_of(const search *s, size_t *n)
{
    om_id *path = om_resize(s->in->heap, NULL, 2 * s->count, sizeof *path);
    *n = 0;
    for (size_t i = s->never != NULL ? s->count - 1 : 0; path != NULL && i < s->count; i++) {
        const component *c = &s->stack[i];
        if (*n > 0 && path[*n - 1] != c->by.from)
            path[(*n)++] = c->by.from;
        path[(*n)++] = s->live[c->root - 1];
    }
    return path;
}

/* Reports that the last component accepts. */
static int report(search *s)
{
    om_evidence e = OM_EVIDENCE(NULL, 0);
    assert(clauses_hold(s->in->clauses, top(s)->within));
    om_id *path = path_of(s, &e.length);
    if (path == NULL)
        return fail_memory(s);
    e.path = path;
    e.entry = e.length - 1;
    e.same = same;
    e.self = s;
    clauses_prove(s->in->clauses, top(s)->within, &e.see, &e.avoid);
    s->found = true;
    int rc = om_task_evidence(s->in->task, &e);
    om_free(s->in->heap, path);
    return rc;
}

/* Reports a fault of the model in the root of the last component, which was just entered. */
static int note_fault(const search *s, om_id at)
{
    om_id of = OM_NO_ID;
    om_fault fault = om_cursor_fault(s->in->cursor, &of, NULL);
    size_t n = 0;
    if (fault == 0 || of != at)
        return OM_OK;
    om_id *path = path_of(s, &n);
    if (path == NULL)
        return fail_memory(s);
    int rc = om_task_fault(s->in->task, fault, path, n, false);
    om_free(s->in->heap, path);
    return rc;
}

/* ---- components ---- */

static bool accepts(const search *s)
{
    const size_t k = s->count - 1;
    return clauses_hold(s->in->clauses, s->stack[k].within) &&
           (s->in->words == 0 ||
               om_fair_processes_satisfied(s->in->fair_processes, met_of(s, k), must_of(s, k)));
}

/* Merges all components from that of the live state of this number on, because the last component
 * has an edge to that state. */
static int close_cycle(search *s, uint64_t number, om_marks marks, uint32_t transition)
{
    const size_t words = s->in->words;
    size_t k = s->count - 1;
    if (words != 0)
        om_fair_processes_add_step(s->in->fair_processes, transition, met_of(s, k));
    for (; s->stack[k].root > number; k--) {
        assert(k > 0); /* E1: the first root has the least number */
        marks |= s->stack[k].within | s->stack[k].by.marks;
        for (size_t i = 0; i < 2 * words; i++)
            met_of(s, k - 1)[i] |= met_of(s, k)[i];
        if (words != 0)
            om_fair_processes_add_step(
                s->in->fair_processes, s->stack[k].by.transition, met_of(s, k - 1));
    }
    s->stack[k].within |= marks;
    s->stack[k].cyclic = true;
    s->count = k + 1;
    return accepts(s) ? report(s) : OM_OK;
}

static int reserve(search *s, size_t arcs)
{
    const om_heap *heap = s->in->heap;
    const size_t words = (s->count + 1) * 2 * s->in->words;
    om_id *live = om_grow(heap, s->live, &s->live_room, s->max + 1, sizeof *live);
    s->live = live != NULL ? live : s->live;
    component *stack = om_grow(heap, s->stack, &s->stack_room, s->count + 1, sizeof *stack);
    s->stack = stack != NULL ? stack : s->stack;
    arc *all = om_grow(heap, s->arcs, &s->arc_room, s->arc_count + arcs + 1, sizeof *all);
    s->arcs = all != NULL ? all : s->arcs;
    uint64_t *rows = words == 0 ? NULL : om_grow(heap, s->rows, &s->rows_room, words, sizeof *rows);
    s->rows = rows != NULL ? rows : s->rows;
    if (live == NULL || stack == NULL || all == NULL || (words != 0 && rows == NULL))
        return fail_memory(s);
    if (s->max >= DONE - 1)
        return om_fail(om_task_context(s->in->task), OM_ELIMIT, NULL,
            "a search for components with more than %u live states", DONE - 1);
    return OM_OK;
}

/* Pushes a state with n edges as a component of its own. */
static int push(search *s, const arc *by, size_t n)
{
    int rc = reserve(s, n);
    if (rc == OM_OK)
        rc = set_number(s, by->to, (uint32_t) s->max + 1);
    if (rc != OM_OK)
        return rc;
    s->live[s->max++] = by->to; /* E1 */
    s->stack[s->count++] = (component){ .root = s->max, .by = *by, .arcs = s->arc_count };
    if (s->in->words != 0) {
        memset(met_of(s, s->count - 1), 0, (size_t) 2 * s->in->words * sizeof *s->rows);
        om_fair_processes_add_state(s->in->fair_processes, s->in->able, met_of(s, s->count - 1),
            must_of(s, s->count - 1)); /* E2 */
    }
    s->states++;
    return OM_OK;
}

/* Pops the last component; its states are done. */
static int pop(search *s)
{
    const component *c = top(s);
    int rc = OM_OK;
    assert(s->arc_count == c->arcs);
    while (rc == OM_OK && s->max >= c->root)
        rc = set_number(s, s->live[--s->max], DONE);
    s->count--;
    return rc;
}

/* Called after all edges of the last component have been followed. */
static int leave(search *s)
{
    const component *c = top(s);
    const size_t words = s->in->words, k = s->count - 1;
    bool hopeless = false;
    int rc = OM_OK;
    om_marks unmet = clauses_unmet(s->in->clauses, c->within, &hopeless);
    bool unfair = words != 0 &&
                  !om_fair_processes_satisfied(s->in->fair_processes, met_of(s, k), must_of(s, k));
    hopeless = hopeless || (unfair && !s->in->fair_processes->strong);
    s->components++;
    if (c->cyclic && !hopeless) {
        uint64_t *must = words == 0 ? NULL : must_of(s, k);
        for (size_t i = 0; i < words; i++)
            must[i] = s->in->fair_processes->strong ? must[i] & ~met_of(s, k)[i] : 0;
        assert(unmet != 0 || unfair);
        rc = s->again(s->self, &s->live[c->root - 1], s->max - c->root + 1, unmet, must);
    }
    return rc == OM_OK ? pop(s) : rc;
}

/* ---- the search ---- */

/* Returns true if the state that was expanded is left out. */
static bool is_left_out(const search *s)
{
    for (size_t i = 0; s->never != NULL && i < s->in->words; i++)
        if ((s->never[i] & s->in->able[i]) != 0)
            return true;
    return false;
}

/* Processes an edge of the state that was just entered. The caller has reserved memory for it. */
static int look(search *s, const om_step *e, om_id from)
{
    uint32_t number = UNKNOWN;
    if ((e->marks & s->avoid) != 0)
        return OM_OK;
    int rc = number_of(s, e->to, &number);
    if (rc != OM_OK || number == DONE)
        return rc;
    if (number != UNKNOWN)
        return close_cycle(s, number, e->marks, e->transition);
    s->arcs[s->arc_count++] =
        (arc){ .to = e->to, .from = from, .marks = e->marks, .transition = e->transition };
    return OM_OK;
}

static int enter(search *s, const arc *by)
{
    const om_step *steps;
    size_t n = 0;
    if (om_task_stopped(s->in->task))
        return OM_ESTOP;
    int rc = om_cursor_successors(s->in->cursor, by->to, &steps, &n);
    if (rc == OM_OK && s->in->words != 0)
        om_fair_processes_enabled(s->in->fair_processes, steps, n, s->in->able);
    if (rc == OM_OK && is_left_out(s))
        return set_number(s, by->to, DONE);
    if (rc == OM_OK)
        rc = push(s, by, n);
    if (rc == OM_OK)
        rc = note_fault(s, by->to);
    for (size_t i = 0; i < n; i++)
        om_side_fetch(s->in->numbers, steps[i].to);
    /* Backwards, so that the first of the edges to follow is on top of the stack. */
    while (rc == OM_OK && n-- > 0)
        rc = look(s, &steps[n], by->to);
    size_t now = s->max + s->count + s->arc_count;
    s->peak = now > s->peak ? now : s->peak;
    return rc;
}

static int follow(search *s)
{
    const arc e = s->arcs[--s->arc_count];
    uint32_t number = UNKNOWN;
    int rc = number_of(s, e.to, &number);
    if (rc != OM_OK || number == DONE)
        return rc;
    return number == UNKNOWN ? enter(s, &e) : close_cycle(s, number, e.marks, e.transition);
}

int search_from(search *s, om_id state)
{
    assert(s->count == 0 && s->max == 0 && s->arc_count == 0);
    int rc = enter(s, &(arc){ .to = state, .from = OM_NO_ID, .transition = OM_NONE });
    while (rc == OM_OK && s->count > 0)
        rc = s->arc_count == top(s)->arcs ? leave(s) : follow(s);
    return rc;
}

int search_among(search *s, const om_id *states, size_t n)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < n; i++)
        rc = set_number(s, states[i], UNKNOWN);
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        uint32_t number = UNKNOWN;
        rc = number_of(s, states[i], &number);
        if (rc == OM_OK && number == UNKNOWN)
            rc = search_from(s, states[i]);
    }
    return rc;
}

void search_free(search *s)
{
    if (s->in == NULL)
        return;
    OM_FREE_ALL(s->in->heap, s->never, s->live, s->stack, s->rows, s->arcs);
    *s = (search){ 0 };
}

uint64_t search_bytes(const search *s)
{
    return s->live_room * sizeof *s->live + s->stack_room * sizeof *s->stack +
           s->rows_room * sizeof *s->rows + s->arc_room * sizeof *s->arcs;
}
