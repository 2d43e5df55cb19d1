/* SPDX-License-Identifier: Apache-2.0 */
/* group.h: an engine on several devices; the functions of device.h call these. */
#ifndef OM_DEVICE_GROUP_H
#define OM_DEVICE_GROUP_H

#include "engine.h"

/* spec->device is a group. Each device begins with these sizes. */
int om_device_group__open(
    om_device_group **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning);
void om_device_group__close(om_device_group *f);

/* As om_engine_explore() and om_engine_path() of an engine that neither explored nor was asked for
 * something that only a single device can do. */
int om_device_group__explore(
    om_device_group *f, const uint8_t *stop_at, om_id *hit, om_exploration *out);
bool om_device_group__has_paths(const om_device_group *f);
int om_device_group__path(
    om_device_group *f, om_id to, int (*take)(void *self, const uint32_t *vector), void *self);

#endif
