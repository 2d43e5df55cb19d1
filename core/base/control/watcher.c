/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that enforces the limits of a program: every WATCH_NS it calls om_control__watch() to
 * read the clock and the resident size, so that searches need not. Memory is also checked before
 * large blocks are allocated (om_control__allows()).
 */
#include "control.h"
#include "monitor.h"

#include <signal.h>
#include <string.h>

enum { WATCH_NS = 10 * 1000 * 1000 };

struct om_watcher {
    om_context *ctx;
    const om_heap *heap;
    void (*also)(void *self);
    void *self;
    pthread_t thread;
    om_monitor monitor; /* guards `ending`; the thread that sets it wakes the watcher */
    bool ending;
};

static void *watch(void *p)
{
    om_watcher *w = p;
    om_monitor__enter(&w->monitor);
    while (!w->ending) {
        om_monitor__leave(&w->monitor);
        om_control__watch(om_context_control(w->ctx));
        if (w->also != NULL)
            w->also(w->self);
        om_monitor__enter(&w->monitor);
        if (!w->ending)
            (void) om_monitor__wait(&w->monitor, om_clock_ns() + WATCH_NS);
    }
    om_monitor__leave(&w->monitor);
    return NULL;
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
    if (!om_monitor__init(&w->monitor)) {
        om_free(heap, w);
        return om_fail(ctx, OM_ELIMIT, NULL, "cannot create a lock");
    }
    /* Signals go to other threads: one that ends the process must not interrupt a wait. */
    sigset_t all, before;
    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&w->thread, NULL, watch, w);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        om_monitor__destroy(&w->monitor);
        om_free(heap, w);
        return om_fail(ctx, OM_ELIMIT, NULL, "cannot start a thread: %s", strerror(error));
    }
    *out = w;
    return OM_OK;
}

void om_watcher_stop(om_watcher *w)
{
    if (w == NULL)
        return;
    om_monitor__enter(&w->monitor);
    w->ending = true;
    om_monitor__wake(&w->monitor);
    om_monitor__leave(&w->monitor);
    (void) pthread_join(w->thread, NULL);
    om_monitor__destroy(&w->monitor);
    om_free(w->heap, w);
}
