/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include <assert.h>
#include <string.h>

const cli_option *cli_find_option(const cli_command *command, const char *name)
{
    const cli_option *o = command->options;
    while (o->name != NULL && strcmp(o->name, name) != 0)
        o++;
    return o->name == NULL ? NULL : o;
}

/* Reports an option that the command, or omen itself, does not have. */
static int no_option(cli *c, const cli_command *command, const char *dashes, const char *name)
{
    const bool whole = strcmp(command->name, "omen") == 0; /* the option precedes the command */
    return om_fail(c->ctx, OM_EUSAGE, NULL, "%s has no option '%s%s' (see 'omen %s%s--help')",
        command->name, dashes, name, whole ? "" : command->name, whole ? "" : " ");
}

static int unknown_option(cli *c, const cli_command *command, const char *name, size_t n)
{
    const char *names[64];
    char *copy = om_strndup(c->heap, name, n);
    size_t count = 0;
    int rc;
    if (copy == NULL)
        return om_fail_memory(c->ctx);
    for (const cli_option *o = command->options; o->name != NULL && count < 64; o++)
        names[count++] = o->name;
    const char *near = om_nearest(copy, names, count);
    if (near != NULL)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "%s has no option '--%s'; did you mean '--%s'?",
            command->name, copy, near);
    else
        rc = no_option(c, command, "--", copy);
    om_free(c->heap, copy);
    return rc;
}

/* A command line */
typedef struct line {
    const cli_command *command;
    void *settings;
    char **argv;
    int argc, at; /* at: the first argument that is not parsed yet */
} line;

/* Returns the value of an option: the text after its '=', or the next argument. */
static int value_of(cli *c, const char *name, const char *equals, line *r, const char **out)
{
    if (equals != NULL)
        *out = equals + 1;
    else if (r->at < r->argc)
        *out = r->argv[r->at++];
    else
        return om_fail(c->ctx, OM_EUSAGE, NULL, "option %s needs a value", name);
    assert(r->at <= r->argc); /* O3 */
    if (**out == '\0')
        return om_fail(c->ctx, OM_EUSAGE, NULL, "option %.*s needs a non-empty value",
            (int) strcspn(name, "="), name);
    return OM_OK;
}

/* Records an option as it was given, and sets its value. */
static int apply(cli *c, const cli_option *o, const char *value, const line *r)
{
    cli_given *given =
        om_grow(c->heap, c->given, &c->given_room, c->given_count + 1, sizeof *given);
    if (given == NULL)
        return om_fail_memory(c->ctx);
    c->given = given;
    assert(c->given_count < c->given_room); /* S2 */
    c->given[c->given_count++] = (cli_given){ o->name, value };
    assert((size_t) (o->at < 0 ? ~o->at : o->at) <
           (o->at < 0 ? sizeof c->set : r->command->size)); /* O1 */
    char *at = o->at < 0 ? (char *) &c->set + ~o->at : (char *) r->settings + o->at;
    return o->set(c, o, at, value);
}

static int long_option(cli *c, const char *arg, line *r)
{
    const char *name = arg + 2, *equals = strchr(name, '='), *value = NULL;
    size_t n = equals == NULL ? strlen(name) : (size_t) (equals - name);

    for (const cli_option *o = r->command->options; o->name != NULL; o++) {
        if (strlen(o->name) != n || memcmp(o->name, name, n) != 0)
            continue;
        if (o->argument == NULL && equals != NULL)
            return om_fail(c->ctx, OM_EUSAGE, NULL, "option --%s takes no value", o->name);
        int rc = o->argument == NULL ? OM_OK : value_of(c, arg, equals, r, &value);
        return rc == OM_OK ? apply(c, o, value, r) : rc;
    }
    return unknown_option(c, r->command, name, n);
}

/* Parses "-v", "-vq", "-DNAME" or "-D NAME": an option with a value is the last letter of a
 * word. */
static int short_options(cli *c, const char *arg, line *r)
{
    for (const char *s = arg + 1; *s != '\0'; s++) {
        const cli_option *o = r->command->options;
        while (o->name != NULL && o->letter != *s)
            o++;
        const char name[] = { '-', *s, '\0' }, *value = NULL;
        if (o->name == NULL)
            return no_option(c, r->command, "", name);
        int rc = OM_OK;
        if (o->argument != NULL && s[1] != '\0')
            value = s + 1;
        else if (o->argument != NULL)
            rc = value_of(c, name, NULL, r, &value);
        if (rc == OM_OK)
            rc = apply(c, o, value, r);
        if (rc != OM_OK || value != NULL)
            return rc;
    }
    return OM_OK;
}

/* Rejects contradictory options. */
static int contradiction(cli *c)
{
    const cli_settings *s = &c->set;
    if (s->quiet && s->verbose)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--quiet and --verbose contradict each other");
    if (s->json && s->json_lines)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--json and --json-lines contradict each other");
    return OM_OK;
}

int cli_parse(cli *c, const cli_command *command, void *settings, int argc, char **argv)
{
    line r = { command, settings, argv, argc, 0 };
    bool only_positionals = false;
    int rc = OM_OK;
    assert(command->least <= command->most && command->most <= CLI_POSITIONALS); /* O2 */

    while (rc == OM_OK && r.at < r.argc) {
        const char *arg = r.argv[r.at++];
        if (!only_positionals && strcmp(arg, "--") == 0)
            only_positionals = true;
        else if (!only_positionals && strncmp(arg, "--", 2) == 0)
            rc = long_option(c, arg, &r);
        else if (!only_positionals && arg[0] == '-' && arg[1] != '\0')
            rc = short_options(c, arg, &r);
        else if (c->set.positional_count >= command->most)
            rc = om_fail(
                c->ctx, OM_EUSAGE, NULL, "%s: '%s' is one argument too many", command->name, arg);
        else
            c->set.positionals[c->set.positional_count++] = arg;
        assert(c->set.positional_count <= command->most && r.at <= r.argc); /* O2, O3 */
    }
    if (rc != OM_OK || c->set.help)
        return rc;
    if (c->set.positional_count < command->least)
        return om_fail(
            c->ctx, OM_EUSAGE, NULL, "usage: omen %s %s", command->name, command->arguments);
    return contradiction(c);
}

int cli_parse_leading(
    cli *c, const cli_command *command, void *settings, int argc, char **argv, int *used)
{
    line r = { command, settings, argv, argc, 0 };
    int rc = OM_OK;
    while (rc == OM_OK && r.at < r.argc && strncmp(r.argv[r.at], "--", 2) == 0 &&
           strcmp(r.argv[r.at], "--help") != 0 && strcmp(r.argv[r.at], "--version") != 0) {
        const char *arg = r.argv[r.at++];
        rc = long_option(c, arg, &r);
    }
    assert(r.at <= r.argc); /* O3 */
    *used = r.at;
    return rc;
}

/* ---- help ---- */

enum { HELP_COLUMN = 42 };

const char *const cli_group_names[CLI_GROUPS] = {
    [CLI_PROPERTY] = "Property",
    [CLI_TRANSLATION] = "Translation",
    [CLI_MODEL] = "Model",
    [CLI_WALK] = "Walk",
    [CLI_SEARCH] = "Search",
    [CLI_LIMITS] = "Limits",
    [CLI_RUN] = "Counterexample",
    [CLI_SERVER] = "Server",
    [CLI_OUTPUT] = "Output",
};

static void put_option(const cli_option *o, om_text *out)
{
    size_t start = out->length;
    if (o->letter != 0)
        om_text_printf(out, "  -%c, --%s", o->letter, o->name);
    else
        om_text_printf(out, "  --%s", o->name);
    if (o->argument != NULL) {
        om_text_add(out, " ");
        cli_put_argument(o, out);
    }
    size_t used = out->length - start;
    om_text_printf(
        out, "%*s%s\n", used < HELP_COLUMN ? (int) (HELP_COLUMN - used) : 2, "", o->help);
}

void cli_help(const cli_command *command, om_text *out)
{
    om_text_printf(out, "omen %s%s%s\n\n%s\n", command->name,
        command->arguments[0] == '\0' ? "" : " ", command->arguments, command->summary);
    for (int group = 0; group < CLI_GROUPS; group++) {
        bool headed = false;
        for (const cli_option *o = command->options; o->name != NULL; o++) {
            assert(o->group < CLI_GROUPS); /* O2 */
            if ((int) o->group != group)
                continue;
            if (!headed)
                om_text_printf(out, "\n%s:\n", cli_group_names[group]);
            headed = true;
            put_option(o, out);
        }
    }
    if (command->examples[0] != NULL)
        om_text_add(out, "\nExamples:\n");
    for (size_t i = 0; i < CLI_EXAMPLES && command->examples[i] != NULL; i++)
        om_text_printf(out, "  %s\n", command->examples[i]);
}
