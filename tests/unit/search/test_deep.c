/* SPDX-License-Identifier: Apache-2.0 */
/* Searches that go deep between levels, on random graphs: they visit what a breadth-first search
 * visits, on the same levels, and find the targets that exist. */
#include "bfs.h"
#include "control/control.h"
#include "threads.h"

#include "deep.h"
#include "graph.h"
#include "heap.h"
#include "product.h"

#include <stdatomic.h>
#include <stdio.h>

static const unsigned crowds[] = { 1, 2, 8 };
static const om_store_kind kinds[] = { OM_STORE_PLAIN, OM_STORE_TREE };
static const uint32_t orders[] = { OM_ORDER_ALL, OM_ORDER_DEPTH, OM_ORDER_BEST, OM_ORDER_WALK,
    OM_ORDER_BREADTH | OM_ORDER_DEPTH, OM_ORDER_BREADTH | OM_ORDER_BEST };
enum { ORDERS = sizeof orders / sizeof *orders };

/* ---- a guide ---- */

struct om_guide_run {
    uint32_t towards; /* a vertex */
    atomic_uint measured;
};

static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    const size_t stride = WORDS + 1; /* with the automaton's word */
    for (size_t i = 0; i < states->count; i++) {
        const uint32_t v = states->rows[i * stride + 1];
        if (states->fresh[i])
            estimates[i] = v < run->towards ? run->towards - v : v - run->towards;
    }
    (void) atomic_fetch_add_explicit(
        (atomic_uint *) (uintptr_t) &run->measured, 1, memory_order_relaxed);
}

static const om_guide guide = { .measure = measure };
static const om_guide costly = { .measure = measure, .costly = true };

/* ---- a search ---- */

typedef struct search {
    om_context *ctx;
    om_product *product;
    om_bfs *bfs;
    om_cursor *cursors[8];
    int rc[8];
    uint32_t target; /* product state, or OM_NONE */
    uint32_t every;  /* not 0: states whose number has the target's remainder are targets, too */
    om_guide_run run;
    om_guiding guiding[2];
    om_going going;
    atomic_uint stored[2 * MOST], expanded[2 * MOST], reached[2 * MOST];
    atomic_uint twice; /* states that a level reached, although it was no longer waiting */
} search;

static uint32_t state_in(const uint32_t *vector)
{
    return 2 * vector[1] + vector[WORDS];
}

static bool wanted(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    search *s = self;
    (void) worker;
    (void) id;
    (void) atomic_fetch_add_explicit(&s->stored[state_in(vector)], 1, memory_order_relaxed);
    return s->every != 0 ? state_in(vector) % s->every == s->target : state_in(vector) == s->target;
}

static bool expanded(void *self, unsigned worker, om_cursor *c, om_id id)
{
    search *s = self;
    uint32_t vector[WORDS + 1];
    (void) worker;
    om_cursor_vector(c, id, vector);
    (void) atomic_fetch_add_explicit(&s->expanded[state_in(vector)], 1, memory_order_relaxed);
    return true;
}

static bool reached(void *self, unsigned worker, om_id id)
{
    search *s = self;
    uint32_t vector[WORDS + 1];
    om_cursor_vector(s->cursors[worker], id, vector);
    const unsigned before =
        atomic_fetch_add_explicit(&s->reached[state_in(vector)], 1, memory_order_relaxed);
    (void) atomic_fetch_add_explicit(&s->twice, before > 0, memory_order_relaxed);
    return false;
}

static void work(void *self, unsigned worker)
{
    search *s = self;
    s->rc[worker] = om_bfs_work(s->bfs, worker, s->cursors[worker]);
}

static int start(search *s, om_context *ctx, const om_product_spec *product, uint32_t which)
{
    s->ctx = ctx;
    s->run.towards = s->target == OM_NONE ? 0 : s->target / 2;
    s->guiding[0] = (om_guiding){ &guide, &s->run };
    s->guiding[1] = (om_guiding){ &costly, &s->run };
    /* One guide, the other, or both. */
    s->going = (om_going){ .size = sizeof s->going,
        .orders = which,
        .guides = s->guiding + (product->seed % 3 == 1),
        .guide_count = product->seed % 3 == 2 ? 2 : 1 };
    int rc = om_product__new(&s->product, ctx, product);
    if (rc != OM_OK)
        return rc;
    const om_bfs_spec spec = { OM_BFS_SPEC(s->product), .self = s, .wanted = wanted,
        .expanded = expanded, .reached = reached, .paths = true, .going = &s->going };
    rc = om_bfs_new(&s->bfs, &spec);
    if (rc == OM_OK && product->seed != 0)
        s->bfs->slice_least = product->seed; /* rounds also within the levels of a small graph */
    for (unsigned i = 0; i < product->workers && rc == OM_OK; i++)
        rc = om_cursor__open(&s->cursors[i], s->product, i);
    return rc == OM_OK ? om_threads__run(ctx, product->workers, NULL, work, s) : rc;
}

static search *search_graph(
    om_context *ctx, const om_product_spec *product, uint32_t which, uint32_t target)
{
    search *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->target = target;
    assert_int_equal(start(s, ctx, product, which), OM_OK);
    return s;
}

static void search_free(search *s)
{
    for (unsigned i = 0; i < 8; i++)
        om_cursor__close(s->cursors[i]);
    om_bfs_free(s->bfs);
    om_product__free(s->product);
    free(s);
}

static om_product_spec spec_of(const om_executor *x, const om_automaton *a, om_random *r)
{
    return (om_product_spec){ .executor = x,
        .automaton = a,
        .stutter = true,
        .deadlock_ap = OM_NONE,
        .workers = crowds[om_random_below(r, 3)],
        .store = kinds[om_random_below(r, 2)],
        .seed = om_random_below(r, 3) };
}

/* ---- tests ---- */

/* Checks a search that was complete: what it has visited, and its figures, which count each state
 * once. Returns the number of states that were expanded again. */
static uint64_t check_all_visited(const search *s, const reference *f, unsigned workers)
{
    uint64_t edges = 0, deadlocks = 0, all = 0, again = 0;
    for (unsigned i = 0; i < workers; i++) {
        uint64_t k = 0, d = 0;
        assert_int_equal(s->rc[i], OM_OK);
        om_cursor__counts(s->cursors[i], &k, &d);
        edges += k;
        deadlocks += d;
    }
    assert_int_equal(om_product_state_count(s->product), f->states);
    assert_int_equal(edges, f->transitions);
    assert_int_equal(deadlocks, f->deadlocks);
    assert_int_equal(s->bfs->level + 1, f->levels);
    for (uint32_t k = 0; k < 2 * MOST; k++) {
        assert_int_equal(atomic_load(&s->stored[k]), f->distance[k] != OM_NONE);
        assert_int_equal(atomic_load(&s->expanded[k]) > 0, f->distance[k] != OM_NONE);
        again += atomic_load(&s->expanded[k]) > 1;
        all += atomic_load(&s->reached[k]);
    }
    assert_int_equal(atomic_load(&s->twice), 0);
    assert_int_equal(all, s->bfs->deep->stored);
    assert_true(om_bfs_hit(s->bfs) == OM_NO_ID && om_bfs_nearest(s->bfs));
    return again;
}

/* Each state is stored and counted once, as without a deep search. */
static void the_same_states(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    uint64_t deep = 0, again = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 0; seed < 120; seed++) {
        om_random r = { seed };
        graph *g = random_graph(seed, 10 + (uint32_t) om_random_below(&r, MOST - 10),
            seed % 4 == 0 ? 0 : 2 + (uint32_t) om_random_below(&r, 20));
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, true, true);
        const om_product_spec spec = spec_of(&x, a, &r);
        search *s = search_graph(ctx, &spec, orders[seed % ORDERS], OM_NONE);
        again += check_all_visited(s, f, spec.workers);
        deep += s->bfs->deep->stored;
        search_free(s);
        free(f);
        free(g);
    }
    assert_true(deep > 10000 && again > 10000); /* they did go deep */
    om_automaton_free(a);
    om_context_free(ctx);
}

/* Checks the way to the target that was found: a shortest one, if the search says so. */
static void check_way(const search *s, const graph *g, const reference *f)
{
    om_id hit = om_bfs_hit(s->bfs), *path = NULL;
    uint32_t vector[WORDS + 1], before = 0;
    size_t n = 0;
    assert_true(hit != OM_NO_ID);
    assert_int_equal(om_bfs_path(s->bfs, s->cursors[0], hit, &path, &n), OM_OK);
    assert_true(n > f->distance[s->target]);
    if (om_bfs_nearest(s->bfs))
        assert_int_equal(n, f->distance[s->target] + 1);
    for (size_t i = 0; i < n; i++) {
        om_cursor_vector(s->cursors[0], path[i], vector);
        assert_true(i == 0 ? state_in(vector) == 0 : edge_of_product(g, before, state_in(vector)));
        before = state_in(vector);
    }
    assert_int_equal(before, s->target);
    om_free(om_context_heap(s->ctx), path);
}

static void targets(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    unsigned far = 0, near = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 1000; seed < 1300; seed++) {
        om_random r = { seed };
        graph *g = random_graph(
            seed, 20 + (uint32_t) om_random_below(&r, MOST - 20), (uint32_t) (seed % 3) * 7);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, true, true);
        const uint32_t target = (uint32_t) om_random_below(&r, 2 * (uint64_t) g->count);
        const om_product_spec spec = spec_of(&x, a, &r);
        search *s = search_graph(ctx, &spec, orders[seed % ORDERS], target);
        for (unsigned k = 0; k < spec.workers; k++)
            assert_int_equal(s->rc[k], f->distance[target] == OM_NONE ? OM_OK : OM_ESTOP);
        if (f->distance[target] == OM_NONE) {
            assert_true(om_bfs_hit(s->bfs) == OM_NO_ID);
        } else {
            check_way(s, g, f);
            near += om_bfs_nearest(s->bfs);
            far += s->bfs->deep->hit != OM_NO_ID;
        }
        search_free(s);
        free(f);
        free(g);
    }
    /* Deep searches found some; levels then found nearer ones, because the graphs are small. */
    assert_true(far > 20 && near > 100);
    om_automaton_free(a);
    om_context_free(ctx);
}

static uint64_t count_nearer(const reference *f, uint32_t distance)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < 2 * MOST; k++)
        n += f->distance[k] < distance;
    return n;
}

/* Several targets: what is said to be the nearest is; none is in a level if it is not. */
static void many_targets(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    unsigned far = 0, near = 0, ruled_out = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 3000; seed < 3400; seed++) {
        om_random r = { seed };
        graph *g = random_graph(
            seed, 200 + (uint32_t) om_random_below(&r, MOST - 200), (uint32_t) (seed % 3) * 7);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, true, true);
        const om_product_spec spec = spec_of(&x, a, &r);
        search *s = calloc(1, sizeof *s);
        uint32_t nearest = OM_NONE;
        assert_non_null(s);
        s->every = 5 + (uint32_t) om_random_below(&r, 100);
        s->target = (uint32_t) om_random_below(&r, s->every);
        for (uint32_t k = s->target; k < 2 * MOST; k += s->every)
            nearest = f->distance[k] < nearest ? f->distance[k] : nearest;
        assert_int_equal(start(s, ctx, &spec, orders[seed % ORDERS]), OM_OK);
        om_id hit = om_bfs_hit(s->bfs), *path = NULL;
        size_t n = 0;
        assert_int_equal(hit != OM_NO_ID, nearest != OM_NONE);
        if (hit != OM_NO_ID) {
            assert_int_equal(om_bfs_path(s->bfs, s->cursors[0], hit, &path, &n), OM_OK);
            assert_true(n > nearest);
            if (om_bfs_nearest(s->bfs))
                assert_int_equal(n, nearest + 1);
            else
                assert_true(om_bfs_in_levels(s->bfs) <= count_nearer(f, nearest));
            ruled_out += !om_bfs_nearest(s->bfs) && om_bfs_in_levels(s->bfs) > 0;
            near += om_bfs_nearest(s->bfs);
            far += s->bfs->deep->hit != OM_NO_ID;
            om_free(om_context_heap(ctx), path);
        }
        search_free(s);
        free(f);
        free(g);
    }
    assert_true(far > 20 && near > 100);
    printf(
        "%u of %u targets were not shown to be nearest, %u after levels\n", far, near, ruled_out);
    om_automaton_free(a);
    om_context_free(ctx);
}

/* A line of states: the target is at its end. */
static graph *line(uint32_t count)
{
    graph *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->count = count;
    g->faulty = OM_NONE;
    for (uint32_t v = 0; v + 1 < count; v++) {
        g->degree[v] = 1;
        g->edges[v][0] = v + 1;
    }
    return g;
}

/* The search does not look for a nearer target for ever: it says that it does not know. */
static void a_far_target(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    graph *g = line(MOST);
    om_executor x = executor_of(g);
    reference *f = explore_graph(g, true, true);
    const om_product_spec spec = {
        .executor = &x, .automaton = a, .stutter = true, .deadlock_ap = OM_NONE, .workers = 1
    };
    for (unsigned i = 1; i < ORDERS; i++) {
        search *s = search_graph(ctx, &spec, orders[i], 2 * (MOST - 1));
        check_way(s, g, f);
        search_free(s);
    }
    free(f);
    free(g);
    om_automaton_free(a);
    om_context_free(ctx);
}

/* A fault that a deep search meets is reported, with a way to it, and once. */
static void faults(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 2000; seed < 2060; seed++) {
        om_random r = { seed };
        graph *g = random_graph(seed, 500, 6);
        g->faulty = 1 + (uint32_t) om_random_below(&r, 499);
        om_executor x = executor_of(g);
        const om_product_spec spec = spec_of(&x, a, &r);
        search *s = search_graph(ctx, &spec, orders[seed % ORDERS], OM_NONE);
        om_id at = OM_NO_ID, *path = NULL;
        size_t n = 0;
        uint32_t vector[WORDS + 1];
        const om_fault fault = om_bfs_fault(s->bfs, &at);
        unsigned visits =
            atomic_load(&s->expanded[2 * g->faulty]) + atomic_load(&s->expanded[2 * g->faulty + 1]);
        assert_int_equal(fault != 0, visits > 0);
        if (fault != 0) {
            om_cursor_vector(s->cursors[0], at, vector);
            assert_int_equal(vector[1], g->faulty);
            assert_int_equal(om_bfs_path(s->bfs, s->cursors[0], at, &path, &n), OM_OK);
            assert_true(n > 0 && path[n - 1] == at);
            om_free(om_context_heap(ctx), path);
        }
        search_free(s);
        free(g);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    graph *g = random_graph(600, 400, 10);
    om_executor x = executor_of(g);
    for (size_t n = 1; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL, *whole = NULL;
        assert_int_equal(om_context_new(&whole, NULL), OM_OK);
        om_automaton *a = watch(whole);
        test_heap_init(&heap, n);
        rc = om_context_new(&ctx, &heap.heap);
        if (rc == OM_OK) {
            const om_product_spec spec = { .executor = &x,
                .automaton = a,
                .stutter = true,
                .deadlock_ap = OM_NONE,
                .workers = 1 };
            search *s = calloc(1, sizeof *s);
            assert_non_null(s);
            s->target = OM_NONE;
            rc = start(s, ctx, &spec, OM_ORDER_ALL);
            rc = rc == OM_OK ? s->rc[0] : rc;
            /* The store asks all workers to stop if it cannot grow. */
            if (rc == OM_ESTOP)
                rc = om_control__status(om_context_control(ctx));
            search_free(s);
        }
        assert_true(rc == OM_OK || om_exit_status(rc) == 30);
        om_automaton_free(a);
        om_context_free(ctx);
        om_context_free(whole);
        assert_int_equal(heap.live, 0);
    }
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_states),
        cmocka_unit_test(targets),
        cmocka_unit_test(many_targets),
        cmocka_unit_test(a_far_target),
        cmocka_unit_test(faults),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
