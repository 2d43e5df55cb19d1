/* SPDX-License-Identifier: Apache-2.0 */
/* failures.h: explorations that do not end where an assertion of the model fails. */
#ifndef OMEN_HOST_FAILURES_H
#define OMEN_HOST_FAILURES_H

#include <omen/host/plan.h>

/* Assertions of the model that stand at one place of its text, and fail in some states. */
typedef struct om_failure {
    uint32_t assertion; /* one that fails at the end of the trace; without one, the first of them */
    uint64_t states;    /* in which one of them fails, as far as the exploration came */
    om_lasso trace;     /* a shortest run to one; count 0: none could be had */
} om_failure;

typedef struct om_failures {
    om_failure *at; /* in the order of the text */
    size_t count;
    uint64_t states; /* the sum of theirs */
    bool ended;      /* by the limit on that sum */
} om_failures;

/*
 * Explores on the CPU beyond states in which assertions fail, and finds all assertions that do.
 * Ends when `most` failures were met, counted by state and place; 0: never. `fired` is as that of
 * om_survey, or NULL. Figures are those of om_plan_explore() of a model without assertions. Results
 * are those of om_plan_ask(); om_failures_free() in any case.
 */
OM_API int om_plan_failures(
    om_plan *p, uint64_t most, uint8_t *fired, om_failures *out, om_exploration *e);
OM_API void om_failures_free(const om_heap *heap, om_failures *f);

/* From now on, explorations and surveys of this plan do not look at the model's assertions (true),
 * or end where one fails (false, the default). Checks look at them in any case. */
OM_API void om_plan_ignore_assertions(om_plan *p, bool ignore);

/* How many states of the last exploration, survey or om_plan_failures() properties do not see, for
 * they lie within steps that the model's language has as one (om_model_set_visible()). */
OM_API uint64_t om_plan_hidden(const om_plan *p);

#endif
