/* SPDX-License-Identifier: Apache-2.0 */
/* access_trace.h: checks each memory access of kernels against the rules of access_trace.c, and
 * counts their traffic. */
#ifndef OM_HOST_ACCESS_TRACE_H
#define OM_HOST_ACCESS_TRACE_H

#include "turns.h"

typedef struct om_access_trace om_access_trace;
/* A launch, as far as a trace needs it: its number, from 1, and the memory of each memory
 * argument. */
typedef struct om_traced_launch {
    om_access_trace *trace; /* or NULL */
    om_turns *turns;
    uint64_t number;
    const om_shape *shape;
    om_memory *const *memory;
} om_traced_launch;
/* Returns NULL if memory runs out. */
om_access_trace *om_access_trace__open(const om_heap *heap);
void om_access_trace__close(om_access_trace *t);
/* Traces an access of a work-item, before it is executed. One call at a time. */
void om_access_trace__access(const om_traced_launch *l, unsigned id, const om_host_touch *touch);
/* Counts a launch. Called likewise, by a work-item of the launch. */
void om_access_trace__launched(const om_traced_launch *l);
/* Returns true if a kernel has violated a rule. Any thread. */
bool om_access_trace__bad(const om_access_trace *t);
/* Return the first violation, or NULL; and the memory traffic of kernels. No command may be
 * pending. */
const char *om_access_trace__wrong(const om_access_trace *t);
const om_device_costs *om_access_trace__costs(const om_access_trace *t);

#endif
