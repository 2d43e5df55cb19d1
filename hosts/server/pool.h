/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: jobs that have not ended, and the one thread that starts them, watches them and writes
 * down how they ended. Everything that must not be lost is in the database before anybody is told;
 * what is in memory here can be made again from it and from the folders of the jobs.
 *
 * A job's way: queued -> (a grant is chosen, and committed) -> running in the folder
 * DATA/jobs/ID/ATTEMPT, under omend-job, which outlives omend -> its report is read, committed with
 * its results -> done, failed or cancelled. At the start, a job that was running is found by the
 * lock that its omend-job holds, or by its report, or is queued once more.
 *
 * With `backend = slurm` (slurm.h) it is handed to Slurm instead of being started, and counts as
 * queued until Slurm runs it.
 */
#ifndef OMEND_POOL_H
#define OMEND_POOL_H

#include "config.h"
#include "database.h"
#include "schedule.h"
#include "submission.h"

#include <pthread.h>
#include <sys/types.h>

/* What the machine has for jobs. */
typedef struct om_capacity {
    uint32_t threads;
    uint64_t memory_bytes;
} om_capacity;

/* How far a job that has not ended is. */
typedef enum om_phase {
    PHASE_QUEUED,
    PHASE_STARTING,  /* its start is being committed */
    PHASE_SUBMITTED, /* Slurm has it, and does not run it yet */
    PHASE_RUNNING,
    PHASE_ENDING, /* its end is being committed */
    PHASE_ENDED
} om_phase;

typedef struct om_waiter om_waiter;
typedef struct om_asked om_asked;

/* A job that has not ended. Under the pool's lock, but for what is set once. */
typedef struct om_live {
    int64_t id;
    int64_t created_ms;
    char *token; /* the name of one, or "" */
    json_t *request;
    om_needs needs;
    int priority;
    int attempt;
    int retried; /* the attempt after which it was queued by hand */
    om_phase phase;
    bool cancelled;        /* it was asked to end */
    bool held;             /* queued or running, and a change of its row is not committed yet */
    struct change *change; /* of its row */
    om_asked *asked;       /* who is told when it has ended */
    struct om_live *again; /* the same job, queued again before this one was forgotten */
    bool unclean;          /* what it leaves in its slot's name is still there */
    /* Where it waits: why. */
    bool decided;
    schedule_decision decision;
    /* From its start on. */
    om_grant grant;
    char devices[64];
    uint32_t slot; /* the user that it runs as, and its place among those that run */
    int64_t begun_ms;
    pid_t pid;
    int pidfd, watch;
    struct slurm_job *remote;        /* what is Slurm's, or NULL (slurm.h) */
    uint64_t changes;                /* of its events, so far: for those who wait */
    om_waiter *waiters;              /* streams that wait for more */
    struct om_live *next, *previous; /* in the order of their numbers */
} om_live;

typedef struct om_pool om_pool;

/* Takes up what was left, and starts the thread. Settings and writer outlive it. Where it fails,
 * too, *out is stopped and freed like any other (or NULL): the writer may have changes of it. */
int pool_start(om_pool **out, om_context *ctx, const om_settings *settings, om_writer *writer);
/* No job is started any more; returns when those that run have ended, or `patience_ms` are over:
 * they go on without us then, and are found by whoever comes next. */
void pool_stop(om_pool *p, int patience_ms);
/* Nobody waits for events any more, or for a job's end. */
void pool_end_waiting(om_pool *p);
bool pool_is_over(om_pool *p);
/* After that, and when the writer has stopped: changes on their way know the pool. */
void pool_free(om_pool *p);
/* Ends pool_stop()'s patience. Any thread. */
void pool_hurry(om_pool *p);

/*
 * A job enters the pool in two steps. pool_prepare() allocates all that the pool needs, before the
 * job's row is changed: it can fail. pool_enter() lists the job, as soon as the row says "queued"
 * on the disk: it cannot fail, and it does not depend on whether the client still waits.
 *
 * The caller of pool_prepare() sets id, attempt and retried before pool_enter(), if it learns them
 * only in the transaction. The request is taken over, also on failure (NULL: no memory); no other
 * thread may hold a reference to it or to a part of it. The token's name is copied. Any thread.
 */
om_live *pool_prepare(om_pool *p, const om_live *job, const char *token);
void pool_enter(om_pool *p, om_live *job);
/* Frees a prepared job whose row was not written. NULL: nothing. */
void pool_drop(om_pool *p, om_live *job);

/* Asks a job to end; `ended` (with its argument) is called when that is committed, or with false
 * where there is no such job that has not ended. Any thread. */
typedef void om_ended_fn(void *self, bool done);
void pool_cancel(om_pool *p, int64_t id, om_ended_fn *ended, void *self);

/* The folder of a job that was removed from the database. `removed` is called by the pool's thread
 * when the folder is gone; the struct is the caller's, and has to live until then. Any thread. */
typedef struct om_removal {
    int64_t id;
    void (*removed)(struct om_removal *r);
    struct om_removal *next; /* the pool's */
} om_removal;
void pool_remove(om_pool *p, om_removal *r);

/* Devices as `omen devices --json` prints them, with "states_per_second" where that is known; and
 * what a thread does, 0: not known. Borrowed. Any thread. */
void pool_set_devices(om_pool *p, const json_t *devices, double thread_rate);

/* Why a queued job waits, as the policy last said. False: it does not wait, or nothing was said. */
bool pool_reason(om_pool *p, int64_t id, char *text, size_t size);

typedef struct om_pool_figures {
    uint32_t queued, running;
    om_capacity capacity, used;
    uint64_t started, ended, lost;
} om_pool_figures;
om_pool_figures pool_figures(om_pool *p);

/* ---- waiting for events ---- */

struct om_waiter {
    void (*wake)(om_waiter *w); /* by any thread, once for each pool_wait() that returned true */
    int64_t job;
    om_waiter **list;           /* where it waits: the head of that list; NULL: it does not wait */
    om_waiter *next, *previous; /* the pool's */
};

/* How many changes a job's events have had; UINT64_MAX: the pool does not have the job (it has
 * ended, or has not entered yet). */
uint64_t pool_changes(om_pool *p, int64_t id);
/* Waits for a change after `seen`, for the job to enter if the pool does not have it, or for the
 * time to say that the stream is still there. False: there was a change already. */
bool pool_wait(om_pool *p, om_waiter *w, uint64_t seen);
/* It does not wait any more. */
void pool_forget(om_pool *p, om_waiter *w);

/* All of a job that has ended. */
void pool_remove_folder(const om_config *config, int64_t id);
/* "DATA/jobs/ID/ATTEMPT" */
void pool_folder(const om_config *config, int64_t id, int attempt, char *out, size_t size);

#endif
