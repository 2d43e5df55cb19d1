/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.h: transition-based Emerson-Lei omega-automata, as HOA v1 describes them.
 *
 * Edges carry a label (a disjunction of cubes over at most 64 atomic propositions) and marks (the
 * acceptance sets they belong to, at most 64). Acceptance is a positive Boolean formula of Fin(i)
 * and Inf(i). State-based acceptance becomes transition-based on reading: a state's marks go to
 * the edges that leave it.
 */
#ifndef OMEN_AUTOMATON_H
#define OMEN_AUTOMATON_H

#include <omen/plugin/base.h>
#include <omen/plugin/label.h> /* om_label, om_cube */

typedef struct om_automaton om_automaton;

typedef uint64_t om_marks; /* bit i: acceptance set i */

/* Satisfied by a label that satisfies one of cubes[cube_begin .. cube_begin + cube_count). */
typedef struct om_edge {
    uint32_t src, dst;
    om_marks marks;
    uint32_t cube_begin, cube_count;
} om_edge;

/* Acceptance formulas are in postfix order: operands before their AND or OR (always binary). */
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
    uint8_t set; /* of FIN and INF */
} om_acc;

/* Classes of acceptance that checkers declare; bits, so that a checker can name several. */
enum {
    OM_ACCEPT_BUCHI = 1u << 0,             /* Inf(0) */
    OM_ACCEPT_GENERALIZED_BUCHI = 1u << 1, /* Inf(0) & ... & Inf(n-1), n >= 0 */
    OM_ACCEPT_CO_BUCHI = 1u << 2,          /* Fin(0) */
    OM_ACCEPT_RABIN = 1u << 3,             /* generalized Rabin: (Fin & Inf & ... & Inf) | ... */
    OM_ACCEPT_STREETT = 1u << 4,           /* (Fin | Inf) & ... & Fin & ... & Inf & ... */
    OM_ACCEPT_FIN_LESS = 1u << 5,          /* any formula of Inf alone */
    OM_ACCEPT_ANY = 1u << 6,
    OM_ACCEPT_ALL = (OM_ACCEPT_ANY << 1) - 1 /* every class */
};

/* ---- building ---- */

/* aps: names, copied; at most 64, else OM_EINPUT. Acceptance is 0 sets, true, until set. The
 * context must outlive the automaton. */
OM_API int om_automaton_new(
    om_automaton **out, om_context *ctx, uint32_t ap_count, const char *const *aps);
OM_API void om_automaton_free(om_automaton *a);
OM_API int om_automaton_set_name(om_automaton *a, const char *name);
OM_API int om_automaton_add_states(om_automaton *a, uint32_t count, uint32_t *first);
/* A label with no cube (false) adds nothing. */
OM_API int om_automaton_add_edge(om_automaton *a, uint32_t src, uint32_t dst, om_marks marks,
    const om_cube *cubes, uint32_t count);
OM_API int om_automaton_add_initial(om_automaton *a, uint32_t state);
OM_API int om_automaton_set_acceptance(
    om_automaton *a, uint32_t sets, const om_acc *formula, size_t length);
/* Inf(0) & ... & Inf(sets - 1); true when sets is 0. */
OM_API int om_automaton_set_generalized_buchi(om_automaton *a, uint32_t sets);
/* Checks indices and sorts the edges by source (stable). Call once; afterwards it is constant. */
OM_API int om_automaton_finish(om_automaton *a);

/* ---- inspection ---- */

OM_API const char *om_automaton_name(const om_automaton *a); /* "" when it has none */
OM_API uint32_t om_automaton_ap_count(const om_automaton *a);
OM_API const char *om_automaton_ap(const om_automaton *a, uint32_t i);
/* Where the text names it that om_hoa_read() read, from 1 on; 0 for what was made otherwise. */
OM_API void om_automaton_ap_place(
    const om_automaton *a, uint32_t i, uint32_t *line, uint32_t *column);
OM_API uint32_t om_automaton_state_count(const om_automaton *a);
OM_API uint32_t om_automaton_edge_count(const om_automaton *a);
OM_API uint32_t om_automaton_initial_count(const om_automaton *a);
OM_API uint32_t om_automaton_initial(const om_automaton *a, uint32_t i);
/* The edges that leave a state, in the order in which they were added. */
OM_API const om_edge *om_automaton_edges(const om_automaton *a, uint32_t state, uint32_t *count);
OM_API const om_cube *om_automaton_cubes(const om_automaton *a); /* indexed by cube_begin */
OM_API uint32_t om_automaton_set_count(const om_automaton *a);
OM_API const om_acc *om_automaton_acceptance(const om_automaton *a, size_t *length);
/* The OM_ACCEPT_ classes that the acceptance formula belongs to (always with OM_ACCEPT_ANY). */
OM_API uint32_t om_automaton_acceptance_classes(const om_automaton *a);
/* Does a run that sees exactly these marks for ever satisfy the formula? */
OM_API bool om_automaton_accepts_marks(const om_automaton *a, om_marks infinitely_often);
/* Does every run satisfy the formula that sees all of `see` for ever and nothing of `avoid`,
 * whatever else it sees? */
OM_API bool om_automaton_proves(const om_automaton *a, om_marks see, om_marks avoid);
/*
 * A formula of Inf alone as clauses of which one must hold: out[i] has the sets of one, and all of
 * no other's. The caller frees *out with the context's heap; NULL, with *count 0, where there are
 * more than `most` (of any on the way) or finding them is too much work. OM_OK; OM_EUNSUPPORTED,
 * with a message: the formula has a Fin; OM_ENOMEM; what the context's limits say. Any thread.
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
 * Reads one automaton. `which` counts from 1; 0 asks for the only one, and a file with several is
 * then refused. Alternation (universal edges, conjunctions of initial states) is refused. Messages
 * are "file:line:column: ...". text need not be NUL-terminated. Acceptance: and the edges say what
 * the automaton is; acc-name: and properties: that say otherwise get a warning.
 */
OM_API int om_hoa_read(om_automaton **out, om_context *ctx, const char *file, const char *text,
    size_t length, uint32_t which);
OM_API int om_hoa_read_file(om_automaton **out, om_context *ctx, const char *path, uint32_t which);
/* Appends HOA v1 text, newline at the end. OM_OK, OM_ENOMEM, or the status of `out`. */
OM_API int om_hoa_write(const om_automaton *a, om_text *out);

/* ---- either format, and never claims, the automata of Promela ---- */

/*
 * Reads what begins with "never" (comments and lines with # aside) as a never claim, all else as
 * om_hoa_read() does. Of claims: if, do, goto, break, labels, else, atomic, assert, skip, blocks,
 * #define of expressions without parameters, and comments of C. Expressions are formulas (&& || !)
 * of propositions, which are names and comparisons as they are written, without needless blanks:
 * x==3, P[2]:y, P@label, len(q)>1. A run is accepted where the claim comes to its end, where an
 * assertion fails, and where it passes a statement with a label that begins with "accept"
 * infinitely often; the result has Buchi acceptance. Messages are "file:line:column: ...".
 * OM_EINPUT; OM_EUNSUPPORTED for what Promela has and claims do not need; OM_ELIMIT where an
 * expression is too large; OM_ENOMEM; a stop.
 */
OM_API int om_automaton_read(om_automaton **out, om_context *ctx, const char *file,
    const char *text, size_t length, uint32_t which);
OM_API int om_automaton_read_file(
    om_automaton **out, om_context *ctx, const char *path, uint32_t which);

/*
 * Appends a never claim of the same language, over the automaton's propositions as expressions.
 * OM_EUNSUPPORTED, with a message, where one of them cannot stand in a claim; what
 * om_automaton_to_buchi() and `out` fail with.
 */
OM_API int om_never_write(const om_automaton *a, om_context *ctx, om_text *out);

/* ---- components and strength ---- */

typedef enum om_strength { OM_NON_ACCEPTING, OM_TERMINAL, OM_WEAK, OM_STRONG } om_strength;
OM_API const char *om_strength_name(om_strength s); /* "non-accepting", "terminal", ... */

/* SCC number of each state, in reverse topological order (0 reaches nothing else), with the
 * strength of each SCC; states that no initial state reaches have component OM_NONE. */
typedef struct om_sccs {
    uint32_t count;
    uint32_t *component;   /* per state */
    om_strength *strength; /* per component */
    uint32_t *size;        /* states per component */
} om_sccs;

/*
 * Strength of an SCC: non-accepting when no cycle in it satisfies the acceptance formula; weak when
 * every cycle does (inherently weak); terminal when it is weak and complete (every label has an
 * edge that stays inside); strong else. Renault et al. 2017, section 4.2, for any formula of Fin
 * and Inf (the proof is in core/automaton/sccs.c). Exact; at worst exponential in the sets of Fin,
 * until the context's limits end it.
 */
OM_API int om_automaton_sccs(const om_automaton *a, om_context *ctx, om_sccs *out);
OM_API void om_sccs_free(om_sccs *s, const om_heap *heap);
/* The states of SCC 0, then those of SCC 1, and so on, in ascending order each; size[] says where
 * one ends. `states` is the length of component[]; the caller frees *out. */
OM_API int om_sccs_states(const om_sccs *s, om_context *ctx, uint32_t states, uint32_t **out);
/* The strongest of its SCCs. */
OM_API om_strength om_sccs_strength(const om_sccs *s);

/* Appends the automaton as a graph for Graphviz (dot); with the components (or NULL) in boxes that
 * have the colour of their strength. OM_OK, OM_ENOMEM, or the status of `out`. */
OM_API int om_dot_write(const om_automaton *a, const om_sccs *sccs, om_text *out);

/*
 * The part of `a` that accepts through SCCs of this strength: states that cannot reach one are
 * gone. Terminal and weak parts become Buchi with mark 0 on exactly the edges inside those SCCs;
 * the strong part keeps the acceptance formula, and marks only inside strong SCCs (edges elsewhere
 * are given marks that reject). *out is NULL when there is no such SCC.
 * Renault et al. 2017, Property 1, for any formula (the proof is in core/automaton/part.c).
 */
OM_API int om_automaton_part(
    const om_automaton *a, om_context *ctx, om_strength strength, om_automaton **out);

/* ---- conversions: each a new automaton with the same language, the caller's to free ---- */

/* Only states that an initial state reaches and that reach an accepting SCC; at least one state. */
OM_API int om_automaton_prune(const om_automaton *a, om_context *ctx, om_automaton **out);
/*
 * What is of the class already is copied. All of these simplify the formula by what the edges
 * inside SCCs say of it. OM_ELIMIT, with a message, where a normal form of it has more than 4,096
 * clauses (or is too much work), or where more than 64 sets would be needed; what the context's
 * limits say. Any thread.
 */
/* Any acceptance to generalized Buchi. Where every SCC is weak, and where the formula has no Fin
 * and no more than 64 clauses, the structure stays as it is and only marks change; else Fin is
 * removed by copies of components, one a disjunct (Bloemen, Duret-Lutz, van de Pol 2019,
 * Proposition 1), or by copies that know which clauses are pending, where that is a Streett
 * condition and makes fewer states. */
OM_API int om_automaton_to_generalized_buchi(
    const om_automaton *a, om_context *ctx, om_automaton **out);
typedef enum om_fin_removal {
    OM_FIN_BY_FEWER,     /* whichever makes fewer states */
    OM_FIN_BY_DISJUNCTS, /* a copy for each disjunct */
    /* Of a Streett condition: a copy for each set of pairs whose Fin was seen, and not yet their
     * Inf (Duret-Lutz, Poitrenaud, Couvreur 2009, section 3.3): of q states and n pairs at most
     * q * (2^n + 1). OM_ELIMIT where it is none, or where those are more than 2^16. */
    OM_FIN_BY_PENDING
} om_fin_removal;
/* The same by one of them. */
OM_API int om_automaton_to_generalized_buchi_by(
    const om_automaton *a, om_context *ctx, om_fin_removal how, om_automaton **out);
/* Any acceptance to Buchi (degeneralisation after the above). */
OM_API int om_automaton_to_buchi(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Any acceptance to a formula of Inf alone, a disjunction of generalized Buchi conditions: as to
 * generalized Buchi, but disjuncts with the same Fin share a copy; by what is pending only where
 * there are too many disjuncts. */
OM_API int om_automaton_to_fin_less(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Any acceptance to generalized Rabin: the disjunctive normal form, where the Fin sets of a clause
 * are united (likewise, section 2). States and edges stay as they are, marks change; where that
 * would be too many clauses or sets, it goes through generalized Buchi. */
OM_API int om_automaton_to_rabin(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Any acceptance to Streett: the conjunctive normal form, where the Inf sets of a clause are
 * united. States and edges stay as they are, marks change, if no clause has several Fin (which no
 * marks make Streett) and it is not too large; else it goes through generalized Buchi. Parity
 * acceptance has both forms. */
OM_API int om_automaton_to_streett(const om_automaton *a, om_context *ctx, om_automaton **out);

/* ---- words ---- */

/* Is labels[0 .. n-1] with labels[loop .. n-1] repeated for ever accepted? Needs loop < n. */
OM_API int om_automaton_accepts_lasso(const om_automaton *a, om_context *ctx,
    const om_label *labels, size_t n, size_t loop, bool *accepted);
/* Is there any accepted word? Where there is, and lasso is not NULL, one as labels (caller frees).
 */
typedef struct om_word {
    om_label *labels;
    size_t n, loop;
} om_word;
OM_API int om_automaton_empty(const om_automaton *a, om_context *ctx, bool *empty, om_word *word);
/* Synchronous product: the intersection of two languages. APs are matched by name. */
OM_API int om_automaton_intersection(
    const om_automaton *a, const om_automaton *b, om_context *ctx, om_automaton **out);

#endif
