/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin.c: the translator that is always available. Normal form, tableau (tableau.c), clean-up
 * (bisimulation.c), and reduction (reduce_passes.c). All state is local to the call.
 */
#include <omen/plugin/translate.h>

#include "tableau.h"

enum { OPTION_STATES, OPTION_EDGES, OPTION_REDUCE };

static const om_option options[] = {
    { "states", 100000, 1, 10000000, "give up beyond this many states of the tableau" },
    { "edges", 2000000, 1, 100000000, "give up beyond this many edges of the tableau" },
    { "reduce", 1, 0, 1, "merge states that simulate each other, minimise obligations" },
    { NULL, 0, 0, 0, NULL },
};

/* Limits that are no options: about half a gigabyte of diagram nodes, and about ten seconds. */
enum { MOST_NODES = 8000000, MOST_STEPS = 10000000 };

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
    bool reduce = options[OPTION_REDUCE].dflt != 0;
    if (values != NULL) {
        limits.states = (size_t) values[OPTION_STATES];
        limits.edges = (size_t) values[OPTION_EDGES];
        reduce = values[OPTION_REDUCE] != 0;
    }
    int rc = om_bdd_space_new(&d, ctx, limits.nodes);
    om_ltl_ref normal = rc == OM_OK ? om_ltl_nnf(l, f, false, false) : 0;
    if (rc == OM_OK && normal == 0)
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = tb_build(ctx, l, normal, &limits, d, &graph);
    if (rc == OM_OK)
        rc = tb_clean(ctx, l, d, &graph);
    if (rc == OM_OK && reduce)
        rc = tb_reduce(ctx, l, normal, d, &graph);
    if (rc == OM_OK)
        rc = tb_automaton(ctx, l, &graph, d, &a);
    if (rc == OM_OK)
        rc = name_it(ctx, l, f, a);
    if (rc == OM_ENOMEM)
        rc = om_fail_memory(ctx);
    else if (rc == OM_ELIMIT && om_context_stopped(ctx) == OM_OK) /* a diagram exceeded its limit */
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
