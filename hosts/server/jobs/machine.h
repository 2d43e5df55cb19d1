/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's plug-ins and devices, as `omen plugins` and `omen devices` report them, and its
 * speed. Each device, and a thread, is measured once by a short exploration; the result is kept in
 * the database under the name and driver.
 */
#ifndef OMEND_MACHINE_H
#define OMEND_MACHINE_H

#include "database/database.h"
#include "pool/pool.h"

typedef struct omend_machine omend_machine;

/* Asks omen. OM_EIO if it does not answer. */
int machine_new(
    omend_machine **out, om_context *ctx, const omend_settings *settings, omend_writer *writer);
/* Measures what has not been measured yet, in a thread of its own, and tells the pool. */
int machine_measure(omend_machine *m, omend_pool *pool);
/* Ends the measurement. NULL is ignored. */
void machine_end(omend_machine *m);
void machine_free(omend_machine *m);

/* Return the answers of omen, new references. Devices also have "states_per_second" (null:
 * measurement failed), and the answer has "thread_states_per_second". Thread-safe. */
json_t *machine_devices(omend_machine *m);
json_t *machine_plugins(omend_machine *m);
/* Returns true if there is such a front end. */
bool machine_reads(omend_machine *m, const char *language);

#endif
