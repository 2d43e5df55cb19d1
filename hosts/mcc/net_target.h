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

/* Reduces the net in ways that preserve the properties, for at most this time. The caller closes
 * *t, whatever is returned. OM_OK; OM_ENOMEM; OM_ESTOP. */
int mcc_target_open(mcc *m, mcc_target *t, om_reduce_keep keep,
    const mcc_property *const *properties, size_t count, uint64_t ns);
/* Makes a target of the whole net. */
void mcc_target_all(const mcc *m, mcc_target *t);
void mcc_target_close(mcc *m, mcc_target *t);
/* Returns true if the nets of both targets are equal, place by place and transition by transition.
 * Then a model of one net, and its runs, are those of the other; images of observed places may
 * differ. */
bool mcc_target_is_same(const mcc_target *a, const mcc_target *b);
/* Converts a predicate to one over the target's markings; NULL if memory runs out. */
const om_predicate *mcc_target_predicate(mcc *m, const mcc_target *t, const om_predicate *p);
/* Converts the sum of an MCC_BOUND to the target. OM_OK; OM_ELIMIT: it is too large; OM_ENOMEM. */
int mcc_target_sum(mcc *m, const mcc_target *t, const mcc_property *p, om_net_sum *s);
/* Adds a predicate of the target, unless it has it, and sets *index. OM_OK or OM_ENOMEM. */
int mcc_target_add(mcc *m, mcc_target *t, const om_predicate *p, size_t *index);
/* Makes t->model, with the target's predicates. */
int mcc_target_make_model(mcc *m, mcc_target *t);
/* Makes a plan for the model with this time limit. */
int mcc_target_plan(mcc *m, const mcc_target *t, uint64_t timeout_ns, om_plan **out);
/* Converts a run of the target to one of the net, as om_reduction_expand(). The caller frees the
 * list with om_free(). */
int mcc_target_run(mcc *m, const mcc_target *t, const om_firings *found, om_firings *out);
/* mcc_answer() for an answer found by exploring the target, by a walk through it, or by a search
 * that saw what is left of it. */
void mcc_target_answer(mcc *m, const mcc_target *t, mcc_property *p, om_wide value);
void mcc_target_walked(mcc *m, const mcc_target *t, mcc_property *p, om_wide value);
void mcc_target_proved(mcc *m, const mcc_target *t, mcc_property *p, om_wide value);

#endif
