/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

const cli_command *const cli_commands[] = { &cli_check_command, &cli_properties_command,
    &cli_empty_command, &cli_explore_command, &cli_mcc_command, &cli_translate_command,
    &cli_convert_command, &cli_draw_command, &cli_strength_command, &cli_replay_command,
    &cli_show_command, &cli_explain_command, &cli_simulate_command, &cli_plugins_command,
    &cli_devices_command, &cli_schema_command, NULL };

const cli_command *cli_find_command(const char *name)
{
    for (const cli_command *const *k = cli_commands; *k != NULL; k++)
        if (strcmp((*k)->name, name) == 0)
            return *k;
    return NULL;
}

int cli_unknown_command(cli *c, const char *name)
{
    const char *names[32];
    size_t count = 0;
    for (const cli_command *const *k = cli_commands; *k != NULL && count < 32; k++)
        names[count++] = (*k)->name;
    const char *near = om_nearest(name, names, count);
    if (near != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "no command '%s'; did you mean '%s'?", name, near);
    return om_fail(c->ctx, OM_EUSAGE, NULL, "no command '%s' (see 'omen --help')", name);
}

void cli_overview(om_text *out)
{
    om_text_add(out, "omen: explicit-state model checker for omega-regular properties\n\n");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++)
        om_text_printf(out, "  omen %-10s %-27s %s\n", (*k)->name, (*k)->arguments, (*k)->summary);
    om_text_add(out, "\n  omen COMMAND --help, omen --version, omen --help\n\n"
                     "Exit status: 0 holds, 10 violated, 30 unknown (a limit was hit), 2 usage,\n"
                     "3 bad input, 1 internal error.\n");
}
