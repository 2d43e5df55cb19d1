/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <assert.h>
#include <string.h>

/* An expression may be added only while no executor is open. */
static int read_condition(om_simulation *s, const char *text, om_expr *out)
{
    assert(s->breakpoints < OM_SIMULATION_BREAKPOINTS);
    om_executor_close(s->x);
    s->x = NULL;
    int rc = s->frontend->expression(s->model, "breakpoint", text, out);
    if (rc == OM_OK && *out == 0)
        rc = om_fail(s->ctx, OM_EINPUT, NULL, "breakpoint '%s': not an expression", text);
    return rc;
}

int om_simulation_break(om_simulation *s, const char *expression)
{
    const uint32_t i = s->breakpoints;
    if (s->frontend == NULL || i == OM_SIMULATION_BREAKPOINTS)
        return om_fail(s->ctx, OM_EUSAGE, NULL,
            s->frontend == NULL ? "no front end reads the breakpoint '%s'"
                                : "no room for breakpoint '%s': the limit is 64",
            expression);
    char *copy = om_strdup(s->heap, expression);
    if (copy == NULL)
        return om_fail_memory(s->ctx);
    int rc = read_condition(s, expression, &s->condition[i]);
    if (rc == OM_OK) {
        s->text[i] = copy;
        s->breakpoints++;
        rc = om_simulation__ready(s);
    }
    if (rc != OM_OK) {
        s->breakpoints = i;
        om_free(s->heap, copy);
        (void) om_simulation__ready(s); /* keeps the first error message */
    }
    return rc;
}

void om_simulation_unbreak(om_simulation *s, size_t number)
{
    if (number >= s->breakpoints)
        return;
    om_free(s->heap, s->text[number]);
    s->breakpoints--;
    const size_t later = s->breakpoints - number;
    memmove(s->text + number, s->text + number + 1, later * sizeof *s->text);
    memmove(s->condition + number, s->condition + number + 1, later * sizeof *s->condition);
    om_executor_close(s->x);
    s->x = NULL;
}

size_t om_simulation_breakpoint_count(const om_simulation *s)
{
    return s->breakpoints;
}

const char *om_simulation_breakpoint(const om_simulation *s, size_t number)
{
    return number < s->breakpoints ? s->text[number] : NULL;
}

static int evaluate(om_simulation *s, size_t i, uint64_t *out)
{
    om_fault fault = 0;
    int rc = om_simulation__ready(s);
    *out = 0;
    if (rc != OM_OK || s->breakpoints == 0)
        return rc;
    *out = s->x->labels(s->x, om_simulation__at(s, i), &fault);
    if (fault == 0)
        return OM_OK;
    *out = 0;
    return om_fail(s->ctx, OM_EMODEL, NULL, "breakpoint '%s' cannot be evaluated in state %zu",
        s->text[OM_FAULT_SUBJECT(fault)], i);
}

int om_simulation_breaking(om_simulation *s, uint64_t *now, uint64_t *became)
{
    uint64_t before = 0;
    int rc = evaluate(s, s->h.position, now);
    if (rc == OM_OK && s->h.position > 0)
        rc = evaluate(s, s->h.position - 1, &before);
    *became = rc == OM_OK ? *now & ~before : 0;
    return rc;
}
