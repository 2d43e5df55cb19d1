/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fstates.h: the states that edges to be avoided lead to, from which a search without them is to
 * begin anew: Fstates of Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2.4 and 3.3.2.
 *
 * The paper's cyclic list has a lock for each element, and all workers put states into the same
 * places; beyond 16 of them that was what held them up. Here each worker has a list of its own, to
 * which it alone adds, and takes pieces of it, or of another's when its own is used up, by one
 * compare-and-swap each. Lists are never locked and never moved, and nothing is taken out of them:
 * a state is over when its search is, and everybody sees that by its class, which is dead then.
 * Who finds all states taken goes round the lists, as round the paper's, from a place of his own,
 * to the first state that is not dead, and takes part in the search from there. So no word is
 * written by all workers.
 *
 * Invariants:
 *  S1  A state that somebody has marked as added is in a list: it is put there first. So two
 *      workers may both put it there; but nobody takes for added what cannot be found yet.
 *  S2  What is in a list is added before the state that the edge leaves is done, and thus before
 *      anybody sees that state dead.
 *  S3  Nothing is added by a search from dead states, and a search from a state that is in a list
 *      adds nothing after that state is dead. (By S2, and since it marks what it adds.)
 *
 * Why an empty round means that all is over: let a worker see the lengths of all lists, then all
 * states up to there dead, then the same lengths again. Between the two last steps there was
 * nothing else in the lists and all of it was dead; by S3 nothing has come since.
 *
 * fstates_add() and fstates_pick() are called by each worker for itself, all at the same time. 8
 * bytes for each state that is added (twice that at worst while a list grows, but in address space
 * that is not written), and a bit for each state of the product.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_FSTATES_H
#define OMEN_CHECK_DECOMPOSITION_FSTATES_H

#include <omen/plugin/check.h>

typedef struct fstates fstates;

/* For so many workers. OM_OK or OM_ENOMEM; free: NULL is fine. */
int fstates_new(fstates **out, om_task *task, unsigned workers);
void fstates_free(fstates *f);
uint64_t fstates_bytes(const fstates *f); /* any thread */
/* Steps that another worker made do again: pieces that were gone. No worker is at work in it. */
uint64_t fstates_retries(const fstates *f);

/* A search may begin at this state, unless it is there already. OM_OK, OM_ENOMEM, OM_ELIMIT. */
int fstates_add(fstates *f, unsigned worker, om_id id);

/* Is everything that can be reached from a state explored? OM_OK or a failure. Once it is, it stays
 * so. */
typedef int fstates_dead(void *self, om_id id, bool *dead);
/* A state that is not dead, for its worker to search from until it is; or OM_NO_ID: all are, and
 * nothing will be added any more (provided that all searches that began elsewhere are over, too).
 * OM_OK, or as dead(). */
int fstates_pick(fstates *f, unsigned worker, fstates_dead *dead, void *self, om_id *out);

/* The steps of it, for who has several of them. A state that is not dead, nor taken by anybody yet:
 * of the worker's own list, or (`any`) of any other, too. OM_NO_ID: there is none. The worker
 * searches from it until it is dead before it asks again. */
int fstates_take(fstates *f, unsigned worker, bool any, fstates_dead *dead, void *self, om_id *out);
/* A state that is not dead, whoever has taken it, when all are taken. OM_NO_ID: all that there were
 * when this was called are dead. */
int fstates_live(fstates *f, unsigned worker, fstates_dead *dead, void *self, om_id *out);
/* How many have been added so far; any thread. */
uint64_t fstates_length(const fstates *f);

#endif
