/* SPDX-License-Identifier: Apache-2.0 */
/* fixpoint.h: strong parts, after an exploration by one device: see fixpoint.c. */
#ifndef OM_DEVICE_FIXPOINT_H
#define OM_DEVICE_FIXPOINT_H

#include "member.h"

/* Order the build of the program, concurrently with the others; wait for it; release it. They do
 * nothing if the engine's spec does not ask for a fixpoint. The program may be closed whatever the
 * others returned. */
int om_fixpoint__order(om_member *m);
int om_fixpoint__open(om_member *m);
void om_fixpoint__close(om_member *m);

/* om_engine_fixpoint() after a complete exploration; *rest is OM_NO_ID on entry. */
int om_fixpoint__run(om_member *m, om_marks all, om_id *rest, uint64_t *rounds);

#endif
