/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.c: the order of the passes that make a graph smaller. Clean-up and bisimulation
 * (quotient.c) come before and after each simulation (simulate.c), which leaves states that nothing
 * leads to, and marks on what is no cycle any more; pruning (prune.c) comes behind the simulations
 * of a round, which find more to merge before it. Rounds go on for as long as there are fewer
 * states or edges than before. Then obligations are minimised (obligation.c). What is not smaller
 * than what simulations have left is deterministic at least, and makes for smaller products: so it
 * may have a few states more.
 *
 * A pass that is too much work is given up, and costs nothing but that work.
 */
#include "tableau.h"

/* The cubes of a label. */
enum { MOST_CUBES = 1 << 20, MOST_ROUNDS = 20, MOST_WORK = 4000000 /* of simulations */ };
/* States that determinism is worth. */
enum { MOST_MORE = 2 };
/* Of diagrams, a pass. */
enum { MOST_NODES = 500000 };

int tb_automaton(
    om_context *ctx, const om_ltl *l, const tb_graph *g, om_bdd_space *d, om_automaton **out)
{
    const char *names[64];
    om_automaton *a = NULL;
    om_cube_list cubes = { 0 };
    uint32_t first, count = om_ltl_ap_count(l);
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

/* One simulation and the clean-up after it. OM_ELIMIT: it was too much, *g is as it was. */
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
            return om_context_stopped(ctx); /* what was done so far is good */
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

/* ---- each pass in a space of its own ---- */

typedef struct copier {
    om_bdd_space *from, *to;
    om_bdd *known; /* copies by reference, OM_BDD_NONE where there is none yet */
} copier;

/* As deep as there are APs. */
static om_bdd copy_label(copier *c, om_bdd f)
{
    uint32_t level = om_bdd_level(c->from, f);
    if (level == OM_NONE) /* a constant, in every space the same */
        return f;
    if (c->known[f] == OM_BDD_NONE) {
        om_bdd low = copy_label(c, om_bdd_cofactor(c->from, f, level, false));
        om_bdd high = copy_label(c, om_bdd_cofactor(c->from, f, level, true));
        c->known[f] = om_bdd_ite(c->to, om_bdd_variable(c->to, level, true), high, low);
    }
    return c->known[f];
}

/* The same graph with labels in another space. */
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

/* In a context and a space of its own, so that a limit that a pass comes to is nobody else's. */
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
        if (rc == OM_ELIMIT) /* g is as it was, and that will do */
            rc = om_context_stopped(ctx);
        if (rc == OM_OK)
            rc = om_bdd_space_status(d);
    }
    return rc;
}
