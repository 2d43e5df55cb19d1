/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: queries of a finished model, for other core modules only. */
#ifndef OM_MODEL_MODEL_H
#define OM_MODEL_MODEL_H

#include <omen/plugin/model.h>

/* Returns the present form of the model, as set by om_model__reset_dead(), om_model_set_overflow()
 * or om_model__set_asserted(). */
om_model_form om_model__form_of(const om_model *m);

/* Returns true if every run ends at a state in which the assertion fails. */
bool om_model__is_final(const om_model *m, uint32_t assertion);

/* Returns the enumerator name of the value in that slot, or NULL if it has none. */
static inline const char *om_slot__name_of(const om_slot *slot, om_value value)
{
    bool named = slot->enumerator_names != NULL && value >= 0 &&
                 (om_uvalue) value < (om_uvalue) slot->enumerators;
    return named ? slot->enumerator_names[value] : NULL;
}

/* Returns the slot that traces show for an element: a member, if the slot is a family, and then
 * sets *element to the element of the member (OM_NONE: a scalar); else the slot itself. */
uint32_t om_model__shown_slot(const om_model *m, uint32_t slot, uint32_t *element);

/* Returns the slot that assignments to this one name: the family of a member, else the slot. */
uint32_t om_model__assigned_slot(const om_model *m, uint32_t slot);

/* Returns true if om_model_forbid_deadlock() was called. */
bool om_model__forbids_deadlock(const om_model *m);
/* Returns the argument of om_model_set_progress(), or 0. */
om_expr om_model__progress(const om_model *m);
/* Returns the argument of om_model_set_visible(), or 0. */
om_expr om_model__visible(const om_model *m);
/* How assertions are checked. */
typedef enum om_asserted {
    OM_ASSERTED,         /* all: a failed one is a fault (the default) */
    OM_ASSERTED_AS_ENDS, /* all, but a failed one that is not final is OM_FAULT_IN_ASSERTION: the
                            run ends there, and the search continues elsewhere */
    OM_ASSERTED_FINAL,   /* only final ones (om_model_set_final()) */
    OM_UNASSERTED        /* none */
} om_asserted;
/*
 * Sets how assertions are checked. A state in which an unchecked assertion fails has the successors
 * that its transitions give it. Bounds of open slots (proved.h) are always checked. Call only for
 * a finished model, while no executor is open.
 */
void om_model__set_asserted(om_model *m, om_asserted how);
/* Returns the mode that was set last. */
om_asserted om_model__asserted(const om_model *m);
/* Returns the fault that a failure of this assertion is; the assertion must be checked. */
om_fault om_model__failure(const om_model *m, uint32_t assertion);
/* Returns true if this assertion is checked; false also for one that is constantly true. */
bool om_model__checks(const om_model *m, uint32_t assertion);
/* Returns true if the fault means that the model was built with too little room
 * (om_model_set_room()). */
bool om_model__lacks_room(const om_model *m, om_fault fault);
/* Tell what such a fault means. is_limit: it ends its run, and a search of the others is still
 * worthwhile. is_outgrown: the model is read again with more room (om_model_set_growing()), so the
 * search ends. For other faults both return false. */
bool om_model__is_limit(const om_model *m, om_fault fault);
bool om_model__is_outgrown(const om_model *m, om_fault fault);

/* om_model__has_foreign() returns true if any transition, assertion or property has steps of
 * another tool. om_model__foreign() returns the steps of one, *count of them, or NULL if it has
 * none (om_model_set_foreign()). */
bool om_model__has_foreign(const om_model *m);
const om_foreign_step *om_model__foreign(
    const om_model *m, om_foreign_kind kind, uint32_t index, uint32_t *count);

/* Returns true if a reachable state, or a transition from one, may fault; false if the intervals
 * rule that out. (Evaluating an atomic proposition may fault even then.) Thread-safe. */
bool om_model__may_fault(const om_model *m);

/*
 * Replaces the guard of a transition of a finished model by one that is never true, and restores
 * the guard of a transition that was disabled before. Other guards stay unchanged, even if they
 * refer to the effect of this transition. It keeps its number, and the model its form. A lasso of
 * the changed model is a run of the original one, unless it repeats a state in which only this
 * transition was enabled. Call while no executor is open. Returns OM_OK, OM_EINVAL or OM_ENOMEM.
 */
int om_model__disable(om_model *m, uint32_t transition);
/* Restores the guards of all transitions. Call while no executor is open. */
void om_model__enable(om_model *m);

#endif
