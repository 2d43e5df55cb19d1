/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <string.h>

const cli_command *cli_find_command(const char *name)
{
    for (const cli_command *c = cli_commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const cli_option *cli_find_option(const cli_command *command, const char *name)
{
    const cli_option *o = command->options;
    while (o->name != NULL && strcmp(o->name, name) != 0)
        o++;
    return o->name == NULL ? NULL : o;
}

int cli_unknown_command(cli *c, const char *name)
{
    const char *names[32];
    size_t count = 0;
    for (const cli_command *k = cli_commands; k->name != NULL && count < 32; k++)
        names[count++] = k->name;
    const char *near = om_nearest(name, names, count);
    if (near != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "no command '%s'; did you mean '%s'?", name, near);
    return om_fail(c->ctx, OM_EUSAGE, NULL, "no command '%s' (see 'omen --help')", name);
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
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "%s has no option '--%s' (see 'omen %s --help')",
            command->name, copy, command->name);
    om_free(c->heap, copy);
    return rc;
}

/* The arguments not parsed yet */
typedef struct rest {
    char **argv;
    int argc, at;
} rest;

/* Returns the value of an option: the text after its '=', or the next argument. */
static int value_of(cli *c, const char *name, const char *equals, rest *r, const char **out)
{
    if (equals != NULL)
        *out = equals + 1;
    else if (r->at < r->argc)
        *out = r->argv[r->at++];
    else
        return om_fail(c->ctx, OM_EUSAGE, NULL, "option %s needs a value", name);
    if (**out == '\0')
        return om_fail(c->ctx, OM_EUSAGE, NULL, "option %.*s needs a non-empty value",
            (int) strcspn(name, "="), name);
    return OM_OK;
}

/* Records an option as it was given, to be sent to a server. */
static int keep(cli *c, const char *name, const char *value)
{
    cli_given *given =
        om_grow(c->heap, c->given, &c->given_room, c->given_count + 1, sizeof *given);
    if (given == NULL)
        return om_fail_memory(c->ctx);
    c->given = given;
    c->given[c->given_count++] = (cli_given){ name, value };
    return OM_OK;
}

static int long_option(cli *c, const cli_command *command, const char *arg, rest *r)
{
    const char *name = arg + 2, *equals = strchr(name, '='), *value = NULL;
    size_t n = equals == NULL ? strlen(name) : (size_t) (equals - name);

    for (const cli_option *o = command->options; o->name != NULL; o++) {
        if (strlen(o->name) != n || memcmp(o->name, name, n) != 0)
            continue;
        if (o->argument == NULL && equals != NULL)
            return om_fail(c->ctx, OM_EUSAGE, NULL, "option --%s takes no value", o->name);
        int rc = o->argument == NULL ? OM_OK : value_of(c, arg, equals, r, &value);
        if (rc == OM_OK)
            rc = keep(c, o->name, value);
        return rc == OM_OK ? o->set(c, value) : rc;
    }
    return unknown_option(c, command, name, n);
}

/* Parses "-v", "-vq", "-DNAME" or "-D NAME": an option with a value is the last letter of a
 * word. */
static int short_options(cli *c, const cli_command *command, const char *arg, rest *r)
{
    for (const char *s = arg + 1; *s != '\0'; s++) {
        const cli_option *o = command->options;
        while (o->name != NULL && o->letter != *s)
            o++;
        if (o->name == NULL)
            return om_fail(c->ctx, OM_EUSAGE, NULL, "%s has no option '-%c' (see 'omen %s --help')",
                command->name, *s, command->name);
        const char name[] = { '-', *s, '\0' }, *value = NULL;
        int rc = OM_OK;
        if (o->argument != NULL && s[1] != '\0')
            value = s + 1;
        else if (o->argument != NULL)
            rc = value_of(c, name, NULL, r, &value);
        if (rc == OM_OK && value != NULL)
            rc = keep(c, o->name, value);
        if (rc == OM_OK)
            rc = o->set(c, value);
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

/* Validates the options about a server. */
static int vet_server(cli *c)
{
    const cli_settings *s = &c->set;
    if (s->server == NULL && (s->token_file != NULL || s->ca_file != NULL))
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--%s is only for --server",
            s->token_file != NULL ? "token-file" : "ca-file");
    if (s->server != NULL && s->definition_count + s->folder_count + s->root_count != 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "%s cannot be combined with --server: a server gets the text of one file, without "
            "macros of the command line and without included files",
            s->definition_count != 0 ? "-D"
            : s->folder_count != 0   ? "-I"
                                     : "--include-root");
    return OM_OK;
}

/* Rejects --output-limit without --output. */
static int vet_output(cli *c)
{
    if (c->set.output_limit != 0 && c->set.output == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--output-limit is only for --output");
    if (c->set.ignore_assertions && c->set.most_errors != 0)
        return om_fail(
            c->ctx, OM_EUSAGE, NULL, "--errors and --ignore-assertions contradict each other");
    if (c->set.coverage && c->set.output != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--coverage cannot be combined with --output");
    if (c->set.plan.merge == OM_SWITCH_ON && (c->set.coverage || c->set.output != NULL))
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--merge on omits states and statements that --%s must show",
            c->set.coverage ? "coverage" : "output");
    const char *device = c->set.plan.device;
    if (c->set.coverage && device != NULL && strcmp(device, "none") != 0 &&
        strcmp(device, "auto") != 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--coverage needs the CPU: leave out --device");
    return OM_OK;
}

/* Gives the text of --progress-states, which may precede --non-progress, to the latter. */
static int give_progress(cli *c)
{
    cli_settings *s = &c->set;
    if (s->progress_states == NULL)
        return OM_OK;
    bool any = false;
    for (size_t i = 0; i < s->property_count; i++) {
        if (s->properties[i].kind != OM_PROPERTY_NON_PROGRESS)
            continue;
        any = true;
        s->properties[i].text = om_strdup(c->heap, s->progress_states);
        if (s->properties[i].text == NULL)
            return om_fail_memory(c->ctx);
    }
    return any ? OM_OK
               : om_fail(c->ctx, OM_EUSAGE, NULL, "--progress-states is only for --non-progress");
}

/* Applies --spelling to the formulas. A lasso records it, because its replay must read them the
 * same way. */
static void give_spelling(cli *c)
{
    cli_settings *s = &c->set;
    s->plan.own_grammar = s->spelled && s->spelling != OM_LTL_SPIN;
    for (size_t i = 0; i < s->property_count && s->plan.own_grammar; i++)
        if (s->properties[i].kind == OM_PROPERTY_LTL ||
            s->properties[i].kind == OM_PROPERTY_LTL_FILE)
            s->properties[i].option = CLI_OWN_GRAMMAR;
}

int cli_parse(cli *c, const cli_command *command, int argc, char **argv)
{
    rest r = { argv, argc, 0 };
    bool only_positionals = false;
    int rc = OM_OK;

    while (rc == OM_OK && r.at < r.argc) {
        const char *arg = r.argv[r.at++];
        if (!only_positionals && strcmp(arg, "--") == 0)
            only_positionals = true;
        else if (!only_positionals && strncmp(arg, "--", 2) == 0)
            rc = long_option(c, command, arg, &r);
        else if (!only_positionals && arg[0] == '-' && arg[1] != '\0')
            rc = short_options(c, command, arg, &r);
        else if (c->set.positional_count >= command->most)
            rc = om_fail(
                c->ctx, OM_EUSAGE, NULL, "%s: '%s' is one argument too many", command->name, arg);
        else
            c->set.positionals[c->set.positional_count++] = arg;
    }
    if (rc != OM_OK || c->set.help)
        return rc;
    if (c->set.positional_count < command->least)
        return om_fail(
            c->ctx, OM_EUSAGE, NULL, "usage: omen %s %s", command->name, command->arguments);
    cli_give_sources(c);
    give_spelling(c);
    rc = contradiction(c);
    if (rc == OM_OK)
        rc = vet_output(c);
    if (rc == OM_OK)
        rc = vet_server(c);
    return rc == OM_OK ? give_progress(c) : rc;
}

int cli_parse_leading(cli *c, int argc, char **argv, int *used)
{
    static const cli_command no_command = { "omen", "", "", 0, 0, cli_leading_options, NULL, NULL,
        { NULL } };
    rest r = { argv, argc, 0 };
    int rc = OM_OK;
    while (rc == OM_OK && r.at < r.argc && strncmp(r.argv[r.at], "--", 2) == 0 &&
           strcmp(r.argv[r.at], "--help") != 0 && strcmp(r.argv[r.at], "--version") != 0) {
        const char *arg = r.argv[r.at++];
        rc = long_option(c, &no_command, arg, &r);
    }
    *used = r.at;
    return rc;
}

/* ---- help ---- */

enum { HELP_COLUMN = 42 };

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

void cli_overview(om_text *out)
{
    om_text_add(out, "omen: explicit-state model checker for omega-regular properties\n\n");
    for (const cli_command *k = cli_commands; k->name != NULL; k++)
        om_text_printf(out, "  omen %-10s %-27s %s\n", k->name, k->arguments, k->summary);
    om_text_add(out, "\n  omen COMMAND --help, omen --version, omen --help\n\n"
                     "Exit status: 0 holds, 10 violated, 30 unknown (a limit was hit), 2 usage,\n"
                     "3 bad input, 1 internal error.\n");
}
