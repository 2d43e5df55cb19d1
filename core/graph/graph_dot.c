/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphviz format: a box for each state with its values, a sourceless arrow to the initial state, a
 * double border around a deadlock, and the label of its transition on each edge.
 */
#include "graph_formats.h"

#include "dot.h"
#include "model.h"
#include "values.h"

static void begin(const om_graph *g, om_text *out)
{
    om_text_add(out, "digraph states {\n  labelloc=t;\n  label=\"");
    om_dot__put(om_model_name(g->model), out);
    om_text_printf(out,
        "\\n%" PRIu64 " states, %" PRIu64 " transitions\";\n  node [shape=box];\n"
        "  initial [label=\"\", shape=none, width=0, height=0];\n  initial -> s0;\n",
        g->states, g->edges);
}

static void put_values(const om_model *m, const uint32_t *vector, om_text *out)
{
    for (uint32_t i = 0; i < om_model_shown_slots(m); i++) {
        const om_slot *slot = om_model_slot(m, i);
        om_dot__put(slot->name, out);
        om_text_add(out, slot->length == 0 ? " = " : " = [");
        for (uint32_t e = 0; e < om_lasso__elements(slot); e++) {
            const char *name = om_slot__name_of(slot, om_slot_get(slot, vector, e));
            om_text_add(out, e == 0 ? "" : ", ");
            if (name != NULL)
                om_dot__put(name, out);
            else
                om_lasso_put_value(slot, vector, e, out);
        }
        om_text_add(out, slot->length == 0 ? "\\l" : "]\\l");
    }
}

static void state(const om_graph *g, const om_graph_state *s, om_text *out)
{
    om_text label = { .heap = out->heap };
    om_text_printf(out, "  s%" PRIu64 " [label=\"", s->number);
    put_values(g->model, s->vector, out);
    om_text_add(out, s->edge_count == 0 ? "\", peripheries=2];\n" : "\"];\n");
    for (size_t i = 0; i < s->edge_count; i++) {
        label.length = 0;
        om_graph__put_label(g->model, s->edges[i].transition, &label);
        om_text_printf(out, "  s%" PRIu64 " -> s%" PRIu64 " [label=\"", s->number, s->edges[i].to);
        om_dot__put(label.text == NULL ? "" : label.text, out);
        om_text_add(out, "\"];\n");
    }
    out->failed = out->failed || label.failed;
    om_text_free(&label);
}

static void end(const om_graph *g, om_text *out)
{
    (void) g;
    om_text_add(out, "}\n");
}

const om_graph_format om_graph__dot = { begin, state, end };
