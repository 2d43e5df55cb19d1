/* SPDX-License-Identifier: Apache-2.0 */
/* real.h: a run with the true values of variables, without resets. */
#ifndef OM_LASSO_REAL_H
#define OM_LASSO_REAL_H

#include <omen/host/lasso.h>

typedef enum om_reality {
    OM_NOT_REAL, /* the cycle does not return to its first state */
    OM_REAL,
    OM_REAL_BUT_UNREAD /* it does, except for variables that nothing reads, which grow, perhaps */
} om_reality;

/*
 * The lasso is a run of the model with resets of dead variables (core/model/transform/reset.h), and
 * the model has none now. Turns it into the same run of the model without resets: the same
 * transitions, with parts of the cycle possibly repeated until the cycle returns to its first
 * state. Unless *out is OM_REAL, the lasso is unchanged. OM_OK; OM_ENOMEM; OM_EINPUT: not a run of
 * the model; a stop.
 */
int om_lasso__make_real(om_lasso *l, om_context *ctx, om_model *m, om_reality *out);

#endif
