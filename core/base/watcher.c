/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/control.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { WATCH_NS = 10 * 1000 * 1000 };

struct om_watcher {
    om_context *ctx;
    const om_heap *heap;
    void (*also)(void *self);
    void *self;
    pthread_t thread;
    pthread_mutex_t lock; /* guards ending */
    pthread_cond_t wake;  /* ends a nap */
    bool ending;
};

static void *watch(void *p)
{
    om_watcher *w = p;
    pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        struct timespec until;
        pthread_mutex_unlock(&w->lock);
        om_control_watch(om_context_control(w->ctx));
        if (w->also != NULL)
            w->also(w->self);
        pthread_mutex_lock(&w->lock);
        (void) clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += WATCH_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (!w->ending)
            (void) pthread_cond_timedwait(&w->wake, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* A condition variable that waits by the monotonic clock. */
static bool make_lock(om_watcher *w)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&w->wake, &attr) == 0;
    (void) pthread_condattr_destroy(&attr);
    if (made && pthread_mutex_init(&w->lock, NULL) != 0) {
        (void) pthread_cond_destroy(&w->wake);
        return false;
    }
    return made;
}

int om_watcher_start(om_watcher **out, om_context *ctx, void (*also)(void *self), void *self)
{
    const om_heap *heap = om_context_heap(ctx);
    om_watcher *w = om_alloc(heap, 1, sizeof *w);
    if (w == NULL)
        return om_fail_memory(ctx);
    w->ctx = ctx;
    w->heap = heap;
    w->also = also;
    w->self = self;
    if (!make_lock(w)) {
        om_free(heap, w);
        return om_fail(ctx, OM_ELIMIT, NULL, "the system gives no lock");
    }
    /* Signals are for others: one that is to end the process must not end a nap. */
    sigset_t all, before;
    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&w->thread, NULL, watch, w);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        (void) pthread_cond_destroy(&w->wake);
        (void) pthread_mutex_destroy(&w->lock);
        om_free(heap, w);
        return om_fail(ctx, OM_ELIMIT, NULL, "no thread can be started: %s", strerror(error));
    }
    *out = w;
    return OM_OK;
}

void om_watcher_stop(om_watcher *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    (void) pthread_join(w->thread, NULL);
    (void) pthread_cond_destroy(&w->wake);
    (void) pthread_mutex_destroy(&w->lock);
    om_free(w->heap, w);
}
