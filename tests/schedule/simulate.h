/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.h: simulates a pool and its jobs as discrete events. The policy decides, and the
 * simulator checks each decision. It recomputes the promises of schedule.h (S1 to S8) from the
 * data of jobs and devices, without the policy's own functions.
 */
#ifndef OMEN_TESTS_SCHEDULE_SIMULATE_H
#define OMEN_TESTS_SCHEDULE_SIMULATE_H

#include "schedule/schedule.h"

enum { SIM_DEVICES = 8, SIM_TOKENS = 8 };

typedef struct sim_job {
    schedule_job job;
    uint64_t work;  /* ms on one thread; n threads take 1/n of it */
    bool searches;  /* true if a device can do it */
    uint32_t alike; /* jobs of one token with the same number have equal needs */
    /* Simulated state: */
    enum { SIM_COMING, SIM_QUEUED, SIM_RUNNING, SIM_DONE, SIM_REFUSED } state;
    schedule_running holds;
    uint64_t started, ended; /* `ended`: in the future while running */
    uint64_t promise;        /* promised start as the head; 0: none */
    uint32_t period;         /* number of its busy period; the pool is idle between two */
} sim_job;

typedef struct sim {
    schedule_pool pool;
    schedule_device devices[SIM_DEVICES];
    schedule_token tokens[SIM_TOKENS];
    uint32_t token_count;
    uint64_t half_life;
    sim_job *jobs; /* by submission */
    uint32_t job_count;
    uint64_t seed;     /* seed of queue shuffling and of the contents of scratch memory */
    bool looks_twice;  /* true to check S7 and determinism, too */
    uint64_t measured; /* time limit of `served`; 0: none */
    /* Results: */
    uint64_t now;
    uint64_t busy;             /* ms in which a job was queued or running */
    uint64_t decisions;        /* number of decisions */
    uint32_t most_queued;      /* maximum of one decision */
    uint64_t most_steps;       /* maximum of one decision */
    double served[SIM_TOKENS]; /* shares times ms */
} sim;

/* Runs the simulation to its end. A violation ends the test, with `what` (a trace, a seed) in the
 * message. */
void sim_run(sim *s, const char *what);

/* Returns the duration of a job on `threads` threads with the fastest of these devices, ignoring
 * its limit. */
uint64_t sim_duration(const sim *s, const sim_job *j, uint32_t threads, uint64_t devices);

/* Returns the effective limit of a job in ms; 0: none. */
uint64_t sim_limit(const sim *s, const sim_job *j);

/* Returns true if the empty pool has what the job needs. */
bool sim_fits(const sim *s, const schedule_job *job);

/* Returns the bound of S3 for a job, from its submission; UINT64_MAX if missing limits leave
 * none. */
uint64_t sim_bound(const sim *s, const sim_job *j);

#endif
