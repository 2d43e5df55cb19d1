/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extraction.h: a run that is found for a task's evidence, for the files that look for its stem
 * (stem.c) and its cycle (cycle.c) and write it down (write.c). Statuses are om_status; a search
 * that is stopped returns OM_ELIMIT or OM_ESTOP.
 */
#ifndef OM_LASSO_EXTRACTION_H
#define OM_LASSO_EXTRACTION_H

#include "seek.h"

#include <omen/host/lasso.h>

/* A run that is short enough. */
enum { OM_EXTRACTION_SHORT = 4 };

typedef struct om_extraction {
    om_context *ctx;
    om_task *task;
    om_cursor *cursor;
    const om_evidence *e;
    bool shortest; /* no shorter way leads to what the evidence's path leads to */
    bool gaps; /* between states of the evidence's path there may be any way, not only an edge */
    om_seek seek;
    om_marks see, avoid;
    bool marks_count; /* else only a weak component accepts */
    om_component component;
    /* Is a state in the component? Where `weak`, of the automaton's that weak_in is in. */
    bool (*inside)(void *self, om_id id);
    void *self;
    om_id weak_in;
    /* The run: states of the evidence's path, then those of `tail`; from `loop` on it repeats. */
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

/* Of the product; or NULL. */
static inline const om_movers *om_extraction__movers(const om_extraction *x)
{
    return om_product_movers(om_task_product(x->task));
}

/* ---- stem.c ---- */

/* States that may be visited for a shorter run, or 0; and until when, where time is limited: a
 * quarter of what is left. */
uint64_t om_extraction__worth(const om_extraction *x);
/* States that may be visited for a way to the cycle, where only a long one is known: as many as
 * there are. */
uint64_t om_extraction__worth_all(const om_extraction *x);
uint64_t om_extraction__worth_until_ns(const om_extraction *x);
/* The outcome of a search for a shorter run: where there is no memory for it the one that is there
 * will do. */
int om_extraction__would_be_nice(const om_extraction *x, int rc);

/* Is there an edge? False, too, where *rc is a failure. */
bool om_gap__leads(const om_extraction *x, om_id from, om_id to, int *rc);
/* May there be none from one state of the evidence to the next? */
bool om_gap__possible(const om_extraction *x);
/* From one state of the evidence to the next, between which no edge is: inside the component of the
 * two, or, with `gaps`, anywhere. Appends to the path. */
int om_gap__fill(om_extraction *x, om_id from, om_id to, om_path *path, bool *found);

/* Appends the initial states; *rooted: the run begins with one. */
int om_stem__initial(const om_extraction *x, om_path *out, bool *rooted);
/*
 * The run up to `loop` leads to a state for which at() is true. A shorter one takes its place,
 * where there is one that is not too far to seek. A run that begins in the middle is given a
 * beginning first.
 */
int om_stem__find(om_extraction *x, bool (*at)(void *self, om_id id), void *self);
/* The same for this state. */
int om_stem__find_to(om_extraction *x, om_id state);

/* ---- cycle.c ---- */

/* The marks that a cycle must see, where the evidence leaves that to the automaton. */
void om_extraction__settle_marks(om_extraction *x);
/* The component that accepts, which there must be behind the last state of the run. OM_EMODEL, with
 * no message, where the model goes wrong before that. */
int om_extraction__search(om_extraction *x);
/* Goes on from the last state of the run into the component. */
int om_extraction__enter(om_extraction *x);
/* A run, and where it repeats. */
int om_extraction__find(om_extraction *x);
/* Evidence of a depth-first search may come from the far end of the model, where another run ends
 * near its beginning: that one, if it is shorter. */
int om_extraction__shorten(om_extraction *x);

/* ---- write.c ---- */

/* The first `end` states of the run; what comes behind the last is as it was, or nothing. */
int om_extraction__write(om_extraction *x, size_t end, bool endless, om_lasso *out);

#endif
