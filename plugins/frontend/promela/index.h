/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h: what a name means: a hash table from names to things. A name may mean several things, of
 * which the one that was put last comes first; and `within` tells names of different places apart.
 */
#ifndef PROMELA_INDEX_H
#define PROMELA_INDEX_H

#include <omen/plugin/base.h>
#include <omen/plugin/region.h>

typedef struct pml_entry pml_entry;
struct pml_entry {
    const char *text; /* borrowed */
    size_t length;
    const void *within;
    void *what;
    pml_entry *next;
};

/* Zero-initialise with `region` set, which has all memory and outlives it. */
typedef struct pml_index {
    om_region *region;
    pml_entry **buckets;
    size_t size, count;
    pml_entry *spare; /* taken out, to be used again */
} pml_index;

/* False when memory is out. */
bool pml_index_put(pml_index *n, const char *text, size_t length, const void *within, void *what);
/* What was put last under the name, or NULL. */
void *pml_index_get(const pml_index *n, const char *text, size_t length, const void *within);
/* Takes out what was put last under the name, if there is any. */
void pml_index_drop(pml_index *n, const char *text, size_t length, const void *within);

#endif
