/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.h: reduction of nets that preserves the answers. core/net/reduce/reduction.h describes the
 * passes. */
#ifndef OMEN_REDUCE_H
#define OMEN_REDUCE_H

#include <omen/host/predicate.h>

/* What a reduction preserves of the tokens on the observed places. */
typedef enum om_reduce_keep {
    OM_REDUCE_STEPS, /* all runs, firing by firing */
    /* Maximal runs up to stuttering; a run that ends repeats its last marking. */
    OM_REDUCE_RUNS,
    OM_REDUCE_REACHABLE, /* the tokens on them in reachable markings */
    /* The existence of a reachable marking without enabled transition; no place is observed. */
    OM_REDUCE_DEADLOCK
} om_reduce_keep;

typedef struct om_reduce_options {
    om_reduce_keep keep;
    uint32_t leave_out; /* bit i: omits pass i of om_reduce_passes() */
    uint64_t until_ns;  /* deadline on om_clock_ns(), at which the passes end; 0: none */
} om_reduce_options;

/* A pass, with a citation for its correctness, for the table of passes. */
typedef struct om_reduce_pass {
    const char *name, *citation;
    uint32_t keeps; /* bit om_reduce_keep: the pass preserves that */
} om_reduce_pass;

/* Returns all passes, at most 32, and their number. */
OM_API const om_reduce_pass *om_reduce_passes(size_t *count);

/* What a pass has removed; agglomerations replace transitions by others. */
typedef struct om_reduce_figures {
    uint64_t times, places, transitions;
} om_reduce_figures;

/* A reduced net and its relation to the original net, which it borrows. Any number of threads may
 * read it. */
typedef struct om_reduction om_reduction;

/*
 * Reduces a net. A net with limits or resets is not reduced. observed: by place, 1 if its tokens
 * must be computable from those of the reduced net. The number of steps is bounded by a multiple of
 * the net's size; when they are used up, or at the deadline, the reduction ends with what it has
 * achieved. OM_OK;
 * OM_ENOMEM; OM_ELIMIT, OM_ESTOP if the context is stopped.
 */
OM_API int om_net_reduce(om_reduction **out, const om_net *net, const uint8_t *observed,
    const om_reduce_options *options);
OM_API void om_reduction_free(om_reduction *r);
/* Returns the reduced net, with the bounds of the original net; it lives as long as r. Each of its
 * places is a place of the original net and has its name; transitions have names of their own. */
OM_API const om_net *om_reduction_net(const om_reduction *r);
/* Returns, by place of the original net, its image in the reduced net; meaningful for observed
 * places. */
OM_API const om_net_image *om_reduction_images(const om_reduction *r);
/* Returns one entry per pass of om_reduce_passes(). */
OM_API const om_reduce_figures *om_reduction_figures(const om_reduction *r);

/* A sequence of transition firings. */
typedef struct om_firings {
    uint32_t *transitions;
    size_t count;
    /* Index of the first firing of the cycle; `count`: no transition is enabled at the end;
     * OM_FIRINGS_END: unspecified. */
    size_t loop;
} om_firings;
#define OM_FIRINGS_END SIZE_MAX

/*
 * Expands a run of the reduced net to a run of the original net: the firings that lead to its
 * initial marking, then those that make up each of its transitions and, if the run ends in a
 * deadlock, silent transitions until none is enabled. The result has been replayed on the original
 * net: each transition had its tokens; the cycle returns to each place at least the tokens that it
 * takes, and to observed places exactly those, so that it can repeat for ever. The caller frees the
 * list with om_free(), with the net's heap. OM_OK; OM_ENOMEM; OM_ELIMIT: it is too long;
 * OM_EINTERNAL: it is not a run of the original net.
 */
OM_API int om_reduction_expand(const om_reduction *r, const om_firings *reduced, om_firings *out);

#endif
