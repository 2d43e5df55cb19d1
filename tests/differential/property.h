/* SPDX-License-Identifier: Apache-2.0 */
/*
 * property.h: random formulas and automata over a few propositions, as text and as trees, and
 * their products with a labelled graph. They use no translation of the library.
 */
#ifndef OMEN_DIFFERENTIAL_PROPERTY_H
#define OMEN_DIFFERENTIAL_PROPERTY_H

#include "search.h"

#include <omen/plugin/base.h>

enum { PROPOSITIONS = 3, FORMULA = 24, TEMPORAL = 4, AUTOMATON_STATES = 6, EDGES = 16 };

/* The graph on which a property is checked. Its vertices have labels (bit i: proposition i). With
 * `stutter`, a vertex without arcs repeats unless it is `dead`. Vertex 0 is the initial one. */
typedef struct labelled {
    uint32_t n;
    const uint32_t *to, *first;
    const unsigned *label;
    const bool *dead; /* or NULL */
    bool stutter;
    const struct fairness *fair; /* fairness required of paths, or NULL */
    /* who, by arc: bit p is set if process p moves; able, by vertex: bit p is set if it can. */
    const unsigned *who, *able;
} labelled;

static inline bool labelled_stays(const labelled *g, uint32_t v)
{
    return g->stutter && g->first[v] == g->first[v + 1] && (g->dead == NULL || !g->dead[v]);
}

/* ---- fairness ---- */

/* Fairness of processes (none, weak: 1, strong: 2), and clauses about propositions. A clause is a
 * disjunction of G F of one proposition and F G of the negation of another (NONE: absent). */
enum { NO_FAIRNESS, WEAK_FAIRNESS, STRONG_FAIRNESS, CLAUSES = 3, NONE = -1 };
typedef struct fairness {
    int kind, processes, clauses;
    struct {
        int again, never; /* propositions of GF again | FG !never */
    } clause[CLAUSES];
    condition accept; /* over the marks of fairness_marks() */
} fairness;

void fairness_make(fairness *f, om_random *r, int kind, int processes, int propositions);
/* Prints clause i in one of several equivalent forms. */
void fairness_print(const fairness *f, int i, om_random *r, const char *const *names, om_text *out);
/* Returns the marks of arc k of the graph, or (k: NONE) of the self-loop of vertex v. */
unsigned fairness_marks(const labelled *g, uint32_t v, int64_t k);

/* ---- formulas ---- */

/* Operators: 'p' (with a proposition), '1', '!', '&', '|', '>', '=', '^', X F G U R W M. */
typedef struct formula {
    int count, temporal; /* node 0 is the root; number of temporal nodes */
    struct {
        char op;
        int a, b; /* nodes, or the proposition */
        int bit;  /* bit of a temporal node in a guess */
    } node[FORMULA];
} formula;

void formula_make(formula *f, om_random *r, int propositions);
/* Prints the formula. names are printed as they are, so the caller quotes them if necessary. */
void formula_print(const formula *f, const char *const *names, om_text *out);
/* Returns true if the formula is false on some path from the initial vertex. */
bool formula_violated(const formula *f, const labelled *g);

/* ---- automata ---- */

/* Kinds of acceptance of random automata. */
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
    unsigned marks[AUTOMATON_STATES]; /* marks of states */
    condition accept;
    struct {
        int from, to;
        unsigned marks;
        unsigned labels; /* bit l is set if the edge matches label l */
    } edge[EDGES];
    om_text label[EDGES]; /* text of the edges' labels */
} automaton;

/* any: acceptance of any kind, with Fin; otherwise generalized Buchi. */
void automaton_make(automaton *a, om_random *r, int propositions, bool any);
void automaton_print(const automaton *a, const char *const *names, om_text *out);
void automaton_free(automaton *a);
/* Returns true if the automaton accepts some path from the initial vertex. */
bool automaton_accepts(const automaton *a, const labelled *g);
/* Returns true if the automaton accepts the word label[0 .. n), with label[loop .. n) repeated for
 * ever. */
bool automaton_accepts_lasso(const automaton *a, const unsigned *label, uint32_t n, uint32_t loop);
/* Returns true if the automaton accepts some word. */
bool automaton_nonempty(const automaton *a);

#endif
