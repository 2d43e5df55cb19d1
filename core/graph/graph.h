/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: the state graph of a product that was explored. */
#ifndef OM_GRAPH_GRAPH_H
#define OM_GRAPH_GRAPH_H

#include <omen/host/graph.h>
#include <omen/plugin/product.h>

/*
 * Appends the graph of a bare model (no automaton) that was explored to its end, with so many
 * states and transitions (edges), in that format (om_graph_formats()). States are numbered as one
 * worker meets them breadth-first that takes transitions in the model's order, whoever has explored
 * them. Uses the product's first cursor. OM_OK;
 * OM_ENOMEM; OM_ELIMIT or OM_ESTOP where the context is stopped; OM_EINVAL: no such format;
 * OM_EINTERNAL where the graph has not as many states and edges as were explored; the status of
 * `out`.
 */
int om_graph__write(om_context *ctx, om_product *product, uint64_t states, uint64_t edges,
    const char *format, om_text *out);

#endif
