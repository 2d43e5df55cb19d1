/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fstates.h: the targets of edges to be avoided, from which a search without such edges begins
 * again: Fstates of Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2.4 and 3.3.2.
 *
 * The paper's cyclic list has a lock for each element, and all workers put states into the same
 * places; with more than 16 workers, that was the bottleneck. Here each worker has its own list, to
 * which it alone adds. It takes pieces of that list or, when that is used up, of another one, by
 * one compare-and-swap each. Lists are never locked or moved, and no state is removed: a state is
 * finished when its search is, and every worker sees that by its class, which is dead then. A
 * worker that finds all states taken goes round the lists, as round the paper's, from a place of
 * its own, to the first state that is not dead, and joins the search from there. So no word is
 * written by all workers.
 *
 * Invariants:
 *  S1  A state that is marked as added is in a list: it is put there first. So two workers may both
 *      put it there; but no worker takes a state for added that cannot be found yet.
 *  S2  A state in a list is added before the state that the edge leaves is done, and thus before
 *      any worker sees the latter dead.
 *  S3  A search from dead states adds no state, and a search from a state in a list adds none after
 *      that state is dead. (By S2, and because it marks the states that it adds.)
 *
 * Why an empty round means that all searches are over: suppose that a worker sees the lengths of
 * all lists, then that all states up to these lengths are dead, then the same lengths again.
 * Between the last two steps, the lists had no other states and all of these were dead; by S3 none
 * has been added since.
 *
 * Each worker calls fstates_add() and fstates_pick() for itself; all may do so at the same time.
 * Memory: 8 bytes for each state that is added (at worst twice that while a list grows, but as
 * address space that is not written), and a bit for each state of the product.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_FSTATES_H
#define OMEN_CHECK_DECOMPOSITION_FSTATES_H

#include <omen/plugin/check.h>

typedef struct fstates fstates;

/* Creates the lists of `workers` workers. Returns OM_OK or OM_ENOMEM. fstates_free() allows
 * NULL. */
int fstates_new(fstates **out, om_task *task, unsigned workers);
void fstates_free(fstates *f);
uint64_t fstates_bytes(const fstates *f); /* any thread */
/* Returns the number of steps repeated because another worker took the piece. No worker may be
 * active. */
uint64_t fstates_retries(const fstates *f);

/* Adds a state that a search may begin at, unless it is already there. Returns OM_OK, OM_ENOMEM or
 * OM_ELIMIT. */
int fstates_add(fstates *f, unsigned worker, om_id id);

/* Sets *dead if all states that can be reached from a state are explored, which is permanent.
 * Returns OM_OK or an error. */
typedef int fstates_dead(void *self, om_id id, bool *dead);
/* Picks a state that is not dead, for the worker to search from until it is; or OM_NO_ID if all are
 * dead and none will be added (provided that all searches that began elsewhere are over, too).
 * Returns OM_OK, or as dead(). */
int fstates_pick(fstates *f, unsigned worker, fstates_dead *dead, void *self, om_id *out);

/* The first step of fstates_pick(), for callers with several lists of states. Takes a state that is
 * neither dead nor taken, from the worker's own list or, if `any`, from any other, too. OM_NO_ID if
 * there is none. The worker searches from it until it is dead before it calls again. */
int fstates_take(fstates *f, unsigned worker, bool any, fstates_dead *dead, void *self, om_id *out);
/* The second step, when all states are taken: picks a state that is not dead, whichever worker has
 * taken it. OM_NO_ID if all states that had been added when this was called are dead. */
int fstates_live(fstates *f, unsigned worker, fstates_dead *dead, void *self, om_id *out);
/* Returns the number of states added so far; any thread. */
uint64_t fstates_length(const fstates *f);

#endif
