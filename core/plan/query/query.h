/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.h: explorations that answer queries.
 */
#ifndef OMEN_PLAN_QUERY_H
#define OMEN_PLAN_QUERY_H

#include "model/overflow.h"
#include "property/target.h"

/* explore.c. om_plan_explore() under these options. */
int om_plan__explore(
    om_plan *p, const om_plan_options *options, om_exploration *out, om_lasso *trace);
/* Resets the results and figures of an exploration, and clears the context's message, before it is
 * repeated. */
void om_plan__forget_exploration(om_plan *p, om_exploration *out);

/* survey.c. Additional questions of om_plan__ask(), about an exploration that continues past states
 * in which assertions fail: each expression is counted in all states. Arrays are indexed by
 * query. */
typedef struct om_beyond {
    uint64_t *states;       /* number of states in which its expression is not 0 */
    om_lasso *traces;       /* a run to one of these states; count 0: none */
    uint64_t enough_states; /* the exploration ends when the counts sum to this; 0: no such limit */
    size_t wrong;           /* a query that could not be evaluated in some state, or the count */
} om_beyond;
/* om_plan_ask() is this function with `beyond` NULL. */
int om_plan__ask(om_plan *p, om_survey *survey, om_beyond *beyond, om_exploration *out);
/* How an exploration answers queries */
typedef struct om_asking {
    bool reset_dead;
    bool ignore_assertions; /* those that are not final, as in om_model_form */
    bool unasserted;        /* all assertions are ignored */
    bool one; /* ends when an expression holds in some state, or a state is a deadlock */
    /* Likewise, if the exploration has stored at most so many states by then; but not before it has
     * stored OM_SURVEY_PATIENCE. */
    uint64_t one_within;
    om_merging merging;
    om_reduction reduction; /* it has to keep the deadlocks and expressions that are asked for */
    bool leap; /* the questions see no state that properties do not see: these are left out */
    om_beyond *beyond;       /* additional questions, or NULL */
    om_lasso *fault_trace;   /* receives the trace to an assertion that fails; or NULL */
    om_overflows *overflows; /* those of the exploration are added to it; or NULL */
} om_asking;
/* Called between om_plan__begin() and om_plan__end(). The model keeps its form afterwards. */
int om_plan__ask_so(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out);

#endif
