/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance cycles of the model itself: the property that SPIN's verifier checks with -a if there
 * is no claim. */
#include "claims.h"

#include <string.h>

static const char NAME[] = "accept";

/* The forbidden runs are those on which the proposition holds infinitely often. */
static int build(om_automaton *a)
{
    const om_cube there = { 1, 0 }, elsewhere = { 0, 1 };
    uint32_t state = 0;
    int rc = om_automaton_add_states(a, 1, &state);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(a, state);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(a, state, state, 1, &there, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(a, state, state, 0, &elsewhere, 1);
    if (rc == OM_OK)
        rc = om_automaton_set_name(a, NAME);
    return rc == OM_OK ? om_automaton_finish(a) : rc;
}

int pml_lower_accept(pml_lowering *l)
{
    static const char *const names[] = { NAME };
    om_automaton *a = NULL;
    om_expr aps[] = { pml_at_labels(l, PML_LABEL_ACCEPT) };
    if (aps[0] == 0 && l->unseen == NULL)
        return om_model_expr_check(l->model, NULL);
    for (const pml_proctype *t = l->file->claim; t != NULL; t = t->next_claim)
        if (strcmp(t->name, NAME) == 0)
            return PML_FAIL(l->file, t->at,
                "\"accept\" is the property of labels \"accept...\": this claim needs another "
                "name");
    for (const pml_formula *f = l->file->formulas; f != NULL; f = f->next)
        if (strcmp(f->name, NAME) == 0)
            return PML_FAIL(l->file, f->at,
                "\"accept\" is the property of labels \"accept...\": this formula needs another "
                "name");
    if (l->unseen != NULL) {
        om_note(l->file->ctx, OM_NOTE_WARNING, l->unseen->s == NULL ? NULL : &l->unseen->s->at,
            "this label is inside an atomic sequence, which properties do not see: the model has "
            "no property \"accept\"");
        return OM_OK;
    }
    int rc = om_automaton_new(&a, l->file->ctx, 1, names);
    if (rc == OM_OK)
        rc = build(a);
    if (rc != OM_OK) {
        om_automaton_free(a);
        return rc;
    }
    rc = om_model_add_property(l->model, NAME, a, aps);
    return rc == OM_OK ? om_model_set_by_name(l->model) : rc;
}
