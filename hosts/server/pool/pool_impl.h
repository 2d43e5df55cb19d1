/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the pool. */
#ifndef OMEND_POOL_IMPL_H
#define OMEND_POOL_IMPL_H

#include "jobs/ending.h"
#include "jobs/groups.h"
#include "jobs/launch.h"
#include "pool.h"
#include "schedule/schedule.h"

/* Maximum number of running jobs. POOL_WAKE and POOL_INOTIFY are data of epoll, besides job ids. */
enum { POOL_RUNNING = 1024 };
/* Pause before a change that the database refused is tried again. */
enum { POOL_REFUSED_MS = 1000 };
#define POOL_WAKE UINT64_MAX
#define POOL_INOTIFY (UINT64_MAX - 1)

/* A request to be told when a job has ended. */
struct omend_asked {
    omend_ended_fn *ended;
    void *self;
    omend_asked *next;
};

/* A change of a job's row; at most one is pending. It is allocated together with the job, so that
 * the job's end can be recorded however little memory there is. */
typedef struct change {
    om_write write;
    omend_pool *pool;
    omend_live *job;
    omend_ending ending; /* of the job's end, until that is committed */
    char *placed;        /* of the job's start: where it runs, as JSON */
    int64_t pruned[2];   /* jobs whose folders are removed, too; 0: none */
    bool done;
    struct change *next;
} change;

struct omend_pool {
    om_context *ctx;
    const omend_settings *settings;
    omend_writer *writer;
    omend_connection reader; /* used by the thread */
    omend_capacity capacity;
    omend_groups groups;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    int epoll, wake, inotify;
    struct policy *policy;    /* used by the thread */
    struct slurm *slurm;      /* NULL: another backend */
    schedule_device *devices; /* indexed by device number */
    uint32_t device_count;
    uint64_t thread_rate; /* states/s of one thread; 0: not measured */
    int64_t decided_ms, rests_until_ms;
    int64_t refused_ms; /* last time the database refused a change: nothing starts for a while */
    /* Protected by the lock: */
    omend_live first;        /* head of the list of jobs that have not ended */
    omend_live *unlisted;    /* entered, but not in by_id for lack of memory; tried again */
    omend_waiter *strangers; /* streams of jobs that the pool does not have (yet) */
    om_removal *removals;    /* folders that the thread is to remove */
    void *by_id;             /* tree of tsearch() */
    omend_live *running[POOL_RUNNING]; /* by slot */
    bool unclean[POOL_RUNNING];        /* not free: files of the slot's user are being removed */
    struct change *committed;          /* changes that the thread has not seen yet */
    struct change *refused;            /* refused changes, to be tried again */
    omend_pool_figures figures;
    bool draining, hurried, any_cancelled, ended, due;
    bool over; /* the thread has ended, or was never started */
    int64_t patience_ends_ms;
};

/* Writes "DATA/jobs/ID/ATTEMPT/NAME" (launch.c). */
void pool_file(
    const omend_config *config, const omend_live *job, const char *name, char *out, size_t size);

/* Returns true if some thread holds the lock; for assertions that this one does. */
static inline bool pool_is_locked(omend_pool *p)
{
    return pthread_mutex_trylock(&p->lock) != 0;
}

/* ---- the parts of the pool; the caller holds its lock ---- */

/* pool_jobs.c: returns the job; NULL if it has ended or never existed. */
omend_live *pool_find(omend_pool *p, int64_t id);
/* Frees a job that has ended. If it was queued again meanwhile, the new struct takes its place. */
void pool_forget_job(omend_pool *p, omend_live *job);
/* Frees all jobs. */
void pool_free_jobs(omend_pool *p);
/* Wakes the streams that wait for the job's events. */
void pool_tell(omend_live *job);
/* Wakes the streams that wait for jobs that the pool does not have. */
void pool_tell_strangers(omend_pool *p);
/* Lists the jobs that could not be listed for lack of memory, as far as there is memory now. */
void pool_list_again(omend_pool *p);
/* Answers all requests to be told of the job's end; `done` says whether it has ended. */
void pool_answer(omend_live *job, bool done);
/* Assigns a slot to the job. Returns false if none is free. */
bool pool_take_slot(omend_pool *p, omend_live *job);
/* pool_hold() counts the job's grant as used; pool_release() gives it and the slot back. */
void pool_hold(omend_pool *p, const omend_live *job);
void pool_release(omend_pool *p, const omend_live *job);
/* Like pool_release(), after the job has run: its slot is not free before pool_clean(). */
void pool_leave(omend_pool *p, omend_live *job);
/* Removes the job's files, so that the next job with the same user does not find them. Releases the
 * lock meanwhile. */
void pool_clean(omend_pool *p, omend_live *job);

/* pool_rows.c: submit a change to the writer, which then tells the thread (pool_settle()). */
bool change_start(omend_pool *p, omend_live *job); /* false if memory runs out */
void change_runs(omend_pool *p, omend_live *job);
void change_end(omend_pool *p, omend_live *job, const omend_ending *e); /* takes the ending over */
void change_requeue(omend_pool *p, omend_live *job);
void change_clear(change *c);
void change_free(change *c);

/* pool_steps.c: carry out the policy's decision: start a queued job, or end it unstarted. */
void pool_begin(omend_pool *p, omend_live *job);
void pool_refuse(omend_pool *p, omend_live *job, const char *why);
/* Ends the jobs that were cancelled while they were queued. */
void pool_end_cancelled(omend_pool *p);
/* Records that the job runs, for jobs that are followed elsewhere (slurm.c). The job is `held`
 * until that is committed. */
void pool_set_running(omend_pool *p, omend_live *job);
/* Records the job's end and takes the ending over. Also called before the thread exists. */
void pool_end_job(omend_pool *p, omend_live *job, omend_ending *e);
/* Handles an attempt that is gone without a report: the job is queued once more, or fails if it was
 * begun too often. `why` (or NULL) is part of that error. */
void pool_lose_job(omend_pool *p, omend_live *job, const char *why);
/* Handles the end of the job's omend-job. Releases the lock meanwhile. */
void pool_process_ended(omend_pool *p, omend_live *job);
/* Starts to watch the job's end and events. Returns false if the system refuses. */
bool pool_watch_job(omend_pool *p, omend_live *job);
/* Returns the model's text; NULL if it cannot be read. By the thread, with or without the lock. */
json_t *pool_read_model(omend_pool *p, int64_t id);
/* Continues with changes that are on the disk, and tries refused changes again. */
void pool_settle(omend_pool *p);

/* pool_resume.c: takes up the jobs of an earlier omend, before the thread exists; no lock held. */
int pool_take_up(omend_pool *p);

/* pool.c: wakes the thread. With or without the lock. */
void pool_wake(const omend_pool *p);

#endif
