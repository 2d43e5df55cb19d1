/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h: a heap for tests whose n-th allocation fails and that counts what is live. */
#ifndef OMEN_TESTS_HEAP_H
#define OMEN_TESTS_HEAP_H

#include <omen/base.h>

#include <stdlib.h>

typedef struct test_heap {
    om_heap heap; /* hand out &t.heap */
    size_t calls, fail_at, live;
} test_heap;

static inline void *test_heap_resize(void *self, void *p, size_t bytes)
{
    test_heap *t = self;
    if (bytes == 0) {
        t->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (t->calls++ == t->fail_at)
        return NULL;
    void *now = realloc(p, bytes);
    t->live += p == NULL && now != NULL;
    return now;
}

/* fail_at counts from 0; SIZE_MAX never fails. Single-threaded. */
static inline void test_heap_init(test_heap *t, size_t fail_at)
{
    *t = (test_heap){ .heap = { test_heap_resize, t }, .fail_at = fail_at };
}

#endif
