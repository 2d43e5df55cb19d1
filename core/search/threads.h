/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h: runs a function in several threads at once, or in the calling thread. */
#ifndef OM_SEARCH_THREADS_H
#define OM_SEARCH_THREADS_H

#include <omen/plugin/base.h>

#include <pthread.h>

/* The number of workers that may run: the first `admitted`. */
typedef struct om_admission {
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    unsigned first; /* admitted from the beginning: these are called in any case */
    unsigned admitted;
    bool closed; /* a worker has ended: no more workers are admitted */
} om_admission;

void om_admission__init(om_admission *a);
void om_admission__destroy(om_admission *a);
/* Begins a run with at least `workers` workers. */
void om_admission__open(om_admission *a, unsigned workers);
/*
 * Admits `workers` workers from now on, unless more are admitted already. Any thread, at any time.
 */
void om_admission__raise(om_admission *a, unsigned workers);

/*
 * Calls fn(self, 0), ... fn(self, n - 1) in threads of their own (a single one in the calling
 * thread) and waits for all. On a machine with several NUMA nodes each thread stays on one. If a
 * thread cannot be created, no function is called and the result is OM_ELIMIT; OM_ENOMEM if memory
 * runs out. With an open admission (may be NULL), each function is called when its worker is
 * admitted; workers that are not admitted when the first call returns never are.
 */
int om_threads__run(om_context *ctx, unsigned n, om_admission *admission,
    void (*fn)(void *self, unsigned worker), void *self);

#endif
