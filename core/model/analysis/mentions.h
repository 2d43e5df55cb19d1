/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mentions.h: finds the values that an expression compares a slot with. If the expression reads the
 * slot in no other way, it is the same for all values that it does not mention. So the thousands of
 * locations of a process need not be tried one by one.
 */
#ifndef OM_MODEL_MENTIONS_H
#define OM_MODEL_MENTIONS_H

#include "form/form.h"

/* Zero-initialise with `m` set. For one thread. */
typedef struct om_mentions {
    const om_model *m;
    om_value *at; /* ascending, without duplicates */
    size_t count, room;
    bool otherwise;   /* the slot is also read in another way */
    uint64_t visited; /* nodes, over all calls */
    uint32_t *seen, stamp;
    size_t seen_count, seen_room; /* by node */
    bool failed;
} om_mentions;

/* Finds the values for an expression (0: none). Returns OM_OK or OM_ENOMEM. The model may have got
 * more nodes since the last call. */
int om_mentions__find(om_mentions *x, om_expr e, uint32_t slot);
void om_mentions__close(om_mentions *x);

#endif
