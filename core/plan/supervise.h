/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise.h: the supervisor, which enforces the limits of a plan's work and keeps its figures.
 */
#ifndef OMEN_PLAN_SUPERVISE_H
#define OMEN_PLAN_SUPERVISE_H

#include "plan.h"

int om_plan__supervisor_init(om_plan *p);
void om_plan__supervisor_destroy(om_plan *p);
/* Starts a piece of work with the limits of its options: clock, figures, and the watcher. Discards
 * what was kept about the last one. `sparing`: a part of the memory is reserved for the
 * counterexample. */
int om_plan__begin(om_plan *p, const om_plan_options *options, bool sparing);
void om_plan__end(om_plan *p);
/* Called after a search: clears the stop, so that later work has the rest of the time. */
void om_plan__after(om_plan *p);
/* Returns why work under the plan's context ended: the reason of the stop, else the context's
 * message. */
const char *om_plan__why(const om_plan *p);
/* Returns the number of a device's states to verify. */
uint64_t om_plan__verify(const om_plan_options *o);
/* Returns the seconds since om_plan__begin(). */
double om_plan__seconds(const om_plan *p);
/* Work, or the product of an exploration, reports its figures between show and hide, which keeps
 * the final figures. */
void om_plan__show(om_plan *p, om_watched work);
void om_plan__show_product(om_plan *p, om_product *product);
void om_plan__hide(om_plan *p);
/* Set the figures of work on a device; set them to 0 before work is repeated. */
void om_plan__show_figures(
    om_plan *p, uint64_t states, uint64_t transitions, const om_levels *levels);
void om_plan__clear_figures(om_plan *p);

#endif
