/* SPDX-License-Identifier: Apache-2.0 */
/* vector_stack.h: a stack of state vectors, each with a byte for the caller. Not thread-safe. */
#ifndef OMEN_CHECK_VECTOR_STACK_H
#define OMEN_CHECK_VECTOR_STACK_H

#include <omen/plugin/base.h>

#include <assert.h>
#include <string.h>

/* An empty stack is all zero except for `words`. */
typedef struct vector_stack {
    uint32_t *rows;
    unsigned char *flags; /* reserved for the caller */
    size_t count, most;   /* current number of vectors; its maximum so far */
    size_t rows_room, flags_room;
    uint32_t words; /* per vector */
} vector_stack;

/* Returns the vector at `place`; valid until the next push. */
static inline uint32_t *vector_stack_at(const vector_stack *k, size_t place)
{
    assert(place <= k->count);
    return k->rows + place * k->words;
}

/* Pushes a copy of `vector`, which must not point into this stack. Returns false if memory runs
 * out. */
static inline bool vector_stack_push(
    vector_stack *k, const om_heap *heap, const uint32_t *vector, unsigned char flags)
{
    size_t bytes = k->words * sizeof *k->rows;
    unsigned char *f = om_grow(heap, k->flags, &k->flags_room, k->count + 1, 1);
    k->flags = f == NULL ? k->flags : f;
    uint32_t *rows = om_grow(heap, k->rows, &k->rows_room, k->count + 1, bytes);
    k->rows = rows == NULL ? k->rows : rows;
    if (f == NULL || rows == NULL)
        return false;
    memcpy(vector_stack_at(k, k->count), vector, bytes);
    k->flags[k->count++] = flags;
    k->most = k->count > k->most ? k->count : k->most;
    return true;
}

static inline uint64_t vector_stack_bytes(const vector_stack *k)
{
    return k->rows_room * k->words * sizeof *k->rows + k->flags_room;
}

static inline void vector_stack_free(vector_stack *k, const om_heap *heap)
{
    OM_FREE_ALL(heap, k->rows, k->flags);
    *k = (vector_stack){ .words = k->words };
}

#endif
