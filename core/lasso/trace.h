/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: what the planner asks for beside lassos of evidence: finite traces. */
#ifndef OM_LASSO_TRACE_H
#define OM_LASSO_TRACE_H

#include <omen/host/lasso.h>

/* Of evidence for an automaton that waits for a state and then accepts everything: the trace to
 * that state, before the automaton is in `automaton_state`. Else as om_lasso_extract(). */
int om_lasso__extract_trace(
    om_lasso *out, om_context *ctx, om_task *task, uint32_t automaton_state);
/* The trace to the fault that the task has met (before OM_EMODEL, too), and what it is. */
int om_lasso__extract_fault(om_lasso *out, om_context *ctx, om_task *task, om_fault *fault);

/* The trace along n stored states of a product, each a successor of the one before; or, where
 * `loop` is not OM_NO_LOOP, the lasso that goes back to that one from the last. */
int om_lasso__from_path(om_lasso *out, om_context *ctx, om_product *p, om_cursor *c,
    const om_id *path, size_t n, size_t loop);
/* The shortest trace from the initial state to a state (model words) or to any state where the
 * condition holds (vector NULL; condition 0: deadlock). A search of its own, on the vm. */
int om_lasso__trace(
    om_lasso *out, om_context *ctx, om_model *m, const uint32_t *vector, om_expr condition);

/* The last state alone: `words` of it. Statuses of om_lasso_vectors(). */
int om_lasso__end(const om_lasso *l, om_model *m, uint32_t *vector);

#endif
