/* SPDX-License-Identifier: Apache-2.0 */
/* Between the pool and the policy, which knows numbers alone (schedule.h). */
#ifndef OMEND_POLICY_H
#define OMEND_POLICY_H

#include "pool_impl.h"

/* What the policy wants done with a job; the job's grant is filled in where it starts. */
typedef struct policy_calls {
    void (*start)(om_pool *p, om_live *job);
    void (*refuse)(om_pool *p, om_live *job, const char *why);
} policy_calls;

/* OM_ENOMEM. The devices are borrowed. */
int policy_new(om_pool *p);
/* Decides for the jobs that are queued. Under the lock. */
void policy_run(om_pool *p, const policy_calls *calls);
/* A job's part of what there is, from now on or no more: its token's usage grows meanwhile. */
void policy_free(om_pool *p);
/* "0,2" as bits; 0: it names no numbers. */
uint64_t policy_device_bits(const char *numbers);

#endif
