/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_formats.h: output formats of state graphs. A new format is a file graph_NAME.c with a table
 * om_graph__NAME, and a line here; hosts take the names from om_graph_formats().
 */
#ifndef OMEN_GRAPH_FORMATS_H
#define OMEN_GRAPH_FORMATS_H

#include <omen/host/graph.h>

/* The names of the formats, which are also the file name extensions. */
#define OM_GRAPH_FORMATS(FORMAT) \
    FORMAT(dot)                  \
    FORMAT(aut)                  \
    FORMAT(json)

/* Data of the whole graph. */
typedef struct om_graph {
    const om_model *model;
    uint64_t states, edges; /* totals */
} om_graph;

/* An edge, relative to its source. */
typedef struct om_graph_edge {
    uint64_t to;
    uint32_t transition; /* of the model */
} om_graph_edge;

/* A state and the edges that leave it, in the order of their transitions. */
typedef struct om_graph_state {
    uint64_t number;        /* 0 is the initial state */
    const uint32_t *vector; /* model words */
    const om_graph_edge *edges;
    size_t edge_count;
} om_graph_state;

/* Each function appends to `out`: the text before the states, each state in ascending order, and
 * the text after them. */
typedef struct om_graph_format {
    void (*begin)(const om_graph *g, om_text *out);
    void (*state)(const om_graph *g, const om_graph_state *s, om_text *out);
    void (*end)(const om_graph *g, om_text *out);
} om_graph_format;

#define DECLARED(name) extern const om_graph_format om_graph__##name;
OM_GRAPH_FORMATS(DECLARED)
#undef DECLARED

/* Appends the label of a transition as in a trace, or its number if the model has no label. */
void om_graph__put_label(const om_model *m, uint32_t transition, om_text *out);

#endif
