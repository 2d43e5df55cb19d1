/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence at the far end of a graph much larger than what its search stored: extraction of a
 * lasso uses the stored states or slightly more, not the whole graph.
 */
#include "evidence.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* A three-dimensional grid. A step increments one coordinate; when the first coordinate is at its
 * end, the only step is a self-loop. */
enum { SIDES = 3, LENGTH = 256, WALK = 300, MOST_STATES = 200000 };

static const uint32_t along[SIDES] = { LENGTH * LENGTH, LENGTH, 1 };

/* Computes the target of a step. Returns false if the step is disabled. */
static bool step(uint32_t from, uint32_t side, uint32_t *to)
{
    bool end = from / along[side] % LENGTH == LENGTH - 1;
    *to = end && side == 0 ? from : from + along[side];
    return from / along[0] == LENGTH - 1 ? side == 0 : !end;
}

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    out->fault = 0;
    if (om_successors_reserve(out, out->count + SIDES, x->words) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t side = 0; side < SIDES; side++)
        if (step(vector[0], side, &out->words[out->count * out->stride]))
            out->transition[out->count++] = side;
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x;
    (void) vector;
    *fault = 0;
    return 0;
}

typedef struct far_graph {
    om_context *ctx;
    om_automaton *a;
    om_executor executor;
    om_task *task;
    om_id walk[WALK + 1];
} far_graph;

/* Stores the states of a walk, and their successors, in the task. */
static void walk(far_graph *g)
{
    om_cursor *c = NULL;
    const om_step *steps;
    size_t n;
    assert_int_equal(om_task_cursor(g->task, 0, &c), OM_OK);
    assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
    assert_int_equal(n, 1);
    g->walk[0] = steps[0].to;
    om_random r = { 7 };
    for (int i = 0; i < WALK; i++) {
        assert_int_equal(om_cursor_successors(c, g->walk[i], &steps, &n), OM_OK);
        assert_int_not_equal(n, 0);
        g->walk[i + 1] = steps[om_random_below(&r, n)].to;
    }
}

/* Every run is forbidden. */
static void open(far_graph *g)
{
    const om_cube always = { 0 };
    const om_limits limits = { .max_states = MOST_STATES };
    uint32_t first;
    *g = (far_graph){ .executor = { .size = sizeof(om_executor),
                          .name = "far",
                          .words = 1,
                          .initial = initial,
                          .append = append,
                          .labels = labels } };
    assert_int_equal(om_context_new(&g->ctx, NULL), OM_OK);
    om_control_start(om_context_control(g->ctx), &limits);
    assert_int_equal(om_automaton_new(&g->a, g->ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(g->a, 1, &first), OM_OK);
    assert_int_equal(om_automaton_add_initial(g->a, first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(g->a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(g->a, first, first, 1, &always, 1), OM_OK);
    assert_int_equal(om_automaton_finish(g->a), OM_OK);
    const om_task_spec spec = { .product = { .executor = &g->executor,
                                    .automaton = g->a,
                                    .deadlock_ap = OM_NONE,
                                    .workers = 1 },
        .strength = OM_STRONG };
    assert_int_equal(om_task_new(&g->task, g->ctx, &spec), OM_OK);
    walk(g);
}

static void close(far_graph *g)
{
    om_task_free(g->task);
    om_automaton_free(g->a);
    om_context_free(g->ctx);
}

static void follow(const om_lasso *l)
{
    uint32_t at = 0, loop = UINT32_MAX;
    for (size_t i = 0; i < l->count; i++) {
        loop = i == l->loop ? at : loop;
        assert_true(l->transitions[i] < SIDES && step(at, l->transitions[i], &at));
    }
    assert_int_equal(at, loop);
}

static void extract(size_t path)
{
    far_graph g;
    om_lasso l = { 0 };
    open(&g);
    assert_true(path <= WALK);
    assert_int_equal(om_task_found(g.task, 0, g.walk + WALK - (path - 1), path), OM_ESTOP);
    om_control_forget(om_context_control(g.ctx)); /* evidence stops the control */
    assert_int_equal(om_lasso_extract(&l, g.ctx, g.task), OM_OK);
    follow(&l);
    assert_true(l.count <= WALK + LENGTH);
    om_lasso_free(&l);
    close(&g);
}

/* A cycle not yet explored, after the last state of the walk; only that state is given. */
static void from_a_state(void **state)
{
    (void) state;
    extract(1);
}

/* The same, given the end of the walk. */
static void from_the_end_of_a_path(void **state)
{
    (void) state;
    extract(WALK / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_state),
        cmocka_unit_test(from_the_end_of_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
