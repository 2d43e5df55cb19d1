/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations without a terminal: history, random runs, breakpoints, loaded runs. */
#include <omen/host/omen.h>

#include "unit/lasso/small_model.h"
#include "unit/plan/fixture.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_model *m;
    small_slots slots;
    om_simulation *s;
} world;

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    assert_int_equal(small_model(w->ctx, &w->m, &w->slots), OM_OK);
    assert_int_equal(om_simulation_new(&w->s, w->ctx, &fixture_frontend, w->m), OM_OK);
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    om_simulation_free(w->s);
    om_model_free(w->m);
    om_context_free(w->ctx);
    free(w);
    return 0;
}

static om_value value(const world *w, size_t i, uint32_t slot)
{
    return om_slot_get(om_model_slot(w->m, slot), om_simulation_state(w->s, i), 0);
}

/* Takes the transition, which must be enabled. */
static void take(const world *w, uint32_t transition)
{
    const uint32_t *enabled;
    size_t count, k = 0;
    assert_int_equal(om_simulation_enabled(w->s, &enabled, &count), OM_OK);
    while (k < count && enabled[k] != transition)
        k++;
    assert_true(k < count);
    assert_int_equal(om_simulation_take(w->s, k), OM_OK);
}

static void assert_enabled(const world *w, size_t count, const uint32_t *expected)
{
    const uint32_t *enabled;
    size_t n;
    assert_int_equal(om_simulation_enabled(w->s, &enabled, &n), OM_OK);
    assert_int_equal(n, count);
    if (count != 0)
        assert_memory_equal(enabled, expected, count * sizeof *enabled);
}

static void back_and_forward(void **state)
{
    const world *w = *state;
    static const uint32_t busy[] = { SMALL_STOP, SMALL_TOGGLE };
    assert_int_equal(om_simulation_length(w->s), 1);
    assert_int_equal(om_simulation_ahead(w->s), OM_NONE);
    assert_int_equal(om_simulation_forward(w->s), OM_EINVAL);
    om_context_clear(w->ctx);
    take(w, SMALL_START);
    take(w, SMALL_STOP);
    take(w, SMALL_START);
    assert_enabled(w, 2, busy);
    assert_int_equal(value(w, 3, w->slots.count), 2);
    take(w, SMALL_STOP);
    assert_int_equal(om_simulation_position(w->s), 4);
    assert_true(om_simulation_goto(w->s, 1));
    assert_int_equal(om_simulation_ahead(w->s), SMALL_STOP);
    assert_false(om_simulation_goto(w->s, 5));
    assert_int_equal(om_simulation_taken(w->s, 1), SMALL_STOP);
    assert_int_equal(om_simulation_length(w->s), 5);
    /* Taking the same transition advances along the history; so does forward. */
    take(w, SMALL_STOP);
    assert_int_equal(om_simulation_forward(w->s), OM_OK);
    assert_int_equal(om_simulation_length(w->s), 5);
    assert_enabled(w, 2, busy);
    /* Taking another transition drops the rest of the history. */
    take(w, SMALL_TOGGLE);
    assert_int_equal(om_simulation_length(w->s), 5);
    assert_int_equal(om_simulation_taken(w->s, 3), SMALL_TOGGLE);
    assert_int_equal(om_simulation_taken(w->s, 4), OM_NONE);
    assert_int_equal(value(w, 4, w->slots.flag), 1);
    assert_int_equal(om_simulation_ahead(w->s), OM_NONE);
    assert_int_equal(om_simulation_take(w->s, 2), OM_EINVAL);
    assert_int_equal(om_simulation_length(w->s), 5);
}

static void targets_are_shown_ahead(void **state)
{
    const world *w = *state;
    const uint32_t words = om_model_words(w->m);
    uint32_t target[8];
    assert_null(om_simulation_target(w->s, 0)); /* enabled transitions have not been computed */
    assert_enabled(w, 1, (const uint32_t[]){ SMALL_START });
    assert_null(om_simulation_target(w->s, 1));
    memcpy(target, om_simulation_target(w->s, 0), words * sizeof *target);
    assert_int_equal(om_simulation_take(w->s, 0), OM_OK);
    assert_memory_equal(target, om_simulation_state(w->s, 1), words * sizeof *target);
}

/* Gets the transitions of the random run of this seed. Returns their number. */
static size_t random_run(const world *w, uint64_t seed, uint32_t *taken, size_t most)
{
    om_simulation *s = NULL;
    om_simulation_end end;
    uint64_t steps;
    assert_int_equal(om_simulation_new(&s, w->ctx, NULL, w->m), OM_OK);
    om_simulation_seed(s, seed);
    assert_int_equal(om_simulation_run(s, most, true, &steps, &end), OM_OK);
    assert_int_equal(om_simulation_length(s), steps + 1);
    assert_int_equal(end, steps == most ? OM_SIMULATION_STEPS : OM_SIMULATION_DEADLOCK);
    for (size_t i = 0; i < steps; i++)
        taken[i] = om_simulation_taken(s, i);
    om_simulation_free(s);
    return (size_t) steps;
}

static void a_seed_is_a_run(void **state)
{
    const world *w = *state;
    uint32_t a[40], b[40];
    bool differ = false;
    size_t shortest = 40;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t n = random_run(w, seed, a, 40), first = random_run(w, 0, b, 40);
        differ = differ || n != first || memcmp(a, b, n * sizeof *a) != 0;
        assert_int_equal(random_run(w, seed, b, 40), n);
        assert_memory_equal(a, b, n * sizeof *a);
        shortest = n < shortest ? n : shortest;
    }
    assert_true(differ);
    /* start stop start stop start end, without a toggle, is one of few runs. */
    assert_int_equal(shortest, 6);
}

/* In the second busy phase, both transitions are taken about equally often. */
static void choices_are_even(void **state)
{
    const world *w = *state;
    uint32_t taken[4];
    int toggles = 0;
    for (uint64_t seed = 1000; seed < 1400; seed++)
        toggles += random_run(w, seed, taken, 4) == 4 && taken[3] == SMALL_TOGGLE;
    assert_in_range(toggles, 150, 250);
}

static void runs_end_at_breakpoints(void **state)
{
    const world *w = *state;
    om_simulation_end end;
    uint64_t steps, now, became;
    assert_int_equal(om_simulation_break(w->s, "count==2"), OM_OK);
    assert_int_equal(om_simulation_break(w->s, "flag"), OM_OK);
    assert_int_equal(om_simulation_breaking(w->s, &now, &became), OM_OK);
    assert_int_equal(now, 0);
    assert_int_equal(om_simulation_run(w->s, 100, true, &steps, &end), OM_OK);
    assert_int_equal(end, OM_SIMULATION_BREAKPOINT);
    assert_int_equal(steps, 3);
    assert_int_equal(value(w, 3, w->slots.count), 2);
    assert_int_equal(om_simulation_breaking(w->s, &now, &became), OM_OK);
    assert_int_equal(now, 1);
    assert_int_equal(became, 1);
    take(w, SMALL_TOGGLE);
    assert_int_equal(om_simulation_breaking(w->s, &now, &became), OM_OK);
    assert_int_equal(now, 3);
    assert_int_equal(became, 2);
    /* The condition stays true for long, but becomes true once. */
    assert_int_equal(om_simulation_break(w->s, "count==1"), OM_OK);
    om_simulation_unbreak(w->s, 1);
    assert_int_equal(om_simulation_breakpoint_count(w->s), 2);
    assert_string_equal(om_simulation_breakpoint(w->s, 0), "count==2");
    assert_string_equal(om_simulation_breakpoint(w->s, 1), "count==1"); /* the next one moves up */
    om_simulation_unbreak(w->s, 1);
    assert_int_equal(om_simulation_breakpoint_count(w->s), 1);
    assert_null(om_simulation_breakpoint(w->s, 1));
    assert_int_equal(om_simulation_run(w->s, 1000000, true, &steps, &end), OM_OK);
    assert_int_equal(end, OM_SIMULATION_DEADLOCK);
    assert_enabled(w, 0, NULL);
}

static void what_is_no_expression_is_no_breakpoint(void **state)
{
    const world *w = *state;
    uint64_t now, became;
    assert_int_equal(om_simulation_break(w->s, "nothing==1"), OM_EINPUT);
    assert_string_equal(om_context_error(w->ctx), "breakpoint: no 'nothing'");
    om_context_clear(w->ctx);
    for (int i = 0; i < OM_SIMULATION_BREAKPOINTS; i++)
        assert_int_equal(om_simulation_break(w->s, "count==0"), OM_OK);
    assert_int_equal(om_simulation_break(w->s, "count==1"), OM_EUSAGE);
    assert_int_equal(om_simulation_breaking(w->s, &now, &became), OM_OK);
    assert_true(became == UINT64_MAX);
    take(w, SMALL_START);
    assert_int_equal(om_simulation_breaking(w->s, &now, &became), OM_OK);
    assert_true(now == 0 && became == 0);
}

static void a_stop_ends_a_run(void **state)
{
    const world *w = *state;
    om_simulation_end end;
    uint64_t steps;
    assert_true(om_control_stop(om_context_control(w->ctx), OM_STOP_INTERRUPT));
    assert_int_equal(om_simulation_run(w->s, 10, true, &steps, &end), OM_OK);
    assert_int_equal(end, OM_SIMULATION_STOPPED);
    assert_int_equal(steps, 0);
}

/* ---- loaded runs ---- */

/* start stop start (toggle toggle) for ever. */
static const uint32_t toggling[] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_TOGGLE,
    SMALL_TOGGLE };

static om_lasso lasso_of(const world *w, const uint32_t *steps, size_t count, size_t loop)
{
    om_lasso l = {
        .heap = om_heap_default(), .words = om_model_words(w->m), .count = count, .loop = loop
    };
    l.transitions = om_alloc(l.heap, count, sizeof *l.transitions);
    memcpy(l.transitions, steps, count * sizeof *steps);
    if (loop == OM_NO_LOOP)
        l.transitions[count - 1] = OM_NONE;
    return l;
}

static void a_lasso_goes_round(void **state)
{
    const world *w = *state;
    om_lasso l = lasso_of(w, toggling, 5, 3);
    om_simulation_end end;
    uint64_t steps;
    size_t at = 99;
    assert_int_equal(om_simulation_loop(w->s), OM_NO_LOOP);
    assert_false(om_simulation_follows(w->s, 0, &at));
    assert_int_equal(om_simulation_load(w->s, &l), OM_OK);
    om_lasso_free(&l);
    assert_int_equal(om_simulation_length(w->s), 5);
    assert_int_equal(om_simulation_position(w->s), 0);
    assert_int_equal(om_simulation_loop(w->s), 3);
    assert_int_equal(om_simulation_run(w->s, 20, true, &steps, &end), OM_OK);
    assert_int_equal(steps, 20);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(om_simulation_taken(w->s, i), toggling[i < 3 ? i : 3 + (i - 3) % 2]);
    assert_true(om_simulation_follows(w->s, 20, &at));
    assert_int_equal(at, 4);
    assert_int_equal(om_simulation_ahead(w->s), SMALL_TOGGLE);
    /* Leave the lasso, and return to it. */
    assert_true(om_simulation_goto(w->s, 3));
    take(w, SMALL_STOP);
    assert_int_equal(om_simulation_ahead(w->s), OM_NONE);
    assert_false(om_simulation_follows(w->s, 4, &at));
    assert_true(om_simulation_follows(w->s, 3, &at));
    assert_true(om_simulation_goto(w->s, 3));
    take(w, SMALL_TOGGLE);
    assert_true(om_simulation_follows(w->s, 4, &at));
    assert_int_equal(om_simulation_ahead(w->s), SMALL_TOGGLE);
    assert_int_equal(om_simulation_forward(w->s), OM_OK);
    assert_int_equal(om_simulation_taken(w->s, 4), SMALL_TOGGLE);
}

static void random_steps_may_leave_a_lasso(void **state)
{
    const world *w = *state;
    om_lasso l = lasso_of(w, toggling, 5, 3);
    om_simulation_end end;
    uint64_t steps;
    assert_int_equal(om_simulation_load(w->s, &l), OM_OK);
    om_lasso_free(&l);
    assert_int_equal(om_simulation_run(w->s, 1000000, false, &steps, &end), OM_OK);
    assert_int_equal(end, OM_SIMULATION_DEADLOCK);
    assert_int_equal(om_simulation_length(w->s), steps + 1);
}

static void what_is_no_run_is_not_loaded(void **state)
{
    const world *w = *state;
    static const uint32_t wrong[] = { SMALL_START, SMALL_TOGGLE, SMALL_STOP };
    om_lasso l = lasso_of(w, wrong, 3, OM_NO_LOOP);
    take(w, SMALL_START);
    assert_int_equal(om_simulation_load(w->s, &l), OM_EINPUT);
    assert_string_equal(
        om_context_error(w->ctx), "state 1: the model does not have the next step of the run");
    om_context_clear(w->ctx);
    om_lasso_free(&l);
    /* The cycle does not close at its start. */
    l = lasso_of(w, toggling, 5, 2);
    assert_int_equal(om_lasso_vectors(&l, w->m), OM_OK);
    assert_int_equal(om_simulation_load(w->s, &l), OM_EINPUT);
    om_context_clear(w->ctx);
    om_lasso_free(&l);
    /* Its states differ. */
    l = lasso_of(w, toggling, 5, 3);
    assert_int_equal(om_lasso_vectors(&l, w->m), OM_OK);
    om_slot_set(om_model_slot(w->m, w->slots.count), l.vectors + 2 * (size_t) l.words, 0, 7);
    assert_int_equal(om_simulation_load(w->s, &l), OM_EINPUT);
    assert_string_equal(om_context_error(w->ctx), "state 1: transition 1 does not lead to state 2");
    om_lasso_free(&l);
    /* The previous run is unchanged. */
    assert_int_equal(om_simulation_length(w->s), 2);
    assert_int_equal(om_simulation_position(w->s), 1);
    assert_enabled(w, 1, (const uint32_t[]){ SMALL_STOP });
}

static void a_run_that_ends_may_repeat_its_last_state(void **state)
{
    const world *w = *state;
    static const uint32_t ending[] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_STOP,
        SMALL_START, SMALL_END, OM_STUTTER };
    om_lasso l = lasso_of(w, ending, 7, 6);
    om_simulation_end end;
    uint64_t steps;
    assert_int_equal(om_simulation_load(w->s, &l), OM_OK);
    om_lasso_free(&l);
    assert_int_equal(om_simulation_run(w->s, 9, true, &steps, &end), OM_OK);
    assert_int_equal(steps, 9);
    assert_int_equal(om_simulation_taken(w->s, 8), OM_STUTTER);
    assert_int_equal(om_simulation_ahead(w->s), OM_STUTTER);
    assert_enabled(w, 0, NULL);
}

static void a_trace_is_one_of_the_model(void **state)
{
    const world *w = *state;
    om_lasso l, again;
    om_text json = { .heap = om_heap_default() };
    take(w, SMALL_START);
    take(w, SMALL_STOP);
    take(w, SMALL_START);
    assert_true(om_simulation_goto(w->s, 2));
    assert_int_equal(om_simulation_trace(w->s, &l), OM_OK);
    assert_int_equal(l.count, 3);
    assert_int_equal(om_lasso_write(&l, w->m, "json", NULL, &json), OM_OK);
    assert_int_equal(
        om_lasso_read(&again, w->ctx, w->m, "l.json", json.text, json.length, NULL), OM_OK);
    assert_int_equal(om_simulation_load(w->s, &again), OM_OK);
    assert_int_equal(om_simulation_length(w->s), 3);
    assert_int_equal(om_simulation_forward(w->s), OM_OK);
    assert_int_equal(om_simulation_forward(w->s), OM_OK);
    assert_int_equal(om_simulation_ahead(w->s), OM_NONE);
    om_text_free(&json);
    om_lasso_free(&l);
    om_lasso_free(&again);
}

/* ---- models with faults ---- */

static void a_fault_ends_a_run(void **state)
{
    world *w = *state;
    om_simulation_end end;
    uint64_t steps;
    const uint32_t *enabled;
    size_t count;
    small_slots slots = { 0 };
    om_simulation_free(w->s);
    om_model_free(w->m);
    w->s = NULL;
    assert_int_equal(small_model_begin(w->ctx, &w->m, &slots), OM_OK);
    const om_assertion a = { .condition = om_expr_binary(w->m, OM_OP_LT,
                                 om_expr_slot(w->m, slots.count), om_expr_const(w->m, 2)),
        .text = "count < 2",
        .place = { "small.m", 9, 1 } };
    assert_int_equal(om_model_add_assertion(w->m, &a), OM_OK);
    assert_int_equal(om_model_finish(w->m), OM_OK);
    assert_int_equal(om_simulation_new(&w->s, w->ctx, &fixture_frontend, w->m), OM_OK);
    assert_int_equal(om_simulation_run(w->s, 10, true, &steps, &end), OM_OK);
    assert_int_equal(end, OM_SIMULATION_FAULT);
    assert_int_equal(steps, 3);
    assert_non_null(strstr(om_context_error(w->ctx), "small.m:9:1"));
    assert_int_equal(om_simulation_enabled(w->s, &enabled, &count), OM_EMODEL);
    assert_int_equal(count, 0);
    assert_null(om_simulation_target(w->s, 0));
}

/* ---- memory ---- */

static int use_everything(const om_heap *heap)
{
    om_context *ctx = NULL;
    om_model *m = NULL;
    om_simulation *s = NULL;
    om_lasso l = { 0 };
    small_slots slots;
    om_simulation_end end;
    uint64_t steps;
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = small_model(ctx, &m, &slots);
    if (rc == OM_OK)
        rc = om_simulation_new(&s, ctx, &fixture_frontend, m);
    if (rc == OM_OK)
        rc = om_simulation_break(s, "count==3");
    if (rc == OM_OK)
        rc = om_simulation_run(s, 40, true, &steps, &end);
    if (rc == OM_OK)
        rc = om_simulation_trace(s, &l);
    if (rc == OM_OK)
        rc = om_simulation_load(s, &l);
    om_lasso_free(&l);
    om_simulation_free(s);
    om_model_free(m);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out(void **state)
{
    int rc = OM_ENOMEM;
    size_t n = 0;
    (void) state;
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = use_everything(&h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 10000);
    }
    assert_true(n > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(back_and_forward),
        TEST(targets_are_shown_ahead),
        TEST(a_seed_is_a_run),
        TEST(choices_are_even),
        TEST(runs_end_at_breakpoints),
        TEST(what_is_no_expression_is_no_breakpoint),
        TEST(a_stop_ends_a_run),
        TEST(a_lasso_goes_round),
        TEST(random_steps_may_leave_a_lasso),
        TEST(what_is_no_run_is_not_loaded),
        TEST(a_run_that_ends_may_repeat_its_last_state),
        TEST(a_trace_is_one_of_the_model),
        TEST(a_fault_ends_a_run),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
