/* SPDX-License-Identifier: Apache-2.0 */
/* universal.h: states from which an automaton accepts every word. */
#ifndef OM_AUTOMATON_UNIVERSAL_H
#define OM_AUTOMATON_UNIVERSAL_H

#include <omen/plugin/automaton.h>

/*
 * Sets (*out)[q] only if the automaton accepts every word from state q. For a deterministic
 * automaton it is set for all such states. For a nondeterministic one some may be missing, because
 * states are examined one by one and not as sets. The caller frees *out with the context's heap.
 * Statuses as om_automaton_sccs().
 */
int om_automaton__universal(const om_automaton *a, om_context *ctx, bool **out);

#endif
