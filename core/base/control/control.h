/* SPDX-License-Identifier: Apache-2.0 */
/* control.h: the functions of controls that the public header does not have: limits, memory, and
 * the time of a stop. Any thread. */
#ifndef OM_BASE_CONTROL_H
#define OM_BASE_CONTROL_H

#include "round_robin.h"

/* Returns the limits of this control: its own or inherited ones. */
const om_limits *om_control__limits(const om_control *c);
/* Changes the memory limit of this control and of controls created below it later: part of a limit
 * may be reserved for the work after a search. */
void om_control__limit_memory(om_control *c, uint64_t bytes);
/* Removes the limit on states: the states of this control are not those that the user limited. As
 * above. */
void om_control__unlimit_states(om_control *c);

/* Returns the time of the stop on om_clock_ns(); 0: not stopped (or the time is not yet
 * written). */
uint64_t om_control__stopped_ns(const om_control *c);
/* As om_context_stopped(); OM_OK for NULL. */
int om_control__status(const om_control *c);

/* Gives the work under this control a turn (round_robin.h), or NULL: the work needs none any more.
 * Called by the thread of the work; the turn is borrowed until the next call. */
void om_control__take_turn(om_control *c, om_turn *turn);
/* Returns the turn of the work under this control, or NULL; for the thread of the work. */
om_turn *om_control__turn(const om_control *c);

/* Checks the clock and the resident size, and stops on an exceeded limit: time, everything below;
 * memory, as om_control__allows(). Called by a watcher, so searches need not call it. */
void om_control__watch(om_control *c);

/*
 * Returns true if `bytes` more may be allocated. To be called before each large allocation that
 * does not come from the context's heap, which calls it itself. If memory runs out, the control of
 * the tree that has taken most is stopped with OM_STOP_MEMORY, and the others wait, up to some
 * seconds, for the memory that it releases. Returns false if this control was stopped.
 */
bool om_control__allows(om_control *c, uint64_t bytes);
/* Records that all memory allowed to this control has been released (it is not counted block by
 * block). */
void om_control__returned(om_control *c);

/* Returns the peak resident size of this process in bytes; 0 if the system does not report it. */
uint64_t om_resident__peak_bytes(void);

#endif
