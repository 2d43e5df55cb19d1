/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's heap, and the functions for any heap; sizes that overflow are refused. */
#include <omen/plugin/base.h>

#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *self, void *p, size_t bytes)
{
    (void) self;
    if (bytes == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, bytes);
}

const om_heap *om_heap_default(void)
{
    static const om_heap heap = { libc_resize, NULL };
    return &heap;
}

/* Returns count * size, at least 1; 0 if it overflows. */
static size_t bytes_of(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return 0;
    return count * size == 0 ? 1 : count * size;
}

void *om_alloc(const om_heap *heap, size_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    void *p = bytes == 0 ? NULL : heap->resize(heap->self, NULL, bytes);
    if (p != NULL)
        memset(p, 0, bytes);
    return p;
}

void *om_resize(const om_heap *heap, void *p, size_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    return bytes == 0 ? NULL : heap->resize(heap->self, p, bytes);
}

void om_free(const om_heap *heap, void *p)
{
    if (p != NULL)
        (void) heap->resize(heap->self, p, 0);
}

char *om_strndup(const om_heap *heap, const char *s, size_t n)
{
    char *copy = n == SIZE_MAX ? NULL : om_resize(heap, NULL, n + 1, 1);
    if (copy != NULL) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

char *om_strdup(const om_heap *heap, const char *s)
{
    return om_strndup(heap, s, strlen(s));
}

void *om_grow(const om_heap *heap, void *p, size_t *capacity, size_t need, size_t size)
{
    if (p != NULL && need <= *capacity)
        return p;
    size_t now = *capacity < 16 ? 16 : *capacity;
    while (now < need) {
        if (now > SIZE_MAX / 2)
            return NULL;
        now *= 2;
    }
    void *moved = om_resize(heap, p, now, size);
    if (moved != NULL)
        *capacity = now;
    return moved;
}
