/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people: each state with what changes in it, and between two of them the transition that
 * was taken and where it stands in the model.
 */
#include "formats.h"
#include "states.h"
#include "values.h"

static void print_value(const om_slot *slot, const uint32_t *vector, uint32_t element, om_text *out)
{
    om_value value = om_slot_get(slot, vector, element);
    const char *name = om_lasso__enumerator(slot, value);
    if (slot->length == 0)
        om_text_printf(out, "  %s = ", slot->name);
    else
        om_text_printf(out, "  %s[%" PRIu32 "] = ", slot->name, element);
    if (name != NULL)
        om_text_add(out, name);
    else
        om_text_printf(out, "%" OM_VALUE_FORMAT, value);
}

/* The elements that differ from `before` (all of them where that is NULL), on one line. */
static void print_state(
    const om_model *m, const uint32_t *vector, const uint32_t *before, om_text *out)
{
    bool any = false;
    om_text_add(out, "       ");
    for (uint32_t s = 0; s < om_model_slot_count(m); s++) {
        const om_slot *slot = om_model_slot(m, s);
        for (uint32_t e = 0; e < om_lasso__elements(slot); e++)
            if (before == NULL || om_slot_get(slot, vector, e) != om_slot_get(slot, before, e)) {
                print_value(slot, vector, e, out);
                any = true;
            }
    }
    if (!any)
        om_text_add(out, "  (nothing changes)");
    om_text_add(out, "\n");
}

static void print_step(const om_model *m, uint32_t transition, om_text *out)
{
    om_text_add(out, "    -> ");
    if (transition == OM_STUTTER)
        om_text_add(out, "no successor: the state repeats");
    else if (transition >= om_model_transition_count(m))
        om_text_printf(out, "transition %" PRIu32, transition);
    else {
        const om_transition *t = om_model_transition(m, transition);
        om_text_printf(out, "%s  (", t->label == NULL ? "" : t->label);
        om_lasso__place(&t->place, out);
        if (t->place.file == NULL)
            om_text_printf(out, "transition %" PRIu32, transition);
        om_text_add(out, ")");
    }
    om_text_add(out, "\n");
}

int om_lasso__write_txt(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    (void) style;
    om_lasso_states states;
    int rc = om_lasso_states__open(&states, l, m);
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        const uint32_t *state, *before;
        if ((rc = om_lasso_states__next(&states, &state, &before)) != OM_OK)
            break;
        if (i == l->loop)
            om_text_printf(out, "cycle (%zu states):\n", l->count - i);
        else if (i == 0)
            om_text_add(out, l->loop == OM_NO_LOOP ? "trace:\n" : "stem:\n");
        om_text_printf(out, "%5zu:\n", i);
        print_state(m, state, before, out);
        if (l->transitions[i] != OM_NONE)
            print_step(m, l->transitions[i], out);
    }
    om_lasso_states__close(&states);
    if (rc != OM_OK)
        return rc;
    if (l->loop != OM_NO_LOOP)
        om_text_printf(out, "       back to state %zu\n", l->loop);
    if (l->form.reset_dead)
        om_text_add(out, "(a local variable whose value is not used any more is shown with its "
                         "initial value; --reset-dead off keeps it)\n");
    return om_text_status(out);
}
