/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle of a run: in the component that the checker knows, or in one that is searched for; and
 * another run, into a component that is nearer to the initial state. */
#include "extraction.h"

/* Number of nearest states with which the search for another run starts. */
enum { NEAREST = 1 << 6 };
/* Maximum number of states in a breadth-first search for a cycle in a weak component: usually there
 * is a short one. */
enum { NEAR = 1 << 14 };

/* ---- the component ---- */

static bool same_as_entry(void *self, om_id id)
{
    const om_extraction *x = self;
    return x->e->same(x->e->self, id, x->e->path[x->e->entry]);
}

/* Every cycle in a weak component of the automaton accepts. */
static bool in_weak(void *self, om_id id)
{
    const om_extraction *x = self;
    uint32_t q = om_cursor_automaton_state(x->cursor, id);
    return om_task_same_component(x->task, q, om_cursor_automaton_state(x->cursor, x->weak_in));
}

static bool is_weak(const om_extraction *x, om_id id)
{
    return om_task_accepting(x->task, om_cursor_automaton_state(x->cursor, id), OM_WEAK);
}

void om_extraction__settle_marks(om_extraction *x)
{
    const om_automaton *a = om_product_spec_of(om_task_product(x->task))->automaton;
    uint32_t buchi = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI;
    x->see = x->e->see;
    x->avoid = x->e->avoid;
    x->marks_count = x->see != 0 || x->avoid != 0;
    if (!x->marks_count && (om_automaton_acceptance_classes(a) & buchi) != 0) {
        x->see = om_task_all_marks(x->task);
        x->marks_count = true;
    }
}

/* Searches depth-first from a state; within() is NULL, or true for the allowed states. */
static int find_component(
    om_extraction *x, om_id from, bool (*within)(void *self, om_id id), void *self)
{
    om_component *c = &x->component;
    c->see = x->see;
    c->avoid = x->avoid;
    c->marks_count = x->marks_count;
    c->within = within;
    c->self = self;
    c->until_ns = x->seek.until_ns;
    x->inside = om_component__has;
    x->self = c;
    return om_component__find(c, x->ctx, x->task, from);
}

int om_extraction__search(om_extraction *x)
{
    om_id last = om_extraction__state(x, om_extraction__length(x) - 1);
    int rc = OM_OK;
    if (x->e->entry < x->e->length) /* the checker has been in the component */
        rc = find_component(x, last, om_seek__knows, &x->seek);
    if (rc == OM_OK && !x->component.found)
        rc = find_component(x, last, NULL, NULL);
    /* After the component was known to accept, the checker may have extended it by edges that the
     * cycle avoids. */
    if (rc == OM_OK && !x->component.found && x->avoid != 0) {
        x->component.through = true;
        rc = find_component(x, last, NULL, NULL);
        x->component.through = false;
    }
    if (rc == OM_OK && !x->component.found)
        rc = om_cursor_fault(x->cursor, NULL, NULL) != 0
                 ? OM_EMODEL /* a fault after the evidence: no message yet */
                 : om_fail(x->ctx, OM_EINTERNAL, NULL,
                       "no accepting cycle can be reached from the state that a checker gave as "
                       "evidence");
    return rc;
}

int om_extraction__enter(om_extraction *x)
{
    om_id last = om_extraction__state(x, om_extraction__length(x) - 1);
    bool found = false;
    const bool apart = x->component.apart; /* no other path is known */
    const om_aim aim = { .state = OM_NO_ID,
        .at = x->inside,
        .self = x->self,
        .most = apart ? 0 : om_extraction__worth_all(x) };
    int rc = OM_OK;
    if (apart)
        x->seek.until_ns = 0;
    if (apart || aim.most != 0)
        rc = om_seek__find(&x->seek, &last, 1, &aim, &x->tail, NULL, NULL, &found);
    x->shortest = x->shortest && found;
    for (size_t i = 0; rc == OM_OK && !found && i < x->component.way.count; i++)
        if (om_path__add(&x->tail, x->component.way.ids[i]) != OM_OK)
            rc = om_fail_memory(x->ctx);
    return rc;
}

/* ---- the cycle ---- */

/* Searches breadth-first for a short cycle from the last state of the run. */
static int near_cycle(om_extraction *x, bool *found)
{
    om_id source = om_extraction__state(x, om_extraction__length(x) - 1), onto = OM_NO_ID;
    const om_aim aim = { .inside = in_weak,
        .self = x,
        .avoid = x->avoid,
        .state = OM_NO_ID,
        .cycle = true,
        .most = NEAR };
    x->weak_in = source;
    int rc = om_seek__find(&x->seek, &source, 1, &aim, &x->tail, NULL, &onto, found);
    if (rc == OM_OK && *found)
        for (x->loop = om_extraction__length(x) - 1; om_extraction__state(x, x->loop) != onto;)
            x->loop--;
    return rc;
}

/*
 * Extends the run from its last state, which is in the component, to an edge with one of the
 * missing marks, or that meets a process that the cycle lacks; to the entry if nothing is missing.
 * Removes the marks and processes that the path sees from *missing and *lacking.
 */
static int go_on(
    om_extraction *x, om_id entry, om_marks *missing, om_fair_cycle *lacking, bool *found)
{
    const size_t before = om_extraction__length(x);
    const om_id at = om_extraction__state(x, before - 1);
    const bool complete = *missing == 0 && om_fair_cycle__lacks(lacking) == 0;
    const om_aim aim = { .inside = x->inside,
        .self = x->self,
        .avoid = x->avoid,
        .marks = *missing,
        .lacking = complete ? NULL : lacking,
        .state = complete ? entry : OM_NO_ID };
    om_marks seen = 0;
    int rc = om_seek__find(&x->seek, &at, 1, &aim, &x->tail, NULL, NULL, found);
    if (rc == OM_OK && *found)
        rc = om_seek__marks(&x->seek, at, x->tail.ids + (before - x->prefix),
            om_extraction__length(x) - before, x->avoid, &seen, lacking);
    *missing &= ~seen;
    return rc;
}

/*
 * Extends the run from its last state, which is in the component, through all marks and back.
 * States on the way back may be the first in which a process can move: then another round follows.
 */
static int marked_cycle(om_extraction *x, bool *complete)
{
    const size_t begin = om_extraction__length(x);
    const om_id entry = om_extraction__state(x, begin - 1);
    om_marks missing = x->component.weak || !x->marks_count ? 0 : x->see;
    om_fair_cycle lacking;
    bool found = true, closed = false;
    int rc =
        om_fair_cycle__open(&lacking, om_context_heap(x->ctx), om_extraction__fair_processes(x));
    if (rc != OM_OK)
        rc = om_fail_memory(x->ctx);
    while (
        rc == OM_OK && found && (missing != 0 || om_fair_cycle__lacks(&lacking) != 0 || !closed)) {
        rc = go_on(x, entry, &missing, &lacking, &found);
        closed = om_extraction__state(x, om_extraction__length(x) - 1) == entry;
    }
    om_fair_cycle__close(&lacking);
    *complete = found;
    x->loop = begin - 1;
    if (rc == OM_OK && found) /* the entry is at the start of the cycle, not at its end */
        x->tail.count--;
    return rc;
}

/* The last state of the run is its first in the component: finds a better path to the component,
 * and the cycle. *found: there is a cycle in the known part of the component. */
static int finish_in_component(om_extraction *x, bool *found)
{
    x->loop = om_extraction__length(x) - 1;
    int rc = om_stem__find(x, x->inside, x->self);
    return rc == OM_OK ? marked_cycle(x, found) : rc;
}

int om_extraction__find(om_extraction *x)
{
    const om_evidence *e = x->e;
    bool found = false, known = e->entry < e->length;
    int rc = OM_OK;
    if (known && e->same != NULL) {
        x->inside = same_as_entry;
        x->self = x;
        x->prefix = e->entry + 1;
        rc = finish_in_component(x, &found);
        if (rc != OM_OK || found)
            return rc;
        x->prefix = e->entry + 1;
        x->tail.count = 0;
    }
    om_id last = om_extraction__state(x, om_extraction__length(x) - 1);
    if (is_weak(x, last))
        rc = near_cycle(x, &found);
    if (rc == OM_OK && !found && known && is_weak(x, last) &&
        om_gap__leads(x, last, e->path[e->entry], &rc)) {
        x->loop = e->entry;
        found = true;
    }
    if (rc != OM_OK || found)
        return rc == OM_OK ? om_stem__find_to(x, om_extraction__state(x, x->loop)) : rc;
    if (om_extraction__fair_processes(x) != NULL)
        return om_fail(x->ctx, OM_EINTERNAL, NULL,
            "a checker gave evidence without a component that is fair to all processes");
    rc = om_extraction__search(x);
    if (rc == OM_OK)
        rc = om_extraction__enter(x);
    if (rc == OM_OK)
        rc = finish_in_component(x, &found);
    return rc == OM_OK && !found ? om_fail(x->ctx, OM_EINTERNAL, NULL,
                                       "an accepting component has no accepting cycle")
                                 : rc;
}

/* ---- another run ---- */

/* Searches for an accepting component among the `most` states nearest to the initial ones and their
 * successors. *all: there are no other states. */
static int find_near_component(
    om_extraction *x, const om_path *initial, uint64_t most, size_t *from, bool *all)
{
    const om_aim aim = { .state = OM_NO_ID, .most = most };
    bool found = false;
    int rc = om_seek__find(&x->seek, initial->ids, initial->count, &aim, NULL, NULL, NULL, &found);
    *all = x->seek.count <= most;
    for (*from = 0; rc == OM_OK && *from < initial->count; ++*from) {
        rc = find_component(x, initial->ids[*from], om_seek__has_met, &x->seek);
        if (x->component.found)
            break;
    }
    return rc;
}

/* Replaces the run by one into that component, if there is one. */
static int find_near_run(om_extraction *x, const om_path *initial, bool *found)
{
    const uint64_t most = om_extraction__worth(x);
    size_t from = 0;
    bool all = false;
    int rc = OM_OK;
    for (uint64_t n = NEAREST; rc == OM_OK && !x->component.found && !all && n <= most; n *= 4)
        rc = find_near_component(x, initial, n, &from, &all);
    if (rc != OM_OK || !x->component.found)
        return rc;
    x->prefix = 0;
    if (om_path__add(&x->tail, initial->ids[from]) != OM_OK)
        return om_fail_memory(x->ctx);
    x->seek.until_ns = 0; /* little is missing */
    rc = om_extraction__enter(x);
    return rc == OM_OK ? marked_cycle(x, found) : rc;
}

int om_extraction__shorten(om_extraction *x)
{
    const om_heap *heap = om_context_heap(x->ctx);
    om_path tail = x->tail, initial = { .heap = heap };
    const size_t prefix = x->prefix, loop = x->loop, length = om_extraction__length(x);
    bool rooted = false, found = false;
    int rc = om_stem__initial(x, &initial, &rooted);
    om_component__free(&x->component);
    x->tail = (om_path){ .heap = heap };
    x->seek.until_ns = om_extraction__worth_until_ns(x);
    if (rc == OM_OK)
        rc = find_near_run(x, &initial, &found);
    x->seek.until_ns = 0;
    if (rc != OM_OK || !found || om_extraction__length(x) >= length) {
        om_path other = x->tail;
        x->tail = tail;
        x->prefix = prefix;
        x->loop = loop;
        tail = other;
    }
    om_path__free(&tail);
    om_path__free(&initial);
    return om_extraction__would_be_nice(x, rc);
}
