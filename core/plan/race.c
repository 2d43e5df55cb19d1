/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races: every part starts on the CPU at once, and a device joins where that takes long.
 *
 * Drivers take 0.1 s to start, and programs for a model up to some seconds to build, while native
 * code on one core explores 3 million states a second; so a part has a head start on the CPU, in
 * which most are over. Then its rival, a thread that was asleep so far, asks for a device. The
 * first rival of a plan sends a scout for it, a thread of its own since a driver that starts cannot
 * be interrupted and nobody may have to wait for that. With a device the rival checks the part a
 * second time, with the checker for devices, and the first of the two to know the answer stops the
 * other. A device that is a CPU would only take the cores away from the part itself (pocl explores
 * up to 1.8 million states a second on two of them), so only GPUs and accelerators are asked.
 *
 * The part's own checker decides on everything else: limits that it hits end the rival, too. But
 * where memory ends on the CPU the rival, if it has begun, is left to finish alone.
 *
 * Concurrency: see session.h for what is under the plan's lock. A rival belongs to its thread from
 * om_race__start() to om_race__end(), but for its context, task and `joined`. Waiting is
 * on plan->news, which every change of the scout and every stop of a rival by its own part signals;
 * stops by the watcher are seen by looking every GLANCE_NS.
 */
#include "session.h"

#include <assert.h>
#include <time.h>

enum { HEAD_START_NS = 200 * 1000 * 1000, GLANCE_NS = 10 * 1000 * 1000 };

/* ---- the scout ---- */

/* Opens devices where that promises something. */
static int open_devices(om_plan *p, om_context *ctx, const char **why)
{
    om_devices *devices = NULL;
    int rc = p->options.racer != NULL ? OM_OK : om_devices_promise(ctx, why);
    if (rc != OM_OK)
        return rc;
    pthread_mutex_lock(&p->lock);
    p->scout.engaged = true;
    pthread_cond_broadcast(&p->news);
    pthread_mutex_unlock(&p->lock);
    rc = om_devices_open(&devices, p->device_ctx, why);
    pthread_mutex_lock(&p->lock);
    p->devices = devices;
    p->scout.engaged = false;
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* The first of these kinds that can be had. */
static int pick(const om_plan *p, om_context *ctx, om_device **out, const char **why)
{
    const char *const kinds[] = { p->options.racer, "gpu", "accelerator" };
    size_t first = p->options.racer == NULL, end = p->options.racer == NULL ? 3 : 1;
    int rc = OM_EUNSUPPORTED;
    for (size_t i = first; i < end && rc == OM_EUNSUPPORTED; i++) {
        om_context_clear(ctx);
        rc = om_devices_pick(p->devices, ctx, kinds[i], out);
    }
    *why = om_context_error(ctx);
    return rc;
}

static void *scout_main(void *self)
{
    om_plan *p = self;
    const char *why = NULL;
    om_device *device = NULL;
    om_context *ctx = p->scout.ctx; /* written before this thread was */
    int rc = p->devices != NULL ? OM_OK : open_devices(p, ctx, &why);
    if (rc == OM_OK)
        rc = om_context_stopped(ctx);
    if (rc == OM_OK)
        rc = pick(p, ctx, &device, &why);
    if (rc != OM_OK && rc != OM_ELIMIT && rc != OM_ESTOP)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "no device races with the CPU: %s",
            why == NULL || *why == '\0' ? "no reason given" : why);
    om_context_clear(p->device_ctx);
    pthread_mutex_lock(&p->lock);
    p->scout.device = device;
    p->scout.knows = rc != OM_ELIMIT && rc != OM_ESTOP;
    p->scout.done = true;
    pthread_cond_broadcast(&p->news);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Where nobody is under way and nothing is known. Under the lock. */
static void send(om_plan *p)
{
    om_scout *s = &p->scout;
    if (s->sent || s->knows)
        return;
    *s = (om_scout){ 0 };
    if (om_context_new_below(&s->ctx, p->ctx) == OM_OK)
        s->sent = pthread_create(&s->thread, NULL, scout_main, p) == 0;
    if (s->sent)
        return;
    om_context_free(s->ctx);
    *s = (om_scout){ .done = true, .knows = true }; /* without a thread there is no race */
}

static void call_back(om_plan *p, bool patient)
{
    om_scout *s = &p->scout;
    pthread_mutex_lock(&p->lock);
    bool sent = s->sent;
    if (sent)
        (void) om_control_stop(om_context_control(s->ctx), OM_STOP_FOUND);
    while (sent && !s->done && (patient || !s->engaged))
        (void) pthread_cond_wait(&p->news, &p->lock);
    bool back = sent && s->done;
    pthread_mutex_unlock(&p->lock);
    if (!back)
        return;
    (void) pthread_join(s->thread, NULL);
    om_context_free(s->ctx);
    pthread_mutex_lock(&p->lock);
    s->ctx = NULL;
    s->sent = false;
    pthread_mutex_unlock(&p->lock);
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
    pthread_mutex_lock(&p->lock);
    bool out = p->scout.sent && !p->scout.done;
    om_devices *devices = p->devices;
    pthread_mutex_unlock(&p->lock);
    return out || (devices != NULL && om_devices_busy(devices));
}

/* ---- a rival ---- */

int om_race__enter(om_plan *p, om_job *job, const om_checker *checker)
{
    om_job *r = om_alloc(p->heap, 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(p->ctx);
    if (om_context_new_below(&r->ctx, p->ctx) != OM_OK) {
        om_free(p->heap, r);
        return om_fail_memory(p->ctx);
    }
    r->plan = p;
    r->of = job;
    r->strength = job->strength;
    r->claimed = job->claimed;
    r->checker = checker;
    r->workers = 1;
    job->rival = r;
    return OM_OK;
}

/* Until news, or a moment has passed, or `until_ns`. Under the lock. */
static void doze(om_plan *p, uint64_t until_ns)
{
    uint64_t now = om_clock_ns(), end = now + GLANCE_NS;
    if (until_ns > now && until_ns < end)
        end = until_ns;
    const struct timespec until = { (time_t) (end / 1000000000), (long) (end % 1000000000) };
    (void) pthread_cond_timedwait(&p->news, &p->lock, &until);
}

/* The device, after the head start; NULL where there is none or nobody wants it any more. */
static om_device *await_device(om_job *r)
{
    om_plan *p = r->plan;
    uint64_t start = om_clock_ns() + HEAD_START_NS;
    om_device *device = NULL;
    pthread_mutex_lock(&p->lock);
    while (om_context_stopped(r->ctx) == OM_OK && om_clock_ns() < start)
        doze(p, start);
    if (om_context_stopped(r->ctx) == OM_OK)
        send(p);
    while (om_context_stopped(r->ctx) == OM_OK && !p->scout.done)
        doze(p, 0);
    if (om_context_stopped(r->ctx) == OM_OK)
        device = p->scout.device;
    r->device = device;
    r->joined = device != NULL;
    pthread_mutex_unlock(&p->lock);
    return device;
}

/* Does it know the answer? */
static bool definite(const om_job *job)
{
    return job->rc == OM_OK && job->result.verdict != OM_UNKNOWN;
}

static void *rival_main(void *self)
{
    om_job *r = self;
    om_plan *p = r->plan;
    const om_device *device = await_device(r);
    if (device == NULL)
        return NULL;
    const char *name = om_device_info_of(device)->name;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s part: %s on %s races with %s on the CPU",
        om_strength_name(r->strength), r->checker->head.name, name, r->of->checker->head.name);
    r->rc = om_plan__attempt(r);
    if (definite(r)) {
        (void) om_control_stop(om_context_control(r->of->ctx), OM_STOP_FOUND);
    } else if (r->rc != OM_OK && r->rc != OM_ESTOP)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s on %s gave up (%s)", r->checker->head.name, name,
            om_context_error(r->attempt));
    return NULL;
}

void om_race__start(om_job *job)
{
    om_job *r = job->rival;
    if (r == NULL)
        return;
    r->rc = OM_ESTOP; /* it knows nothing yet */
    r->threaded = pthread_create(&r->thread, NULL, rival_main, r) == 0;
}

/* The rival's result becomes the job's. */
static void take_over(om_job *job, om_job *r)
{
    om_plan *p = job->plan;
    om_plan__drop_task(job);
    om_context_free(job->attempt);
    job->attempt = r->attempt;
    job->found = r->found;
    r->attempt = NULL;
    r->found = NULL;
    job->result = r->result;
    om_free(p->heap, job->overflow_vector);
    job->overflows = r->overflows;
    job->overflow_vector = r->overflow_vector;
    r->overflow_vector = NULL;
    job->rc = r->rc;
    job->checker = r->checker;
    job->device = r->device;
    job->automaton = r->automaton;
    if (r->owned != NULL) {
        om_automaton_free(job->owned);
        job->owned = r->owned;
        r->owned = NULL;
    }
    pthread_mutex_lock(&p->lock);
    p->done_states += r->done_states - job->done_states;
    p->done_transitions += r->done_transitions - job->done_transitions;
    pthread_mutex_unlock(&p->lock);
}

void om_race__end(om_job *job)
{
    om_plan *p = job->plan;
    om_job *r = job->rival;
    if (r == NULL || !r->threaded)
        return;
    bool memory = job->rc == OM_OK && job->result.verdict == OM_UNKNOWN &&
                  job->result.reason == OM_STOP_MEMORY;
    pthread_mutex_lock(&p->lock);
    bool alone = memory && r->joined;
    if (!alone)
        (void) om_control_stop(om_context_control(r->ctx), OM_STOP_FOUND);
    pthread_cond_broadcast(&p->news);
    pthread_mutex_unlock(&p->lock);
    if (alone)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "%s on the CPU is out of memory: %s on %s goes on alone", job->checker->head.name,
            r->checker->head.name, om_device_info_of(r->device)->name);
    (void) pthread_join(r->thread, NULL);
    r->threaded = false;
    assert(r->task == NULL);
    if (!definite(job) && job->rc != OM_EMODEL && (definite(r) || (alone && r->rc == OM_OK)))
        take_over(job, r);
}
