/* SPDX-License-Identifier: Apache-2.0 */
/* A graph for Graphviz (dot): a box for each state with its changes, an arrow for each transition,
 * and a frame around the cycle. */
#include "chart.h"
#include "escape.h"
#include "formats.h"
#include "printed.h"
#include "states.h"
#include "values.h"

enum { CHANGES_MOST = 32 }; /* lines of a box */

/* Writes each of the lines on a line of its own, aligned to the left. */
static void put_lines(const om_text *lines, om_text *out)
{
    om_text line = { .heap = out->heap };
    for (const char *at = lines->text; at != NULL && *at != '\0';) {
        const char *end = at;
        while (*end != '\0' && *end != '\n')
            end++;
        line.length = 0;
        om_text_add_n(&line, at, (size_t) (end - at));
        if (!line.failed)
            om_lasso__put_dot(line.text, out);
        om_text_add(out, "\\l");
        at = end + (*end == '\n');
    }
    out->failed = out->failed || line.failed;
    om_text_free(&line);
}

static void put_state(const om_lasso *l, const om_model *m, size_t i, const uint32_t *state,
    const uint32_t *before, om_text *out)
{
    om_text changes = { .heap = out->heap };
    om_lasso__put_changes(m, state, before, "\n", CHANGES_MOST, &changes);
    om_text_printf(out, "    s%zu [label=\"%zu\\n", i, i);
    put_lines(&changes, out);
    if (i + 1 == l->bad_prefix)
        om_text_add(out,
            "violated: every continuation\\nviolates the property\\n\", color=\"#b3261e\", "
            "fontcolor=\"#b3261e");
    om_text_add(out, i == 0 ? "\", penwidth=2];\n" : "\"];\n");
    out->failed = out->failed || changes.failed;
    om_text_free(&changes);
}

static void put_edge(const om_chart *c, size_t step, const char *printed, om_text *out)
{
    const om_chart_move *v = om_chart__move(c, step);
    om_text_printf(out, "  s%zu -> s%zu [label=\"", step - 1, om_chart__state_of(c, step));
    if (v == NULL)
        om_text_add(out, "no successor");
    else {
        const om_transition *t = om_model_transition(c->m, v->transition);
        om_text place = { .heap = out->heap };
        om_lasso__put_dot(t->label == NULL ? "" : t->label, out);
        om_lasso_put_place(&t->place, &place);
        if (place.text != NULL) {
            om_text_add(out, "\\n");
            om_lasso__put_dot(place.text, out);
        }
        out->failed = out->failed || place.failed;
        om_text_free(&place);
    }
    if (printed != NULL) {
        om_text line = { .heap = out->heap };
        om_printed__put_line(printed, &line);
        om_text_add(out, "\\n| ");
        om_lasso__put_dot(line.text == NULL ? "" : line.text, out);
        out->failed = out->failed || line.failed;
        om_text_free(&line);
    }
    om_text_add(out, "\"];\n");
}

static int put_edges(const om_chart *c, om_text *out)
{
    om_printed printed;
    int rc = om_printed__open(&printed, c->l, c->m);
    for (size_t step = 1; rc == OM_OK && step <= c->steps; step++) {
        put_edge(c, step, om_printed__next(&printed), out);
        rc = om_printed__status(&printed);
    }
    om_printed__close(&printed);
    return rc;
}

static void put_graph(const om_chart *c, const om_lasso_style *style, om_text *out)
{
    om_text_add(out, "digraph \"");
    om_lasso__put_dot(om_model_name(c->m), out);
    om_text_add(out, "\" {\n");
    if (style->property != NULL) {
        om_text_add(out, "  label=\"");
        om_lasso__put_dot(style->property, out);
        om_text_add(out, "\"; labelloc=t;\n");
    }
    om_text_add(out, "  graph [fontname=\"sans-serif\", fontsize=12];\n"
                     "  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
                     "  edge [fontname=\"sans-serif\", fontsize=10];\n");
}

/* Writes all states, each with the changes of the step to it. */
static int put_states(const om_lasso *l, om_model *m, om_text *out)
{
    om_lasso_states states;
    const uint32_t *state, *before;
    int rc = om_lasso_states__open(&states, l, m);
    if (rc != OM_OK)
        return rc;
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        if (i == l->loop)
            om_text_add(out, "  subgraph cluster_cycle {\n    label=\"cycle\"; style=\"rounded,"
                             "filled\"; color=\"#b26a00\"; fillcolor=\"#fff3d6\";\n");
        if ((rc = om_lasso_states__next(&states, &state, &before)) == OM_OK)
            put_state(l, m, i, state, before, out);
    }
    if (l->loop != OM_NO_LOOP)
        om_text_add(out, "  }\n");
    om_lasso_states__close(&states);
    return rc;
}

int om_lasso__write_dot(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    om_chart c;
    int rc = om_chart__open(&c, l, m);
    if (rc == OM_OK) {
        put_graph(&c, style, out);
        rc = put_states(l, m, out);
    }
    if (rc == OM_OK)
        rc = put_edges(&c, out);
    om_text_add(out, "}\n");
    om_chart__close(&c);
    return rc == OM_OK ? om_text_status(out) : rc;
}
