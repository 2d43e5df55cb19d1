/* SPDX-License-Identifier: Apache-2.0 */
/* fair.h: is the cycle of a lasso fair to all processes? */
#ifndef OM_LASSO_FAIR_H
#define OM_LASSO_FAIR_H

#include <omen/host/lasso.h>

/* The lasso is a run of the model, and endless. OM_OK; OM_EINPUT, with who is treated unfairly;
 * OM_ENOMEM; a stop. Asks the vm alone. */
int om_lasso__check_fairness(
    om_context *ctx, const om_lasso *l, om_model *m, om_process_fairness kind);

/* Of a process: in how many states of the cycle it can move, and along how many of the transitions
 * that leave those it does. */
typedef struct om_lasso_process {
    size_t able, moves;
} om_lasso_process;

/* Those of all processes of the model, the caller's to free with the heap
 * of the context; statuses as above. */
int om_lasso__processes(om_context *ctx, const om_lasso *l, om_model *m, om_lasso_process **out);

#endif
