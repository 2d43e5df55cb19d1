/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unionfind.h: the shared union-find over product states, with acceptance marks and a dead bit.
 *
 * Lock-free, but where locks are asked for; any number of workers. Renault et al. 2017, section 3
 * (marks on sets) and section 3.5 (a dead bit in place of uniting with an artificial state).
 */
#ifndef OMEN_UNIONFIND_H
#define OMEN_UNIONFIND_H

#include <omen/plugin/product.h>

typedef struct om_unionfind om_unionfind;

/* One set per state of the product, which must outlive it. Marks are those of its automaton's
 * acceptance sets; any, where it has no automaton. */
OM_API int om_unionfind_new(om_unionfind **out, om_product *p);

/* Who changes the root of a set (Renault et al. 2017, section 6.3). */
typedef enum om_unionfind_kind {
    OM_UNIONFIND_LOCK_FREE, /* whoever's compare-and-swap succeeds; Anderson and Woll 1991 */
    OM_UNIONFIND_FINE_GRAIN /* who has its lock, one bit for each root; Berman 2010 */
} om_unionfind_kind;
/* Which of two roots becomes the other's parent. */
typedef enum om_unionfind_link {
    OM_LINK_RANDOM, /* by a fixed random order on states */
    OM_LINK_RANK    /* by rank: the one whose tree may be higher */
} om_unionfind_link;
typedef struct om_unionfind_spec {
    size_t size; /* of this struct */
    om_unionfind_kind kind;
    om_unionfind_link link;
} om_unionfind_spec;
/* The same as this says; om_unionfind_new() is all zero. With locks, uniting and killing may wait
 * for others. OM_EINVAL: there is no such kind. */
OM_API int om_unionfind_new_as(om_unionfind **out, om_product *p, const om_unionfind_spec *spec);
OM_API void om_unionfind_free(om_unionfind *u);

/* Every state is a set of its own, with no marks, until united. OM_OK or OM_ENOMEM. */

/* Unites two sets and adds marks; *total is the marks of the result, or 0 if it is dead. */
OM_API int om_unionfind_unite(om_unionfind *u, om_id a, om_id b, om_marks marks, om_marks *total);
OM_API int om_unionfind_same(om_unionfind *u, om_id a, om_id b, bool *same);
/* Marks the set of a as dead: all its states, and all that are united with it later. */
OM_API int om_unionfind_kill(om_unionfind *u, om_id a);
OM_API int om_unionfind_dead(om_unionfind *u, om_id a, bool *dead);
/* The same for who shall not write to it (Renault et al. 2017, section 4.1): it looks at the state
 * and at its parent alone, so it may say no where om_unionfind_dead() would say yes. */
OM_API int om_unionfind_known_dead(om_unionfind *u, om_id a, bool *dead);
/* Has the memory fetched that om_unionfind_dead() will look at first; call it well before. */
OM_API void om_unionfind_fetch(const om_unionfind *u, om_id a);
OM_API uint64_t om_unionfind_bytes(const om_unionfind *u);
/* How often something was done again, or not at all, because of another worker: compare-and-swaps
 * that failed, locks that were taken, roots that were no roots any more. */
OM_API uint64_t om_unionfind_retries(const om_unionfind *u);

#endif
