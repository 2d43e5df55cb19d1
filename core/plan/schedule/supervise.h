/* SPDX-License-Identifier: Apache-2.0 */
/* supervise.h: the supervisor, which enforces the limits of a plan and keeps its figures. */
#ifndef OMEN_PLAN_SUPERVISE_H
#define OMEN_PLAN_SUPERVISE_H

#include "session.h"

/* supervise.c */
int om_plan__supervisor_init(om_plan *p);
void om_plan__supervisor_destroy(om_plan *p);
/* Start and stop the watcher, which enforces the limits. om_plan__begin() starts the limits, the
 * clock and the figures. `sparing`: a part of the memory is reserved for the counterexample. */
int om_plan__begin(om_plan *p, bool sparing);
void om_plan__end(om_plan *p);
/* Called after a search: clears the stop, so that later work has the rest of the time. */
void om_plan__after(om_plan *p);
/* Returns why work under the plan's context ended: the reason of the stop, else the context's
 * message. */
const char *om_plan__why(const om_plan *p);
/* Returns the number of a device's states to verify. */
uint64_t om_plan__verify(const om_plan *p);
/* Returns the seconds since om_plan__begin(). */
double om_plan__seconds(const om_plan *p);
/* Parts, or the product of an exploration, report their figures between show and hide. The hide
 * functions keep the final figures. */
void om_plan__show_parts(om_plan *p, om_part *parts, size_t count);
void om_plan__hide_parts(om_plan *p);
void om_plan__show_product(om_plan *p, om_product *product);
void om_plan__hide_product(om_plan *p);
/* Sets the figures of work on a device. */
void om_plan__show_figures(
    om_plan *p, uint64_t states, uint64_t transitions, const om_levels *levels);

#endif
