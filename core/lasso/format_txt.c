/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people: each state with what changes in it, and between two of them the transition that
 * was taken and where it stands in the model.
 */
#include "formats.h"
#include "prints.h"
#include "states.h"
#include "values.h"

#include <string.h>

/* The elements that differ from `before` (all of them where that is NULL), on one line. */
static void print_state(
    const om_model *m, const uint32_t *vector, const uint32_t *before, om_text *out)
{
    om_text_add(out, "         ");
    bool any = om_lasso__put_changes(m, vector, before, "  ", SIZE_MAX, out) != 0;
    om_text_add(out, any ? "\n" : "(nothing changes)\n");
}

/* What the run prints, and the state that it has come to with nothing forgotten (prints.h). */
typedef struct printing {
    const om_model *m;
    uint32_t *state; /* NULL: nothing is ever printed */
    om_text text;
} printing;

static int start_printing(printing *p, uint32_t words)
{
    const om_model *m = p->m;
    if (!om_model__has_prints(m))
        return OM_OK;
    p->state = om_alloc(p->text.heap, words, sizeof *p->state);
    if (p->state == NULL)
        return OM_ENOMEM;
    memcpy(p->state, om_model_initial(m), words * sizeof *p->state);
    return OM_OK;
}

static void end_printing(printing *p)
{
    om_free(p->text.heap, p->state);
    om_text_free(&p->text);
}

/* Each line behind a bar; what is no text is shown as in JSON. */
static void print_step(printing *p, uint32_t transition, om_text *out)
{
    if (p->state == NULL || om_model_transition(p->m, transition) == NULL)
        return;
    om_text_free(&p->text);
    (void) om_model__print(p->m, transition, p->state, &p->text);
    out->failed = out->failed || p->text.failed;
    for (size_t i = 0; i < p->text.length; i++) {
        const char *c = &p->text.text[i];
        if (i == 0 || c[-1] == '\n')
            om_text_add(out, "       | ");
        if ((unsigned char) *c < ' ' && *c != '\t' && *c != '\n')
            om_text_printf(out, "\\u%04x", (unsigned) *c);
        else
            om_text_add_n(out, c, 1);
    }
    if (p->text.length != 0 && p->text.text[p->text.length - 1] != '\n')
        om_text_add(out, "\n");
}

int om_lasso__write_txt(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    (void) style;
    om_lasso_states states;
    printing printed = { .m = m, .text = { .heap = out->heap } };
    int rc = om_lasso_states__open(&states, l, m);
    if (rc == OM_OK)
        rc = start_printing(&printed, l->words);
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
        print_step(&printed, l->transitions[i], out);
    }
    om_lasso_states__close(&states);
    end_printing(&printed);
    if (rc != OM_OK)
        return rc;
    if (l->loop != OM_NO_LOOP)
        om_text_printf(out, "       back to state %zu\n", l->loop);
    if (l->form.reset_dead)
        om_text_add(out, "(a local variable whose value is not used any more is shown with its "
                         "initial value; --reset-dead off keeps it)\n");
    return om_text_status(out);
}
