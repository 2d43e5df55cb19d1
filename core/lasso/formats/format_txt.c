/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people: each state with its changes, and between two states the transition and its place
 * in the model. */
#include "formats.h"
#include "printed.h"
#include "states.h"
#include "values.h"

/* Writes the elements that differ from `before` (all if it is NULL), on one line. */
static void print_state(
    const om_model *m, const uint32_t *vector, const uint32_t *before, om_text *out)
{
    om_text_add(out, "         ");
    bool any = om_lasso__put_changes(m, vector, before, "  ", SIZE_MAX, out) != 0;
    om_text_add(out, any ? "\n" : "(nothing changes)\n");
}

/* Marks state i if the bad prefix ends there. */
static void put_violated(const om_lasso *l, size_t i, om_text *out)
{
    if (i + 1 == l->bad_prefix)
        om_text_add(out, "  (violated: every continuation from here violates the property)");
}

/* Writes the remarks on the bad prefix that follow the run. */
static void put_prefix(const om_lasso *l, om_text *out)
{
    if (l->bad_prefix > l->count)
        om_text_printf(out,
            "       violated in state %zu, in round %zu of the cycle: every continuation from "
            "there "
            "violates the property\n",
            om_lasso__place_of(l, l->bad_prefix - 1),
            (l->bad_prefix - 1 - l->loop) / (l->count - l->loop) + 1);
    if (l->bad_prefix != 0 && l->loop == OM_NO_LOOP)
        om_text_add(out, "       (the rest of the run is left out; --whole-run keeps it)\n");
}

/* Writes each line after a bar; control characters are escaped as in JSON. */
static void put_printed(const char *text, om_text *out)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        om_text_add(out, begins ? "       | " : "");
        begins = *text == '\n';
        if ((unsigned char) *text < ' ' && *text != '\t' && *text != '\n')
            om_text_printf(out, "\\u%04x", (unsigned) *text);
        else
            om_text_add_n(out, text, 1);
    }
    om_text_add(out, begins ? "" : "\n");
}

int om_lasso__write_txt(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    (void) style;
    om_lasso_states states;
    om_printed printed = { 0 };
    int rc = om_lasso_states__open(&states, l, m);
    if (rc == OM_OK)
        rc = om_printed__open(&printed, l, m);
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        const uint32_t *state, *before;
        if ((rc = om_lasso_states__next(&states, &state, &before)) != OM_OK)
            break;
        if (i == l->loop)
            om_text_printf(out, "cycle (%zu states):\n", l->count - i);
        else if (i == 0)
            om_text_add(out, l->loop == OM_NO_LOOP ? "trace:\n" : "stem:\n");
        om_text_printf(out, "%5zu:", i);
        put_violated(l, i, out);
        om_text_add(out, "\n");
        print_state(m, state, before, out);
        const char *text = om_printed__next(&printed);
        if (l->transitions[i] == OM_NONE)
            continue;
        om_text_add(out, "    -> ");
        om_lasso_put_step(m, l->transitions[i], out);
        om_text_add(out, "\n");
        if (text != NULL)
            put_printed(text, out);
        rc = om_printed__status(&printed);
    }
    om_lasso_states__close(&states);
    om_printed__close(&printed);
    if (rc != OM_OK)
        return rc;
    if (l->loop != OM_NO_LOOP)
        om_text_printf(out, "       back to state %zu\n", l->loop);
    put_prefix(l, out);
    if (l->form.ignore_assertions)
        om_text_add(out, "(the run continues after an assertion of the model fails)\n");
    if (l->form.reset_dead)
        om_text_add(out, "(a variable whose value is no longer used is shown with its "
                         "initial value; --reset-dead off keeps the value)\n");
    return om_text_status(out);
}
