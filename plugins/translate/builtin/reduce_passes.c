/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_passes.c: the sequence of passes that reduce a graph. Clean-up and bisimulation
 * (bisimulation.c) run before and after each simulation (direct_simulation.c), which leaves
 * unreachable states, and marks on edges that are on no cycle any more. Pruning (prune.c) comes
 * after the simulations of a round, because they find more to merge before it. Rounds continue as
 * long as the number of states or edges decreases. Then obligations are minimised (obligation.c).
 * That result is taken even if it has a few states more: it is deterministic, which makes products
 * smaller.
 *
 * A pass that takes too much work is abandoned, and the graph stays as it was.
 */
#include "tableau.h"

#include <assert.h>

/* MOST_CUBES: of a label. */
enum { MOST_CUBES = 1 << 20, MOST_ROUNDS = 20, MOST_WORK = 4000000 /* of simulations */ };
/* Additional states accepted for a deterministic automaton. */
enum { MOST_MORE = 2 };
/* Limit of diagram nodes of a pass. */
enum { MOST_NODES = 500000 };

int tb_automaton(
    om_context *ctx, const om_ltl *l, const tb_graph *g, om_bdd_space *d, om_automaton **out)
{
    const char *names[64];
    om_automaton *a = NULL;
    om_cube_list cubes = { 0 };
    uint32_t first, count = om_ltl_ap_count(l);
    assert(count <= 64);
    for (uint32_t i = 0; i < count; i++)
        names[i] = om_ltl_ap_name(l, i);
    int rc = om_automaton_new(&a, ctx, count, names);
    if (rc == OM_OK)
        rc = om_automaton_add_states(a, g->states, &first);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(a, 0);
    for (size_t i = 0; i < g->edge_count && rc == OM_OK; i++) {
        const tb_edge *e = &g->edges[i];
        rc = om_bdd_cubes(d, e->label, TB_FIRST_AP, MOST_CUBES, &cubes);
        if (rc == OM_OK)
            rc = om_automaton_add_edge(
                a, e->src, e->dst, e->marks, cubes.cubes, (uint32_t) cubes.count);
    }
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, g->sets);
    if (rc == OM_OK)
        rc = om_automaton_finish(a);
    om_free(om_context_heap(ctx), cubes.cubes);
    if (rc == OM_OK)
        *out = a;
    else
        om_automaton_free(a);
    return rc;
}

static void replace(tb_graph *g, tb_graph *by, const om_heap *heap)
{
    tb_graph_free(g, heap);
    *g = *by;
    *by = (tb_graph){ 0 };
}

static int find_sccs(
    om_context *ctx, const om_ltl *l, const tb_graph *g, om_bdd_space *d, om_sccs *sccs)
{
    om_automaton *a = NULL;
    int rc = tb_automaton(ctx, l, g, d, &a);
    if (rc == OM_OK)
        rc = om_automaton_sccs(a, ctx, sccs);
    om_automaton_free(a);
    return rc;
}

int tb_clean(om_context *ctx, const om_ltl *l, om_bdd_space *d, tb_graph *g)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0 };
    tb_graph next = { 0 };
    int rc = find_sccs(ctx, l, g, d, &sccs);
    if (rc == OM_OK)
        rc = tb_quotient(ctx, g, &sccs, d, &next);
    if (rc == OM_OK)
        replace(g, &next, heap);
    om_sccs_free(&sccs, heap);
    return rc;
}

/* Runs one simulation and the clean-up after it. Returns OM_ELIMIT if that takes too much work; *g
 * is then unchanged, or lacks only the clean-up. */
static int simulate(
    om_context *ctx, const om_ltl *l, om_bdd_space *d, unsigned how, size_t *work, tb_graph *g)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0 };
    tb_graph next = { 0 };
    int rc = find_sccs(ctx, l, g, d, &sccs);
    if (rc == OM_OK)
        rc = tb_simulate(ctx, g, &sccs, d, how, work, &next);
    if (rc == OM_OK) {
        replace(g, &next, heap);
        rc = tb_clean(ctx, l, d, g);
    }
    om_sccs_free(&sccs, heap);
    return rc;
}

static int simulations(om_context *ctx, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g)
{
    static const unsigned order[] = { 0, TB_BACKWARDS, TB_GENEROUS, TB_BACKWARDS | TB_GENEROUS,
        TB_PRUNE };
    enum { ORDER = sizeof order / sizeof *order };
    size_t work = MOST_WORK;
    unsigned idle = 0; /* simulations in a row that changed nothing */
    (void) f;
    for (unsigned i = 0; idle < ORDER && i < ORDER * MOST_ROUNDS; i++) {
        uint32_t states = g->states;
        size_t edges = g->edge_count;
        int rc = simulate(ctx, l, d, order[i % ORDER], &work, g);
        if (rc == OM_ELIMIT && om_bdd_space_status(d) == OM_OK)
            return om_context_stopped(ctx); /* the results so far are valid */
        if (rc != OM_OK)
            return rc;
        idle = g->states == states && g->edge_count == edges ? idle + 1 : 0;
    }
    return OM_OK;
}

static int obligation(om_context *ctx, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g)
{
    const om_heap *heap = om_context_heap(ctx);
    tb_graph weak = { 0 };
    int rc = tb_obligation(ctx, l, f, g, d, &weak);
    if (rc == OM_OK && weak.states > 0 && weak.states <= g->states + MOST_MORE)
        rc = tb_clean(ctx, l, d, &weak);
    if (rc == OM_OK && weak.states > 0 && weak.states <= g->states + MOST_MORE)
        replace(g, &weak, heap);
    tb_graph_free(&weak, heap);
    return rc;
}

/* ---- each pass in its own space of diagrams ---- */

typedef struct copier {
    om_bdd_space *from, *to;
    om_bdd *known; /* copies by reference; OM_BDD_NONE: not copied yet */
} copier;

/* Copies a label to the other space. The depth is the number of APs. */
static om_bdd copy_label(copier *c, om_bdd f)
{
    uint32_t level = om_bdd_level(c->from, f);
    if (level == OM_NONE) /* constants are the same in every space */
        return f;
    assert(level >= TB_FIRST_AP); /* a label is a function of APs */
    if (c->known[f] == OM_BDD_NONE) {
        om_bdd low = copy_label(c, om_bdd_cofactor(c->from, f, level, false));
        om_bdd high = copy_label(c, om_bdd_cofactor(c->from, f, level, true));
        c->known[f] = om_bdd_ite(c->to, om_bdd_variable(c->to, level, true), high, low);
    }
    return c->known[f];
}

/* Copies a graph, with its labels in another space. */
static int copy_graph(
    const om_heap *heap, om_bdd_space *from, om_bdd_space *to, const tb_graph *g, tb_graph *out)
{
    size_t nodes = om_bdd_space_count(from);
    copier c = { from, to, om_alloc(heap, nodes, sizeof *c.known) };
    int rc = c.known == NULL ? OM_ENOMEM : OM_OK;
    for (size_t i = 0; i < nodes && rc == OM_OK; i++)
        c.known[i] = OM_BDD_NONE;
    out->sets = g->sets;
    for (uint32_t s = 0; s < g->states && rc == OM_OK; s++) {
        rc = tb_graph_open_state(out, heap);
        for (size_t i = g->first[s]; i < g->first[s + 1] && rc == OM_OK; i++) {
            tb_edge e = g->edges[i];
            e.label = copy_label(&c, e.label);
            rc = tb_graph_add_edge(out, heap, e);
        }
    }
    if (rc == OM_OK) {
        tb_graph_close(out);
        rc = om_bdd_space_status(to);
    }
    om_free(heap, c.known);
    return rc;
}

typedef int pass(om_context *ctx, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g);

/* Runs a pass in its own context and space, so that its limits affect no other pass. */
static int try_pass(
    pass *run, om_context *below, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g)
{
    const om_heap *heap = om_context_heap(below);
    om_bdd_space *own = NULL;
    tb_graph graph = { 0 }, back = { 0 };
    int rc = om_bdd_space_new(&own, below, MOST_NODES);
    if (rc == OM_OK)
        rc = copy_graph(heap, d, own, g, &graph);
    if (rc == OM_OK)
        rc = run(below, l, f, own, &graph);
    if (rc == OM_OK)
        rc = copy_graph(heap, own, d, &graph, &back);
    if (rc == OM_OK)
        replace(g, &back, heap);
    tb_graph_free(&back, heap);
    tb_graph_free(&graph, heap);
    om_bdd_space_free(own);
    return rc;
}

int tb_reduce(om_context *ctx, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g)
{
    static pass *const passes[] = { simulations, obligation };
    int rc = OM_OK;
    for (size_t i = 0; i < sizeof passes / sizeof *passes && rc == OM_OK; i++) {
        om_context *below = NULL;
        rc = om_context_new_below(&below, ctx);
        if (rc == OM_OK)
            rc = try_pass(passes[i], below, l, f, d, g);
        om_context_free(below);
        if (rc == OM_ELIMIT) /* g is unchanged and valid */
            rc = om_context_stopped(ctx);
        if (rc == OM_OK)
            rc = om_bdd_space_status(d);
    }
    return rc;
}
