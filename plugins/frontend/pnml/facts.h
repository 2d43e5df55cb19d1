/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h: which colours can come to be in which places. A fact is one of these pairs; facts are
 * numbered as they are found.
 */
#ifndef PNML_FACTS_H
#define PNML_FACTS_H

#include "multiset.h"

typedef struct pnml_fact {
    uint64_t colour;
    uint32_t place; /* in om_net.place_nodes */
    uint32_t rank;  /* among those of its place */
    om_value initial;
    uint32_t extra; /* of what is waited for: who does (see unfold.c) */
} pnml_fact;

/* Zero-initialise with heap set. */
typedef struct pnml_facts {
    const om_heap *heap;
    pnml_fact *facts;
    size_t count, room;
    uint32_t *slots; /* numbers plus 1, by hash; open addressing, `capacity` is a power of two */
    size_t capacity;
} pnml_facts;

/* The number of that fact, or OM_NONE. */
uint32_t pnml_facts_find(const pnml_facts *f, uint32_t place, uint64_t colour);
/* The same, which is a new one where there was none. OM_NONE: no memory. */
uint32_t pnml_facts_add(pnml_facts *f, uint32_t place, uint64_t colour);
/* In ascending order of place and colour from now on: numbers change. */
void pnml_facts_sort(pnml_facts *f);
void pnml_facts_free(pnml_facts *f);

/* Some components of a place's colours: value is colour / stride % size. */
typedef struct pnml_digit {
    uint64_t stride, size;
} pnml_digit;

/* The facts of a place, in lists by some of their components. The latest comes first. */
typedef struct pnml_index {
    uint32_t place, digit_count;
    const pnml_digit *digits;
    uint32_t *slots; /* the head of a list plus 1, by hash of the key */
    size_t capacity, used;
    uint32_t *next; /* by rank: the fact behind it, or OM_NONE */
    size_t room;
} pnml_index;

/* Facts go in by number, in the order of their ranks. false: no memory. */
bool pnml_index_add(pnml_index *x, const pnml_facts *f, uint32_t fact);
/* The first fact whose components are those of that colour, or OM_NONE. */
uint32_t pnml_index_first(const pnml_index *x, const pnml_facts *f, uint64_t colour);
void pnml_index_free(pnml_index *x, const om_heap *heap);

#endif
