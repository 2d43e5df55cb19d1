/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitstate.h: depth-first searches with bit-state hashing, with one worker, for sd and and.
 *
 * Only the states on the stacks of the search are stored. For every other state, three bits of an
 * array, at places that are hashed from the state, record that it was met, and three more that it
 * is red (G. J. Holzmann, An analysis of bitstate hashing, FMSD 1998). So a new state may be
 * mistaken for one that was met, and the states reachable only through it are left out: if nothing
 * is found, that proves nothing. The states on the path of the blue search are known exactly, so a
 * cycle that is found is real.
 */
#ifndef OMEN_CHECK_BITSTATE_H
#define OMEN_CHECK_BITSTATE_H

#include <omen/plugin/check.h>

/* The option: log2 of the number of bits; 0: states are stored */
#define BITSTATE_OPTION                                                           \
    {                                                                             \
        "bitstate", 0, 0, BITSTATE_MOST,                                          \
            "hash states into 2^N bits instead of storing them (0: store them); " \
            "finding nothing is then no proof"                                    \
    }
enum { BITSTATE_LEAST = 10, BITSTATE_MOST = 40 };

/* Checks the value of the option; for create(). Returns OM_OK or OM_EUSAGE. */
int bitstate_vet(om_task *task, int64_t log2_bits);
/*
 * Searches the task's product: as sd does if `weak`, otherwise as and does, with `accepting` by
 * automaton state as in nested.h. Reports evidence, faults, counts and the outcome to the task.
 * Returns OM_OK, OM_ESTOP, OM_ENOMEM or OM_ELIMIT, as work() does.
 */
int bitstate_work(om_task *task, unsigned log2_bits, bool weak, const bool *accepting);

#endif
