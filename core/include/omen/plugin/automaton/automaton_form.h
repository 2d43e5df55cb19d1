/* SPDX-License-Identifier: Apache-2.0 */
/* automaton_form.h: builds an automaton, and reads its states, edges and acceptance. */
#ifndef OMEN_AUTOMATON_FORM_H
#define OMEN_AUTOMATON_FORM_H

#include <omen/plugin/base.h>
#include <omen/plugin/label.h>

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

#endif
