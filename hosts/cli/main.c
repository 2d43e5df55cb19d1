/* SPDX-License-Identifier: Apache-2.0 */
/* omen: the command-line program. Everything it knows it asks of libomen. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int run_command(cli *c, const cli_command *command, int argc, char **argv)
{
    int rc = cli_parse(c, command, argc, argv);
    int status;
    if (rc != OM_OK)
        return cli_failed(c, rc);
    if (c->set.help) {
        cli_help(command, &c->out);
        status = 0;
    } else
        status = command->run(c);
    rc = cli_flush(c);
    return rc == OM_OK ? status : cli_failed(c, rc);
}

static int run(cli *c, int argc, char **argv)
{
    const char *first = argc < 2 ? "--help" : argv[1];
    const cli_command *command = cli_find_command(first);
    int rc;

    if (command != NULL)
        return run_command(c, command, argc - 2, argv + 2);
    if (strcmp(first, "--version") == 0)
        om_text_printf(&c->out, "omen %s\n", om_version());
    else if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        cli_overview(&c->out);
    else
        return cli_failed(c, cli_unknown_command(c, first));
    rc = cli_flush(c);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    return argc < 2 ? om_exit_status(OM_EUSAGE) : 0;
}

int main(int argc, char **argv)
{
    cli c = { 0 };
    int status;

    cli_block_signals();
    if (cli_open(&c) != OM_OK) {
        (void) fputs("omen: out of memory\n", stderr);
        return om_exit_status(OM_ENOMEM);
    }
    status = run(&c, argc, argv);
    cli_close(&c);
    return status;
}
