/* SPDX-License-Identifier: Apache-2.0 */
/* Valid end states, progress states and visible states. */
#include "ends.h"
#include "trace.h"

/* Returns "the process has ended or is at a point where it may stay". */
static om_expr may_stay(const pml_lowering *l, const pml_instance *i)
{
    om_model *m = l->model;
    const pml_graph *g = i->type->graph;
    om_expr here = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, i->location), om_expr_const(m, 0));
    for (uint32_t n = 0; n < g->location_count; n++)
        if (g->locations[n]->is_end || g->locations[n]->kind == PML_N_END)
            here = pml_or(m, here, pml_at(m, i, g->locations[n]));
    return here;
}

/* Returns the same of `count` instances: a tree of minimal height. */
static om_expr all_may_stay(const pml_lowering *l, const pml_instance *first, uint32_t count)
{
    if (count == 1)
        return may_stay(l, first);
    const uint32_t half = count / 2;
    const om_expr left = all_may_stay(l, first, half);
    return pml_and(l->model, left, all_may_stay(l, first + half, count - half));
}

/* Returns "every process has ended or is at a point where it may stay". */
static om_expr valid_end(pml_lowering *l)
{
    om_model *m = l->model;
    om_expr all = all_may_stay(l, l->instances, l->instance_count);
    if (l->file->trace == NULL)
        return all;
    /* SPIN checks the trace only while there is a process. */
    om_expr gone = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, l->processes), om_expr_const(m, 0));
    return pml_and(m, all, pml_or(m, gone, pml_trace_ended(l)));
}

/* A valid end state repeats itself; any other stuck state is an invalid end state. */
int pml_lower_end(pml_lowering *l)
{
    om_model *m = l->model;
    om_expr stuck = 0;
    int rc = pml_stuck(l, &stuck);
    if (rc != OM_OK)
        return rc;
    /* A process that holds can move. The guard begins with the same conjunct as those of other
     * moves: where the rest of it is evaluated, they are evaluated, too. */
    const om_expr nobody = l->held ? pml_nobody_holds(l) : 0;
    om_transition made = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = pml_and(m, nobody, pml_and(m, valid_end(l), stuck)),
        .label = "(a valid end)",
        .place = { l->file->file, 0, 0 } };
    for (uint32_t k = 0; l->any_timeout && k < l->instance_count && rc == OM_OK; k++) {
        /* While a timeout holds, a process may go on. */
        om_expr goes_on = 0;
        rc = pml_enabled_anywhere(l, &l->instances[k], &goes_on);
        if (rc == OM_OK)
            made.guard = pml_and(m, made.guard, om_expr_unary(m, OM_OP_NOT, goes_on));
    }
    l->ended = made.guard;
    if (rc == OM_OK)
        rc = om_model_expr_check(m, &made.place);
    if (rc == OM_OK)
        rc = om_model_add_transition(m, &made, NULL);
    return rc == OM_OK ? om_model_set_last_resort(m) : rc;
}

/* A run that has reached a valid end makes no progress, and need not. */
int pml_lower_progress(pml_lowering *l)
{
    om_expr any = pml_at_labels(l, PML_LABEL_PROGRESS);
    if (any == 0)
        return OM_OK;
    if (l->held)
        any = om_expr_binary(l->model, OM_OP_AND, any, pml_nobody_holds(l));
    return om_model_set_progress(l->model, pml_or(l->model, any, l->ended));
}

/* SPIN's claims see no state in the middle of an atomic sequence. */
int pml_lower_visible(pml_lowering *l)
{
    return l->held ? om_model_set_visible(l->model, pml_nobody_holds(l)) : OM_OK;
}
