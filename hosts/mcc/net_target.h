/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net_target.h: the net and the model that are explored for some properties.
 *
 *  N1  A target's net is the reduction's if there is one, else the net as it was read.
 *  N2  A plan is made for a target's model.
 */
#ifndef OMEN_MCC_NET_TARGET_H
#define OMEN_MCC_NET_TARGET_H

#include "mcc.h"

#include <omen/host/reduce.h>

typedef struct mcc_target {
    om_reduction *reduction; /* or NULL: the net as it was read */
    om_reduce_keep keep;
    const om_net *net;
    om_model *model; /* with these predicates; or NULL */
    const om_predicate **predicates;
    size_t predicate_count;
} mcc_target;

/* Reduces the net in ways that preserve the properties. The caller closes *t, whatever is returned.
 * OM_OK; OM_ENOMEM; OM_ESTOP. */
int mcc_target_open(mcc *m, mcc_target *t, om_reduce_keep keep,
    const mcc_property *const *properties, size_t count);
/* Makes a target of the whole net. */
void mcc_target_all(const mcc *m, mcc_target *t);
void mcc_target_close(mcc *m, mcc_target *t);
/* Converts a predicate to one over the target's markings; NULL if memory runs out. */
const om_predicate *mcc_target_predicate(mcc *m, const mcc_target *t, const om_predicate *p);
/* Converts the sum of an MCC_BOUND to the target. OM_OK; OM_ELIMIT: it is too large; OM_ENOMEM. */
int mcc_target_sum(mcc *m, const mcc_target *t, const mcc_property *p, om_net_sum *s);
/* Makes t->model, with the target's predicates. */
int mcc_target_make_model(mcc *m, mcc_target *t);
/* Makes a plan for the model with this time limit. */
int mcc_target_plan(mcc *m, const mcc_target *t, uint64_t timeout_ns, om_plan **out);
/* Converts a run of the target to one of the net, as om_reduction_expand(). The caller frees the
 * list with om_free(). */
int mcc_target_run(mcc *m, const mcc_target *t, const om_firings *found, om_firings *out);
/* mcc_answer() for an answer found by exploring the target. */
void mcc_target_answer(mcc *m, const mcc_target *t, mcc_property *p, om_wide value);

#endif
