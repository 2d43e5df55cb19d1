/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h: a hash table from names to objects. A name may have several entries, of which the last
 * one put is found first; `within` distinguishes equal names of different scopes.
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

/* Zero-initialise, except for `region`, which provides all memory and must outlive the table. */
typedef struct pml_index {
    om_region *region;
    pml_entry **buckets;
    size_t size, count;
    pml_entry *spare; /* entries for reuse */
} pml_index;

/* Adds an entry; text is borrowed. Returns false if memory runs out. */
bool pml_index_put(pml_index *n, const char *text, size_t length, const void *within, void *what);
/* Returns the object last put under the name, or NULL. */
void *pml_index_get(const pml_index *n, const char *text, size_t length, const void *within);
/* Removes the entry last put under the name, if there is one. */
void pml_index_drop(pml_index *n, const char *text, size_t length, const void *within);

#endif
