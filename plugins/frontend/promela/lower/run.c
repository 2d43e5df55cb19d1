/* SPDX-License-Identifier: Apache-2.0 */
/* `run` within the expression of a statement: a process is started if evaluation reaches the
 * `run`. */
#include "steps.h"

static bool contains(const pml_expr *e, const pml_expr *run)
{
    return e != NULL &&
           (e == run || contains(e->a, run) || contains(e->b, run) || contains(e->c, run));
}

static bool is_short(const pml_expr *e)
{
    return e->kind == PML_BINARY && (e->op == OM_OP_AND || e->op == OM_OP_OR);
}

/* Returns the operand that contains the `run`; NULL if e is the `run`, or if the `run` is in a
 * part that is always computed. */
static const pml_expr *towards(const pml_expr *e, const pml_expr *run)
{
    return e == run              ? NULL
           : contains(e->a, run) ? e->a
           : contains(e->b, run) ? e->b
           : contains(e->c, run) ? e->c
                                 : NULL;
}

/* Returns the expression that contains the `run`: the asserted or stored one, or the printed
 * argument. */
static const pml_expr *whole(const pml_statement *s)
{
    const pml_expr *e = s->kind == PML_S_PRINT ? s->args : s->a;
    while (s->kind == PML_S_PRINT && e->next != NULL && !contains(e, s->run))
        e = e->next;
    return e;
}

bool pml_runs_always(const pml_statement *s)
{
    for (const pml_expr *e = whole(s), *next; e != NULL; e = next) {
        next = towards(e, s->run);
        if (next != NULL && next != e->a && (is_short(e) || e->kind == PML_COND))
            return false;
    }
    return true;
}

int pml_run_condition(const pml_scope *s, const pml_statement *t, om_expr *out)
{
    om_model *m = s->l->model;
    int rc = OM_OK;
    *out = 0;
    for (const pml_expr *e = whole(t), *next; e != NULL && rc == OM_OK; e = next) {
        om_expr first = 0;
        next = towards(e, t->run);
        if (next == NULL || next == e->a || !(is_short(e) || e->kind == PML_COND))
            continue;
        const bool unless = e->kind == PML_COND ? next == e->c : e->op == OM_OP_OR;
        rc = pml_lower_expression(s, e->a, &first);
        if (rc == OM_OK && unless)
            rc = pml_made(s, e, om_expr_unary(m, OM_OP_NOT, first), &first);
        if (rc == OM_OK)
            rc = pml_made(s, e, pml_and(m, *out, first), out);
    }
    return rc;
}
