/* SPDX-License-Identifier: Apache-2.0 */
/* The options of preprocessing: -D, -I, --include-root. */
#include "cli.h"

#include <string.h>

static int add_source(
    cli *c, const char *option, const char *value, const char **list, size_t *count)
{
    if (*count == CLI_SOURCES)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many options %s", option);
    list[(*count)++] = value;
    return OM_OK;
}

/* Accepts NAME, NAME(PARAMETERS), or one of these with '=' and a text. */
int cli_set_define(cli *c, const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                      digits[] = "0123456789";
    size_t n = strspn(value, letters);
    while (n > 0 && value[n] != '\0' &&
           (strchr(letters, value[n]) != NULL || strchr(digits, value[n]) != NULL))
        n++;
    if (n == 0 || (value[n] != '\0' && value[n] != '=' && value[n] != '('))
        return om_fail(c->ctx, OM_EUSAGE, NULL, "-D takes NAME or NAME=VALUE, not '%s'", value);
    return add_source(c, "-D", value, c->set.definitions, &c->set.definition_count);
}

int cli_set_include(cli *c, const char *value)
{
    return add_source(c, "-I", value, c->set.folders, &c->set.folder_count);
}

int cli_set_include_root(cli *c, const char *value)
{
    return add_source(c, "--include-root", value, c->set.roots, &c->set.root_count);
}

void cli_give_sources(cli *c)
{
    const cli_settings *s = &c->set;
    const om_sources sources = { s->definitions, s->definition_count, s->folders, s->folder_count,
        s->roots, s->root_count };
    om_context_set_sources(c->ctx, &sources);
}
