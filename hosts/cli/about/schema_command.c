/* SPDX-License-Identifier: Apache-2.0 */
/* `omen schema`: the JSON Schemas of the commands' output. */
#include "about/schema.h"
#include "commands.h"

#include <jansson.h>
#include <string.h>

enum { MOST_SCHEMAS = 32 };

static int unknown_schema(cli *c, const char *name)
{
    const char *names[MOST_SCHEMAS];
    size_t count = 0;
    for (const cli_schema *s = cli_schemas; s->name != NULL && count < MOST_SCHEMAS; s++)
        names[count++] = s->name;
    const char *near = om_nearest(name, names, count);
    if (near != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "no schema '%s'; did you mean '%s'?", name, near);
    return om_fail(c->ctx, OM_EUSAGE, NULL, "no schema '%s' (see 'omen schema')", name);
}

/* Prints name and title of each schema, one a line. */
static int list_schemas(cli *c)
{
    for (const cli_schema *s = cli_schemas; s->name != NULL; s++) {
        json_t *schema = json_loadb(s->text, s->length, 0, NULL);
        if (schema == NULL)
            return om_fail_memory(c->ctx);
        om_text_printf(
            &c->out, "%-12s %s\n", s->name, json_string_value(json_object_get(schema, "title")));
        json_decref(schema);
    }
    return OM_OK;
}

static int put_schema(cli *c, const char *name)
{
    for (const cli_schema *s = cli_schemas; s->name != NULL; s++)
        if (strcmp(s->name, name) == 0) {
            om_text_add_n(&c->out, s->text, s->length);
            return OM_OK;
        }
    return unknown_schema(c, name);
}

static int run(cli *c, void *settings)
{
    (void) settings;
    const char *name = c->set.positional_count == 0 ? NULL : c->set.positionals[0];
    int rc = name == NULL ? list_schemas(c) : put_schema(c, name);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static const cli_option options[] = { CLI_COMMON_OPTIONS };

const cli_command cli_schema_command = { "schema", "[NAME]", "prints JSON Schemas of outputs", 0, 1,
    options, 0, run, NULL, { NULL } };
