/* SPDX-License-Identifier: Apache-2.0 */
/* check_report.h: the parts of a result, as text and as JSON. */
#ifndef OMEN_CLI_CHECK_REPORT_H
#define OMEN_CLI_CHECK_REPORT_H

#include "base/overflows.h"

/* What a check was asked for */
typedef struct cli_asked {
    const om_plan_options *plan;
    size_t properties; /* number of properties; 0: not known */
} cli_asked;

/* Returns "property" or "assertion". */
const char *cli_about_name(om_verdict_about about);
void cli_put_property_line(cli *c, const om_check_result *r);
/* Prints the text of an assertion that fails. */
void cli_put_assertion(cli *c, const om_check_result *r);
/* Prints why a counterexample is missing. */
void cli_put_unrefereed(cli *c, const om_check_result *r);
/* Print the assumptions of the check and their sets. Without assumptions: nothing, or null. */
void cli_put_fairness(cli *c, const om_fairness_report *f);
json_t *cli_fairness_json(const om_plan_options *plan, const om_fairness_report *f);
/* Prints whether the lasso is a shortest one; nothing unless the user asked. */
void cli_put_minimality(cli *c, const om_check_result *r);
void cli_put_parts(cli *c, const om_check_result *r);
/* Prints the result as JSON; put_lasso (NULL: there is none) adds the counterexample. `code`: or
 * NULL. */
int cli_put_result_json(cli *c, const cli_asked *asked, const om_check_result *r,
    const cli_overflows *overflows, const om_code_report *code, cli_member_fn *put_lasso,
    void *self);

/* planned.c: prints the planned steps, as text or JSON. `together`: number of properties, including
 * this one, that one exploration checks; 0: it is checked alone. */
int cli_put_planned(cli *c, const om_plan_options *plan, const om_planned *d, size_t together);

#endif
