/* SPDX-License-Identifier: Apache-2.0 */
/* simulate.h: declarations shared by the simulate command and its terminal, omen-simulate. */
#ifndef OMEN_CLI_SIMULATE_H
#define OMEN_CLI_SIMULATE_H

#include "base/model_options.h"

enum { CLI_BREAKS = 64 };

typedef struct simulate_settings {
    cli_model_settings model;
    om_overflow_mode overflow;
    const char *load;  /* file of the run to start with; or NULL */
    const char *lasso; /* file for the run; or NULL */
    const char *breaks[CLI_BREAKS];
    size_t break_count;
    uint64_t steps, seed;
    bool stepped; /* --steps was given */
} simulate_settings;

/* Opens the simulation: model, breakpoints, loaded run, seed. The caller frees both, whatever is
 * returned. OM_OK, or a status with a message. */
int cli_open_simulation(cli *c, simulate_settings *set, om_model **model, om_simulation **s);
/* Loads the run in the file as the history. Returns OM_OK, or a status with a message. */
int cli_load_run(cli *c, om_simulation *s, om_model *model, const char *path);
/* Writes the run up to the current state, in the format of the file's suffix. OM_EUSAGE if there is
 * no such format. */
int cli_write_run(cli *c, const om_simulation *s, om_model *model, const char *path);

#endif
