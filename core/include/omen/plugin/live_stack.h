/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_stack.h: a stack of states in depth-first order, each state at most once. It finds the
 * position of a state on the stack, and remembers states that were popped.
 *
 * For the live states of a search (Renault et al. 2017, section 3.1: `live` and `livenum` in one):
 * if a worker pops its live states when they become dead, om_live_stack_find() identifies its dead
 * states.
 *
 * One thread at a time. No allocation per state: 4 bytes for each state of the product whose id is
 * near that of a state that was ever on the stack, and 4 for each state on it (5 if ids exceed
 * 2^32).
 */
#ifndef OMEN_LIVE_STACK_H
#define OMEN_LIVE_STACK_H

#include <omen/plugin/product.h>

typedef struct om_live_stack om_live_stack;

/* Result of om_live_stack_find() for a state that was on the live stack and has been popped. */
#define OM_LIVE_STACK_GONE (OM_NO_ID - 1)

/* The product must outlive the stack. om_live_stack_size() returns the number of states on it,
 * om_live_stack_bytes() its memory. */
OM_API int om_live_stack_new(om_live_stack **out, om_product *p);
OM_API void om_live_stack_free(om_live_stack *t);
OM_API uint64_t om_live_stack_size(const om_live_stack *t);
OM_API uint64_t om_live_stack_bytes(const om_live_stack *t);
/* Returns the position of a state, OM_LIVE_STACK_GONE, or OM_NO_ID if it was never on the live
 * stack. */
OM_API uint64_t om_live_stack_find(const om_live_stack *t, om_id id);
/* Prefetches the data that om_live_stack_find() reads; call it well before. */
OM_API void om_live_stack_fetch(const om_live_stack *t, om_id id);
/* Pushes a state that was never on the live stack. OM_OK, OM_ENOMEM, OM_ELIMIT (the product's
 * control was stopped, or the stack already has 2^32 - 2 states: the latter with a message). */
OM_API int om_live_stack_push(om_live_stack *t, om_id id);
/* Pops all states except the first `size`. */
OM_API void om_live_stack_cut(om_live_stack *t, uint64_t size);
/* Returns the state at a position below the size. */
OM_API om_id om_live_stack_at(const om_live_stack *t, uint64_t position);

#endif
