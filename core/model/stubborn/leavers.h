/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leavers.h: which transitions may change a cell where it has some value. A test that the value
 * fails remains false until one of them is taken, so they may stand for its enablers (S3): of a
 * process that is at another location, the steps from there. (The disabling sets of a condition
 * that excludes the false one, in the guard-based paper of sets.h.)
 *
 *  D5  If a cell has a value in a state, each transition that is enabled there and changes the
 *      cell is in leavers(cell, value).
 *
 * Only cells with few values (tests.h) have leavers, and only if no transition writes them with a
 * computed index.
 */
#ifndef OM_MODEL_LEAVERS_H
#define OM_MODEL_LEAVERS_H

#include "depend.h"
#include "tests.h"

/* Lists the leavers: for the answer a to a question q, list first_of[q] + a; OM_NONE: q has none.
 * The caller frees l->first and l->at, in any case. OM_OK, also if there would be too many; then no
 * question has any. OM_ENOMEM. */
int om_leavers__list(const om_depend *d, const om_tests *t, uint32_t *first_of, om_lists *l);

#endif
