/* SPDX-License-Identifier: Apache-2.0 */
/* The breadth-first search on random graphs, compared with a search with a queue, for all kinds of
 * stores and numbers of workers. */
#include "bfs.h"
#include "threads.h"

#include "explore.h"
#include "graph.h"
#include "heap.h"
#include "product.h"

#include <stdatomic.h>

/* ---- variants ---- */

static const unsigned crowds[] = { 1, 2, 8 };
static const om_store_kind kinds[] = { OM_STORE_PLAIN, OM_STORE_TREE };

static void exploration(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 0; seed < 48; seed++) {
        graph *g = random_graph(seed, 10 + (uint32_t) seed * 60, seed % 3 == 0 ? 0 : 8);
        om_executor x = executor_of(g);
        bool watched = seed % 2 != 0, stutter = seed % 4 < 2;
        reference *f = explore_graph(g, watched, stutter);
        for (unsigned i = 0; i < 6; i++) {
            om_product_spec spec = { .executor = &x,
                .automaton = watched ? a : NULL,
                .stutter = stutter,
                .deadlock_ap = OM_NONE,
                .workers = crowds[i % 3],
                .store = kinds[i / 3] };
            om_product *p = NULL;
            om_exploration e;
            assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
            assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_OK);
            assert_int_equal(e.states, f->states);
            assert_int_equal(e.transitions, f->transitions);
            assert_int_equal(e.deadlocks, f->deadlocks);
            assert_int_equal(e.levels, f->levels);
            assert_true(e.memory_bytes > om_product__bytes(p));
            om_product__free(p);
        }
        free(f);
        free(g);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

/* A search by several workers that shares all levels, none, or chooses itself. */
typedef struct search {
    om_context *ctx;
    om_product *product;
    om_bfs *breadth;
    om_cursor *cursors[8];
    int rc[8];
    const reference *reference;
    uint32_t target;     /* product state that ends the search, or OM_NONE */
    atomic_uint visited; /* states expanded at their level */
    atomic_uint seen[2 * MOST];
} search;

static uint32_t state_of(const search *s, const uint32_t *vector)
{
    return 2 * vector[1] + (om_product_words(s->product) > WORDS ? vector[WORDS] : 0);
}

static bool expanded(void *self, unsigned worker, om_cursor *c, om_id id)
{
    search *s = self;
    uint32_t vector[WORDS + 1];
    const om_step *steps;
    size_t n;
    om_cursor_vector(c, id, vector);
    uint32_t at = state_of(s, vector);
    /* Assertions longjmp; this is a thread. */
    if (s->reference->distance[at] == s->breadth->level)
        (void) atomic_fetch_add_explicit(&s->visited, 1, memory_order_relaxed);
    (void) atomic_fetch_add_explicit(&s->seen[at], 1, memory_order_relaxed);
    return at % 16 != worker || om_cursor_successors(c, id, &steps, &n) == OM_OK;
}

static bool wanted(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    const search *s = self;
    (void) worker;
    (void) id;
    return state_of(s, vector) == s->target;
}

static void work(void *self, unsigned worker)
{
    search *s = self;
    s->rc[worker] = om_bfs_work(s->breadth, worker, s->cursors[worker]);
}

static search *search_graph(om_context *ctx, const om_product_spec *product, uint64_t narrow_ns,
    const reference *f, uint32_t target)
{
    search *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->ctx = ctx;
    s->reference = f;
    s->target = target;
    assert_int_equal(om_product__new(&s->product, ctx, product), OM_OK);
    om_bfs_spec spec = { OM_BFS_SPEC(s->product), .self = s,
        .wanted = target == OM_NONE ? NULL : wanted,
        .expanded = target == OM_NONE ? expanded : NULL, .paths = true };
    assert_int_equal(om_bfs_new(&s->breadth, &spec), OM_OK);
    if (narrow_ns != 1)
        s->breadth->narrow_ns = narrow_ns;
    for (unsigned i = 0; i < product->workers; i++)
        assert_int_equal(om_cursor__open(&s->cursors[i], s->product, i), OM_OK);
    assert_int_equal(om_threads__run(ctx, product->workers, NULL, work, s), OM_OK);
    return s;
}

static void search_free(search *s)
{
    for (unsigned i = 0; i < 8; i++)
        om_cursor__close(s->cursors[i]);
    om_bfs_free(s->breadth);
    om_product__free(s->product);
    free(s);
}

/* 0: every level is shared; 1: the search chooses; otherwise none. */
static const uint64_t narrows[] = { 0, 1, UINT64_MAX };

static void levels(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 100; seed < 109; seed++) {
        graph *g = random_graph(seed, MOST, seed % 3 == 0 ? 0 : 20);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, seed % 2 != 0, true);
        for (unsigned i = 0; i < 6; i++) {
            om_product_spec spec = { .executor = &x,
                .automaton = seed % 2 != 0 ? a : NULL,
                .stutter = true,
                .deadlock_ap = OM_NONE,
                .workers = crowds[i % 3],
                .store = kinds[i / 3] };
            search *s = search_graph(ctx, &spec, narrows[seed % 3], f, OM_NONE);
            for (unsigned k = 0; k < spec.workers; k++)
                assert_int_equal(s->rc[k], OM_OK);
            assert_int_equal(atomic_load(&s->visited), f->states);
            for (uint32_t k = 0; k < 2 * MOST; k++)
                assert_int_equal(atomic_load(&s->seen[k]), f->distance[k] != OM_NONE);
            assert_true(om_bfs_hit(s->breadth) == OM_NO_ID);
            search_free(s);
        }
        free(f);
        free(g);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

/* Checks the figures of a progress line at every expanded state. */
typedef struct viewer {
    const om_product *product;
    const reference *f;
    uint64_t widths[MOST]; /* number of states of each level */
    atomic_uint wrong, seen;
} viewer;

static bool view(void *self, unsigned worker, om_cursor *c, om_id id)
{
    viewer *w = self;
    uint32_t vector[WORDS];
    om_levels now;
    (void) worker;
    om_cursor_vector(c, id, vector);
    om_product__levels(w->product, &now);
    uint32_t level = w->f->distance[2 * vector[1]];
    bool right = now.count == level + 1;
    for (uint32_t i = 0; i < OM_LEVELS_SHOWN; i++)
        right = right && now.widths[i] == (i <= level ? w->widths[level - i] : 0);
    atomic_fetch_add_explicit(&w->wrong, !right, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->seen, 1, memory_order_relaxed);
    return true;
}

static void levels_are_shown(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    graph *g = random_graph(3, MOST, 20);
    om_executor x = executor_of(g);
    reference *f = explore_graph(g, false, false);
    viewer *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->f = f;
    for (uint32_t v = 0; v < MOST; v++)
        if (f->distance[2 * v] != OM_NONE)
            w->widths[f->distance[2 * v]]++;
    for (unsigned i = 0; i < 6; i++) {
        om_product_spec spec = {
            .executor = &x, .deadlock_ap = OM_NONE, .workers = crowds[i % 3], .store = kinds[i / 3]
        };
        om_product *p = NULL;
        om_exploration out;
        om_levels now;
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        om_product__levels(p, &now);
        assert_int_equal(now.count, 0);
        w->product = p;
        assert_int_equal(om_explore__all(ctx, p, view, w, true, &out), OM_OK);
        om_product__levels(p, &now);
        assert_int_equal(now.count, out.levels);
        assert_int_equal(om_product__edge_count(p), out.transitions);
        om_product__free(p);
    }
    assert_int_equal(atomic_load(&w->wrong), 0);
    assert_int_equal(atomic_load(&w->seen), 6 * f->states);
    free(w);
    free(f);
    free(g);
    om_context_free(ctx);
}

static void check_path(const search *s, const graph *g)
{
    om_id hit = om_bfs_hit(s->breadth), *path = NULL;
    uint32_t vector[WORDS + 1], before = 0;
    size_t n = 0;
    assert_true(hit != OM_NO_ID);
    assert_int_equal(om_bfs_path(s->breadth, s->cursors[0], hit, &path, &n), OM_OK);
    assert_int_equal(n, s->reference->distance[s->target] + 1);
    for (size_t i = 0; i < n; i++) {
        om_cursor_vector(s->cursors[0], path[i], vector);
        uint32_t at = state_of(s, vector);
        assert_true(i == 0 ? at == 0 : edge_of_product(g, before, at));
        before = at;
    }
    assert_int_equal(before, s->target);
    om_free(om_context_heap(s->ctx), path);
}

static void shortest_ways(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 200; seed < 300; seed++) {
        om_random r = { seed };
        graph *g = random_graph(
            seed, 20 + (uint32_t) om_random_below(&r, MOST - 20), (uint32_t) (seed % 3) * 7);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, seed % 2 != 0, true);
        uint32_t target = (uint32_t) om_random_below(&r, 2 * (uint64_t) g->count);
        om_product_spec spec = { .executor = &x,
            .automaton = seed % 2 != 0 ? a : NULL,
            .stutter = true,
            .deadlock_ap = OM_NONE,
            .workers = crowds[om_random_below(&r, 3)],
            .store = kinds[om_random_below(&r, 2)] };
        if (seed == 200)
            target = 0;
        search *s = search_graph(ctx, &spec, narrows[om_random_below(&r, 3)], f, target);
        for (unsigned k = 0; k < spec.workers; k++)
            assert_int_equal(s->rc[k], f->distance[target] == OM_NONE ? OM_OK : OM_ESTOP);
        if (f->distance[target] != OM_NONE)
            check_path(s, g);
        else
            assert_true(om_bfs_hit(s->breadth) == OM_NO_ID);
        search_free(s);
        free(f);
        free(g);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

/* ---- states that the caller keeps ---- */

/* The caller keeps every third vertex: it expands them itself, and those of them that they lead
 * to. */
typedef struct keeper {
    search *s;
    om_id kept[8][2 * MOST];
    size_t count[8];
    atomic_uint rounds, wrong;
} keeper;

static bool is_kept(const search *s, const uint32_t *vector)
{
    return state_of(s, vector) % 3 == 1;
}

static void see(search *s, const uint32_t *vector)
{
    (void) atomic_fetch_add_explicit(&s->seen[state_of(s, vector)], 1, memory_order_relaxed);
}

static int keep(void *self, unsigned worker, om_id id, const uint32_t *vector, bool *kept)
{
    keeper *k = self;
    *kept = is_kept(k->s, vector);
    if (*kept)
        k->kept[worker][k->count[worker]++] = id;
    return OM_OK;
}

static bool not_kept(void *self, unsigned worker, om_cursor *c, om_id id)
{
    keeper *k = self;
    uint32_t vector[WORDS + 1];
    (void) worker;
    om_cursor_vector(c, id, vector);
    if (is_kept(k->s, vector))
        (void) atomic_fetch_add_explicit(&k->wrong, 1, memory_order_relaxed);
    see(k->s, vector);
    return true;
}

/* A worker expands the states that it kept itself, and gives back the others. */
static int expand_kept(void *self, unsigned worker, om_cursor *c)
{
    keeper *k = self;
    uint32_t vector[WORDS + 1];
    const om_step *steps;
    size_t n;
    int rc = OM_OK;
    (void) atomic_fetch_add_explicit(&k->rounds, 1, memory_order_relaxed);
    while (k->count[worker] > 0 && rc == OM_OK) {
        om_id id = k->kept[worker][--k->count[worker]];
        om_cursor_vector(c, id, vector);
        see(k->s, vector);
        rc = om_cursor_successors(c, id, &steps, &n);
        for (size_t i = 0; i < n && rc == OM_OK; i++) {
            if (!steps[i].fresh)
                continue;
            om_cursor_vector(c, steps[i].to, vector);
            if (vector[WORDS] != steps[i].automaton_state)
                (void) atomic_fetch_add_explicit(&k->wrong, 1, memory_order_relaxed);
            if (is_kept(k->s, vector))
                k->kept[worker][k->count[worker]++] = steps[i].to;
            else
                rc = om_bfs_add(k->s->breadth, worker, steps[i].to);
        }
    }
    return rc;
}

/* Checks paths from an initial state; there is none if one of its states was given back. */
static void check_ways(const search *s, const graph *g, unsigned *known)
{
    uint32_t vector[WORDS + 1], before = 0;
    for (om_id id = 0; id < om_product_id_bound(s->product); id += 7) {
        om_id *path = NULL;
        size_t n = 0;
        int rc = om_bfs_path(s->breadth, s->cursors[0], id, &path, &n);
        assert_true(rc == OM_OK || (rc == OM_EUNSUPPORTED && n == 0));
        for (size_t i = 0; i < n; i++) {
            om_cursor_vector(s->cursors[0], path[i], vector);
            uint32_t at = state_of(s, vector);
            assert_true(i == 0 ? at == 0 : edge_of_product(g, before, at));
            before = at;
        }
        assert_true(n == 0 || path[n - 1] == id);
        *known += n > 0;
        om_free(om_context_heap(s->ctx), path);
    }
}

static void kept_states(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    unsigned known = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    keeper *k = calloc(1, sizeof *k);
    assert_non_null(k);
    for (uint64_t seed = 700; seed < 724; seed++) {
        graph *g = random_graph(seed, MOST, seed % 3 == 0 ? 0 : 20);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, true, true);
        om_product_spec product = { .executor = &x,
            .automaton = a,
            .stutter = true,
            .deadlock_ap = OM_NONE,
            .workers = crowds[seed % 3],
            .store = kinds[seed / 3 % 2] };
        *k = (keeper){ .s = calloc(1, sizeof *k->s) };
        assert_non_null(k->s);
        k->s->ctx = ctx;
        k->s->reference = f;
        assert_int_equal(om_product__new(&k->s->product, ctx, &product), OM_OK);
        om_bfs_spec spec = { OM_BFS_SPEC(k->s->product), .self = k, .keep = keep,
            .between = expand_kept, .expanded = not_kept, .paths = true };
        assert_int_equal(om_bfs_new(&k->s->breadth, &spec), OM_OK);
        if (seed % 2 == 0)
            k->s->breadth->narrow_ns = 0;
        for (unsigned i = 0; i < product.workers; i++)
            assert_int_equal(om_cursor__open(&k->s->cursors[i], k->s->product, i), OM_OK);
        assert_int_equal(om_threads__run(ctx, product.workers, NULL, work, k->s), OM_OK);
        for (unsigned i = 0; i < product.workers; i++)
            assert_true(k->s->rc[i] == OM_OK && k->count[i] == 0);
        for (uint32_t i = 0; i < 2 * MOST; i++)
            assert_int_equal(atomic_load(&k->s->seen[i]), f->distance[i] != OM_NONE);
        assert_int_equal(om_product__edge_count(k->s->product), f->transitions);
        assert_int_equal(atomic_load(&k->wrong), 0);
        /* All workers take part in each round; there are few rounds. */
        assert_int_equal(atomic_load(&k->rounds) % product.workers, 0);
        assert_in_range(atomic_load(&k->rounds), product.workers, 40 * product.workers);
        check_ways(k->s, g, &known);
        search_free(k->s);
        free(f);
        free(g);
    }
    assert_true(known > 0);
    free(k);
    om_automaton_free(a);
    om_context_free(ctx);
}

/* ---- deep and narrow: a chain with an edge from its end to its start ---- */

enum { CHAIN = 30000 };

static int chain_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    (void) x;
    out->fault = 0;
    if (om_successors_reserve(out, out->count + 1, WORDS) != OM_OK)
        return OM_ENOMEM;
    vector_of((vector[1] + 1) % CHAIN, out->words + out->stride * out->count);
    out->transition[out->count++] = 0;
    return OM_OK;
}

static bool last_of_chain(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    (void) self;
    (void) worker;
    (void) id;
    return vector[1] == CHAIN - 1;
}

static void a_chain(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_executor x = { .size = sizeof(om_executor),
        .name = "chain",
        .words = WORDS,
        .initial = initial,
        .append = chain_append };
    for (unsigned i = 0; i < 3; i++) {
        om_product_spec product = {
            .executor = &x, .deadlock_ap = OM_NONE, .workers = crowds[i], .store = OM_STORE_PLAIN
        };
        search s = { .ctx = ctx };
        om_id *path = NULL;
        size_t n;
        assert_int_equal(om_product__new(&s.product, ctx, &product), OM_OK);
        om_bfs_spec spec = { OM_BFS_SPEC(s.product), .wanted = last_of_chain, .paths = true };
        assert_int_equal(om_bfs_new(&s.breadth, &spec), OM_OK);
        for (unsigned k = 0; k < product.workers; k++)
            assert_int_equal(om_cursor__open(&s.cursors[k], s.product, k), OM_OK);
        assert_int_equal(om_threads__run(ctx, product.workers, NULL, work, &s), OM_OK);
        assert_int_equal(s.breadth->level, CHAIN - 2);
        assert_int_equal(
            om_bfs_path(s.breadth, s.cursors[0], om_bfs_hit(s.breadth), &path, &n), OM_OK);
        assert_int_equal(n, CHAIN);
        om_free(om_context_heap(ctx), path);
        for (unsigned k = 0; k < product.workers; k++)
            om_cursor__close(s.cursors[k]);
        om_bfs_free(s.breadth);
        om_product__free(s.product);
    }
    om_context_free(ctx);
}

/* ---- faults ---- */

/* One state faults, and all that are farther away: regardless of the workers that reach them, the
 * nearest is reported. */
static void nearest_fault(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (uint64_t seed = 700; seed < 740; seed++) {
        graph *g = random_graph(seed, MOST, 60);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, false, false);
        om_product_spec product = { .executor = &x,
            .deadlock_ap = OM_NONE,
            .workers = 8,
            .store = kinds[seed % 2],
            .seed = seed };
        uint32_t vector[WORDS];
        om_id at = OM_NO_ID;
        assert_true(f->levels > 8);
        g->near = f->levels / 2;
        for (g->faulty = 0; f->distance[(size_t) 2 * g->faulty] != g->near;)
            g->faulty++;
        g->distance = f->distance;
        search *s = search_graph(ctx, &product, 0, f, OM_NONE);
        assert_int_equal(om_bfs_fault(s->breadth, &at), OM_FAULT(OM_FAULT_DIVISION, 7));
        om_cursor_vector(s->cursors[0], at, vector);
        assert_int_equal(vector[1], g->faulty);
        search_free(s);
        free(f);
        free(g);
    }
    om_context_free(ctx);
}

/* ---- early ends ---- */

static void faults_and_limits(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (uint64_t seed = 400; seed < 412; seed++) {
        graph *g = random_graph(seed, MOST, seed % 2 == 0 ? 0 : 30);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, false, false);
        om_limits limits = { .max_states = f->states / 2 };
        om_product_spec spec = { .executor = &x,
            .deadlock_ap = OM_NONE,
            .workers = crowds[seed % 3],
            .store = kinds[seed / 3 % 2] };
        om_product *p = NULL;
        om_exploration e;

        assert_true(f->states > 1000);
        om_control_start(om_context_control(ctx), &limits);
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_ELIMIT);
        assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_STATES);
        assert_true(e.states <= limits.max_states && e.states > limits.max_states / 2);
        om_product__free(p);
        om_control_start(om_context_control(ctx), NULL);

        uint32_t vector[WORDS];
        g->faulty = (uint32_t) f->states / 2;
        while (f->distance[(size_t) 2 * g->faulty] == OM_NONE)
            g->faulty++;
        vector_of(g->faulty, vector);
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_EMODEL);
        assert_int_equal(e.fault, OM_FAULT(OM_FAULT_DIVISION, 7));
        assert_memory_equal(e.fault_vector, vector, sizeof vector);
        om_free(om_context_heap(ctx), e.fault_vector);
        om_free(om_context_heap(ctx), e.fault_path);
        om_product__free(p);
        om_context_clear(ctx);
        free(f);
        free(g);
    }
    om_context_free(ctx);
}

static bool interrupt(void *self, unsigned worker, om_cursor *c, om_id id)
{
    (void) worker;
    (void) c;
    if (id > 100)
        (void) om_control_stop(self, OM_STOP_INTERRUPT);
    return true;
}

static void an_interrupt(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    graph *g = random_graph(500, MOST, 30);
    om_executor x = executor_of(g);
    for (unsigned i = 0; i < 3; i++) {
        om_context *below = NULL;
        om_product *p = NULL;
        om_exploration e;
        assert_int_equal(om_context_new_below(&below, ctx), OM_OK);
        om_product_spec spec = { .executor = &x, .deadlock_ap = OM_NONE, .workers = crowds[i] };
        assert_int_equal(om_product__new(&p, below, &spec), OM_OK);
        assert_int_equal(
            om_explore__all(below, p, interrupt, om_context_control(below), true, &e), OM_ELIMIT);
        assert_true(e.states > 100 && e.states < MOST);
        om_product__free(p);
        om_context_free(below);
    }
    free(g);
    om_context_free(ctx);
}

static bool the_last_vertex(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    (void) worker;
    (void) id;
    return vector[1] == *(const uint32_t *) self;
}

/* One worker in the test's own thread; each allocation fails in turn. */
static int search_with(om_context *ctx, om_executor *x, om_automaton *a, uint32_t target)
{
    om_product *p = NULL;
    om_cursor *c = NULL;
    om_bfs *b = NULL;
    om_id *path = NULL;
    size_t n = 0;
    om_product_spec product = {
        .executor = x, .automaton = a, .stutter = true, .deadlock_ap = OM_NONE, .workers = 1
    };
    int rc = om_product__new(&p, ctx, &product);
    om_bfs_spec spec = { OM_BFS_SPEC(p), .self = &target, .wanted = the_last_vertex,
        .paths = true };
    if (rc == OM_OK)
        rc = om_cursor__open(&c, p, 0);
    if (rc == OM_OK)
        rc = om_bfs_new(&b, &spec);
    if (rc == OM_OK)
        rc = om_bfs_work(b, 0, c);
    if (rc == OM_ESTOP)
        rc = om_bfs_path(b, c, om_bfs_hit(b), &path, &n);
    if (rc == OM_OK)
        assert_true(n > 1);
    om_free(om_context_heap(ctx), path);
    om_bfs_free(b);
    om_cursor__close(c);
    om_product__free(p);
    return rc;
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    graph *g = random_graph(600, 400, 10);
    om_executor x = executor_of(g);
    reference *f = explore_graph(g, true, true);
    uint32_t target = 399;
    while (f->distance[(size_t) 2 * target] == OM_NONE)
        target--;
    for (size_t n = 1; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL, *whole = NULL;
        assert_int_equal(om_context_new(&whole, NULL), OM_OK);
        om_automaton *a = watch(whole);
        test_heap_init(&heap, n);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        rc = search_with(ctx, &x, a, target);
        assert_true(rc == OM_OK || om_exit_status(rc) == 30);
        om_automaton_free(a);
        om_context_free(ctx);
        om_context_free(whole);
        assert_int_equal(heap.live, 0);
    }
    free(f);
    free(g);
}

/* ---- successors of one state ---- */

static void steps_are_distinct(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 700; seed < 720; seed++) {
        graph *g = random_graph(seed, 40, 4);
        om_executor x = executor_of(g);
        om_product_spec spec = { .executor = &x,
            .automaton = a,
            .deadlock_ap = OM_NONE,
            .workers = 2,
            .store = kinds[seed % 2] };
        om_product *p = NULL;
        om_cursor *c = NULL;
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
        assert_int_equal(om_cursor__open(&c, p, (unsigned) seed / 2 % 2), OM_OK);
        for (uint32_t from = 0; from < 80; from++) {
            uint32_t vector[WORDS + 1], expected = 0;
            const om_step *steps;
            om_id id;
            bool fresh;
            size_t n;
            vector_of(from / 2, vector);
            vector[WORDS] = from % 2;
            assert_int_equal(om_cursor_intern(c, vector, &id, &fresh), OM_OK);
            assert_int_equal(om_cursor_successors(c, id, &steps, &n), OM_OK);
            for (uint32_t to = 0; to < 80; to++)
                expected += g->degree[from / 2] > 0 && edge_of_product(g, from, to);
            assert_int_equal(n, expected);
            for (size_t i = 0; i < n; i++) {
                om_cursor_vector(c, steps[i].to, vector);
                assert_true(edge_of_product(g, from, 2 * vector[1] + vector[WORDS]));
                assert_int_equal(g->edges[from / 2][steps[i].transition], vector[1]);
                assert_int_equal(steps[i].marks, from % 2);
                for (size_t k = 0; k < i; k++)
                    assert_true(steps[k].to != steps[i].to);
            }
        }
        om_cursor__close(c);
        om_product__free(p);
        free(g);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

enum { FAN = 200, TARGETS = 70 };

static int fan_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    (void) x;
    out->fault = 0;
    if (om_successors_reserve(out, out->count + FAN, WORDS) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t i = 0; i < FAN; i++) {
        vector_of((vector[1] + 3 * i) % TARGETS, out->words + out->stride * out->count);
        out->transition[out->count++] = i;
    }
    return OM_OK;
}

/* Many edges, most of them duplicates; the first of equal edges is returned. */
static void many_duplicates(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_cursor *c = NULL;
    const om_step *steps;
    size_t n;
    om_executor x = { .size = sizeof(om_executor),
        .name = "fan",
        .words = WORDS,
        .initial = initial,
        .append = fan_append };
    om_product_spec spec = { .executor = &x, .deadlock_ap = OM_NONE, .workers = 1 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_product__new(&p, ctx, &spec), OM_OK);
    assert_int_equal(om_cursor__open(&c, p, 0), OM_OK);
    assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
    om_id id = steps[0].to;
    for (unsigned again = 0; again < 3; again++) {
        assert_int_equal(om_cursor_successors(c, id, &steps, &n), OM_OK);
        assert_int_equal(n, TARGETS);
        for (uint32_t i = 0; i < TARGETS; i++) {
            assert_int_equal(steps[i].transition, i);
            assert_true(steps[i].fresh == (again == 0 && i > 0));
        }
    }
    assert_int_equal(om_cursor__edge_count(c), 3 * FAN);
    om_cursor__close(c);
    om_product__free(p);
    om_context_free(ctx);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(exploration),
        cmocka_unit_test(levels),
        cmocka_unit_test(levels_are_shown),
        cmocka_unit_test(shortest_ways),
        cmocka_unit_test(kept_states),
        cmocka_unit_test(a_chain),
        cmocka_unit_test(nearest_fault),
        cmocka_unit_test(faults_and_limits),
        cmocka_unit_test(an_interrupt),
        cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(steps_are_distinct),
        cmocka_unit_test(many_duplicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
