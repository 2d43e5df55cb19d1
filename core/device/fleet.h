/* SPDX-License-Identifier: Apache-2.0 */
/* fleet.h: an engine on several devices; the functions of device.h call these. */
#ifndef OM_DEVICE_FLEET_H
#define OM_DEVICE_FLEET_H

#include "engine.h"

/* spec->device is a group. Each device begins with these sizes. */
int om_fleet__open(
    om_fleet **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning);
void om_fleet__close(om_fleet *f);

/* As om_engine_explore() and om_engine_path() of an engine that neither explored nor was asked for
 * something that only a single device can do. */
int om_fleet__explore(om_fleet *f, const uint8_t *stop_at, om_id *hit, om_exploration *out);
bool om_fleet__has_paths(const om_fleet *f);
int om_fleet__path(
    om_fleet *f, om_id to, int (*take)(void *self, const uint32_t *vector), void *self);

#endif
