/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"
#include "base/output.h"

#include <assert.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An exit() outside of cli_program() must not look like an answer, because status 0 means that a
 * property holds. */
static void on_end(int status, void *by_main)
{
    static const char said[] = "omen: a plug-in, a driver or a library ended the program\n";
    (void) status;
    if (*(const bool *) by_main)
        return;
    (void) write(STDERR_FILENO, said, sizeof said - 1);
    _exit(om_exit_status(OM_EINTERNAL));
}

void cli_program(int argc, char **argv, int (*run)(cli *c, int argc, char **argv))
{
    cli c = { 0 };
    bool by_main = false;
    int status;

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

/* Runs the command with its settings, or prints its help. */
static int run_with(
    cli *c, const cli_command *command, cli_run_fn *run, void *settings, int argc, char **argv)
{
    int rc = cli_parse(c, command, settings, argc, argv);
    int status;
    if (rc != OM_OK)
        return cli_failed(c, rc);
    c->arguments = argv;
    if (c->set.help) {
        cli_help(command, &c->out);
        status = 0;
    } else {
        rc = cli_find_option(command, "timeout") != NULL ? cli_limit(c) : OM_OK;
        status = rc == OM_OK ? run(c, settings) : cli_failed(c, rc);
    }
    rc = cli_flush(c);
    return rc == OM_OK ? status : cli_failed(c, rc);
}

int cli_run_command(cli *c, const cli_command *command, cli_run_fn *run, int argc, char **argv)
{
    void *settings = om_alloc(c->heap, 1, command->size);
    if (settings == NULL)
        return cli_failed(c, om_fail_memory(c->ctx));
    const int status = run_with(c, command, run, settings, argc, argv);
    om_free(c->heap, settings);
    return status;
}

/* ---- helper programs ---- */

void cli_execute_helper(const char *name, char **argv)
{
    /* Relative to omen: in the build folder, and as installed; both trees may have been moved. */
    static const char *const places[] = { "lib", "../" OMEN_LIBDIR };
    char self[PATH_MAX], file[NAME_MAX];
    char path[sizeof self + sizeof file + sizeof OMEN_LIBDIR + sizeof "/..//omen/"];
    const int length = snprintf(file, sizeof file, "omen-%s", name);
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0 || (size_t) length >= sizeof file || strchr(file, '/') != NULL)
        return;
    char *const given = argv[0];
    argv[0] = file;
    assert(n < (ssize_t) sizeof self);
    self[n > 0 ? n : 0] = '\0';
    const char *folder = dirname(self);
    for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places; i++) {
        (void) snprintf(path, sizeof path, "%s/%s/omen/%s", folder, places[i], file);
        (void) execv(path, argv);
    }
    (void) execvp(file, argv);
    argv[0] = given;
}

int cli_run_helper(cli *c, const char *name, const char *needs)
{
    cli_execute_helper(name, c->arguments - 1);
    return cli_failed(c, om_fail(c->ctx, OM_EUNSUPPORTED, NULL,
                             "this needs the program omen-%s, which is not installed next to omen "
                             "or in a folder of PATH (to build it needs %s)",
                             name, needs));
}
