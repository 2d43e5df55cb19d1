/* SPDX-License-Identifier: Apache-2.0 */
#include "rabin_case.h"

#include <stdlib.h>
#include <string.h>

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

/* ---- models ---- */

void rabin_graph(graph *g, om_random *random, uint32_t most)
{
    uint32_t back = 1 + below(random, 8), dense = 1 + below(random, GRAPH_OUT - 1);
    g->n = most / 4 + 1 + below(random, most);
    g->to = calloc(g->n, sizeof *g->to);
    g->out = calloc(g->n, sizeof *g->out);
    g->label = calloc(g->n, sizeof *g->label);
    if (g->to == NULL || g->out == NULL || g->label == NULL)
        abort();
    for (uint32_t i = 0; i < g->n; i++) {
        g->label[i] = below(random, 1u << GRAPH_APS);
        g->out[i] = i + 1 < g->n || below(random, 2) == 0 ? 1 + below(random, dense) : 0;
        if (g->out[i] > 0)
            g->to[i][0] = (i + 1) % g->n;
        for (uint32_t k = 1; k < g->out[i]; k++)
            g->to[i][k] =
                below(random, back) == 0 ? below(random, g->n) : i + below(random, g->n - i);
    }
}

/* ---- automata ---- */

/* The number of sets so far, and twins: other sets with the same edges */
typedef struct sets {
    uint32_t count;
    om_marks twin_of[RABIN_SETS]; /* twins of each set, as bits */
} sets;

static uint32_t new_set(sets *s)
{
    s->twin_of[s->count] = 0;
    return s->count++;
}

static void make_pairs(rabin *r, om_random *random, sets *s)
{
    if (r->co_buchi) {
        r->pairs = 1;
        r->pair[0].fin = UINT64_C(1) << new_set(s);
        return;
    }
    r->pairs = 1 + below(random, RABIN_PAIRS);
    for (unsigned i = 0; i < r->pairs; i++) {
        uint32_t like = below(random, 12), infs = below(random, RABIN_INFS + 1);
        uint32_t other = i == 0 ? 0 : below(random, i);
        if (i > 0 && like == 0) {
            r->pair[i].fin = r->pair[other].fin;
        } else {
            uint32_t fin = new_set(s);
            r->pair[i].fin = UINT64_C(1) << fin;
            if (i > 0 && like == 1)
                s->twin_of[__builtin_ctzll(r->pair[other].fin)] |= UINT64_C(1) << fin;
        }
        r->pair[i].inf = 0;
        for (uint32_t k = 0; k < infs; k++) {
            uint32_t set =
                s->count > 0 && below(random, 4) == 0 ? below(random, s->count) : new_set(s);
            r->pair[i].inf |= UINT64_C(1) << set;
        }
    }
}

static int set_acceptance(om_automaton *a, const rabin *r, const sets *s)
{
    om_acc f[RABIN_PAIRS * (2 * RABIN_INFS + 4)];
    size_t n = 0;
    for (unsigned i = 0; i < r->pairs; i++) {
        f[n++] = (om_acc){ OM_ACC_FIN, (uint8_t) __builtin_ctzll(r->pair[i].fin) };
        for (uint8_t k = 0; k < s->count; k++)
            if ((r->pair[i].inf >> k & 1) != 0) {
                f[n++] = (om_acc){ OM_ACC_INF, k };
                f[n++] = (om_acc){ OM_ACC_AND, 0 };
            }
        if (i > 0)
            f[n++] = (om_acc){ OM_ACC_OR, 0 };
    }
    return om_automaton_set_acceptance(a, s->count, f, n);
}

/* The larger `loose`, the fewer propositions the cube names. */
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

/* rarity[i] of 8 edges are in set i. */
static om_marks random_marks(om_random *r, const sets *s, const uint32_t *rarity)
{
    om_marks marks = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (below(r, 8) < rarity[i])
            marks |= UINT64_C(1) << i;
    for (uint32_t i = 0; i < s->count; i++) {
        om_marks twins = s->twin_of[i];
        marks = (marks >> i & 1) != 0 ? marks | twins : marks & ~twins;
    }
    return marks;
}

void rabin_new(rabin *r, om_context *ctx, om_random *random, bool co_buchi)
{
    static const char *const aps[GRAPH_APS] = { "a", "b", "c" };
    const uint32_t n = 1 + below(random, 5), dense = 1 + below(random, 4);
    const uint32_t loose = 6u << below(random, 3);
    uint32_t rarity[RABIN_SETS], first;
    sets s = { 0 };
    memset(r, 0, sizeof *r);
    r->co_buchi = co_buchi;
    make_pairs(r, random, &s);
    for (uint32_t i = 0; i < RABIN_SETS; i++)
        rarity[i] = below(random, 7) + (co_buchi ? 2 : 0);
    bool ok = om_automaton_new(&r->a, ctx, GRAPH_APS, aps) == OM_OK &&
              om_automaton_add_states(r->a, n, &first) == OM_OK &&
              set_acceptance(r->a, r, &s) == OM_OK && om_automaton_add_initial(r->a, 0) == OM_OK;
    if (ok && n > 1 && below(random, 4) == 0)
        ok = om_automaton_add_initial(r->a, 1 + below(random, n - 1)) == OM_OK;
    /* An edge under every label for most states, so that the product is not cut off at once. */
    const om_cube any = { 0, 0 };
    for (uint32_t q = 0; q < n && ok; q++)
        ok = below(random, 3) == 0 || om_automaton_add_edge(r->a, q, below(random, n),
                                          random_marks(random, &s, rarity), &any, 1) == OM_OK;
    for (uint32_t q = 0; q < n && ok; q++)
        for (uint32_t edges = 1 + below(random, dense); edges > 0 && ok; edges--) {
            om_cube c = random_cube(random, loose);
            ok = om_automaton_add_edge(
                     r->a, q, below(random, n), random_marks(random, &s, rarity), &c, 1) == OM_OK;
        }
    if (!ok || om_automaton_finish(r->a) != OM_OK)
        abort();
}

void rabin_free(rabin *r)
{
    om_automaton_free(r->a);
}

/* ---- by definition ---- */

static bool is_arc(const oracle *o, const bool *set, uint32_t i, const arc *a, om_marks avoid)
{
    return set[i] && set[a->to] && o->component[i] != OM_NONE && (a->marks & avoid) == 0;
}

/* Adds to *met the states that are reachable from it over arcs within the set, or, if backwards,
 * the states that reach it. */
static void reach(const oracle *o, const bool *set, om_marks avoid, bool backwards, bool *met)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < o->n; i++)
            for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++) {
                const arc *a = &o->arcs[k];
                uint32_t from = backwards ? a->to : i, to = backwards ? i : a->to;
                if (is_arc(o, set, i, a, avoid) && met[from] && !met[to])
                    more = met[to] = true;
            }
    }
}

/* Returns the component of a state within a set, without arcs that have a mark of `avoid`. The
 * caller frees it. */
static bool *component_of(const oracle *o, const bool *set, uint32_t state, om_marks avoid)
{
    bool *there = calloc(o->n, sizeof *there), *back = calloc(o->n, sizeof *back);
    if (there == NULL || back == NULL)
        abort();
    there[state] = back[state] = true;
    reach(o, set, avoid, false, there);
    reach(o, set, avoid, true, back);
    for (uint32_t i = 0; i < o->n; i++)
        there[i] = there[i] && back[i];
    free(back);
    return there;
}

/* Returns true if the set has an arc within it; *marks: the union of the marks of these arcs. */
static bool marks_of(const oracle *o, const bool *set, om_marks avoid, om_marks *marks)
{
    bool any = false;
    *marks = 0;
    for (uint32_t i = 0; i < o->n; i++)
        for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++)
            if (is_arc(o, set, i, &o->arcs[k], avoid)) {
                any = true;
                *marks |= o->arcs[k].marks;
            }
    return any;
}

static om_marks fins_of(const om_automaton *a)
{
    size_t length;
    const om_acc *f = om_automaton_acceptance(a, &length);
    om_marks fins = 0;
    for (size_t i = 0; i < length; i++)
        if (f[i].op == OM_ACC_FIN)
            fins |= UINT64_C(1) << f[i].set;
    return fins;
}

/* Returns true if the set contains an accepting component. `left`: Fin sets that may still be
 * avoided, in ascending order, so that each subset is tried once. */
static bool accepts(const rabin *r, const oracle *o, const bool *set, om_marks avoid, om_marks left)
{
    bool *done = calloc(o->n, sizeof *done), found = false;
    if (done == NULL)
        abort();
    for (uint32_t i = 0; i < o->n && !found; i++) {
        om_marks marks;
        if (!set[i] || done[i])
            continue;
        bool *c = component_of(o, set, i, avoid);
        for (uint32_t k = 0; k < o->n; k++)
            done[k] = done[k] || c[k];
        if (marks_of(o, c, avoid, &marks)) {
            found = om_automaton_accepts_marks(r->a, marks);
            for (om_marks fins = marks & left; fins != 0 && !found; fins &= fins - 1)
                found = accepts(r, o, c, avoid | (fins & (~fins + 1)), left & (fins - 1) & fins);
        }
        free(c);
    }
    free(done);
    return found;
}

bool rabin_empty(const rabin *r, const oracle *o)
{
    bool *set = calloc(o->n, sizeof *set);
    if (set == NULL)
        abort();
    for (uint32_t i = 0; i < o->n; i++)
        set[i] = o->component[i] != OM_NONE;
    bool empty = !accepts(r, o, set, 0, fins_of(r->a));
    free(set);
    return empty;
}

bool rabin_connected(const oracle *o, const bool *set, om_marks see, om_marks avoid)
{
    om_marks marks;
    uint32_t first = 0;
    while (first < o->n && !set[first])
        first++;
    if (first == o->n || !marks_of(o, set, avoid, &marks) || (see & ~marks) != 0)
        return false;
    bool *c = component_of(o, set, first, avoid);
    bool same = memcmp(c, set, o->n * sizeof *c) == 0;
    free(c);
    return same;
}

/* ---- of co-Buchi acceptance ---- */

/* Returns the least number of arcs of the Fin set on a path to each state; OM_NONE if
 * unreachable. */
static uint32_t *distances(const rabin *r, const oracle *o)
{
    uint32_t *d = calloc(o->n, sizeof *d);
    if (d == NULL)
        abort();
    for (uint32_t i = 0; i < o->n; i++)
        d[i] = o->initial[i] ? 0 : OM_NONE;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < o->n; i++)
            for (uint32_t k = o->first[i]; d[i] != OM_NONE && k < o->first[i + 1]; k++) {
                const arc *a = &o->arcs[k];
                uint32_t there = d[i] + ((a->marks & r->pair[0].fin) != 0);
                if (there < d[a->to]) {
                    d[a->to] = there;
                    more = true;
                }
            }
    }
    return d;
}

bool co_buchi_nearest(const rabin *r, const oracle *o, uint32_t state)
{
    const om_marks fin = r->pair[0].fin;
    uint32_t *d = distances(r, o), least = OM_NONE;
    bool *set = calloc(o->n, sizeof *set);
    if (set == NULL)
        abort();
    for (uint32_t i = 0; i < o->n; i++)
        set[i] = d[i] != OM_NONE;
    bool on_one = false;
    for (uint32_t i = 0; i < o->n; i++) {
        om_marks marks;
        if (!set[i] || (d[i] >= least && i != state))
            continue;
        bool *c = component_of(o, set, i, fin);
        if (marks_of(o, c, fin, &marks)) {
            least = d[i] < least ? d[i] : least;
            on_one = on_one || i == state;
        }
        free(c);
    }
    bool nearest = on_one && d[state] == least;
    free(set);
    free(d);
    return nearest;
}
