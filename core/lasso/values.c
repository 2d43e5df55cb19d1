/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values and places, for every format and for the reader, which compares them. */
#include "values.h"

#include "model.h"

#include <string.h>

void om_lasso_put_place(const om_place *place, om_text *out)
{
    if (place->file == NULL)
        return;
    const char *slash = strrchr(place->file, '/');
    om_text_add(out, slash == NULL ? place->file : slash + 1);
    if (place->line != 0)
        om_text_printf(out, ":%" PRIu32, place->line);
    if (place->line != 0 && place->column != 0)
        om_text_printf(out, ":%" PRIu32, place->column);
}

const char *om_process_fairness_name(om_process_fairness kind)
{
    static const char *const names[OM_FAIRNESS_KINDS] = {
        [OM_FAIRNESS_NONE] = "none", [OM_FAIRNESS_WEAK] = "weak", [OM_FAIRNESS_STRONG] = "strong"
    };
    return (unsigned) kind < OM_FAIRNESS_KINDS ? names[kind] : NULL;
}

bool om_lasso__is_location(const om_model *m, uint32_t slot)
{
    const om_process *p = om_model_process(m, om_model_slot(m, slot)->process);
    return p != NULL && p->location == slot;
}

void om_lasso_put_name(const om_slot *slot, uint32_t element, om_text *out)
{
    om_text_add(out, slot->name);
    if (slot->length != 0)
        om_text_printf(out, "[%" PRIu32 "]", element);
}

/* Returns true if the slot is of a process that does not run: its location is the first one, which
 * has no name ("-"). */
static bool is_of_absent(const om_model *m, const om_slot *slot, const uint32_t *state)
{
    const om_process *p = om_model_process(m, slot->process);
    if (p == NULL || p->location == OM_NONE)
        return false;
    const om_slot *location = om_model_slot(m, p->location);
    const char *name = om_slot__name_of(location, 0);
    return name != NULL && strcmp(name, "-") == 0 && om_slot_get(location, state, 0) == 0;
}

/* Returns true if the element is to be named: it differs from the state before or, in the first
 * state, it is not 0, or it is of a process that runs. */
static bool is_news(const om_model *m, const om_slot *slot, const uint32_t *state,
    const uint32_t *before, uint32_t element)
{
    const om_value value = om_slot_get(slot, state, element);
    return before != NULL ? value != om_slot_get(slot, before, element)
                          : value != 0 || !is_of_absent(m, slot, state);
}

size_t om_lasso__put_changes(const om_model *m, const uint32_t *state, const uint32_t *before,
    const char *between, size_t most, om_text *out)
{
    size_t count = 0;
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++) {
        const om_slot *slot = om_model_slot(m, s);
        for (uint32_t e = 0; e < om_lasso__elements(slot); e++) {
            if (!is_news(m, slot, state, before, e))
                continue;
            if (count++ >= most)
                continue;
            om_text_add(out, count == 1 ? "" : between);
            om_lasso_put_name(slot, e, out);
            om_text_add(out, " = ");
            om_lasso_put_value(slot, state, e, out);
        }
    }
    if (count > most)
        om_text_printf(out, "%sand %zu more", between, count - most);
    return count;
}

void om_lasso_put_value(const om_slot *slot, const uint32_t *vector, uint32_t element, om_text *out)
{
    om_value value = om_slot_get(slot, vector, element);
    const char *name = om_slot__name_of(slot, value);
    if (name != NULL)
        om_text_add(out, name);
    else if (slot->type == OM_BOOL)
        om_text_add(out, value != 0 ? "true" : "false");
    else
        om_text_printf(out, "%" OM_VALUE_FORMAT, value);
}

void om_lasso_put_step(const om_model *m, uint32_t transition, om_text *out)
{
    if (transition == OM_STUTTER) {
        om_text_add(out, "no successor: the state repeats");
        return;
    }
    const om_transition *t = om_model_transition(m, transition);
    if (t == NULL) {
        om_text_printf(out, "transition %" PRIu32, transition);
        return;
    }
    om_text_printf(out, "%s  (", t->label == NULL ? "" : t->label);
    om_lasso_put_place(&t->place, out);
    if (t->place.file == NULL)
        om_text_printf(out, "transition %" PRIu32, transition);
    om_text_add(out, ")");
}

/* Appends the value as JSON. */
static void put_element(const om_slot *slot, const uint32_t *vector, uint32_t element, om_text *out)
{
    const char *name = om_slot__name_of(slot, om_slot_get(slot, vector, element));
    if (name != NULL)
        om_text_add_json(out, name);
    else
        om_lasso_put_value(slot, vector, element, out);
}

void om_lasso__put_slot(const om_slot *slot, const uint32_t *vector, om_text *out)
{
    if (slot->length != 0)
        om_text_add(out, "[");
    for (uint32_t e = 0; e < om_lasso__elements(slot); e++) {
        om_text_add(out, e == 0 ? "" : ", ");
        put_element(slot, vector, e, out);
    }
    if (slot->length != 0)
        om_text_add(out, "]");
}
