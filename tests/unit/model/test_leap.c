/* SPDX-License-Identifier: Apache-2.0 */
/* Leaps (leap/leap.h) on random graphs: what visible states follow a state, where runs end, and
 * whether one can remain hidden for ever, with leaps and without. */
#include "leap/leap.h"
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 400, EDGES = 4, WORDS = 4 };

typedef struct graph {
    om_executor executor; /* returns the edges of a node as its successors */
    om_model *m;
    om_context *ctx;
    const om_slot *number, *hidden;
    uint32_t nodes;
    uint32_t to[NODES][EDGES], edges[NODES];
    bool is_hidden[NODES], faults[NODES], overflows[NODES];
    uint32_t calls; /* of append() */
} graph;

/* ---- the executor of a graph ---- */

static void write_node(const graph *g, uint32_t node, uint32_t *vector)
{
    memset(vector, 0, om_model_words(g->m) * sizeof *vector);
    om_slot_set(g->number, vector, 0, (om_value) node);
    om_slot_set(g->hidden, vector, 0, g->is_hidden[node]);
}

static uint32_t node_of(const graph *g, const uint32_t *vector)
{
    const uint32_t node = (uint32_t) om_slot_get(g->number, vector, 0);
    assert_true(node < g->nodes);
    return node;
}

static void initial(const om_executor *x, uint32_t *vector)
{
    write_node(x->self, 0, vector);
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (void) x, (void) vector;
    *fault = 0;
    return 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    graph *g = x->self;
    const uint32_t node = node_of(g, vector);
    g->calls++;
    out->overflows += g->overflows[node];
    for (uint32_t i = 0; i < g->edges[node]; i++) {
        if (om_successors_reserve(out, out->count + 1, x->words) != OM_OK)
            return OM_ENOMEM;
        write_node(g, g->to[node][i], out->words + out->count * out->stride);
        out->transition[out->count++] = i;
    }
    out->fault = g->faults[node] ? OM_FAULT(OM_FAULT_ASSERTION, 0) : 0;
    return OM_OK;
}

static void close_nothing(om_executor *x)
{
    (void) x;
}

static uint32_t add_slot(graph *g, const char *name)
{
    static const om_value zero;
    const om_slot s = { .name = name, .type = OM_U16, .process = OM_NONE, .initial = &zero };
    uint32_t number;
    assert_int_equal(om_model_add_slot(g->m, &s, &number), OM_OK);
    return number;
}

static graph *new_graph(uint32_t nodes)
{
    graph *g = calloc(1, sizeof *g);
    assert_non_null(g);
    assert_int_equal(om_context_new(&g->ctx, NULL), OM_OK);
    assert_int_equal(om_model_new(&g->m, g->ctx, "graph"), OM_OK);
    const uint32_t number = add_slot(g, "number"), hidden = add_slot(g, "hidden");
    const om_expr visible =
        om_expr_binary(g->m, OM_OP_EQ, om_expr_slot(g->m, hidden), om_expr_const(g->m, 0));
    assert_int_equal(om_model_set_visible(g->m, visible), OM_OK);
    assert_int_equal(om_model_finish(g->m), OM_OK);
    g->number = om_model_slot(g->m, number);
    g->hidden = om_model_slot(g->m, hidden);
    g->nodes = nodes;
    g->executor = (om_executor){ .size = sizeof g->executor,
        .name = "graph",
        .words = om_model_words(g->m),
        .self = g,
        .initial = initial,
        .append = append,
        .labels = labels,
        .close = close_nothing };
    assert_true(g->executor.words <= WORDS);
    return g;
}

static void free_graph(graph *g)
{
    om_model_free(g->m);
    om_context_free(g->ctx);
    free(g);
}

static void add_edge(graph *g, uint32_t from, uint32_t to)
{
    g->to[from][g->edges[from]++] = to;
}

static om_executor *leap_over(graph *g)
{
    om_executor *x = &g->executor;
    assert_int_equal(om_leap__over(&x, g->m), OM_OK);
    assert_true(om_leap__is(x) && !om_leap__is(&g->executor));
    return x;
}

/* ---- what follows a node ---- */

/* Nodes to which an executor leads */
typedef struct rows {
    uint32_t to[NODES], by[NODES], count;
    bool fault, overflow;
} rows;

static void successors(const graph *g, const om_executor *x, uint32_t node, rows *r)
{
    om_successors out = { .heap = om_heap_default() };
    uint32_t vector[WORDS];
    write_node(g, node, vector);
    assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
    r->fault = out.fault != 0;
    r->overflow = out.overflows != 0;
    r->count = r->fault ? 0 : (uint32_t) out.count;
    assert_true(r->count <= NODES);
    for (uint32_t i = 0; i < r->count; i++) {
        r->to[i] = node_of(g, out.words + i * out.stride);
        r->by[i] = out.transition[i];
        assert_true(i == 0 || r->by[i] >= r->by[i - 1]);
    }
    om_successors_free(&out);
}

static bool ends(const graph *g, uint32_t node)
{
    return g->faults[node] || g->overflows[node] || g->edges[node] == 0;
}

/* What the hidden runs from a node lead to */
typedef struct future {
    bool met[NODES];     /* nodes that are visible, or at which a run ends */
    bool for_ever;       /* a run remains among the other ones */
    uint8_t mark[NODES]; /* 1: on the path; 2: left */
} future;

static void look_on(const graph *g, const om_executor *x, uint32_t node, future *f)
{
    rows *r = malloc(sizeof *r);
    assert_non_null(r);
    successors(g, x, node, r);
    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t to = r->to[i];
        if (!g->is_hidden[to] || ends(g, to)) {
            f->met[to] = true;
            continue;
        }
        f->for_ever = f->for_ever || f->mark[to] == 1;
        if (f->mark[to] != 0)
            continue;
        f->mark[to] = 1;
        look_on(g, x, to, f);
        f->mark[to] = 2;
    }
    free(r);
}

static void look(const graph *g, const om_executor *x, uint32_t node, future *f)
{
    memset(f, 0, sizeof *f);
    f->mark[node] = g->is_hidden[node];
    look_on(g, x, node, f);
}

/* Checks the way of each leap from a node: it is a run below, hidden and without an end. */
static void check_ways(const graph *g, const om_executor *x, uint32_t node, const rows *r)
{
    om_way way = { .heap = om_heap_default() };
    uint32_t from[WORDS], to[WORDS];
    write_node(g, node, from);
    for (uint32_t i = 0; i < r->count; i++) {
        write_node(g, r->to[i], to);
        assert_int_equal(om_leap__way(x, from, r->by[i], to, &way), OM_OK);
        assert_true(way.count > 0 && way.transitions[0] == r->by[i]);
        uint32_t at = node;
        for (size_t k = 0; k < way.count; k++) {
            assert_true(k == 0 || (g->is_hidden[at] && !ends(g, at)));
            assert_true(way.transitions[k] < g->edges[at]);
            at = g->to[at][way.transitions[k]];
        }
        assert_int_equal(at, r->to[i]);
    }
    om_free(way.heap, way.transitions);
}

/* Compares what follows each node to which leaps lead; returns the number of these nodes. */
static uint32_t compare(graph *g)
{
    om_executor *x = leap_over(g);
    static bool seen[NODES];
    static uint32_t todo[NODES];
    static future with, without;
    static rows r;
    uint32_t count = 1;
    memset(seen, 0, sizeof seen);
    seen[0] = true;
    todo[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = todo[i];
        successors(g, x, node, &r);
        assert_int_equal(r.fault, g->faults[node]);
        assert_int_equal(r.overflow, g->overflows[node]);
        check_ways(g, x, node, &r);
        look(g, x, node, &with);
        look(g, &g->executor, node, &without);
        assert_memory_equal(with.met, without.met, sizeof with.met);
        assert_int_equal(with.for_ever, without.for_ever);
        for (uint32_t k = 0; k < r.count; k++)
            if (!seen[r.to[k]]) {
                seen[r.to[k]] = true;
                todo[count++] = r.to[k];
            }
    }
    om_executor_close(x);
    return count;
}

/* ---- tests ---- */

static void random_graphs_keep_what_follows(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        om_random random = { seed };
        graph *g = new_graph(2 + (uint32_t) om_random_below(&random, 14));
        for (uint32_t n = 0; n < g->nodes; n++) {
            g->is_hidden[n] = om_random_below(&random, 4) > 0;
            g->faults[n] = om_random_below(&random, 16) == 0;
            g->overflows[n] = om_random_below(&random, 16) == 0;
            for (uint64_t i = om_random_below(&random, EDGES); i > 0; i--)
                add_edge(g, n, (uint32_t) om_random_below(&random, g->nodes));
        }
        compare(g);
        free_graph(g);
    }
}

/* All ways to a node are equally long: no hidden node is kept, unless a run ends there. */
static void levels_are_leapt_over(void **state)
{
    enum { LEVELS = 6, WIDTH = 4 };
    (void) state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        om_random random = { seed };
        graph *g = new_graph(LEVELS * WIDTH);
        for (uint32_t n = 0; n < g->nodes; n++) {
            const uint32_t level = n / WIDTH;
            g->is_hidden[n] = level > 0 && level + 1 < LEVELS;
            for (uint32_t i = 0; i < 2; i++)
                add_edge(g, n,
                    (level + 1) % LEVELS * WIDTH + (uint32_t) om_random_below(&random, WIDTH));
        }
        om_executor *x = leap_over(g);
        static rows r;
        successors(g, x, 0, &r);
        assert_true(r.count > 0);
        for (uint32_t i = 0; i < r.count; i++)
            assert_true(r.to[i] / WIDTH == LEVELS - 1);
        om_executor_close(x);
        assert_true(compare(g) <= 2 * WIDTH);
        free_graph(g);
    }
}

/* A chain of hidden nodes ends a leap after OM_LEAP_MOST of them. */
static void a_leap_has_an_end(void **state)
{
    (void) state;
    graph *g = new_graph(NODES);
    for (uint32_t n = 0; n + 1 < g->nodes; n++) {
        g->is_hidden[n + 1] = n + 2 < g->nodes;
        add_edge(g, n, n + 1);
    }
    om_executor *x = leap_over(g);
    static rows r;
    successors(g, x, 0, &r);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.to[0], OM_LEAP_MOST + 1);
    assert_int_equal(g->calls, OM_LEAP_MOST + 1);
    om_executor_close(x);
    assert_int_equal(compare(g), 3); /* both ends, and one between them */
    free_graph(g);
}

/* There is nothing to leap over, or no test of one variable tells what is hidden. */
static void other_models_do_not_leap(void **state)
{
    (void) state;
    graph *g = new_graph(2);
    om_executor *x = &g->executor;
    g->m->visible = 0;
    assert_int_equal(om_leap__over(&x, g->m), OM_OK);
    assert_ptr_equal(x, &g->executor);
    free_graph(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_keep_what_follows),
        cmocka_unit_test(levels_are_leapt_over),
        cmocka_unit_test(a_leap_has_an_end),
        cmocka_unit_test(other_models_do_not_leap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
