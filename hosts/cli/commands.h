/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: the commands of omen. Each is described beside its code. */
#ifndef OMEN_CLI_COMMANDS_H
#define OMEN_CLI_COMMANDS_H

#include "base/options.h"

extern const cli_command cli_check_command, cli_properties_command, cli_empty_command,
    cli_explore_command, cli_mcc_command, cli_translate_command, cli_convert_command,
    cli_draw_command, cli_strength_command, cli_replay_command, cli_show_command,
    cli_explain_command, cli_simulate_command, cli_plugins_command, cli_devices_command,
    cli_schema_command;

/* All of them, in the order of the help; ends with NULL. */
extern const cli_command *const cli_commands[];

/* Returns the command of that name, or NULL. */
const cli_command *cli_find_command(const char *name);
/* Returns OM_EUSAGE, with a message that may suggest a command. */
int cli_unknown_command(cli *c, const char *name);
/* Writes the help on all commands. */
void cli_overview(om_text *out);

#endif
