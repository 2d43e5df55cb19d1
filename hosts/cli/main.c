/* SPDX-License-Identifier: Apache-2.0 */
/* omen: the command-line program. It uses libomen for all its work. */
#include "base/output.h"
#include "base/program.h"
#include "check/check_settings.h"
#include "commands.h"

#include <string.h>

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* Runs what is not a command: --version, and help on everything or on one command. */
static int run_other(cli *c, int argc, char **argv)
{
    const char *first = argc < 2 ? "--help" : argv[1];
    const cli_command *command = argc < 3 ? NULL : cli_find_command(argv[2]);
    bool version = strcmp(first, "--version") == 0;

    if (!version && !is_help(first))
        return cli_unknown_command(c, first);
    if (argc > 3 || (version && argc > 2))
        return om_fail(c->ctx, OM_EUSAGE, NULL, "%s: '%s' is one argument too many", first,
            argv[version ? 2 : 3]);
    if (version)
        om_text_printf(&c->out, "omen %s\n", om_version());
    else if (command != NULL)
        cli_help(command, &c->out);
    else if (argc == 3)
        return cli_unknown_command(c, argv[2]);
    else
        cli_overview(&c->out);
    return OM_OK;
}

/* Options before the command are valid only for a command that also has them. */
static int vet_leading(cli *c, const cli_command *command, const char *first)
{
    if (command == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--%s needs a command after it: omen --server URL check ...", first);
    return cli_find_option(command, first) != NULL
               ? OM_OK
               : om_fail(c->ctx, OM_EUSAGE, NULL, "'%s' runs locally: --%s is only for 'check'",
                     command->name, first);
}

typedef struct leading_settings {
    cli_server_settings server;
} leading_settings;

/* Moves the command before the options that precede it. */
static int take_leading(cli *c, int argc, char **argv)
{
    static const cli_option options[] = { CLI_SERVER_OPTIONS(leading_settings), CLI_END };
    static const cli_command leading = {
        .name = "omen", .options = options, .size = sizeof(leading_settings)
    };
    leading_settings settings;
    int used = 0;
    int rc =
        argc < 2 ? OM_OK : cli_parse_leading(c, &leading, &settings, argc - 1, argv + 1, &used);
    if (rc != OM_OK || used == 0)
        return rc;
    char *name = used + 1 < argc ? argv[used + 1] : NULL;
    rc = vet_leading(c, name == NULL ? NULL : cli_find_command(name), c->given[0].name);
    if (rc != OM_OK || name == NULL) /* vet_leading() rejects NULL */
        return rc;
    memmove(argv + 2, argv + 1, (size_t) used * sizeof *argv);
    argv[1] = name;
    c->given_count = 0;
    return OM_OK;
}

/* Runs a command that is a program of its own, if there was none to execute at the start. */
static int run_missing(cli *c, void *settings)
{
    (void) settings;
    return cli_run_helper(c, c->arguments[-1], cli_find_command(c->arguments[-1])->needs);
}

static int run(cli *c, int argc, char **argv)
{
    int rc = take_leading(c, argc, argv);
    const cli_command *command = argc < 2 ? NULL : cli_find_command(argv[1]);

    if (rc != OM_OK)
        return cli_failed(c, rc);
    if (command != NULL)
        return cli_run_command(
            c, command, command->run != NULL ? command->run : run_missing, argc - 2, argv + 2);
    rc = run_other(c, argc, argv);
    if (rc == OM_OK)
        rc = cli_flush(c);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    return argc < 2 ? om_exit_status(OM_EUSAGE) : 0;
}

/* Executes the program of a command that omen does not run itself, before anything is opened. */
static void leave_to_helper(int argc, char **argv)
{
    const cli_command *command = argc < 2 ? NULL : cli_find_command(argv[1]);
    if (argc >= 2 && *argv[1] != '-' && !is_help(argv[1]) &&
        (command == NULL || command->run == NULL))
        cli_execute_helper(argv[1], argv + 1);
}

int main(int argc, char **argv)
{
    leave_to_helper(argc, argv);
    cli_program(argc, argv, run);
}
