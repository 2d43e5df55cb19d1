/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h: Streett emptiness by several workers: the components found by ufscc's search are
 * searched again, each without the edges that it must avoid, by any free worker; see levels.c.
 */
#ifndef OMEN_CHECK_STREETT_LEVELS_H
#define OMEN_CHECK_STREETT_LEVELS_H

#include "clauses.h"

#include <omen/plugin/check.h>

typedef struct levels levels;

/* Creates the data that the workers share. The caller frees *out after they have ended;
 * levels_free() allows NULL. Returns OM_OK or OM_ENOMEM. */
int levels_new(levels **out, om_task *task, const clauses *c);
void levels_free(levels *l);
/* Runs one worker, from 0 to one less than om_task_workers(), as the work() of a checker. Any
 * number of workers may run, and may begin at any time. */
int levels_work(levels *l, unsigned worker);

#endif
