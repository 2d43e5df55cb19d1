/* SPDX-License-Identifier: Apache-2.0 */
/* omen: the command-line program. It uses libomen for all its work. */
#include "cli.h"
#include "elsewhere.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run_command(cli *c, const cli_command *command, int argc, char **argv)
{
    int rc = cli_parse(c, command, argc, argv);
    int status;
    if (rc != OM_OK)
        return cli_failed(c, rc);
    if (c->set.help) {
        cli_help(command, &c->out);
        status = 0;
    } else {
        rc = cli_has_limits(command) ? cli_limit(c) : OM_OK;
        status = rc == OM_OK ? command->run(c) : cli_failed(c, rc);
    }
    rc = cli_flush(c);
    return rc == OM_OK ? status : cli_failed(c, rc);
}

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
static int vet_leading(cli *c, const cli_command *command)
{
    const cli_option *o = command == NULL ? cli_leading_options : command->options;
    while (o->name != NULL && o->set != cli_leading_options->set)
        o++;
    if (command == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--%s needs a command after it: omen --server URL check ...", c->given[0].name);
    return o->name != NULL
               ? OM_OK
               : om_fail(c->ctx, OM_EUSAGE, NULL, "'%s' runs locally: --%s is only for 'check'",
                     command->name, c->given[0].name);
}

static int run(cli *c, int argc, char **argv)
{
    int used = 0, rc = argc < 2 ? OM_OK : cli_parse_leading(c, argc - 1, argv + 1, &used);
    argc -= used;
    argv += used;
    const cli_command *command = argc < 2 ? NULL : cli_find_command(argv[1]);

    if (rc == OM_OK && used != 0)
        rc = vet_leading(c, command);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    if (command != NULL)
        return run_command(c, command, argc - 2, argv + 2);
    rc = run_other(c, argc, argv);
    if (rc == OM_OK)
        rc = cli_flush(c);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    return argc < 2 ? om_exit_status(OM_EUSAGE) : 0;
}

/* An exit() outside of main() must not look like an answer, because status 0 means that a property
 * holds. */
static void on_end(int status, void *by_main)
{
    static const char said[] = "omen: a plug-in, a driver or a library ended the program\n";
    (void) status;
    if (*(const bool *) by_main)
        return;
    (void) write(STDERR_FILENO, said, sizeof said - 1);
    _exit(om_exit_status(OM_EINTERNAL));
}

int main(int argc, char **argv)
{
    cli c = { 0 };
    bool by_main = false;
    int status;

    cli_go_elsewhere(argc, argv);
    (void) on_exit(on_end, &by_main);
    cli_settle();
    if (cli_open(&c) == OM_OK) {
        status = run(&c, argc, argv);
        cli_close(&c);
    } else {
        (void) fputs("omen: out of memory\n", stderr);
        status = om_exit_status(OM_ENOMEM);
    }
    by_main = true;
    exit(status); /* not return: on_end() reads by_main, which is on this stack frame */
}
