/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: the formats of state graphs, which om_plan_explore_graph() (plan.h) writes. */
#ifndef OMEN_GRAPH_H
#define OMEN_GRAPH_H

#include <omen/plugin/model.h>

/*
 * The formats, constants: "dot", for Graphviz; "aut", Aldebaran's, which tools for labelled
 * transition systems read; "json", with the values of variables. Files end in these names.
 */
OM_API const char *const *om_graph_formats(size_t *count);
/* The one that a file of this name is in: "graph.aut"; or NULL. */
OM_API const char *om_graph_format_of(const char *file);

#endif
