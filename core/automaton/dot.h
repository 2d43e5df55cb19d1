/* SPDX-License-Identifier: Apache-2.0 */
/* dot.h: text output shared by all writers of Graphviz files. */
#ifndef OM_AUTOMATON_DOT_H
#define OM_AUTOMATON_DOT_H

#include <omen/plugin/base.h>

/* Appends text for a double-quoted string of a dot file; escapes characters special to dot. */
void om_dot__put(const char *s, om_text *out);

#endif
