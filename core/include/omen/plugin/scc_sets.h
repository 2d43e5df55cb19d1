/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scc_sets.h: components that several workers explore together: a union-find over product states
 * whose SCC sets know which workers are in them, what marks they have, and which of their states
 * are still to be explored; Bloemen, Laarman, van de Pol, "Multi-core on-the-fly SCC
 * decomposition", PPoPP 2016, section 3 (worker sets, cyclic lists), with the marks of Renault et
 * al. 2017, section 3, and Bloemen, Duret-Lutz, van de Pol 2019, section 3.2.4.
 *
 * What the workers promise:
 *  - states are united only where they are in one strongly connected component;
 *  - om_scc_sets_done(s) comes when each edge from s leads into its set, with its marks added to
 *    it, or to a dead state.
 *
 * Any thread, any number of them. Workers are numbered 0 .. OM_SCC_SETS_WORKERS - 1.
 */
#ifndef OMEN_SCC_SETS_H
#define OMEN_SCC_SETS_H

#include <omen/plugin/product.h>

enum { OM_SCC_SETS_WORKERS = 44 };

typedef struct om_scc_sets om_scc_sets;

/* One set per state of the product, which must outlive it; marks are those of its automaton. 16
 * bytes a state, 32 where that has more than 16 acceptance sets. */
OM_API int om_scc_sets_new(om_scc_sets **out, om_product *p);
OM_API void om_scc_sets_free(om_scc_sets *c);
OM_API uint64_t om_scc_sets_bytes(const om_scc_sets *c);

/* What a state's set is to a worker. */
typedef enum om_scc_status {
    OM_SCC_NEW,    /* nobody is in it; it is that state alone */
    OM_SCC_OTHERS, /* others are in it, but not this worker */
    OM_SCC_MINE,   /* this worker is in it */
    OM_SCC_DEAD    /* it was explored completely */
} om_scc_status;

/* Statuses of all that follow: OM_OK, OM_ENOMEM, OM_ELIMIT (the product's control was stopped). */

/* The representative is a state of the set; as long as it is the same, so is the set. */
OM_API int om_scc_sets_lookup(
    om_scc_sets *c, unsigned worker, om_id id, om_scc_status *is, om_id *representative);
/* Looks; and then the worker is in it, unless it is dead. */
OM_API int om_scc_sets_claim(om_scc_sets *c, unsigned worker, om_id id, om_scc_status *was);
OM_API int om_scc_sets_same(om_scc_sets *c, om_id a, om_id b, bool *same);
/* One set from two, with the workers and the marks of both and these marks; *total is its marks.
 */
OM_API int om_scc_sets_unite(om_scc_sets *c, om_id a, om_id b, om_marks marks, om_marks *total);
/* Adds marks to a set. */
OM_API int om_scc_sets_add(om_scc_sets *c, om_id id, om_marks marks, om_marks *total);
/* Unites two sets, and a is done: all its edges lead into the set that comes of it, with these
 * marks, or to dead states. Cheaper than one after the other where a is a set of its own. */
OM_API int om_scc_sets_unite_done(
    om_scc_sets *c, om_id a, om_id b, om_marks marks, om_marks *total);
/* The state need not be explored (again); *already: somebody said so before. */
OM_API int om_scc_sets_done(om_scc_sets *c, om_id id, bool *already);
/* A state of the set that is still to be explored; or OM_NO_ID, and then the set is dead. */
OM_API int om_scc_sets_pick(om_scc_sets *c, om_id id, om_id *picked);
/* The same for who has something to do before others see the set dead: where there is no such state
 * it stays as it is, for om_scc_sets_pick() to make dead. It is a whole component then, and *marks
 * are all that it has; *dead: it is dead already. */
OM_API int om_scc_sets_peek(om_scc_sets *c, om_id id, om_id *picked, om_marks *marks, bool *dead);
/* Has the memory fetched that om_scc_sets_lookup() will look at first; call it well before. */
OM_API void om_scc_sets_fetch(const om_scc_sets *c, om_id id);

#endif
