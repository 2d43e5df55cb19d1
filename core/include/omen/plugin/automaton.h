/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.h: transition-based Emerson-Lei omega-automata, as in HOA v1.
 *
 * Edges carry a label (a disjunction of cubes over at most 64 atomic propositions) and marks (the
 * acceptance sets that contain the edge, at most 64). The acceptance condition is a positive
 * Boolean formula of Fin(i) and Inf(i). State-based acceptance becomes transition-based when it is
 * read: the marks of a state move to its outgoing edges.
 */
#ifndef OMEN_AUTOMATON_H
#define OMEN_AUTOMATON_H

#include <omen/plugin/base.h>
#include <omen/plugin/label.h> /* om_label, om_cube */

typedef struct om_automaton om_automaton;

typedef uint64_t om_marks; /* bit i: acceptance set i */

/* An edge matches a label that satisfies one of cubes[cube_begin .. cube_begin + cube_count). */
typedef struct om_edge {
    uint32_t src, dst;
    om_marks marks;
    uint32_t cube_begin, cube_count;
} om_edge;

/* Acceptance formulas are in postfix order: operands precede their AND or OR (always binary). */
typedef enum om_acc_op {
    OM_ACC_FALSE,
    OM_ACC_TRUE,
    OM_ACC_FIN,
    OM_ACC_INF,
    OM_ACC_AND,
    OM_ACC_OR
} om_acc_op;
typedef struct om_acc {
    uint8_t op;  /* om_acc_op */
    uint8_t set; /* for FIN and INF */
} om_acc;

/* Classes of acceptance that checkers declare; bits, so that a checker can declare several. */
enum {
    OM_ACCEPT_BUCHI = 1u << 0,             /* Inf(0) */
    OM_ACCEPT_GENERALIZED_BUCHI = 1u << 1, /* Inf(0) & ... & Inf(n-1), n >= 0 */
    OM_ACCEPT_CO_BUCHI = 1u << 2,          /* Fin(0) */
    OM_ACCEPT_RABIN = 1u << 3,             /* generalized Rabin: (Fin & Inf & ... & Inf) | ... */
    OM_ACCEPT_STREETT = 1u << 4,           /* (Fin | Inf) & ... & Fin & ... & Inf & ... */
    OM_ACCEPT_FIN_LESS = 1u << 5,          /* any formula without Fin */
    OM_ACCEPT_ANY = 1u << 6,
    OM_ACCEPT_ALL = (OM_ACCEPT_ANY << 1) - 1 /* every class */
};

/* ---- building ---- */

/* Creates an automaton. aps: names, copied; more than 64 are OM_EINPUT. Acceptance is 0 sets, true,
 * until it is set. The context must outlive the automaton. */
OM_API int om_automaton_new(
    om_automaton **out, om_context *ctx, uint32_t ap_count, const char *const *aps);
OM_API void om_automaton_free(om_automaton *a);
OM_API int om_automaton_set_name(om_automaton *a, const char *name);
OM_API int om_automaton_add_states(om_automaton *a, uint32_t count, uint32_t *first);
/* Adds an edge. An edge without cubes (label false) is not added. */
OM_API int om_automaton_add_edge(om_automaton *a, uint32_t src, uint32_t dst, om_marks marks,
    const om_cube *cubes, uint32_t count);
OM_API int om_automaton_add_initial(om_automaton *a, uint32_t state);
OM_API int om_automaton_set_acceptance(
    om_automaton *a, uint32_t sets, const om_acc *formula, size_t length);
/* Sets acceptance to Inf(0) & ... & Inf(sets - 1); true if sets is 0. */
OM_API int om_automaton_set_generalized_buchi(om_automaton *a, uint32_t sets);
/* Checks indices and sorts the edges by source (stable). Call once; afterwards the automaton is
 * constant. */
OM_API int om_automaton_finish(om_automaton *a);

/* ---- inspection ---- */

OM_API const char *om_automaton_name(const om_automaton *a); /* "" if it has none */
OM_API uint32_t om_automaton_ap_count(const om_automaton *a);
OM_API const char *om_automaton_ap(const om_automaton *a, uint32_t i);
/* The position at which the text read by om_hoa_read() names the AP, counted from 1; 0 for automata
 * from other sources. */
OM_API void om_automaton_ap_place(
    const om_automaton *a, uint32_t i, uint32_t *line, uint32_t *column);
OM_API uint32_t om_automaton_state_count(const om_automaton *a);
OM_API uint32_t om_automaton_edge_count(const om_automaton *a);
OM_API uint32_t om_automaton_initial_count(const om_automaton *a);
OM_API uint32_t om_automaton_initial(const om_automaton *a, uint32_t i);
/* Returns the outgoing edges of a state, in the order in which they were added. */
OM_API const om_edge *om_automaton_edges(const om_automaton *a, uint32_t state, uint32_t *count);
OM_API const om_cube *om_automaton_cubes(const om_automaton *a); /* indexed by cube_begin */
OM_API uint32_t om_automaton_set_count(const om_automaton *a);
OM_API const om_acc *om_automaton_acceptance(const om_automaton *a, size_t *length);
/* Returns the OM_ACCEPT_ classes of the acceptance formula (always includes OM_ACCEPT_ANY). */
OM_API uint32_t om_automaton_acceptance_classes(const om_automaton *a);
/* Returns true if a run with exactly these marks infinitely often satisfies the formula. */
OM_API bool om_automaton_accepts_marks(const om_automaton *a, om_marks infinitely_often);
/* Returns true if every run with all marks of `see` and none of `avoid` infinitely often satisfies
 * the formula, whatever its other marks are. */
OM_API bool om_automaton_proves(const om_automaton *a, om_marks see, om_marks avoid);
/*
 * Returns a formula without Fin as clauses, one of which must hold: out[i] is the sets of one
 * clause, and includes the sets of no other clause. The caller frees *out with the context's heap.
 * *out is NULL and *count 0 if there are more than `most` clauses (intermediate results included)
 * or finding them is too much work. OM_OK; OM_EUNSUPPORTED, with a message, if the formula has a
 * Fin; OM_ENOMEM; the status of a stopped context. Any thread.
 */
OM_API int om_automaton_inf_clauses(
    const om_automaton *a, om_context *ctx, size_t most, om_marks **out, size_t *count);

static inline bool om_edge_matches(const om_edge *e, const om_cube *cubes, om_label label)
{
    for (uint32_t i = 0; i < e->cube_count; i++) {
        const om_cube *c = &cubes[e->cube_begin + i];
        if ((label & c->pos) == c->pos && (label & c->neg) == 0)
            return true;
    }
    return false;
}

/* ---- HOA v1 ---- */

/*
 * Reads one automaton. `which` counts from 1; 0 requires that the file has exactly one. Alternation
 * (universal edges, conjunctions of initial states) is refused. Messages are "file:line:column:
 * ...". text need not be NUL-terminated. The Acceptance: header and the edges define the automaton;
 * acc-name: and properties: headers that contradict them cause a warning.
 */
OM_API int om_hoa_read(om_automaton **out, om_context *ctx, const char *file, const char *text,
    size_t length, uint32_t which);
OM_API int om_hoa_read_file(om_automaton **out, om_context *ctx, const char *path, uint32_t which);
/* Appends the automaton as HOA v1 text that ends with a newline. OM_OK, OM_ENOMEM, or the status of
 * `out`. */
OM_API int om_hoa_write(const om_automaton *a, om_text *out);

/* ---- HOA and never claims (the automata of Promela) ---- */

/*
 * Reads a never claim if the text begins with "never" (after comments and lines that begin with #),
 * otherwise HOA like om_hoa_read(). Claims may contain: if, do, goto, break, labels, else, atomic,
 * assert, skip, blocks, #define of expressions without parameters, and C comments. Expressions are
 * formulas (&& || !) of propositions, which are names and comparisons with their text kept except
 * for redundant blanks: x==3, P[2]:y, P@label, len(q)>1. A run is accepted if the claim terminates,
 * if an assertion fails, or if the run passes a statement with a label that begins with "accept"
 * infinitely often; the result has Buchi acceptance. Messages are "file:line:column: ...".
 * OM_EINPUT; OM_EUNSUPPORTED for Promela that claims do not need; OM_ELIMIT if an expression is too
 * large; OM_ENOMEM; the status of a stopped context.
 */
OM_API int om_automaton_read(om_automaton **out, om_context *ctx, const char *file,
    const char *text, size_t length, uint32_t which);
OM_API int om_automaton_read_file(
    om_automaton **out, om_context *ctx, const char *path, uint32_t which);

/*
 * Appends the automaton as a never claim that om_automaton_read() can read; the propositions are
 * written as expressions. OM_EUNSUPPORTED, with a message, if a proposition cannot occur in a
 * claim; errors of om_automaton_to_buchi() and of `out`.
 */
OM_API int om_never_write(const om_automaton *a, om_context *ctx, om_text *out);

/* ---- components and strength ---- */

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

/* Appends the automaton as a graph for Graphviz (dot); if sccs is not NULL, the components are
 * boxes coloured by strength. OM_OK, OM_ENOMEM, or the status of `out`. */
OM_API int om_dot_write(const om_automaton *a, const om_sccs *sccs, om_text *out);

/*
 * Returns the part of `a` that accepts in SCCs of this strength; states that cannot reach such an
 * SCC are removed. Terminal and weak parts become Buchi automata with mark 0 on exactly the edges
 * inside those SCCs. The strong part keeps the acceptance formula, and keeps marks only inside
 * strong SCCs (other edges get rejecting marks). *out is NULL if there is no such SCC. Renault et
 * al. 2017, Property 1, for any formula (the proof is in core/automaton/components/part.c).
 */
OM_API int om_automaton_part(
    const om_automaton *a, om_context *ctx, om_strength strength, om_automaton **out);

/* ---- conversions: each creates an automaton with the same language; the caller frees it ---- */

/* Keeps only states that are reachable and can reach an accepting SCC; at least one state. */
OM_API int om_automaton_prune(const om_automaton *a, om_context *ctx, om_automaton **out);
/*
 * The following conversions copy an automaton that already has the target class. They simplify the
 * formula with the marks of the edges inside SCCs. OM_ELIMIT, with a message, if a normal form has
 * more than 4,096 clauses (or takes too much work), or if more than 64 sets would be needed; the
 * status of a stopped context. Any thread.
 */
/* Converts any acceptance to generalized Buchi. If every SCC is weak, or if the formula has no Fin
 * and at most 64 clauses, only the marks change. Otherwise Fin is removed by copies of components,
 * one per disjunct (Bloemen, Duret-Lutz, van de Pol 2019, Proposition 1), or, for a Streett
 * condition, by copies that track the pending clauses if that makes fewer states. */
OM_API int om_automaton_to_generalized_buchi(
    const om_automaton *a, om_context *ctx, om_automaton **out);
typedef enum om_fin_removal {
    OM_FIN_BY_FEWER,     /* the method that makes fewer states */
    OM_FIN_BY_DISJUNCTS, /* one copy per disjunct */
    /* For a Streett condition: one copy per set of pairs whose Fin set was seen but not yet their
     * Inf set (Duret-Lutz, Poitrenaud, Couvreur 2009, section 3.3); q states and n pairs yield at
     * most q * (2^n + 1) states. OM_ELIMIT if it is not a Streett condition, or if there are more
     * than 2^16 states. */
    OM_FIN_BY_PENDING
} om_fin_removal;
/* The same by the given method. */
OM_API int om_automaton_to_generalized_buchi_by(
    const om_automaton *a, om_context *ctx, om_fin_removal how, om_automaton **out);
/* Converts any acceptance to Buchi: conversion to generalized Buchi, then degeneralisation. */
OM_API int om_automaton_to_buchi(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Converts any acceptance to a formula without Fin, a disjunction of generalized Buchi conditions:
 * like the conversion to generalized Buchi, but disjuncts with the same Fin share a copy, and
 * copies that track pending clauses are used only if there are too many disjuncts. */
OM_API int om_automaton_to_fin_less(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Converts any acceptance to generalized Rabin: the disjunctive normal form, with the Fin sets of
 * each clause united (same paper, section 2). States and edges stay, marks change; if there are too
 * many clauses or sets, the conversion goes through generalized Buchi. */
OM_API int om_automaton_to_rabin(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Converts any acceptance to Streett: the conjunctive normal form, with the Inf sets of each clause
 * united. If no clause has several Fin (which marks cannot express as Streett) and the form is not
 * too large, states and edges stay and marks change; otherwise the conversion goes through
 * generalized Buchi. Parity acceptance has both forms. */
OM_API int om_automaton_to_streett(const om_automaton *a, om_context *ctx, om_automaton **out);

/* ---- words ---- */

/* Sets *accepted to true if the word labels[0 .. n-1], with labels[loop .. n-1] repeated for ever,
 * is accepted. Requires loop < n. */
OM_API int om_automaton_accepts_lasso(const om_automaton *a, om_context *ctx,
    const om_label *labels, size_t n, size_t loop, bool *accepted);
/* Sets *empty to true if no word is accepted. Otherwise, if word is not NULL, it receives an
 * accepted word as labels (the caller frees them). */
typedef struct om_word {
    om_label *labels;
    size_t n, loop;
} om_word;
OM_API int om_automaton_empty(const om_automaton *a, om_context *ctx, bool *empty, om_word *word);
/* Computes the synchronous product: the intersection of the two languages. APs are matched by
 * name. */
OM_API int om_automaton_intersection(
    const om_automaton *a, const om_automaton *b, om_context *ctx, om_automaton **out);

#endif
