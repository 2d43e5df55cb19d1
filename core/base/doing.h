/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doing.h: how far work has come whose amount is known before, or that makes automata; for a line
 * of progress (omen/host/doing.h), and nothing else. Kept by the context that is above all others.
 * Any thread; of two such works at the same time the one that began last is told of.
 */
#ifndef OM_BASE_DOING_H
#define OM_BASE_DOING_H

#include <omen/host/doing.h>

/* `what` (a constant) follows a number: "states replayed". total 0: nobody knows. */
void om_doing__begin(om_context *ctx, const char *what, uint64_t total);
void om_doing__at(om_context *ctx, uint64_t done);
void om_doing__end(om_context *ctx);
/* So many states more of some automaton. */
void om_doing__made(om_context *ctx, uint64_t states);

#endif
