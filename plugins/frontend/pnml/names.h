/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: numbers for names, from 0 on in the order in which they come. */
#ifndef PNML_NAMES_H
#define PNML_NAMES_H

#include <omen/plugin/region.h>

/* Zero-initialise with heap set; the names live in the region that pnml_names_add() is given. */
typedef struct pnml_names {
    const om_heap *heap;
    const char **names; /* by number */
    size_t count, room;
    uint32_t *index; /* numbers plus 1, by hash; open addressing, `capacity` is a power of two */
    size_t capacity;
} pnml_names;

/* The number of that name, or OM_NONE. */
uint32_t pnml_names_find(const pnml_names *n, const char *name);
/* The number of the name that the first bytes of the text are, so many of them; or OM_NONE. */
uint32_t pnml_names_find_n(const pnml_names *n, const char *text, size_t length);
/* The same, which is a new one where there was none. OM_NONE: no memory, or 2^32 - 2 names. */
uint32_t pnml_names_add(pnml_names *n, om_region *a, const char *name);
void pnml_names_free(pnml_names *n);

#endif
