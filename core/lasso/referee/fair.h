/* SPDX-License-Identifier: Apache-2.0 */
/* fair.h: checks whether the cycle of a lasso is fair to all processes. */
#ifndef OM_LASSO_FAIR_H
#define OM_LASSO_FAIR_H

#include <omen/host/lasso.h>

/* Checks an endless run of the model. OM_OK; OM_EINPUT, naming a process that is treated unfairly;
 * OM_ENOMEM; a stop. Uses only the vm. */
int om_lasso__check_fairness(
    om_context *ctx, const om_lasso *l, om_model *m, om_process_fairness kind);

/* For a process: the number of states of the cycle in which it can move, and the number of
 * transitions of the cycle in which it moves. */
typedef struct om_lasso_process {
    size_t able, moves;
} om_lasso_process;

/* Computes this for all processes of the model. The caller frees *out with the heap of the context.
 * Statuses as above. */
int om_lasso__processes(om_context *ctx, const om_lasso *l, om_model *m, om_lasso_process **out);

#endif
