/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs that have not ended, by number and in order, and the places of those that run. All of it
 * is under the pool's lock. */
#include "pool_impl.h"

#include <search.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    const om_live *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

om_live *pool_find(om_pool *p, int64_t id)
{
    const om_live key = { .id = id };
    om_live *const *at = tfind(&key, &p->by_id, compare);
    return at == NULL ? NULL : *at;
}

static void free_job(om_pool *p, om_live *job)
{
    change_free(job->change);
    json_decref(job->request);
    om_free(om_context_heap(p->ctx), job->token);
    if (job->pidfd >= 0)
        (void) close(job->pidfd);
    free(job->remote);
    free(job);
}

/* At the end of the list, which is where new numbers belong. A job that is tried
 * again has an old one: its place is found from behind. */
static bool enlist(om_pool *p, om_live *job)
{
    om_live *after = p->first.previous;
    if (tsearch(job, &p->by_id, compare) == NULL)
        return false;
    while (after != &p->first && after->id > job->id)
        after = after->previous;
    job->previous = after;
    job->next = after->next;
    after->next->previous = job;
    after->next = job;
    return true;
}

static bool list(om_pool *p, om_live *job)
{
    if (!enlist(p, job)) {
        free_job(p, job);
        return false;
    }
    p->figures.queued++;
    p->any_cancelled = p->any_cancelled || job->cancelled;
    p->due = true;
    return true;
}

/* One that is tried again may come before the thread has heard that its end is on the disk. */
bool pool_add(om_pool *p, const om_live *job, const char *token)
{
    om_live *made = malloc(sizeof *made);
    change *c = calloc(1, sizeof *c);
    char *name = om_strdup(om_context_heap(p->ctx), token);
    if (made == NULL || c == NULL || name == NULL) {
        om_free(om_context_heap(p->ctx), name);
        free(made);
        free(c);
        json_decref(job->request);
        return false;
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
    pthread_mutex_lock(&p->lock);
    om_live *before = pool_find(p, made->id);
    bool ok = before != NULL || list(p, made);
    if (before != NULL)
        before->again = made;
    pthread_mutex_unlock(&p->lock);
    pool_wake(p);
    return ok;
}

static void delist(om_pool *p, om_live *job)
{
    (void) tdelete(job, &p->by_id, compare);
    job->previous->next = job->next;
    job->next->previous = job->previous;
}

void pool_forget_job(om_pool *p, om_live *job)
{
    om_live *again = job->again;
    delist(p, job);
    free_job(p, job);
    if (again != NULL)
        (void) list(p, again);
}

void pool_free_jobs(om_pool *p)
{
    for (om_live *job = p->first.next, *next; job != &p->first; job = next) {
        next = job->next;
        pool_tell(job);
        delist(p, job);
        if (job->again != NULL)
            free_job(p, job->again);
        free_job(p, job);
    }
}

/* ---- who waits ---- */

void pool_tell(om_live *job)
{
    job->changes++;
    for (om_waiter *w = job->waiters, *next; w != NULL; w = next) {
        next = w->next;
        w->waits = false;
        w->wake(w);
    }
    job->waiters = NULL;
}

void pool_answer(om_live *job, bool done)
{
    for (om_asked *a = job->asked, *next; a != NULL; a = next) {
        next = a->next;
        a->ended(a->self, done);
        free(a);
    }
    job->asked = NULL;
}

/* ---- slots ---- */

bool pool_take_slot(om_pool *p, om_live *job)
{
    for (uint32_t i = 0; i < POOL_RUNNING; i++)
        if (p->running[i] == NULL && !p->unclean[i]) {
            p->running[i] = job;
            job->slot = i;
            return true;
        }
    return false;
}

void pool_hold(om_pool *p, const om_live *job)
{
    p->figures.running++;
    p->figures.used.threads += job->grant.threads;
    p->figures.used.memory_bytes += job->grant.memory_bytes;
}

void pool_release(om_pool *p, const om_live *job)
{
    p->running[job->slot] = NULL;
    p->figures.running--;
    p->figures.used.threads -= job->grant.threads;
    p->figures.used.memory_bytes -= job->grant.memory_bytes;
}

void pool_leave(om_pool *p, om_live *job)
{
    pool_release(p, job);
    p->unclean[job->slot] = job->unclean = true;
}

/* Slurm may not be done with an attempt that was lost; its folder goes with the job. */
void pool_clean(om_pool *p, om_live *job)
{
    const bool ended = job->phase == PHASE_ENDING;
    if (ended || (job->unclean && job->remote == NULL)) {
        pthread_mutex_unlock(&p->lock);
        ending_clean(p, job);
        pthread_mutex_lock(&p->lock);
    }
    if (job->unclean)
        p->unclean[job->slot] = job->unclean = false;
}
