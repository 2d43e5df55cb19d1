/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in files, and the properties recorded with them. */
#include "cli.h"

#include <string.h>

int cli_read_run(cli *c, om_model *model, const char *path, om_lasso *out, char **recorded)
{
    const char *format = path == c->set.trail ? "trail" : om_lasso_format_of(path);
    return format != NULL && strcmp(format, "trail") == 0
               ? om_lasso_read_trail(out, c->ctx, model, path, recorded)
               : om_lasso_read_file(out, c->ctx, model, path, recorded);
}

int cli_read_run_of(cli *c, const char *file, const om_frontend *frontend, om_model **model,
    const char *path, om_lasso *out, char **recorded)
{
    int rc = cli_read_run(c, *model, path, out, recorded);
    while (rc == OM_EINPUT && cli_grow(c, file, frontend, *model)) {
        om_model_free(*model);
        *model = NULL;
        rc = om_frontend_load(c->ctx, c->registry, c->set.frontend, file, NULL, model);
        if (rc == OM_OK)
            rc = cli_read_run(c, *model, path, out, recorded);
    }
    return rc;
}

int cli_property_of(cli *c, const char *recorded, cli_property *made, const cli_property **out)
{
    if (c->set.property_count > 1)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "only one property can be given");
    if (c->set.property_count == 1) {
        *out = &c->set.properties[0];
        return OM_OK;
    }
    if (recorded == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "the lasso records no property: give one");
    *out = made;
    return cli_recorded_property(c, recorded, made);
}

void cli_forget_mark(const cli_property *property, const cli_property *recorded, om_lasso *run)
{
    if (property != recorded)
        run->bad_prefix = 0;
}
