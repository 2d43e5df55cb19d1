/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.h: smaller nets that have the same answers. core/net/reduction.h has the passes. */
#ifndef OMEN_REDUCE_H
#define OMEN_REDUCE_H

#include <omen/host/predicate.h>

/* What a reduction keeps of the predicates it is given. */
typedef enum om_reduce_keep {
    OM_REDUCE_NOTHING,   /* the net is copied */
    OM_REDUCE_REACHABLE, /* which joint truth values of the predicates reachable markings have */
    OM_REDUCE_DEADLOCK,  /* whether a marking that enables no transition can be reached; there are
                            no predicates */
    OM_REDUCE_RUNS /* the joint truth values along maximal runs, up to stuttering; one that ends
                      repeats its last */
} om_reduce_keep;

typedef struct om_reduce_options {
    om_reduce_keep keep;
    uint64_t leave_out; /* bit i: without pass i of om_reduce_passes() */
} om_reduce_options;

/* Why a pass is right is told with its citation, for the table of them all. */
typedef struct om_reduce_pass {
    const char *name, *citation;
    uint32_t keeps; /* bit om_reduce_keep: the pass may be used there */
} om_reduce_pass;

/* All of them, and how many. */
OM_API const om_reduce_pass *om_reduce_passes(size_t *count);

/* What a pass has removed. */
typedef struct om_reduce_figures {
    uint64_t times, places, transitions;
} om_reduce_figures;

/* A smaller net, and how it comes from the larger one, which it borrows. Any number of threads may
 * read it. */
typedef struct om_reduction om_reduction;

/* OM_OK; OM_ENOMEM; OM_ESTOP where the context is stopped. Is a limit of time near, what was
 * reduced until then is the answer. */
OM_API int om_net_reduce(om_reduction **out, const om_net *net,
    const om_predicate *const *predicates, size_t count, const om_reduce_options *options);
OM_API void om_reduction_free(om_reduction *r);
/* With bounds; nodes are those of the original net, for messages. Lives as long as r. */
OM_API const om_net *om_reduction_net(const om_reduction *r);
/* The i-th predicate, over the reduced net; constant where the passes found it to be. */
OM_API const om_predicate *om_reduction_predicate(const om_reduction *r, size_t i);
/* One a pass of om_reduce_passes(). */
OM_API const om_reduce_figures *om_reduction_figures(const om_reduction *r);

/* Transitions that fire one after the other; `loop` is the index of the first of those that repeat
 * for ever, or SIZE_MAX. The list is the caller's to om_free(), with the net's heap. */
typedef struct om_firings {
    uint32_t *transitions;
    size_t count, loop;
} om_firings;

/*
 * The run of the original net that a run of the reduced one stands for: what led to its initial
 * marking, then what each of its transitions is made of. It has been fired, on the original net,
 * and could be; with a loop, that leads back to the marking that it leaves. OM_OK; OM_ENOMEM;
 * OM_EINTERNAL: the run is none of the original net.
 */
OM_API int om_reduction_expand(const om_reduction *r, const om_firings *reduced, om_firings *out);

#endif
