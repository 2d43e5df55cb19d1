/* SPDX-License-Identifier: Apache-2.0 */
/* region.h: memory that is allocated in pieces and released all at once. */
#ifndef OMEN_REGION_H
#define OMEN_REGION_H

#include <omen/plugin/base.h>

typedef struct om_region_chunk om_region_chunk;

/* Initialise to zero with heap set. */
typedef struct om_region {
    const om_heap *heap;
    om_region_chunk *chunks; /* newest first */
    size_t used, capacity;   /* of the newest chunk */
} om_region;

/* Returns count * size zeroed bytes, aligned for any object of that size; or NULL. */
OM_API void *om_region_take(om_region *a, size_t count, size_t size);
/* Returns a NUL-terminated copy of n bytes, or NULL. */
OM_API char *om_region_copy(om_region *a, const char *s, size_t n);
/* Releases everything except one chunk, which is reused. */
OM_API void om_region_reset(om_region *a);
OM_API void om_region_free(om_region *a);

#endif
