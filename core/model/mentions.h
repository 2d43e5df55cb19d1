/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mentions.h: the values that an expression compares a slot with. If it asks for the slot in no
 * other way, it is one and the same expression for all values that it does not mention, and the
 * thousands of locations of a process need not be tried one by one.
 */
#ifndef OM_MODEL_MENTIONS_H
#define OM_MODEL_MENTIONS_H

#include "form.h"

/* Zero-initialise with `m` set. One thread. */
typedef struct om_mentions {
    const om_model *m;
    om_value *at; /* ascending, each once */
    size_t count, room;
    bool otherwise;   /* the slot is read in another way, too */
    uint64_t visited; /* nodes, of all calls */
    uint32_t *seen, stamp;
    size_t seen_count, seen_room; /* by node */
    bool failed;
} om_mentions;

/* Finds those of an expression (0: none). OM_OK or OM_ENOMEM. The model may have got more nodes. */
int om_mentions__find(om_mentions *x, om_expr e, uint32_t slot);
void om_mentions__close(om_mentions *x);

#endif
