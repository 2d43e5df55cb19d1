/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions for any executor; calls go through its table of functions. Only open.c knows which
 * executors exist.
 */
#include "executor.h"

#include <assert.h>
#include <string.h>

void om_successors_free(om_successors *s)
{
    OM_FREE_ALL(s->heap, s->words, s->transition);
    s->words = NULL;
    s->transition = NULL;
    s->count = s->capacity = 0;
}

/* Doubles the number of rows while they are few, and then adds one piece at a time. Each piece is
 * requested from the heap, so that a state with very many successors reaches a memory limit
 * early. */
#define PIECE ((size_t) 8 << 20)

static size_t grown(size_t capacity, size_t rows, uint32_t words)
{
    const size_t piece = PIECE / (((size_t) words + 1) * sizeof(uint32_t)) + 1;
    size_t now = capacity < 16 ? 16 : capacity <= piece ? 2 * capacity : capacity + piece;
    return now < rows ? rows : now;
}

int om_successors_reserve(om_successors *s, size_t rows, uint32_t words)
{
    if (s->stride < words)
        s->stride = words;
    words = s->stride;
    if (rows <= s->capacity && s->words != NULL)
        return OM_OK;
    const size_t capacity = grown(s->capacity, rows, words);
    if (words != 0 && capacity > SIZE_MAX / sizeof *s->words / words)
        return OM_ENOMEM;
    uint32_t *moved = om_resize(s->heap, s->words, capacity * words, sizeof *moved);
    if (moved == NULL)
        return OM_ENOMEM;
    s->words = moved;
    uint32_t *transition = om_resize(s->heap, s->transition, capacity, sizeof *transition);
    if (transition == NULL)
        return OM_ENOMEM;
    assert(capacity >= rows);
    s->transition = transition;
    s->capacity = capacity;
    return OM_OK;
}

void om_executor__initial(const om_executor *x, uint32_t *vector)
{
    memcpy(vector, om_model_initial(x->model), x->words * sizeof *vector);
}

int om_executor_successors(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    out->count = 0;
    return x->append(x, vector, out);
}

const char *om_executor__who(const om_executor *x)
{
    return x->who != NULL ? x->who(x) : x->name;
}

void om_executor_close(om_executor *x)
{
    if (x != NULL)
        x->close(x);
}
