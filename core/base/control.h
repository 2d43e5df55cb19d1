/* SPDX-License-Identifier: Apache-2.0 */
/* control.h: what rooms ask of a control beside the public header: limits, what may be taken, and
 * when it was stopped. Any thread. */
#ifndef OM_BASE_CONTROL_H
#define OM_BASE_CONTROL_H

#include <omen/plugin/control.h>

/* The limits of this control: its own or those that it had from above. */
const om_limits *om_control__limits(const om_control *c);
/* Another limit on memory for this control and what is made below it later: part of a limit may be
 * set aside for what comes after a search. */
void om_control__limit_memory(om_control *c, uint64_t bytes);
/* Forgets the limit on states: those of this control are not what the user has limited. As above.
 */
void om_control__unlimit_states(om_control *c);

/* When it was stopped, as om_clock_ns() counts; 0: it was not (or that is being written down). */
uint64_t om_control__stopped_ns(const om_control *c);
/* As om_context_stopped(); OM_OK for NULL. */
int om_control__status(const om_control *c);

/* Looks at the clock and the resident size, and stops where a limit is passed: time, everything
 * below; memory, as om_control__allows() does. A watcher calls it; searches need not. */
void om_control__watch(om_control *c);

/*
 * May `bytes` more be taken? To be asked before each large allocation that is not of the context's
 * heap, which asks by itself. Where memory is out, the one that has taken most gives way first: of
 * all controls of the tree it is stopped with OM_STOP_MEMORY, and others wait, up to some seconds,
 * for what it gives back. False: this one was stopped.
 */
bool om_control__allows(om_control *c, uint64_t bytes);
/* What this control was allowed to take has been given back (it was not counted piece by piece). */
void om_control__returned(om_control *c);

/* The most resident bytes that this process has had; 0 where the system does not say. */
uint64_t om_resident__peak_bytes(void);

#endif
