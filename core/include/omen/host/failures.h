/* SPDX-License-Identifier: Apache-2.0 */
/* failures.h: explorations that continue after a failed assertion of the model. */
#ifndef OMEN_HOST_FAILURES_H
#define OMEN_HOST_FAILURES_H

#include <omen/host/plan.h>

/* The assertions of the model at one place of its text, some of which fail. */
typedef struct om_failure {
    /* The one that fails at the end of the trace; without a trace, the first of them. */
    uint32_t assertion;
    /* Number of states in which one of them fails, as far as the exploration went. */
    uint64_t states;
    om_lasso trace; /* a shortest run to a failure; count 0: none could be built */
} om_failure;

typedef struct om_failures {
    om_failure *at; /* in textual order */
    size_t count;
    uint64_t states; /* sum over all places */
    bool ended;      /* the exploration ended at the limit on that sum */
} om_failures;

/*
 * Explores on the CPU past states in which assertions fail, and finds all assertions that fail.
 * Ends after `most` failures, counted by state and place; 0: no limit. `fired` is as in om_survey,
 * or NULL. The figures are those of om_plan_explore() for a model without assertions. Returns the
 * statuses of om_plan_ask(); the caller calls om_failures_free() in every case.
 */
OM_API int om_plan_failures(
    om_plan *p, uint64_t most, uint8_t *fired, om_failures *out, om_exploration *e);
OM_API void om_failures_free(const om_heap *heap, om_failures *f);

/* Makes later explorations and surveys of this plan ignore the model's assertions (true), or end
 * when one fails (false, the default). Checks evaluate them in any case. */
OM_API void om_plan_ignore_assertions(om_plan *p, bool ignore);

/* Returns the number of states of the last exploration, survey or om_plan_failures() that
 * properties do not see, because they lie within atomic sequences of the model's language
 * (om_model_set_visible()). */
OM_API uint64_t om_plan_hidden(const om_plan *p);

#endif
