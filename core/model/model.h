/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what other rooms ask of a finished model that is nobody else's business. */
#ifndef OM_MODEL_MODEL_H
#define OM_MODEL_MODEL_H

#include <omen/plugin/model.h>

/* What the model is made into, by om_model__reset_dead(), om_model_set_overflow() or
 * om_model__set_asserted(). */
om_model_form om_model__form_of(const om_model *m);

/* Does every run end in which the assertion fails? */
bool om_model__is_final(const om_model *m, uint32_t assertion);

/* What the value is called in that slot; NULL: it is a number. */
static inline const char *om_slot__name_of(const om_slot *slot, om_value value)
{
    bool named = slot->enumerator_names != NULL && value >= 0 &&
                 (om_uvalue) value < (om_uvalue) slot->enumerators;
    return named ? slot->enumerator_names[value] : NULL;
}

/* Was om_model_forbid_deadlock() called? */
bool om_model__forbids_deadlock(const om_model *m);
/* What om_model_set_progress() was given, or 0. */
om_expr om_model__progress(const om_model *m);
/* What om_model_set_visible() was given, or 0. */
om_expr om_model__visible(const om_model *m);
/* How assertions are checked. */
typedef enum om_asserted {
    OM_ASSERTED,         /* all of them: where one fails, there is a fault (the default) */
    OM_ASSERTED_AS_ENDS, /* likewise, but those that are not final are OM_FAULT_IN_ASSERTION: runs
                            end there, and a search goes on elsewhere */
    OM_ASSERTED_FINAL,   /* those alone that are final (om_model_set_final()) */
    OM_UNASSERTED        /* none */
} om_asserted;
/*
 * A state in which one fails that is not checked has the successors that its transitions give it.
 * Bounds of open slots (compact.h) are checked in any case. Of a finished model, while no executor
 * is open.
 */
void om_model__set_asserted(om_model *m, om_asserted how);
/* As it was set last. */
om_asserted om_model__asserted(const om_model *m);
/* The fault that it is where this assertion, which is checked, does not hold. */
om_fault om_model__failure(const om_model *m, uint32_t assertion);
/* Is this assertion checked? False for one that is constant and true, too. */
bool om_model__checks(const om_model *m, uint32_t assertion);
/* Does the fault say that the model is built for too little (om_model_set_room())? */
bool om_model__lacks_room(const om_model *m, om_fault fault);

/* Has anything a row of another tool's steps? And the row of this one, *count of them; NULL where
 * there is none (om_model_set_foreign()). */
bool om_model__has_foreign(const om_model *m);
const om_foreign_step *om_model__foreign(
    const om_model *m, om_foreign_kind kind, uint32_t index, uint32_t *count);

/* May a reachable state, or a transition from one, be a fault? False where intervals tell that none
 * is. (Evaluating an atomic proposition may be one all the same.) Any thread. */
bool om_model__may_fault(const om_model *m);

/*
 * Gives a transition of a finished model a guard that is never true; an earlier one has its own
 * again. Guards of others stay as they are, whatever they say of what this one would have done. It
 * keeps its number, and the model its form; lassos of the model as it is then are runs of the model
 * as it was, but for those that repeat a state in which this transition alone was enabled. While
 * no executor is open. OM_OK; OM_EINVAL; OM_ENOMEM.
 */
int om_model__disable(om_model *m, uint32_t transition);
/* All transitions have their own guards; likewise. */
void om_model__enable(om_model *m);

#endif
