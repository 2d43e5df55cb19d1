/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor: limits and figures of all work of a plan.
 *
 * Between om_plan__begin() and om_plan__end(), a watcher checks the clock, the memory and the
 * number of states. Any thread may ask for figures at any time; so the work that provides them is
 * registered with the supervisor while it runs, under its lock.
 */
#include "supervise.h"

#include "explore.h"
#include "product.h"

#include <assert.h>
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

void om_plan_progress(om_plan *p, om_progress *out)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    *out = (om_progress){ .states = s->states, .transitions = s->transitions, .levels = s->levels };
    if (s->watched.self != NULL)
        s->watched.figures(s->watched.self, out);
    out->seconds = s->started_ns == 0 ? 0 : om_plan__seconds(p);
    pthread_mutex_unlock(&s->lock);
}

void om_plan__show(om_plan *p, om_watched work)
{
    om_supervisor *s = &p->supervisor;
    pthread_mutex_lock(&s->lock);
    assert(s->watched.self == NULL && work.self != NULL); /* P5 */
    s->watched = work;
    pthread_mutex_unlock(&s->lock);
}

void om_plan__hide(om_plan *p)
{
    om_supervisor *s = &p->supervisor;
    om_progress last = { 0 };
    pthread_mutex_lock(&s->lock);
    assert(s->watched.self != NULL); /* P5 */
    s->watched.figures(s->watched.self, &last);
    s->states += last.states;
    s->transitions += last.transitions;
    s->levels = last.levels;
    s->watched = (om_watched){ 0 };
    pthread_mutex_unlock(&s->lock);
}

static void product_figures(void *self, om_progress *out)
{
    om_product *product = self;
    out->states += om_product_state_count(product);
    out->transitions += om_product__edge_count(product);
    om_product__levels(product, &out->levels);
}

void om_plan__show_product(om_plan *p, om_product *product)
{
    om_plan__show(p, (om_watched){ product, product_figures, NULL });
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

void om_plan__clear_figures(om_plan *p)
{
    static const om_levels none = { 0 };
    om_plan__show_figures(p, 0, 0, &none);
}

/* ---- limits ---- */

static void watch(void *self)
{
    om_supervisor *s = self;
    pthread_mutex_lock(&s->lock);
    if (s->watched.watch != NULL)
        s->watched.watch(s->watched.self, s->states, s->limits.max_states);
    pthread_mutex_unlock(&s->lock);
}

int om_plan__begin(om_plan *p, const om_plan_options *options, bool sparing)
{
    om_supervisor *s = &p->supervisor;
    om_limits limits = options->limits;
    assert(s->watcher == NULL && s->watched.self == NULL); /* P5 */
    if (sparing)
        limits.memory_bytes -= limits.memory_bytes / SPARED_PART;
    om_plan__clear_figures(p);
    pthread_mutex_lock(&s->lock);
    s->started_ns = om_clock_ns();
    pthread_mutex_unlock(&s->lock);
    s->limits = options->limits;
    om_plan__forget_report(p);
    p->last.fault = 0;
    p->last.has_code = false;
    p->last.code = (om_code_report){ 0 };
    if (limits.timeout_ns != 0 && options->since_ns != 0) {
        uint64_t spent = s->started_ns - options->since_ns;
        limits.timeout_ns = spent < limits.timeout_ns ? limits.timeout_ns - spent : 1;
        if (p->memory.checks_left > 1)
            limits.timeout_ns = limits.timeout_ns / p->memory.checks_left + 1;
    }
    om_control_start(om_context_control(p->ctx), &limits);
    return om_watcher_start(&s->watcher, p->ctx, watch, s);
}

void om_plan__end(om_plan *p)
{
    om_watcher_stop(p->supervisor.watcher);
    p->supervisor.watcher = NULL;
    assert(p->supervisor.watched.self == NULL); /* P5 */
}

void om_plan__after(om_plan *p)
{
    om_limits limits = p->supervisor.limits;
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

uint64_t om_plan__verify(const om_plan_options *o)
{
    return o->verify == 0 ? OM_VERIFY_DEFAULT : o->verify;
}

double om_plan__seconds(const om_plan *p)
{
    return (double) (om_clock_ns() - p->supervisor.started_ns) / 1e9;
}
