/* SPDX-License-Identifier: Apache-2.0 */
/* explore.h: shared by the tests of the DVE front end: loading, and a plain breadth-first
 * search. */
#ifndef OMEN_TESTS_DVE_EXPLORE_H
#define OMEN_TESTS_DVE_EXPLORE_H

#include <omen/host/load.h>

/* Returns the front end "dve" from the plug-in folders, or prints the reason and returns NULL. */
const om_frontend *dve_frontend(const om_registry *r);

typedef struct dve_size {
    uint64_t states, transitions, levels, deadlocks;
    om_fault fault; /* the first one met; states with a fault are not expanded */
} dve_size;

/* Explores with the vm, up to `most` states. Returns OM_OK or an error. */
int dve_explore(om_context *ctx, om_model *m, uint64_t most, dve_size *out);

/* Explores all states; *found: a state satisfies `goal`. States with a fault are not expanded. */
int dve_reaches(om_context *ctx, om_model *m, om_expr goal, bool *found);

#endif
