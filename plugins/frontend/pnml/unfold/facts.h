/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h: facts, which are pairs of a place and a colour that the place can come to hold. They
 * are numbered in the order in which they are found.
 *
 * F1  At most half of a table's slots are used: each search ends at an empty one.
 * F2  The numbers in a list of an index descend: each fact is in it once.
 */
#ifndef PNML_FACTS_H
#define PNML_FACTS_H

#include "symmetric/multiset.h"

typedef struct pnml_fact {
    uint64_t colour;
    uint32_t place; /* index into om_net.place_nodes */
    uint32_t rank;  /* number among the facts of its place */
    om_value initial;
    uint32_t extra; /* for a wanted fact: first entry that waits for it (unfold.c) */
} pnml_fact;

/* Zero-initialise with heap set. */
typedef struct pnml_facts {
    const om_heap *heap;
    pnml_fact *facts;
    size_t count, room;
    /* fact numbers plus 1, by hash; open addressing, `capacity` is a power of two */
    uint32_t *slots;
    size_t capacity;
} pnml_facts;

/* Returns the number of that fact, or OM_NONE. */
uint32_t pnml_facts_find(const pnml_facts *f, uint32_t place, uint64_t colour);
/* Returns the number of that fact, which is added if necessary. OM_NONE if memory runs out. */
uint32_t pnml_facts_add(pnml_facts *f, uint32_t place, uint64_t colour);
/* Sorts the facts in ascending order of place and colour, which changes their numbers. */
void pnml_facts_sort(pnml_facts *f);
void pnml_facts_free(pnml_facts *f);

/* A component of a place's colours, with the value colour / stride % size. */
typedef struct pnml_digit {
    uint64_t stride, size;
} pnml_digit;

/* The facts of a place in lists by some of their components, the latest fact first. */
typedef struct pnml_index {
    uint32_t place, digit_count;
    const pnml_digit *digits;
    uint32_t *slots; /* list heads plus 1, by hash of the key */
    size_t capacity, used;
    uint32_t *next; /* by rank: the next fact of the list, or OM_NONE */
    size_t room;
} pnml_index;

/* Adds a fact by its number; facts are added in the order of their ranks. Returns false if memory
 * runs out. */
bool pnml_index_add(pnml_index *x, const pnml_facts *f, uint32_t fact);
/* Returns the first fact with the same components as that colour, or OM_NONE. */
uint32_t pnml_index_first(const pnml_index *x, const pnml_facts *f, uint64_t colour);
void pnml_index_free(pnml_index *x, const om_heap *heap);

#endif
