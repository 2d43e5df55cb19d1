/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  R1  A run that was read has a model.
 *  R2  A property on the command line precedes the recorded one.
 */
#include "runs/recorded.h"

#include <assert.h>
#include <string.h>

int cli_read_run(cli *c, om_model *model, cli_run_file run, om_lasso *out, char **recorded)
{
    const char *format = run.trail ? "trail" : om_lasso_format_of(run.path);
    return format != NULL && strcmp(format, "trail") == 0
               ? om_lasso_read_trail(out, c->ctx, model, run.path, recorded)
               : om_lasso_read_file(out, c->ctx, model, run.path, recorded);
}

int cli_read_run_of(cli *c, cli_model_settings *set, const char *file, const om_frontend *frontend,
    om_model **model, cli_run_file run, om_lasso *out, char **recorded)
{
    int rc = cli_read_run(c, *model, run, out, recorded);
    while (rc == OM_EINPUT && cli_grow(c, set, file, frontend, *model)) {
        om_model_free(*model);
        *model = NULL;
        rc = cli_load_model(c, set, file, NULL, model, NULL);
        if (rc == OM_OK)
            rc = cli_read_run(c, *model, run, out, recorded);
        assert(rc != OM_OK || *model != NULL); /* R1 */
    }
    return rc;
}

int cli_property_of(cli *c, const cli_properties *given, const char *recorded,
    om_plan_options *plan, cli_property *made, const cli_property **out)
{
    if (given->count > 1)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "only one property can be given");
    if (given->count == 1) {
        *out = &given->at[0];
        return OM_OK;
    }
    if (recorded == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "the lasso records no property: give one");
    assert(given->count == 0); /* R2 */
    *out = made;
    return cli_recorded_property(c, recorded, plan, made);
}

void cli_forget_mark(const cli_property *property, const cli_property *recorded, om_lasso *run)
{
    if (property != recorded)
        run->bad_prefix = 0;
}
