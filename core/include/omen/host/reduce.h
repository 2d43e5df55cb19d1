/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.h: smaller nets that have the same answers. core/net/reduction.h has the passes. */
#ifndef OMEN_REDUCE_H
#define OMEN_REDUCE_H

#include <omen/host/predicate.h>

/* What a reduction keeps of the tokens on the observed places. */
typedef enum om_reduce_keep {
    OM_REDUCE_STEPS,     /* all runs, firing by firing */
    OM_REDUCE_RUNS,      /* maximal runs up to stuttering; one that ends repeats its last marking */
    OM_REDUCE_REACHABLE, /* what reachable markings have there */
    OM_REDUCE_DEADLOCK   /* whether a marking that enables no transition can be reached; no place
                            is observed */
} om_reduce_keep;

typedef struct om_reduce_options {
    om_reduce_keep keep;
    uint32_t leave_out; /* bit i: without pass i of om_reduce_passes() */
} om_reduce_options;

/* Why a pass is right is told with its citation, for the table of them all. */
typedef struct om_reduce_pass {
    const char *name, *citation;
    uint32_t keeps; /* bit om_reduce_keep: the pass may be used there */
} om_reduce_pass;

/* All of them, and how many: at most 32. */
OM_API const om_reduce_pass *om_reduce_passes(size_t *count);

/* What a pass has removed; agglomerations put transitions in the place of others. */
typedef struct om_reduce_figures {
    uint64_t times, places, transitions;
} om_reduce_figures;

/* A smaller net, and how it comes from the larger one, which it borrows. Any number of threads may
 * read it. */
typedef struct om_reduction om_reduction;

/*
 * A net where some transition has limits or resets is not made smaller.
 * observed: by place, 1 where its tokens are to be told from the reduced net's. Takes a number of
 * steps that is bounded by a multiple of the net's size; when they are spent, what was reduced
 * until then is the answer. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP where the context is stopped.
 */
OM_API int om_net_reduce(om_reduction **out, const om_net *net, const uint8_t *observed,
    const om_reduce_options *options);
OM_API void om_reduction_free(om_reduction *r);
/* With the bounds of the original net; it lives as long as r. Each place is a place of the original
 * net and has its name; transitions have names of their own. */
OM_API const om_net *om_reduction_net(const om_reduction *r);
/* By place of the original net, what it is in the reduced one; of use where it is observed. */
OM_API const om_net_image *om_reduction_images(const om_reduction *r);
/* One a pass of om_reduce_passes(). */
OM_API const om_reduce_figures *om_reduction_figures(const om_reduction *r);

/* Transitions that fire one after the other. */
typedef struct om_firings {
    uint32_t *transitions;
    size_t count;
    size_t loop; /* the first of those that repeat for ever; `count`: nothing can fire at the end;
                    OM_FIRINGS_END: that is not said */
} om_firings;
#define OM_FIRINGS_END SIZE_MAX

/*
 * The run of the original net that a run of the reduced one stands for: what led to its initial
 * marking, then what each of its transitions is made of, and where it says that nothing can fire at
 * the end, silent transitions until that is so. It has been fired on the original net: each
 * transition had the tokens; those that repeat give back to each place at least what they take,
 * and to observed places just that, so that they can repeat for ever. The list is the caller's to
 * om_free(), with the net's heap. OM_OK; OM_ENOMEM; OM_ELIMIT: it is longer than can be handled;
 * OM_EINTERNAL: it is no run of the original net.
 */
OM_API int om_reduction_expand(const om_reduction *r, const om_firings *reduced, om_firings *out);

#endif
