/* SPDX-License-Identifier: Apache-2.0 */
/* The pool's thread, its start and its end. */
#include "clock.h"
#include "policy.h"
#include "pool_impl.h"
#include "slurm/slurm.h"

#include <omen/host/plan.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Interval of signs of life for waiting streams, and longest wait of the thread. */
enum { ALIVE_MS = 15000, WAIT_MS = 250 };

void pool_wake(const omend_pool *p)
{
    const uint64_t one = 1;
    (void) write(p->wake, &one, sizeof one);
}

/* ---- the thread ---- */

static void read_changes(omend_pool *p)
{
    _Alignas(struct inotify_event) char buffer[4096];
    ssize_t n = read(p->inotify, buffer, sizeof buffer);
    for (char *at = buffer; n > 0 && at < buffer + n;) {
        const struct inotify_event *e = (const void *) at;
        for (size_t i = 0; i < POOL_RUNNING; i++)
            if (p->running[i] != NULL && p->running[i]->watch == e->wd)
                pool_tell(p->running[i]);
        at += sizeof *e + e->len;
    }
}

static void keep_alive(omend_pool *p, int64_t *last)
{
    if (clock_ms(CLOCK_MONOTONIC) - *last < ALIVE_MS)
        return;
    *last = clock_ms(CLOCK_MONOTONIC);
    for (omend_live *job = p->first.next; job != &p->first; job = job->next)
        if (job->waiters != NULL)
            pool_tell(job);
    pool_tell_strangers(p);
}

/* Releases the lock meanwhile. */
static void remove_folders(omend_pool *p)
{
    om_removal *all = p->removals;
    p->removals = NULL;
    if (all == NULL)
        return;
    pthread_mutex_unlock(&p->lock);
    for (om_removal *next; all != NULL; all = next) {
        next = all->next; /* removed() may free the request that contains the struct */
        pool_remove_folder(settings_now(p->settings), all->id);
        all->removed(all);
    }
    pthread_mutex_lock(&p->lock);
}

/* Jobs of Slurm continue without omend. */
static bool any_runs_here(const omend_pool *p)
{
    for (size_t i = 0; i < POOL_RUNNING; i++)
        if (p->running[i] != NULL && p->running[i]->remote == NULL)
            return true;
    return false;
}

static bool is_over(const omend_pool *p)
{
    return p->draining &&
           (p->hurried || !any_runs_here(p) || clock_ms(CLOCK_MONOTONIC) >= p->patience_ends_ms);
}

/* Returns true if there is something to decide: a job arrived or ended, or enough time has passed
 * for tokens to become due. */
static bool is_due(omend_pool *p)
{
    int64_t now = clock_ms(CLOCK_MONOTONIC);
    if (p->draining || now - p->refused_ms <= POOL_REFUSED_MS || now < p->rests_until_ms ||
        (!p->due && now - p->decided_ms < 1000))
        return false;
    assert(now >= p->decided_ms); /* a monotonic clock */
    p->due = false;
    p->decided_ms = now;
    return true;
}

/* A decision visits all waiting jobs under the lock. The pause afterwards limits decisions to a
 * tenth of the time, however many jobs there are and however fast they arrive. */
static void decide(omend_pool *p)
{
    policy_run(p, &(policy_calls){ pool_begin, pool_refuse });
    int64_t now = clock_ms(CLOCK_MONOTONIC);
    assert(now >= p->decided_ms);
    p->rests_until_ms = now + 9 * (now - p->decided_ms);
}

static int wait_ms(const omend_pool *p)
{
    int64_t left = p->rests_until_ms - clock_ms(CLOCK_MONOTONIC);
    return p->due && left >= 0 && left < WAIT_MS ? (int) left + 1 : WAIT_MS;
}

static void handle(omend_pool *p, const struct epoll_event *e)
{
    uint64_t count;
    if (e->data.u64 == POOL_WAKE) {
        (void) read(p->wake, &count, sizeof count);
    } else if (e->data.u64 == POOL_INOTIFY) {
        read_changes(p);
    } else {
        omend_live *job = pool_find(p, (int64_t) e->data.u64);
        if (job != NULL && job->phase == PHASE_RUNNING) {
            (void) epoll_ctl(p->epoll, EPOLL_CTL_DEL, job->pidfd, NULL);
            pool_process_ended(p, job);
        }
    }
}

static void *pool_main(void *self)
{
    omend_pool *p = self;
    struct epoll_event events[64];
    int64_t alive = clock_ms(CLOCK_MONOTONIC);
    pthread_mutex_lock(&p->lock);
    while (!is_over(p)) {
        pool_settle(p);
        pool_list_again(p);
        remove_folders(p);
        if (p->any_cancelled)
            pool_end_cancelled(p);
        if (is_due(p))
            decide(p);
        keep_alive(p, &alive);
        const int most_ms = wait_ms(p);
        pthread_mutex_unlock(&p->lock);
        int n = epoll_wait(p->epoll, events, 64, most_ms);
        pthread_mutex_lock(&p->lock);
        for (int i = 0; i < n; i++)
            handle(p, &events[i]);
    }
    pool_settle(p);
    while (p->removals != NULL)
        remove_folders(p);
    assert(p->draining);
    p->over = true;
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- start and end ---- */

static bool open_channels(omend_pool *p)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = POOL_WAKE } };
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (p->epoll < 0 || p->wake < 0 || p->inotify < 0 ||
        epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->wake, &event) != 0)
        return false;
    event.data.u64 = POOL_INOTIFY;
    return epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->inotify, &event) == 0;
}

static void close_all(omend_pool *p)
{
    assert(!p->started && p->over); /* pool_stop() */
    pool_free_jobs(p);
    policy_free(p);
    slurm_free(p);
    free(p->devices);
    connection_close(&p->reader);
    if (p->epoll >= 0)
        (void) close(p->epoll);
    if (p->wake >= 0)
        (void) close(p->wake);
    if (p->inotify >= 0)
        (void) close(p->inotify);
    pthread_mutex_destroy(&p->lock);
    om_free(om_context_heap(p->ctx), p);
}

static void measure_machine(omend_pool *p)
{
    const omend_config *c = settings_now(p->settings);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t bytes = om_default_memory_limit();
    p->capacity.threads = c->threads > 0   ? (uint32_t) c->threads
                          : processors > 0 ? (uint32_t) processors
                                           : 1;
    p->capacity.memory_bytes = c->memory_bytes > 0 ? c->memory_bytes : bytes;
}

int pool_start(
    omend_pool **out, om_context *ctx, const omend_settings *settings, omend_writer *writer)
{
    omend_pool *p = om_alloc(om_context_heap(ctx), 1, sizeof *p);
    char path[4200];
    *out = p;
    if (p == NULL)
        return om_fail_memory(ctx);
    p->ctx = ctx;
    p->settings = settings;
    p->writer = writer;
    p->epoll = p->wake = p->inotify = -1;
    p->first.next = p->first.previous = &p->first;
    p->refused_ms = -10000;
    pthread_mutex_init(&p->lock, NULL);
    measure_machine(p);
    (void) snprintf(path, sizeof path, "%.4000s/jobs", settings_now(settings)->data);
    int rc = mkdir(path, 0711) == 0 || errno == EEXIST
                 ? OM_OK
                 : om_fail(ctx, OM_EIO, NULL, "%s: %s", path, strerror(errno));
    if (rc == OM_OK)
        rc = connection_open(&p->reader, ctx, settings_now(settings)->data, false);
    if (rc == OM_OK && !open_channels(p))
        rc = om_fail(ctx, OM_EIO, NULL, "cannot create the pool: %s", strerror(errno));
    if (rc == OM_OK)
        rc = policy_new(p);
    if (rc == OM_OK && strcmp(settings_now(settings)->backend, "slurm") == 0)
        rc = slurm_new(p);
    else if (rc == OM_OK)
        rc = groups_open(&p->groups, ctx, settings_now(settings)->cgroup);
    if (rc == OM_OK)
        rc = pool_take_up(p);
    if (rc == OM_OK && pthread_create(&p->thread, NULL, pool_main, p) != 0)
        rc = om_fail(ctx, OM_EIO, NULL, "cannot create a thread");
    p->started = rc == OM_OK;
    if (!p->started) {
        pthread_mutex_lock(&p->lock);
        p->over = true;
        pthread_mutex_unlock(&p->lock);
    }
    return rc == OM_OK && p->slurm != NULL ? slurm_start(p) : rc;
}

void pool_hurry(omend_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->hurried = true;
    pthread_mutex_unlock(&p->lock);
    pool_wake(p);
}

void pool_stop(omend_pool *p, int patience_ms)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->draining = true;
    p->patience_ends_ms = clock_ms(CLOCK_MONOTONIC) + patience_ms;
    pthread_mutex_unlock(&p->lock);
    pool_wake(p);
    if (p->started)
        (void) pthread_join(p->thread, NULL);
    p->started = false;
    slurm_stop(p);
}

void pool_end_waiting(omend_pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    for (omend_live *job = p->first.next; job != &p->first; job = job->next) {
        pool_tell(job);
        pool_answer(job, false);
        if (job->again != NULL)
            pool_answer(job->again, false);
    }
    pool_tell_strangers(p);
    pthread_mutex_unlock(&p->lock);
}

bool pool_is_over(omend_pool *p)
{
    pthread_mutex_lock(&p->lock);
    bool over = p->ended;
    pthread_mutex_unlock(&p->lock);
    return over;
}

void pool_free(omend_pool *p)
{
    if (p != NULL)
        close_all(p);
}
