/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds run in threads of their own. A driver's compiler takes seconds and cannot be interrupted
 * if it runs in this process (opencl/compile.c), so a waiting thread must be able to leave: the
 * build then goes on in the background, puts its result into the cache as usual, and frees what it
 * owns. A compiler in a separate process is terminated instead.
 *
 * A build owns everything it works with (texts, a context for its messages) except what lives until
 * om_devices_close(), which waits for all builds: the device, its OpenCL context, the heap.
 *
 * Concurrency: all->lock guards the list of a session's builds, and `done` and `abandoned` of each
 * build. The rest of a build belongs to its thread until it is done; then to the caller that
 * ordered it or, if it is abandoned, to the thread that takes it off the list.
 */
#include "builds.h"

#include "control/monitor.h"

#include <omen/plugin/control.h>

#include <assert.h>
#include <time.h>

enum { GLANCE_NS = 2 * 1000 * 1000 };

struct om_build {
    om_build *next;
    om_device *device;
    const om_heap *heap;
    om_context *ctx; /* its own: the caller's may be gone before the build is done */
    char *source;
    om_recipe recipe;
    om_built built; /* empty if there is none, or after collection */
    int rc;
    pthread_t thread;
    bool threaded, done, abandoned;
};

/* A program released while a build was under way: drivers make the release wait for the compiler,
 * too (pocl has one lock for both). The thread of the next build to end releases it. */
struct om_deferred {
    om_deferred *next;
    om_device *device;
    om_built built;
};

int om_builds__open(om_devices *all)
{
    if (!om_monitor__condition(&all->built))
        return OM_EIO;
    if (pthread_mutex_init(&all->lock, NULL) == 0)
        return OM_OK;
    (void) pthread_cond_destroy(&all->built);
    return OM_EIO;
}

/* Skips the release for a lost device, whose kernels may still be running. */
static void release(om_device *d, om_built *b)
{
    if (!om_device__lost(d))
        d->backend->release(d, b);
    *b = (om_built){ 0 };
}

/* Frees everything a build owns, but not the build itself. */
static void strip(om_build *b)
{
    release(b->device, &b->built);
    om_free(b->heap, b->source);
    om_context_free(b->ctx);
    b->source = NULL;
    b->ctx = NULL;
}

static void free_build(om_build *b)
{
    if (b == NULL)
        return;
    strip(b);
    om_free(b->heap, b);
}

/* Abandons a build and stops it as far as possible: no thread waits for it any more. The caller
 * holds the lock, and the build is not done. */
static void give_up(om_build *b)
{
    assert(!b->done && !b->abandoned);
    b->abandoned = true;
    (void) om_control_stop(om_context_control(b->ctx), OM_STOP_FOUND);
}

static int new_build(om_build **out, om_device *d, om_context *ctx, const om_recipe *recipe)
{
    const om_heap *heap = d->owner->heap;
    om_build *b = om_alloc(heap, 1, sizeof *b);
    if (b == NULL)
        return om_fail_memory(ctx);
    b->device = d;
    b->heap = heap;
    b->source = om_strdup(heap, recipe->source);
    b->recipe = *recipe;
    b->recipe.source = b->source;
    if (b->source == NULL || om_context_new(&b->ctx, heap) != OM_OK) {
        free_build(b);
        return om_fail_memory(ctx);
    }
    *out = b;
    return OM_OK;
}

static void release_deferred(om_devices *all)
{
    pthread_mutex_lock(&all->lock);
    om_deferred *o = all->deferred;
    all->deferred = NULL;
    pthread_mutex_unlock(&all->lock);
    while (o != NULL) {
        om_deferred *next = o->next;
        release(o->device, &o->built);
        om_free(all->heap, o);
        o = next;
    }
}

static bool any_under_way(om_devices *all)
{
    bool any = false;
    pthread_mutex_lock(&all->lock);
    for (const om_build *b = all->builds; b != NULL; b = b->next)
        any = any || !b->done;
    pthread_mutex_unlock(&all->lock);
    return any;
}

void om_builds__release(om_device *d, om_built *b)
{
    om_devices *all = d->owner;
    om_deferred *o = NULL;
    if (b->program != NULL && any_under_way(all))
        o = om_alloc(all->heap, 1, sizeof *o);
    if (o == NULL) {
        release(d, b);
        return;
    }
    o->device = d;
    o->built = *b;
    *b = (om_built){ 0 };
    pthread_mutex_lock(&all->lock);
    o->next = all->deferred;
    all->deferred = o;
    pthread_mutex_unlock(&all->lock);
}

static void *build_main(void *self)
{
    om_build *b = self;
    om_devices *all = b->device->owner;
    b->rc = b->device->backend->build(b->device, b->ctx, &b->recipe, &b->built);
    release_deferred(all);
    pthread_mutex_lock(&all->lock);
    if (b->abandoned) {
        pthread_mutex_unlock(&all->lock);
        strip(b);
        pthread_mutex_lock(&all->lock);
    }
    b->done = true;
    pthread_cond_broadcast(&all->built);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

static void link_build(om_devices *all, om_build *b)
{
    pthread_mutex_lock(&all->lock);
    b->next = all->builds;
    all->builds = b;
    pthread_mutex_unlock(&all->lock);
}

static void unlink_build(om_devices *all, const om_build *b)
{
    pthread_mutex_lock(&all->lock);
    for (om_build **at = &all->builds; *at != NULL; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    pthread_mutex_unlock(&all->lock);
}

/* Waits until the build is done or the context is stopped. Returns false if it was stopped: the
 * build is then abandoned. */
static bool wait_for(om_devices *all, om_build *b, const om_context *ctx)
{
    pthread_mutex_lock(&all->lock);
    while (!b->done && !b->abandoned) {
        struct timespec until;
        if (om_context_stopped(ctx) != OM_OK) {
            give_up(b);
            break;
        }
        (void) clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += GLANCE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void) pthread_cond_timedwait(&all->built, &all->lock, &until);
    }
    bool done = b->done;
    pthread_mutex_unlock(&all->lock);
    return done;
}

/* Frees abandoned builds that are done. */
static void reap(om_devices *all)
{
    om_build *dead = NULL;
    pthread_mutex_lock(&all->lock);
    for (om_build **at = &all->builds; *at != NULL;) {
        om_build *b = *at;
        if (!b->done || !b->abandoned) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        b->next = dead;
        dead = b;
    }
    pthread_mutex_unlock(&all->lock);
    while (dead != NULL) {
        om_build *next = dead->next;
        if (dead->threaded)
            (void) pthread_join(dead->thread, NULL);
        free_build(dead);
        dead = next;
    }
}

int om_builds__order(om_device *d, om_context *ctx, const om_recipe *recipe, om_build **out)
{
    om_devices *all = d->owner;
    om_build *b = NULL;
    int rc = om_context_stopped(ctx);
    if (rc == OM_OK)
        rc = om_device__start(d, ctx);
    if (rc != OM_OK)
        return rc;
    reap(all);
    if ((rc = new_build(&b, d, ctx, recipe)) != OM_OK)
        return rc;
    link_build(all, b);
    b->threaded = !d->simulated && pthread_create(&b->thread, NULL, build_main, b) == 0;
    if (!b->threaded)
        (void) build_main(b); /* without a thread it cannot be abandoned */
    *out = b;
    return OM_OK;
}

int om_builds__collect(om_build *b, om_context *ctx, om_built *out)
{
    om_devices *all = b->device->owner;
    if (!wait_for(all, b, ctx))
        return om_context_stopped(ctx);
    assert(b->done && !b->abandoned);
    unlink_build(all, b);
    if (b->threaded)
        (void) pthread_join(b->thread, NULL);
    int rc = b->rc;
    if (rc == OM_OK) {
        *out = b->built;
        b->built = (om_built){ 0 };
    } else
        (void) om_fail(ctx, rc, NULL, "%s", om_context_error(b->ctx));
    free_build(b);
    return rc;
}

void om_builds__abandon(om_build *b)
{
    if (b == NULL)
        return;
    om_devices *all = b->device->owner;
    pthread_mutex_lock(&all->lock);
    if (!b->done)
        give_up(b);
    b->abandoned = true;
    pthread_mutex_unlock(&all->lock);
}

bool om_devices_busy(om_devices *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (om_device__lost(&all->items[i]))
            return true;
    return any_under_way(all);
}

void om_builds__close(om_devices *all)
{
    for (om_build *b = all->builds; b != NULL;) {
        om_build *next = b->next;
        if (b->threaded)
            (void) pthread_join(b->thread, NULL);
        assert(b->done);
        free_build(b);
        b = next;
    }
    release_deferred(all);
    (void) pthread_cond_destroy(&all->built);
    (void) pthread_mutex_destroy(&all->lock);
}
