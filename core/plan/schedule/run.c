/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the parts: concurrently (S1) or in turn (S2).
 *
 * Concurrency: the thread that runs a part writes it; other threads read it only after the join.
 * The exceptions are the members under the supervisor's lock, and the contexts, which exist
 * throughout. The first part with evidence (or with a failure that no checker can mend) stops all
 * others. A part that met a fault of the model does not, because others may still find a violation.
 *
 * Parts that run concurrently on the CPU share a store of states (om_states), because they mostly
 * reach the same ones.
 */
#include "control/control.h"
#include "product.h"
#include "model/model_form.h"
#include "attempt.h"
#include "supervise.h"

#include <time.h>

enum { HEAD_START_NAPS = 40 };

/* ---- one attempt ---- */

void om_plan__drop_task(om_attempt *t)
{
    om_task_free(t->out.task);
    t->out.task = NULL;
    if (t->ctx != NULL)
        om_control__returned(om_context_control(t->ctx));
}

static void show_task(om_attempt *t, om_task *task)
{
    om_supervisor *s = &t->part->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    t->task = task;
    t->running = true;
    om_task_admit(task, t->admitted); /* other attempts may have ended before it began */
    pthread_mutex_unlock(&s->lock);
}

/* Admits up to `workers` more workers, if the attempt can use them. Returns the number left over.
 * The caller holds the lock. */
static unsigned admit(om_attempt *t, unsigned workers)
{
    unsigned use = t->workers - t->admitted < workers ? t->workers - t->admitted : workers;
    t->admitted += use;
    if (t->task != NULL)
        om_task_admit(t->task, t->admitted);
    return workers - use;
}

/* Gives the workers of an attempt that has ended to other parts on the CPU: first to the strong
 * part, which is the last of the list. */
static void pass_workers_on(om_attempt *t)
{
    om_supervisor *s = &t->part->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    unsigned left = t->admitted;
    t->admitted = t->workers; /* it takes no more workers */
    for (size_t i = s->part_count; i-- > 0 && left > 0;)
        if (s->parts[i]->answer == &s->parts[i]->cpu)
            left = admit(&s->parts[i]->cpu, left);
    pthread_mutex_unlock(&s->lock);
}

/* Saves the figures of a task before it is freed. */
static void hide_task(om_attempt *t)
{
    om_supervisor *s = &t->part->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    om_task_progress(t->task, &t->states, &t->transitions);
    t->task = NULL;
    pthread_mutex_unlock(&s->lock);
}

int om_plan__attempt(om_attempt *t)
{
    om_plan *p = t->part->plan;
    om_outcome *out = &t->out;
    om_task *task = NULL;
    om_task_spec spec = t->part->spec;

    spec.product.automaton = t->automaton;
    spec.product.fairness = t->fairness;
    spec.product.variants |= t->fairness == NULL ? 0 : OM_PRODUCT_FAIRNESS;
    spec.product.workers = t->workers;
    spec.fair_processes = t->movers;
    spec.product.store = p->options.store;
    if (t == &t->part->cpu && t->part->shares) {
        spec.product.states = p->states;
        spec.product.first_worker = t->first_worker;
    }
    spec.strength = t->part->claimed;
    spec.device = t->device;
    spec.verify = om_plan__verify(p);
    spec.first_workers = t->first_workers;
    out->rc = om_task_new(&task, t->ctx, &spec);
    if (out->rc == OM_OK) {
        show_task(t, task);
        out->rc = om_task_run(task, t->checker, t->options, &out->result);
        hide_task(t);
        om_plan__keep_overflows(t, task);
    }
    if (t == &t->part->cpu)
        pass_workers_on(t);
    if (out->rc == OM_EMODEL ||
        (out->rc == OM_OK && (out->result.verdict == OM_VIOLATED || out->result.fault != 0))) {
        out->task = task;
    } else {
        om_task_free(task);
        om_control__returned(om_context_control(t->ctx));
    }
    if (out->rc == OM_ELIMIT) {
        /* The limits do not even permit the start: the answer is UNKNOWN. */
        out->result = (om_task_result){ .verdict = OM_UNKNOWN,
            .reason = om_control_stopped(om_context_control(t->ctx)),
            .sccs = UINT64_MAX };
        out->rc = OM_OK;
    }
    return out->rc;
}

/* ---- one part ---- */

static void stop_others(om_plan *p, const om_part *part, om_stop_reason reason)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->part_count; i++)
        if (s->parts[i] != part)
            (void) om_control_stop(om_context_control(s->parts[i]->ctx), reason);
    pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
}

/* Returns true if a CPU checker can take over from the device that failed. */
static bool mendable(const om_part *part)
{
    int rc = part->device.out.rc;
    return part->answer == &part->device && part->cpu.checker != NULL && rc != OM_OK &&
           rc != OM_EMODEL && rc != OM_EUSAGE && rc != OM_ESTOP;
}

/* Gives the part to the CPU. */
static void hand_over(om_part *part)
{
    om_plan *p = part->plan;
    const char *name = part->device.checker->head.name,
               *device = om_device_info_of(part->device.device)->name,
               *said = om_context_error(part->device.ctx);
    om_text why = { .heap = p->heap };

    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "%s on %s gave up (%s): continuing with %s on the CPU",
        name, device, said, part->cpu.checker->head.name);
    om_text_printf(&why, "%s on %s: %s", name, device, said);
    part->gave_up =
        why.failed ? NULL : why.text; /* NULL if memory ran out; a note has the text, too */
    if (why.failed)
        om_text_free(&why);
    pthread_mutex_lock(&p->supervisor.lock);
    part->answer = &part->cpu;
    pthread_mutex_unlock(&p->supervisor.lock);
}

/* Runs the attempt on the CPU a second time, from the beginning. */
static void try_again(om_part *part)
{
    om_plan *p = part->plan;
    om_attempt *t = &part->cpu;
    om_context *fresh = NULL, *old = t->ctx;
    if (om_context_stopped(part->ctx) != OM_OK)
        return;
    if (om_context_new_below(&fresh, part->ctx) != OM_OK) {
        t->out.rc = om_fail_memory(t->ctx);
        return;
    }
    om_plan__drop_task(t);
    om_free(p->heap, t->out.overflow_vector);
    pthread_mutex_lock(&p->supervisor.lock);
    t->out = (om_outcome){ 0 };
    t->ctx = fresh;
    t->states = t->transitions = 0;
    part->shares =
        false; /* a new product cannot use the states that the first run left in the store */
    pthread_mutex_unlock(&p->supervisor.lock);
    om_context_free(old);
    (void) om_plan__attempt(t);
}

static void run_part(om_part *part)
{
    om_plan *p = part->plan;
    om_race__start(part);
    (void) om_plan__attempt(part->answer);
    if (mendable(part)) {
        hand_over(part);
        (void) om_plan__attempt(&part->cpu);
    }
    if (!om_race__end(part))
        try_again(part);
    pthread_mutex_lock(&p->supervisor.lock);
    part->cpu.running = part->device.running = false;
    pthread_mutex_unlock(&p->supervisor.lock);
    const om_outcome *out = &part->answer->out;
    if (out->rc != OM_OK && out->rc != OM_EMODEL)
        stop_others(p, part, OM_STOP_ERROR);
    else if (out->result.verdict == OM_VIOLATED)
        stop_others(p, part, OM_STOP_FOUND);
}

static void *part_main(void *self)
{
    run_part(self);
    return NULL;
}

/* ---- all parts ---- */

/* Starts the part in a thread. If no thread can be created, runs it here: that costs speed only. */
static void start(om_part *part)
{
    part->started = true;
    part->threaded = pthread_create(&part->thread, NULL, part_main, part) == 0;
    if (!part->threaded)
        run_part(part);
}

/* Gives the parts on the CPU a head start to find a violation, because building kernels takes
 * seconds and an abandoned build continues in the background. Returns true if the part is no longer
 * needed. */
static bool overtaken(const om_part *part)
{
    const struct timespec nap = { 0, 2000000 };
    for (int i = 0; i < HEAD_START_NAPS; i++) {
        if (om_context_stopped(part->ctx) != OM_OK)
            return true;
        (void) nanosleep(&nap, NULL);
    }
    return om_context_stopped(part->ctx) != OM_OK;
}

/* S1 */
static void run_concurrent(om_part *parts, size_t count)
{
    bool ahead = false, needless = false;
    for (size_t i = 0; i < count; i++)
        if (parts[i].answer == &parts[i].cpu) {
            start(&parts[i]);
            ahead = true;
        }
    for (size_t i = 0; i < count; i++)
        if (!parts[i].started) {
            needless = needless || (ahead && overtaken(&parts[i]));
            ahead = false;
            if (!needless)
                start(&parts[i]);
        }
    for (size_t i = 0; i < count; i++)
        if (parts[i].threaded)
            (void) pthread_join(parts[i].thread, NULL);
}

/* S2: terminal, weak, strong. A limit that one part hits need not stop the next. */
static void run_sequential(om_plan *p, om_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (om_context_stopped(p->ctx) != OM_OK)
            return;
        parts[i].started = true;
        run_part(&parts[i]);
        const om_outcome *out = &parts[i].answer->out;
        if ((out->rc != OM_OK && out->rc != OM_EMODEL) || out->result.verdict == OM_VIOLATED)
            return;
    }
}

/* Returns true if the part starts on the CPU and its checker supports shared state ids. */
static bool may_share(const om_part *part)
{
    return part->answer == &part->cpu && (part->cpu.checker->flags & OM_CHECKER_SHARES_STATES) != 0;
}

/* Makes one store for the parts that start on the CPU concurrently. On failure each part has its
 * own store and reports what is wrong. */
static void share_states(om_plan *p, om_part *parts, size_t count, const om_task_spec *spec)
{
    unsigned sharers = 0, workers = 0;
    for (size_t i = 0; i < count; i++)
        if (may_share(&parts[i])) {
            parts[i].cpu.first_worker = workers;
            workers += parts[i].cpu.workers;
            sharers++;
        }
    if (sharers < 2 || om_context_new_below(&p->sharing, p->ctx) != OM_OK)
        return;
    uint32_t words = spec->product.executor->words + 1;
    int rc = om_states__new(&p->states, p->sharing, words, workers, p->options.store);
    for (size_t i = 0; i < count; i++)
        parts[i].shares = rc == OM_OK && may_share(&parts[i]);
}

void om_plan__run(om_plan *p, om_part *parts, size_t count, const om_task_spec *spec)
{
    for (size_t i = 0; i < count; i++) {
        parts[i].spec = *spec;
        parts[i].cpu.admitted = parts[i].cpu.first_workers;
    }
    if (p->side_by_side)
        share_states(p, parts, count, spec);
    om_plan__show_parts(p, parts, count);
    if (p->side_by_side)
        run_concurrent(parts, count);
    else
        run_sequential(p, parts, count);
    om_race__recall(p);
    om_plan__hide_parts(p);
}
