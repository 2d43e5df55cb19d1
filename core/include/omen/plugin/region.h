/* SPDX-License-Identifier: Apache-2.0 */
/* region.h: memory that is taken piece by piece and gives back all at once. */
#ifndef OMEN_REGION_H
#define OMEN_REGION_H

#include <omen/plugin/base.h>

typedef struct om_region_chunk om_region_chunk;

/* Zero-initialise with heap set. */
typedef struct om_region {
    const om_heap *heap;
    om_region_chunk *chunks; /* the newest first */
    size_t used, capacity;   /* of the newest */
} om_region;

/* count * size zeroed bytes, aligned for whatever has that size; or NULL. */
OM_API void *om_region_take(om_region *a, size_t count, size_t size);
/* A NUL-terminated copy of n bytes, or NULL. */
OM_API char *om_region_copy(om_region *a, const char *s, size_t n);
/* Gives all of it back but one chunk, which is used anew. */
OM_API void om_region_reset(om_region *a);
OM_API void om_region_free(om_region *a);

#endif
