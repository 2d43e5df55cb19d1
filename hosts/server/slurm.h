/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `backend = slurm`: jobs are handed to Slurm, which says where and when they run. The thread of
 * this part runs sbatch, squeue, sacct and scancel, one at a time and each with a time limit; the
 * pool never waits for one.
 *
 * Each attempt has a name of its own ("omen-JOB-ATTEMPT-RANDOM"), which is in the database before
 * sbatch is called, and by which squeue and sacct are asked. So there is nothing to write down
 * afterwards: whatever happens between, the name says whether the attempt was submitted. Where
 * sbatch did not say so clearly, squeue is asked before it is tried again; two that have come to
 * the same name are made one (scancel), and omend-job's lock keeps them apart meanwhile.
 *
 * A job handed over is PHASE_SUBMITTED (queued, to whoever asks) until Slurm runs it, or its report
 * is there.
 */
#ifndef OMEND_SLURM_H
#define OMEND_SLURM_H

#include "pool.h"

/* What is known of an attempt. */
typedef enum slurm_step {
    SLURM_READY,  /* Slurm does not have it */
    SLURM_UNSURE, /* Slurm may have it */
    SLURM_KNOWN,  /* Slurm has it */
    SLURM_GONE    /* Slurm had it, and has no more to say: its report is waited for */
} slurm_step;

/* What Slurm's word for a job's state means here. */
typedef enum slurm_state {
    SLURM_NOTHING, /* nothing was said, or a word that is not known */
    SLURM_PENDING,
    SLURM_RUNNING,
    SLURM_COMPLETED, /* from here on: it has ended */
    SLURM_LOST,      /* by no fault of its own */
    SLURM_NO_MEMORY,
    SLURM_NO_TIME,
    SLURM_CANCELLED
} slurm_state;

/* A job's part that is Slurm's. Under the pool's lock. */
typedef struct slurm_job {
    char name[80];
    slurm_step step;
    slurm_state state;
    char word[32];      /* the state, as Slurm says it */
    char why[256];      /* it waits, or was lost */
    uint32_t number;    /* Slurm's; 0: not known */
    uint64_t turn;      /* its place among those that are to be submitted */
    int failures;       /* of sbatch, for it */
    int64_t due_ms;     /* when sbatch is tried next */
    int64_t gone_ms;    /* since when nothing more is said; 0: not so */
    int64_t cancel_ms;  /* when scancel was last asked to end it; 0: never */
    int64_t event_size; /* of its events, as they were last looked at */
} slurm_job;

/* Before there are jobs: p->slurm. OM_ENOMEM, OM_EIO. */
int slurm_new(om_pool *p);
/* The thread; OM_EIO. */
int slurm_start(om_pool *p);
/* Ends the thread, and the command that it waits for. No lock. */
void slurm_stop(om_pool *p);
void slurm_free(om_pool *p);
/* There is something to do. Under the lock, as those below. */
void slurm_wake(om_pool *p);

/* Gives a job what it asks for, and its next attempt a name; false: no memory. */
bool slurm_prepare(om_pool *p, om_live *job);
/* Makes the folder of an attempt. Without the lock. False, with the problem. */
bool slurm_make(om_pool *p, om_live *job, json_t *model, om_problem *problem);
/* An attempt with a folder is Slurm's from now on. */
void slurm_hand_over(om_pool *p, om_live *job);
/* One that an earlier omend handed over, or meant to: its name is known. False: no memory. */
bool slurm_take_up(om_pool *p, om_live *job, const char *name);
/* Has its folder been made as a whole? */
bool slurm_is_made(const om_pool *p, const om_live *job);

/* The request as `omen check` is to have it: a device is used where Slurm gives one, and not else.
 * A new reference; NULL: no memory. */
json_t *slurm_request(const om_live *job);

#endif
