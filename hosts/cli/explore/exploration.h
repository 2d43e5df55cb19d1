/* SPDX-License-Identifier: Apache-2.0 */
/* exploration.h: what the explore command finds, as text and as JSON. */
#ifndef OMEN_CLI_EXPLORATION_H
#define OMEN_CLI_EXPLORATION_H

#include "base/json.h"

/* costs.c: the memory traffic of kernels. The JSON is null if no costs were counted. */
json_t *cli_costs_json(const om_device_costs *costs, const om_exploration *e);
/* Prints the costs as a table with a heading. */
void cli_put_costs(cli *c, const om_device_costs *costs, const om_exploration *e);

/* coverage.c: transitions that occur in some run; fired is owned. */
typedef struct cli_coverage {
    const om_model *model;
    uint8_t *fired;
} cli_coverage;
/* Explores all states on the CPU. Fills *e and *out even on failure; the caller frees
 * out->fired. */
int cli_explore_coverage(
    cli *c, om_plan *plan, const om_model *model, om_exploration *e, cli_coverage *out);
/* Print the statements that no run executes, as text and as JSON. The JSON is null if v is NULL.
 * Returns NULL if memory runs out. */
int cli_put_coverage(cli *c, const cli_coverage *v);
json_t *cli_coverage_json(cli *c, const cli_coverage *v);

/* failures.c: prints assertions that fail, and runs to them, as text. */
int cli_put_failures(cli *c, om_model *model, const om_failures *f);
/* As JSON; null if f is NULL. Returns NULL if memory runs out. */
json_t *cli_failures_json(const om_model *model, const om_failures *f);

#endif
