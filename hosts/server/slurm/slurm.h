/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `backend = slurm`: jobs are handed to Slurm, which decides where and when they run. The thread of
 * this part runs sbatch, squeue, sacct and scancel, one at a time and each with a time limit; the
 * pool never waits for one.
 *
 * Each attempt has a unique name ("omen-JOB-ATTEMPT-RANDOM"), which is in the database before
 * sbatch is called, and by which squeue and sacct are queried. So nothing needs to be recorded
 * afterwards: whatever happens in between, the name tells whether the attempt was submitted. If the
 * answer of sbatch was unclear, squeue is asked before the next try. If two Slurm jobs have the
 * same name, one is cancelled (scancel); until then the lock of omend-job keeps them apart.
 *
 * A job that was handed over is PHASE_SUBMITTED (queued, for clients) until Slurm runs it, or its
 * report is there.
 */
#ifndef OMEND_SLURM_H
#define OMEND_SLURM_H

#include "pool/pool.h"

/* Whether Slurm has an attempt. */
typedef enum slurm_step {
    SLURM_READY,  /* Slurm does not have it */
    SLURM_UNSURE, /* Slurm may have it */
    SLURM_KNOWN,  /* Slurm has it */
    SLURM_GONE    /* Slurm had it, and reports nothing more: its report is awaited */
} slurm_step;

/* Meaning of Slurm's job states. */
typedef enum slurm_state {
    SLURM_NOTHING, /* no state was reported, or an unknown one */
    SLURM_PENDING,
    SLURM_RUNNING,
    SLURM_COMPLETED, /* from here on: it has ended */
    SLURM_LOST,      /* by no fault of its own */
    SLURM_NO_MEMORY,
    SLURM_NO_TIME,
    SLURM_CANCELLED
} slurm_state;

/* The part of a job that Slurm's thread uses. Protected by the pool's lock. */
typedef struct slurm_job {
    char name[80];
    slurm_step step;
    slurm_state state;
    char word[32];      /* the state in Slurm's words */
    char why[256];      /* why it waits, or was lost */
    uint32_t number;    /* Slurm's job number; 0: unknown */
    uint64_t turn;      /* its place in the order of submission */
    int failures;       /* of sbatch, for this job */
    int64_t due_ms;     /* time of the next sbatch */
    int64_t gone_ms;    /* since when Slurm reports nothing more; 0: it does */
    int64_t cancel_ms;  /* last time scancel was called; 0: never */
    int64_t event_size; /* size of its events at the last look */
} slurm_job;

/* Creates p->slurm, before there are jobs. OM_ENOMEM, OM_EIO. */
int slurm_new(omend_pool *p);
/* Starts the thread. OM_EIO. */
int slurm_start(omend_pool *p);
/* Ends the thread, and the command that it waits for. The caller does not hold the lock. */
void slurm_stop(omend_pool *p);
void slurm_free(omend_pool *p);
/* Wakes the thread. Under the lock, like the functions below. */
void slurm_wake(omend_pool *p);

/* Grants a job the resources that it asks for, and names its next attempt. Returns false if memory
 * runs out. */
bool slurm_prepare(omend_pool *p, omend_live *job);
/* Creates the folder of an attempt. Without the lock. Returns false with the problem set. */
bool slurm_make(omend_pool *p, omend_live *job, json_t *model, omend_problem *problem);
/* Hands an attempt, whose folder exists, to Slurm. */
void slurm_hand_over(omend_pool *p, omend_live *job);
/* Takes up a job that an earlier omend handed over, or was going to; its name is known. Returns
 * false if memory runs out. */
bool slurm_take_up(omend_pool *p, omend_live *job, const char *name);
/* Returns true if the folder of the attempt is complete. */
bool slurm_is_made(const omend_pool *p, const omend_live *job);

/* Returns the request for `omen check`, which uses a device only if Slurm assigns one. A new
 * reference; NULL if memory runs out. */
json_t *slurm_request(const omend_live *job);

#endif
