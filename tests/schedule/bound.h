/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound.h: how short the time can be at best in which a pool has something to do, for any schedule,
 * made by somebody who knows all jobs in advance. It is the sum over the periods that the
 * simulation had (who is not done with one when the next begins had something to do all the time
 * between), and of each the largest of
 *
 * B1  work by capacity: of threads; of memory (what a job must have, for the least time that it can
 *     take); of each device, by those that name it; of all, by those that must have some;
 * B2  the times of jobs that need more than half of the threads (or of the memory), one after the
 *     other: no two of these run together;
 * B3  the time that some job is at least there: from its submission for the least time it takes;
 * B4  where devices may take work from threads: the time C such that the work, divided between P*C
 *     of threads and D*C of devices (as fast as the fastest) by what saves most, fits. It is the
 *     fractional knapsack of a linear relaxation.
 */
#ifndef OMEN_TESTS_SCHEDULE_BOUND_H
#define OMEN_TESTS_SCHEDULE_BOUND_H

#include "simulate.h"

/* In ms. */
double sim_best(const sim *s);

#endif
