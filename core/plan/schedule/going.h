/* SPDX-License-Identifier: Apache-2.0 */
/* going.h: the orders and the guides of a search for a state. */
#ifndef OMEN_PLAN_GOING_H
#define OMEN_PLAN_GOING_H

#include "model/searched.h"

#include <omen/plugin/guide.h>

enum { OM_PLAN_GUIDES = 8 };

/* What a search is given, and owns nothing of */
typedef struct om_plan_going {
    const om_heap *heap;
    om_going going; /* refers to `guides` */
    om_guiding guides[OM_PLAN_GUIDES];
    om_goal *goals;
} om_plan_going;

/* Checks that a guide that is named exists, that its options are valid, and that the orders use it.
 * OM_OK; OM_EUSAGE; OM_ENOMEM. */
int om_plan__vet_guide(const om_plan *p, const om_plan_options *o, om_context *ctx);
/* Chooses the orders that the options ask for, and creates the guides that can help to find what
 * the spec describes, the highest ranks first: failures of the searched model's assertions are
 * added to its goals; its size, heap and model are set here. *out must stay where it is, and the
 * caller frees it with om_plan__stop_going(), whatever is returned. OM_OK; OM_ENOMEM; the errors of
 * a guide that is named. Messages go to spec.ctx. Any thread. */
int om_plan__go(
    const om_searched *s, const om_plan_options *o, om_guide_spec spec, om_plan_going *out);
void om_plan__stop_going(om_plan_going *g);
/* Likewise for a checker whose search has an order of its own: creates the steady guide of highest
 * rank that can help, to order the successors of each state; or none. */
int om_plan__order(
    const om_searched *s, const om_plan_options *o, om_guide_spec spec, om_plan_going *out);
/* Appends the orders that the options ask for, and the guides that may help: of a search that goes
 * deep or, if not `deep`, in om_plan__order()'s way (nothing, if no guide may). */
void om_plan__say_going(const om_plan *p, const om_plan_options *o, bool deep, om_text *out);

#endif
