/* SPDX-License-Identifier: Apache-2.0 */
/* How an attempt ended: according to its report, or to Slurm if the report does not tell. */
#include "clock.h"
#include "slurm_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* Returns true if an omend-job is at work in the folder, on any machine (if the file system
 * propagates locks). */
static bool is_locked(const omend_pool *p, const omend_live *job)
{
    char path[4200];
    pool_file(settings_now(p->settings), job, "lock", path, sizeof path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void) close(fd);
    return locked;
}

static void set_problem(omend_ending *e, omend_problem_kind kind, const slurm_job *r)
{
    e->state = OMEND_FAILED;
    e->verdict = NULL;
    e->problem = (omend_problem){ 0 };
    (void) problem_set(
        &e->problem, kind, "", "slurm job %" PRIu32 " ended with %s", r->number, r->word);
}

static void lose(struct slurm *s, omend_live *job)
{
    slurm_job *r = job->remote;
    char why[128];
    if (*r->word != '\0' && r->state >= SLURM_COMPLETED)
        (void) snprintf(why, sizeof why,
            "slurm job %" PRIu32 " ended with %.40s and without a report", r->number, r->word);
    else
        (void) snprintf(why, sizeof why, "slurm no longer knows job %" PRIu32, r->number);
    /* The job may still be alive, although Slurm does not report it. */
    if (r->state < SLURM_COMPLETED)
        slurm_add_stray(s, r->name, r->number);
    pool_lose_job(s->pool, job, why);
}

/* Returns false if the job has not ended yet. */
static bool end_without_report(struct slurm *s, omend_live *job, bool waited)
{
    const slurm_job *r = job->remote;
    omend_ending e = { .state = OMEND_CANCELLED };
    switch (r->state) {
    case SLURM_LOST:
        lose(s, job);
        return true;
    case SLURM_NO_MEMORY:
        set_problem(&e, OMEND_JOB_MEMORY, r);
        break;
    case SLURM_NO_TIME:
        set_problem(&e, OMEND_JOB_TIME, r);
        break;
    case SLURM_CANCELLED:
        break;
    default:
        /* The job has ended by itself: a report should be there, but may be late on a shared
         * disk. */
        if (!waited || is_locked(s->pool, job))
            return false;
        lose(s, job);
        return true;
    }
    pool_end_job(s->pool, job, &e);
    return true;
}

/* Returns true if Slurm may have ended the job, which looks like a cancellation from inside, or
 * like a crash. */
static bool is_doubtful(const omend_live *job, const omend_ending *e)
{
    return (e->state == OMEND_CANCELLED && !job->cancelled) || e->problem.kind == OMEND_JOB_CRASHED;
}

static void end_with_report(struct slurm *s, omend_live *job, omend_ending *e)
{
    const slurm_job *r = job->remote;
    if (is_doubtful(job, e) && r->state == SLURM_LOST) {
        ending_free(e);
        lose(s, job);
        return;
    }
    if (is_doubtful(job, e) && r->state == SLURM_NO_MEMORY)
        set_problem(e, OMEND_JOB_MEMORY, r);
    else if (is_doubtful(job, e) && r->state == SLURM_NO_TIME)
        set_problem(e, OMEND_JOB_TIME, r);
    pool_end_job(s->pool, job, e);
}

/* Returns true if nothing more has been reported for slurm_patience. */
static bool has_waited(const struct slurm *s, slurm_job *r)
{
    const int64_t now = clock_ms(CLOCK_MONOTONIC);
    if (r->gone_ms == 0)
        r->gone_ms = now;
    return now - r->gone_ms >=
           (int64_t) (settings_now(s->pool->settings)->slurm_patience_ns / 1000000);
}

static void settle_ended(struct slurm *s, omend_live *job, bool there)
{
    omend_pool *p = s->pool;
    slurm_job *r = job->remote;
    const bool ended = r->state >= SLURM_COMPLETED || r->step == SLURM_GONE;
    if (!ended && !there) {
        r->gone_ms = 0;
        return;
    }
    const bool waited = has_waited(s, r);
    if (there) {
        const omend_live copy = *job; /* a cancellation changes the job */
        omend_ending e;
        pthread_mutex_unlock(&p->lock);
        bool read = ending_read(p, &copy, &e);
        pthread_mutex_lock(&p->lock);
        if (read && is_doubtful(job, &e) && r->state < SLURM_COMPLETED && !waited) {
            ending_free(&e);
            return;
        }
        if (read) {
            end_with_report(s, job, &e);
            return;
        }
    }
    (void) end_without_report(s, job, waited);
}

void slurm_settle(struct slurm *s, const slurm_seen *seen)
{
    omend_pool *p = s->pool;
    omend_live *job = seen->job;
    slurm_job *r = job->remote;
    assert(job->phase == PHASE_SUBMITTED ||
           job->phase == PHASE_RUNNING); /* only this thread ends it */
    if (job->held)                       /* a change of its row is pending */
        return;
    if (job->cancelled && r->step == SLURM_READY) {
        omend_ending e = { .state = OMEND_CANCELLED };
        pool_end_job(p, job, &e);
        return;
    }
    if (seen->events != r->event_size) {
        r->event_size = seen->events;
        pool_tell(job);
    }
    if (job->phase == PHASE_SUBMITTED &&
        (seen->begun || seen->there || r->state == SLURM_RUNNING)) {
        pool_set_running(p, job);
        return;
    }
    settle_ended(s, job, seen->there);
}
