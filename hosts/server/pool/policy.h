/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the pool to the scheduling policy, which knows only numbers (schedule.h). */
#ifndef OMEND_POLICY_H
#define OMEND_POLICY_H

#include "pool_impl.h"

/* Callbacks for the policy's decisions. When a job starts, its grant has been filled in. */
typedef struct policy_calls {
    void (*start)(omend_pool *p, omend_live *job);
    void (*refuse)(omend_pool *p, omend_live *job, const char *why);
} policy_calls;

/* Creates p->policy. OM_ENOMEM. */
int policy_new(omend_pool *p);
/* Decides on the queued jobs. The caller holds the pool's lock. */
void policy_run(omend_pool *p, const policy_calls *calls);
/* Frees p->policy, which may be NULL. */
void policy_free(omend_pool *p);

#endif
