/* SPDX-License-Identifier: Apache-2.0 */
/* states.h: the states of a lasso, one after the other. */
#ifndef OMEN_LASSO_STATES_H
#define OMEN_LASSO_STATES_H

#include <omen/host/lasso.h>

/* The states come from the lasso if it has them; otherwise the vm computes each from the previous
 * one. After the last state of an endless run, one more call returns the state it goes back to. */
typedef struct om_lasso_states {
    const om_lasso *l;
    om_executor *x; /* NULL: the lasso has the states */
    om_successors next;
    uint32_t *now, *before; /* memory for two states, */
    uint32_t *first;        /* and for the first of the cycle */
    size_t at;              /* index of the next state */
} om_lasso_states;

/* The lasso must be one of the model. Statuses of om_executor_open(), or OM_ENOMEM. */
int om_lasso_states__open(om_lasso_states *s, const om_lasso *l, om_model *m);
void om_lasso_states__close(om_lasso_states *s);
/* Returns the next state and the previous one (NULL at the first), valid until the next call.
 * OM_OK; OM_ENOMEM; OM_EINPUT, without a message, if the transition has no such successor. */
int om_lasso_states__next(om_lasso_states *s, const uint32_t **state, const uint32_t **before);

#endif
