/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.h: rebuilds expressions with some of their nodes replaced. */
#ifndef OM_MODEL_REWRITE_H
#define OM_MODEL_REWRITE_H

#include "form.h"

/* Returns the replacement of a node, or 0 if the node is rebuilt from its operands. */
typedef om_expr om_rewrite_fn(void *self, om_expr e, om_node n);

/*
 * Translates expressions of one model to another, which may be the same model. Slots keep their
 * numbers unless instead() replaces them. Zero-initialise with `from` and `to` set. Each node is
 * rebuilt once until om_rewrite__again(). For one thread.
 */
typedef struct om_rewrite {
    const om_model *from;
    om_model *to;
    om_rewrite_fn *instead; /* or NULL */
    void *self;
    struct om_rewritten *known; /* by node of `from` */
    size_t known_count, known_room;
    uint32_t stamp;
    uint64_t visited; /* nodes, over all calls */
} om_rewrite;

/* Sets *out to the translated expression; 0 stays 0. *out is also 0 if the expression cannot be
 * built; om_model_expr_check() of `to` has the reason. Returns OM_OK or OM_ENOMEM, without a
 * message. */
int om_rewrite__expr(om_rewrite *r, om_expr e, om_expr *out);
/* Discards all results: instead() has changed. */
void om_rewrite__again(om_rewrite *r);
void om_rewrite__close(om_rewrite *r);

/* ---- slots that expressions read ---- */

/* Visits the slots that expressions read; each node once per stamp. */
typedef struct om_reading {
    const om_model *m;
    uint32_t *seen, stamp; /* by node */
    size_t seen_room;
    uint64_t visited;   /* nodes visited so far, with repetitions */
    const bool *barren; /* borrowed, or NULL; by node: see() needs nothing below it */
    size_t barren_count;
} om_reading;
typedef void om_reading_fn(void *self, uint32_t slot);

/* Starts a new visit: all nodes are visited again. Returns OM_OK or OM_ENOMEM. The model may have
 * got more nodes since the last call. */
int om_reading__begin(om_reading *r);
/* Calls see() with every slot that e (0: none) reads. An access to an array element counts as
 * reading the array. */
void om_reading__slots(om_reading *r, om_expr e, om_reading_fn *see, void *self);
void om_reading__close(om_reading *r);

#endif
