/* SPDX-License-Identifier: Apache-2.0 */
/* tela.h: the inside of an automaton, for core/automaton alone. */
#ifndef OM_AUTOMATON_TELA_H
#define OM_AUTOMATON_TELA_H

#include <omen/plugin/automaton.h>

enum {
    OM_MAX_APS = 64,
    OM_MAX_SETS = 64,
    OM_MAX_ACC_DEPTH = 4096 /* of the stack that a postfix formula needs */
};

struct om_automaton {
    om_context *ctx; /* borrowed; says what went wrong while building */
    const om_heap *heap;
    char *name; /* or NULL */
    uint32_t ap_count;
    char **aps;
    om_place *ap_places; /* where a text names them, without its file; or NULL */
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
    bool testing;           /* it is a testing automaton, and reads changes: testing.h */
    bool stutter_invariant; /* so says the text that it was read from */
};

/* Remembers where a text names the APs. */
int om_tela__place_aps(om_automaton *a, const uint32_t *lines, const uint32_t *columns);
/* An automaton with the same APs and name as `a`, and nothing else. */
int om_tela__like(om_automaton **out, om_context *ctx, const om_automaton *a);
/* A finished copy of `a` whose marks may still be changed through ->edges. */
int om_tela__copy(om_automaton **out, om_context *ctx, const om_automaton *a);
/* Copies the edge `e` of `a` with other ends and marks. */
int om_tela__add(om_automaton *to, const om_automaton *a, const om_edge *e, uint32_t src,
    uint32_t dst, om_marks marks);
/* om_automaton_set_acceptance() that a finished automaton allows: the marks must fit. */
int om_tela__set_acceptance(om_automaton *a, uint32_t sets, const om_acc *formula, size_t length);
/* The acceptance of `a`, and a new set, the last one, infinitely often; before `to` is finished. */
int om_tela__set_acceptance_and_inf(om_automaton *to, const om_automaton *a);
int om_tela__set_generalized_buchi(om_automaton *a, uint32_t sets);
/* The lowest n bits. */
static inline uint64_t om_tela__first_bits(uint64_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}
/* The states of `a` with keep[s] (renumbered; OM_NONE in `number` for the others) and the edges
 * between them; acceptance is left at true, the result is not finished. */
int om_tela__restrict(
    om_automaton **out, om_context *ctx, const om_automaton *a, const bool *keep, uint32_t *number);
/* The same with the n states of `a` that have a number, which they get. */
int om_tela__renumber(
    om_automaton **out, om_context *ctx, const om_automaton *a, const uint32_t *number, uint32_t n);

/* ---- acceptance formulas ---- */

/* The value where Inf(i) is bit i of inf and Fin(i) bit i of fin. Formulas are vetted already. */
bool om_acc__value(const om_acc *f, size_t length, om_marks inf, om_marks fin);
/* The stack that a formula over `sets` sets needs; 0 when it is not well formed. */
size_t om_acc__depth(const om_acc *f, size_t length, uint32_t sets);
/* Sets that occur in Fin(). */
om_marks om_acc__fins(const om_acc *f, size_t length);
/* The negation of f (same length) into `out`. */
void om_acc__negate(const om_acc *f, size_t length, om_acc *out);
/* Appends the acceptance formula as HOA has it. OM_OK; OM_ENOMEM. */
int om_acc__write(const om_automaton *a, om_text *out);
/* Conjunction of Fin(i) for i in fin and Inf(i) for i in inf. */
typedef struct om_acc_term {
    om_marks fin, inf;
} om_acc_term;
/*
 * What is known of the acceptance sets from the edges that a run can see for ever: which of them
 * are empty there, which have all of those edges, and which contain which. facts.c
 */
typedef struct om_acc_facts {
    om_marks never, always;
    om_marks within[OM_MAX_SETS]; /* [i]: the others that contain set i, but for those equal to it;
                                     until om_facts__end(): all that do, and i */
    uint8_t same[OM_MAX_SETS];    /* the lowest set that is equal to set i, perhaps i */
} om_acc_facts;
/* Facts about edges with these marks: begin, add for each edge, end. */
void om_facts__begin(om_acc_facts *facts);
void om_facts__add(om_acc_facts *facts, om_marks marks);
void om_facts__end(om_acc_facts *facts);
/* A literal that means the same: true, false, or about the lowest of equal sets. */
om_acc om_facts__literal(const om_acc_facts *facts, om_acc literal);
/* Adds what a term of such literals implies (it is contradictory, then, where sets are in both);
 * takes all out that the rest implies. */
void om_facts__saturate(const om_acc_facts *facts, om_acc_term *t);
void om_facts__reduce(const om_acc_facts *facts, om_acc_term *t);

enum { OM_MOST_TERMS = 4096 }; /* that conversions ask om_acc__dnf() for */
/* Disjunctive normal form, without contradictory and subsumed terms, under facts (or NULL). *terms
 * stays NULL where there would be more than `most` at any time, or where it would be too much work;
 * else the caller frees it. */
int om_acc__dnf(om_context *ctx, const om_acc *f, size_t length, const om_acc_facts *facts,
    size_t most, om_acc_term **terms, size_t *count);

/* ---- cubes ---- */

/* Is every label over the APs satisfied by one of the cubes? */
int om_cubes__cover(om_context *ctx, const om_cube *cubes, size_t count, bool *all);
/* Drops contradictory and subsumed cubes in place; the order of the rest stays. */
int om_cubes__reduce(om_context *ctx, om_cube *cubes, size_t *count);

#endif
