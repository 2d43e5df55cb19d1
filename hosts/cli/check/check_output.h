/* SPDX-License-Identifier: Apache-2.0 */
/* check_output.h: results of `omen check`, from a local check or a server. */
#ifndef OMEN_CLI_CHECK_OUTPUT_H
#define OMEN_CLI_CHECK_OUTPUT_H

#include "check/check_report.h"
#include "check/check_settings.h"

/* A line of the summary */
typedef struct check_row {
    char *name;
    om_verdict_about about;
    om_verdict verdict;
    bool failed; /* without a verdict: the model has a fault, or the check failed */
    uint64_t states;
    double seconds;
    char *lasso; /* file of its counterexample, or NULL */
} check_row;

/* The output of results. Zero-initialise except `c` and `set`; free with check_output_free(). */
typedef struct check_output {
    cli *c;
    const check_settings *set;
    size_t properties;  /* number of properties, including the model's; 0: not known yet */
    const char *source; /* the model's text, if lassos are written; borrowed, or NULL */
    size_t violations;  /* number so far: names the lasso files */
    check_row *rows;    /* of all results so far */
    size_t row_count, row_room;
} check_output;

/* The result for one property. All members are borrowed. */
typedef struct check_found {
    const cli_property *property;
    const om_check_result *r;
    om_model *model;      /* of the lasso; may have no transitions if the lasso was read */
    bool read;            /* the lasso was read from a server's result */
    const char *recorded; /* the property that it recorded, or NULL */
    bool failed;          /* the check failed, and the message was printed */
    cli_overflows overflows;
    const om_code_report *code; /* or NULL */
} check_found;

/* Writes a result, and its lasso if wanted; before it, the result about an assertion that failed on
 * the way. OM_OK; OM_ELIMIT if only the lasso is missing because writing it took too long; other
 * errors, with a message, mean that no more output is possible. */
int check_put_result(check_output *o, const check_found *f);
/* Writes the summary after the last result, in text: a line for each result if there are several,
 * and the number of properties that were not checked. OM_OK, OM_EIO, OM_ENOMEM. */
int check_put_summary(check_output *o, size_t unchecked);
void check_output_free(check_output *o);
/* Returns the exit status of the verdict and of an assertion that failed on the way. */
int check_status(const om_check_result *r);
/* Returns the exit status to use of two: failures precede verdicts, violations precede unknown. */
int check_worse(int a, int b);

#endif
