/* SPDX-License-Identifier: Apache-2.0 */
/* dot.h: what every writer of graphs for Graphviz needs. */
#ifndef OM_AUTOMATON_DOT_H
#define OM_AUTOMATON_DOT_H

#include <omen/plugin/base.h>

/* Text between double quotes of a dot file; what dot would read as its own is escaped. */
void om_dot__put(const char *s, om_text *out);

#endif
