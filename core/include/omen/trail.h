/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trail.h: states in the order in which a depth-first search came to them, each at most once, that
 * are forgotten last in, first out; and where in that order a state is.
 *
 * For the stack of a depth-first search, or its live states (Renault et al. 2017, section 3.1:
 * `live` and `livenum` in one). One thread at a time. No allocation per state.
 */
#ifndef OMEN_TRAIL_H
#define OMEN_TRAIL_H

#include <omen/product.h>

typedef struct om_trail om_trail;

/* The context must outlive it. size: states on it; bytes: held for it. */
OM_API int om_trail_new(om_trail **out, om_context *ctx);
OM_API void om_trail_free(om_trail *t);
OM_API uint64_t om_trail_size(const om_trail *t);
OM_API uint64_t om_trail_bytes(const om_trail *t);
/* Position of a state, or OM_NO_ID when it is not on the trail. */
OM_API uint64_t om_trail_find(const om_trail *t, om_id id);
/* Has the memory fetched that om_trail_find() will look at; call it well before. */
OM_API void om_trail_fetch(const om_trail *t, om_id id);
/* Puts a state that is not on the trail at its end. OM_OK or OM_ENOMEM. */
OM_API int om_trail_push(om_trail *t, om_id id);
/* Forgets all but the first `size` states. */
OM_API void om_trail_cut(om_trail *t, uint64_t size);
/* The states by position, valid until the next push. */
OM_API const om_id *om_trail_ids(const om_trail *t);

#endif
