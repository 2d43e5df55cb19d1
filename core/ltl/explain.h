/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h: why a formula has the truth value that it has on a word. */
#ifndef OM_LTL_EXPLAIN_H
#define OM_LTL_EXPLAIN_H

#include <omen/plugin/ltl.h>

/* Of a formula at a position. */
enum {
    OM_LTL_HOLDS = 1,
    OM_LTL_MATTERS = 2 /* it belongs to the explanation */
};

/* A formula that is part of the whole. */
typedef struct om_ltl_row {
    om_ltl_ref f;
    uint32_t depth; /* operators above it, on the way on which it is met first; 0: the whole */
    uint8_t *at;    /* by position, the bits above */
} om_ltl_row;

/* The whole formula comes first, and each other behind one that it is an operand of. */
typedef struct om_ltl_rows {
    const om_heap *heap;
    om_ltl_row *row;
    size_t count;
} om_ltl_rows;

/*
 * Truth of all parts of a formula at all positions of labels[0 .. n-1], with labels[loop .. n-1]
 * repeated for ever (loop < n), and a reason for that of the whole at position `at`: pairs of a
 * part and a position, (f, at) among them, such that the truth of each pair follows from others of
 * them by the meaning of its operator alone. So on every word of this shape on which the
 * propositions of the explanation are as they are here, f has the same value at `at`. It is small,
 * but perhaps not as small as any: where there is a choice, what needs fewer pairs is taken, as if
 * none were needed twice (where that is equal, the left operand, and the earliest position).
 *
 * What may be a cause is more: I. Beer, S. Ben-David, H. Chockler, A. Orni, R. Trefler, Explaining
 * counterexamples using causality (CAV 2009), mark all of that. This is one sufficient reason. Time
 * and memory are linear in parts times positions, as theirs are.
 *
 * OM_OK, and *out is to be freed; OM_EINVAL; OM_ENOMEM; OM_ELIMIT and OM_ESTOP where the arena's
 * context is stopped. Reads the arena alone, which nobody may change meanwhile.
 */
int om_ltl__explain(const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop,
    size_t at, om_ltl_rows *out);
/*
 * The same at position 0 of a formula that is false on labels[0 .. n-1] whatever follows (n > 0).
 * What follows is taken to be the last letter, repeated; but pairs there are avoided where the
 * truth of the formula follows from others. *beyond: some were needed. Rows have the n positions.
 */
int om_ltl__explain_prefix(const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n,
    om_ltl_rows *out, bool *beyond);
void om_ltl__rows_free(om_ltl_rows *rows);

#endif
