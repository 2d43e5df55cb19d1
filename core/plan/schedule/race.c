/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races: every part starts on the CPU at once, and a device joins if the part takes long.
 *
 * Drivers take 0.1 s to start, and programs for a model up to some seconds to build, while native
 * code on one core explores 3 million states a second. So a part has a head start on the CPU, in
 * which most parts end. Then its attempt on a device, a thread that has slept so far, asks for a
 * device. The first request in a plan starts an opener. It is a separate thread, because a starting
 * driver cannot be interrupted and no other thread may have to wait for it. Once there is a device,
 * the part is checked a second time, with the checker for devices. The first of the two attempts
 * with an answer stops the other. A device that is a CPU would only take cores from the part itself
 * (pocl explores up to 1.8 million states a second on two cores), so only GPUs and accelerators are
 * used.
 *
 * The attempt on the CPU decides in all other cases: if it hits a limit, the attempt on the device
 * ends, too. There are two exceptions. If memory runs out on the CPU and the device has joined, the
 * device continues alone. And while a strong part, which only the CPU can check, could use more
 * workers, a part gives way on the CPU as soon as the device has overtaken it; if the device fails
 * then, the part starts again on the CPU.
 *
 * Concurrency: session.h names the members under the supervisor's lock. Threads wait on its
 * condition `news`, which every change of the opener signals, and every stop of an attempt by its
 * own part. Stops by the watcher are detected by polling every GLANCE_NS.
 */
#include "attempt.h"

#include <assert.h>
#include <time.h>

enum { HEAD_START_NS = 200 * 1000 * 1000, GLANCE_NS = 10 * 1000 * 1000 };

/* ---- the opener ---- */

/* Opens devices if one that can race may exist (om_devices_promise()). */
static int open_devices(om_plan *p, om_context *ctx, const char **why)
{
    om_devices *devices = NULL;
    int rc = p->options.racer != NULL ? OM_OK : om_devices_promise(ctx, why);
    if (rc != OM_OK)
        return rc;
    pthread_mutex_lock(&p->supervisor.lock);
    p->devices.opener.engaged = true;
    pthread_cond_broadcast(&p->supervisor.news);
    pthread_mutex_unlock(&p->supervisor.lock);
    rc = om_devices_open(
        &devices, p->devices.ctx, p->options.racer != NULL ? p->options.racer : "auto", why);
    pthread_mutex_lock(&p->supervisor.lock);
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
    p->devices.opener.device = device;
    p->devices.opener.knows = rc != OM_ELIMIT && rc != OM_ESTOP;
    p->devices.opener.done = true;
    pthread_cond_broadcast(&p->supervisor.news);
    pthread_mutex_unlock(&p->supervisor.lock);
    return NULL;
}

/* Starts the opener if none is running and the result is not known. The caller holds the lock. */
static void start_opener(om_plan *p)
{
    om_opener *o = &p->devices.opener;
    if (o->running || o->knows)
        return;
    *o = (om_opener){ 0 };
    if (om_context_new_below(&o->ctx, p->ctx) == OM_OK)
        o->running = pthread_create(&o->thread, NULL, opener_main, p) == 0;
    if (o->running)
        return;
    om_context_free(o->ctx);
    *o = (om_opener){ .done = true, .knows = true }; /* without a thread there is no race */
}

static void call_back(om_plan *p, bool patient)
{
    om_opener *o = &p->devices.opener;
    pthread_mutex_lock(&p->supervisor.lock);
    bool running = o->running;
    if (running)
        (void) om_control_stop(om_context_control(o->ctx), OM_STOP_FOUND);
    while (running && !o->done && (patient || !o->engaged))
        (void) pthread_cond_wait(&p->supervisor.news, &p->supervisor.lock);
    bool back = running && o->done;
    pthread_mutex_unlock(&p->supervisor.lock);
    if (!back)
        return;
    (void) pthread_join(o->thread, NULL);
    om_context_free(o->ctx);
    pthread_mutex_lock(&p->supervisor.lock);
    o->ctx = NULL;
    o->running = false;
    pthread_mutex_unlock(&p->supervisor.lock);
}

void om_race__recall(om_plan *p)
{
    call_back(p, false);
}

void om_race__settle(om_plan *p)
{
    call_back(p, true);
}

bool om_race__busy(om_plan *p)
{
    pthread_mutex_lock(&p->supervisor.lock);
    bool opening = p->devices.opener.running && !p->devices.opener.done;
    om_devices *devices = p->devices.list;
    pthread_mutex_unlock(&p->supervisor.lock);
    return opening || (devices != NULL && om_devices_busy(devices));
}

/* ---- an attempt on a device ---- */

/* Waits until `news` is signalled, GLANCE_NS have passed, or `until_ns`. The caller holds the
 * lock. */
static void doze(om_plan *p, uint64_t until_ns)
{
    uint64_t now = om_clock_ns(), end = now + GLANCE_NS;
    if (until_ns > now && until_ns < end)
        end = until_ns;
    const struct timespec until = { (time_t) (end / 1000000000), (long) (end % 1000000000) };
    (void) pthread_cond_timedwait(&p->supervisor.news, &p->supervisor.lock, &until);
}

/* Waits for the head start and for the opener. Returns the device, or NULL if there is none or the
 * attempt was stopped. */
static om_device *await_device(om_part *part)
{
    om_plan *p = part->plan;
    om_attempt *t = &part->device;
    uint64_t start = om_clock_ns() + HEAD_START_NS;
    om_device *device = NULL;
    pthread_mutex_lock(&p->supervisor.lock);
    while (om_context_stopped(t->ctx) == OM_OK && om_clock_ns() < start)
        doze(p, start);
    if (om_context_stopped(t->ctx) == OM_OK)
        start_opener(p);
    while (om_context_stopped(t->ctx) == OM_OK && !p->devices.opener.done)
        doze(p, 0);
    if (om_context_stopped(t->ctx) == OM_OK)
        device = p->devices.opener.device;
    t->device = device;
    part->joined = device != NULL;
    pthread_mutex_unlock(&p->supervisor.lock);
    return device;
}

/* Returns true if the attempt has a definite verdict. */
static bool definite(const om_attempt *t)
{
    return t->out.rc == OM_OK && t->out.result.verdict != OM_UNKNOWN;
}

static void *racer_main(void *self)
{
    om_part *part = self;
    om_plan *p = part->plan;
    om_attempt *t = &part->device;
    const om_device *device = await_device(part);
    if (device == NULL)
        return NULL;
    const char *name = om_device_info_of(device)->name, *checker = t->checker->head.name;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s part: %s on %s races with %s on the CPU",
        om_strength_name(part->strength), checker, name, part->cpu.checker->head.name);
    int rc = om_plan__attempt(t);
    if (definite(t))
        (void) om_control_stop(om_context_control(part->cpu.ctx), OM_STOP_FOUND);
    else if (rc != OM_OK && rc != OM_ESTOP)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s on %s gave up (%s)", checker, name,
            om_context_error(t->ctx));
    return NULL;
}

void om_race__start(om_part *part)
{
    if (!part->races)
        return;
    part->device.out.rc = OM_ESTOP; /* until it has a result */
    part->racing = pthread_create(&part->racer, NULL, racer_main, part) == 0;
}

/* Returns true if a strong part on the CPU could use more workers. The caller holds the lock. */
static bool strong_wants_workers(const om_supervisor *s)
{
    for (size_t i = 0; i < s->part_count; i++) {
        const om_attempt *t = &s->parts[i]->cpu;
        if (s->parts[i]->strength == OM_STRONG && t->task != NULL && t->admitted < t->workers)
            return true;
    }
    return false;
}

/* Returns true if the device has more states than the CPU. The caller holds the lock. */
static bool overtaken(const om_part *part)
{
    uint64_t on_cpu, on_device, transitions;
    if (!part->joined || part->gave_way || part->cpu.task == NULL || part->device.task == NULL)
        return false;
    om_task_progress(part->cpu.task, &on_cpu, &transitions);
    om_task_progress(part->device.task, &on_device, &transitions);
    return on_device > on_cpu;
}

void om_race__give_way(om_plan *p)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->part_count && strong_wants_workers(s); i++)
        if (overtaken(s->parts[i])) {
            s->parts[i]->gave_way = true;
            (void) om_control_stop(om_context_control(s->parts[i]->cpu.ctx), OM_STOP_FOUND);
        }
    pthread_mutex_unlock(&s->lock);
}

bool om_race__end(om_part *part)
{
    om_plan *p = part->plan;
    om_attempt *cpu = &part->cpu, *device = &part->device;
    if (!part->racing)
        return true;
    bool memory = cpu->out.rc == OM_OK && cpu->out.result.verdict == OM_UNKNOWN &&
                  cpu->out.result.reason == OM_STOP_MEMORY;
    bool knows = definite(cpu) || cpu->out.rc == OM_EMODEL;
    pthread_mutex_lock(&p->supervisor.lock);
    bool gave_way = part->gave_way && !knows, alone = gave_way || (memory && part->joined);
    if (!alone)
        (void) om_control_stop(om_context_control(device->ctx), OM_STOP_FOUND);
    pthread_cond_broadcast(&p->supervisor.news);
    pthread_mutex_unlock(&p->supervisor.lock);
    if (alone)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s on the CPU %s: %s on %s continues alone",
            cpu->checker->head.name, memory ? "is out of memory" : "gives way to the strong part",
            device->checker->head.name, om_device_info_of(device->device)->name);
    (void) pthread_join(part->racer, NULL);
    part->racing = false;
    assert(device->task == NULL);
    if (knows)
        return true;
    if (definite(device) || (alone && !gave_way && device->out.rc == OM_OK)) {
        pthread_mutex_lock(&p->supervisor.lock);
        part->answer = device;
        pthread_mutex_unlock(&p->supervisor.lock);
        return true;
    }
    return !gave_way;
}
