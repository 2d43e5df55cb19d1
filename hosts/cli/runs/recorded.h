/* SPDX-License-Identifier: Apache-2.0 */
/* recorded.h: runs in files, and the properties recorded with them. */
#ifndef OMEN_CLI_RECORDED_H
#define OMEN_CLI_RECORDED_H

#include "base/model_options.h"
#include "base/property_options.h"

/* A file with a run: one ".trail" is read as a trail of SPIN, any other as JSON, unless `trail` */
typedef struct cli_run_file {
    const char *path;
    bool trail; /* it is a trail, whatever its name */
} cli_run_file;

/* Reads a run of the model and the property recorded with it (recorded may be NULL). */
int cli_read_run(cli *c, om_model *model, cli_run_file run, om_lasso *out, char **recorded);
/* As cli_read_run(), for the model of `file`. If the run does not fit the model, loads it again
 * with more room and replaces *model. */
int cli_read_run_of(cli *c, cli_model_settings *set, const char *file, const om_frontend *frontend,
    om_model **model, cli_run_file run, om_lasso *out, char **recorded);
/* Determines the property of a lasso: the one on the command line, else the recorded one (NULL:
 * none), which is made in *made and borrows the text. OM_EUSAGE if there is none. */
int cli_property_of(cli *c, const cli_properties *given, const char *recorded,
    om_plan_options *plan, cli_property *made, const cli_property **out);
/* Clears the lasso's mark of the bad prefix unless `property` is the recorded one (`recorded`, made
 * by cli_property_of()). */
void cli_forget_mark(const cli_property *property, const cli_property *recorded, om_lasso *run);

#endif
