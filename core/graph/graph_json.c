/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON format: an object with the names of the variables, the labels and positions of the
 * transitions, and one line for each state: its values, in the order of the variables, and its
 * edges as pairs of a transition and a state. Values are written as in lassos.
 * hosts/cli/schema/graph.json.in describes the format.
 */
#include "graph_formats.h"

#include "model.h"
#include "values.h"

static void put_transitions(const om_model *m, om_text *out)
{
    om_text label = { .heap = out->heap };
    om_text_add(out, " \"transition_table\": [");
    for (uint32_t i = 0; i < om_model_transition_count(m); i++) {
        om_text_printf(out, "%s\n  {\"label\": ", i == 0 ? "" : ",");
        label.length = 0;
        om_graph__put_label(m, i, &label);
        om_text_add_json(out, label.text == NULL ? "" : label.text);
        om_text_add(out, ", \"place\": ");
        label.length = 0;
        om_text_add(&label, "");
        om_lasso_put_place(&om_model_transition(m, i)->place, &label);
        om_text_add_json(out, label.length == 0 ? "" : label.text);
        om_text_add(out, "}");
    }
    om_text_add(out, "],\n");
    out->failed = out->failed || label.failed;
    om_text_free(&label);
}

static void begin(const om_graph *g, om_text *out)
{
    const om_model_form form = om_model__form_of(g->model);
    om_text_add(out, "{\n \"schema\": 1,\n \"model\": ");
    om_text_add_json(out, om_model_name(g->model));
    om_text_printf(out,
        ",\n \"reset_dead\": %s,\n \"overflow\": \"%s\",\n \"states\": %" PRIu64
        ",\n \"transitions\": %" PRIu64 ",\n \"initial\": 0,\n \"vars\": [",
        form.reset_dead ? "true" : "false", om_lasso__overflow_name(form.overflow), g->states,
        g->edges);
    for (uint32_t i = 0; i < om_model_shown_slots(g->model); i++) {
        om_text_add(out, i == 0 ? "" : ", ");
        om_text_add_json(out, om_model_slot(g->model, i)->name);
    }
    om_text_add(out, "],\n");
    put_transitions(g->model, out);
    om_text_add(out, " \"graph\": [");
}

static void state(const om_graph *g, const om_graph_state *s, om_text *out)
{
    om_text_printf(out, "%s\n  {\"values\": [", s->number == 0 ? "" : ",");
    for (uint32_t i = 0; i < om_model_shown_slots(g->model); i++) {
        om_text_add(out, i == 0 ? "" : ", ");
        om_lasso__put_slot(om_model_slot(g->model, i), s->vector, out);
    }
    om_text_add(out, "], \"edges\": [");
    for (size_t i = 0; i < s->edge_count; i++)
        om_text_printf(out, "%s[%" PRIu32 ", %" PRIu64 "]", i == 0 ? "" : ", ",
            s->edges[i].transition, s->edges[i].to);
    om_text_add(out, "]}");
}

static void end(const om_graph *g, om_text *out)
{
    (void) g;
    om_text_add(out, "\n ]\n}\n");
}

const om_graph_format om_graph__json = { begin, state, end };
