/* SPDX-License-Identifier: Apache-2.0 */
/* omen devices --dump: writes the sources for a device's compiler to files. */
#include "about/devices.h"
#include "base/output.h"
#include "base/plan_options.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct dump {
    cli *c;
    const char *folder;
    unsigned files, properties; /* properties: number of the current one; 0: the exploration */
} dump;

static int write_file(
    dump *d, const char *name, const char *ending, const char *text, const char *end)
{
    cli *c = d->c;
    om_text path = { .heap = c->heap };
    cli_file f;
    om_text_printf(&path, "%s/%s.%s", d->folder, name, ending);
    if (path.failed)
        return om_fail_memory(c->ctx);
    int rc = cli_file_open(&f, c, path.text);
    if (rc == OM_OK)
        om_text_printf(&f.text, "%s%s", text, end);
    rc = cli_file_close(&f, rc == OM_OK ? om_text_status(&f.text) : rc);
    om_text_free(&path);
    return rc;
}

/* Writes files such as "07-property1-weak-om_k_intern": numbered in build order, named by the first
 * kernel. */
static int take_text(void *self, const om_program_text *text)
{
    dump *d = self;
    cli *c = d->c;
    om_text name = { .heap = c->heap };
    om_text_printf(&name, "%02u-", ++d->files);
    if (d->properties > 0)
        om_text_printf(&name, "property%u-", d->properties);
    om_text_printf(&name, "%s-%.*s", text->what, (int) strcspn(text->kernels, " "), text->kernels);
    if (name.failed)
        return om_fail_memory(c->ctx);
    int rc = write_file(d, name.text, "cl", text->source, "");
    if (rc == OM_OK)
        rc = write_file(d, name.text, "options", text->options, "\n");
    if (rc == OM_OK)
        om_text_printf(&c->out, "%s.cl: %s, for %s\n", name.text, text->kernels, text->device);
    om_text_free(&name);
    return rc;
}

static int dump_all(cli *c, const devices_settings *set, om_plan *plan)
{
    dump d = { .c = c, .folder = set->dump };
    if (mkdir(set->dump, 0777) != 0 && errno != EEXIST)
        return om_fail(
            c->ctx, OM_EIO, NULL, "cannot make folder %s: %s", set->dump, strerror(errno));
    int rc = OM_OK;
    if (set->properties.count == 0)
        rc = om_plan_explore_texts(plan, take_text, &d);
    for (size_t i = 0; i < set->properties.count && rc == OM_OK; i++) {
        const cli_property *p = &set->properties.at[i];
        d.properties++;
        rc = om_plan_check_texts(plan, p->kind, p->text, take_text, &d);
    }
    if (rc == OM_OK && d.files == 0)
        om_text_add(&c->out, "nothing: no part of this runs on a device\n");
    return rc;
}

int cli_dump_kernels(cli *c, const devices_settings *set)
{
    const om_frontend *frontend = NULL;
    om_model *model = NULL;
    om_plan *plan = NULL;
    int status = 0, rc;
    if (set->dump == NULL || c->set.positional_count == 0)
        return cli_failed(
            c, om_fail(c->ctx, OM_EUSAGE, NULL,
                   set->dump == NULL ? "a model is only for --dump FOLDER"
                                     : "--dump needs a model: omen devices --dump FOLDER MODEL"));
    if (c->set.json)
        return cli_failed(
            c, om_fail(c->ctx, OM_EUSAGE, NULL, "--json cannot be combined with --dump"));
    if (set->plan.device != NULL && strcmp(set->plan.device, "none") == 0)
        return cli_failed(
            c, om_fail(c->ctx, OM_EUSAGE, NULL, "--dump needs a device: leave out --device none"));
    rc = cli_load_model(c, &set->model, c->set.positionals[0], &frontend, &model, NULL);
    if (rc == OM_OK)
        rc = cli_new_plan(c, &set->plan, frontend, model, &plan);
    if (rc == OM_OK)
        rc = dump_all(c, set, plan);
    if (rc != OM_OK)
        status = cli_failed(c, rc);
    status = cli_leave(c, plan, status);
    om_plan_free(plan);
    om_model_free(model);
    return status;
}
