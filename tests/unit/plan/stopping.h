/* SPDX-License-Identifier: Apache-2.0 */
/* stopping.h: searches that would not end on their own, and their latency after a stop. */
#ifndef OMEN_TESTS_PLAN_STOPPING_H
#define OMEN_TESTS_PLAN_STOPPING_H

#include "unit/plan/fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_registry *registry;
    om_model *m;
} world;

/* The required latency is 100 ms; sanitizers slow everything down. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOWER 5
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SLOWER 5
#endif
#endif
#ifndef SLOWER
#define SLOWER 1
#endif

enum { TRIES = 5 };
typedef struct latencies {
    double ms[TRIES];
    size_t count;
} latencies;

/* Adds at most five counters of a byte each, up to `top` (0: wrap around). They are independent,
 * except that guards read all: what nothing reads is no state. */
static inline void add_counters(om_model *m, uint32_t count, int32_t top)
{
    static const int32_t zero = 0;
    static const char *const names[] = { "c0", "c1", "c2", "c3", "c4" };
    om_expr before = om_expr_const(m, 0);
    for (uint32_t i = 0; i < count; i++) {
        const om_slot slot = {
            .name = names[i], .type = OM_U8, .process = OM_NONE, .initial = &zero
        };
        uint32_t s;
        assert_int_equal(om_model_add_slot(m, &slot, &s), OM_OK);
        const om_expr value = om_expr_slot(m, s);
        const om_expr sum = om_expr_binary(m, OM_OP_ADD, before, value);
        const om_expr nearly = om_expr_binary(m, OM_OP_NE, sum, om_expr_const(m, 500));
        const om_assign step = { s, 0, om_expr_binary(m, OM_OP_ADD, value, om_expr_const(m, 1)) };
        const om_transition t = { .process = OM_NONE,
            .partner = OM_NONE,
            .guard = top == 0 ? nearly : om_expr_binary(m, OM_OP_LT, value, om_expr_const(m, top)),
            .assigns = &step,
            .assign_count = 1,
            .label = names[i] };
        assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
        before = value;
    }
}

/* All five counters, wrapping around: far too many states to explore. */
static inline int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&w->registry, w->ctx), OM_OK);
    assert_int_equal(om_model_new(&w->m, w->ctx, "counters"), OM_OK);
    add_counters(w->m, 5, 0);
    assert_int_equal(om_model_finish(w->m), OM_OK);
    return 0;
}

static inline int teardown(void **state)
{
    world *w = *state;
    om_model_free(w->m);
    om_registry_free(w->registry);
    om_context_free(w->ctx);
    free(w);
    return 0;
}

static inline om_plan *new_plan(const world *w, om_plan_options options)
{
    om_plan *p = NULL;
    om_control_forget(om_context_control(w->ctx));
    if (options.device == NULL)
        options.device = "none";
    if (options.exec == OM_EXEC_AUTO)
        options.exec = OM_EXEC_VM;
    assert_int_equal(
        om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, w->m, &options), OM_OK);
    return p;
}

static inline void add_latency(latencies *l, double ms)
{
    l->ms[l->count++] = ms;
}

static inline int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Runnable threads per core, at least 1: a thread waits that much longer for its turn. */
static inline double machine_load(void)
{
    double load = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) != 1 || cores < 1 || load < (double) cores)
        return 1;
    return load / (double) cores;
}

/* Other load on the machine and sanitizers only add to a latency, so the fastest attempt measures
 * omen. Under a sanitizer, the stop need only be faster than a complete search. */
static inline void judge(latencies *l, const char *what)
{
    qsort(l->ms, l->count, sizeof *l->ms, by_size);
    double least = l->ms[0], median = l->ms[l->count / 2], worst = l->ms[l->count - 1];
    printf("%s: least %.1f ms, median %.1f ms, worst %.1f ms of %zu\n", what, least, median, worst,
        l->count);
    assert_true(least <= (SLOWER == 1 ? 100 : 5000) * machine_load());
}

/* Stops a plan some time after it has this number of states. */
typedef struct watchdog {
    om_plan *plan;
    uint64_t states, delay_ns, stopped_ns;
} watchdog;

static inline void *bark(void *self)
{
    watchdog *d = self;
    const struct timespec pause = { 0, 1000000 };
    const struct timespec delay = { (time_t) (d->delay_ns / 1000000000),
        (long) (d->delay_ns % 1000000000) };
    om_progress now = { 0 };
    for (int i = 0; i < 30000 && now.states < d->states; i++) {
        (void) nanosleep(&pause, NULL);
        om_plan_progress(d->plan, &now);
    }
    (void) nanosleep(&delay, NULL);
    d->stopped_ns = om_clock_ns();
    (void) om_control_stop(om_plan_control(d->plan), OM_STOP_INTERRUPT);
    return NULL;
}

/* Returns the time from the stop to the end of the check in ms; negative if the check ended
 * before. */
static inline double stop_latency(const world *w, om_plan_options options, const char *formula,
    uint64_t states, uint64_t delay_ns, bool *busy)
{
    watchdog d = { .plan = new_plan(w, options), .states = states, .delay_ns = delay_ns };
    om_check_result r = { 0 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, bark, &d), 0);
    int rc = om_plan_check(d.plan, OM_PROPERTY_LTL, formula, &r);
    uint64_t ended_ns = om_clock_ns();
    if (busy != NULL)
        *busy = om_plan_busy(d.plan);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (rc != OM_OK)
        fail_msg("%s", om_context_error(w->ctx));
    bool stopped = r.verdict == OM_UNKNOWN;
    if (stopped)
        assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_INTERRUPT));
    om_check_result_free(&r);
    om_plan_free(d.plan);
    return stopped ? (double) (ended_ns - d.stopped_ns) / 1e6 : -1;
}

/* c0 is never both 7 and 9, so no search ends early. */
static const struct {
    const char *strength, *formula;
} endless[] = {
    { "terminal", "G !(\"c0==7\" & \"c0==9\")" },
    { "weak", "GF !(\"c0==7\" & \"c0==9\")" },
    { "strong", "!(GF (\"c0==7\" & \"c0==9\") & GF \"c2==1\")" },
};

#endif
