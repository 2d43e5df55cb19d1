/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the parts: concurrently (S1), one after another (S2), or so that they take turns (S3,
 * in_turn.c).
 *
 * Concurrency: the thread that runs a part writes it; other threads read it only after the join.
 * The exceptions are the members under the supervisor's lock, and the contexts, which exist
 * throughout. The first part with evidence (or with a failure that no checker can mend) stops all
 * others. A part that met a fault of the model does not, because others may still find a violation.
 *
 * Parts that run concurrently on the CPU share a store of states (om_states), because they mostly
 * reach the same ones.
 */
#include "try.h"

#include "control/control.h"
#include "explore.h"
#include "plan_devices.h"
#include "product.h"
#include "supervise.h"

#include <assert.h>
#include <time.h>

enum { HEAD_START_NAPS = 40 };

/* ---- one part ---- */

static void stop_others(const om_part *part, om_stop_reason reason)
{
    om_try *try = part->try;
    om_supervisor *s = &try->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < try->part_count; i++)
        if (&try->parts[i] != part)
            (void) om_control_stop(om_context_control(try->parts[i].ctx), reason);
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
    om_supervisor *s = &part->try->plan->supervisor;
    part->gave_up = om_attempt__give_up(&part->device, om_context_error(part->device.ctx));
    pthread_mutex_lock(&s->lock);
    assert(part->answer == &part->device); /* P8 */
    part->answer = &part->cpu;
    pthread_mutex_unlock(&s->lock);
}

static void show_end(om_part *part)
{
    om_supervisor *s = &part->try->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    assert(part->cpu.task == NULL && part->device.task == NULL); /* A7 */
    part->cpu.running = part->device.running = false;
    pthread_mutex_unlock(&s->lock);
}

void om_part__run_again(om_part *part)
{
    om_plan *p = part->try->plan;
    om_attempt *t = &part->cpu;
    om_context *fresh = NULL, *old = t->ctx;
    assert(part->turn == NULL); /* it refers to the old context's control */
    if (om_context_stopped(part->ctx) != OM_OK)
        return;
    if (om_context_new_below(&fresh, part->ctx) != OM_OK) {
        t->out.rc = om_fail_memory(t->ctx);
        return;
    }
    om_attempt__drop_task(t);
    om_free(p->heap, t->out.overflow_vector);
    pthread_mutex_lock(&p->supervisor.lock);
    assert(part->answer == t && t->task == NULL && !part->racing); /* A7, P8 */
    t->out = (om_outcome){ 0 };
    t->ctx = fresh;
    t->states = t->transitions = 0;
    part->shares =
        false; /* a new product cannot use the states that the first run left in the store */
    pthread_mutex_unlock(&p->supervisor.lock);
    om_context_free(old);
    (void) om_attempt__run(t);
    show_end(part);
}

void om_part__run(om_part *part)
{
    assert(part->answer == &part->cpu || part->device.device != NULL); /* A3 */
    om_race__start(part);
    (void) om_attempt__run(part->answer);
    if (mendable(part)) {
        hand_over(part);
        (void) om_attempt__run(&part->cpu);
    }
    if (part->racing)
        om_turn__leave(part->turn); /* the device may take long */
    if (!om_race__end(part))
        om_part__run_again(part);
    show_end(part);
    const om_outcome *out = &part->answer->out;
    if (out->rc != OM_OK && out->rc != OM_EMODEL)
        stop_others(part, OM_STOP_ERROR);
    else if (out->result.verdict == OM_VIOLATED)
        stop_others(part, OM_STOP_FOUND);
}

static void *part_main(void *self)
{
    om_part__run(self);
    return NULL;
}

/* ---- all parts ---- */

/* Starts the part in a thread. If no thread can be created, runs it here: that costs speed only. */
static void start(om_part *part)
{
    part->started = true;
    part->threaded = pthread_create(&part->thread, NULL, part_main, part) == 0;
    if (!part->threaded)
        om_part__run(part);
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
static void run_sequential(const om_try *try, om_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (om_context_stopped(try->plan->ctx) != OM_OK)
            return;
        parts[i].started = true;
        om_part__run(&parts[i]);
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
static void share_states(om_try *try)
{
    om_part *parts = try->parts;
    unsigned sharers = 0, workers = 0;
    for (size_t i = 0; i < try->part_count; i++)
        if (may_share(&parts[i])) {
            parts[i].cpu.first_worker = workers;
            workers += parts[i].cpu.workers;
            sharers++;
        }
    if (sharers < 2 || om_context_new_below(&try->sharing, try->plan->ctx) != OM_OK)
        return;
    uint32_t words = try->spec.product.executor->words + 1;
    int rc = om_states__new(&try->states, try->sharing, words, workers, try->options.store);
    for (size_t i = 0; i < try->part_count; i++)
        parts[i].shares = rc == OM_OK && may_share(&parts[i]);
}

/* ---- figures and limits ---- */

/* Returns the figures of an attempt so far. The caller holds the lock. */
static void figures_of(const om_attempt *t, uint64_t *states, uint64_t *transitions)
{
    *states = t->states;
    *transitions = t->transitions;
    if (t->task != NULL)
        om_task_progress(t->task, states, transitions);
}

/* Adds the figures of a part. If two attempts race, those of the one with more states count. */
static void add_part(const om_part *part, om_progress *out)
{
    uint64_t states, transitions, s, t;
    figures_of(part->answer, &states, &transitions);
    if (part->joined) {
        figures_of(part->answer == &part->cpu ? &part->device : &part->cpu, &s, &t);
        if (part->device.task != NULL && s > states) {
            states = s;
            transitions = t;
        }
    }
    /* Levels are reported only while a single part runs. */
    if (part->answer->running && part->answer->task != NULL && out->parts_running == 0)
        om_task__levels(part->answer->task, &out->levels);
    else if (part->answer->running)
        out->levels.count = 0;
    out->parts_running += part->answer->running;
    out->states += states;
    out->transitions += transitions;
}

static void add_figures(void *self, om_progress *out)
{
    const om_try *try = self;
    for (size_t i = 0; i < try->part_count; i++)
        add_part(&try->parts[i], out);
}

/* Enforces the limit on states, which is for all parts together. A single part keeps it exactly, by
 * itself; several parts may exceed it by the states that they store until the next check. */
static void limit_states(const om_try *try, uint64_t all, uint64_t most)
{
    uint64_t states, transitions;
    for (size_t i = 0; i < try->part_count; i++) {
        figures_of(try->parts[i].answer, &states, &transitions);
        all += states;
    }
    for (size_t i = 0; i < try->part_count && all > most; i++)
        (void) om_control_stop(om_context_control(try->parts[i].answer->ctx), OM_STOP_STATES);
}

static void watch(void *self, uint64_t states, uint64_t most)
{
    if (most != 0)
        limit_states(self, states, most);
    om_race__give_way(self);
}

void om_try__run(om_try *try)
{
    om_plan *p = try->plan;
    assert(try->spec.product.executor != NULL && try->states == NULL); /* A8 */
    for (size_t i = 0; i < try->part_count; i++)
        try->parts[i].cpu.admitted = try->parts[i].cpu.first_workers;
    if (try->side_by_side)
        share_states(try);
    om_plan__show(p, (om_watched){ try, add_figures, watch });
    if (try->side_by_side)
        run_concurrent(try->parts, try->part_count);
    else if (!try->in_turn || !om_try__run_in_turn(try))
        run_sequential(try, try->parts, try->part_count);
    om_opener__recall(p, false);
    om_plan__hide(p);
}
