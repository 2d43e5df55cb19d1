/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor: limits and figures of all work of a plan.
 *
 * Between om_plan__begin() and om_plan__end(), a watcher checks the clock, the memory and the
 * number of states. Any thread may ask for figures at any time; so the objects that provide them
 * are registered with the supervisor while they exist, under its lock.
 */
#include "explore.h"
#include "product.h"
#include "model/model_form.h"
#include "attempt.h"
#include "supervise.h"

#include <time.h>

enum { SPARED_PART = 16 };

int om_plan__supervisor_init(om_plan *p)
{
    om_supervisor *s = &p->supervisor;
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return om_fail(p->ctx, OM_ELIMIT, NULL, "cannot create a lock");
    /* Waits for `news` use the monotonic clock. */
    bool made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&s->news, &attr) == 0;
    (void) pthread_condattr_destroy(&attr);
    if (made && pthread_mutex_init(&s->lock, NULL) != 0) {
        (void) pthread_cond_destroy(&s->news);
        made = false;
    }
    return made ? OM_OK : om_fail(p->ctx, OM_ELIMIT, NULL, "cannot create a lock");
}

void om_plan__supervisor_destroy(om_plan *p)
{
    pthread_cond_destroy(&p->supervisor.news);
    pthread_mutex_destroy(&p->supervisor.lock);
}

/* ---- figures ---- */

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

void om_plan_progress(om_plan *p, om_progress *out)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    *out = (om_progress){ .states = s->states, .transitions = s->transitions, .levels = s->levels };
    for (size_t i = 0; i < s->part_count; i++)
        add_part(s->parts[i], out);
    if (s->exploring != NULL) {
        out->states += om_product_state_count(s->exploring);
        out->transitions += om_product__edge_count(s->exploring);
        om_product__levels(s->exploring, &out->levels);
    }
    out->seconds = s->started_ns == 0 ? 0 : om_plan__seconds(p);
    pthread_mutex_unlock(&s->lock);
}

void om_plan__show_parts(om_plan *p, om_part *parts, size_t count)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < count; i++)
        s->parts[i] = &parts[i];
    s->part_count = count;
    pthread_mutex_unlock(&s->lock);
}

void om_plan__hide_parts(om_plan *p)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->part_count; i++) {
        uint64_t states, transitions;
        figures_of(s->parts[i]->answer, &states, &transitions);
        s->states += states;
        s->transitions += transitions;
    }
    s->part_count = 0;
    pthread_mutex_unlock(&s->lock);
}

void om_plan__show_product(om_plan *p, om_product *product)
{
    pthread_mutex_lock(&p->supervisor.lock);
    p->supervisor.exploring = product;
    pthread_mutex_unlock(&p->supervisor.lock);
}

void om_plan__hide_product(om_plan *p)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    s->states = om_product_state_count(s->exploring);
    s->transitions = om_product__edge_count(s->exploring);
    om_product__levels(s->exploring, &s->levels);
    s->exploring = NULL;
    pthread_mutex_unlock(&s->lock);
}

void om_plan__show_figures(
    om_plan *p, uint64_t states, uint64_t transitions, const om_levels *levels)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    s->states = states;
    s->transitions = transitions;
    s->levels = *levels;
    pthread_mutex_unlock(&s->lock);
}

/* ---- limits ---- */

/* Enforces the limit on states, which is for all parts together. A single part keeps it exactly, by
 * itself; several parts may exceed it by the states that they store until the next check. */
static void watch_states(om_plan *p)
{
    om_supervisor *s = &p->supervisor;
    uint64_t most = p->options.limits.max_states;
    if (most == 0)
        return;
    pthread_mutex_lock(&s->lock);
    uint64_t all = s->states, states, transitions;
    for (size_t i = 0; i < s->part_count; i++) {
        figures_of(s->parts[i]->answer, &states, &transitions);
        all += states;
    }
    for (size_t i = 0; i < s->part_count && all > most; i++)
        (void) om_control_stop(om_context_control(s->parts[i]->answer->ctx), OM_STOP_STATES);
    pthread_mutex_unlock(&s->lock);
}

static void watch(void *self)
{
    watch_states(self);
    om_race__give_way(self);
}

int om_plan__begin(om_plan *p, bool sparing)
{
    static const om_levels none = { 0 };
    om_supervisor *s = &p->supervisor;
    om_limits limits = p->options.limits;
    if (sparing)
        limits.memory_bytes -= limits.memory_bytes / SPARED_PART;
    om_plan__show_figures(p, 0, 0, &none);
    pthread_mutex_lock(&s->lock);
    s->started_ns = om_clock_ns();
    pthread_mutex_unlock(&s->lock);
    om_plan__forget_overflows(p);
    p->fault = 0;
    if (limits.timeout_ns != 0 && p->options.since_ns != 0) {
        uint64_t spent = s->started_ns - p->options.since_ns;
        limits.timeout_ns = spent < limits.timeout_ns ? limits.timeout_ns - spent : 1;
        if (p->checks_left > 1)
            limits.timeout_ns = limits.timeout_ns / p->checks_left + 1;
    }
    om_control_start(om_context_control(p->ctx), &limits);
    return om_watcher_start(&s->watcher, p->ctx, watch, p);
}

void om_plan__end(om_plan *p)
{
    om_watcher_stop(p->supervisor.watcher);
    p->supervisor.watcher = NULL;
}

void om_plan__after(om_plan *p)
{
    om_limits limits = p->options.limits;
    uint64_t left = om_control_left_ns(om_context_control(p->ctx));
    if (limits.timeout_ns != 0)
        limits.timeout_ns = left > OM_PLAN_AFTER_NS ? left : OM_PLAN_AFTER_NS;
    om_control_start(om_context_control(p->ctx), &limits);
}

const char *om_plan__why(const om_plan *p)
{
    om_stop_reason reason = om_control_stopped(om_context_control(p->ctx));
    const char *said = om_context_error(p->ctx);
    return reason != OM_STOP_NONE || *said == '\0' ? om_stop_reason_name(reason) : said;
}

uint64_t om_plan__verify(const om_plan *p)
{
    return p->options.verify == 0 ? OM_VERIFY_DEFAULT : p->options.verify;
}

double om_plan__seconds(const om_plan *p)
{
    return (double) (om_clock_ns() - p->supervisor.started_ns) / 1e9;
}
