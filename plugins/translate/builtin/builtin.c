/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin.c: the translator that is always there. Normal form, tableau (tableau.c), the strongly
 * connected components of that, quotient (quotient.c). All state belongs to the call.
 */
#include <omen/plugin/translate.h>

#include "tableau.h"

enum { OPTION_STATES, OPTION_EDGES };

static const om_option options[] = {
    { "states", 100000, 1, 10000000, "give up beyond this many states of the tableau" },
    { "edges", 2000000, 1, 100000000, "give up beyond this many edges of the tableau" },
    { NULL, 0, 0, 0, NULL },
};

/* Beside those, which are for the user to choose: half a gigabyte, or ten seconds or so. */
enum { MOST_NODES = 8000000, MOST_STEPS = 10000000, MOST_CUBES = 1 << 20 /* of a label */ };

/* The automaton of a graph, over all APs of the arena. */
static int make_automaton(
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

/* The graph with its components cleaned and its equal states merged, as an automaton. */
static int finish(
    om_context *ctx, const om_ltl *l, const tb_graph *g, om_bdd_space *d, om_automaton **out)
{
    om_automaton *rough = NULL;
    om_sccs sccs = { 0 };
    tb_graph small = { 0 };
    int rc = make_automaton(ctx, l, g, d, &rough);
    if (rc == OM_OK)
        rc = om_automaton_sccs(rough, ctx, &sccs);
    if (rc == OM_OK)
        rc = tb_quotient(ctx, g, &sccs, d, &small);
    if (rc == OM_OK)
        rc = make_automaton(ctx, l, &small, d, out);
    tb_graph_free(&small, om_context_heap(ctx));
    om_sccs_free(&sccs, om_context_heap(ctx));
    om_automaton_free(rough);
    return rc;
}

static int name_it(om_context *ctx, const om_ltl *l, om_ltl_ref f, om_automaton *a)
{
    om_text name = { .heap = om_context_heap(ctx) };
    int rc = om_ltl_print(l, f, &name);
    if (rc == OM_OK)
        rc = om_automaton_set_name(a, name.text);
    om_text_free(&name);
    return rc;
}

static int translate(
    om_context *ctx, om_ltl *l, om_ltl_ref f, const int64_t *values, om_automaton **out)
{
    tb_limits limits = { .states = (size_t) options[OPTION_STATES].dflt,
        .edges = (size_t) options[OPTION_EDGES].dflt,
        .nodes = MOST_NODES,
        .steps = MOST_STEPS };
    const om_heap *heap = om_context_heap(ctx);
    tb_graph graph = { 0 };
    om_bdd_space *d = NULL;
    om_automaton *a = NULL;
    if (values != NULL) {
        limits.states = (size_t) values[OPTION_STATES];
        limits.edges = (size_t) values[OPTION_EDGES];
    }
    int rc = om_bdd_space_new(&d, ctx, limits.nodes);
    om_ltl_ref normal = rc == OM_OK ? om_ltl_nnf(l, f, false, false) : 0;
    if (rc == OM_OK && normal == 0)
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = tb_build(ctx, l, normal, &limits, d, &graph);
    if (rc == OM_OK)
        rc = finish(ctx, l, &graph, d, &a);
    if (rc == OM_OK)
        rc = name_it(ctx, l, f, a);
    if (rc == OM_ENOMEM)
        rc = om_fail_memory(ctx);
    else if (rc == OM_ELIMIT && om_context_stopped(ctx) == OM_OK) /* a diagram outgrew its limit */
        (void) om_fail(ctx, rc, NULL, "the formula is too large for the built-in translator");
    tb_graph_free(&graph, heap);
    om_bdd_space_free(d);
    if (rc == OM_OK)
        *out = a;
    else
        om_automaton_free(a);
    return rc;
}

OM_API extern const om_translator omen_plugin;
const om_translator omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_translator, OM_PLUGIN_TRANSLATOR, "builtin",
        "LTL to generalized Buchi automata by Couvreur's tableau",
        "Couvreur, On-the-fly verification of linear temporal logic, FM 1999", options),
    .translate = translate,
    .rank = 50,
};
