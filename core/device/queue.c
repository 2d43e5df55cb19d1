/* SPDX-License-Identifier: Apache-2.0 */
/* mremap() */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "queue.h"
#include "control/control.h"

#include <assert.h>
#include <sys/mman.h>

/* Large copies are split into pieces of some milliseconds, so that a stop is noticed between
 * them. */
static const size_t PIECE = (size_t) 16 << 20;
/* Smaller buffers are assumed to be available. */
static const size_t TOUCHED = (size_t) 1 << 16;

/* Operations, for messages. */
static const char TAKING[] = "allocating memory", READING[] = "reading", WAITING[] = "waiting";

/* A waiting thread checks for a stop every GLANCE_NS. After a stop it waits for STOPPED_NS at
 * most. */
static const uint64_t GLANCE_NS = 100000000, STOPPED_NS = UINT64_C(5) * 1000000000;

int om_queue__stopped(const om_queue *q)
{
    return om_control__status(q->control);
}

int om_queue__open(om_queue *q, om_device *device, om_context *ctx)
{
    int error = 0;
    *q = (om_queue){ .device = device, .ctx = ctx, .control = om_context_control(ctx) };
    int rc = om_device__start(device, ctx);
    if (rc != OM_OK)
        return rc;
    pthread_mutex_lock(&device->owner->lock);
    q->local = device->local;
    q->most_items = device->most_items;
    pthread_mutex_unlock(&device->owner->lock);
    q->memory = device->info.memory_bytes;
    q->stream = device->backend->stream_open(device, &error);
    return q->stream != NULL ? OM_OK : om_device__fail(device, ctx, "opening a stream", error);
}

void om_queue__close(om_queue *q)
{
    if (q->stream != NULL && !om_device__lost(q->device))
        q->device->backend->stream_close(q->device, q->stream);
    *q = (om_queue){ 0 };
}

/* ---- pages ---- */

/* Size of a huge page of Linux; large mappings are aligned to it, so that huge pages can back
 * them. */
static const size_t HUGE = (size_t) 2 << 20;

/*
 * Maps `bytes` bytes, at a multiple of HUGE if they are many, and moves the pages of `b` there:
 * their address changes, nothing is copied. Returns NULL if memory runs out; `b` is then unchanged.
 */
static void *map_pages(const om_buffer *b, size_t bytes)
{
    size_t slack = bytes >= HUGE ? HUGE : 0;
    char *at =
        mmap(NULL, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    size_t skip = slack == 0 ? 0 : (HUGE - (uintptr_t) at % HUGE) % HUGE;
    char *begin = at + skip;
    void *got = b->pages != NULL
                    ? mremap(b->pages, b->mapped, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin)
                    : mmap(begin, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
        (void) munmap(at, bytes + slack);
        return NULL;
    }
    assert(skip <= slack);
    if (skip > 0)
        (void) munmap(at, skip);
    if (slack > skip)
        (void) munmap(begin + bytes, slack - skip);
    if (bytes >= HUGE)
        (void) madvise(begin, bytes, MADV_HUGEPAGE); /* a hint */
    return begin;
}

/* Rounds up to whole pages of the system, or of HUGE if there are several of those. */
static size_t whole_pages(size_t bytes)
{
    size_t unit = bytes >= 4 * HUGE ? HUGE : 4096;
    return bytes > SIZE_MAX - unit ? bytes : (bytes + unit - 1) / unit * unit;
}

/* Gives `b`, which has pages or is empty, `bytes` bytes of pages. On failure `b` is unchanged or
 * has nothing. */
static int open_pages(om_queue *q, om_buffer *b, size_t bytes)
{
    om_device *d = q->device;
    int error = 0;
    size_t mapped = whole_pages(bytes);
    void *pages = map_pages(b, mapped);
    if (pages == NULL)
        return om_device__fail_memory(d, q->ctx, TAKING);
    if (b->mem != NULL)
        d->backend->give(d, q->stream, b->mem);
    b->pages = pages;
    b->mapped = mapped;
    b->mem = d->backend->take(d, &(om_memory_spec){ .bytes = bytes, .pages = pages }, &error);
    if (b->mem != NULL)
        return OM_OK;
    (void) munmap(pages, mapped);
    b->pages = NULL;
    return om_device__fail(d, q->ctx, TAKING, error);
}

/* ---- buffers ---- */

/* Records an error of the back end. */
static int failed(om_queue *q, const char *what, int error)
{
    return error == 0 ? OM_OK : om_device__fail(q->device, q->ctx, what, error);
}

uint64_t om_queue__here(const om_queue *q)
{
    assert(q->spilled <= q->used);
    return q->used - q->spilled;
}

/* Checks that a buffer of `old` bytes may have `bytes`. */
static int may_take(om_queue *q, om_buffer *b, size_t old, size_t bytes)
{
    assert(old <= bytes);
    const om_device *d = q->device;
    const uint64_t here = om_queue__here(q), all = q->memory;
    b->spilled = b->away && !d->host_memory;
    if (bytes > d->info.largest_allocation ||
        (!b->spilled && (here > all || bytes - old > all - here)))
        return om_device__fail_memory(d, q->ctx, TAKING);
    if ((d->host_memory || b->spilled) && !om_control__allows(q->control, bytes - old))
        return om_queue__stopped(q);
    return OM_OK;
}

static void count_bytes(om_queue *q, om_buffer *b, size_t bytes)
{
    assert(b->mem != NULL && b->bytes <= bytes);
    q->used += bytes - b->bytes;
    if (b->spilled && q->spilled == 0)
        om_note(q->ctx, OM_NOTE_NOTICE, NULL,
            "device %s: its memory is full; further states go to host memory, which is slower",
            q->device->info.name);
    if (b->spilled)
        q->spilled += bytes - b->bytes;
    b->bytes = bytes;
    if (q->used > q->peak)
        q->peak = q->used;
}

/*
 * Takes memory of the device, or of the host if the buffer is away. A driver may promise memory
 * that is not available, because other processes hold some of it, and notice only when the memory
 * is first used. So the end of the buffer is written at once.
 */
static int take_memory(om_queue *q, om_buffer *b, size_t bytes)
{
    om_device *d = q->device;
    const om_memory_spec spec = { .bytes = bytes, .on_host = b->spilled };
    int error = 0;
    b->mem = d->backend->take(d, &spec, &error);
    if (b->mem != NULL && bytes >= TOUCHED && !d->host_memory && !b->spilled &&
        (error = d->backend->zero(
             d, q->stream, b->mem, bytes - sizeof(uint32_t), sizeof(uint32_t))) != 0) {
        d->backend->give(d, q->stream, b->mem);
        b->mem = NULL;
    }
    if (b->mem != NULL)
        return OM_OK;
    if (d->backend->is_memory(error) && !b->spilled)
        q->memory = om_queue__here(q) + bytes - 1;
    return om_device__fail(d, q->ctx, TAKING, error);
}

int om_queue__take(om_queue *q, om_buffer *b, size_t count, size_t size)
{
    om_device *d = q->device;
    assert(b->mem == NULL && b->bytes == 0);
    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / size)
        return om_device__fail_memory(d, q->ctx, TAKING);
    size_t bytes = count * size;
    int rc = om_device__check(d, q->ctx);
    if (rc == OM_OK)
        rc = may_take(q, b, 0, bytes);
    if (rc == OM_OK && d->own_pages)
        rc = open_pages(q, b, bytes);
    else if (rc == OM_OK)
        rc = take_memory(q, b, bytes);
    if (rc == OM_OK)
        count_bytes(q, b, bytes);
    return rc;
}

int om_queue__take_zero(om_queue *q, om_buffer *b, size_t count, size_t size)
{
    int rc = om_queue__take(q, b, count, size);
    return rc == OM_OK && b->pages == NULL ? om_queue__zero(q, b, 0, b->bytes) : rc;
}

void om_queue__give(om_queue *q, om_buffer *b)
{
    if (b->mem == NULL)
        return;
    if (b->pages != NULL)
        (void) om_queue__finish(q); /* pending commands would lose the pages */
    if (!om_device__lost(q->device)) {
        q->device->backend->give(q->device, q->stream, b->mem);
        if (b->pages != NULL)
            (void) munmap(b->pages, b->mapped);
    }
    assert(b->bytes <= q->used && (!b->spilled || b->bytes <= q->spilled));
    q->used -= b->bytes;
    if (b->spilled)
        q->spilled -= b->bytes;
    *b = (om_buffer){ 0 };
}

/* Grows a buffer by moving its pages. */
static int move_pages(om_queue *q, om_buffer *b, size_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return om_device__fail_memory(q->device, q->ctx, TAKING);
    size_t bytes = count * size;
    int rc = may_take(q, b, b->bytes, bytes);
    if (rc != OM_OK || (rc = om_queue__finish(q)) != OM_OK)
        return rc;
    rc = open_pages(q, b, bytes);
    if (rc == OM_OK)
        count_bytes(q, b, bytes);
    else if (b->mem == NULL) { /* nothing is left */
        q->used -= b->bytes;
        *b = (om_buffer){ 0 };
    }
    return rc;
}

/* Copies in pieces, checking for a stop after each. */
static int copy_all(om_queue *q, om_copy whole)
{
    int rc = OM_OK;
    for (size_t at = 0; rc == OM_OK && at < whole.bytes; at += PIECE) {
        const om_copy piece = { .from = whole.from,
            .to = whole.to,
            .from_at = whole.from_at + at,
            .to_at = whole.to_at + at,
            .bytes = whole.bytes - at < PIECE ? whole.bytes - at : PIECE };
        rc = om_device__check(q->device, q->ctx);
        if (rc == OM_OK)
            rc = failed(q, "copying", q->device->backend->copy(q->device, q->stream, &piece));
        if (rc == OM_OK)
            rc = om_queue__pause(q);
    }
    return rc;
}

int om_queue__move(om_queue *q, const om_buffer *from, size_t from_at, const om_buffer *to,
    size_t to_at, size_t bytes)
{
    assert(from_at + bytes <= from->bytes && to_at + bytes <= to->bytes);
    return copy_all(q, (om_copy){ from->mem, to->mem, from_at, to_at, bytes });
}

int om_queue__copy(om_queue *q, const om_buffer *from, const om_buffer *to, size_t bytes)
{
    assert(bytes <= from->bytes && bytes <= to->bytes);
    return copy_all(q, (om_copy){ from->mem, to->mem, 0, 0, bytes });
}

int om_queue__grow(om_queue *q, om_buffer *b, size_t count, size_t size, size_t keep)
{
    om_buffer larger = { .away = b->away };
    assert(keep <= b->bytes);
    if (b->mem != NULL && count <= b->bytes / size)
        return OM_OK;
    if (keep == 0) {
        om_queue__give(q, b);
        b->away = larger.away;
    } else if (b->pages != NULL)
        return move_pages(q, b, count, size);
    int rc = om_queue__take(q, &larger, count, size);
    if (rc != OM_OK)
        return rc;
    if ((rc = om_queue__copy(q, b, &larger, keep)) != OM_OK) {
        (void) om_queue__finish(q); /* no command may use `larger` any more */
        om_queue__give(q, &larger);
        return rc;
    }
    om_queue__give(q, b);
    *b = larger;
    return OM_OK;
}

int om_queue__spill(om_queue *q, om_buffer *b)
{
    om_buffer there = { .away = true };
    if (b->mem == NULL || b->spilled || q->device->host_memory)
        return OM_OK;
    int rc = om_queue__take(q, &there, b->bytes, 1);
    if (rc == OM_OK)
        rc = om_queue__copy(q, b, &there, b->bytes);
    if (rc != OM_OK) {
        (void) om_queue__finish(q);
        om_queue__give(q, &there);
        return rc;
    }
    om_queue__give(q, b);
    *b = there;
    return OM_OK;
}

int om_queue__zero(om_queue *q, const om_buffer *b, size_t from, size_t bytes)
{
    om_device *d = q->device;
    int rc = OM_OK;
    assert(from % sizeof(uint32_t) == 0 && bytes % sizeof(uint32_t) == 0);
    assert(from + bytes <= b->bytes);
    for (size_t at = 0; rc == OM_OK && at < bytes; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        rc = at == 0 ? om_device__check(d, q->ctx) : om_queue__pause(q);
        if (rc == OM_OK)
            rc = failed(q, "clearing", d->backend->zero(d, q->stream, b->mem, from + at, n));
    }
    return rc;
}

int om_queue__write(om_queue *q, const om_buffer *b, size_t at, const void *from, size_t bytes)
{
    om_device *d = q->device;
    assert(at + bytes <= b->bytes);
    if (bytes == 0)
        return OM_OK;
    /* The source must not be in use after the return, whatever happens. */
    int rc = om_queue__finish(q);
    return rc != OM_OK
               ? rc
               : failed(q, "writing", d->backend->write(d, q->stream, b->mem, at, from, bytes));
}

int om_queue__read(om_queue *q, const om_buffer *b, size_t at, void *to, size_t bytes)
{
    om_device *d = q->device;
    om_event *event = NULL;
    assert(at + bytes <= b->bytes);
    if (bytes <= OM_MOST_SOON) {
        int rc = om_queue__order(q, b, at, to, bytes, &event);
        return rc == OM_OK ? om_queue__wait(q, event) : rc;
    }
    q->read_backs++;
    int rc = om_queue__finish(q);
    for (size_t done = 0; rc == OM_OK && done < bytes; done += PIECE) {
        const om_copy piece = { .from = b->mem,
            .from_at = at + done,
            .bytes = bytes - done < PIECE ? bytes - done : PIECE };
        rc = done == 0 ? OM_OK : om_queue__stopped(q);
        if (rc == OM_OK)
            rc = failed(
                q, READING, d->backend->read(d, q->stream, &piece, (char *) to + done, NULL));
    }
    return rc;
}

int om_queue__finish(om_queue *q)
{
    om_event *event = NULL;
    int rc = om_device__check(q->device, q->ctx);
    if (rc == OM_OK)
        rc = failed(q, WAITING, q->device->backend->mark(q->device, q->stream, &event));
    return rc == OM_OK ? om_queue__wait(q, event) : rc;
}

int om_queue__pause(om_queue *q)
{
    int rc = om_queue__finish(q);
    return rc == OM_OK ? om_queue__stopped(q) : rc;
}

int om_queue__order(
    om_queue *q, const om_buffer *b, size_t at, void *to, size_t bytes, om_event **event)
{
    om_device *d = q->device;
    const om_copy what = { .from = b->mem, .from_at = at, .bytes = bytes };
    assert(at + bytes <= b->bytes && bytes <= OM_MOST_SOON);
    q->read_backs++;
    int rc = om_device__check(d, q->ctx);
    return rc == OM_OK ? failed(q, READING, d->backend->read(d, q->stream, &what, to, event)) : rc;
}

/* Sums the waiting time in glances, each counted as two GLANCE_NS at most: while this process is
 * suspended, its device may be, too. */
int om_queue__wait(om_queue *q, om_event *event)
{
    om_device *d = q->device;
    uint64_t waited = 0, unstopped = 0, now = om_clock_ns();
    while (event != NULL && !om_device__lost(d)) {
        const uint64_t before = now;
        int error = d->backend->wait(d, q->stream, event, now + GLANCE_NS);
        if (error != OM_PENDING)
            return failed(q, WAITING, error);
        now = om_clock_ns();
        waited += now - before < 2 * GLANCE_NS ? now - before : 2 * GLANCE_NS;
        if (om_queue__stopped(q) == OM_OK)
            unstopped = waited;
        if (waited >= d->patience_ns || waited - unstopped >= STOPPED_NS)
            return om_device__lose(d, q->ctx);
    }
    return event == NULL ? OM_OK : om_device__check(d, q->ctx);
}

int om_queue__costs(om_queue *q, om_device_costs *sum)
{
    om_device *d = q->device;
    sum->read_backs += q->read_backs;
    if (d->backend->costs == NULL)
        return OM_OK;
    int rc = om_queue__finish(q);
    if (rc == OM_OK)
        d->backend->costs(d, q->stream, sum);
    return rc;
}

size_t om_queue__batches(const om_queue *q, size_t n)
{
    return (n + q->device->batch - 1) / q->device->batch;
}

int om_queue__run(om_queue *q, om_kernel *kernel, const char *name, const om_arg *args,
    uint32_t count, size_t items)
{
    const size_t local = q->local;
    assert(local > 0);
    if (items == 0)
        return OM_OK;
    int rc = om_device__check(q->device, q->ctx);
    if (rc != OM_OK)
        return rc;
    q->launches++;
    if (items > q->most_items)
        items = q->most_items;
    const om_launch launch = { .kernel = kernel,
        .args = args,
        .count = count,
        .global = (items + local - 1) / local * local,
        .local = local };
    return failed(q, name, q->device->backend->launch(q->device, q->stream, &launch));
}
