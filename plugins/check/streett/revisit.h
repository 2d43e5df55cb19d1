/* SPDX-License-Identifier: Apache-2.0 */
/*
 * revisit.h: Streett emptiness by one worker: Duret-Lutz, Poitrenaud, Couvreur, "On-the-fly
 * emptiness check of transition-based Streett automata", ATVA 2009, section 4, Figure 3, with a
 * correction that revisit.c explains.
 */
#ifndef OMEN_CHECK_STREETT_REVISIT_H
#define OMEN_CHECK_STREETT_REVISIT_H

#include "clauses.h"
#include "visit.h"

typedef struct revisit {
    const om_heap *heap;
    om_task *task;
    const clauses *clauses;
    visit visit; /* kept for the evidence */
} revisit;

/* Initialises *r, which must be zeroed; the caller frees it in any case. Returns OM_OK or
 * OM_ENOMEM. */
int revisit_new(revisit *r, om_task *task, const clauses *c);
void revisit_free(revisit *r);
/* Runs the whole search, in worker 0, as the work() of a checker. */
int revisit_work(revisit *r);

#endif
