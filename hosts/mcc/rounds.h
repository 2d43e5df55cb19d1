/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds.h: the time of an examination, divided among its questions.
 *
 * Each open question gets a turn in each round, the smallest problem first. The turns of a round
 * have the same time slice, and the slices grow from round to round by a constant factor. A turn
 * may begin its work anew: because slices grow geometrically, this costs a constant factor. So
 * small problems are decided before large ones use the time, and time that a question leaves unused
 * goes to the others.
 *
 *  R1  A turn with weight 0 is decided and gets no more time.
 */
#ifndef OMEN_MCC_ROUNDS_H
#define OMEN_MCC_ROUNDS_H

#include "mcc.h"

/* Questions that are worked on together */
typedef struct mcc_turn {
    void *self;
    size_t size;   /* of the problem; the smaller come first */
    size_t weight; /* the number of open questions: the slice is that many times as long */
    bool spent;    /* more time cannot help */
} mcc_turn;

/* Works on the turn for about this time, and updates its weight and `spent`. */
typedef int mcc_take_turn(mcc *m, mcc_turn *t, uint64_t ns);

/* Gives turns until none is left that is neither decided nor spent, or no time is left. `nodes`:
 * size of the net; the first slices are longer for large nets. The first failure ends the rounds.
 * OM_OK, or the status of take(). */
int mcc_rounds(mcc *m, mcc_turn *turns, size_t count, size_t nodes, mcc_take_turn *take);

#endif
