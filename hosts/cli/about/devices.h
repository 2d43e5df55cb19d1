/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h: the settings of the devices command. */
#ifndef OMEN_CLI_DEVICES_H
#define OMEN_CLI_DEVICES_H

#include "base/model_options.h"
#include "base/property_options.h"

typedef struct devices_settings {
    cli_model_settings model;
    cli_properties properties;
    om_plan_options plan;
    const char *dump; /* folder for code; or NULL */
} devices_settings;

/* dump.c: writes the code that a device's compiler gets for the model to the folder. Returns an
 * exit status. */
int cli_dump_kernels(cli *c, const devices_settings *set);

#endif
