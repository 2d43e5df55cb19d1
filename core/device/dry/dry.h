/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dry.h: devices that compute nothing. Each stands for another device, has all its properties, and
 * reports what that device's compiler would get. It has no memory: writes are lost, reads give 0,
 * launches do nothing.
 */
#ifndef OM_DRY_DRY_H
#define OM_DRY_DRY_H

#include "device.h"

typedef struct om_dry om_dry;
struct om_dry {
    om_device device;
    om_device *like;
    /* Called for each program, in the thread that builds it. A result other than OM_OK fails the
     * build. */
    int (*take)(void *self, const om_dry *dry, const om_recipe *recipe, const char *source,
        const char *options);
    void *self;
};

/* Makes dry->device, a device of `owner`, from the other fields. */
void om_dry__open(om_dry *dry, om_devices *owner);

#endif
