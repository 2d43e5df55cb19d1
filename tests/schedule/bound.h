/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound.h: a lower bound on the time for which a pool is busy, for any schedule, even one made
 * with knowledge of all jobs in advance. It is the sum over the busy periods of the simulation (a
 * schedule that has not finished the jobs of one period when the next begins was busy in between).
 * For each period it is the largest of
 *
 * B1  work by capacity: of threads; of memory (the memory that a job must have, for the least time
 *     that it can take); of each device, for jobs that name it; of all devices, for jobs that must
 *     have some;
 * B2  the times of jobs that need more than half of the threads (or of the memory), one after the
 *     other: no two of these run together;
 * B3  the time for which some job is present at least: from its submission for the least time it
 *     takes;
 * B4  if devices may take work from threads: the time C such that the work, divided between P*C
 *     of threads and D*C of devices (as fast as the fastest) by largest savings, fits. It is the
 *     fractional knapsack of a linear relaxation.
 */
#ifndef OMEN_TESTS_SCHEDULE_BOUND_H
#define OMEN_TESTS_SCHEDULE_BOUND_H

#include "simulate.h"

/* Returns the lower bound in ms. */
double sim_best(const sim *s);

#endif
