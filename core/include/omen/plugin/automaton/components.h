/* SPDX-License-Identifier: Apache-2.0 */
/* components.h: strongly connected components of an automaton, their strength, and the parts of an
 * automaton by strength. */
#ifndef OMEN_COMPONENTS_H
#define OMEN_COMPONENTS_H

#include <omen/plugin/automaton/automaton_form.h>

typedef enum om_strength { OM_NON_ACCEPTING, OM_TERMINAL, OM_WEAK, OM_STRONG } om_strength;
OM_API const char *om_strength_name(om_strength s); /* "non-accepting", "terminal", ... */

/* The SCC number of each state, in reverse topological order (SCC 0 reaches no other), and the
 * strength of each SCC; states that are unreachable from the initial states have component
 * OM_NONE. */
typedef struct om_sccs {
    uint32_t count;
    uint32_t *component;   /* per state */
    om_strength *strength; /* per component */
    uint32_t *size;        /* states per component */
} om_sccs;

/*
 * Computes the SCCs and their strengths. An SCC is non-accepting if no cycle in it satisfies the
 * acceptance formula; weak if every cycle does (inherently weak); terminal if it is weak and
 * complete (every label has an edge that stays inside); otherwise strong. Renault et al. 2017,
 * section 4.2, for any formula of Fin and Inf (the proof is in core/automaton/components/sccs.c).
 * Exact; exponential in the Fin sets in the worst case, until a limit of the context stops it.
 */
OM_API int om_automaton_sccs(const om_automaton *a, om_context *ctx, om_sccs *out);
OM_API void om_sccs_free(om_sccs *s, const om_heap *heap);
/* Returns the states of SCC 0, then those of SCC 1, and so on, each in ascending order; size[]
 * gives the lengths. `states` is the length of component[]; the caller frees *out. */
OM_API int om_sccs_states(const om_sccs *s, om_context *ctx, uint32_t states, uint32_t **out);
/* Returns the maximum strength of the SCCs. */
OM_API om_strength om_sccs_strength(const om_sccs *s);

/*
 * Returns the part of `a` that accepts in SCCs of this strength; states that cannot reach such an
 * SCC are removed. Terminal and weak parts become Buchi automata with mark 0 on exactly the edges
 * inside those SCCs. The strong part keeps the acceptance formula, and keeps marks only inside
 * strong SCCs (other edges get rejecting marks). *out is NULL if there is no such SCC. Renault et
 * al. 2017, Property 1, for any formula (the proof is in core/automaton/components/part.c).
 */
OM_API int om_automaton_part(
    const om_automaton *a, om_context *ctx, om_strength strength, om_automaton **out);

#endif
