/* SPDX-License-Identifier: Apache-2.0 */
/* builds.h: programs built in the background, which callers wait for or abandon. */
#ifndef OM_DEVICE_BUILDS_H
#define OM_DEVICE_BUILDS_H

#include "device.h"

/*
 * Builds a program, or loads it from the cache, so that its kernels start without delay; in two
 * halves, so that several programs are built concurrently. A build that was ordered must be
 * collected or abandoned (NULL is allowed) exactly once. An error gives one message with the first
 * lines of the log (OM_EUNSUPPORTED). If the context is stopped, the build is abandoned: returns
 * OM_ELIMIT or OM_ESTOP within some milliseconds, while the compiler goes on in the background
 * until om_devices_close() at the latest.
 */
int om_builds__order(om_device *d, om_context *ctx, const om_recipe *recipe, om_build **out);
int om_builds__collect(om_build *b, om_context *ctx, om_built *out);
void om_builds__abandon(om_build *b);
/* Releases a program and its kernels, without waiting for a build that is under way. */
void om_builds__release(om_device *d, om_built *b);

/* Create the list of builds; destroy it, after waiting for those that still run. */
int om_builds__open(om_devices *all);
void om_builds__close(om_devices *all);

#endif
