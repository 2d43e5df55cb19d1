/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running jobs: side by side (S1) or in turn (S2), under a watcher.
 *
 * Concurrency: a job is written by the thread that runs it and read by others only after that was
 * joined, except for task and running, which are under the plan's lock, and its context, which is
 * there from the first to the last. The first job with evidence (or with a failure that no checker
 * can mend) stops the contexts of all others; not one that met a fault of the model, behind which
 * others may find a violation. Each try has a context below the job's: what stops
 * the job stops the try that is under way, or that comes next.
 */
#include "session.h"

#include <time.h>

enum { HEAD_START_NAPS = 40, SPARED_PART = 16 };
/* A violation that was found is worth so long, though the time is over. */
#define AFTER_NS UINT64_C(500000000)

/* ---- limits ---- */

/* The limit on states is for all parts together. One part alone keeps it exactly, by itself;
 * several may be over it by what they store until somebody looks. Called by the watcher. */
static void look_at_states(void *self)
{
    om_plan *p = self;
    uint64_t most = p->options.limits.max_states;
    if (most == 0)
        return;
    pthread_mutex_lock(&p->lock);
    uint64_t all = p->done_states;
    for (size_t i = 0; i < p->job_count; i++) {
        uint64_t states = 0, transitions = 0;
        if (p->jobs[i]->task != NULL)
            om_task_progress(p->jobs[i]->task, &states, &transitions);
        all += states;
    }
    for (size_t i = 0; i < p->job_count && all > most; i++)
        (void) om_control_stop(om_context_control(p->jobs[i]->ctx), OM_STOP_STATES);
    pthread_mutex_unlock(&p->lock);
}

int om_plan__begin(om_plan *p, bool sparing)
{
    om_limits limits = p->options.limits;
    if (sparing)
        limits.memory_bytes -= limits.memory_bytes / SPARED_PART;
    pthread_mutex_lock(&p->lock);
    p->started_ns = om_clock_ns();
    p->done_states = p->done_transitions = 0;
    p->levels = (om_levels){ .count = 0 };
    pthread_mutex_unlock(&p->lock);
    om_plan__forget_overflows(p);
    if (limits.timeout_ns != 0 && p->options.since_ns != 0) {
        uint64_t spent = p->started_ns - p->options.since_ns;
        limits.timeout_ns = spent < limits.timeout_ns ? limits.timeout_ns - spent : 1;
    }
    om_control_start(om_context_control(p->ctx), &limits);
    return om_watcher_start(&p->watcher, p->ctx, look_at_states, p);
}

void om_plan__end(om_plan *p)
{
    om_watcher_stop(p->watcher);
    p->watcher = NULL;
}

void om_plan__after(om_plan *p)
{
    om_limits limits = p->options.limits;
    uint64_t left = om_control_left_ns(om_context_control(p->ctx));
    if (limits.timeout_ns != 0)
        limits.timeout_ns = left > AFTER_NS ? left : AFTER_NS;
    om_control_start(om_context_control(p->ctx), &limits);
}

const char *om_plan__why(const om_plan *p)
{
    om_stop_reason reason = om_control_stopped(om_context_control(p->ctx));
    const char *said = om_context_error(p->ctx);
    return reason != OM_STOP_NONE || *said == '\0' ? om_stop_reason_name(reason) : said;
}

/* ---- one job ---- */

static void stop_others(om_plan *p, const om_job *job, om_stop_reason reason)
{
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->job_count; i++) {
        if (p->jobs[i] == job)
            continue;
        (void) om_control_stop(om_context_control(p->jobs[i]->ctx), reason);
        if (p->jobs[i]->rival != NULL)
            (void) om_control_stop(om_context_control(p->jobs[i]->rival->ctx), reason);
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

    om_plan__drop_task(job);
    om_context_free(job->attempt);
    job->attempt = NULL;
    if (om_context_new_below(&job->attempt, job->ctx) != OM_OK)
        return om_fail_memory(job->ctx);
    spec.product.automaton = job->automaton;
    spec.product.workers = job->workers;
    spec.product.store = job->plan->options.store;
    spec.strength = job->claimed;
    spec.device = job->device;
    rc = om_task_new(&task, job->attempt, &spec);
    if (rc == OM_OK) {
        show_task(job, task, true);
        rc = om_task_run(task, job->checker, job->options, &job->result);
        hide_task(job);
        om_plan__keep_overflows(job, task);
    }
    if ((rc == OM_OK && job->result.verdict == OM_VIOLATED) || rc == OM_EMODEL ||
        (rc == OM_OK && job->result.fault != 0)) {
        job->found = task;
    } else {
        om_task_free(task);
        om_control_returned(om_context_control(job->attempt));
    }
    if (rc == OM_ELIMIT) {
        /* Not even a beginning fits the limits: that is an answer, too. */
        job->result = (om_task_result){ .verdict = OM_UNKNOWN,
            .reason = om_control_stopped(om_context_control(job->attempt)),
            .sccs = UINT64_MAX };
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

/* Gives the job to the CPU. */
static void hand_over(om_job *job)
{
    om_plan *p = job->plan;
    const char *name = job->checker->head.name, *device = om_device_info_of(job->device)->name;
    const char *said = om_context_error(job->attempt);
    om_text why = { .heap = p->heap };

    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "%s on %s gave up (%s): going on with %s on the CPU",
        name, device, said, job->fallback->head.name);
    om_text_printf(&why, "%s on %s: %s", name, device, said);
    om_free(p->heap, job->gave_up);
    job->gave_up = why.failed ? NULL : why.text; /* it is in the notes, too */
    if (why.failed)
        om_text_free(&why);
    pthread_mutex_lock(&p->lock);
    /* What the device had does not count any more. */
    p->done_states -= job->done_states;
    p->done_transitions -= job->done_transitions;
    pthread_mutex_unlock(&p->lock);
    job->result = (om_task_result){ 0 };
    job->checker = job->fallback;
    job->fallback = NULL;
    job->options = NULL;
    job->device = NULL;
    /* The other parts keep the workers they have. */
    if ((job->checker->flags & OM_CHECKER_PARALLEL) != 0)
        job->workers = p->job_count > 1 ? (p->threads + 1) / 2 : p->threads;
}

static void run_job(om_job *job)
{
    om_plan *p = job->plan;
    om_race__start(job);
    job->rc = om_plan__attempt(job);
    if (mendable(job)) {
        hand_over(job);
        job->rc = om_plan__attempt(job);
    }
    om_race__end(job);
    show_task(job, NULL, false);
    if (job->rc != OM_OK && job->rc != OM_EMODEL)
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

static void prepare(om_plan *p, om_job *jobs, size_t count, const om_task_spec *spec)
{
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < count; i++) {
        jobs[i].spec = *spec;
        if (jobs[i].rival != NULL)
            jobs[i].rival->spec = *spec;
        p->jobs[i] = &jobs[i];
    }
    p->job_count = count;
    pthread_mutex_unlock(&p->lock);
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
        if (om_context_stopped(job->ctx) != OM_OK)
            return true;
        (void) nanosleep(&nap, NULL);
    }
    return om_context_stopped(job->ctx) != OM_OK;
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
        if (om_context_stopped(p->ctx) != OM_OK)
            return;
        jobs[i].started = true;
        run_job(&jobs[i]);
        if ((jobs[i].rc != OM_OK && jobs[i].rc != OM_EMODEL) ||
            jobs[i].result.verdict == OM_VIOLATED)
            return;
    }
}

void om_plan__run(om_plan *p, om_job *jobs, size_t count, const om_task_spec *spec)
{
    prepare(p, jobs, count, spec);
    if (p->side_by_side && count > 1)
        run_concurrent(jobs, count);
    else
        run_sequential(p, jobs, count);
    om_race__recall(p);
    pthread_mutex_lock(&p->lock);
    p->job_count = 0;
    pthread_mutex_unlock(&p->lock);
}
