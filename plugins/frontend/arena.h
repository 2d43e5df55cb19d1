/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h: memory that a front end takes piece by piece and gives back all at once. */
#ifndef FRONTEND_ARENA_H
#define FRONTEND_ARENA_H

#include <omen/plugin/base.h>

typedef struct arena_chunk arena_chunk;

/* Zero-initialise with heap set. */
typedef struct arena {
    const om_heap *heap;
    arena_chunk *chunks;   /* the newest first */
    size_t used, capacity; /* of the newest */
} arena;

/* count * size zeroed bytes, or NULL. */
void *arena_take(arena *a, size_t count, size_t size);
/* A NUL-terminated copy of n bytes, or NULL. */
char *arena_copy(arena *a, const char *s, size_t n);
/* Gives all of it back but one chunk, which is used anew. */
void arena_reset(arena *a);
void arena_free(arena *a);

#endif
