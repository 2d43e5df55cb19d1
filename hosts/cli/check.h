/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: results of `omen check`, wherever they come from. */
#ifndef OMEN_CLI_CHECK_H
#define OMEN_CLI_CHECK_H

#include "cli.h"

/* A line of the summary. */
typedef struct check_row {
    char *name;
    om_verdict_about about;
    om_verdict verdict;
    bool failed; /* it has no verdict: the model goes wrong, or the check failed */
    uint64_t states;
    double seconds;
    char *lasso; /* the file of its counterexample, or NULL */
} check_row;

/* Where results go. Zero-initialised but for `c`; freed with check_output_free(). */
typedef struct check_output {
    cli *c;
    const char *source; /* the model's text, where lassos are kept; borrowed, or NULL */
    size_t violations;  /* so far: names the lasso files */
    check_row *rows;    /* of all results so far */
    size_t row_count, row_room;
} check_output;

/* What was found for one property. All borrowed. */
typedef struct check_found {
    const cli_property *property;
    const om_check_result *r;
    om_model *model;      /* of its lasso, which may have no transitions where that was read */
    bool read;            /* it was, from a server's result, */
    const char *recorded; /* which said what it is about, or NULL */
    bool failed;          /* the check did, with a message that was told */
    cli_overflows overflows;
} check_found;

/* Writes a result, and its lasso where one is wanted; before it, the one about an assertion that
 * failed on the way. OM_OK; OM_ELIMIT where a lasso took too long to be written, and the rest is;
 * else, with a message, nothing more can be written. */
int check_put_result(check_output *o, const check_found *f);
/* After the last result, for people: a line for each, where there are several, and how many
 * properties were not checked. OM_OK, OM_EIO, OM_ENOMEM. */
int check_put_summary(check_output *o, size_t unchecked);
void check_output_free(check_output *o);
/* The exit status of the verdict, and of an assertion that failed on the way. */
int check_status(const om_check_result *r);
/* Of two exit statuses, the one to end with: failures before verdicts, violations before what is
 * not known. */
int check_worse(int a, int b);

#endif
