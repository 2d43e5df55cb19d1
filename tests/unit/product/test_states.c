/* SPDX-License-Identifier: Apache-2.0 */
/* Products that share their states: each contains only its own, regardless of the product that
 * stored them. */
#include <omen/host/omen.h>

#include "explore.h"
#include "heap.h"
#include "product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>

/* Two counters up to SIDE - 1 that go up one at a time; AP 0: x > y. */
enum { SIDE = 150, PRODUCTS = 3 };

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = vector[1] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    (void) x;
    out->fault = 0;
    if (om_successors_reserve(out, out->count + 2, 2) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t side = 0; side < 2; side++) {
        if (vector[side] + 1 == SIDE)
            continue;
        uint32_t *row = out->words + out->stride * out->count;
        memcpy(row, vector, 2 * sizeof *row);
        row[side]++;
        out->transition[out->count++] = side;
    }
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x;
    *fault = 0;
    return vector[0] > vector[1];
}

static const om_executor counters = { .size = sizeof(om_executor),
    .name = "counters",
    .words = 2,
    .aps = 1,
    .initial = initial,
    .append = append,
    .labels = labels };

/* The edges between state 0 and state 1 require that AP 0 is `turn`; the last automaton has one
 * state. */
static om_automaton *make_automaton(om_context *ctx, unsigned number)
{
    static const char *const aps[] = { "a" };
    const om_cube any = { 0, 0 }, turn = { 1, number == 0 ? 0 : 1 };
    const uint32_t states = number == 2 ? 1 : 2;
    om_automaton *m = NULL;
    uint32_t first;
    assert_int_equal(om_automaton_new(&m, ctx, 1, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(m, states, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(m, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(m, 0), OM_OK);
    assert_int_equal(om_automaton_add_edge(m, 0, 0, 1, &any, 1), OM_OK);
    if (states == 2) {
        assert_int_equal(om_automaton_add_edge(m, 0, 1, 0, &turn, 1), OM_OK);
        assert_int_equal(om_automaton_add_edge(m, 1, 0, 0, &turn, 1), OM_OK);
    }
    assert_int_equal(om_automaton_finish(m), OM_OK);
    return m;
}

typedef struct exploring {
    om_context *ctx;
    om_automaton *automaton;
    om_product *product;
    om_exploration found, alone;
    pthread_t thread;
    int rc;
} exploring;

static void *explore(void *self)
{
    exploring *e = self;
    e->rc = om_explore__all(e->ctx, e->product, NULL, NULL, true, &e->found);
    return NULL;
}

static om_product_spec spec_of(const exploring *e, unsigned workers)
{
    return (om_product_spec){
        .executor = &counters, .automaton = e->automaton, .deadlock_ap = OM_NONE, .workers = workers
    };
}

static void explore_alone(exploring *e)
{
    om_product_spec spec = spec_of(e, 1);
    assert_int_equal(om_product__new(&e->product, e->ctx, &spec), OM_OK);
    (void) explore(e);
    assert_int_equal(e->rc, OM_OK);
    e->alone = e->found;
    e->found = (om_exploration){ 0 };
    om_product__free(e->product);
    e->product = NULL;
}

/* The product contains exactly its own ids. */
static void expect_its_states(const exploring *e)
{
    uint64_t bound = om_product_id_bound(e->product), count = 0;
    for (om_id id = 0; id < bound; id++)
        count += om_product_has(e->product, id);
    assert_int_equal(count, e->alone.states);
}

static void side_by_side(const unsigned *workers, om_store_kind kind)
{
    om_context *ctx = NULL, *below = NULL;
    om_states *states = NULL;
    exploring all[PRODUCTS] = { 0 };
    unsigned sum = 0;
    uint64_t alone = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_context_new_below(&below, ctx), OM_OK);
    for (unsigned i = 0; i < PRODUCTS; i++)
        sum += workers[i];
    assert_int_equal(om_states__new(&states, below, 3, sum, kind), OM_OK);
    sum = 0;
    for (unsigned i = 0; i < PRODUCTS; i++) {
        assert_int_equal(om_context_new_below(&all[i].ctx, ctx), OM_OK);
        all[i].automaton = make_automaton(ctx, i);
        explore_alone(&all[i]);
        alone += all[i].alone.states;
        om_product_spec spec = spec_of(&all[i], workers[i]);
        spec.states = states;
        spec.first_worker = sum;
        sum += workers[i];
        assert_int_equal(om_product__new(&all[i].product, all[i].ctx, &spec), OM_OK);
    }
    for (unsigned i = 0; i < PRODUCTS; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, explore, &all[i]), 0);
    for (unsigned i = 0; i < PRODUCTS; i++)
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
    uint64_t together = 0;
    for (unsigned i = 0; i < PRODUCTS; i++) {
        assert_int_equal(all[i].rc, OM_OK);
        assert_int_equal(all[i].found.states, all[i].alone.states);
        assert_int_equal(all[i].found.transitions, all[i].alone.transitions);
        assert_int_equal(om_product_state_count(all[i].product), all[i].alone.states);
        expect_its_states(&all[i]);
        together = together > all[i].alone.states ? together : all[i].alone.states;
    }
    /* Common states are stored once: the states of the product with one automaton state are in all
     * others. */
    assert_true(om_states__count(states) < alone);
    assert_true(om_states__count(states) >= together);
    for (unsigned i = 0; i < PRODUCTS; i++) {
        om_product__free(all[i].product);
        om_automaton_free(all[i].automaton);
        om_context_free(all[i].ctx);
    }
    om_states__free(states);
    om_context_free(below);
    om_context_free(ctx);
}

static void products_share_states(void **state)
{
    static const unsigned workers[][PRODUCTS] = { { 1, 1, 1 }, { 2, 1, 3 }, { 4, 4, 4 } };
    (void) state;
    for (size_t i = 0; i < 3; i++)
        for (int round = 0; round < 4; round++)
            side_by_side(workers[i], round % 2 == 0 ? OM_STORE_TREE : OM_STORE_PLAIN);
}

/* A limit on the shared states stops the product that reaches it, with the same reason. */
static void limits_reach_the_products(void **state)
{
    (void) state;
    const om_limits limits = { .max_states = 1000 };
    om_context *ctx = NULL, *below = NULL;
    om_states *states = NULL;
    exploring e = { 0 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_context_new_below(&below, ctx), OM_OK);
    assert_int_equal(om_context_new_below(&e.ctx, ctx), OM_OK);
    om_control_start(om_context_control(below), &limits);
    assert_int_equal(om_states__new(&states, below, 3, 1, OM_STORE_TREE), OM_OK);
    e.automaton = make_automaton(ctx, 0);
    om_product_spec spec = spec_of(&e, 1);
    spec.states = states;
    assert_int_equal(om_product__new(&e.product, e.ctx, &spec), OM_OK);
    (void) explore(&e);
    assert_int_equal(e.rc, OM_ELIMIT);
    assert_int_equal(om_control_stopped(om_context_control(e.ctx)), OM_STOP_STATES);
    assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_NONE);
    assert_in_range(e.found.states, 900, 1000); /* the last batch is not counted */
    om_product__free(e.product);
    /* Mismatched words and workers are rejected. */
    spec.first_worker = 1;
    assert_int_equal(om_product__new(&e.product, e.ctx, &spec), OM_EINVAL);
    spec.first_worker = 0;
    spec.automaton = NULL;
    assert_int_equal(om_product__new(&e.product, e.ctx, &spec), OM_EINVAL);
    om_automaton_free(e.automaton);
    om_states__free(states);
    om_context_free(e.ctx);
    om_context_free(below);
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_states *states = NULL;
        exploring e = { 0 };
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        e.ctx = ctx;
        e.automaton = make_automaton(ctx, 0);
        heap.fail_at = heap.calls + n;
        rc = om_states__new(&states, ctx, 3, 1, OM_STORE_TREE);
        om_product_spec spec = spec_of(&e, 1);
        spec.states = states;
        if (rc == OM_OK)
            rc = om_product__new(&e.product, ctx, &spec);
        if (rc == OM_OK) {
            (void) explore(&e);
            rc = e.rc;
        }
        assert_true(rc == OM_OK || om_exit_status(rc) == 30);
        om_product__free(e.product);
        om_states__free(states);
        om_automaton_free(e.automaton);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_share_states),
        cmocka_unit_test(limits_reach_the_products),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
