/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle.h: a condition that says that nothing can move, such as SPIN's `timeout`.
 *
 * Such a condition is large, the negation of "this process can move, or that one ...", and nearly
 * always false. It is known to be false once a transition is taken whose guard implies one of its
 * cases. So the vm first goes through the moves that do not wait for it, and through the others
 * only if it took none of those transitions.
 *
 * A move waits if the condition is among the conjuncts of its guard, those before it cannot fault,
 * and neither can the condition wherever it is evaluated: each of its parts that may fault is
 * evaluated in the guard of a transition, too, under conditions that hold then. So a state has the
 * same successors and the same fault as without this.
 */
#ifndef OM_MODEL_IDLE_H
#define OM_MODEL_IDLE_H

#include "form/form.h"

/* A place where the guard of a transition evaluates a conjunct that may fault; the next one for the
 * same conjunct (0: none). */
typedef struct om_idle_tried {
    uint32_t transition, next;
} om_idle_tried;

/* What is known of the condition. For one thread. */
typedef struct om_idle {
    const om_model *m;
    om_expr condition;   /* a negation; 0: there is none, and nothing waits */
    om_expr *cases;      /* by node: a case of its operand that begins with this conjunct */
    uint32_t *holds;     /* by node: how many reasons there are to assume that it holds */
    uint32_t *tried;     /* by node: where guards evaluate it: a number in `list`, or 0 */
    om_idle_tried *list; /* from number 1 on */
    size_t count, room;
    uint32_t left; /* nodes that may still be visited: the search for faults is given up in time */
} om_idle;

/* Finds the condition of a model. Returns false if memory runs out. The caller closes it. */
bool om_idle__open(om_idle *x, const om_model *m);
/* Returns true if a guard that holds implies that the condition does not. */
bool om_idle__ends(om_idle *x, om_expr guard);
/* Returns true if a guard (or the first part of an assertion's condition) waits for the condition.
 */
bool om_idle__waits(om_idle *x, om_expr guard);
/* Returns true if a conjunct e of a guard (or of the first part of an assertion's condition) cannot
 * fault where no other guard does: each part of e that may fault is a conjunct of the guard of a
 * transition, too, and is evaluated there, unless the guard faults before. */
bool om_idle__is_tried(om_idle *x, om_expr guard, om_expr e);
void om_idle__close(om_idle *x);

#endif
