/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h: numbers names from 0 on, in the order in which they are added.
 *
 * N1  At most half of the buckets are used: each search ends at an empty one.
 */
#ifndef PNML_NAMES_H
#define PNML_NAMES_H

#include <omen/plugin/region.h>

/* Zero-initialise with heap set. The names live in the region passed to pnml_names_add(). */
typedef struct pnml_names {
    const om_heap *heap;
    const char **names; /* by number */
    size_t count, room;
    uint32_t *index; /* numbers plus 1, by hash; open addressing, `capacity` is a power of two */
    size_t capacity;
} pnml_names;

/* Returns the number of that name, or OM_NONE. */
uint32_t pnml_names_find(const pnml_names *n, const char *name);
/* Returns the number of the name given by the first `length` bytes of the text, or OM_NONE. */
uint32_t pnml_names_find_n(const pnml_names *n, const char *text, size_t length);
/* Returns the number of that name, which is added if necessary. OM_NONE if memory runs out, or
 * with 2^32 - 2 names. */
uint32_t pnml_names_add(pnml_names *n, om_region *a, const char *name);
void pnml_names_free(pnml_names *n);

#endif
