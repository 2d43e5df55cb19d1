/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the machine has, as `omen plugins` and `omen devices` tell it, and how fast it is: devices
 * and a thread are measured once each, by a short exploration, and what they came to is kept in the
 * database under their name and driver.
 */
#ifndef OMEND_MACHINE_H
#define OMEND_MACHINE_H

#include "database.h"
#include "pool.h"

typedef struct om_machine om_machine;

/* Asks omen. OM_EIO where it does not answer. */
int machine_new(om_machine **out, om_context *ctx, const om_settings *settings, om_writer *writer);
/* Measures what was not measured before, in a thread of its own, and tells the pool. */
int machine_measure(om_machine *m, om_pool *pool);
/* Ends that. NULL is fine. */
void machine_end(om_machine *m);
void machine_free(om_machine *m);

/* As omen printed it, with "states_per_second" (null: not measured) and "broken" for each device;
 * a new reference. Any thread. */
json_t *machine_devices(om_machine *m);
json_t *machine_plugins(om_machine *m);
/* Is there such a front end? */
bool machine_reads(om_machine *m, const char *language);

#endif
