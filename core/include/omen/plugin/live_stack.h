/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_stack.h: states in the order in which a depth-first search came to them, each at most once,
 * that are taken off last in, first out; and where in that order a state is, or that it was there
 * once.
 *
 * For the live states of a search (Renault et al. 2017, section 3.1: `live` and `livenum` in one):
 * a worker whose live states are taken off when they are dead knows its dead ones by
 * om_live_stack_find.
 *
 * One thread at a time. No allocation per state: 4 bytes for each state of the product that is near
 * one that was ever on the live stack, and 4 for each that is on it (5 once ids go beyond 2^32).
 */
#ifndef OMEN_LIVE_STACK_H
#define OMEN_LIVE_STACK_H

#include <omen/plugin/product.h>

typedef struct om_live_stack om_live_stack;

/* What om_live_stack_find() says of a state that was on the live stack and is no more. */
#define OM_LIVE_STACK_GONE (OM_NO_ID - 1)

/* The product must outlive it. size: states on it; bytes: held for it. */
OM_API int om_live_stack_new(om_live_stack **out, om_product *p);
OM_API void om_live_stack_free(om_live_stack *t);
OM_API uint64_t om_live_stack_size(const om_live_stack *t);
OM_API uint64_t om_live_stack_bytes(const om_live_stack *t);
/* Position of a state, OM_LIVE_STACK_GONE, or OM_NO_ID when it was never on the live stack. */
OM_API uint64_t om_live_stack_find(const om_live_stack *t, om_id id);
/* Has the memory fetched that om_live_stack_find() will look at; call it well before. */
OM_API void om_live_stack_fetch(const om_live_stack *t, om_id id);
/* Puts a state that was never on the live stack at its end. OM_OK, OM_ENOMEM, OM_ELIMIT (the
 * product's control was stopped, or 2^32 - 2 states are on it already: that has a message). */
OM_API int om_live_stack_push(om_live_stack *t, om_id id);
/* Takes off all but the first `size` states. */
OM_API void om_live_stack_cut(om_live_stack *t, uint64_t size);
/* The state at a position below the size. */
OM_API om_id om_live_stack_at(const om_live_stack *t, uint64_t position);

#endif
