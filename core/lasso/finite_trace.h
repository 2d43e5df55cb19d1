/* SPDX-License-Identifier: Apache-2.0 */
/* finite_trace.h: finite traces, which the planner needs beside lassos of evidence. */
#ifndef OM_LASSO_FINITE_TRACE_H
#define OM_LASSO_FINITE_TRACE_H

#include <omen/host/lasso.h>

/* For evidence of an automaton that waits for a state and then accepts everything: the trace to
 * that state, before the automaton enters `automaton_state` (OM_NONE: any state of a terminal
 * component). Otherwise as om_lasso_extract(). */
int om_lasso__extract_trace(
    om_lasso *out, om_context *ctx, om_task *task, uint32_t automaton_state);
/* The trace to the fault that the task has met (also before OM_EMODEL), and the fault. */
int om_lasso__extract_fault(om_lasso *out, om_context *ctx, om_task *task, om_fault *fault);

/* The trace along n stored states of a product, each a successor of the previous one; if `loop` is
 * not OM_NO_LOOP, the lasso that returns from the last state to state `loop`. */
int om_lasso__from_path(om_lasso *out, om_context *ctx, om_product *p, om_cursor *c,
    const om_id *path, size_t n, size_t loop);
/* The shortest trace from the initial state to a state (model words), or to any state in which the
 * condition holds (vector NULL; condition 0: deadlock). A separate search, with the vm. */
int om_lasso__trace(
    om_lasso *out, om_context *ctx, om_model *m, const uint32_t *vector, om_expr condition);

/* Copies the last state: `words` of it. Statuses of om_lasso_vectors(). */
int om_lasso__end(const om_lasso *l, om_model *m, uint32_t *vector);

#endif
