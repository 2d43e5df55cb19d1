/* SPDX-License-Identifier: Apache-2.0 */
/* explain_formula.h: explanations of a formula's truth value on a word. */
#ifndef OM_LTL_EXPLAIN_FORMULA_H
#define OM_LTL_EXPLAIN_FORMULA_H

#include <omen/plugin/ltl.h>

/* State of a subformula at a position. */
enum {
    OM_LTL_HOLDS = 1,
    OM_LTL_MATTERS = 2 /* the pair belongs to the explanation */
};

/* A subformula. */
typedef struct om_ltl_row {
    om_ltl_ref f;
    uint32_t depth; /* operators above it, on the path where it is met first */
    uint8_t *at;    /* by position, the bits above */
} om_ltl_row;

/* The whole formula comes first, and each other one after a formula that it is an operand of. */
typedef struct om_ltl_rows {
    const om_heap *heap;
    om_ltl_row *row;
    size_t count;
} om_ltl_rows;

/*
 * Computes the truth of all subformulas at all positions of labels[0 .. n-1], with labels[loop ..
 * n-1] repeated forever (loop < n), and an explanation of the truth of the whole formula at
 * position `at`. The explanation is a set of pairs of a subformula and a position, which contains
 * (f, at). The truth of each pair follows from other pairs by the meaning of its operator alone. So
 * on every word of this shape that agrees on the propositions of the explanation, f has the same
 * value at `at`. The explanation is small, but not necessarily minimal: among alternatives the one
 * that needs fewer pairs is taken, as if no pair were shared (in a tie, the left operand and the
 * earliest position).
 *
 * There may be more causes: I. Beer, S. Ben-David, H. Chockler, A. Orni, R. Trefler, Explaining
 * counterexamples using causality (CAV 2009), mark all of them. This is one sufficient reason. Time
 * and memory are linear in subformulas times positions, as theirs are.
 *
 * Returns OM_OK, and the caller frees *out with om_ltl__rows_free(); OM_EINVAL; OM_ENOMEM;
 * OM_ELIMIT or OM_ESTOP if the arena's context is stopped. Only reads the arena, which no other
 * thread may change during the call.
 */
int om_ltl__explain(const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop,
    size_t at, om_ltl_rows *out);
/*
 * The same at position 0 for a formula that is false on every continuation of labels[0 .. n-1] (n >
 * 0). The continuation is taken to repeat the last letter, but pairs in it are avoided if the truth
 * of the formula follows from others. *beyond: some were needed. Rows have the n positions.
 */
int om_ltl__explain_prefix(const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n,
    om_ltl_rows *out, bool *beyond);
void om_ltl__rows_free(om_ltl_rows *rows);

#endif
