/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tela.h: internals of automata, private to core/automaton, whose files rely on these invariants of
 * a finished automaton:
 *
 * A1  first[s] .. first[s + 1] are the indices of the edges of s, in the order of their addition.
 * A2  Every edge has a label that some valuation satisfies: contradictory cubes are dropped on
 *     addition, and an edge without any cube left is not added. So some word reaches each reachable
 *     state.
 * A3  Marks, sources, targets and initial states exist; no state is initial twice.
 * A4  The formula is well-formed postfix over the sets (om_acc__depth()), so that evaluating it
 *     needs no checks.
 */
#ifndef OM_AUTOMATON_TELA_H
#define OM_AUTOMATON_TELA_H

#include <omen/plugin/automaton.h>

enum {
    OM_MAX_APS = 64,
    OM_MAX_SETS = 64,
    OM_MAX_ACC_DEPTH = 4096 /* of the stack that a postfix formula needs */
};

struct om_automaton {
    om_context *ctx; /* borrowed; receives error messages of the construction */
    const om_heap *heap;
    char *name; /* or NULL */
    uint32_t ap_count;
    char **aps;
    om_place *ap_places; /* where the text names each AP, without the file; or NULL */
    uint32_t states;
    om_edge *edges; /* sorted by source once finished */
    size_t edge_count, edge_capacity;
    om_cube *cubes;
    size_t cube_count, cube_capacity;
    uint32_t *initial;
    size_t initial_count, initial_capacity;
    uint32_t *first; /* states + 1 indices into edges; NULL until finished */
    uint32_t sets;
    om_acc *acc;
    size_t acc_length;
    bool testing;           /* a testing automaton, which reads changes: to_testing.h */
    bool stutter_invariant; /* declared by the text that the automaton was read from */
};

/* Records the positions in the text at which the APs are named. */
int om_tela__place_aps(om_automaton *a, const uint32_t *lines, const uint32_t *columns);
/* Creates an empty automaton with the APs and the name of `a`. */
int om_tela__like(om_automaton **out, om_context *ctx, const om_automaton *a);
/* Creates a finished copy of `a` whose marks may still be changed through ->edges. */
int om_tela__copy(om_automaton **out, om_context *ctx, const om_automaton *a);
/* Adds the edge `e` of `a` to `to` with other end states and marks. */
int om_tela__add(om_automaton *to, const om_automaton *a, const om_edge *e, uint32_t src,
    uint32_t dst, om_marks marks);
/* Like om_automaton_set_acceptance(), but also allowed for a finished automaton; its edges must
 * have no marks beyond `sets`. */
int om_tela__set_acceptance(om_automaton *a, uint32_t sets, const om_acc *formula, size_t length);
/* Sets the acceptance of `to`, which is not finished, to that of `a` in conjunction with Inf of a
 * new set, the last one. */
int om_tela__set_acceptance_and_inf(om_automaton *to, const om_automaton *a);
int om_tela__set_generalized_buchi(om_automaton *a, uint32_t sets);
/* Returns a mask of the lowest n bits. */
static inline uint64_t om_tela__first_bits(uint64_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}
/* Creates an automaton of the states of `a` with keep[s] and the edges among them. number[s]
 * becomes the new number, or OM_NONE if the state is dropped. Acceptance stays true and the result
 * is not finished. */
int om_tela__restrict(
    om_automaton **out, om_context *ctx, const om_automaton *a, const bool *keep, uint32_t *number);
/* The same for the n states of `a` whose number[s] is not OM_NONE; number[s] is the new number. */
int om_tela__renumber(
    om_automaton **out, om_context *ctx, const om_automaton *a, const uint32_t *number, uint32_t n);

/* Ends a construction: gives the automaton to *out if rc is OM_OK, else frees it. Returns rc. */
int om_tela__hand_over(int rc, om_automaton *a, om_automaton **out);

/* ---- acceptance formulas ---- */

/* Returns the value of a vetted formula if Inf(i) is bit i of inf and Fin(i) is bit i of fin. */
bool om_acc__value(const om_acc *f, size_t length, om_marks inf, om_marks fin);
/* Returns the stack depth that a formula over `sets` sets needs; 0 if it is not well formed. */
size_t om_acc__depth(const om_acc *f, size_t length, uint32_t sets);
/* Returns the sets that occur in Fin(). */
om_marks om_acc__fins(const om_acc *f, size_t length);
/* Writes the negation of f, of the same length, to `out`. */
void om_acc__negate(const om_acc *f, size_t length, om_acc *out);
/* Appends the acceptance formula in HOA syntax. Returns OM_OK or OM_ENOMEM. */
int om_acc__write(const om_automaton *a, om_text *out);
/* Conjunction of Fin(i) for i in fin and Inf(i) for i in inf. */
typedef struct om_acc_term {
    om_marks fin, inf;
} om_acc_term;
/*
 * Facts about the acceptance sets, for the edges that a run can see infinitely often: which sets
 * are empty there, which contain all of these edges, and which sets contain which
 * (acceptance_facts.c).
 */
typedef struct om_acc_facts {
    om_marks never, always;
    om_marks within[OM_MAX_SETS]; /* [i]: the other sets that contain set i, except those equal to
                                   * it; until om_acc_facts__end(): all that do, and i */
    uint8_t same[OM_MAX_SETS];    /* the lowest set that is equal to set i, possibly i */
} om_acc_facts;
/* Collect facts about a collection of edges: begin, add once for the marks of each edge, end. */
void om_acc_facts__begin(om_acc_facts *facts);
void om_acc_facts__add(om_acc_facts *facts, om_marks marks);
void om_acc_facts__end(om_acc_facts *facts);
/* Returns an equivalent literal: true, false, or one about the lowest of the equal sets. */
om_acc om_acc_facts__literal(const om_acc_facts *facts, om_acc literal);
/* om_acc_facts__saturate() adds all literals that a term of such literals implies; the term is
 * contradictory if a set is then in both `fin` and `inf`. om_acc_facts__reduce() removes all
 * literals that the rest implies. */
void om_acc_facts__saturate(const om_acc_facts *facts, om_acc_term *t);
void om_acc_facts__reduce(const om_acc_facts *facts, om_acc_term *t);

enum { OM_MOST_TERMS = 4096 }; /* limit that conversions pass to om_acc__dnf() */
/* Computes the disjunctive normal form under facts (or NULL), without contradictory and subsumed
 * terms. *terms is NULL if there were more than `most` terms at any time or if it was too much
 * work; else the caller frees it. */
int om_acc__dnf(om_context *ctx, const om_acc *f, size_t length, const om_acc_facts *facts,
    size_t most, om_acc_term **terms, size_t *count);

/* ---- cubes ---- */

/* Sets *all to true if every label over the APs satisfies one of the cubes. */
int om_cubes__cover(om_context *ctx, const om_cube *cubes, size_t count, bool *all);
/* Drops contradictory and subsumed cubes in place; the others keep their order. */
int om_cubes__reduce(om_context *ctx, om_cube *cubes, size_t *count);

#endif
