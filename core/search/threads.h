/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h: the same function in several threads at once, or in this one. */
#ifndef OM_SEARCH_THREADS_H
#define OM_SEARCH_THREADS_H

#include <omen/plugin/base.h>

/*
 * Calls fn(self, 0), ... fn(self, n - 1) in threads of their own, a single one in this thread, and
 * waits for all; on a machine with several nodes each stays on one. Where a thread cannot be had,
 * none of them is called: OM_ELIMIT. OM_ENOMEM.
 */
int om_threads__run(
    om_context *ctx, unsigned n, void (*fn)(void *self, unsigned worker), void *self);

#endif
