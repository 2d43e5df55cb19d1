/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be done with any executor, whatever it is: calls go through its table of functions.
 * Which there are, open.c knows alone.
 */
#include "executor.h"

#include <string.h>

void om_successors_free(om_successors *s)
{
    om_free(s->heap, s->words);
    om_free(s->heap, s->transition);
    s->words = NULL;
    s->transition = NULL;
    s->count = s->capacity = 0;
}

int om_successors_reserve(om_successors *s, size_t rows, uint32_t words)
{
    if (s->stride < words)
        s->stride = words;
    words = s->stride;
    if (rows <= s->capacity && s->words != NULL)
        return OM_OK;
    size_t capacity = s->capacity < 16 ? 16 : s->capacity;
    while (capacity < rows) {
        if (capacity > SIZE_MAX / 2)
            return OM_ENOMEM;
        capacity *= 2;
    }
    if (words != 0 && capacity > SIZE_MAX / sizeof *s->words / words)
        return OM_ENOMEM;
    uint32_t *moved = om_resize(s->heap, s->words, capacity * words, sizeof *moved);
    if (moved == NULL)
        return OM_ENOMEM;
    s->words = moved;
    uint32_t *transition = om_resize(s->heap, s->transition, capacity, sizeof *transition);
    if (transition == NULL)
        return OM_ENOMEM;
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
