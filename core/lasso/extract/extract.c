/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extracts the lasso of a task's evidence. It uses what the checker knows as it is, and searches
 * for the rest among the states that the checker's search has stored:
 *
 *   the stem    the checker's path up to the accepting component; if it is not known to be a
 *               shortest one: a shorter path that is found within a fraction of the search's work,
 *               or the path with short cuts;
 *   the cycle   nearest missing mark first, inside that component.
 *
 * Within that fraction it also searches for another component that is nearer to the initial state,
 * unless the run must be fair to processes without marks: only the checker knows such components.
 *
 * Until the lasso is written as transitions of the model, four bytes each, the run consists of
 * states of the product, eight bytes each.
 */
#include "extraction.h"
#include "finite_trace.h"

/* Returns true if the automaton is in this state (OM_NONE: in a state of a terminal component). */
static bool is_in(const om_extraction *x, om_id id, uint32_t automaton_state)
{
    const uint32_t q = om_cursor_automaton_state(x->cursor, id);
    return automaton_state == OM_NONE ? om_task_accepting(x->task, q, OM_TERMINAL)
                                      : q == automaton_state;
}

/* The number of states of the run before the automaton is in this state. */
static size_t before(const om_extraction *x, uint32_t automaton_state)
{
    size_t n = 0;
    while (n < om_extraction__length(x) && !is_in(x, om_extraction__state(x, n), automaton_state))
        n++;
    return n;
}

static int begin(om_extraction *x, om_context *ctx, om_task *task)
{
    *x = (om_extraction){ .ctx = ctx, .task = task, .e = om_task_evidence_of(task) };
    x->tail.heap = om_context_heap(ctx);
    if (x->e == NULL)
        return om_fail(ctx, OM_EINTERNAL, NULL, "a checker gave no evidence");
    x->prefix = x->e->length;
    x->shortest = x->e->shortest;
    int rc = om_task_cursor(task, 0, &x->cursor);
    return rc == OM_OK ? om_seek__open(&x->seek, ctx, task) : rc;
}

static void close_extraction(om_extraction *x)
{
    om_seek__close(&x->seek);
    om_component__free(&x->component);
    om_path__free(&x->tail);
}

int om_lasso_extract(om_lasso *out, om_context *ctx, om_task *task)
{
    om_extraction x;
    int rc = begin(&x, ctx, task);
    if (rc == OM_OK) {
        om_extraction__settle_marks(&x);
        rc = om_extraction__find(&x);
    }
    if (rc == OM_OK && om_extraction__length(&x) > OM_EXTRACTION_SHORT &&
        om_extraction__fair_processes(&x) == NULL)
        rc = om_extraction__shorten(&x);
    if (rc == OM_OK)
        rc = om_extraction__write(&x, om_extraction__length(&x), true, out);
    close_extraction(&x);
    return rc;
}

typedef struct waiting {
    const om_extraction *x;
    uint32_t automaton_state;
} waiting;

static bool has_come(void *self, om_id id)
{
    const waiting *w = self;
    return is_in(w->x, id, w->automaton_state);
}

/* Finds a run to a state in which the automaton is in this state. */
static int find_trace(om_extraction *x, uint32_t automaton_state)
{
    waiting w = { x, automaton_state };
    int rc = OM_OK;
    if (before(x, automaton_state) == om_extraction__length(x)) {
        om_extraction__settle_marks(x);
        rc = om_extraction__search(x);
        if (rc == OM_OK)
            rc = om_extraction__enter(x);
    }
    size_t n = before(x, automaton_state);
    if (rc == OM_OK && n == om_extraction__length(x))
        rc = om_fail(
            x->ctx, OM_EINTERNAL, NULL, "a checker's evidence does not contain the required state");
    if (rc != OM_OK)
        return rc;
    x->loop = n; /* later states are irrelevant */
    /* A checker that looks for such a state on an accepting cycle may have passed one that is on
     * none. */
    x->shortest = x->shortest && n + 1 == x->prefix && x->e->entry == x->e->length;
    if (n < x->prefix) {
        x->prefix = n + 1;
        x->tail.count = 0;
    } else {
        x->tail.count = n + 1 - x->prefix;
    }
    return om_stem__find(x, has_come, &w);
}

int om_lasso__extract_trace(om_lasso *out, om_context *ctx, om_task *task, uint32_t automaton_state)
{
    om_extraction x;
    int rc = begin(&x, ctx, task);
    if (rc == OM_OK)
        rc = find_trace(&x, automaton_state);
    if (rc == OM_OK && om_extraction__length(&x) < 2)
        rc = om_fail(
            ctx, OM_EINTERNAL, NULL, "a checker's evidence does not contain the required state");
    if (rc == OM_OK)
        rc = om_extraction__write(&x, om_extraction__length(&x) - 1, false, out);
    close_extraction(&x);
    return rc;
}

int om_lasso__extract_fault(om_lasso *out, om_context *ctx, om_task *task, om_fault *fault)
{
    om_evidence e = { .size = sizeof e };
    om_extraction x = { .ctx = ctx, .task = task, .e = &e, .gaps = true };
    om_id at = OM_NO_ID;
    x.tail.heap = om_context_heap(ctx);
    int rc = om_task_cursor(task, 0, &x.cursor);
    if (rc == OM_OK)
        rc = om_seek__open(&x.seek, ctx, task);
    if (rc != OM_OK)
        return rc;
    *fault = om_task_fault_of(task, &at, &e.path, &e.length, &e.shortest);
    e.ruled_out = om_task_fault_ruled_out(task);
    if (*fault == 0) /* it was met after the evidence */
        *fault = om_cursor_fault(x.cursor, &at, NULL);
    if (e.path == NULL) {
        e.path = &at;
        e.length = 1;
    }
    x.shortest = e.shortest;
    x.prefix = e.length;
    x.loop = e.length - 1; /* the run ends there */
    rc = om_stem__find_to(&x, at);
    if (rc == OM_OK)
        rc = om_extraction__write(&x, om_extraction__length(&x), false, out);
    close_extraction(&x);
    return rc;
}
