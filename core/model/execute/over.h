/* SPDX-License-Identifier: Apache-2.0 */
/*
 * over.h: an executor over another one, whose successors it changes: it leaves some out
 * (stubborn/stubborn.h) or leaps over some (leap/leap.h). Labels and the initial state are those of
 * the one below.
 *
 * Each thread needs memory to work with. It takes a piece that no other thread uses, or has one
 * made, and gives it back; so there are as many as there were threads at once.
 */
#ifndef OM_MODEL_OVER_H
#define OM_MODEL_OVER_H

#include "executor.h"

#include <pthread.h>

typedef struct om_over om_over;

/* The first member of what a thread works with */
typedef struct om_scratch {
    struct om_scratch *next; /* that no thread uses */
} om_scratch;

typedef struct om_over_kind {
    /* As that of om_executor. */
    int (*append)(const om_executor *x, const uint32_t *vector, om_successors *out);
    /* Makes scratch; NULL: memory ran out. Any thread. */
    om_scratch *(*make)(const om_over *o);
    void (*unmake)(const om_over *o, om_scratch *s);
    void (*free)(om_over *o); /* with all that it has, but for the executor below */
} om_over_kind;

struct om_over {
    om_executor executor; /* its `self` is this struct, and the first member of a larger one */
    om_executor *below;
    const om_over_kind *kind;
    const om_heap *heap;
    pthread_mutex_t lock; /* protects `unused` */
    om_scratch *unused;
};

/* Initialises *o over an executor, which it then owns. */
void om_over__init(om_over *o, om_executor *below, const om_over_kind *kind, const om_heap *heap);
/* Frees *o, but not the executor below. */
void om_over__drop(om_over *o);
/* Returns the executor as one of this kind, or NULL: it is none. */
om_over *om_over__is(const om_executor *x, const om_over_kind *kind);

/* Returns scratch for the calling thread until om_over__give_back(); NULL: memory ran out. */
om_scratch *om_over__take(om_over *o);
void om_over__give_back(om_over *o, om_scratch *s);
/* Frees the scratch that no thread uses. */
void om_over__forget(om_over *o);

#endif
