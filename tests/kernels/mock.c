/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include "host/host.h"
#include "sizing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A buffer of the device. */
typedef struct buffer {
    struct buffer *next;
    om_memory *memory;
    uint64_t bytes;
    void *pages;        /* or NULL */
    bool away, missing; /* in the host's memory; nowhere */
} buffer;

static const om_backend *real;
static om_backend limited;
static om_device before; /* what the device was, but for what changes by itself */
static mock_limits limits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static buffer *buffers;
static uint64_t here, away;
static mock_figures seen;
void (*mock_on_launch)(om_device *d, om_stream *s, const om_launch *l);

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
    pthread_mutex_lock(&lock);
    bool fits = spec->bytes <= limits.largest &&
                (spec->on_host || (here <= limits.memory && spec->bytes <= limits.memory - here));
    bool there = spec->on_host || here + spec->bytes <= limits.memory - limits.others;
    seen.refused += !fits;
    seen.failed += fits && !there;
    if (b == NULL || !fits || (!there && !limits.late))
        *error = no_memory();
    else {
        if (limits.sparse)
            sparse.pages = b->pages = map(spec->bytes);
        memory = real->take(d, &sparse, error);
    }
    if (memory != NULL) {
        *b = (buffer){ buffers, memory, spec->bytes, b->pages, spec->on_host, !there };
        buffers = b;
        *(b->away ? &away : &here) += b->bytes;
        seen.peak = here > seen.peak ? here : seen.peak;
        seen.away = away > seen.away ? away : seen.away;
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
    *(b->away ? &away : &here) -= b->bytes;
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

/* Pages that are whole are dropped, so that they cost nothing again. */
static int zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes)
{
    const size_t page = 4096, first = (at + page - 1) / page * page,
                 end = (at + bytes) / page * page;
    if (is_missing(m))
        return no_memory();
    if (!limits.sparse || first >= end)
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

void mock_open(om_device *d, const mock_limits *l)
{
    limits = *l;
    seen = (mock_figures){ 0 };
    before.info = d->info;
    before.segments = d->segments;
    before.host_memory = d->host_memory;
    before.own_pages = d->own_pages;
    real = d->backend;
    limited = *real;
    limited.take = take;
    limited.give = give;
    limited.zero = zero;
    limited.launch = launch;
    d->backend = &limited;
    d->info.memory_bytes = l->memory;
    d->info.largest_allocation = l->largest;
    d->segments = OM_MOST_SEGMENTS;
    d->host_memory = l->unified;
    d->own_pages = false;
}

void mock_close(om_device *d)
{
    if (buffers != NULL)
        abort();
    d->backend = real;
    d->info = before.info;
    d->segments = before.segments;
    d->host_memory = before.host_memory;
    d->own_pages = before.own_pages;
}

mock_figures mock_seen(void)
{
    return seen;
}
