/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races: every part starts on the CPU at once, and a device joins if the part takes long.
 *
 * Drivers take 0.1 s to start, and programs for a model up to some seconds to build, while native
 * code on one core explores 3 million states a second. So a part has a head start on the CPU, in
 * which most parts end. Then its attempt on a device, a thread that has slept so far, asks for a
 * device. The first request in a plan starts an opener (opener.c). Once there is a device, the part
 * is checked a second time, with the checker for devices. The first of the two attempts with an
 * answer stops the other. A device that is a CPU would only take cores from the part itself (pocl
 * explores up to 1.8 million states a second on two cores), so only GPUs and accelerators are used.
 *
 * The attempt on the CPU decides in all other cases: if it hits a limit, the attempt on the device
 * ends, too. There are two exceptions. If memory runs out on the CPU and the device has joined, the
 * device continues alone. And while a strong part, which only the CPU can check, could use more
 * workers, a part gives way on the CPU as soon as the device has overtaken it; if the device fails
 * then, the part starts again on the CPU.
 *
 * Concurrency: plan.h and try.h name the members under the supervisor's lock. Threads wait on its
 * condition `news`, which every change of the opener signals, and every stop of an attempt by its
 * own part. Stops by the watcher are detected by polling every GLANCE_NS.
 */
#include "plan_devices.h"
#include "try.h"

#include <assert.h>
#include <time.h>

enum { HEAD_START_NS = 200 * 1000 * 1000, GLANCE_NS = 10 * 1000 * 1000 };

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
    om_plan *p = part->try->plan;
    om_attempt *t = &part->device;
    uint64_t start = om_clock_ns() + HEAD_START_NS;
    om_device *device = NULL;
    pthread_mutex_lock(&p->supervisor.lock);
    while (om_context_stopped(t->ctx) == OM_OK && om_clock_ns() < start)
        doze(p, start);
    if (om_context_stopped(t->ctx) == OM_OK)
        om_opener__start(p);
    while (om_context_stopped(t->ctx) == OM_OK && !p->devices.opener.done)
        doze(p, 0);
    if (om_context_stopped(t->ctx) == OM_OK)
        device = p->devices.opener.device;
    assert(!part->joined && t->task == NULL); /* A5, A7 */
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
    om_plan *p = part->try->plan;
    om_attempt *t = &part->device;
    const om_device *device = await_device(part);
    if (device == NULL)
        return NULL;
    const char *name = om_device_info_of(device)->name, *checker = t->checker->head.name;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s part: %s on %s races with %s on the CPU",
        om_strength_name(part->strength), checker, name, part->cpu.checker->head.name);
    int rc = om_attempt__run(t);
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
    assert(part->answer == &part->cpu && part->device.device == NULL); /* A5, P8 */
    part->device.out.rc = OM_ESTOP;                                    /* until it has a result */
    part->racing = pthread_create(&part->racer, NULL, racer_main, part) == 0;
}

/* Returns true if a strong part on the CPU could use more workers. The caller holds the lock. */
static bool strong_wants_workers(const om_try *try)
{
    for (size_t i = 0; i < try->part_count; i++) {
        const om_attempt *t = &try->parts[i].cpu;
        if (try->parts[i].strength == OM_STRONG && t->task != NULL && t->admitted < t->workers)
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

void om_race__give_way(om_try *try)
{
    for (size_t i = 0; i < try->part_count && strong_wants_workers(try); i++)
        if (overtaken(&try->parts[i])) {
            try->parts[i].gave_way = true;
            (void) om_control_stop(om_context_control(try->parts[i].cpu.ctx), OM_STOP_FOUND);
        }
}

bool om_race__end(om_part *part)
{
    om_plan *p = part->try->plan;
    om_attempt *cpu = &part->cpu, *device = &part->device;
    if (!part->racing)
        return true;
    bool memory = cpu->out.rc == OM_OK && cpu->out.result.verdict == OM_UNKNOWN &&
                  cpu->out.result.reason == OM_STOP_MEMORY;
    bool knows = definite(cpu) || cpu->out.rc == OM_EMODEL;
    pthread_mutex_lock(&p->supervisor.lock);
    assert(!part->gave_way || part->joined);                           /* A6 */
    assert(!part->joined || (part->racing && device->device != NULL)); /* A5 */
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
    assert(device->task == NULL); /* A7 */
    if (knows)
        return true;
    if (definite(device) || (alone && !gave_way && device->out.rc == OM_OK)) {
        pthread_mutex_lock(&p->supervisor.lock);
        assert(part->answer == cpu); /* P8 */
        part->answer = device;
        pthread_mutex_unlock(&p->supervisor.lock);
        return true;
    }
    return !gave_way;
}
