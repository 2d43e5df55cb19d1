/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a check early: a violation in another part, somebody outside, the clock. */
#include "unit/plan/fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_registry *registry;
    om_model *m;
} world;

/* Five counters of a byte each that step independently: far too many states to explore. */
static void add_counters(const world *w)
{
    static const int32_t zero = 0;
    static const char *const names[] = { "c0", "c1", "c2", "c3", "c4" };
    for (uint32_t i = 0; i < 5; i++) {
        const om_slot slot = {
            .name = names[i], .type = OM_U8, .process = OM_NONE, .initial = &zero
        };
        uint32_t s;
        assert_int_equal(om_model_add_slot(w->m, &slot, &s), OM_OK);
        const om_assign step = { s, 0,
            om_expr_binary(w->m, OM_OP_ADD, om_expr_slot(w->m, s), om_expr_const(w->m, 1)) };
        const om_transition t = { .process = OM_NONE,
            .partner = OM_NONE,
            .assigns = &step,
            .assign_count = 1,
            .label = names[i] };
        assert_int_equal(om_model_add_transition(w->m, &t, NULL), OM_OK);
    }
}

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&w->registry, w->ctx), OM_OK);
    assert_int_equal(om_model_new(&w->m, w->ctx, "counters"), OM_OK);
    add_counters(w);
    assert_int_equal(om_model_finish(w->m), OM_OK);
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    om_model_free(w->m);
    om_registry_free(w->registry);
    om_context_free(w->ctx);
    free(w);
    return 0;
}

static om_plan *new_plan(const world *w, om_plan_options options)
{
    om_plan *p = NULL;
    options.device = "none";
    options.exec = OM_EXEC_VM;
    assert_int_equal(
        om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, w->m, &options), OM_OK);
    return p;
}

/* The negation has a terminal part that is found at once, and a strong one without an accepting
 * cycle (c0 is never 7 and 9 at once), which would keep its checker busy for hours. */
static void the_first_violation_ends_the_check(void **state)
{
    const world *w = *state;
    static const char formula[] =
        "G \"c0<4\" & (FG !\"c1<300\" | !(GF (\"c0==7\" & \"c0==9\") & GF \"c2==1\"))";
    for (unsigned threads = 2; threads <= 4; threads += 2) {
        om_plan *p = new_plan(
            w, (om_plan_options){ .threads = threads, .schedule = OM_SCHEDULE_CONCURRENT });
        om_check_result r = { 0 };
        assert_int_equal(om_plan_check(p, OM_PROPERTY_LTL, formula, &r), OM_OK);
        assert_int_equal(r.verdict, OM_VIOLATED);
        assert_true(r.has_lasso);
        assert_int_equal(r.part_count, 2);
        double found = 0, last = 0;
        for (size_t i = 0; i < r.part_count; i++) {
            const om_task_result *t = &r.parts[i].task;
            if (t->verdict == OM_VIOLATED)
                found = t->seconds;
            if (t->seconds > last)
                last = t->seconds;
        }
        /* 100 ms are asked for; a busy machine under a sanitizer gets more. */
        assert_true(last - found < 2.0);
        om_check_result_free(&r);
        om_plan_free(p);
    }
}

static void the_clock_ends_a_check(void **state)
{
    const world *w = *state;
    om_plan_options options = { .threads = 2, .limits = { .timeout_ns = 200 * 1000000 } };
    om_plan *p = new_plan(w, options);
    om_check_result r = { 0 };
    om_exploration e;
    assert_int_equal(om_plan_check(p, OM_PROPERTY_DEADLOCK, NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_TIMEOUT));
    assert_true(r.states > 0);
    assert_true(r.seconds >= 0.2);
    om_check_result_free(&r);
    /* The limit is for each check, not for all of them together. */
    assert_int_equal(om_plan_check(p, OM_PROPERTY_INVARIANT, "c0<1", &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    assert_int_equal(r.lasso.count, 2);
    om_check_result_free(&r);
    assert_int_equal(om_plan_explore(p, &e), OM_ELIMIT);
    assert_true(e.states > 0);
    om_plan_free(p);
}

static void memory_ends_a_check(void **state)
{
    const world *w = *state;
    om_plan *p = new_plan(w, (om_plan_options){ .threads = 2, .limits = { .memory_bytes = 1 } });
    om_check_result r = { 0 };
    assert_int_equal(om_plan_check(p, OM_PROPERTY_DEADLOCK, NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_MEMORY));
    om_check_result_free(&r);
    om_plan_free(p);
}

typedef struct stopper {
    om_plan *plan;
    om_progress seen;
} stopper;

static void *stop_soon(void *self)
{
    stopper *s = self;
    const struct timespec pause = { 0, 20 * 1000000 };
    for (int i = 0; i < 500 && s->seen.states < 1000; i++) {
        (void) nanosleep(&pause, NULL);
        om_plan_progress(s->plan, &s->seen);
    }
    (void) om_control_stop(om_plan_control(s->plan), OM_STOP_INTERRUPT);
    return NULL;
}

static void somebody_outside_ends_a_check(void **state)
{
    const world *w = *state;
    stopper s = { .plan = new_plan(w, (om_plan_options){ .threads = 2 }) };
    om_check_result r = { 0 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &s), 0);
    assert_int_equal(om_plan_check(s.plan, OM_PROPERTY_DEADLOCK, NULL, &r), OM_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_INTERRUPT));
    assert_true(s.seen.states >= 1000);
    assert_int_equal(s.seen.parts_running, 1);
    assert_true(r.states >= s.seen.states);
    om_check_result_free(&r);
    om_plan_free(s.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_violation_ends_the_check, setup, teardown),
        cmocka_unit_test_setup_teardown(the_clock_ends_a_check, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_ends_a_check, setup, teardown),
        cmocka_unit_test_setup_teardown(somebody_outside_ends_a_check, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
