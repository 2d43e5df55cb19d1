/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people: each state with what changes in it, and between two of them the transition that
 * was taken and where it stands in the model.
 */
#include "formats.h"
#include "states.h"
#include "values.h"

/* The elements that differ from `before` (all of them where that is NULL), on one line. */
static void print_state(
    const om_model *m, const uint32_t *vector, const uint32_t *before, om_text *out)
{
    om_text_add(out, "         ");
    bool any = om_lasso__put_changes(m, vector, before, "  ", SIZE_MAX, out) != 0;
    om_text_add(out, any ? "\n" : "(nothing changes)\n");
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
        if (l->transitions[i] == OM_NONE)
            continue;
        om_text_add(out, "    -> ");
        om_lasso_put_step(m, l->transitions[i], out);
        om_text_add(out, "\n");
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
