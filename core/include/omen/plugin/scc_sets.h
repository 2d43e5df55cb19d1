/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scc_sets.h: components that several workers explore together. A union-find over product states
 * whose sets (partial SCCs) record the workers in them, their marks, and their states that remain
 * to be explored; Bloemen, Laarman, van de Pol, "Multi-core on-the-fly SCC decomposition", PPoPP
 * 2016, section 3 (worker sets, cyclic lists), with the marks of Renault et al. 2017, section 3,
 * and Bloemen, Duret-Lutz, van de Pol 2019, section 3.2.4.
 *
 * Preconditions that the workers guarantee:
 *  - states are united only if they are in one strongly connected component;
 *  - om_scc_sets_done(s) is called only when each edge from s leads into its set, with its marks
 *    added to the set, or to a dead state.
 *
 * Any number of threads. Workers are numbered 0 .. OM_SCC_SETS_WORKERS - 1.
 */
#ifndef OMEN_SCC_SETS_H
#define OMEN_SCC_SETS_H

#include <omen/plugin/product.h>

enum { OM_SCC_SETS_WORKERS = 44 };

typedef struct om_scc_sets om_scc_sets;

/* Creates one set per state of the product, which must outlive it; marks are those of its
 * automaton. 16 bytes per state, 32 if the automaton has more than 16 acceptance sets. */
OM_API int om_scc_sets_new(om_scc_sets **out, om_product *p);
OM_API void om_scc_sets_free(om_scc_sets *c);
OM_API uint64_t om_scc_sets_bytes(const om_scc_sets *c);

/* The status of a state's set for a worker. */
typedef enum om_scc_status {
    OM_SCC_NEW,    /* no worker is in it; it contains only this state */
    OM_SCC_OTHERS, /* other workers are in it, but not this one */
    OM_SCC_MINE,   /* this worker is in it */
    OM_SCC_DEAD    /* completely explored */
} om_scc_status;

/* Status of all functions below: OM_OK, OM_ENOMEM, OM_ELIMIT (the product's control was
 * stopped). */

/* Finds the set of a state. The representative is a state of the set; the set is unchanged as long
 * as the representative is the same. */
OM_API int om_scc_sets_lookup(
    om_scc_sets *c, unsigned worker, om_id id, om_scc_status *is, om_id *representative);
/* Like om_scc_sets_lookup(); then adds the worker to the set unless the set is dead. */
OM_API int om_scc_sets_claim(om_scc_sets *c, unsigned worker, om_id id, om_scc_status *was);
OM_API int om_scc_sets_same(om_scc_sets *c, om_id a, om_id b, bool *same);
/* Unites two sets; the result has the workers and the marks of both, and also `marks`. *total is
 * its marks. */
OM_API int om_scc_sets_unite(om_scc_sets *c, om_id a, om_id b, om_marks marks, om_marks *total);
/* Adds marks to a set. */
OM_API int om_scc_sets_add(om_scc_sets *c, om_id id, om_marks marks, om_marks *total);
/* Unites two sets and marks a as done: all edges of a lead into the united set, with these marks,
 * or to dead states. Cheaper than two calls if a is a set of its own. */
OM_API int om_scc_sets_unite_done(
    om_scc_sets *c, om_id a, om_id b, om_marks marks, om_marks *total);
/* Records that the state need not be explored (again). *already is true if that was recorded
 * before. */
OM_API int om_scc_sets_done(om_scc_sets *c, om_id id, bool *already);
/* Returns a state of the set that remains to be explored; or OM_NO_ID, and then the set is dead. */
OM_API int om_scc_sets_pick(om_scc_sets *c, om_id id, om_id *picked);
/* The same for a caller that has work to do before other workers see the set as dead: if no such
 * state remains, the set stays alive until om_scc_sets_pick() makes it dead. The set is then a
 * complete component and *marks are all of its marks; *dead is true if the set is already dead. */
OM_API int om_scc_sets_peek(om_scc_sets *c, om_id id, om_id *picked, om_marks *marks, bool *dead);
/* Prefetches the data that om_scc_sets_lookup() reads first; call it well before. */
OM_API void om_scc_sets_fetch(const om_scc_sets *c, om_id id);

#endif
