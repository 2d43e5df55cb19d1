/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line for each step, as in the .trail files of SPIN: "STEP:PROCESS:NUMBER". Steps count from 1.
 * As in SPIN, "-1:-1:-1" precedes the first step of the cycle.
 *
 * For a model whose steps have numbers in SPIN (om_model_set_foreign()) the lines are SPIN's own,
 * for `spin -t`: PROCESS is SPIN's number of the process, NUMBER that of the statement. A
 * transition may be several statements; one that is not a step in SPIN has no line. If an assertion
 * fails, or the model has another fault, that statement is the last line.
 *
 * For other models PROCESS is the number of the moving process, from 0 on in the order of the model
 * (the first of a pair, the first of all if all processes move at once), or -1 if the model names
 * no process; NUMBER is that of the transition in the model, as in JSON, or -1 if no process can
 * move and the state is repeated.
 */
#include "chart.h"
#include "formats.h"
#include "model.h"
#include "numbers.h"
#include "states.h"

static void put_cycle(om_text *out)
{
    om_text_add(out, "-1:-1:-1\n");
}

/* A trail of SPIN under construction. */
typedef struct trail {
    const om_lasso *l;
    om_model *m;
    om_numbers numbers;
    om_text *out;
    size_t lines;
} trail;

static void put_row(trail *t, om_foreign_kind kind, uint32_t index)
{
    uint32_t count = 0;
    const om_foreign_step *row = om_model__foreign(t->m, kind, index, &count);
    for (uint32_t i = 0; i < count; i++)
        om_text_printf(t->out, "%zu:%" PRIu32 ":%" PRIu32 "\n", ++t->lines,
            t->numbers.of[row[i].process], row[i].number);
}

/* A fault in the last state is a step in SPIN. */
static int put_fault(trail *t, const uint32_t *last)
{
    om_executor *x = NULL;
    om_successors next = { .heap = t->l->heap };
    int rc = om_executor_open(&x, t->m, OM_EXEC_VM, NULL, 0);
    if (rc == OM_OK)
        rc = om_executor_successors(x, last, &next);
    const unsigned kind = rc == OM_OK ? OM_FAULT_KIND(next.fault) : 0;
    if (kind == OM_FAULT_ASSERTION || kind == OM_FAULT_IN_ASSERTION)
        put_row(t, OM_FOREIGN_ASSERTION, OM_FAULT_SUBJECT(next.fault));
    else if (kind == OM_FAULT_INDEX || kind == OM_FAULT_DIVISION)
        put_row(t, OM_FOREIGN_TRANSITION, OM_FAULT_SUBJECT(next.fault));
    om_successors_free(&next);
    om_executor_close(x);
    return rc;
}

static int put_steps(trail *t)
{
    const om_lasso *l = t->l;
    const uint32_t *state = NULL, *before = NULL;
    om_lasso_states s;
    const size_t states = l->count + (l->loop != OM_NO_LOOP);
    int rc = om_lasso_states__open(&s, l, t->m);
    for (size_t i = 0; i < states && rc == OM_OK; i++) {
        rc = om_lasso_states__next(&s, &state, &before);
        if (rc != OM_OK || i == 0)
            continue;
        if (i == l->loop + 1)
            put_cycle(t->out);
        if (l->transitions[i - 1] == OM_STUTTER)
            continue;
        put_row(t, OM_FOREIGN_TRANSITION, l->transitions[i - 1]);
        om_numbers__step(&t->numbers, l->transitions[i - 1], before, state);
    }
    if (rc == OM_OK && l->loop == OM_NO_LOOP && state != NULL)
        rc = put_fault(t, state);
    om_lasso_states__close(&s);
    return rc;
}

static int write_foreign(const om_lasso *l, om_model *m, om_text *out)
{
    trail t = { .l = l, .m = m, .out = out };
    int rc = om_numbers__open(&t.numbers, l->heap, m);
    if (rc == OM_OK)
        rc = put_steps(&t);
    om_numbers__close(&t.numbers);
    return rc == OM_OK ? om_text_status(out) : rc;
}

static int write_own(const om_lasso *l, const om_model *m, om_text *out)
{
    om_chart c;
    int rc = om_chart__open(&c, l, m);
    for (size_t step = 1; rc == OM_OK && step <= c.steps; step++) {
        const om_chart_move *v = om_chart__move(&c, step);
        if (step == l->loop + 1)
            put_cycle(out);
        om_text_printf(out, "%zu:", step);
        if (v == NULL || v->count == 0)
            om_text_add(out, "-1:");
        else
            om_text_printf(out, "%" PRIu32 ":", c.processes[v->first]);
        if (v == NULL)
            om_text_add(out, "-1\n");
        else
            om_text_printf(out, "%" PRIu32 "\n", v->transition);
    }
    om_chart__close(&c);
    return rc == OM_OK ? om_text_status(out) : rc;
}

int om_lasso__write_trail(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    (void) style;
    return om_model__has_foreign(m) ? write_foreign(l, m, out) : write_own(l, m, out);
}
