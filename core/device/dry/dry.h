/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dry.h: devices that compute nothing. One stands for another device, has all its properties, and
 * shows what that one's compiler would be handed. Its memory is not there: what is written is lost,
 * what is read is 0, launches do nothing.
 */
#ifndef OM_DRY_DRY_H
#define OM_DRY_DRY_H

#include "device.h"

typedef struct om_dry om_dry;
struct om_dry {
    om_device device;
    om_device *like;
    /* Called for each program, by who builds it. What it returns, if not OM_OK, fails the build. */
    int (*take)(void *self, const om_dry *dry, const om_recipe *recipe, const char *source,
        const char *options);
    void *self;
};

/* Makes dry->device, a device of `owner`, from the other fields. */
void om_dry__open(om_dry *dry, om_devices *owner);

#endif
