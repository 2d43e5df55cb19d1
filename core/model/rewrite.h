/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.h: expressions made anew, with something else in place of some of their nodes. */
#ifndef OM_MODEL_REWRITE_H
#define OM_MODEL_REWRITE_H

#include "form.h"

/* What stands in place of a node; 0: it is made of its operands anew. */
typedef om_expr om_rewrite_fn(void *self, om_expr e, om_node n);

/*
 * From expressions of one model to those of another, which may be the same, and has slots of the
 * same numbers unless instead() says otherwise. Zero-initialise with `from` and `to` set. Each node
 * is made once until om_rewrite__again(). One thread.
 */
typedef struct om_rewrite {
    const om_model *from;
    om_model *to;
    om_rewrite_fn *instead; /* or NULL */
    void *self;
    struct om_rewritten *known; /* by node of `from` */
    size_t known_count, known_room;
    uint32_t stamp;
    uint64_t visited; /* nodes, of all calls */
} om_rewrite;

/* The expression there; 0 is 0, and what cannot be made, which om_model_expr_check() of `to` tells.
 * OM_OK or OM_ENOMEM, with no message. */
int om_rewrite__expr(om_rewrite *r, om_expr e, om_expr *out);
/* What instead() says has changed. */
void om_rewrite__again(om_rewrite *r);
void om_rewrite__close(om_rewrite *r);

/* ---- what expressions read ---- */

/* Visits the slots that expressions read, each node once until the stamp is another. */
typedef struct om_reading {
    const om_model *m;
    uint32_t *seen, stamp; /* by node */
    size_t seen_room;
    uint64_t visited;   /* nodes so far, one as often as it was visited */
    const bool *barren; /* borrowed, or NULL: by node, nothing that see() looks for is below */
    size_t barren_count;
} om_reading;
typedef void om_reading_fn(void *self, uint32_t slot);

/* What follows visits nodes again. OM_OK or OM_ENOMEM. The model may have got more nodes. */
int om_reading__begin(om_reading *r);
/* Calls see() with every slot that e (0: none) reads; an array is read, whatever its index. */
void om_reading__slots(om_reading *r, om_expr e, om_reading_fn *see, void *self);
void om_reading__close(om_reading *r);

#endif
