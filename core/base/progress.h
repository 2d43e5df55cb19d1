/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h: the progress of work whose total is known in advance, or that makes automata; only
 * for a progress line (omen/host/progress.h). The root context stores it. Any thread; of two
 * concurrent activities the one that began last is reported.
 */
#ifndef OM_BASE_PROGRESS_H
#define OM_BASE_PROGRESS_H

#include <omen/host/progress.h>

/* `what` (a constant) follows a number: "states replayed". total 0: unknown. */
void om_stage__begin(om_context *ctx, const char *what, uint64_t total);
void om_stage__at(om_context *ctx, uint64_t done);
void om_stage__end(om_context *ctx);
/* Adds to the number of automaton states made. */
void om_stage__made(om_context *ctx, uint64_t states);

#endif
