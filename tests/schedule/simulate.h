/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.h: a pool and its jobs as discrete events, decided by the policy, and looked at after
 * each decision. What schedule.h promises (S1 to S8) is worked out here once more, from what jobs
 * and devices say, and by none of the policy's own functions.
 */
#ifndef OMEN_TESTS_SCHEDULE_SIMULATE_H
#define OMEN_TESTS_SCHEDULE_SIMULATE_H

#include "schedule.h"

enum { SIM_DEVICES = 8, SIM_TOKENS = 8 };

typedef struct sim_job {
    schedule_job job;
    uint64_t work;  /* ms on one thread; n threads take an n-th of it */
    bool searches;  /* a device can do it */
    uint32_t alike; /* jobs of one token with the same number need the same */
    /* What became of it: */
    enum { SIM_COMING, SIM_QUEUED, SIM_RUNNING, SIM_DONE, SIM_REFUSED } state;
    schedule_running holds;
    uint64_t started, ended; /* `ended`: when it will */
    uint64_t promise;        /* as the head; 0: none */
    uint32_t period;         /* it came in; between two of them there was nothing to do */
} sim_job;

typedef struct sim {
    schedule_pool pool;
    schedule_device devices[SIM_DEVICES];
    schedule_token tokens[SIM_TOKENS];
    uint32_t token_count;
    uint64_t half_life;
    sim_job *jobs; /* by the time of their submission */
    uint32_t job_count;
    uint64_t seed;     /* shuffles the queue, and fills scratch memory */
    bool looks_twice;  /* S7 and determinism are looked at, too */
    uint64_t measured; /* `served` is of the time up to this one; 0: of all */
    /* What came of it: */
    uint64_t now;
    uint64_t busy;             /* ms in which a job was queued or running */
    uint64_t decisions;        /* how many */
    uint32_t most_queued;      /* in one of them */
    uint64_t most_steps;       /* that one took */
    double served[SIM_TOKENS]; /* shares by ms */
} sim;

/* Runs it to the end. What is wrong ends the test, with `what` (a trace, a seed) in the message. */
void sim_run(sim *s, const char *what);

/* What a job takes on so many threads, with the fastest of these devices, without its limit. */
uint64_t sim_duration(const sim *s, const sim_job *j, uint32_t threads, uint64_t devices);

/* What it is held to; 0: nothing. */
uint64_t sim_limit(const sim *s, const sim_job *j);

/* The pool, empty, has what the job asks for. */
bool sim_fits(const sim *s, const schedule_job *job);

/* The bound of S3 for a job, from its submission; UINT64_MAX: there is none, for want of limits. */
uint64_t sim_bound(const sim *s, const sim_job *j);

#endif
