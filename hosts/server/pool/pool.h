/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: jobs that have not ended, and the one thread that starts them, watches them and records
 * how they ended. Everything that must not be lost is in the database before any client is told.
 * The state in memory can be rebuilt from the database and from the folders of the jobs.
 *
 * The steps of a job: queued -> (a grant is chosen and committed) -> running in the folder
 * DATA/jobs/ID/ATTEMPT, under omend-job, which outlives omend -> its report is read and committed
 * with its results -> done, failed or cancelled. When omend starts, a job that was running is found
 * by the lock that its omend-job holds, or by its report; otherwise it is queued once more.
 *
 * With `backend = slurm` (slurm.h) a job is handed to Slurm instead of being started, and counts as
 * queued until Slurm runs it.
 *
 * Invariants, under the lock:
 *
 * J1  The list and by_id have the same jobs, in the order of ids: a job is there from pool_enter()
 *     (or from `unlisted`, for lack of memory) until its end is on the disk.
 * J2  At most one change of a job's row is pending: while it is PHASE_STARTING or PHASE_ENDING, or
 *     `held`. No other step of the job begins meanwhile.
 * J3  A job has a slot, and its grant counts as used, in PHASE_STARTING, PHASE_SUBMITTED and
 *     PHASE_RUNNING, and in no other phase.
 * J4  `figures.queued` is the number of listed jobs in PHASE_QUEUED.
 * J5  A job that ends is done, failed or cancelled; it has a problem if and only if it failed.
 * J6  A job is queued `again` only after its end is on the disk, and once.
 * J7  A waiter is in the list that its `list` names, or in none.
 */
#ifndef OMEND_POOL_H
#define OMEND_POOL_H

#include "config.h"
#include "numbers.h"
#include "database/database.h"
#include "schedule/schedule.h"
#include "jobs/submission.h"

#include <pthread.h>
#include <sys/types.h>

/* The machine's resources for jobs. */
typedef struct omend_capacity {
    uint32_t threads;
    uint64_t memory_bytes;
} omend_capacity;

/* The progress of a job that has not ended. */
typedef enum omend_phase {
    PHASE_QUEUED,
    PHASE_STARTING,  /* its start is being committed */
    PHASE_SUBMITTED, /* handed to Slurm, which does not run it yet */
    PHASE_RUNNING,
    PHASE_ENDING, /* its end is being committed */
    PHASE_ENDED
} omend_phase;

typedef struct omend_waiter omend_waiter;
typedef struct omend_asked omend_asked;

/* A job that has not ended. Protected by the pool's lock, except for members that are set once. */
typedef struct omend_live {
    int64_t id;
    int64_t created_ms;
    char *token; /* name of the token, or "" */
    json_t *request;
    omend_needs needs;
    int priority;
    int attempt;
    int retried; /* the attempt after which a client queued it again */
    omend_phase phase;
    bool cancelled;        /* a client asked it to end */
    bool held;             /* queued or running, while a change of its row is not committed yet */
    struct change *change; /* of its row */
    omend_asked *asked;    /* requests to be told when it has ended */
    struct omend_live *again; /* the same job, queued again before this struct was freed */
    bool unclean;             /* files of the slot's user have not been removed yet */
    /* Why the job waits, if `decided`. */
    bool decided;
    schedule_decision decision;
    /* Valid from the start of the job on. */
    omend_grant grant;
    char devices[NUMBERS_MOST];
    uint32_t slot; /* index among the running jobs; selects the user that it runs as */
    int64_t begun_ms;
    pid_t pid;
    int pidfd, watch;
    struct slurm_job *remote;           /* the job's Slurm part, or NULL (slurm.h) */
    uint64_t changes;                   /* number of changes of its events so far */
    omend_waiter *waiters;              /* streams that wait for more events */
    struct omend_live *next, *previous; /* in the order of ids */
} omend_live;

typedef struct omend_pool omend_pool;

/* Takes up the jobs of an earlier omend and starts the thread. Settings and writer outlive the
 * pool. If it fails, *out is stopped and freed like any other pool (or is NULL): the writer may
 * still have changes of it. */
int pool_start(
    omend_pool **out, om_context *ctx, const omend_settings *settings, omend_writer *writer);
/* Starts no more jobs. Returns when the running jobs have ended or `patience_ms` are over: the
 * remaining jobs continue without this process, and the next omend finds them. */
void pool_stop(omend_pool *p, int patience_ms);
/* Ends all waits for events and for ends of jobs. */
void pool_end_waiting(omend_pool *p);
bool pool_is_over(omend_pool *p);
/* Frees the pool after pool_stop() and pool_end_waiting(), and after the writer has stopped:
 * pending changes refer to the pool. */
void pool_free(omend_pool *p);
/* Ends the patience of pool_stop(). Thread-safe. */
void pool_hurry(omend_pool *p);

/*
 * A job enters the pool in two steps. pool_prepare() allocates all that the pool needs, before the
 * job's row is changed: it can fail. pool_enter() lists the job as soon as the row says "queued" on
 * the disk: it cannot fail, and it does not depend on whether the client still waits.
 *
 * The caller of pool_prepare() sets id, attempt and retried before pool_enter(), if it learns them
 * only in the transaction. pool_prepare() takes the request over, also on failure (NULL if memory
 * runs out); no other thread may hold a reference to it or to a part of it. The token's name is
 * copied. Thread-safe.
 */
omend_live *pool_prepare(omend_pool *p, const omend_live *job, const char *token);
void pool_enter(omend_pool *p, omend_live *job);
/* Frees a prepared job whose row was not written. NULL is ignored. */
void pool_drop(omend_pool *p, omend_live *job);

/* Asks a job to end. Calls `ended` with `self` and true when that is committed, or with false if
 * the pool has no such job that has not ended. Thread-safe. */
typedef void omend_ended_fn(void *self, bool done);
void pool_cancel(omend_pool *p, int64_t id, omend_ended_fn *ended, void *self);

/* Removal of the folder of a job that was removed from the database. The pool's thread calls
 * `removed` when the folder is gone; the caller owns the struct and keeps it until then.
 * Thread-safe. */
typedef struct om_removal {
    int64_t id;
    void (*removed)(struct om_removal *r);
    struct om_removal *next; /* used by the pool */
} om_removal;
void pool_remove(omend_pool *p, om_removal *r);

/* Sets the devices, as `omen devices --json` prints them, with "states_per_second" if that is
 * known; and the states/s of a thread, 0 if unknown. `devices` is borrowed. Thread-safe. */
void pool_set_devices(omend_pool *p, const json_t *devices, double thread_rate);

/* Writes why a queued job waits, according to the last decision. Returns false if the job does not
 * wait or there was no decision. */
bool pool_reason(omend_pool *p, int64_t id, char *text, size_t size);

typedef struct omend_pool_figures {
    uint32_t queued, running;
    omend_capacity capacity, used;
    uint64_t started, ended, lost;
} omend_pool_figures;
omend_pool_figures pool_figures(omend_pool *p);

/* ---- waiting for events ---- */

struct omend_waiter {
    void (*wake)(omend_waiter *w); /* by any thread, once for each pool_wait() that returned true */
    int64_t job;
    omend_waiter **list;           /* head of the list that it waits in; NULL: it does not wait */
    omend_waiter *next, *previous; /* used by the pool */
};

/* Returns the number of changes of a job's events; UINT64_MAX if the pool does not have the job (it
 * has ended, or has not entered yet). */
uint64_t pool_changes(omend_pool *p, int64_t id);
/* Waits for a change after `seen`, for the job to enter if the pool does not have it, or for the
 * time to send a sign of life. Returns false if there was a change already or waits have ended. */
bool pool_wait(omend_pool *p, omend_waiter *w, uint64_t seen);
/* Ends a wait before it is over. */
void pool_forget(omend_pool *p, omend_waiter *w);

/* Removes all folders of a job that has ended. */
void pool_remove_folder(const omend_config *config, int64_t id);
/* Writes "DATA/jobs/ID/ATTEMPT". */
void pool_folder(const omend_config *config, int64_t id, int attempt, char *out, size_t size);

#endif
