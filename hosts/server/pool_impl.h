/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the pool know of each other. */
#ifndef OMEND_POOL_IMPL_H
#define OMEND_POOL_IMPL_H

#include "groups.h"
#include "pool.h"
#include "schedule.h"

/* Jobs that run at once at most; what epoll tells of, besides the numbers of jobs. */
enum { POOL_RUNNING = 1024 };
/* Until a change that the database refused is tried again. */
enum { POOL_REFUSED_MS = 1000 };
#define POOL_WAKE UINT64_MAX
#define POOL_INOTIFY (UINT64_MAX - 1)

/* How a job ended, from its folder. */
typedef struct om_ending {
    om_state state;
    om_problem problem;
    const char *verdict; /* NULL: none */
    json_t *results;     /* array of texts, as they were printed */
    char *taken;         /* JSON: what it took */
    int64_t bytes;       /* that it has on the disk: events and results */
} om_ending;

/* Who is told when a job has ended. */
struct om_asked {
    om_ended_fn *ended;
    void *self;
    om_asked *next;
};

/* A change of a job's row: one at a time is on its way. Each job has one from its beginning: that
 * it ended can be written down however little memory there is. */
typedef struct change {
    om_write write;
    om_pool *pool;
    om_live *job;
    om_ending ending;  /* of its end, until that is committed */
    char *placed;      /* of its start: where it runs, as JSON */
    int64_t pruned[2]; /* jobs whose folders go, too; 0: none */
    bool done;
    struct change *next;
} change;

struct om_pool {
    om_context *ctx;
    const om_settings *settings;
    om_writer *writer;
    om_connection reader; /* the thread's */
    om_capacity capacity;
    om_groups groups;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    int epoll, wake, inotify;
    struct policy *policy;    /* the thread's */
    struct slurm *slurm;      /* NULL: another backend */
    schedule_device *devices; /* by their numbers */
    uint32_t device_count;
    uint64_t thread_rate; /* states/s of one thread; 0: not measured */
    int64_t decided_ms, rests_until_ms;
    int64_t refused_ms; /* when the database last refused something: nothing is begun then */
    /* Under the lock. */
    om_live first;                  /* the head of the list of jobs that have not ended */
    om_live *unlisted;              /* entered, but by_id had no memory for them: tried again */
    om_waiter *strangers;           /* streams of jobs that the pool does not have (yet) */
    om_removal *removals;           /* folders that the thread is to remove */
    void *by_id;                    /* tsearch() */
    om_live *running[POOL_RUNNING]; /* by slot */
    bool unclean[POOL_RUNNING];     /* files of the slot's user are being removed: it is not free */
    struct change *committed;       /* changes that the thread has not seen yet */
    struct change *refused;         /* that are tried again */
    om_pool_figures figures;
    bool draining, hurried, any_cancelled, ended, due;
    bool over; /* the thread has ended, or never was */
    int64_t patience_ends_ms;
};

/* "DATA/jobs/ID/ATTEMPT/NAME" (launch.c) */
void pool_file(
    const om_config *config, const om_live *job, const char *name, char *out, size_t size);

/* launch.c: makes the job's folder and starts omend-job in it. Fills pid and pidfd in. False, with
 * the problem. */
bool launch(const om_pool *p, om_live *job, json_t *model, om_problem *problem);
/* What a job may take before omend-job ends it. */
double launch_seconds(const om_pool *p, const om_live *job);
uint64_t launch_memory(const om_live *job);
/* The same as limits of a control group, which is made if it is not there; false: there is none. */
bool launch_limit(const om_pool *p, const om_live *job);
/* The part of launch() that makes the folder. */
bool launch_prepare(const om_pool *p, const om_live *job, json_t *model, char *path, size_t size,
    om_problem *problem);
/* Is its omend-job at work in the folder? Then pid and pidfd are filled in. */
bool launch_find(const om_pool *p, om_live *job);
/* By its descriptor: the number may be another's by now. */
void launch_signal(const om_live *job, int number);
/* It is gone, or was killed: nothing is left of it. (Of one that an earlier omend started, somebody
 * else takes care.) */
void launch_reap(const om_live *job);

/* Parts of that, for who else runs commands as jobs do. */
bool launch_put_file(int folder, const char *name, mode_t mode, const char *text, size_t length);
/* What omen and a C compiler need of ours, and what drivers look at; NULL: no memory. */
json_t *launch_environment(const char *work);
/* omend-job lies beside omend, or where it is installed. */
bool launch_find_program(char *out, size_t size);
/* Starts it in the folder `path`; an error of errno.h, or 0. */
int launch_spawn(const char *program, char *path, pid_t *pid);
void launch_remove_folder(const char *path);

/* ending.c: reads the report and the events. False: there is no report. */
bool ending_read(const om_pool *p, const om_live *job, om_ending *out);
void ending_free(om_ending *e);
/* Removes what is not kept of an attempt. */
void ending_clean(const om_pool *p, const om_live *job);

/* ---- the parts of the pool; under its lock ---- */

/* pool_jobs.c: NULL: it has ended, or there never was one. */
om_live *pool_find(om_pool *p, int64_t id);
/* It has ended, and is freed. Where it was queued again meanwhile, that takes its place. */
void pool_forget_job(om_pool *p, om_live *job);
/* All of them. */
void pool_free_jobs(om_pool *p);
/* Those who wait for its events look. */
void pool_tell(om_live *job);
/* Likewise those who wait for a job that the pool does not have. */
void pool_tell_strangers(om_pool *p);
/* Jobs that could not be listed for want of memory are listed, if there is some now. */
void pool_list_again(om_pool *p);
/* Those who asked it to end hear whether it has. */
void pool_answer(om_live *job, bool done);
/* A place among those that run; false: there is none. */
bool pool_take_slot(om_pool *p, om_live *job);
/* It holds what it was granted from now on; it gives that and its place back. */
void pool_hold(om_pool *p, const om_live *job);
void pool_release(om_pool *p, const om_live *job);
/* Likewise, when it has run: its place is nobody's before pool_clean(). */
void pool_leave(om_pool *p, om_live *job);
/* What it left is removed: nobody who has its user next finds it. Gives the lock up meanwhile. */
void pool_clean(om_pool *p, om_live *job);

/* pool_rows.c: a change is on its way to the disk; then the thread is told (pool_settle). */
bool change_start(om_pool *p, om_live *job); /* false: no memory */
void change_runs(om_pool *p, om_live *job);
void change_end(om_pool *p, om_live *job, const om_ending *e); /* the ending is taken over */
void change_requeue(om_pool *p, om_live *job);
void change_clear(change *c);
void change_free(change *c);

/* pool_steps.c: what the policy wants: a job that is queued is started, or never will be. */
void pool_begin(om_pool *p, om_live *job);
void pool_refuse(om_pool *p, om_live *job, const char *why);
/* Jobs that were cancelled while they were queued are ended. */
void pool_end_cancelled(om_pool *p);
/* Its start is written down, for who follows it elsewhere (slurm.c): `held` until that is
 * committed. */
void pool_set_running(om_pool *p, om_live *job);
/* Its end is written down; the ending is taken over. Also before there is a thread. */
void pool_end_job(om_pool *p, om_live *job, om_ending *e);
/* It is gone, and left no report: it is queued once more, or failed so often enough. `why` (or
 * NULL) is told then. */
void pool_lose_job(om_pool *p, om_live *job, const char *why);
/* Its omend-job is gone. Gives the lock up meanwhile. */
void pool_process_ended(om_pool *p, om_live *job);
/* Its end and its events are waited for; false: the system refuses. */
bool pool_watch_job(om_pool *p, om_live *job);
/* The text; NULL: it cannot be read. The thread, with or without the lock. */
json_t *pool_read_model(om_pool *p, int64_t id);
/* Goes on with what has come to the disk; changes that were refused are tried again. */
void pool_settle(om_pool *p);

/* pool_resume.c: jobs of an earlier omend, before there is a thread; no lock. */
int pool_take_up(om_pool *p);

/* pool.c: there is something for the thread. With or without the lock. */
void pool_wake(const om_pool *p);

#endif
