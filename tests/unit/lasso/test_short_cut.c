/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short cuts of a long run to a bad state: the trace that is left ends in a bad state, although a
 * shorter way to the run's last state leads through another bad one.
 */
#include "evidence.h"
#include "finite_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/*
 * A long walk 0, 1, ..., END, whose last state but one is bad. From each of its states, another
 * step leads into a region of its own, in which a search from the start loses itself; in state
 * TURN, a third step leads to NEAR, also bad, and from there by two steps to END.
 */
enum { END = 3000, TURN = 2000, NEAR = END + 1, NEXT = END + 2, REGIONS = END + 3 };
enum { BREADTH = 1 << 20, STEPS = 3 };

static bool step(uint32_t from, uint32_t which, uint32_t *to)
{
    if (from >= REGIONS) {
        /* Each state of a region has two successors, which differ from all others. */
        *to = REGIONS + (2 * (from - REGIONS) + which + 1) % BREADTH;
        return which < 2;
    }
    *to = from == NEAR ? NEXT : from >= END ? END : from + 1;
    if (which == 1)
        *to = REGIONS + from;
    if (which == 2)
        *to = NEAR;
    return which == 0 || (which == 1 && from < TURN) || (which == 2 && from == TURN);
}

static bool is_bad(uint32_t state)
{
    return state == END - 1 || state == NEAR;
}

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    out->fault = 0;
    if (om_successors_reserve(out, out->count + STEPS, x->words) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t i = 0; i < STEPS; i++)
        if (step(vector[0], i, &out->words[out->count * out->stride]))
            out->transition[out->count++] = i;
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x;
    *fault = 0;
    return is_bad(vector[0]);
}

/* An automaton that waits for a bad state and then accepts everything. */
static om_automaton *wait_for_bad(om_context *ctx)
{
    const char *name = "bad";
    const om_cube good = { .neg = 1 }, bad = { .pos = 1 }, always = { 0 };
    om_automaton *a = NULL;
    uint32_t first;
    assert_int_equal(om_automaton_new(&a, ctx, 1, &name), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 2, &first), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, first, first, 0, &good, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, first, first + 1, 0, &bad, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, first + 1, first + 1, 1, &always, 1), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* Stores the walk to END as a search that went deep would have. */
static void walk(om_task *task, om_id *ids)
{
    om_cursor *c = NULL;
    const om_step *steps;
    size_t n;
    assert_int_equal(om_task_cursor(task, 0, &c), OM_OK);
    assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
    assert_int_equal(n, 1);
    ids[0] = steps[0].to;
    for (uint32_t i = 0; i < END; i++) {
        assert_int_equal(om_cursor_successors(c, ids[i], &steps, &n), OM_OK);
        for (size_t k = 0; k < n; k++)
            if (steps[k].transition == 0)
                ids[i + 1] = steps[k].to;
    }
}

static void ends_in_a_bad_state(void **state)
{
    (void) state;
    static om_id ids[END + 1];
    om_context *ctx = NULL;
    om_task *task = NULL;
    om_lasso l = { 0 };
    const om_limits limits = { .max_states = 1 << 20 };
    const om_executor x = { .size = sizeof x,
        .name = "short cut",
        .aps = 1,
        .words = 1,
        .initial = initial,
        .append = append,
        .labels = labels };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_control_start(om_context_control(ctx), &limits);
    om_automaton *a = wait_for_bad(ctx);
    const om_task_spec spec = {
        .product = { .executor = &x, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1 },
        .strength = OM_TERMINAL
    };
    assert_int_equal(om_task_new(&task, ctx, &spec), OM_OK);

    walk(task, ids);
    assert_int_equal(om_task_found(task, 0, ids, END + 1), OM_ESTOP);
    om_control_forget(om_context_control(ctx)); /* evidence stops the control */
    assert_int_equal(om_lasso__extract_trace(&l, ctx, task, OM_NONE), OM_OK);
    uint32_t at = 0;
    for (size_t i = 0; i + 1 < l.count; i++)
        assert_true(l.transitions[i] < STEPS && step(at, l.transitions[i], &at));
    assert_true(is_bad(at));
    assert_int_equal(at, NEAR); /* it took the short cut */
    assert_int_equal(l.count, TURN + 2);
    om_lasso_free(&l);
    om_task_free(task);
    om_automaton_free(a);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ends_in_a_bad_state) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
