/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h: Streett emptiness by several workers: the components that ufscc's search finds are
 * searched again, each without the edges that it must avoid, by whoever is free; see levels.c.
 */
#ifndef OMEN_CHECK_STREETT_LEVELS_H
#define OMEN_CHECK_STREETT_LEVELS_H

#include "../clauses.h"

#include <omen/plugin/check.h>

typedef struct levels levels;

/* What the workers share. *out is the caller's to free, when they have ended; NULL is fine. OM_OK,
 * OM_ENOMEM. */
int levels_new(levels **out, om_task *task, const clauses *c);
void levels_free(levels *l);
/* One worker's share of the whole search: as the work() of a checker. Any number of them, from 0 to
 * one less than om_task_workers(), at any time. */
int levels_work(levels *l, unsigned worker);

#endif
