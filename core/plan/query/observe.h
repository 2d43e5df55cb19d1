/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.h: what the workers of an exploration observe, and the answers to queries.
 *
 *  Q1  Each AP is the expression of one query; after them comes that of the states that properties
 *      see, if there is one.
 *  Q2  A query is settled once; its state is written by the worker that settles it.
 *  Q3  Only a query about deadlocks looks at states that are expanded.
 *  Q4  Transitions are counted in a form that has the model's own.
 *  Q5  A query that was settled out of turn is far until a level meets a state that settles it,
 *      too. Its state is then that one: a path to it is a shortest one.
 */
#ifndef OMEN_PLAN_OBSERVE_H
#define OMEN_PLAN_OBSERVE_H

#include "query.h"

#include <omen/plugin/bfs.h>

#include <stdatomic.h>

/* OM_SURVEY_PATIENCE: states of an exploration for which every answer waits (om_asking.one_within).
 */
enum { OM_SURVEY_APS = 64, OM_SURVEY_PATIENCE = 20000 };

/* Observations of one worker; arrays as in om_survey */
typedef struct om_seen {
    om_wide *best; /* [query], for sums */
    om_id *best_at;
    om_value *most;
    om_wide largest_sum;
    uint64_t *states; /* [query], if states are counted */
    uint64_t hidden;  /* number of states that properties do not see */
    om_successors next;
    uint64_t deadlocks; /* value of the cursor's counter so far */
    uint32_t *vector;   /* buffer for a state that may be a deadlock */
    unsigned char padding[64];
} om_seen;

/* One exploration that answers queries. The workers of the search write their own om_seen and the
 * atomic members; all others are constant while they run. */
typedef struct om_surveying {
    om_plan *p;
    const om_asking *how;
    om_survey *survey;
    om_beyond *beyond; /* or NULL */
    const om_model *model;
    om_searched *searched; /* the form that is explored */
    om_executor *x;
    om_product *product;
    om_bfs *search;
    om_seen *workers;
    bool to_the_end; /* some question is decided only when all states are known */
    om_expr aps[OM_SURVEY_APS];
    uint32_t query_of[OM_SURVEY_APS], ap_count;
    uint32_t seen_ap; /* AP of the states that properties see, after those of queries; or OM_NONE */
    size_t stuck;     /* index of the query about deadlocks, or SIZE_MAX */
    atomic_bool *settled; /* [query] */
    _Atomic om_id *at;    /* [query]: a state that answers it, or OM_NO_ID */
    om_lasso *traces;     /* [query]: trace to that state; count 0: none */
    /* All atomic accesses are relaxed: one worker wins the exchange that settles a query, `at` is
     * read after the workers have ended, and stopping late is harmless. */
    _Atomic uint64_t open;    /* mask of the APs of unsettled queries */
    _Atomic uint64_t far;     /* likewise of far ones (Q5) */
    atomic_bool far_stuck;    /* the query about deadlocks is far */
    atomic_bool cut;          /* the exploration ends although some query is not settled */
    _Atomic uint64_t first;   /* states stored when a query was settled first; 0: none was */
    _Atomic size_t left;      /* number of unsettled queries */
    _Atomic uint64_t counted; /* sum of all counts */
    _Atomic om_fault fault;
    _Atomic int rc; /* of memory allocations */
    atomic_bool *fired;
    _Atomic uint32_t unfired;
    atomic_bool seen_enough; /* no transitions are awaited any more */
    pthread_mutex_t lock;    /* serialises calls of survey->enough() */
} om_surveying;

/* Returns the state that answers a query, or OM_NO_ID. */
static inline om_id om_surveying__at(const om_surveying *v, size_t query)
{
    return atomic_load_explicit(&v->at[query], memory_order_relaxed);
}
/* Returns true if the query is about the maximum of a sum. */
bool om_surveying__is_sum(const om_query *q);
/* Makes the workers' memory, sets up the APs and clears the answers. OM_OK, OM_ENOMEM, OM_EUSAGE.
 */
int om_surveying__make(om_surveying *v);
void om_surveying__free(om_surveying *v);
/* For om_bfs_spec: called for each state that is stored, ... */
bool om_surveying__take_state(void *self, unsigned worker, om_id id, const uint32_t *vector);
/* ... for each state that a level reaches after it was stored out of turn, ... */
bool om_surveying__take_reached(void *self, unsigned worker, om_id id);
/* ... and for each state that is expanded, in a batch: the cursor counts the deadlocks of the
 * batch. */
bool om_surveying__take_expanded(void *self, unsigned worker, om_cursor *c, om_id id);
/* Returns true if the query is settled and far (Q5). No worker may be working. */
bool om_surveying__is_far(const om_surveying *v, size_t query);
/* Fills the answers that the search has found. */
void om_surveying__answer(const om_surveying *v, bool complete);

#endif
