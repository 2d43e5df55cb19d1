/* SPDX-License-Identifier: Apache-2.0 */
/*
 * property.h: random formulas and automata over a few propositions, as text and as trees, and their
 * products with a labelled graph, written without any translation of the library's.
 */
#ifndef OMEN_DIFFERENTIAL_PROPERTY_H
#define OMEN_DIFFERENTIAL_PROPERTY_H

#include "search.h"

#include <omen/plugin/base.h>

enum { PROPOSITIONS = 3, FORMULA = 24, TEMPORAL = 4, AUTOMATON_STATES = 6, EDGES = 16 };

/* What a property is checked on: a graph whose vertices have labels (bit i: proposition i). A
 * vertex without arcs repeats where `stutter`, unless it is `dead`. Vertex 0 is the initial one. */
typedef struct labelled {
    uint32_t n;
    const uint32_t *to, *first;
    const unsigned *label;
    const bool *dead; /* or NULL */
    bool stutter;
    const struct fairness *fair; /* paths must be so; or NULL */
    /* By arc: bit p: process p moves; by vertex: it can. */
    const unsigned *who, *able;
} labelled;

static inline bool labelled_stays(const labelled *g, uint32_t v)
{
    return g->stutter && g->first[v] == g->first[v + 1] && (g->dead == NULL || !g->dead[v]);
}

/* ---- fairness ---- */

/* Of processes (none, weak: 1, strong: 2), and clauses about propositions, each a disjunction of
 * G F of one proposition and F G of the negation of another (NONE: not there). */
enum { NO_FAIRNESS, WEAK_FAIRNESS, STRONG_FAIRNESS, CLAUSES = 3, NONE = -1 };
typedef struct fairness {
    int kind, processes, clauses;
    struct {
        int again, never; /* propositions: GF again | FG !never */
    } clause[CLAUSES];
    condition accept; /* over marks of its own */
} fairness;

void fairness_make(fairness *f, om_random *r, int kind, int processes, int propositions);
/* Clause i, in one of the ways that there are to write it. */
void fairness_print(const fairness *f, int i, om_random *r, const char *const *names, om_text *out);
/* Of an arc of the graph, or (k: NONE) of the repetition of a vertex. */
unsigned fairness_marks(const labelled *g, uint32_t v, int64_t k);

/* ---- formulas ---- */

/* Operators: 'p' (with a proposition), '1', '!', '&', '|', '>', '=', '^', X F G U R W M. */
typedef struct formula {
    int count, temporal; /* node 0 is the root; how many nodes are temporal */
    struct {
        char op;
        int a, b; /* nodes, or the proposition */
        int bit;  /* of a temporal node */
    } node[FORMULA];
} formula;

void formula_make(formula *f, om_random *r, int propositions);
/* The names as they are to appear, quoted if need be. */
void formula_print(const formula *f, const char *const *names, om_text *out);
/* Is there a path from the initial vertex on which the formula is false? */
bool formula_violated(const formula *f, const labelled *g);

/* ---- automata ---- */

/* Acceptance of a random automaton. */
typedef enum acceptance {
    GENERALIZED_BUCHI,
    ANY_FORMULA,
    RABIN,
    STREETT,
    PARITY,
    CO_BUCHI,
    FIN_LESS,
    ACCEPTANCES
} acceptance;

typedef struct automaton {
    acceptance kind;
    int states, propositions, edges, initials;
    int initial[2];
    bool state_based;
    unsigned marks[AUTOMATON_STATES]; /* of states */
    condition accept;
    struct {
        int from, to;
        unsigned marks;
        unsigned labels; /* bit l: under label l */
    } edge[EDGES];
    om_text label[EDGES]; /* as written */
} automaton;

/* `any`: acceptance of any kind, with Fin; else generalized Buchi. */
void automaton_make(automaton *a, om_random *r, int propositions, bool any);
void automaton_print(const automaton *a, const char *const *names, om_text *out);
void automaton_free(automaton *a);
/* Is there a path from the initial vertex that it accepts? */
bool automaton_accepts(const automaton *a, const labelled *g);
/* Is the word label[0 .. n), with label[loop .. n) repeated for ever, accepted? */
bool automaton_accepts_lasso(const automaton *a, const unsigned *label, uint32_t n, uint32_t loop);
/* Is there a word that it accepts? */
bool automaton_nonempty(const automaton *a);

#endif
