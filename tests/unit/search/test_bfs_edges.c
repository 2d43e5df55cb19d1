/* SPDX-License-Identifier: Apache-2.0 */
/* A breadth-first search that reports edges: each state once, with all edges of the graph, their
 * marks, and a flag for edges that stored a state. */
#include "threads.h"

#include "graph.h"
#include "product.h"

#include <stdatomic.h>

enum { CROWD = 8 };

typedef struct search {
    const graph *g;
    const reference *reference;
    om_product *product;
    om_bfs *bfs;
    om_cursor *cursors[CROWD];
    int rc[CROWD];
    uint32_t last; /* product state whose edges end the search, or OM_NONE */
    /* By product state: number of reports of its edges, and of edges that stored it. */
    atomic_uint given[2 * MOST], stored[2 * MOST];
    atomic_uint edges, wrong, wanted, expanded;
} search;

static void count(atomic_uint *n)
{
    (void) atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static uint32_t state_of(const om_cursor *c, om_id id)
{
    uint32_t vector[WORDS + 1];
    om_cursor_vector(c, id, vector);
    return 2 * vector[1] + vector[WORDS];
}

/* Assertions longjmp, and this is a thread: errors are counted. */
static bool edges(
    void *self, unsigned worker, om_cursor *c, om_id from, const om_step *steps, size_t n)
{
    search *s = self;
    uint32_t at = state_of(c, from), there = 0;
    for (uint32_t to = 0; to < 2 * s->g->count; to++)
        there += edge_of_product(s->g, at, to);
    bool right = n == there && c == s->cursors[worker];
    for (size_t i = 0; i < n; i++) {
        uint32_t to = state_of(c, steps[i].to);
        right = right && edge_of_product(s->g, at, to) && steps[i].marks == at % 2;
        if (steps[i].fresh)
            count(&s->stored[to]);
        count(&s->edges);
    }
    if (!right)
        count(&s->wrong);
    count(&s->given[at]);
    return at != s->last;
}

static bool wanted(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    (void) worker, (void) id, (void) vector;
    count(&((search *) self)->wanted);
    return false;
}

/* Called after the edges of the state were reported. */
static bool expanded(void *self, unsigned worker, om_cursor *c, om_id id)
{
    search *s = self;
    (void) worker;
    if (atomic_load_explicit(&s->given[state_of(c, id)], memory_order_relaxed) == 1)
        count(&s->expanded);
    return true;
}

static void work(void *self, unsigned worker)
{
    search *s = self;
    s->rc[worker] = om_bfs_work(s->bfs, worker, s->cursors[worker]);
}

static search *run(om_context *ctx, const om_product_spec *product, const graph *g,
    const reference *f, uint32_t last)
{
    search *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->g = g;
    s->reference = f;
    s->last = last;
    assert_int_equal(om_product__new(&s->product, ctx, product), OM_OK);
    om_bfs_spec spec = { OM_BFS_SPEC(s->product), .self = s, .wanted = wanted, .edges = edges,
        .expanded = expanded, .paths = true };
    assert_int_equal(om_bfs_new(&s->bfs, &spec), OM_OK);
    for (unsigned i = 0; i < product->workers; i++)
        assert_int_equal(om_cursor__open(&s->cursors[i], s->product, i), OM_OK);
    assert_int_equal(om_threads__run(ctx, product->workers, NULL, work, s), OM_OK);
    return s;
}

static void search_free(search *s)
{
    for (unsigned i = 0; i < CROWD; i++)
        om_cursor__close(s->cursors[i]);
    om_bfs_free(s->bfs);
    om_product__free(s->product);
    free(s);
}

static void check_all(const search *s, unsigned workers)
{
    const reference *f = s->reference;
    for (unsigned i = 0; i < workers; i++)
        assert_int_equal(s->rc[i], OM_OK);
    assert_true(om_bfs_hit(s->bfs) == OM_NO_ID);
    assert_int_equal(s->wrong, 0);
    assert_int_equal(s->wanted, f->states);
    assert_int_equal(s->expanded, f->states);
    for (uint32_t i = 0; i < 2 * s->g->count; i++) {
        assert_int_equal(s->given[i], f->distance[i] != OM_NONE);
        assert_int_equal(s->stored[i], f->distance[i] != OM_NONE && i != 0);
    }
}

static void check_stopped(const search *s)
{
    om_id hit = om_bfs_hit(s->bfs), *path = NULL;
    size_t n = 0;
    assert_true(hit != OM_NO_ID && s->rc[0] == OM_ESTOP);
    assert_int_equal(state_of(s->cursors[0], hit), s->last);
    assert_int_equal(om_bfs_path(s->bfs, s->cursors[0], hit, &path, &n), OM_OK);
    assert_int_equal(n, s->reference->distance[s->last] + 1);
    om_free(om_heap_default(), path);
}

static void edges_of_all_states(void **state)
{
    (void) state;
    static const unsigned crowds[] = { 1, 2, CROWD };
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_automaton *a = watch(ctx);
    for (uint64_t seed = 900; seed < 918; seed++) {
        graph *g = random_graph(seed, 200 + (uint32_t) (seed % 5) * 100, seed % 3 == 0 ? 0 : 9);
        om_executor x = executor_of(g);
        reference *f = explore_graph(g, true, true);
        om_product_spec product = { .executor = &x,
            .automaton = a,
            .stutter = true,
            .deadlock_ap = OM_NONE,
            .workers = crowds[seed % 3],
            .store = seed % 2 == 0 ? OM_STORE_TREE : OM_STORE_PLAIN,
            .seed = seed % 4 };
        uint32_t last = (uint32_t) f->states; /* a distant reachable state */
        while (f->distance[last] == OM_NONE)
            last--;
        search *s = run(ctx, &product, g, f, OM_NONE);
        check_all(s, product.workers);
        search_free(s);
        s = run(ctx, &product, g, f, last);
        check_stopped(s);
        search_free(s);
        free(f);
        free(g);
    }
    om_automaton_free(a);
    om_context_free(ctx);
}

/* Specs of checkers of other versions. */
static void versions_of_the_spec(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_product *p = NULL;
    om_bfs *b = NULL;
    graph *g = random_graph(1, 10, 0);
    om_executor x = executor_of(g);
    om_product_spec product = { .executor = &x, .deadlock_ap = OM_NONE, .workers = 1 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_product__new(&p, ctx, &product), OM_OK);
    struct later {
        om_bfs_spec known;
        uint64_t unknown;
    } later = { { OM_BFS_SPEC(p) }, 0 };
    later.known.size = sizeof later;
    assert_int_equal(om_bfs_new(&b, &later.known), OM_OK);
    om_bfs_free(b);
    b = NULL;
    later.unknown = 1;
    assert_int_equal(om_bfs_new(&b, &later.known), OM_EINVAL);
    om_context_clear(ctx);
    later.known.size = sizeof(size_t);
    assert_int_equal(om_bfs_new(&b, &later.known), OM_EINVAL);
    assert_null(b);
    om_product__free(p);
    om_context_free(ctx);
    free(g);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_of_all_states),
        cmocka_unit_test(versions_of_the_spec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
