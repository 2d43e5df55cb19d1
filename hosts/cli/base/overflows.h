/* SPDX-License-Identifier: Apache-2.0 */
/* overflows.h: the values of a run that did not fit their variables. */
#ifndef OMEN_CLI_OVERFLOWS_H
#define OMEN_CLI_OVERFLOWS_H

#include "base/json.h"

/* Overflows of a run; none if count is 0. All members are borrowed. */
typedef struct cli_overflows {
    uint64_t count;
    om_overflow first;
    const char *label;     /* of the transition, or NULL: an initial value */
    const om_lasso *trace; /* or NULL */
    om_model *model;       /* of the trace */
} cli_overflows;
/* Returns the overflows of the last run of a plan (NULL: none). */
cli_overflows cli_overflows_of(const om_plan *plan, om_model *model);
/* Print overflows. As text only if there is a trace and more than figures is wanted; the JSON is
 * null if there are none. */
void cli_put_overflows(cli *c, const cli_overflows *o);
json_t *cli_overflows_json(const cli *c, const cli_overflows *all);
/* The trace as the member "overflow_trace". *shown must live as long as the member. */
typedef struct cli_trace {
    const om_lasso *trace;
    om_model *model;
    bool one_line;
} cli_trace;
cli_member cli_overflow_trace(const cli_overflows *o, bool one_line, cli_trace *shown);

#endif
