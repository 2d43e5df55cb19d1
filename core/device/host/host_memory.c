/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the host as a device. If accesses are traced, an additional byte for each byte says
 * whether it was ever written since the memory was taken: by a kernel, a write, a clearing, or a
 * copy of written bytes. Memory on pages of another owner has none, because its contents are not
 * known here.
 *
 * Concurrency: these bytes belong to the team that executes the commands of the stream, one thread
 * at a time.
 */
#include "host.h"

#include <string.h>

om_memory *om_host__take(om_device *d, const om_memory_spec *spec, int *error)
{
    const om_heap *heap = d->owner->heap;
    const bool traces = om_host__traces(d) && spec->pages == NULL;
    om_memory *m = om_alloc(heap, 1, sizeof *m);
    *error = OM_HOST_NO_MEMORY;
    if (m == NULL)
        return NULL;
    m->size = spec->bytes;
    m->own = spec->pages == NULL;
    m->bytes = m->own ? om_alloc(heap, spec->bytes, 1) : spec->pages;
    m->written = traces ? om_alloc(heap, spec->bytes, 1) : NULL;
    if (m->bytes != NULL && (!traces || m->written != NULL))
        return m;
    if (m->own)
        om_free(heap, m->bytes);
    om_free(heap, m->written);
    om_free(heap, m);
    return NULL;
}

void om_host__give(om_device *d, om_stream *s, om_memory *m)
{
    const om_heap *heap = d->owner->heap;
    om_host__finish(s);
    if (m->own)
        om_free(heap, m->bytes);
    om_free(heap, m->written);
    om_free(heap, m);
}

void om_host__mark_written(om_memory *m, size_t at, size_t bytes)
{
    if (m->written != NULL)
        memset(m->written + at, 1, bytes);
}

void om_host__copy_written(
    om_memory *to, size_t at, const om_memory *from, size_t from_at, size_t n)
{
    if (to->written != NULL && from->written != NULL)
        memcpy(to->written + at, from->written + from_at, n);
    else
        om_host__mark_written(to, at, n);
}

size_t om_host__find_unwritten(const om_memory *m, size_t at, size_t bytes)
{
    const unsigned char *found = m->written == NULL ? NULL : memchr(m->written + at, 0, bytes);
    return found == NULL ? at + bytes : (size_t) (found - m->written);
}
