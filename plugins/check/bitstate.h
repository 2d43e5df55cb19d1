/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitstate.h: depth-first searches with bit-state hashing, of one worker: for sd and and.
 *
 * No state is stored but those on the stacks of the search. Of all others three bits of an array,
 * at places that are hashed from the state, say that they were met; three more that they are red
 * (G. J. Holzmann, An analysis of bitstate hashing, FMSD 1998). So a state may be taken for one
 * that was met, and what is behind it left out: that nothing was found proves nothing. What is on
 * the path of the blue search is known exactly, so a cycle that is found is one.
 */
#ifndef OMEN_CHECK_BITSTATE_H
#define OMEN_CHECK_BITSTATE_H

#include <omen/plugin/check.h>

/* The option: log2 of the bits; 0: states are stored. */
#define BITSTATE_OPTION                                                           \
    {                                                                             \
        "bitstate", 0, 0, BITSTATE_MOST,                                          \
            "hash states into 2^N bits instead of storing them (0: store them); " \
            "nothing found is then no proof"                                      \
    }
enum { BITSTATE_LEAST = 10, BITSTATE_MOST = 40 };

/* Can the option be so? OM_OK, or OM_EUSAGE. For create(). */
int bitstate_vet(om_task *task, int64_t log2_bits);
/*
 * Searches the task's product: as sd where it is weak, else as and (`accepting`, by automaton
 * state, as nested.h has it). Evidence, faults, figures and what came of it are told to the task.
 * OM_OK, OM_ESTOP, OM_ENOMEM, OM_ELIMIT, as work() returns them.
 */
int bitstate_work(om_task *task, unsigned log2_bits, bool weak, const bool *accepting);

#endif
