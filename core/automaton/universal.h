/* SPDX-License-Identifier: Apache-2.0 */
/* universal.h: states from which an automaton accepts every word. */
#ifndef OM_AUTOMATON_UNIVERSAL_H
#define OM_AUTOMATON_UNIVERSAL_H

#include <omen/plugin/automaton.h>

/*
 * (*out)[q] is set only if the automaton accepts every word from state q. For a deterministic
 * automaton it is set for all such states; for another one some may be missing, because states are
 * looked at one by one and not together. The caller frees *out with the context's heap. Statuses of
 * om_automaton_sccs().
 */
int om_automaton__universal(const om_automaton *a, om_context *ctx, bool **out);

#endif
