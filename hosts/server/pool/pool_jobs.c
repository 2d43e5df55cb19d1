/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs that have not ended, by id and in order, and the slots of running jobs. All of it is
 * protected by the pool's lock. */
#include "pool_impl.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    const omend_live *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

omend_live *pool_find(omend_pool *p, int64_t id)
{
    const omend_live key = { .id = id };
    assert(pool_is_locked(p));
    omend_live *const *at = tfind(&key, &p->by_id, compare);
    return at == NULL ? NULL : *at;
}

static void free_job(omend_pool *p, omend_live *job)
{
    change_free(job->change);
    json_decref(job->request);
    om_free(om_context_heap(p->ctx), job->token);
    if (job->pidfd >= 0)
        (void) close(job->pidfd);
    free(job->remote);
    free(job);
}

/* Inserts a job in the order of ids. New ids belong at the end of the list; a job that is tried
 * again has an old id, so its place is searched from the end. */
static bool enlist(omend_pool *p, omend_live *job)
{
    omend_live *after = p->first.previous;
    if (tsearch(job, &p->by_id, compare) == NULL)
        return false;
    while (after != &p->first && after->id > job->id)
        after = after->previous;
    assert(after == &p->first || after->id < job->id);             /* J1 */
    assert(after->next == &p->first || job->id < after->next->id); /* J1 */
    job->previous = after;
    job->next = after->next;
    after->next->previous = job;
    after->next = job;
    return true;
}

/* If there is no memory for the node of by_id, the job waits in `unlisted` until the thread tries
 * again. */
static void list(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_QUEUED && !job->held); /* J2 */
    if (!enlist(p, job)) {
        job->next = p->unlisted;
        p->unlisted = job;
        return;
    }
    p->figures.queued++;
    p->any_cancelled = p->any_cancelled || job->cancelled;
    p->due = true;
    pool_tell_strangers(p);
}

void pool_list_again(omend_pool *p)
{
    omend_live *all = p->unlisted;
    p->unlisted = NULL;
    for (omend_live *next; all != NULL; all = next) {
        next = all->next;
        list(p, all);
    }
}

omend_live *pool_prepare(omend_pool *p, const omend_live *job, const char *token)
{
    omend_live *made = malloc(sizeof *made);
    change *c = calloc(1, sizeof *c);
    char *name = om_strdup(om_context_heap(p->ctx), token);
    if (made == NULL || c == NULL || name == NULL) {
        om_free(om_context_heap(p->ctx), name);
        free(made);
        free(c);
        json_decref(job->request);
        return NULL;
    }
    *made = *job;
    made->token = name;
    made->change = c;
    c->pool = p;
    c->job = made;
    made->needs = submission_needs(job->request);
    made->pidfd = made->watch = -1;
    made->phase = PHASE_QUEUED;
    made->waiters = NULL;
    made->asked = NULL;
    made->again = NULL;
    made->remote = NULL;
    return made;
}

void pool_drop(omend_pool *p, omend_live *job)
{
    if (job != NULL)
        free_job(p, job);
}

/* A job that is tried again may enter before the thread has learned that its end is on the disk. */
void pool_enter(omend_pool *p, omend_live *job)
{
    pthread_mutex_lock(&p->lock);
    omend_live *before = pool_find(p, job->id);
    assert(before == NULL || (before->phase == PHASE_ENDING && before->again == NULL)); /* J6 */
    if (before != NULL)
        before->again = job;
    else
        list(p, job);
    pthread_mutex_unlock(&p->lock);
    pool_wake(p);
}

static void delist(omend_pool *p, omend_live *job)
{
    assert(job->previous->next == job && job->next->previous == job); /* J1 */
    (void) tdelete(job, &p->by_id, compare);
    job->previous->next = job->next;
    job->next->previous = job->previous;
}

void pool_forget_job(omend_pool *p, omend_live *job)
{
    omend_live *again = job->again;
    assert(job->phase == PHASE_ENDED && job->asked == NULL && job->waiters == NULL);
    delist(p, job);
    free_job(p, job);
    if (again != NULL)
        list(p, again);
}

void pool_free_jobs(omend_pool *p)
{
    for (omend_live *job = p->first.next, *next; job != &p->first; job = next) {
        next = job->next;
        pool_tell(job);
        delist(p, job);
        if (job->again != NULL)
            free_job(p, job->again);
        free_job(p, job);
    }
    for (omend_live *job = p->unlisted, *next; job != NULL; job = next) {
        next = job->next;
        free_job(p, job);
    }
    p->unlisted = NULL;
}

/* ---- waiters ---- */

/* A waiter may be freed, or wait again, as soon as it is woken. */
static void wake_all(omend_waiter **list)
{
    omend_waiter *w = *list;
    *list = NULL;
    for (omend_waiter *next; w != NULL; w = next) {
        next = w->next;
        assert(w->list == list); /* J7 */
        w->list = NULL;
        w->wake(w);
    }
}

void pool_tell(omend_live *job)
{
    job->changes++;
    wake_all(&job->waiters);
}

void pool_tell_strangers(omend_pool *p)
{
    wake_all(&p->strangers);
}

void pool_answer(omend_live *job, bool done)
{
    for (omend_asked *a = job->asked, *next; a != NULL; a = next) {
        next = a->next;
        a->ended(a->self, done);
        free(a);
    }
    job->asked = NULL;
}

/* ---- slots ---- */

bool pool_take_slot(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_QUEUED); /* J3 */
    for (uint32_t i = 0; i < POOL_RUNNING; i++)
        if (p->running[i] == NULL && !p->unclean[i]) {
            p->running[i] = job;
            job->slot = i;
            return true;
        }
    return false;
}

void pool_hold(omend_pool *p, const omend_live *job)
{
    assert(p->running[job->slot] == job); /* J3 */
    p->figures.running++;
    p->figures.used.threads += job->grant.threads;
    p->figures.used.memory_bytes += job->grant.memory_bytes;
}

void pool_release(omend_pool *p, const omend_live *job)
{
    assert(p->running[job->slot] == job && p->figures.running > 0); /* J3 */
    assert(p->figures.used.threads >= job->grant.threads);          /* J3 */
    assert(p->figures.used.memory_bytes >= job->grant.memory_bytes);
    p->running[job->slot] = NULL;
    p->figures.running--;
    p->figures.used.threads -= job->grant.threads;
    p->figures.used.memory_bytes -= job->grant.memory_bytes;
}

void pool_leave(omend_pool *p, omend_live *job)
{
    pool_release(p, job);
    assert(!p->unclean[job->slot]); /* pool_take_slot() */
    p->unclean[job->slot] = job->unclean = true;
}

/* Slurm may still use a lost attempt; its folder is removed with the job. */
void pool_clean(omend_pool *p, omend_live *job)
{
    const bool ended = job->phase == PHASE_ENDING;
    if (ended || (job->unclean && job->remote == NULL)) {
        pthread_mutex_unlock(&p->lock);
        ending_clean(p, job);
        pthread_mutex_lock(&p->lock);
    }
    assert(!job->unclean || p->unclean[job->slot]);
    if (job->unclean)
        p->unclean[job->slot] = job->unclean = false;
}
