/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running jobs: side by side (S1) or in turn (S2), under a watcher.
 *
 * Concurrency: a job is written by the thread that runs it and read by others only after that was
 * joined, except for control, task and running, which are under the plan's lock. The first job with
 * evidence (or with a failure that no checker can mend) stops the controls of all others.
 */
#include "session.h"

#include <errno.h>
#include <time.h>

enum { WATCH_NS = 10 * 1000 * 1000, HEAD_START_NAPS = 40 };

int om_plan__control(const om_plan *p, om_limits limits, om_context *ctx, om_control **out)
{
    uint64_t spent = om_clock_ns() - p->started_ns;
    if (limits.timeout_ns != 0)
        limits.timeout_ns = spent < limits.timeout_ns ? limits.timeout_ns - spent : 1;
    return om_control_new(out, ctx, &limits);
}

/* ---- the watcher ---- */

/* The limit on states is for all parts together. One part alone keeps it exactly, by itself;
 * several may be over it by what they store until somebody looks. */
static void look_at_states(const om_plan *p)
{
    uint64_t most = p->options.limits.max_states, all = p->done_states;
    if (most == 0)
        return;
    for (size_t i = 0; i < p->job_count; i++) {
        uint64_t states = 0, transitions = 0;
        if (p->jobs[i]->task != NULL)
            om_task_progress(p->jobs[i]->task, &states, &transitions);
        all += states;
    }
    for (size_t i = 0; i < p->job_count && all > most; i++)
        (void) om_control_stop(p->jobs[i]->control, OM_STOP_STATES);
}

static void look_at(const om_plan *p, om_control *c)
{
    om_stop_reason outside = om_control_stopped(p->control);
    if (c == NULL)
        return;
    if (outside != OM_STOP_NONE)
        (void) om_control_stop(c, outside);
    om_control_watch(c);
}

/* A rival is a device's: the part on the CPU watches over the memory, for as long as it can. */
static void look_at_rival(const om_plan *p, const om_job *rival)
{
    uint64_t most = p->options.limits.memory_bytes;
    look_at(p, rival->control);
    if (rival->alone && most != 0 && om_resident_bytes() > most)
        (void) om_control_stop(rival->control, OM_STOP_MEMORY);
}

static void *watch(void *self)
{
    om_plan *p = self;
    pthread_mutex_lock(&p->lock);
    while (p->watching) {
        struct timespec until;
        for (size_t i = 0; i < p->job_count; i++) {
            look_at(p, p->jobs[i]->control);
            if (p->jobs[i]->rival != NULL)
                look_at_rival(p, p->jobs[i]->rival);
        }
        look_at_states(p);
        look_at(p, p->aside);
        (void) clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += WATCH_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void) pthread_cond_timedwait(&p->wake, &p->lock, &until);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void set_aside(om_plan *p, om_control *control)
{
    pthread_mutex_lock(&p->lock);
    om_control *old = p->aside;
    p->aside = control;
    pthread_mutex_unlock(&p->lock);
    om_control_free(old);
}

/* For work that has no control, as translations: asked by the plan's own thread, which alone
 * changes p->aside. */
static bool unwanted(void *self)
{
    const om_plan *p = self;
    return om_control_stopped(p->aside) != OM_STOP_NONE;
}

int om_plan__begin(om_plan *p)
{
    om_limits limits = p->options.limits;
    om_control *control = NULL;
    pthread_mutex_lock(&p->lock);
    p->started_ns = om_clock_ns();
    p->done_states = p->done_transitions = 0;
    pthread_mutex_unlock(&p->lock);
    limits.max_states = 0;
    int rc = om_plan__control(p, limits, p->ctx, &control);
    if (rc != OM_OK)
        return rc;
    set_aside(p, control);
    p->watching = true;
    if (pthread_create(&p->watcher, NULL, watch, p) == 0) {
        om_context_on_wait(p->ctx, unwanted, p);
        return OM_OK;
    }
    p->watching = false;
    set_aside(p, NULL);
    return om_fail(p->ctx, OM_EIO, NULL, "no thread can be started");
}

void om_plan__end(om_plan *p)
{
    pthread_mutex_lock(&p->lock);
    p->watching = false;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    om_context_on_wait(p->ctx, NULL, NULL);
    (void) pthread_join(p->watcher, NULL);
    set_aside(p, NULL);
}

int om_plan__renew(om_plan *p)
{
    om_control *control = NULL;
    int rc = om_plan__control(p, p->options.limits, p->ctx, &control);
    if (rc == OM_OK)
        set_aside(p, control);
    return rc;
}

/* ---- one job ---- */

static void stop_others(om_plan *p, const om_job *job, om_stop_reason reason)
{
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->job_count; i++) {
        if (p->jobs[i] == job || p->jobs[i]->control == NULL)
            continue;
        (void) om_control_stop(p->jobs[i]->control, reason);
        if (p->jobs[i]->rival != NULL)
            (void) om_control_stop(p->jobs[i]->rival->control, reason);
    }
    pthread_cond_broadcast(&p->news);
    pthread_mutex_unlock(&p->lock);
}

static void show_task(om_job *job, om_task *task, bool running)
{
    pthread_mutex_lock(&job->plan->lock);
    job->task = task;
    job->running = running;
    pthread_mutex_unlock(&job->plan->lock);
}

/* The figures of a task that is about to go stay in the progress; but a rival's do not count. */
static void hide_task(om_job *job)
{
    uint64_t states = 0, transitions = 0;
    pthread_mutex_lock(&job->plan->lock);
    om_task_progress(job->task, &states, &transitions);
    if (job->of == NULL) {
        job->plan->done_states += states;
        job->plan->done_transitions += transitions;
    }
    job->done_states = states;
    job->done_transitions = transitions;
    job->task = NULL;
    pthread_mutex_unlock(&job->plan->lock);
}

int om_plan__attempt(om_job *job)
{
    om_task *task = NULL;
    om_task_spec spec = job->spec;
    int rc;

    spec.product.automaton = job->automaton;
    spec.product.control = job->control;
    spec.product.workers = job->workers;
    spec.product.store = job->plan->options.store;
    spec.strength = job->claimed;
    spec.device = job->device;
    rc = om_task_new(&task, job->ctx, &spec);
    if (rc == OM_OK) {
        show_task(job, task, true);
        rc = om_task_run(task, job->checker, job->options, &job->result);
        hide_task(job);
    }
    om_task_free(task);
    if (rc == OM_ELIMIT) {
        /* Not even a beginning fits the limits: that is an answer, too. */
        om_context_clear(job->ctx);
        om_task_result_free(&job->result, job->plan->heap);
        job->result = (om_task_result){
            .verdict = OM_UNKNOWN, .reason = om_control_stopped(job->control), .sccs = UINT64_MAX
        };
        rc = OM_OK;
    }
    return rc;
}

/* May a CPU checker still do what this one could not? */
static bool mendable(const om_job *job)
{
    return job->device != NULL && job->fallback != NULL && job->rc != OM_OK &&
           job->rc != OM_EMODEL && job->rc != OM_EUSAGE && job->rc != OM_ESTOP;
}

/* Gives the job to the CPU: a control of its own again, unless somebody outside stopped the old. */
static int hand_over(om_job *job)
{
    om_plan *p = job->plan;
    om_control *fresh = NULL, *old = job->control;
    om_stop_reason reason = om_control_stopped(old);
    const char *name = job->checker->head.name, *device = om_device_info_of(job->device)->name;
    om_text why = { .heap = p->heap };
    int rc = om_plan__control(p, p->options.limits, job->ctx, &fresh);

    if (rc != OM_OK)
        return rc;
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "%s on %s gave up (%s): going on with %s on the CPU",
        name, device, om_context_error(job->ctx), job->fallback->head.name);
    om_text_printf(&why, "%s on %s: %s", name, device, om_context_error(job->ctx));
    om_free(p->heap, job->gave_up);
    job->gave_up = why.failed ? NULL : why.text; /* it is in the notes, too */
    if (why.failed)
        om_text_free(&why);
    if (reason == OM_STOP_FOUND || reason == OM_STOP_INTERRUPT)
        (void) om_control_stop(fresh, reason);
    om_context_clear(job->ctx);
    pthread_mutex_lock(&p->lock);
    job->control = fresh;
    /* What the device had does not count any more. */
    p->done_states -= job->done_states;
    p->done_transitions -= job->done_transitions;
    pthread_mutex_unlock(&p->lock);
    om_control_free(old);
    om_task_result_free(&job->result, p->heap);
    job->result = (om_task_result){ 0 };
    job->checker = job->fallback;
    job->fallback = NULL;
    job->options = NULL;
    job->device = NULL;
    /* The other parts keep the workers they have. */
    if ((job->checker->flags & OM_CHECKER_PARALLEL) != 0)
        job->workers = p->job_count > 1 ? (p->threads + 1) / 2 : p->threads;
    return OM_OK;
}

static void run_job(om_job *job)
{
    om_plan *p = job->plan;
    om_race__start(job);
    job->rc = om_plan__attempt(job);
    if (mendable(job)) {
        job->rc = hand_over(job);
        if (job->rc == OM_OK)
            job->rc = om_plan__attempt(job);
    }
    om_race__end(job);
    show_task(job, NULL, false);
    if (job->rc != OM_OK)
        stop_others(p, job, OM_STOP_ERROR);
    else if (job->result.verdict == OM_VIOLATED)
        stop_others(p, job, OM_STOP_FOUND);
}

static void *job_main(void *self)
{
    run_job(self);
    return NULL;
}

/* ---- all of them ---- */

/* A new control for a job, known to the watcher from now on. */
static int prepare_one(om_plan *p, om_job *job, om_limits limits, const om_task_spec *spec)
{
    om_control *control = NULL;
    int rc = om_plan__control(p, limits, job->ctx, &control);
    if (rc != OM_OK)
        return om_fail_memory(p->ctx);
    job->spec = *spec;
    pthread_mutex_lock(&p->lock);
    job->control = control;
    pthread_mutex_unlock(&p->lock);
    return OM_OK;
}

static int prepare(om_plan *p, om_job *jobs, size_t count, const om_task_spec *spec)
{
    for (size_t i = 0; i < count; i++) {
        om_limits limits = p->options.limits;
        int rc = prepare_one(p, &jobs[i], limits, spec);
        limits.memory_bytes = 0; /* see look_at_rival() */
        if (rc == OM_OK && jobs[i].rival != NULL)
            rc = prepare_one(p, jobs[i].rival, limits, spec);
        if (rc != OM_OK)
            return rc;
        pthread_mutex_lock(&p->lock);
        p->jobs[i] = &jobs[i];
        p->job_count = i + 1;
        pthread_mutex_unlock(&p->lock);
    }
    return OM_OK;
}

/* A thread that cannot be had costs speed, not the check: the job runs here. */
static void start(om_job *job)
{
    job->started = true;
    job->threaded = pthread_create(&job->thread, NULL, job_main, job) == 0;
    if (!job->threaded)
        run_job(job);
}

/* Building kernels takes seconds, and a build that is given up goes on in the background: the parts
 * on the CPU get a moment to find a violation first. True when that made this job needless. */
static bool overtaken(const om_job *job)
{
    const struct timespec nap = { 0, 2000000 };
    for (int i = 0; i < HEAD_START_NAPS; i++) {
        if (om_control_stopped(job->control) != OM_STOP_NONE)
            return true;
        (void) nanosleep(&nap, NULL);
    }
    return om_control_stopped(job->control) != OM_STOP_NONE;
}

/* S1 */
static void run_concurrent(om_job *jobs, size_t count)
{
    bool ahead = false, needless = false;
    for (size_t i = 0; i < count; i++)
        if (jobs[i].device == NULL) {
            start(&jobs[i]);
            ahead = true;
        }
    for (size_t i = 0; i < count; i++)
        if (!jobs[i].started) {
            needless = needless || (ahead && overtaken(&jobs[i]));
            ahead = false;
            if (!needless)
                start(&jobs[i]);
        }
    for (size_t i = 0; i < count; i++)
        if (jobs[i].threaded)
            (void) pthread_join(jobs[i].thread, NULL);
}

/* S2: terminal, weak, strong; a limit that one part hit need not stop the next. */
static void run_sequential(om_plan *p, om_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (om_control_stopped(p->control) != OM_STOP_NONE)
            return;
        jobs[i].started = true;
        run_job(&jobs[i]);
        if (jobs[i].rc != OM_OK || jobs[i].result.verdict == OM_VIOLATED)
            return;
    }
}

int om_plan__run(om_plan *p, om_job *jobs, size_t count, const om_task_spec *spec)
{
    int rc = prepare(p, jobs, count, spec);
    if (rc == OM_OK && p->side_by_side && count > 1)
        run_concurrent(jobs, count);
    else if (rc == OM_OK)
        run_sequential(p, jobs, count);
    om_race__recall(p);
    pthread_mutex_lock(&p->lock);
    p->job_count = 0;
    pthread_mutex_unlock(&p->lock);
    return rc;
}
