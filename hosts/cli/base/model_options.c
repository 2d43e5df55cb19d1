/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  M1  A list of sources has at most CLI_SOURCES entries.
 *  M2  A grown front end has the option for more room, so that it does not grow by it again.
 */
#include "base/model_options.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

int cli_set_source(cli *c, const cli_option *o, void *at, const char *value)
{
    cli_sources *all = at;
    if (all->count == CLI_SOURCES && o->letter != 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many options -%c", o->letter);
    if (all->count == CLI_SOURCES)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many options --%s", o->name);
    assert(all->count < CLI_SOURCES); /* M1 */
    all->at[all->count++] = value;
    return OM_OK;
}

/* Accepts NAME, NAME(PARAMETERS), or one of these with '=' and a text. */
int cli_set_define(cli *c, const cli_option *o, void *at, const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                      digits[] = "0123456789";
    size_t n = strspn(value, letters);
    while (n > 0 && value[n] != '\0' &&
           (strchr(letters, value[n]) != NULL || strchr(digits, value[n]) != NULL))
        n++;
    if (n == 0 || (value[n] != '\0' && value[n] != '=' && value[n] != '('))
        return om_fail(c->ctx, OM_EUSAGE, NULL, "-D takes NAME or NAME=VALUE, not '%s'", value);
    return cli_set_source(c, o, at, value);
}

int cli_prepare_loading(cli *c, const cli_model_settings *s)
{
    const om_sources sources = { s->definitions.at, s->definitions.count, s->folders.at,
        s->folders.count, s->roots.at, s->roots.count };
    om_context_set_sources(c->ctx, &sources);
    return cli_open_registry(c);
}

/* Returns true if "NAME:opt=val,..." contains the option. */
static bool has_option(const char *named, const char *option)
{
    const size_t n = strlen(option);
    for (const char *at = named; (at = strpbrk(at, ":,")) != NULL;)
        if (strncmp(++at, option, n) == 0 && at[n] == '=')
            return true;
    return false;
}

/* Returns the option by which the model can be read again with more room, and its value; NULL if it
 * cannot: the user has chosen the room, or the text is gone. */
static const char *larger_room(
    const cli_model_settings *s, const char *file, const om_model *model, int64_t *value)
{
    const char *option = om_model_larger(model, value);
    const bool chosen = option != NULL && s->frontend != NULL && has_option(s->frontend, option);
    return chosen || strcmp(file, "-") == 0 ? NULL : option;
}

int cli_load_model(cli *c, const cli_model_settings *s, const char *path,
    const om_frontend **frontend, om_model **out, char **text)
{
    const char *named = s->grown != NULL ? s->grown : s->frontend;
    int rc = cli_prepare_loading(c, s);
    if (rc != OM_OK)
        return rc;
    return text == NULL
               ? om_frontend_load(c->ctx, c->registry, named, path, frontend, out)
               : om_frontend_load_text(c->ctx, c->registry, named, path, frontend, out, text);
}

void cli_expect_growth(const cli_model_settings *s, const char *file, om_model *model)
{
    int64_t value;
    if (larger_room(s, file, model, &value) != NULL)
        om_model_set_growing(model);
}

bool cli_grow(cli *c, cli_model_settings *s, const char *file, const om_frontend *frontend,
    const om_model *model)
{
    int64_t value = 0;
    const char *option = larger_room(s, file, model, &value);
    const char *named = s->frontend == NULL ? frontend->head.name : s->frontend;
    om_text grown = { .heap = c->heap };
    if (option == NULL)
        return false;
    om_text_printf(
        &grown, "%s%c%s=%" PRId64, named, strchr(named, ':') == NULL ? ':' : ',', option, value);
    s->grown = grown.failed ? NULL : om_region_copy(&c->region, grown.text, grown.length);
    om_text_free(&grown);
    if (s->grown == NULL)
        return false;
    assert(has_option(s->grown, option)); /* M2 */
    om_context_clear(c->ctx);
    om_note(c->ctx, OM_NOTE_VERBOSE, NULL, "the model needs more room: it is read again with %s",
        s->grown);
    return true;
}
