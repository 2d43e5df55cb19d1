/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h: hands candidates to the members that they belong to, where they become states. */
#ifndef OM_DEVICE_EXCHANGE_H
#define OM_DEVICE_EXCHANGE_H

#include "engine.h"

/* Returns the number of the member that a row belongs to. */
uint32_t om_exchange__owner(const om_engine *e, const uint32_t *row);

/* Order the build of the kernels of one of several members; wait for it; free everything. */
int om_exchange__order(om_member *m);
int om_exchange__open(om_member *m);
void om_exchange__close(om_member *m);

/* Makes room for n rows; the present ones stay. */
int om_row_list__reserve(const om_engine *e, om_row_list *l, uint64_t n);
void om_row_list__free(const om_heap *heap, om_row_list *l);

/* First phase of a round: expands a chunk of what is left of the level, and fills the outbox. */
int om_exchange__spread(om_member *m);
/* Second phase: candidates that stayed, and those of other members for this one, become states. */
int om_exchange__gather(om_member *m);

/* Makes states of the rows of a list that belong to the member; `record` is as for
 * om_state_table__put(). */
int om_exchange__take(om_member *m, const om_row_list *from, uint64_t *record);

#endif
