/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: the state graph of an explored product. */
#ifndef OM_GRAPH_GRAPH_H
#define OM_GRAPH_GRAPH_H

#include <omen/host/graph.h>
#include <omen/plugin/product.h>

/*
 * Appends the graph of a bare model (no automaton) that was explored completely, with these numbers
 * of states and transitions (edges), in the given format (om_graph_formats()). States are numbered
 * in the order of a breadth-first search by one worker that takes transitions in the model's order,
 * independent of the exploration. Uses the product's first cursor. Returns OM_OK; OM_ENOMEM;
 * OM_ELIMIT or OM_ESTOP if the context is stopped; OM_EINVAL if there is no such format;
 * OM_EINTERNAL if the graph does not have the numbers of states and edges that were explored; or
 * the status of `out`.
 */
int om_graph__write(om_context *ctx, om_product *product, uint64_t states, uint64_t edges,
    const char *format, om_text *out);

#endif
