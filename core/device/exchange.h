/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h: how candidates become states of the member that they belong to. */
#ifndef OM_DEVICE_EXCHANGE_H
#define OM_DEVICE_EXCHANGE_H

#include "engine.h"

/* The kernels of a member of several: ordered, and waited for. */
/* The number of the member that a row belongs to. */
uint32_t om_exchange__owner(const om_engine *e, const uint32_t *row);

int om_exchange__order(om_member *m);
int om_exchange__open(om_member *m);
void om_exchange__close(om_member *m);

/* Room for n rows; those that are there stay. */
int om_row_list__reserve(const om_engine *e, om_row_list *l, uint64_t n);
void om_row_list__free(const om_heap *heap, om_row_list *l);

/* First phase of a round: expands a chunk of what is left of the level, and fills the outbox. */
int om_exchange__spread(om_member *m);
/* Second phase: what stayed, and what the others have for this member, becomes states. */
int om_exchange__gather(om_member *m);

/* The rows of a list that belong to the member become states; `record` as om_state_table__put() has
 * it. */
int om_exchange__take(om_member *m, const om_row_list *from, uint64_t *record);

#endif
