/* SPDX-License-Identifier: Apache-2.0 */
#include "random_case.h"

#include <stdlib.h>

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

static const uint64_t rare_label = (1u << GRAPH_APS) - 1;

static uint64_t random_label(om_random *r, bool lively, uint32_t n)
{
    if (!lively)
        return below(r, 1u << GRAPH_APS);
    return below(r, 2 * n) == 0 ? rare_label : below(r, 3);
}

void graph_new(graph *g, om_random *r, uint32_t most, bool lively)
{
    /* Mostly small graphs: in a small graph, a lost mark does not occur again elsewhere. */
    g->n = lively ? most / 2 + 1 + below(r, most / 2) : 1 + below(r, 1 + below(r, most));
    g->to = calloc(g->n, sizeof *g->to);
    g->out = calloc(g->n, sizeof *g->out);
    g->label = calloc(g->n, sizeof *g->label);
    uint32_t dense = 1 + below(r, GRAPH_OUT), ends = below(r, 3);
    uint32_t near = below(r, 2) == 0 ? g->n : 1 + below(r, 8);
    for (uint32_t i = 0; i < g->n; i++) {
        g->label[i] = random_label(r, lively, g->n);
        g->out[i] = ends != 0 && below(r, lively ? 1000 : 8) < ends ? 0 : 1 + below(r, dense);
        for (uint32_t k = 0; k < g->out[i]; k++)
            g->to[i][k] = (i + g->n - near / 2 + below(r, near + 1)) % g->n;
    }
}

void graph_free(graph *g)
{
    free(g->to);
    free(g->out);
    free(g->label);
}

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = vector[1] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const graph *g = x->self;
    uint32_t i = vector[0];
    out->fault = 0;
    if (om_successors_reserve(out, out->count + g->out[i], x->words) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t k = 0; k < g->out[i]; k++) {
        uint32_t t = g->to[i][k];
        uint32_t *row = out->words + out->count * out->stride;
        row[0] = t;
        row[1] = t * t;
        out->transition[out->count++] = k;
    }
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const graph *g = x->self;
    *fault = 0;
    return g->label[vector[0]];
}

void graph_executor(const graph *g, om_executor *x)
{
    *x = (om_executor){ .size = sizeof(om_executor),
        .name = "graph",
        .words = 2,
        .aps = GRAPH_APS,
        .self = (void *) (uintptr_t) g,
        .initial = initial,
        .append = append,
        .labels = labels };
}

/* The larger `loose`, the fewer APs the cube names. */
static om_cube random_cube(om_random *r, uint32_t loose)
{
    om_cube c = { 0, 0 };
    for (uint32_t i = 0; i < GRAPH_APS; i++) {
        uint32_t k = below(r, loose);
        c.pos |= k == 0 ? UINT64_C(1) << i : 0;
        c.neg |= k == 1 ? UINT64_C(1) << i : 0;
    }
    return c;
}

/* Layers 0 .. layers-1 in the order of the states; no edge leads back to an earlier layer. */
typedef struct plan {
    shape shape;
    uint32_t n, layers, sets, accepting; /* accepting: one bit per layer */
    bool lively;
    uint32_t rarity; /* each mark is on one edge in 2^rarity */
    uint32_t loose;  /* for labels: the larger, the fewer APs a cube names */
} plan;

static uint32_t layer(const plan *p, uint32_t q)
{
    return q * p->layers / p->n;
}

static bool in_accepting(const plan *p, uint32_t q)
{
    return (p->accepting >> layer(p, q) & 1) != 0;
}

static om_marks random_marks(const plan *p, om_random *r, uint32_t src, uint32_t dst)
{
    om_marks all = (UINT64_C(1) << p->sets) - 1, marks = all;
    if (p->shape == SHAPE_STRONG) {
        for (uint32_t i = 0; i < p->rarity; i++)
            marks &= om_random_next(r);
        return p->lively && p->sets > 0 ? marks & (all >> 1) : marks;
    }
    return in_accepting(p, src) && layer(p, src) == layer(p, dst) ? all : 0;
}

static bool add_edges(om_automaton *a, const plan *p, om_random *r, uint32_t src)
{
    uint32_t first = 0, count = below(r, 4) + (p->loose > 4);
    bool ok = true;

    if (p->shape != SHAPE_STRONG)
        while (layer(p, first) < layer(p, src))
            first++;
    for (uint32_t i = 0; i < count && ok; i++) {
        om_cube cubes[2] = { random_cube(r, p->loose), random_cube(r, p->loose) };
        uint32_t dst = first + below(r, p->n - first);
        ok = om_automaton_add_edge(
                 a, src, dst, random_marks(p, r, src, dst), cubes, 1 + below(r, 2)) == OM_OK;
    }
    if (ok && p->shape == SHAPE_TERMINAL && in_accepting(p, src)) {
        om_cube all = { 0, 0 };
        ok = om_automaton_add_edge(a, src, src, (1u << p->sets) - 1, &all, 1) == OM_OK;
    }
    if (ok && p->lively) {
        om_cube all = { 0, 0 }, rare = { rare_label, 0 };
        uint32_t dst = first + below(r, p->n - first);
        om_marks marks = random_marks(p, r, src, dst);
        ok = om_automaton_add_edge(a, src, dst, marks, &all, 1) == OM_OK;
        if (ok && p->shape == SHAPE_STRONG)
            ok = om_automaton_add_edge(a, src, dst,
                     marks | (p->sets == 0 ? 0 : 1u << (p->sets - 1)), &rare, 1) == OM_OK;
    }
    return ok;
}

static void put(om_acc *f, size_t *n, om_acc_op op, uint32_t set)
{
    f[(*n)++] = (om_acc){ (uint8_t) op, (uint8_t) set };
}

enum { FORMULA = 64 };

/* Makes a conjunction of disjunctions of two Inf, or a random combination of a few Inf. */
static size_t random_formula(om_acc f[FORMULA], om_random *r, uint32_t sets)
{
    size_t n = 0, open = 0;
    if (below(r, 3) == 0) {
        for (uint32_t i = 0; i + 1 < sets; i += 2) {
            put(f, &n, OM_ACC_INF, i);
            put(f, &n, OM_ACC_INF, i + 1);
            put(f, &n, OM_ACC_OR, 0);
            if (i > 0)
                put(f, &n, OM_ACC_AND, 0);
        }
        return n;
    }
    for (uint32_t left = 1 + below(r, 8); left > 0 || open > 1;) {
        if (left > 0 && (open < 2 || below(r, 2) == 0)) {
            put(f, &n, OM_ACC_INF, below(r, sets));
            left--;
            open++;
        } else {
            put(f, &n, below(r, 2) == 0 ? OM_ACC_AND : OM_ACC_OR, 0);
            open--;
        }
    }
    return n;
}

static om_automaton *make(om_context *ctx, om_random *r, shape s, bool lively, bool fin_less)
{
    static const char *const aps[GRAPH_APS] = { "a", "b", "c" };
    plan p = { .shape = s,
        .n = 1 + below(r, 6),
        .sets = below(r, 5),
        .lively = lively,
        .rarity = 1 + below(r, 3),
        .loose = 4u << below(r, 3) };
    om_automaton *a = NULL;
    uint32_t first;

    p.layers = s == SHAPE_STRONG ? 1 : 1 + below(r, p.n);
    p.accepting = below(r, 1u << p.layers);
    if (below(r, 8) == 0) /* more sets than fit into what checkers store with each state */
        p.sets = 7 + below(r, 20);
    if ((s != SHAPE_STRONG || lively) && p.sets == 0)
        p.sets = 1; /* without a set every cycle would accept */
    if (s != SHAPE_STRONG && lively)
        p.accepting = below(r, 2) == 0 ? 0 : 1u << below(r, p.layers);
    om_acc f[FORMULA];
    if (fin_less)
        p.sets = 2 + below(r, 11);
    size_t length = fin_less ? random_formula(f, r, p.sets) : 0;
    bool ok = om_automaton_new(&a, ctx, GRAPH_APS, aps) == OM_OK &&
              om_automaton_add_states(a, p.n, &first) == OM_OK &&
              (fin_less ? om_automaton_set_acceptance(a, p.sets, f, length)
                        : om_automaton_set_generalized_buchi(a, p.sets)) == OM_OK &&
              om_automaton_add_initial(a, 0) == OM_OK;
    if (ok && p.n > 1 && below(r, 3) == 0)
        ok = om_automaton_add_initial(a, 1 + below(r, p.n - 1)) == OM_OK;
    for (uint32_t q = 0; q < p.n && ok; q++)
        ok = add_edges(a, &p, r, q);
    if (ok && om_automaton_finish(a) == OM_OK)
        return a;
    om_automaton_free(a);
    return NULL;
}

om_automaton *random_automaton(om_context *ctx, om_random *r, shape s, bool lively)
{
    return make(ctx, r, s, lively, false);
}

om_automaton *random_fin_less(om_context *ctx, om_random *r, bool lively)
{
    return make(ctx, r, SHAPE_STRONG, lively, true);
}

/* ---- automata without a model ---- */

void graph_one(graph *g)
{
    om_random r = { 0 };
    graph_new(g, &r, 1, false);
    g->out[0] = 1;
    g->to[0][0] = 0;
    g->label[0] = 0;
}

typedef enum density { SPARSE, DENSE, ONE_COMPONENT, TRIVIAL, DENSITIES } density;

/* Returns the target of an edge from q. */
static uint32_t random_target(om_random *r, density d, uint32_t n, uint32_t q)
{
    if (d != TRIVIAL || below(r, 12) == 0)
        return below(r, n);
    return q + 1 < n ? q + 1 + below(r, n - q - 1) : q;
}

om_automaton *random_lone_automaton(om_context *ctx, om_random *r)
{
    const density d = (density) below(r, DENSITIES);
    const uint32_t n = 1 + below(r, 60), sets = below(r, 6), rarity = 1 + below(r, 5);
    const uint32_t degree = d == DENSE ? 8 : 2;
    const om_cube all = { 0, 0 };
    om_automaton *a = NULL;
    uint32_t first;
    bool ok = om_automaton_new(&a, ctx, 0, NULL) == OM_OK &&
              om_automaton_add_states(a, n, &first) == OM_OK &&
              om_automaton_set_generalized_buchi(a, sets) == OM_OK &&
              om_automaton_add_initial(a, 0) == OM_OK;
    for (uint32_t q = 0; q < n && ok; q++) {
        uint32_t count = below(r, degree + 1) + (d == ONE_COMPONENT);
        for (uint32_t i = 0; i < count && ok; i++) {
            om_marks marks = (UINT64_C(1) << sets) - 1;
            for (uint32_t k = 0; k < rarity; k++)
                marks &= om_random_next(r);
            /* The first edges of all states form one cycle. */
            uint32_t dst = d == ONE_COMPONENT && i == 0 ? (q + 1) % n : random_target(r, d, n, q);
            ok = om_automaton_add_edge(a, q, dst, marks, &all, 1) == OM_OK;
        }
    }
    if (ok && om_automaton_finish(a) == OM_OK)
        return a;
    om_automaton_free(a);
    return NULL;
}
