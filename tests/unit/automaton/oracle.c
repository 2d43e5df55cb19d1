/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random automata ---- */

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

static om_cube random_cube(om_random *r, uint32_t aps)
{
    om_cube c = { 0, 0 };
    for (uint32_t i = 0; i < aps; i++) {
        uint32_t kind = below(r, 4);
        c.pos |= kind == 0 ? UINT64_C(1) << i : 0;
        c.neg |= kind == 1 ? UINT64_C(1) << i : 0;
    }
    return c;
}

/* Makes a random formula with this number of literals, in postfix order. Operators are emitted
 * when the stack permits. */
static size_t random_formula(om_random *r, uint32_t sets, uint32_t literals, om_acc *f)
{
    size_t n = 0, height = 0;
    while (literals > 0 || height > 1) {
        if (height < 2 || (literals > 0 && below(r, 2) == 0)) {
            uint8_t op =
                (uint8_t) (sets == 0 || below(r, 24) == 0 ? below(r, 2) : OM_ACC_FIN + below(r, 2));
            f[n++] = (om_acc){ op, (uint8_t) (sets == 0 ? 0 : below(r, sets)) };
            literals--;
            height++;
        } else {
            f[n++] = (om_acc){ (uint8_t) (OM_ACC_AND + below(r, 2)), 0 };
            height--;
        }
    }
    return n;
}

om_automaton *oracle_random(om_context *ctx, om_random *r, const oracle_size *most)
{
    static const char *const names[] = { "a", "b", "c", "d" };
    om_automaton *a = NULL;
    om_acc f[64];
    uint32_t states = 1 + below(r, most->states), sets = below(r, most->sets + 1);
    uint32_t aps = below(r, most->aps + 1), density = 1 + below(r, 3);
    int rc = om_automaton_new(&a, ctx, aps, names);
    size_t n = random_formula(r, sets, 1 + below(r, 5), f);
    if (rc == OM_OK)
        rc = below(r, 6) == 0 ? om_automaton_set_generalized_buchi(a, sets)
                              : om_automaton_set_acceptance(a, sets, f, n);
    if (rc == OM_OK)
        rc = om_automaton_add_states(a, states, NULL);
    for (uint32_t i = 0, k = below(r, 12) == 0 ? 0 : 1 + below(r, 2); rc == OM_OK && i < k; i++)
        rc = om_automaton_add_initial(a, below(r, states));
    for (uint32_t i = 0; rc == OM_OK && i < states * density; i++) {
        om_cube cubes[2] = { random_cube(r, aps), random_cube(r, aps) };
        om_marks marks = 0;
        for (uint32_t s = 0; s < sets; s++)
            marks |= below(r, 3) == 0 ? UINT64_C(1) << s : 0;
        rc = om_automaton_add_edge(
            a, below(r, states), below(r, states), marks, cubes, 1 + below(r, 2));
    }
    if (rc == OM_OK)
        rc = om_automaton_finish(a);
    assert(rc == OM_OK);
    return a;
}

oracle_lasso oracle_random_lasso(om_random *r, uint32_t aps, size_t most)
{
    oracle_lasso w = { .n = 1 + below(r, (uint32_t) most) };
    w.loop = below(r, (uint32_t) w.n);
    for (size_t i = 0; i < w.n; i++)
        w.labels[i] = om_random_next(r) & ((UINT64_C(1) << aps) - 1);
    return w;
}

/* ---- graphs ---- */

static size_t value_at(const om_acc *f, size_t at, om_marks marks, bool *value)
{
    if (f[at].op == OM_ACC_AND || f[at].op == OM_ACC_OR) {
        bool left = false, right = false;
        size_t next = value_at(f, at - 1, marks, &right);
        next = value_at(f, next, marks, &left);
        *value = f[at].op == OM_ACC_AND ? left && right : left || right;
        return next;
    }
    bool in = ((marks >> f[at].set) & 1) != 0;
    *value = f[at].op == OM_ACC_TRUE || (f[at].op == OM_ACC_INF && in) ||
             (f[at].op == OM_ACC_FIN && !in);
    return at - 1;
}

bool oracle_value(const om_automaton *a, om_marks marks)
{
    size_t n = 0;
    const om_acc *f = om_automaton_acceptance(a, &n);
    bool value = false;
    (void) value_at(f, n - 1, marks, &value);
    return value;
}

void oracle_closure(
    const oracle_graph *g, om_marks marks, uint64_t closure[ORACLE_NODES][ORACLE_NODES / 64])
{
    uint32_t words = (g->nodes + 63) / 64;
    for (uint32_t u = 0; u < g->nodes; u++)
        memset(closure[u], 0, sizeof closure[u]);
    for (uint32_t i = 0; i < g->edges; i++)
        if ((g->edge[i].marks & ~marks) == 0)
            closure[g->edge[i].from][g->edge[i].to / 64] |= UINT64_C(1) << (g->edge[i].to % 64);
    for (uint32_t k = 0; k < g->nodes; k++)
        for (uint32_t u = 0; u < g->nodes; u++)
            if (((closure[u][k / 64] >> (k % 64)) & 1) != 0)
                for (uint32_t w = 0; w < words; w++)
                    closure[u][w] |= closure[k][w];
}

void oracle_reach(oracle_graph *g)
{
    memcpy(g->reached, g->initial, sizeof g->reached);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < g->edges; i++)
            if (g->reached[g->edge[i].from] && !g->reached[g->edge[i].to])
                more = g->reached[g->edge[i].to] = true;
    }
}

void oracle_walks(const oracle_graph *g, const bool *in, bool *found)
{
    static uint64_t closure[ORACLE_NODES][ORACLE_NODES / 64];
    if (in == NULL)
        in = g->reached;
    for (om_marks m = 0; m < UINT64_C(1) << g->sets; m++) {
        oracle_closure(g, m, closure);
        found[m] = false;
        for (uint32_t u = 0; u < g->nodes && !found[m]; u++) {
            om_marks seen = 0;
            bool any = false;
            for (uint32_t i = 0; i < g->edges && in[u]; i++) {
                const oracle_edge *e = &g->edge[i];
                bool to = e->from == u || ((closure[u][e->from / 64] >> (e->from % 64)) & 1) != 0;
                bool back = e->to == u || ((closure[e->to][u / 64] >> (u % 64)) & 1) != 0;
                if ((e->marks & ~m) == 0 && to && back) {
                    seen |= e->marks;
                    any = true;
                }
            }
            found[m] = any && seen == m;
        }
    }
}

void oracle_graph_of(const om_automaton *a, oracle_graph *g)
{
    assert(
        om_automaton_state_count(a) <= ORACLE_NODES && om_automaton_edge_count(a) <= ORACLE_EDGES);
    g->nodes = om_automaton_state_count(a);
    g->sets = om_automaton_set_count(a);
    g->edges = 0;
    memset(g->initial, 0, sizeof g->initial);
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++)
        g->initial[om_automaton_initial(a, i)] = true;
    for (uint32_t s = 0; s < g->nodes; s++) {
        uint32_t n = 0;
        const om_edge *e = om_automaton_edges(a, s, &n);
        for (uint32_t i = 0; i < n; i++)
            g->edge[g->edges++] = (oracle_edge){ e[i].src, e[i].dst, e[i].marks };
    }
    oracle_reach(g);
}

static bool some_walk_accepts(const om_automaton *a, const oracle_graph *g)
{
    bool found[1 << 12];
    assert(g->sets <= 12);
    oracle_walks(g, NULL, found);
    for (om_marks m = 0; m < UINT64_C(1) << g->sets; m++)
        if (found[m] && oracle_value(a, m))
            return true;
    return false;
}

bool oracle_empty(const om_automaton *a)
{
    static oracle_graph g;
    oracle_graph_of(a, &g);
    return !some_walk_accepts(a, &g);
}

bool oracle_accepts(const om_automaton *a, const oracle_lasso *w)
{
    static oracle_graph g;
    const om_cube *cubes = om_automaton_cubes(a);
    uint32_t states = om_automaton_state_count(a);
    assert(states * w->n <= ORACLE_NODES);
    g.nodes = (uint32_t) (states * w->n);
    g.sets = om_automaton_set_count(a);
    g.edges = 0;
    memset(g.initial, 0, sizeof g.initial);
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++)
        g.initial[om_automaton_initial(a, i)] = true;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t s = 0; s < states; s++) {
            uint32_t n = 0, to = (uint32_t) (i + 1 < w->n ? i + 1 : w->loop);
            const om_edge *e = om_automaton_edges(a, s, &n);
            for (uint32_t k = 0; k < n; k++)
                if (om_edge_matches(&e[k], cubes, w->labels[i])) {
                    assert(g.edges < ORACLE_EDGES);
                    g.edge[g.edges++] =
                        (oracle_edge){ i * states + s, to * states + e[k].dst, e[k].marks };
                }
        }
    oracle_reach(&g);
    return some_walk_accepts(a, &g);
}

bool oracle_disjoint(const om_automaton *a, const om_automaton *b)
{
    static oracle_graph g;
    bool found[1 << 12];
    uint32_t na = om_automaton_state_count(a), nb = om_automaton_state_count(b), n = 0, m = 0;
    uint32_t sa = om_automaton_set_count(a);
    uint32_t pa = om_automaton_ap_count(a), pb = om_automaton_ap_count(b);
    g = (oracle_graph){ .nodes = na * nb, .sets = sa + om_automaton_set_count(b) };
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++)
        for (uint32_t j = 0; j < om_automaton_initial_count(b); j++)
            g.initial[om_automaton_initial(a, i) * nb + om_automaton_initial(b, j)] = true;
    for (uint32_t s = 0; s < na * nb; s++) {
        const om_edge *e = om_automaton_edges(a, s / nb, &n),
                      *f = om_automaton_edges(b, s % nb, &m);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < m; j++) {
                bool together = false;
                for (om_label l = 0; l < UINT64_C(1) << (pa > pb ? pa : pb); l++)
                    together |= om_edge_matches(&e[i], om_automaton_cubes(a), l) &&
                                om_edge_matches(&f[j], om_automaton_cubes(b), l);
                if (together)
                    g.edge[g.edges++] =
                        (oracle_edge){ s, e[i].dst * nb + f[j].dst, e[i].marks | f[j].marks << sa };
            }
    }
    oracle_reach(&g);
    oracle_walks(&g, NULL, found);
    for (om_marks x = 0; x < UINT64_C(1) << g.sets; x++)
        if (found[x] && oracle_value(a, x & ((UINT64_C(1) << sa) - 1)) && oracle_value(b, x >> sa))
            return false;
    return true;
}

om_strength oracle_strength(const om_automaton *a, uint32_t state)
{
    static oracle_graph g;
    static uint64_t closure[ORACLE_NODES][ORACLE_NODES / 64];
    bool in[ORACLE_NODES] = { false }, found[1 << 12], accepting = false, rejecting = false;
    bool complete = true;
    oracle_graph_of(a, &g);
    oracle_closure(&g, UINT64_MAX, closure);
    for (uint32_t s = 0; s < g.nodes; s++)
        in[s] = s == state || (((closure[s][state / 64] >> (state % 64)) & 1) != 0 &&
                                  ((closure[state][s / 64] >> (s % 64)) & 1) != 0);
    oracle_walks(&g, in, found);
    for (om_marks m = 0; m < UINT64_C(1) << g.sets; m++) {
        accepting |= found[m] && oracle_value(a, m);
        rejecting |= found[m] && !oracle_value(a, m);
    }
    for (uint32_t s = 0; s < g.nodes; s++)
        for (om_label l = 0; in[s] && l < UINT64_C(1) << om_automaton_ap_count(a); l++) {
            uint32_t n = 0;
            bool stays = false;
            const om_edge *e = om_automaton_edges(a, s, &n);
            for (uint32_t i = 0; i < n; i++)
                stays |= in[e[i].dst] && om_edge_matches(&e[i], om_automaton_cubes(a), l);
            complete &= stays;
        }
    return !accepting ? OM_NON_ACCEPTING : rejecting ? OM_STRONG : complete ? OM_TERMINAL : OM_WEAK;
}

static bool same_edge(
    const om_automaton *a, const om_edge *e, const om_automaton *b, const om_edge *f)
{
    bool same = e->src == f->src && e->dst == f->dst && e->marks == f->marks;
    for (om_label l = 0; l < UINT64_C(1) << om_automaton_ap_count(a); l++)
        same &= om_edge_matches(e, om_automaton_cubes(a), l) ==
                om_edge_matches(f, om_automaton_cubes(b), l);
    return same;
}

bool oracle_same(const om_automaton *a, const om_automaton *b)
{
    size_t n = 0, m = 0;
    const om_acc *f = om_automaton_acceptance(a, &n), *g = om_automaton_acceptance(b, &m);
    bool same = om_automaton_state_count(a) == om_automaton_state_count(b) &&
                om_automaton_edge_count(a) == om_automaton_edge_count(b) &&
                om_automaton_initial_count(a) == om_automaton_initial_count(b) &&
                om_automaton_ap_count(a) == om_automaton_ap_count(b) &&
                om_automaton_set_count(a) == om_automaton_set_count(b) && n == m &&
                strcmp(om_automaton_name(a), om_automaton_name(b)) == 0;
    for (size_t i = 0; same && i < n; i++)
        same = f[i].op == g[i].op && f[i].set == g[i].set;
    for (uint32_t i = 0; same && i < om_automaton_ap_count(a); i++)
        same = strcmp(om_automaton_ap(a, i), om_automaton_ap(b, i)) == 0;
    for (uint32_t i = 0; same && i < om_automaton_initial_count(a); i++)
        same = om_automaton_initial(a, i) == om_automaton_initial(b, i);
    for (uint32_t s = 0; same && s < om_automaton_state_count(a); s++) {
        uint32_t x = 0, y = 0;
        const om_edge *e = om_automaton_edges(a, s, &x), *h = om_automaton_edges(b, s, &y);
        same = x == y;
        for (uint32_t i = 0; same && i < x; i++)
            same = same_edge(a, &e[i], b, &h[i]);
    }
    return same;
}
