/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The opener of the device that races (schedule/race.c). It is a separate thread, because a
 * starting driver cannot be interrupted and no other thread may have to wait for it.
 *
 * E1  Until the opener is joined, it is running and has its context.
 * E2  Only an opener that runs and is not done is engaged; one that is done says so once.
 */
#include "plan_devices.h"

#include <assert.h>

/* Opens devices if one that can race may exist (om_devices_promise()). */
static int open_devices(om_plan *p, om_context *ctx, const char **why)
{
    om_devices *devices = NULL;
    int rc = p->options.racer != NULL ? OM_OK : om_devices_promise(ctx, why);
    if (rc != OM_OK)
        return rc;
    pthread_mutex_lock(&p->supervisor.lock);
    assert(p->devices.opener.running && !p->devices.opener.engaged); /* E2 */
    p->devices.opener.engaged = true;
    pthread_cond_broadcast(&p->supervisor.news);
    pthread_mutex_unlock(&p->supervisor.lock);
    rc = om_devices_open(
        &devices, p->devices.ctx, p->options.racer != NULL ? p->options.racer : "auto", why);
    pthread_mutex_lock(&p->supervisor.lock);
    assert(p->devices.opener.engaged && p->devices.list == NULL); /* E2, P6 */
    p->devices.list = devices;
    p->devices.opener.engaged = false;
    pthread_mutex_unlock(&p->supervisor.lock);
    return rc;
}

/* Picks the first available device of these kinds. */
static int pick(const om_plan *p, om_context *ctx, om_device **out, const char **why)
{
    const char *const kinds[] = { p->options.racer, "gpu", "accelerator" };
    size_t first = p->options.racer == NULL, end = p->options.racer == NULL ? 3 : 1;
    int rc = OM_EUNSUPPORTED;
    for (size_t i = first; i < end && rc == OM_EUNSUPPORTED; i++) {
        om_context_clear(ctx);
        rc = om_devices_pick(p->devices.list, ctx, kinds[i], out);
    }
    *why = om_context_error(ctx);
    return rc;
}

static void *opener_main(void *self)
{
    om_plan *p = self;
    const char *why = NULL;
    om_device *device = NULL;
    om_context *ctx = p->devices.opener.ctx; /* written before this thread started */
    int rc = p->devices.list != NULL ? OM_OK : open_devices(p, ctx, &why);
    if (rc == OM_OK)
        rc = om_context_stopped(ctx);
    if (rc == OM_OK)
        rc = pick(p, ctx, &device, &why);
    if (rc != OM_OK && rc != OM_ELIMIT && rc != OM_ESTOP)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "no device races with the CPU: %s",
            why == NULL || *why == '\0' ? "no reason given" : why);
    om_context_clear(p->devices.ctx);
    pthread_mutex_lock(&p->supervisor.lock);
    assert(!p->devices.opener.engaged && !p->devices.opener.done); /* E2 */
    p->devices.opener.device = device;
    p->devices.opener.knows = rc != OM_ELIMIT && rc != OM_ESTOP;
    p->devices.opener.done = true;
    pthread_cond_broadcast(&p->supervisor.news);
    pthread_mutex_unlock(&p->supervisor.lock);
    return NULL;
}

void om_opener__start(om_plan *p)
{
    om_opener *o = &p->devices.opener;
    if (o->running || o->knows)
        return;
    assert(o->ctx == NULL && !o->engaged); /* E1, E2 */
    *o = (om_opener){ 0 };
    if (om_context_new_below(&o->ctx, p->ctx) == OM_OK)
        o->running = pthread_create(&o->thread, NULL, opener_main, p) == 0;
    if (o->running)
        return;
    om_context_free(o->ctx);
    *o = (om_opener){ .done = true, .knows = true }; /* without a thread there is no race */
}

void om_opener__recall(om_plan *p, bool wait)
{
    om_opener *o = &p->devices.opener;
    pthread_mutex_lock(&p->supervisor.lock);
    bool running = o->running;
    if (running)
        (void) om_control_stop(om_context_control(o->ctx), OM_STOP_FOUND);
    while (running && !o->done && (wait || !o->engaged))
        (void) pthread_cond_wait(&p->supervisor.news, &p->supervisor.lock);
    bool back = running && o->done;
    pthread_mutex_unlock(&p->supervisor.lock);
    if (!back)
        return;
    (void) pthread_join(o->thread, NULL);
    om_context_free(o->ctx);
    pthread_mutex_lock(&p->supervisor.lock);
    assert(o->running && o->done && !o->engaged); /* E1, E2 */
    o->ctx = NULL;
    o->running = false;
    pthread_mutex_unlock(&p->supervisor.lock);
}

bool om_opener__busy(om_plan *p)
{
    pthread_mutex_lock(&p->supervisor.lock);
    bool opening = p->devices.opener.running && !p->devices.opener.done;
    om_devices *devices = p->devices.list;
    pthread_mutex_unlock(&p->supervisor.lock);
    return opening || (devices != NULL && om_devices_busy(devices));
}
