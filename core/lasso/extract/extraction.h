/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extraction.h: a run that is being built from a task's evidence, shared by the files that search
 * for its stem (stem.c) and its cycle (cycle.c) and write it (write.c). Statuses are om_status; a
 * search that is stopped returns OM_ELIMIT or OM_ESTOP.
 */
#ifndef OM_LASSO_EXTRACTION_H
#define OM_LASSO_EXTRACTION_H

#include "seek.h"

#include <omen/host/lasso.h>

/* Length of a run up to which no shorter one is searched for. */
enum { OM_EXTRACTION_SHORT = 4 };

typedef struct om_extraction {
    om_context *ctx;
    om_task *task;
    om_cursor *cursor;
    const om_evidence *e;
    bool shortest; /* no shorter path leads to the end of the evidence's path */
    bool gaps;     /* any path, not only an edge, may connect states of the evidence's path */
    om_seek seek;
    om_marks see, avoid;
    bool marks_count; /* otherwise only a weak component accepts */
    om_component component;
    /* True for states in the component. in_weak() compares with the automaton's component of
     * weak_in. */
    bool (*inside)(void *self, om_id id);
    void *self;
    om_id weak_in;
    /* The run: states of the evidence's path, then those of `tail`; it repeats from `loop` on. */
    size_t prefix, loop;
    om_path tail;
} om_extraction;

static inline size_t om_extraction__length(const om_extraction *x)
{
    return x->prefix + x->tail.count;
}

static inline om_id om_extraction__state(const om_extraction *x, size_t i)
{
    return i < x->prefix ? x->e->path[i] : x->tail.ids[i - x->prefix];
}

/* Of the product; may be NULL. */
static inline const om_fair_processes *om_extraction__fair_processes(const om_extraction *x)
{
    return om_product_fair_processes(om_task_product(x->task));
}

/* ---- stem.c ---- */

/* The number of states that may be visited to find a shorter run, or 0; and a deadline if time is
 * limited: a quarter of the remaining time. */
uint64_t om_extraction__worth(const om_extraction *x);
/* The number of states that may be visited to find a path to the cycle if only a long one is known:
 * the number of stored states. */
uint64_t om_extraction__worth_all(const om_extraction *x);
uint64_t om_extraction__worth_until_ns(const om_extraction *x);
/* Converts the status of a search for a shorter run: if memory ran out, the known run is kept. */
int om_extraction__would_be_nice(const om_extraction *x, int rc);

/* Returns true if there is an edge; returns false also if *rc is an error. */
bool om_gap__leads(const om_extraction *x, om_id from, om_id to, int *rc);
/* Returns true if consecutive states of the evidence may have no edge between them. */
bool om_gap__possible(const om_extraction *x);
/* Finds a path between consecutive states of the evidence that have no edge: inside their common
 * component, or anywhere with `gaps`. Appends it to the path. */
int om_gap__fill(om_extraction *x, om_id from, om_id to, om_path *path, bool *found);

/* Appends the initial states; *rooted: the run begins with one. */
int om_stem__initial(const om_extraction *x, om_path *out, bool *rooted);
/*
 * The run up to `loop` leads to a state for which at() is true. Replaces it by a shorter one if the
 * search for one is cheap enough. A run that does not begin in an initial state is given a prefix
 * first.
 */
int om_stem__find(om_extraction *x, bool (*at)(void *self, om_id id), void *self);
/* As om_stem__find(), for one state. */
int om_stem__find_to(om_extraction *x, om_id state);

/* ---- cycle.c ---- */

/* Sets the marks that a cycle must see, if the evidence leaves them to the automaton. */
void om_extraction__settle_marks(om_extraction *x);
/* Finds the accepting component that is reachable from the last state of the run. OM_EMODEL,
 * without an error message, if the model has a fault before that. */
int om_extraction__search(om_extraction *x);
/* Extends the run from its last state into the component. */
int om_extraction__enter(om_extraction *x);
/* Finds a run and the state from which it repeats. */
int om_extraction__find(om_extraction *x);
/* Replaces the run by a shorter one if there is one: evidence of a depth-first search may lie far
 * from the initial state although another accepted run ends near it. */
int om_extraction__shorten(om_extraction *x);

/* ---- write.c ---- */

/* Writes the first `end` states of the run. If `endless`, the last step leads where it leads in the
 * run; otherwise the last state has no step. */
int om_extraction__write(om_extraction *x, size_t end, bool endless, om_lasso *out);

#endif
