/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h: the propositions that hold in the states of a lasso. */
#ifndef OM_LASSO_LABELS_H
#define OM_LASSO_LABELS_H

#include <omen/host/lasso.h>

/*
 * Computes the label of each state under these expressions (at most 64), with the vm. The lasso is
 * one of the model. The caller frees *out with the heap of the context. OM_OK; OM_ENOMEM; OM_EINPUT
 * if an expression cannot be evaluated; a stop.
 */
int om_lasso__labels(om_context *ctx, const om_lasso *l, om_model *m, const om_expr *aps,
    uint32_t count, om_label **out);

#endif
