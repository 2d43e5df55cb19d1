/* SPDX-License-Identifier: Apache-2.0 */
/* turns.h: the order in which the work-items of a group run. */
#ifndef OM_HOST_TURNS_H
#define OM_HOST_TURNS_H

#include "host.h"

/* The order of execution of a stream's threads. */
typedef struct om_turns om_turns;
/* Returns NULL if memory runs out or no lock can be made. */
om_turns *om_turns__open(const om_heap *heap, uint32_t size, const om_host_setting *setting);
void om_turns__close(om_turns *t);
/* Sets the number of work-items of a group, at most `size` of om_turns__open(). No thread may be in
 * a group. */
void om_turns__resize(om_turns *t, uint32_t size);
/* A work-item of a group begins; arrives at a barrier (in this line) and continues after it;
 * ends. */
void om_turns__begin(om_turns *t, uint32_t me);
void om_turns__meet(om_turns *t, uint32_t me, unsigned line);
void om_turns__end(om_turns *t, uint32_t me);
/* Called before an atomic of work-item `id` of a launch, which it executes after the return. */
void om_turns__step(om_turns *t, uint32_t id);
/* Returns true if some work-items of a group arrived at one barrier, and others at another or at
 * the end: a device would hang, or worse. From then on the order is not controlled any more. Not
 * detected with OM_HOST_TOGETHER. Any thread. */
bool om_turns__diverged(const om_turns *t);
/* Returns the group that is number i of n in the order of this launch; the same for all of the
 * team. */
size_t om_turns__group(const om_turns *t, uint64_t launch, size_t i, size_t n);

#endif
