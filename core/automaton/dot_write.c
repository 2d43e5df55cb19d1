/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes automata as graphs for Graphviz (dot): a circle for each state, a sourceless arrow to each
 * initial one, labels as formulas of propositions, acceptance sets in braces. If components are
 * given, each component with a cycle gets a box in the colour of its strength.
 */
#include "dot.h"
#include "tela.h"

#include <string.h>

/* Returns true if dot would read `s`, which begins with an ampersand, as an HTML entity. */
static bool is_entity(const char *s)
{
    size_t n = strspn(s + 1, "#0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    return n > 0 && s[n + 1] == ';';
}

void om_dot__put(const char *s, om_text *out)
{
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            om_text_add(out, "\\");
        om_text_add_n(out, (unsigned char) *s < ' ' ? " " : s, 1);
        if (*s == '&' && is_entity(s))
            om_text_add(out, "amp;");
    }
}

static void put_cube(const om_automaton *a, om_cube c, om_text *t)
{
    const char *between = "";
    if ((c.pos | c.neg) == 0)
        om_text_add(t, "true");
    for (uint32_t i = 0; i < a->ap_count; i++) {
        if ((((c.pos | c.neg) >> i) & 1) == 0)
            continue;
        om_text_printf(t, "%s%s", between, ((c.neg >> i) & 1) != 0 ? "!" : "");
        om_dot__put(a->aps[i], t);
        between = " & ";
    }
}

static void put_edge(const om_automaton *a, const om_edge *e, om_text *t)
{
    om_text_printf(t, "  s%u -> s%u [label=\"", e->src, e->dst);
    for (uint32_t i = 0; i < e->cube_count; i++) {
        om_text_add(t, i == 0 ? "" : "\\n| ");
        put_cube(a, a->cubes[e->cube_begin + i], t);
    }
    const char *before = "\\n{";
    for (uint32_t i = 0; i < 64; i++)
        if (((e->marks >> i) & 1) != 0) {
            om_text_printf(t, "%s%u", before, i);
            before = " ";
        }
    om_text_add(t, e->marks != 0 ? "}\"];\n" : "\"];\n");
}

static const char *colour_of(om_strength s)
{
    return s == OM_TERMINAL ? "forestgreen"
           : s == OM_WEAK   ? "orange"
           : s == OM_STRONG ? "red"
                            : "gray";
}

/* Returns true if some edge of the state stays within its component. */
static bool has_cycle(const om_automaton *a, const om_sccs *sccs, uint32_t state)
{
    uint32_t n = 0;
    const om_edge *e = om_automaton_edges(a, state, &n);
    for (uint32_t i = 0; i < n; i++)
        if (sccs->component[e[i].dst] == sccs->component[state])
            return true;
    return false;
}

static int put_clusters(const om_automaton *a, const om_sccs *sccs, om_text *t)
{
    uint32_t *states = NULL;
    int rc = om_sccs_states(sccs, a->ctx, a->states, &states);
    if (rc != OM_OK)
        return rc;
    for (uint32_t k = 0, at = 0; k < sccs->count; at += sccs->size[k++]) {
        if (!has_cycle(a, sccs, states[at]))
            continue;
        om_text_printf(t, "  subgraph cluster_%u {\n    label=\"%s\"; color=%s; penwidth=2;\n   ",
            k, om_strength_name(sccs->strength[k]), colour_of(sccs->strength[k]));
        for (uint32_t i = 0; i < sccs->size[k]; i++)
            om_text_printf(t, " s%u;", states[at + i]);
        om_text_add(t, "\n  }\n");
    }
    om_free(a->heap, states);
    return OM_OK;
}

int om_dot_write(const om_automaton *a, const om_sccs *sccs, om_text *out)
{
    om_text_add(out, "digraph automaton {\n  rankdir=LR;\n  labelloc=t;\n  label=\"");
    if (a->name != NULL) {
        om_dot__put(a->name, out);
        om_text_add(out, "\\n");
    }
    om_text_printf(out, "Acceptance: %u ", a->sets);
    int rc = om_acc__write(a, out);
    om_text_add(out, "\";\n  node [shape=circle];\n");
    for (size_t i = 0; i < a->initial_count; i++)
        om_text_printf(out, "  i%zu [label=\"\", shape=none, width=0, height=0];\n  i%zu -> s%u;\n",
            i, i, a->initial[i]);
    for (uint32_t s = 0; s < a->states; s++)
        om_text_printf(out, "  s%u [label=\"%u\"];\n", s, s);
    if (rc == OM_OK && sccs != NULL)
        rc = put_clusters(a, sccs, out);
    for (uint32_t s = 0; s < a->states; s++) {
        uint32_t n = 0;
        const om_edge *edges = om_automaton_edges(a, s, &n);
        for (uint32_t i = 0; i < n; i++)
            put_edge(a, &edges[i], out);
    }
    om_text_add(out, "}\n");
    if (rc == OM_OK)
        rc = om_text_status(out);
    return rc == OM_ENOMEM ? om_fail_memory(a->ctx) : rc;
}
