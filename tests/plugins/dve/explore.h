/* SPDX-License-Identifier: Apache-2.0 */
/* explore.h: what the tests of the DVE front end share: loading, and a plain breadth-first search.
 */
#ifndef OMEN_TESTS_DVE_EXPLORE_H
#define OMEN_TESTS_DVE_EXPLORE_H

#include <omen/host/load.h>

/* The front end of that name, from the plug-in folders; NULL prints why. */
const om_frontend *dve_frontend(const om_registry *r);

typedef struct dve_size {
    uint64_t states, transitions, levels, deadlocks;
    om_fault fault; /* the first one met; states with one are not expanded */
} dve_size;

/* Explores with the vm, up to `most` states. OM_OK, or what went wrong. */
int dve_explore(om_context *ctx, om_model *m, uint64_t most, dve_size *out);

/* Explores until a state satisfies `goal`; states with a fault are not expanded. */
int dve_reaches(om_context *ctx, om_model *m, om_expr goal, bool *found);

#endif
