/* SPDX-License-Identifier: Apache-2.0 */
/* queue.h: buffers on a device and kernel launches, under the limits of a check. */
#ifndef OM_DEVICE_QUEUE_H
#define OM_DEVICE_QUEUE_H

#include "device.h"

typedef struct om_queue {
    om_device *device; /* NULL if not open */
    om_context *ctx;
    om_control *control;        /* of the context */
    om_stream *stream;          /* its own: concurrent checkers do not wait for each other */
    uint32_t local, most_items; /* copied from the device; a trial of sizes changes them */
    uint64_t used;              /* bytes in buffers */
    uint64_t memory; /* bytes of device memory: as reported, or less after a refusal showed that
                      * there is less */
    uint64_t peak;
    uint64_t launches, read_backs; /* for the report */
    uint64_t spilled; /* bytes of `used` in the host's memory because the device's is full */
} om_queue;

typedef struct om_buffer {
    om_memory *mem; /* NULL if there is none */
    size_t bytes;
    void *pages; /* pages mapped by this process (om_device.own_pages), `mapped` bytes; else NULL */
    size_t mapped;
    /* Requests the host's memory, which the device reaches more slowly; ignored if that is the
     * device's own. Set by the caller that takes or grows the buffer. */
    bool away;
    bool spilled; /* set by the queue: it is in the host's memory */
} om_buffer;

int om_queue__open(om_queue *q, om_device *device, om_context *ctx);
void om_queue__close(om_queue *q);

/* All return OM_OK; OM_EUNSUPPORTED if the device has no room, fails, or does not answer (it is
 * then lost, with all that the queue has on it; a stop shortens the wait); OM_ELIMIT if the memory
 * limit is exceeded; OM_ELIMIT or OM_ESTOP if the control stopped a long copy. */

/* Takes a new buffer (contents undefined); `b` must be empty but for `away`. */
int om_queue__take(om_queue *q, om_buffer *b, size_t count, size_t size);
/* The same, zeroed. */
int om_queue__take_zero(om_queue *q, om_buffer *b, size_t count, size_t size);
void om_queue__give(om_queue *q, om_buffer *b);
/* Grows the buffer to at least count * size bytes and keeps the first `keep` bytes. Does nothing if
 * it is large enough. */
int om_queue__grow(om_queue *q, om_buffer *b, size_t count, size_t size, size_t keep);
/* Returns the bytes of all buffers that are on the device. */
uint64_t om_queue__here(const om_queue *q);
/* Moves a buffer to the host's memory, unless the device uses that anyway. */
int om_queue__spill(om_queue *q, om_buffer *b);
int om_queue__zero(om_queue *q, const om_buffer *b, size_t from, size_t bytes);
int om_queue__write(om_queue *q, const om_buffer *b, size_t at, const void *from, size_t bytes);
/* Source and destination must not overlap. */
int om_queue__move(om_queue *q, const om_buffer *from, size_t from_at, const om_buffer *to,
    size_t to_at, size_t bytes);
int om_queue__copy(om_queue *q, const om_buffer *from, const om_buffer *to, size_t bytes);
/* Waits for all earlier commands. */
int om_queue__read(om_queue *q, const om_buffer *b, size_t at, void *to, size_t bytes);

/* clang-format off */
#define OM_ARG(X) { sizeof(X), &(X) }
#define OM_MEM(BUFFER) { sizeof(om_memory *), &(BUFFER).mem }
/* clang-format on */

/* Queues a read of OM_MOST_SOON bytes at most, after all earlier commands; `to` is filled once
 * om_queue__wait(event) has returned OM_OK. */
int om_queue__order(
    om_queue *q, const om_buffer *b, size_t at, void *to, size_t bytes, om_event **event);
/* Waits for the event and consumes it; `event` may be NULL. */
int om_queue__wait(om_queue *q, om_event *event);

/* Queues a kernel for `items` items, padded to whole work-groups. If fewer work-items keep the
 * device busy, they share the items. */
int om_queue__run(om_queue *q, om_kernel *kernel, const char *name, const om_arg *args,
    uint32_t count, size_t items);
/* Returns the number of work-items that process n items in batches of the device's size. */
size_t om_queue__batches(const om_queue *q, size_t n);

/* Adds the memory traffic of the queue's kernels so far, if the device counts it. */
int om_queue__costs(om_queue *q, om_device_costs *sum);

/* Waits for all queued commands. */
int om_queue__finish(om_queue *q);
/* The same, then returns the status of the control. Called between pieces of a long operation. */
int om_queue__pause(om_queue *q);

/* Returns OM_OK, or the status of the control: OM_ELIMIT, OM_ESTOP. */
int om_queue__stopped(const om_queue *q);

#endif
