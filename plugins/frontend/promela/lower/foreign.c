/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the model's steps in SPIN's trails: the numbers of elements.c. A d_step is one
 * step, with its own number, whatever it executes inside.
 */
#include "steps.h"

#include <string.h>

int pml_move_step(pml_move *v, const pml_instance *i, const pml_node *n, const pml_node *leaf)
{
    const pml_node *d_step = leaf->d_step;
    if (d_step != NULL && n->d_step == d_step)
        return OM_OK; /* the d_step has begun earlier */
    if (!OM_ROOM(v->l->file->region.heap, v->steps, &v->step_capacity, v->step_count + 1))
        return om_fail_memory(v->l->file->ctx);
    v->steps[v->step_count++] =
        (om_foreign_step){ i->process, d_step != NULL ? d_step->element : leaf->element };
    return OM_OK;
}

int pml_name_steps(const pml_move *v, om_foreign_kind kind)
{
    om_model *m = v->l->model;
    uint32_t count =
        kind == OM_FOREIGN_TRANSITION ? om_model_transition_count(m) : om_model_assertion_count(m);
    return om_model_set_foreign(m, kind, count - 1, v->steps, (uint32_t) v->step_count);
}

/* SPIN turns formulas into claims after the file is parsed, in their order. */
static uint32_t unit_of(const pml_file *f, const char *name)
{
    uint32_t unit = f->units;
    for (const pml_proctype *t = f->claim; t != NULL; t = t->next_claim)
        if (strcmp(t->name, name) == 0)
            return t->unit;
    for (const pml_formula *o = f->formulas; o != NULL; o = o->next, unit++)
        if (strcmp(o->name, name) == 0)
            return unit;
    return OM_NONE;
}

int pml_name_properties(const pml_lowering *l)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < om_model_property_count(l->model) && rc == OM_OK; i++) {
        om_foreign_step s = { OM_NONE, unit_of(l->file, om_model_property(l->model, i)->name) };
        if (s.number != OM_NONE)
            rc = om_model_set_foreign(l->model, OM_FOREIGN_PROPERTY, i, &s, 1);
    }
    return rc;
}
