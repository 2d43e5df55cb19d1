/* SPDX-License-Identifier: Apache-2.0 */
/* segments.h: rows, or an index, in up to OM_MOST_SEGMENTS buffers: see sizing.h. */
#ifndef OM_DEVICE_SEGMENTS_H
#define OM_DEVICE_SEGMENTS_H

#include "sizing.h"
#include "queue.h"

/* Units (rows, entries) number 0 and up: `each` in every part but the last one. */
typedef struct om_segments {
    om_buffer parts[OM_MOST_SEGMENTS];
    uint64_t each;
    uint64_t units; /* that there is room for */
    size_t size;    /* bytes of a unit */
} om_segments;

/* What om_queue's functions return. */

/* At least so many units; the first `keep` stay. Part i is in the host's memory where bit i of
 * `away` is set, but not brought back from there. Nothing may be queued. */
int om_segments__grow(om_queue *q, om_segments *s, uint64_t units, uint64_t keep, uint32_t away);
/* Sends those parts to the host's memory that `away` says. */
int om_segments__send(om_queue *q, om_segments *s, uint32_t away);
/* All zero; `fresh`: nothing was written to it yet. */
int om_segments__zero(om_queue *q, const om_segments *s, bool fresh);
/* Its form stays. */
void om_segments__give(om_queue *q, om_segments *s);

/* n units from number `from` on become those from `to` on, which lie ahead of them. */
int om_segments__move(om_queue *q, const om_segments *s, uint64_t from, uint64_t to, uint64_t n);
/* n units from number `at` on, to the beginning of a buffer. */
int om_segments__copy(
    om_queue *q, const om_segments *s, uint64_t at, const om_buffer *to, uint64_t n);
/* Waits for everything before it. */
int om_segments__read(om_queue *q, const om_segments *s, uint64_t at, void *to, uint64_t n);

/* Bytes on the device. */
uint64_t om_segments__here(const om_segments *s);

/* An argument that a kernel takes with OM_ROWS_ARG() or OM_INDEX_ARG(), for this alone. */
/* clang-format off */
#define OM_SEGMENTED(SEGMENTS) { 0, &(SEGMENTS) }
/* clang-format on */
/* om_queue__run(), with such arguments among the others. */
int om_segments__run(om_queue *q, om_kernel *kernel, const char *name, const om_arg *args,
    uint32_t count, size_t items);

#endif
