/* SPDX-License-Identifier: Apache-2.0 */
/* segments.h: rows, or an index, in up to OM_MOST_SEGMENTS buffers: see sizing.h. */
#ifndef OM_DEVICE_SEGMENTS_H
#define OM_DEVICE_SEGMENTS_H

#include "sizing.h"
#include "queue.h"

/* Units (rows, entries) are numbered from 0: `each` units in every part but the last. */
typedef struct om_segments {
    om_buffer parts[OM_MOST_SEGMENTS];
    uint64_t each;
    uint64_t units; /* units that there is room for */
    size_t size;    /* bytes of a unit */
} om_segments;

/* All return the statuses of om_queue's functions. */

/* Grows to at least `units` units and keeps the first `keep`. Part i goes to the host's memory if
 * bit i of `away` is set; parts are not moved back. Nothing may be queued. */
int om_segments__grow(om_queue *q, om_segments *s, uint64_t units, uint64_t keep, uint32_t away);
/* Moves the parts whose bits are set in `away` to the host's memory. */
int om_segments__send(om_queue *q, om_segments *s, uint32_t away);
/* Zeroes all parts; `fresh`: nothing has been written to them yet. */
int om_segments__zero(om_queue *q, const om_segments *s, bool fresh);
/* Frees the buffers; `each` and `size` stay. */
void om_segments__give(om_queue *q, om_segments *s);

/* Moves n units from number `from` on to `to` and up; the destination must end before `from`. */
int om_segments__move(om_queue *q, const om_segments *s, uint64_t from, uint64_t to, uint64_t n);
/* Copies n units from number `at` on to the beginning of a buffer. */
int om_segments__copy(
    om_queue *q, const om_segments *s, uint64_t at, const om_buffer *to, uint64_t n);
/* Waits for all earlier commands. */
int om_segments__read(om_queue *q, const om_segments *s, uint64_t at, void *to, uint64_t n);

/* Returns the bytes on the device. */
uint64_t om_segments__here(const om_segments *s);

/* An argument for a kernel parameter of OM_ROWS_ARG() or OM_INDEX_ARG(); only for
 * om_segments__run(). */
/* clang-format off */
#define OM_SEGMENTED(SEGMENTS) { 0, &(SEGMENTS) }
/* clang-format on */
/* om_queue__run(), with such arguments among the others. */
int om_segments__run(om_queue *q, om_kernel *kernel, const char *name, const om_arg *args,
    uint32_t count, size_t items);

#endif
