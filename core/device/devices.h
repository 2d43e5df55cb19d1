/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h: the top layer: opening devices, testing and picking them. */
#ifndef OM_DEVICE_DEVICES_H
#define OM_DEVICE_DEVICES_H

#include "device.h"

/* The kinds to look for; `trial`: those that may end the process are tried in another process
 * first. */
typedef struct om_devices_choice {
    bool opencl, host, trial;
} om_devices_choice;

/* The variant of om_devices_open() for these kinds. */
int om_devices__open(
    om_devices **out, om_context *ctx, const om_devices_choice *choice, const char **why);

/* selftest.c: runs the known-answer test of a device. Returns OM_OK; OM_EUNSUPPORTED with *why
 * (the caller frees it); OM_ELIMIT or OM_ESTOP if the context was stopped: the result is then
 * unknown. */
int om_device__self_test(om_device *d, om_context *asker, char **why);

#endif
