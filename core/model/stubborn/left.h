/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.h: slots that no transition reads any more, because their process has ended.
 *
 *  L1  A slot of a process is *private* if each transition or assertion that reads it tests the
 *      location of the process; or the conjunction in which it is read does.
 *  L2  A process *ends* in a location if no transition that is alive tests for it, each one that
 *      moves the process and is alive tests for another one, and no guard or conjunction reads
 *      there a private slot of which a value was skipped. So it stays there, and its private slots
 *      do not matter: their values are skipped. (A guard decides whether its transition is alive;
 *      the effects of one that is not alive do not matter.)
 */
#ifndef OM_MODEL_LEFT_H
#define OM_MODEL_LEFT_H

#include "analysis/moves.h"

/* A slot that is read where its process is at a place */
typedef struct om_left_read {
    uint32_t place, slot;
} om_left_read;

typedef struct om_left {
    const om_model *m;
    om_moves moves;
    uint32_t *first;      /* by transition: its first item in `of`; one entry more at the end */
    uint32_t *of;         /* numbers of moves, grouped by transition */
    uint32_t *process_of; /* by move */
    bool *is_private;     /* by slot: L1 */
    uint32_t *base;       /* by process: the place of its location 0 */
    om_left_read *reads;  /* in guards and conjunctions, of private slots */
    size_t read_count, read_room;
    bool *skipped;       /* by slot: L2 */
    bool *tested, *open; /* by place, and by process: L2 */
} om_left;

/* Finds private slots. OM_OK, OM_ENOMEM, or the status of a stopped context. Call om_left__close()
 * in any case. */
int om_left__open(om_left *l, const om_model *m);
void om_left__close(om_left *l);
/* Looks again at the transitions that are alive. */
void om_left__update(om_left *l, const bool *dead);
/* Returns true if a slot that a transition assigns is not read after its step. */
bool om_left__ends(const om_left *l, uint32_t transition, uint32_t slot);
/* Notes that a value of a slot was skipped which it does not have otherwise. Returns true if none
 * was before: then look again. */
bool om_left__skip(om_left *l, uint32_t slot);

#endif
