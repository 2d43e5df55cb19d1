/* SPDX-License-Identifier: Apache-2.0 */
/* checks.h: invariants of a simulation, checked after each decision and at its end. */
#ifndef OMEN_TESTS_SCHEDULE_CHECKS_H
#define OMEN_TESTS_SCHEDULE_CHECKS_H

#include "simulate.h"

/* One run: the state of a decision, with the mapping to the jobs of the simulation. */
typedef struct sim_state {
    sim *s;
    const char *what;
    om_random chance;
    schedule_state state;
    schedule_job *queue;
    schedule_running *running;
    uint32_t *queued, *runs; /* indices of queued jobs; of running jobs, by start */
    schedule_decision *out;
    schedule_decision *before; /* indexed by job of the simulation */
    schedule_result result;
    uint64_t reserved;
    uint32_t period;
} sim_state;

/* Fails the test with a message about a job if WHAT is false. */
#define require(R, WHAT, ...)                   \
    do {                                        \
        if (!(WHAT))                            \
            sim_wrong((R), #WHAT, __VA_ARGS__); \
    } while (0)

void sim_wrong(const sim_state *r, const char *claim, const char *fmt, ...) OM_PRINTF(3, 4);

static inline unsigned long long sim_id(const sim_job *j)
{
    return (unsigned long long) j->job.id;
}

/* S1, for the running jobs. */
void sim_check_sums(const sim_state *r);
/* Checks that the job may have what it was granted. */
void sim_check_grant(const sim_state *r, const sim_job *j, const schedule_decision *d);
/* S2: the promise is no later than before, and at most T away. */
void sim_check_head(const sim_state *r);
/* S4: no job starts before an equal one with a smaller key; also checks the order of turns. */
void sim_check_keys(const sim_state *r);
/* S6, for a job that waits by choice. */
void sim_check_choice(const sim_state *r, const sim_job *j, const schedule_decision *d);
/* All jobs are done or refused, within their bounds (S3). */
void sim_check_end(const sim_state *r);

#endif
