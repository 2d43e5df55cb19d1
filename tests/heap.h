/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h: a heap for tests whose n-th allocation fails and that counts live blocks. */
#ifndef OMEN_TESTS_HEAP_H
#define OMEN_TESTS_HEAP_H

#include <omen/plugin/base.h>

#include <stdlib.h>
#include <string.h>

typedef struct test_heap {
    om_heap heap; /* the heap to pass on: &t.heap */
    size_t calls, fail_at, live;
    size_t bytes, peak; /* live bytes: now, and the maximum so far */
} test_heap;

enum { TEST_HEAP_HEAD = 16 }; /* bytes before each block: its size, and alignment */

static inline void *test_heap_resize(void *self, void *p, size_t bytes)
{
    test_heap *t = self;
    unsigned char *block = p == NULL ? NULL : (unsigned char *) p - TEST_HEAP_HEAD;
    size_t had = 0;
    if (block != NULL)
        memcpy(&had, block, sizeof had);
    if (bytes == 0) {
        t->live -= p != NULL;
        t->bytes -= had;
        free(block);
        return NULL;
    }
    if (t->calls++ == t->fail_at || bytes > SIZE_MAX - TEST_HEAP_HEAD)
        return NULL;
    unsigned char *now = realloc(block, bytes + TEST_HEAP_HEAD);
    if (now == NULL)
        return NULL;
    memcpy(now, &bytes, sizeof bytes);
    t->live += p == NULL;
    t->bytes += bytes - had;
    t->peak = t->bytes > t->peak ? t->bytes : t->peak;
    return now + TEST_HEAP_HEAD;
}

/* fail_at counts from 0; SIZE_MAX never fails. Single-threaded. */
static inline void test_heap_init(test_heap *t, size_t fail_at)
{
    *t = (test_heap){ .heap = { test_heap_resize, t }, .fail_at = fail_at };
}

#endif
