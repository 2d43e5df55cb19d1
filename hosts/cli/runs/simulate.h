/* SPDX-License-Identifier: Apache-2.0 */
/* simulate.h: declarations shared by the simulate command and its terminal. */
#ifndef OMEN_CLI_SIMULATE_H
#define OMEN_CLI_SIMULATE_H

#include "cli.h"

/* Loads the run in the file as the history. Returns OM_OK, or a status with a message. */
int cli_load_run(cli *c, om_simulation *s, om_model *model, const char *path);
/* Writes the run up to the current state, in the format of the file's suffix. OM_EUSAGE if there is
 * no such format. */
int cli_write_run(cli *c, const om_simulation *s, om_model *model, const char *path);

/* Opens the simulation of the command line: model, breakpoints, loaded run, seed. The caller frees
 * both, whatever is returned. OM_OK, or a status with a message. */
int cli_open_simulation(cli *c, om_model **model, om_simulation **s);

#endif
