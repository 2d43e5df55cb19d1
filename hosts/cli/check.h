/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: results of `omen check`, wherever they come from. */
#ifndef OMEN_CLI_CHECK_H
#define OMEN_CLI_CHECK_H

#include "cli.h"

/* Where results go. */
typedef struct check_output {
    cli *c;
    const char *source; /* the model's text, where lassos are kept; borrowed, or NULL */
    size_t violations;  /* so far: names the lasso files */
} check_output;

/* What was found for one property. All borrowed. */
typedef struct check_found {
    const cli_property *property;
    const om_check_result *r;
    om_model *model;      /* of its lasso, which may have no transitions where that was read */
    bool read;            /* it was, from a server's result, */
    const char *recorded; /* which said what it is about, or NULL */
    cli_overflows overflows;
} check_found;

/* Writes a result, and its lasso where one is wanted. OM_OK; OM_ELIMIT where the lasso took too
 * long to be written, and the rest is; else, with a message, nothing more can be written. */
int check_put_result(check_output *o, const check_found *f);
/* The exit status of a verdict. */
int check_status(const om_check_result *r);
/* Of two exit statuses, the one to end with: failures before verdicts, violations before what is
 * not known. */
int check_worse(int a, int b);

#endif
