/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a job: each is written to the disk first, and continued when it is there. Called by
 * the pool's thread under the lock, which is released for slow operations. */
#include "clock.h"
#include "pool_impl.h"
#include "slurm/slurm.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

/* ---- starting ---- */

void pool_begin(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_QUEUED && !job->held && !job->cancelled); /* J2 */
    if (!pool_take_slot(p, job))
        return; /* the job stays queued */
    const bool ok = p->slurm == NULL || slurm_prepare(p, job);
    if (!ok || !change_start(p, job)) {
        p->running[job->slot] = NULL;
        return;
    }
    job->phase = PHASE_STARTING;
    assert(p->figures.queued > 0); /* J4 */
    p->figures.queued--;
    pool_hold(p, job);
}

void pool_set_running(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_SUBMITTED && !job->held); /* J2 */
    job->phase = PHASE_RUNNING;
    job->held = true;
    change_runs(p, job);
}

/* ---- ending ---- */

void pool_end_job(omend_pool *p, omend_live *job, omend_ending *e)
{
    assert(job->phase < PHASE_ENDING && !job->held);             /* J2 */
    assert(job->phase != PHASE_QUEUED || p->figures.queued > 0); /* J4 */
    if (job->phase == PHASE_QUEUED)
        p->figures.queued--;
    else
        pool_leave(p, job);
    job->phase = PHASE_ENDING;
    change_end(p, job, e);
}

/* The process is gone without a report: the machine stopped, or the process was killed. */
void pool_lose_job(omend_pool *p, omend_live *job, const char *why)
{
    assert(job->phase == PHASE_RUNNING || job->phase == PHASE_SUBMITTED);
    p->figures.lost++;
    const int begun = job->attempt - job->retried;
    assert(begun > 0); /* `retried` is an earlier attempt */
    if (begun >= settings_now(p->settings)->attempts || job->cancelled) {
        omend_ending e = { .state = job->cancelled ? OMEND_CANCELLED : OMEND_FAILED };
        if (!job->cancelled)
            (void) problem_set(&e.problem, OMEND_JOB_LOST, "", "started %d times%s%s", begun,
                why == NULL ? "" : "; last time: ", why == NULL ? "" : why);
        pool_end_job(p, job, &e);
        return;
    }
    pool_leave(p, job);
    p->figures.queued++;
    if (job->pidfd >= 0)
        (void) close(job->pidfd);
    job->pidfd = -1;
    job->phase = PHASE_QUEUED;
    job->held = true; /* until that is committed: it is not started before */
    change_requeue(p, job);
}

void pool_process_ended(omend_pool *p, omend_live *job)
{
    omend_ending e;
    assert(job->phase == PHASE_RUNNING && job->remote == NULL);
    if (job->watch >= 0)
        (void) inotify_rm_watch(p->inotify, job->watch);
    job->watch = -1;
    launch_reap(job);
    pthread_mutex_unlock(&p->lock);
    bool ended = ending_read(p, job, &e);
    groups_remove(&p->groups, job->id, job->attempt);
    pthread_mutex_lock(&p->lock);
    if (ended)
        pool_end_job(p, job, &e);
    else
        pool_lose_job(p, job, NULL);
}

void pool_refuse(omend_pool *p, omend_live *job, const char *why)
{
    omend_ending e = { .state = OMEND_FAILED };
    (void) problem_set(&e.problem, OMEND_BAD_MODEL, "/limits", "%s", why);
    pool_end_job(p, job, &e);
}

void pool_end_cancelled(omend_pool *p)
{
    for (omend_live *job = p->first.next, *next; job != &p->first; job = next) {
        next = job->next;
        if (job->cancelled && job->phase == PHASE_QUEUED && !job->held) {
            omend_ending e = { .state = OMEND_CANCELLED };
            pool_end_job(p, job, &e);
        }
    }
    p->any_cancelled = false;
}

/* ---- running ---- */

bool pool_watch_job(omend_pool *p, omend_live *job)
{
    assert(job->pidfd >= 0 && job->watch < 0);
    char path[4200];
    struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = (uint64_t) job->id } };
    pool_file(settings_now(p->settings), job, "events", path, sizeof path);
    /* omend-job creates it, too, but may not have done so yet. */
    int fd = open(path, O_CREAT | O_CLOEXEC | O_WRONLY, 0600);
    if (fd >= 0)
        (void) close(fd);
    job->watch = inotify_add_watch(p->inotify, path, IN_MODIFY);
    return epoll_ctl(p->epoll, EPOLL_CTL_ADD, job->pidfd, &event) == 0;
}

json_t *pool_read_model(omend_pool *p, int64_t id)
{
    sqlite3_stmt *s = connection_bind(&p->reader, SQL_MODEL, "i", id);
    json_t *text = NULL;
    if (connection_row(s))
        text = json_stringn(sqlite3_column_blob(s, 0), (size_t) sqlite3_column_bytes(s, 0));
    (void) sqlite3_reset(s);
    return text;
}

static bool start_here(omend_pool *p, omend_live *job, json_t *model, omend_problem *problem)
{
    return launch(p, job, model, problem);
}

/* The job's start is on the disk. */
static void run_job(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_STARTING && p->running[job->slot] == job); /* J3 */
    omend_problem problem = { 0 };
    job->attempt++;
    /* No other thread changes a job that is starting. */
    pthread_mutex_unlock(&p->lock);
    json_t *model = pool_read_model(p, job->id);
    bool ok = model == NULL
                  ? problem_set(&problem, OMEND_BROKEN, "", "cannot read its model")
                  : (job->remote != NULL ? slurm_make : start_here)(p, job, model, &problem);
    json_decref(model);
    if (ok && job->remote == NULL && !pool_watch_job(p, job)) {
        launch_signal(job, SIGKILL);
        launch_reap(job);
        ok = problem_set(&problem, OMEND_BROKEN, "", "cannot watch its process");
    }
    pthread_mutex_lock(&p->lock);
    if (!ok) {
        omend_ending e = { .state = OMEND_FAILED, .problem = problem };
        pool_end_job(p, job, &e);
        return;
    }
    p->figures.started++;
    if (job->remote != NULL)
        slurm_hand_over(p, job);
    else
        job->phase = PHASE_RUNNING;
    pool_tell(job);
    if (job->cancelled && job->remote == NULL)
        launch_signal(job, SIGTERM);
}

/* ---- committed changes ---- */

/* The job's end is on the disk. */
static void forget_job(omend_pool *p, omend_live *job)
{
    const change *c = job->change;
    assert(job->phase == PHASE_ENDING && c->done);
    p->figures.ended++;
    pool_clean(p, job);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < sizeof c->pruned / sizeof *c->pruned; i++)
        if (c->pruned[i] != 0)
            pool_remove_folder(settings_now(p->settings), c->pruned[i]);
    pthread_mutex_lock(&p->lock);
    job->phase = PHASE_ENDED;
    pool_tell(job);
    pool_answer(job, true);
    pool_forget_job(p, job);
}

/* The job is queued again, or is known to run. */
static void release_row(omend_pool *p, omend_live *job)
{
    assert(job->held && (job->phase == PHASE_QUEUED || job->phase == PHASE_RUNNING)); /* J2 */
    pool_clean(p, job); /* after a lost attempt */
    job->held = false;
    pool_tell(job);
    slurm_wake(p);
}

/* A change is on the disk, or was refused. */
static void go_on(omend_pool *p, change *c)
{
    omend_live *job = c->job;
    assert(job->change == c &&
           (job->held || job->phase == PHASE_STARTING || job->phase == PHASE_ENDING)); /* J2 */
    p->due = true;
    p->any_cancelled = p->any_cancelled || job->cancelled; /* while the change was pending */
    if (!c->done)
        p->refused_ms = clock_ms(CLOCK_MONOTONIC);
    if (job->phase == PHASE_STARTING && !c->done) {
        pool_release(p, job); /* the job stays queued */
        p->figures.queued++;
        job->phase = PHASE_QUEUED;
        change_clear(c);
    } else if (!c->done) {
        c->next = p->refused; /* it records an event, so it is tried again */
        p->refused = c;
    } else if (job->phase == PHASE_ENDING) {
        forget_job(p, job);
    } else {
        change_clear(c);
        if (job->phase == PHASE_STARTING)
            run_job(p, job);
        else
            release_row(p, job);
    }
}

void pool_settle(omend_pool *p)
{
    change *all = p->committed, *in_order = NULL;
    p->committed = NULL;
    if (clock_ms(CLOCK_MONOTONIC) - p->refused_ms > POOL_REFUSED_MS)
        for (change *c = p->refused, *next; c != NULL; c = next) {
            next = c->next;
            p->refused = next;
            writer_submit(p->writer, &c->write);
        }
    for (change *next; all != NULL; all = next) {
        next = all->next;
        all->next = in_order;
        in_order = all;
    }
    for (change *next; in_order != NULL; in_order = next) {
        next = in_order->next;
        go_on(p, in_order);
    }
}
