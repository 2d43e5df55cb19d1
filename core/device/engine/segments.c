/* SPDX-License-Identifier: Apache-2.0 */
#include "segments.h"

#include <assert.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int om_segments__grow(om_queue *q, om_segments *s, uint64_t units, uint64_t keep, uint32_t away)
{
    int rc = OM_OK;
    assert(keep <= s->units && units <= s->each * q->device->segments);
    for (uint32_t i = 0; rc == OM_OK && i < q->device->segments; i++) {
        om_buffer *b = &s->parts[i];
        uint64_t n = om_sizing__part(units, s->each, i), kept = om_sizing__part(keep, s->each, i);
        /* A kernel takes all of them: the first must exist, however small. */
        if (n == 0 && (i > 0 || b->mem != NULL))
            continue;
        b->away = b->spilled || (away >> i & 1) != 0;
        rc = om_queue__grow(q, b, (size_t) n, s->size, (size_t) kept * s->size);
    }
    if (rc == OM_OK && units > s->units)
        s->units = units;
    return rc;
}

int om_segments__send(om_queue *q, om_segments *s, uint32_t away)
{
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < OM_MOST_SEGMENTS; i++)
        if ((away >> i & 1) != 0)
            rc = om_queue__spill(q, &s->parts[i]);
    return rc;
}

int om_segments__zero(om_queue *q, const om_segments *s, bool fresh)
{
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < OM_MOST_SEGMENTS; i++)
        /* New pages are zero. */
        if (s->parts[i].mem != NULL && (!fresh || s->parts[i].pages == NULL))
            rc = om_queue__zero(q, &s->parts[i], 0, s->parts[i].bytes);
    return rc;
}

void om_segments__give(om_queue *q, om_segments *s)
{
    for (uint32_t i = 0; i < OM_MOST_SEGMENTS; i++)
        om_queue__give(q, &s->parts[i]);
    s->units = 0;
}

/* Returns how many of n units from number `at` on are in one part: *part, from byte *first on. */
static uint64_t in_part(
    const om_segments *s, uint64_t at, uint64_t n, const om_buffer **part, size_t *first)
{
    uint64_t i = at / s->each, inside = at % s->each;
    assert(n > 0);
    assert(i < OM_MOST_SEGMENTS);
    *part = &s->parts[i];
    *first = (size_t) inside * s->size;
    return least(n, s->each - inside);
}

int om_segments__move(om_queue *q, const om_segments *s, uint64_t from, uint64_t to, uint64_t n)
{
    int rc = OM_OK;
    assert(to + n <= from);
    while (rc == OM_OK && n > 0) {
        const om_buffer *source = NULL, *target = NULL;
        size_t from_at = 0, to_at = 0;
        uint64_t some = in_part(s, from, n, &source, &from_at);
        some = in_part(s, to, some, &target, &to_at);
        rc = om_queue__move(q, source, from_at, target, to_at, (size_t) some * s->size);
        from += some;
        to += some;
        n -= some;
    }
    return rc;
}

int om_segments__read(om_queue *q, const om_segments *s, uint64_t at, void *to, uint64_t n)
{
    char *bytes = to;
    int rc = OM_OK;
    while (rc == OM_OK && n > 0) {
        const om_buffer *part = NULL;
        size_t first = 0;
        uint64_t some = in_part(s, at, n, &part, &first);
        rc = om_queue__read(q, part, first, bytes, (size_t) some * s->size);
        at += some;
        bytes += some * s->size;
        n -= some;
    }
    return rc;
}

int om_segments__copy(
    om_queue *q, const om_segments *s, uint64_t at, const om_buffer *to, uint64_t n)
{
    int rc = OM_OK;
    for (size_t bytes = 0; rc == OM_OK && n > 0;) {
        const om_buffer *part = NULL;
        size_t first = 0;
        uint64_t some = in_part(s, at, n, &part, &first);
        rc = om_queue__move(q, part, first, to, bytes, (size_t) some * s->size);
        at += some;
        bytes += (size_t) some * s->size;
        n -= some;
    }
    return rc;
}

uint64_t om_segments__here(const om_segments *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < OM_MOST_SEGMENTS; i++)
        sum += s->parts[i].spilled ? 0 : s->parts[i].bytes;
    return sum;
}

int om_segments__run(om_queue *q, om_kernel *kernel, const char *name, const om_arg *args,
    uint32_t count, size_t items)
{
    om_arg all[OM_MOST_ARGUMENTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert(n < OM_MOST_ARGUMENTS);
        if (args[i].size != 0) {
            all[n++] = args[i];
            continue;
        }
        const om_segments *s = args[i].value;
        /* Parts that do not exist yet are never accessed; the kernel is given other memory for
         * them. */
        for (uint32_t k = 0; k < q->device->segments; k++)
            all[n++] = (om_arg) OM_MEM(s->parts[s->parts[k].mem != NULL ? k : 0]);
        if (q->device->segments > 1)
            all[n++] = (om_arg) OM_ARG(s->each);
    }
    assert(n <= OM_MOST_ARGUMENTS);
    return om_queue__run(q, kernel, name, all, n, items);
}
