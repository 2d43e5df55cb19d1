/* SPDX-License-Identifier: Apache-2.0 */
/* simulate.h: what the simulate command shares with its terminal. */
#ifndef OMEN_CLI_SIMULATE_H
#define OMEN_CLI_SIMULATE_H

#include "cli.h"

/* Takes the run in the file for the history. OM_OK, or what went wrong, with a message. */
int cli_load_run(cli *c, om_simulation *s, om_model *model, const char *path);
/* Writes the run up to the current state, in the format that the file's name says: OM_EUSAGE where
 * that is none. */
int cli_write_run(cli *c, const om_simulation *s, om_model *model, const char *path);

/* terminal.c: from what there is of the simulation until the user leaves, or a signal comes, or a
 * limit. The terminal is as it was then, whatever happened. Returns an exit status. */
int cli_simulate_on_terminal(cli *c, om_model *model, om_simulation *s);
/* NULL, or why there is no such thing. */
const char *cli_no_terminal(void);

#endif
