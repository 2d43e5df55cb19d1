/* SPDX-License-Identifier: Apache-2.0 */
/* real.h: a run with the values that variables really have. */
#ifndef OM_LASSO_REAL_H
#define OM_LASSO_REAL_H

#include <omen/host/lasso.h>

/*
 * The lasso is one of the model with resets of dead variables (core/model/reset.h), and the model
 * has none now. The same run becomes one of the model as it is: the same transitions, of which some
 * of the cycle may come twice, until the cycle comes back to the state that it began with. *done:
 * it did; else nothing changed. OM_OK; OM_ENOMEM; OM_EINPUT: it is no run of the model; a stop.
 */
int om_lasso__make_real(om_lasso *l, om_context *ctx, om_model *m, bool *done);

#endif
