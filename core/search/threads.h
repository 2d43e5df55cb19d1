/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h: the same function in several threads at once, or in this one. */
#ifndef OM_SEARCH_THREADS_H
#define OM_SEARCH_THREADS_H

#include <omen/plugin/base.h>

#include <pthread.h>

/* How many of the workers, the first ones, may be at work. */
typedef struct om_admission {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    unsigned first; /* that were admitted from the beginning: these are called in any case */
    unsigned admitted;
    bool closed; /* one has come to an end: nobody is admitted any more */
} om_admission;

void om_admission__init(om_admission *a);
void om_admission__destroy(om_admission *a);
/* For a run that begins, with so many workers at least. */
void om_admission__open(om_admission *a, unsigned workers);
/* So many from now on, unless there are more already. Any thread, at any time. */
void om_admission__raise(om_admission *a, unsigned workers);

/*
 * Calls fn(self, 0), ... fn(self, n - 1) in threads of their own, a single one in this thread, and
 * waits for all; on a machine with several nodes each stays on one. Where a thread cannot be had,
 * none of them is called: OM_ELIMIT. OM_ENOMEM. With an admission (NULL: none), which is open, each
 * is called when it is admitted; those that are not when the first call returns never are.
 */
int om_threads__run(om_context *ctx, unsigned n, om_admission *admission,
    void (*fn)(void *self, unsigned worker), void *self);

#endif
