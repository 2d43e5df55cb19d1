/* SPDX-License-Identifier: Apache-2.0 */
/* states.h: the states of a lasso, one after the other. */
#ifndef OMEN_LASSO_STATES_H
#define OMEN_LASSO_STATES_H

#include <omen/host/lasso.h>

/* They are the lasso's own, where it has them; else the vm computes each from the one before. Of an
 * endless run the one that it goes back to may be asked for once more, behind the last. */
typedef struct om_lasso_states {
    const om_lasso *l;
    om_executor *x; /* NULL: they are the lasso's own */
    om_successors next;
    uint32_t *now, *before; /* memory for two of them, */
    uint32_t *first;        /* and for the first of the cycle */
    size_t at;              /* of the next one */
} om_lasso_states;

/* The lasso must be one of the model. Statuses of om_executor_open(), or OM_ENOMEM. */
int om_lasso_states__open(om_lasso_states *s, const om_lasso *l, om_model *m);
void om_lasso_states__close(om_lasso_states *s);
/*
 * The next state, and the one before it (NULL at the first), until the next call. OM_OK; OM_ENOMEM;
 * OM_EINPUT, with no message: its transition leads nowhere.
 */
int om_lasso_states__next(om_lasso_states *s, const uint32_t **state, const uint32_t **before);

#endif
