/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tableau.c: J.-M. Couvreur, "On-the-fly verification of linear temporal logic", FM 1999, with the
 * diagrams of section 4: a formula is a Boolean function over the APs, over "g holds next" (N g)
 * and over "g is promised, but does not hold yet" (P g):
 *
 *   X g = N g      g U h = h | (P h & g & N(g U h))      g R h = h & (g | N(g R h))
 *
 * A cube of that function is an edge: its APs are the label, the conjunction of its N g is the next
 * state, and the edge is in the acceptance set of h unless P h is in the cube.
 *
 * I1: a state is such a function. Formulas with the same function have the same edges, so they are
 *     one state, identified by the reference of its diagram.
 * I2: the functions are monotone in all N and P, so no cube needs one of them negated.
 * I3: N and P are above the APs, so the cofactor by a choice of N and P is a label.
 */
#include "tableau.h"

#include <assert.h>
#include <stdlib.h>

/* Steps between two checks for a stop request. */
enum { ASK_EVERY = 4096 };

/* An edge under construction. */
typedef struct proto {
    om_bdd dst, label;
    uint64_t promises;
} proto;

/* The meaning of a level above the APs. */
typedef struct meaning {
    om_ltl_ref next;  /* N next, if not 0; */
    uint32_t promise; /* else P of this number */
} meaning;

typedef struct tableau {
    om_context *ctx;
    const om_heap *heap;
    const om_ltl *l;
    const tb_limits *limits;
    om_bdd_space *d;
    tb_graph *graph;
    om_bdd *functions;        /* per formula; OM_BDD_NONE if not computed */
    uint32_t *next, *promise; /* level of N g and of P g; OM_NONE if there is none */
    meaning levels[TB_FIRST_AP];
    uint32_t level_count;
    om_bdd *states; /* the function of each state */
    size_t state_count, state_capacity;
    uint32_t *state_of; /* by function; OM_NONE if it is no state */
    size_t state_of_size, state_of_capacity;
    proto *protos; /* of the current state */
    size_t proto_count, proto_capacity;
    size_t steps;
    int rc; /* status of emitting edges, which the diagrams do not report */
} tableau;

void tb_graph_free(tb_graph *g, const om_heap *heap)
{
    OM_FREE_ALL(heap, g->edges, g->first);
    *g = (tb_graph){ 0 };
}

int tb_graph_open_state(tb_graph *g, const om_heap *heap)
{
    if (!OM_ROOM(heap, g->first, &g->first_capacity, (size_t) g->states + 2))
        return OM_ENOMEM;
    g->first[g->states++] = g->edge_count;
    return OM_OK;
}

void tb_graph_close(tb_graph *g)
{
    assert(g->states > 0);
    g->first[g->states] = g->edge_count;
}

int tb_graph_add_edge(tb_graph *g, const om_heap *heap, tb_edge e)
{
    tb_edge *moved = om_grow(heap, g->edges, &g->edge_capacity, g->edge_count + 1, sizeof *moved);
    if (moved == NULL)
        return OM_ENOMEM;
    assert(g->states > 0 && e.src == g->states - 1 && e.label != OM_BDD_FALSE);
    g->edges = moved;
    moved[g->edge_count++] = e;
    return OM_OK;
}

static int too_large(const tableau *t, const char *what, size_t most)
{
    return om_fail(t->ctx, OM_ELIMIT, NULL,
        "the formula is too large for the built-in translator: more than %zu %s", most, what);
}

/* ---- functions ---- */

/* Allocates a level unless *level is one already. */
static int level_for(tableau *t, uint32_t *level, meaning m)
{
    if (*level != OM_NONE)
        return OM_OK;
    if (t->level_count == TB_FIRST_AP)
        return too_large(t, "temporal subformulas", TB_FIRST_AP);
    t->levels[t->level_count] = m;
    *level = t->level_count++;
    return OM_OK;
}

static om_bdd next_of(tableau *t, om_ltl_ref g, int *rc)
{
    *rc = level_for(t, &t->next[g], (meaning){ g, 0 });
    return *rc == OM_OK ? om_bdd_variable(t->d, t->next[g], true) : OM_BDD_NONE;
}

static om_bdd promise_of(tableau *t, om_ltl_ref g, int *rc)
{
    if (t->promise[g] == OM_NONE) {
        if (t->graph->sets == 64)
            *rc = too_large(t, "eventualities", 64);
        else
            *rc = level_for(t, &t->promise[g], (meaning){ 0, t->graph->sets });
        if (*rc != OM_OK)
            return OM_BDD_NONE;
        t->graph->sets++;
    }
    return om_bdd_variable(t->d, t->promise[g], true);
}

/* Computes the function of f from those of its operands. */
static int function_of(tableau *t, om_ltl_ref f)
{
    om_ltl_ref a = om_ltl_left(t->l, f), b = om_ltl_right(t->l, f);
    const om_bdd *of = t->functions;
    om_bdd_space *d = t->d;
    int rc = OM_OK;
    om_bdd value = OM_BDD_NONE;
    switch (om_ltl_operator(t->l, f)) {
    case OM_LTL_TRUE:
        value = OM_BDD_TRUE;
        break;
    case OM_LTL_FALSE:
        value = OM_BDD_FALSE;
        break;
    case OM_LTL_AP:
        value = om_bdd_variable(d, TB_FIRST_AP + a, true);
        break;
    case OM_LTL_NOT: /* of an AP */
        value = om_bdd_variable(d, TB_FIRST_AP + om_ltl_left(t->l, a), false);
        break;
    case OM_LTL_AND:
        value = om_bdd_and(d, of[a], of[b]);
        break;
    case OM_LTL_OR:
        value = om_bdd_or(d, of[a], of[b]);
        break;
    case OM_LTL_NEXT:
        value = next_of(t, a, &rc);
        break;
    case OM_LTL_UNTIL:
        value = promise_of(t, b, &rc);
        if (rc == OM_OK)
            value = om_bdd_and(d, value, next_of(t, f, &rc));
        if (rc == OM_OK)
            value = om_bdd_or(d, of[b], om_bdd_and(d, of[a], value));
        break;
    case OM_LTL_RELEASE:
        value = next_of(t, f, &rc);
        if (rc == OM_OK)
            value = om_bdd_and(d, of[b], om_bdd_or(d, of[a], value));
        break;
    default:
        return OM_EINTERNAL; /* not in the required normal form */
    }
    t->functions[f] = value;
    return rc != OM_OK ? rc : om_bdd_space_status(d);
}

/* Computes the functions of all subformulas of f, operands first: they have smaller references. */
static int all_functions(tableau *t, om_ltl_ref f)
{
    int rc = OM_OK;
    uint8_t *needed = om_alloc(t->heap, (size_t) f + 1, 1);
    if (needed == NULL)
        return OM_ENOMEM;
    needed[f] = 1;
    for (om_ltl_ref g = f; g > 0; g--) {
        om_ltl_op op = om_ltl_operator(t->l, g);
        if (!needed[g] || op == OM_LTL_AP)
            continue;
        needed[om_ltl_left(t->l, g)] = 1; /* index 0 if there is none */
        needed[om_ltl_right(t->l, g)] = 1;
    }
    for (om_ltl_ref g = 1; g <= f && rc == OM_OK; g++)
        if (needed[g])
            rc = function_of(t, g);
    om_free(t->heap, needed);
    return rc;
}

/* ---- edges ---- */

static om_bdd emit(tableau *t, om_bdd label, om_bdd dst, uint64_t promises)
{
    assert(label != OM_BDD_FALSE && dst != OM_BDD_FALSE);
    if (t->graph->edge_count + t->proto_count >= t->limits->edges) {
        t->rc = too_large(t, "edges", t->limits->edges);
        return OM_BDD_NONE;
    }
    if (!OM_ROOM(t->heap, t->protos, &t->proto_capacity, t->proto_count + 1)) {
        t->rc = OM_ENOMEM;
        return OM_BDD_NONE;
    }
    t->protos[t->proto_count++] = (proto){ dst, label, promises };
    return label;
}

/*
 * Emits edges to states within `dst`, owing `promises`, that cover `lower` and nothing outside
 * `upper`; returns the function that they cover. Minato's recursion (see omen/plugin/bdd.h) for
 * functions that are monotone in the top variable. Once a choice of N and P is complete, the label
 * is exactly the function still to be covered, which keeps edges disjoint and many states
 * deterministic. Cubes whose next state is false cover nothing and are left out.
 */
static om_bdd cover(tableau *t, om_bdd lower, om_bdd upper, om_bdd dst, uint64_t promises)
{
    om_bdd_space *d = t->d;
    if (t->rc != OM_OK || lower == OM_BDD_NONE || upper == OM_BDD_NONE || dst == OM_BDD_NONE)
        return OM_BDD_NONE;
    if (lower == OM_BDD_FALSE || dst == OM_BDD_FALSE)
        return OM_BDD_FALSE;
    uint32_t level = om_bdd_level(d, upper);
    if (om_bdd_level(d, lower) < level)
        level = om_bdd_level(d, lower);
    if (level >= TB_FIRST_AP)
        return emit(t, lower, dst, promises);
    if (++t->steps > t->limits->steps) {
        t->rc = too_large(t, "steps", t->limits->steps);
        return OM_BDD_NONE;
    }
    if (t->steps % ASK_EVERY == 0 && (t->rc = om_context_stopped(t->ctx)) != OM_OK)
        return OM_BDD_NONE;
    assert(level < t->level_count); /* I3 */
    const meaning *m = &t->levels[level];
    om_bdd lower0 = om_bdd_cofactor(d, lower, level, false);
    om_bdd lower1 = om_bdd_cofactor(d, lower, level, true);
    om_bdd upper0 = om_bdd_cofactor(d, upper, level, false);
    om_bdd upper1 = om_bdd_cofactor(d, upper, level, true);
    om_bdd in = m->next == 0 ? dst : om_bdd_and(d, dst, t->functions[m->next]);
    uint64_t owed = m->next == 0 ? promises | UINT64_C(1) << m->promise : promises;

    om_bdd with = cover(t, om_bdd_minus(d, lower1, upper0), upper1, in, owed);
    om_bdd rest = om_bdd_or(d, lower0, om_bdd_and(d, om_bdd_minus(d, lower1, with), upper0));
    om_bdd without = cover(t, rest, upper0, dst, promises);
    return om_bdd_ite(d, om_bdd_variable(d, level, true), om_bdd_or(d, with, without), without);
}

static int by_target(const void *a, const void *b)
{
    const proto *x = a, *y = b;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return x->promises < y->promises ? -1 : x->promises > y->promises;
}

/* Merges edges that differ only in their labels. */
static void unite_protos(tableau *t)
{
    size_t to = 0;
    if (t->proto_count > 1)
        qsort(t->protos, t->proto_count, sizeof *t->protos, by_target);
    for (size_t i = 0; i < t->proto_count; i++) {
        const proto *p = &t->protos[i];
        if (to > 0 && by_target(&t->protos[to - 1], p) == 0)
            t->protos[to - 1].label = om_bdd_or(t->d, t->protos[to - 1].label, p->label);
        else
            t->protos[to++] = *p;
    }
    t->proto_count = to;
}

/* Gives the number of the state with this function, new or not. */
static int state_for(tableau *t, om_bdd function, uint32_t *state)
{
    assert(function != OM_BDD_NONE);
    size_t had = t->state_of_size;
    if (!OM_ROOM(t->heap, t->state_of, &t->state_of_capacity, (size_t) function + 1))
        return OM_ENOMEM;
    for (; had < t->state_of_capacity; had++)
        t->state_of[had] = OM_NONE;
    t->state_of_size = had;
    if (t->state_of[function] == OM_NONE) {
        if (!OM_ROOM(t->heap, t->states, &t->state_capacity, t->state_count + 1))
            return OM_ENOMEM;
        if (t->state_count == t->limits->states)
            return too_large(t, "states", t->limits->states);
        t->states[t->state_count] = function;
        t->state_of[function] = (uint32_t) t->state_count++;
    }
    *state = t->state_of[function];
    return OM_OK;
}

static int expand(tableau *t, uint32_t state)
{
    om_bdd function = t->states[state];
    assert(state == t->graph->states); /* states are expanded in order */
    t->proto_count = 0;
    int rc = tb_graph_open_state(t->graph, t->heap);
    (void) cover(t, function, function, OM_BDD_TRUE, 0);
    unite_protos(t);
    if (rc == OM_OK)
        rc = t->rc != OM_OK ? t->rc : om_bdd_space_status(t->d);
    for (size_t i = 0; i < t->proto_count && rc == OM_OK; i++) {
        const proto *p = &t->protos[i];
        tb_edge e = { .src = state, .marks = ~p->promises, .label = p->label };
        if (t->graph->sets < 64)
            e.marks &= (UINT64_C(1) << t->graph->sets) - 1;
        rc = state_for(t, p->dst, &e.dst);
        if (rc == OM_OK)
            rc = tb_graph_add_edge(t->graph, t->heap, e);
    }
    return rc;
}

static int run(tableau *t, om_ltl_ref f)
{
    size_t n = (size_t) f + 1;
    if (!OM_NEW(t->heap, t->functions, n) || !OM_NEW(t->heap, t->next, n) ||
        !OM_NEW(t->heap, t->promise, n))
        return OM_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        t->functions[i] = OM_BDD_NONE;
        t->next[i] = t->promise[i] = OM_NONE;
    }
    uint32_t state = 0;
    int rc = all_functions(t, f);
    if (rc == OM_OK)
        rc = state_for(t, t->functions[f], &state);
    for (; rc == OM_OK && state < t->state_count; state++) {
        rc = om_context_stopped(t->ctx);
        if (rc == OM_OK)
            rc = expand(t, state);
    }
    if (rc == OM_OK)
        tb_graph_close(t->graph);
    return rc;
}

int tb_build(om_context *ctx, const om_ltl *l, om_ltl_ref f, const tb_limits *limits,
    om_bdd_space *d, tb_graph *out)
{
    const om_heap *heap = om_context_heap(ctx);
    tb_graph graph = { 0 };
    tableau *t = om_alloc(heap, 1, sizeof *t);
    if (t == NULL)
        return OM_ENOMEM;
    t->ctx = ctx;
    t->heap = heap;
    t->l = l;
    t->limits = limits;
    t->d = d;
    t->graph = &graph;
    int rc = run(t, f);
    /* The first message is kept: this one is for the limit of the diagrams. */
    if (rc == OM_ELIMIT && om_context_stopped(ctx) == OM_OK)
        (void) too_large(t, "diagram nodes", limits->nodes);
    OM_FREE_ALL(heap, t->functions, t->next, t->promise, t->states, t->state_of, t->protos, t);
    if (rc == OM_OK)
        *out = graph;
    else
        tb_graph_free(&graph, heap);
    return rc;
}
