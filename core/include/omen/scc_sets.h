/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scc_sets.h: components that several workers explore together: a union-find over product states
 * whose classes know which workers are in them, what marks they have, and which of their states are
 * still to be explored; Bloemen, Laarman, van de Pol, "Multi-core on-the-fly SCC decomposition",
 * PPoPP 2016, section 3 (worker sets, cyclic lists), with the marks of Renault et al. 2017,
 * section 3, and Bloemen, Duret-Lutz, van de Pol 2019, section 3.2.4.
 *
 * What the workers promise:
 *  - states are united only where they are in one strongly connected component;
 *  - om_classes_done(s) comes when each edge from s leads into its class, with its marks added to
 *    it, or to a dead state.
 *
 * Any thread, any number of them. Workers are numbered 0 .. OM_CLASSES_WORKERS - 1.
 */
#ifndef OMEN_SCC_SETS_H
#define OMEN_SCC_SETS_H

#include <omen/product.h>

enum { OM_CLASSES_WORKERS = 44 };

typedef struct om_classes om_classes;

/* One class per state of the product, which must outlive it; marks are those of its automaton. 16
 * bytes a state, 32 where that has more than 16 sets. */
OM_API int om_classes_new(om_classes **out, om_product *p);
OM_API void om_classes_free(om_classes *c);
OM_API uint64_t om_classes_bytes(const om_classes *c);

/* What a state's class is to a worker. */
typedef enum om_class_is {
    OM_CLASS_NEW,    /* nobody is in it; it is that state alone */
    OM_CLASS_OTHERS, /* others are in it, but not this worker */
    OM_CLASS_MINE,   /* this worker is in it */
    OM_CLASS_DEAD    /* it was explored completely */
} om_class_is;

/* Statuses of all that follow: OM_OK, OM_ENOMEM, OM_ELIMIT (the product's control was stopped). */

/* The representative is a state of the class; as long as it is the same, so is the class. */
OM_API int om_classes_look(
    om_classes *c, unsigned worker, om_id id, om_class_is *is, om_id *representative);
/* Looks; and then the worker is in it, unless it is dead. */
OM_API int om_classes_claim(om_classes *c, unsigned worker, om_id id, om_class_is *was);
OM_API int om_classes_same(om_classes *c, om_id a, om_id b, bool *same);
/* One class from two, with the workers and the marks of both and these marks; *total is its marks.
 */
OM_API int om_classes_unite(om_classes *c, om_id a, om_id b, om_marks marks, om_marks *total);
/* Adds marks to a class. */
OM_API int om_classes_add(om_classes *c, om_id id, om_marks marks, om_marks *total);
/* Unites two classes, and a is done: all its edges lead into the class that comes of it, with these
 * marks, or to dead states. Cheaper than one after the other where a is a class of its own. */
OM_API int om_classes_unite_done(om_classes *c, om_id a, om_id b, om_marks marks, om_marks *total);
/* The state need not be explored (again); *already: somebody said so before. */
OM_API int om_classes_done(om_classes *c, om_id id, bool *already);
/* A state of the class that is still to be explored; or OM_NO_ID, and then the class is dead. */
OM_API int om_classes_pick(om_classes *c, om_id id, om_id *picked);
/* Has the memory fetched that om_classes_look() will look at first; call it well before. */
OM_API void om_classes_fetch(const om_classes *c, om_id id);

#endif
