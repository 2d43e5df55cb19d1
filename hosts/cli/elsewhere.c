/* SPDX-License-Identifier: Apache-2.0 */
#include "elsewhere.h"
#include "cli.h"
#include "simulate.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns true if the command may need omen-full. A false positive is harmless, because omen-full
 * can run every command. */
static bool may_need_more(int argc, char **argv)
{
    if (argc >= 2 && (strcmp(argv[1], "mcc") == 0 || strcmp(argv[1], "simulate") == 0))
        return true;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--server", strlen("--server")) == 0)
            return true;
    return false;
}

void cli_go_elsewhere(int argc, char **argv)
{
    /* Relative to omen: in the build folder, and as installed; both trees may have been moved. */
    static const char *const places[] = { "lib", "../" OMEN_LIBDIR };
    char self[PATH_MAX], path[PATH_MAX + sizeof OMEN_LIBDIR + sizeof "/..//omen/omen-full"];
    if (!may_need_more(argc, argv))
        return;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return;
    self[n] = '\0';
    const char *folder = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        (void) snprintf(path, sizeof path, "%s/%s/omen/omen-full", folder, places[i]);
        (void) execv(path, argv);
    }
}

/* ---- commands without omen-full ---- */

static const char missing[] = "this command needs omen-full, which is not installed next to omen";

static int fail(cli *c)
{
    return cli_failed(c, om_fail(c->ctx, OM_EUNSUPPORTED, NULL, "%s", missing));
}

int cli_run_check_there(cli *c)
{
    return fail(c);
}

int cli_run_mcc(cli *c)
{
    return fail(c);
}

const char *cli_no_terminal(void)
{
    return missing;
}

int cli_simulate_on_terminal(cli *c, om_model *model, om_simulation *s)
{
    (void) model;
    (void) s;
    return fail(c);
}
