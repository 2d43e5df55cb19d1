/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_stack.h: states in the order in which a depth-first search came to them, each at most once,
 * that are taken off last in, first out; and where in that order a state is, or that it was there
 * once.
 *
 * For the live states of a search (Renault et al. 2017, section 3.1: `live` and `livenum` in one):
 * a worker whose live states are taken off when they are dead knows its dead ones by om_trail_find.
 *
 * One thread at a time. No allocation per state: 4 bytes for each state of the product that is near
 * one that was ever on the trail, and 4 for each that is on it (5 once ids go beyond 2^32).
 */
#ifndef OMEN_LIVE_STACK_H
#define OMEN_LIVE_STACK_H

#include <omen/product.h>

typedef struct om_trail om_trail;

/* What om_trail_find() says of a state that was on the trail and is no more. */
#define OM_TRAIL_GONE (OM_NO_ID - 1)

/* The product must outlive it. size: states on it; bytes: held for it. */
OM_API int om_trail_new(om_trail **out, om_product *p);
OM_API void om_trail_free(om_trail *t);
OM_API uint64_t om_trail_size(const om_trail *t);
OM_API uint64_t om_trail_bytes(const om_trail *t);
/* Position of a state, OM_TRAIL_GONE, or OM_NO_ID when it was never on the trail. */
OM_API uint64_t om_trail_find(const om_trail *t, om_id id);
/* Has the memory fetched that om_trail_find() will look at; call it well before. */
OM_API void om_trail_fetch(const om_trail *t, om_id id);
/* Puts a state that was never on the trail at its end. OM_OK, OM_ENOMEM, OM_ELIMIT (the product's
 * control was stopped, or 2^32 - 2 states are on it already: that has a message). */
OM_API int om_trail_push(om_trail *t, om_id id);
/* Takes off all but the first `size` states. */
OM_API void om_trail_cut(om_trail *t, uint64_t size);
/* The state at a position below the size. */
OM_API om_id om_trail_at(const om_trail *t, uint64_t position);

#endif
