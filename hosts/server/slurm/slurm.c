/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm.h"
#include "slurm_impl.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Longest interval between looks at reports and events; submissions between two such looks. */
enum { LOOK_MS = 1000, SUBMISSIONS = 16 };

int slurm_new(omend_pool *p)
{
    struct slurm *s = calloc(1, sizeof *s);
    pthread_condattr_t how;
    if (s == NULL)
        return om_fail(p->ctx, OM_ENOMEM, NULL, "out of memory");
    s->pool = p;
    pthread_condattr_init(&how);
    (void) pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    int rc = pthread_cond_init(&s->condition, &how);
    pthread_condattr_destroy(&how);
    if (rc != 0) {
        free(s);
        return om_fail(p->ctx, OM_EIO, NULL, "cannot create the Slurm back end: %s", strerror(rc));
    }
    p->slurm = s;
    return OM_OK;
}

void slurm_free(omend_pool *p)
{
    if (p->slurm == NULL)
        return;
    assert(!p->slurm->started); /* slurm_stop() */
    pthread_cond_destroy(&p->slurm->condition);
    free(p->slurm);
    p->slurm = NULL;
}

void slurm_wake(omend_pool *p)
{
    if (p->slurm == NULL)
        return;
    p->slurm->woken = true;
    (void) pthread_cond_signal(&p->slurm->condition);
}

void slurm_hand_over(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_STARTING && job->remote->step == SLURM_READY);
    job->phase = PHASE_SUBMITTED;
    job->remote->turn = ++p->slurm->turns;
    (void) snprintf(job->remote->why, sizeof job->remote->why, "about to be submitted");
    slurm_wake(p);
}

bool slurm_take_up(omend_pool *p, omend_live *job, const char *name)
{
    assert(job->remote == NULL && job->phase == PHASE_QUEUED);
    job->remote = calloc(1, sizeof *job->remote);
    if (job->remote == NULL)
        return false;
    (void) snprintf(job->remote->name, sizeof job->remote->name, "%s", name);
    (void) snprintf(job->remote->why, sizeof job->remote->why, "slurm has not been queried yet");
    job->remote->step = SLURM_UNSURE;
    job->remote->turn = ++p->slurm->turns;
    return true;
}

/* ---- a pass ---- */

/* Under the lock. */
static void collect(struct slurm *s)
{
    const omend_pool *p = s->pool;
    s->seen_count = 0;
    for (size_t i = 0; i < POOL_RUNNING; i++) {
        omend_live *job = p->running[i];
        if (job == NULL || job->remote == NULL ||
            (job->phase != PHASE_SUBMITTED && job->phase != PHASE_RUNNING))
            continue;
        assert(s->seen_count < POOL_RUNNING);
        slurm_seen *seen = &s->seen[s->seen_count++];
        *seen = (slurm_seen){ .job = job };
        memcpy(seen->name, job->remote->name, sizeof seen->name);
    }
}

static int64_t size_of(const char *folder, const char *name)
{
    char path[4200];
    struct stat st;
    (void) snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0 ? (int64_t) st.st_size : -1;
}

/* Looks at the folders. Without the lock: a shared disk may be slow. */
static void look(struct slurm *s)
{
    for (size_t i = 0; i < s->seen_count; i++) {
        slurm_seen *seen = &s->seen[i];
        char folder[4096];
        pool_folder(settings_now(s->pool->settings), seen->job->id, seen->job->attempt, folder,
            sizeof folder);
        seen->there = size_of(folder, "report") >= 0;
        seen->begun = size_of(folder, "lock") >= 0;
        int64_t events = size_of(folder, "events");
        seen->events = events < 0 ? 0 : events;
    }
}

/* Under the lock, which is released meanwhile. The collected jobs stay valid: only this thread ends
 * them. */
static void pass(struct slurm *s)
{
    omend_pool *p = s->pool;
    collect(s);
    pthread_mutex_unlock(&p->lock);
    slurm_cancel(s);
    look(s); /* so that a job that has begun is not considered missing */
    slurm_follow(s);
    look(s); /* after Slurm has reported an end: the report is there by then */
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < s->seen_count && !atomic_load(&s->ending); i++)
        slurm_settle(s, &s->seen[i]);
    for (int i = 0; i < SUBMISSIONS && !atomic_load(&s->ending) && slurm_submit_one(s); i++)
        continue;
}

static void rest(struct slurm *s)
{
    int64_t ms = slurm_pause(s, 1) < LOOK_MS ? slurm_pause(s, 1) : LOOK_MS;
    struct timespec until;
    (void) clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long) (ms % 1000) * 1000000;
    until.tv_sec += (time_t) (ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!s->woken && !atomic_load(&s->ending))
        if (pthread_cond_timedwait(&s->condition, &s->pool->lock, &until) != 0)
            break;
    s->woken = false;
}

static void *slurm_main(void *self)
{
    struct slurm *s = self;
    pthread_mutex_lock(&s->pool->lock);
    while (!atomic_load(&s->ending)) {
        pass(s);
        rest(s);
    }
    pthread_mutex_unlock(&s->pool->lock);
    return NULL;
}

int slurm_start(omend_pool *p)
{
    if (pthread_create(&p->slurm->thread, NULL, slurm_main, p->slurm) != 0)
        return om_fail(p->ctx, OM_EIO, NULL, "cannot create a thread");
    p->slurm->started = true;
    return OM_OK;
}

void slurm_stop(omend_pool *p)
{
    struct slurm *s = p->slurm;
    if (s == NULL || !s->started)
        return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&s->ending, true);
    (void) pthread_cond_signal(&s->condition);
    pthread_mutex_unlock(&p->lock);
    (void) pthread_join(s->thread, NULL);
    s->started = false;
}
