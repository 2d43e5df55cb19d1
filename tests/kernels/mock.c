/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include "host/host.h"
#include "sizing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A buffer of a device. */
typedef struct buffer {
    struct buffer *next;
    om_memory *memory;
    uint64_t bytes;
    void *pages;        /* or NULL */
    struct mock *mock;  /* owner */
    bool away, missing; /* in host memory; not backed by memory */
} buffer;

typedef struct mock {
    const om_device *device; /* NULL if the slot was never used */
    bool open;
    om_device before; /* saved fields of the device that mock_open() changes */
    mock_limits limits;
    uint64_t here, away;
    mock_figures seen;
} mock;

static const om_backend *real;
static om_backend limited;
static mock mocks[MOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static buffer *buffers;
void (*mock_on_launch)(om_device *d, om_stream *s, const om_launch *l);

static mock *mock_of(const om_device *d)
{
    for (size_t i = 0; i < MOCKS; i++)
        if (mocks[i].device == d)
            return &mocks[i];
    abort();
}

static int no_memory(void)
{
    int error = 0;
    while (!real->is_memory(error))
        error = error > 0 ? -error : 1 - error; /* 0, 1, -1, 2, -2 ... */
    return error;
}

static void *map(uint64_t bytes)
{
    void *p = mmap(NULL, (size_t) bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        abort();
    (void) madvise(p, (size_t) bytes, MADV_NOHUGEPAGE);
    return p;
}

static om_memory *take(om_device *d, const om_memory_spec *spec, int *error)
{
    om_memory_spec sparse = *spec;
    om_memory *memory = NULL;
    buffer *b = calloc(1, sizeof *b);
    mock *m = mock_of(d);
    const mock_limits *l = &m->limits;
    pthread_mutex_lock(&lock);
    bool fits = spec->bytes <= l->largest &&
                (spec->on_host || (m->here <= l->memory && spec->bytes <= l->memory - m->here));
    bool there = spec->on_host || m->here + spec->bytes <= l->memory - l->others;
    m->seen.refused += !fits;
    m->seen.failed += fits && !there;
    if (b == NULL || !fits || (!there && !l->late))
        *error = no_memory();
    else {
        if (l->sparse)
            sparse.pages = b->pages = map(spec->bytes);
        memory = real->take(d, &sparse, error);
    }
    if (memory != NULL) {
        *b = (buffer){ buffers, memory, spec->bytes, b->pages, m, spec->on_host, !there };
        buffers = b;
        *(b->away ? &m->away : &m->here) += b->bytes;
        m->seen.peak = m->here > m->seen.peak ? m->here : m->seen.peak;
        m->seen.away = m->away > m->seen.away ? m->away : m->seen.away;
        b = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(b);
    return memory;
}

static void give(om_device *d, om_stream *s, om_memory *m)
{
    pthread_mutex_lock(&lock);
    buffer **at = &buffers;
    while (*at != NULL && (*at)->memory != m)
        at = &(*at)->next;
    buffer *b = *at;
    if (b == NULL)
        abort();
    *at = b->next;
    *(b->away ? &b->mock->away : &b->mock->here) -= b->bytes;
    pthread_mutex_unlock(&lock);
    real->give(d, s, m);
    if (b->pages != NULL)
        (void) munmap(b->pages, (size_t) b->bytes);
    free(b);
}

static bool is_missing(const om_memory *m)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const buffer *b = buffers; b != NULL; b = b->next)
        found = found || (b->memory == m && b->missing);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Drops whole pages so that they cost no memory again. */
static int zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes)
{
    const size_t page = 4096, first = (at + page - 1) / page * page,
                 end = (at + bytes) / page * page;
    if (is_missing(m))
        return no_memory();
    if (!mock_of(d)->limits.sparse || first >= end)
        return real->zero(d, s, m, at, bytes);
    om_host__finish(s);
    if (madvise(m->bytes + first, end - first, MADV_DONTNEED) != 0)
        abort();
    memset(m->bytes + at, 0, first - at);
    memset(m->bytes + end, 0, at + bytes - end);
    return 0;
}

static int launch(om_device *d, om_stream *s, const om_launch *l)
{
    if (mock_on_launch != NULL)
        mock_on_launch(d, s, l);
    return real->launch(d, s, l);
}

/* Returns the closed mock that last had the device, or any closed mock. */
static mock *mock_for(const om_device *d)
{
    for (size_t i = 0; i < MOCKS; i++)
        if (mocks[i].device == d && !mocks[i].open)
            return &mocks[i];
    for (size_t i = 0; i < MOCKS; i++)
        if (!mocks[i].open)
            return &mocks[i];
    abort();
}

static bool any_open(void)
{
    bool any = false;
    for (size_t i = 0; i < MOCKS; i++)
        any = any || mocks[i].open;
    return any;
}

void mock_open(om_device *d, const mock_limits *l)
{
    mock *m = mock_for(d);
    if (!any_open()) {
        real = d->backend;
        limited = *real;
        limited.take = take;
        limited.give = give;
        limited.zero = zero;
        limited.launch = launch;
    } else if (d->backend != real)
        abort();
    *m = (mock){ .device = d, .open = true, .limits = *l };
    m->before.info = d->info;
    m->before.segments = d->segments;
    m->before.host_memory = d->host_memory;
    m->before.own_pages = d->own_pages;
    d->backend = &limited;
    d->info.memory_bytes = l->memory;
    d->info.largest_allocation = l->largest;
    d->segments = OM_MOST_SEGMENTS;
    d->host_memory = l->unified;
    d->own_pages = false;
}

void mock_close(om_device *d)
{
    mock *m = mock_of(d);
    for (const buffer *b = buffers; b != NULL; b = b->next)
        if (b->mock == m)
            abort();
    d->backend = real;
    d->info = m->before.info;
    d->segments = m->before.segments;
    d->host_memory = m->before.host_memory;
    d->own_pages = m->before.own_pages;
    m->open = false;
}

mock_figures mock_seen(const om_device *d)
{
    return mock_of(d)->seen;
}
