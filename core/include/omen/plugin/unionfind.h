/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unionfind.h: the shared union-find over product states, with acceptance marks and a dead bit.
 *
 * Lock-free unless locks are requested; any number of workers. Renault et al. 2017, section 3
 * (marks on sets) and section 3.5 (a dead bit in place of uniting with an artificial state).
 */
#ifndef OMEN_UNIONFIND_H
#define OMEN_UNIONFIND_H

#include <omen/plugin/product.h>

typedef struct om_unionfind om_unionfind;

/* Creates one set per state of the product, which must outlive it. Marks are those of the
 * automaton's acceptance sets; any marks if there is no automaton. */
OM_API int om_unionfind_new(om_unionfind **out, om_product *p);

/* How the root of a set is changed (Renault et al. 2017, section 6.3). */
typedef enum om_unionfind_kind {
    OM_UNIONFIND_LOCK_FREE, /* by compare-and-swap; Anderson and Woll 1991 */
    OM_UNIONFIND_FINE_GRAIN /* under its lock, one bit per root; Berman 2010 */
} om_unionfind_kind;
/* Determines which of two roots becomes the parent of the other. */
typedef enum om_unionfind_link {
    OM_LINK_RANDOM, /* by a fixed random order on states */
    OM_LINK_RANK    /* by rank: the root whose tree may be higher */
} om_unionfind_link;
typedef struct om_unionfind_spec {
    size_t size; /* of this struct */
    om_unionfind_kind kind;
    om_unionfind_link link;
} om_unionfind_spec;
/* The same with this implementation; om_unionfind_new() uses the zeroed spec. With locks, uniting
 * and killing may wait for other threads. OM_EINVAL: there is no such kind. */
OM_API int om_unionfind_new_as(om_unionfind **out, om_product *p, const om_unionfind_spec *spec);
OM_API void om_unionfind_free(om_unionfind *u);

/* Every state is a set of its own, without marks, until it is united. The functions below return
 * OM_OK or OM_ENOMEM. */

/* Unites two sets and adds marks; *total is the marks of the result, or 0 if it is dead. */
OM_API int om_unionfind_unite(om_unionfind *u, om_id a, om_id b, om_marks marks, om_marks *total);
OM_API int om_unionfind_same(om_unionfind *u, om_id a, om_id b, bool *same);
/* Makes the set of a dead: all its states, and all states that are united with it later. */
OM_API int om_unionfind_kill(om_unionfind *u, om_id a);
OM_API int om_unionfind_dead(om_unionfind *u, om_id a, bool *dead);
/* Like om_unionfind_dead(), but never writes to the union-find (Renault et al. 2017, section 4.1):
 * it reads only the state and its parent, so it may miss a dead state. */
OM_API int om_unionfind_known_dead(om_unionfind *u, om_id a, bool *dead);
/* Prefetches the data that om_unionfind_dead() reads first; call it well before. */
OM_API void om_unionfind_fetch(const om_unionfind *u, om_id a);
OM_API uint64_t om_unionfind_bytes(const om_unionfind *u);
/* Returns how often an operation was repeated or skipped because of another worker: failed
 * compare-and-swaps, locks held by others, roots that were no longer roots. */
OM_API uint64_t om_unionfind_retries(const om_unionfind *u);

#endif
