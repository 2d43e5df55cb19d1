/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aldebaran's format: "des (INITIAL, EDGES, STATES)", then one edge a line, "(FROM, "LABEL", TO)".
 * It has no way to quote a quotation mark, so labels have apostrophes instead.
 */
#include "graph_formats.h"

static void begin(const om_graph *g, om_text *out)
{
    om_text_printf(out, "des (0, %" PRIu64 ", %" PRIu64 ")\n", g->edges, g->states);
}

static void put_quoted(const char *label, om_text *out)
{
    om_text_add(out, "\"");
    for (; *label != '\0'; label++)
        om_text_add_n(out,
            *label == '"'                                                    ? "'"
            : (unsigned char) *label < ' ' || (unsigned char) *label == 0x7f ? " "
                                                                             : label,
            1);
    om_text_add(out, "\"");
}

static void state(const om_graph *g, const om_graph_state *s, om_text *out)
{
    om_text label = { .heap = out->heap };
    for (size_t i = 0; i < s->edge_count; i++) {
        label.length = 0;
        om_graph__put_label(g->model, s->edges[i].transition, &label);
        om_text_printf(out, "(%" PRIu64 ", ", s->number);
        put_quoted(label.text == NULL ? "" : label.text, out);
        om_text_printf(out, ", %" PRIu64 ")\n", s->edges[i].to);
    }
    out->failed = out->failed || label.failed;
    om_text_free(&label);
}

static void end(const om_graph *g, om_text *out)
{
    (void) g;
    (void) out;
}

const om_graph_format om_graph__aut = { begin, state, end };
