/* SPDX-License-Identifier: Apache-2.0 */
/* plan_devices.h: the devices of a plan: the one that the options name, and the one that races. */
#ifndef OMEN_PLAN_PLAN_DEVICES_H
#define OMEN_PLAN_PLAN_DEVICES_H

#include "plan.h"

/* named_device.c */
/* Return true if the user wants a device at all; if the user named one. */
bool om_plan__device_wanted(const om_plan *p, const om_plan_options *o);
bool om_plan__device_named(const om_plan *p, const om_plan_options *o);
/* Opens the named device; or, for a named checker that needs a device (`checker`, else NULL), any
 * device. OM_EUNSUPPORTED if it is not available. NULL, with a notice, if a named device is
 * unavailable only at the moment. Must not be called if the options want no device. */
int om_plan__device(om_plan *p, const om_plan_options *o, const char *checker, om_device **out);

/* opener.c */
/* Starts the opener if none is running and the result is not known. The caller holds the
 * supervisor's lock. */
void om_opener__start(om_plan *p);
/* Recalls the opener after the parts of a check. Waits for a driver, which cannot be interrupted,
 * only if `wait` is set. */
void om_opener__recall(om_plan *p, bool wait);
/* Returns true if the opener is at work, or a device's compiler is busy. */
bool om_opener__busy(om_plan *p);

#endif
