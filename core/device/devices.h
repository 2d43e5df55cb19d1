/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h: the uppermost layer: opening devices, the test of each, picking. */
#ifndef OM_DEVICE_DEVICES_H
#define OM_DEVICE_DEVICES_H

#include "device.h"

/* Which kinds are looked for, and whether first in a process that they may end. */
typedef struct om_devices_choice {
    bool opencl, host, trial;
} om_devices_choice;

/* om_devices_open() for these kinds. */
int om_devices__open(
    om_devices **out, om_context *ctx, const om_devices_choice *choice, const char **why);

/* selftest.c: the known-answer test of a device. OM_OK; OM_EUNSUPPORTED with *why (the caller frees
 * it); OM_ELIMIT or OM_ESTOP where the context was stopped: nothing is known then. */
int om_device__self_test(om_device *d, om_context *asker, char **why);

#endif
