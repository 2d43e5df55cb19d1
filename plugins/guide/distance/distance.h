/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.h: the parts of the guide "distance".
 *
 *  D1  An estimate is at most DISTANCE_MOST.
 *  D2  Distances of locations are known for all pairs that the expressions compare: they are
 *      computed before the search.
 */
#ifndef OMEN_GUIDE_DISTANCE_H
#define OMEN_GUIDE_DISTANCE_H

#include <omen/plugin/guide.h>

enum { DISTANCE_MOST = 1 << 20 };

/* The distances of all locations of one process from one of them */
typedef struct location_table {
    uint32_t slot;
    om_value low, high, to;
    uint32_t *steps; /* [location - low]; DISTANCE_MOST: there is no way */
    struct location_table *next;
} location_table;

typedef struct locations {
    const om_heap *heap;
    const om_model *model;
    bool *is_location; /* [slot] */
    location_table *tables;
} locations;

/* locations.c. Initialises a zeroed struct; computes the distances from a location, unless they are
 * known. OM_OK or OM_ENOMEM, without a message. */
int locations_init(locations *l, const om_heap *heap, const om_model *m);
int locations_add(locations *l, uint32_t slot, om_value to);
void locations_free(locations *l);
/* Returns the number of steps of its process from a location to another; UINT32_MAX if the
 * distances are not known. */
uint32_t locations_between(const locations *l, uint32_t slot, om_value from, om_value to);
/* Returns true if the guard requires the slot to have one value. */
bool locations_needs(const om_model *m, om_expr guard, uint32_t slot, om_value *value);
/* Returns true if the transition moves the slot from one constant to another. */
bool locations_moves(
    const om_model *m, const om_transition *t, uint32_t slot, om_value *from, om_value *to);

/* estimate.c. Computes what estimates of this expression need. OM_OK or OM_ENOMEM. */
int estimate_prepare(locations *l, om_expr e);
/* Returns how far a state is from one in which the expression has this truth value. */
uint64_t estimate(const locations *l, om_expr e, bool truth, const uint32_t *row);
/* Returns the comparison that is true if this one is false. */
om_op estimate_inverse(om_op comparison);

#endif
