/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: the formats of state graphs, which om_plan_explore_graph() (plan.h) writes. */
#ifndef OMEN_GRAPH_H
#define OMEN_GRAPH_H

#include <omen/plugin/model.h>

/*
 * Returns the formats, constants that are also file suffixes: "dot", for Graphviz; "aut",
 * Aldebaran's, for tools for labelled transition systems; "json", with the values of variables.
 */
OM_API const char *const *om_graph_formats(size_t *count);
/* Returns the format for a file name such as "graph.aut"; or NULL. */
OM_API const char *om_graph_format_of(const char *file);

#endif
