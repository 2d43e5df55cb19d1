/* SPDX-License-Identifier: Apache-2.0 */
/* queue.h: buffers on a device and launches of kernels, with the limits of a check. */
#ifndef OM_DEVICE_QUEUE_H
#define OM_DEVICE_QUEUE_H

#include "device.h"

typedef struct om_queue {
    om_device *device; /* NULL: not open */
    om_context *ctx;
    om_control *control; /* the context's */
    om_stream *stream;   /* its own: checkers that run side by side do not wait for each other */
    uint32_t local, most_items; /* the device's; a trial of sizes has its own */
    uint64_t used;              /* bytes in buffers */
    uint64_t
        memory; /* of the device: as it says; or what it had no more of, when it refused more */
    uint64_t peak;
    uint64_t launches, read_backs; /* for the report */
    uint64_t spilled; /* of them, bytes in the host's memory because the device's is out */
} om_queue;

typedef struct om_buffer {
    om_memory *mem; /* NULL: none */
    size_t bytes;
    void *pages; /* where they are ours (om_device.own_pages): `mapped` bytes, else NULL */
    size_t mapped;
    /* Shall be in the host's memory, which the device reaches more slowly, unless that is its own:
     * set by who takes the buffer or makes it larger. */
    bool away;
    bool spilled; /* the queue's own: it is there */
} om_buffer;

int om_queue__open(om_queue *q, om_device *device, om_context *ctx);
void om_queue__close(om_queue *q);

/* All return OM_OK; OM_EUNSUPPORTED where the device has no room, fails, or does not answer (then
 * it is lost, and what the queue has with it; a stop makes that sooner); OM_ELIMIT where the limit
 * on memory says no; OM_ELIMIT or OM_ESTOP where the control stopped a long copy. */

/* A new buffer (contents undefined); `b` must be empty but for `away`. */
int om_queue__take(om_queue *q, om_buffer *b, size_t count, size_t size);
/* The same, all zero. */
int om_queue__take_zero(om_queue *q, om_buffer *b, size_t count, size_t size);
void om_queue__give(om_queue *q, om_buffer *b);
/* At least count * size bytes; the first `keep` bytes stay. Does nothing when it is large enough.
 */
int om_queue__grow(om_queue *q, om_buffer *b, size_t count, size_t size, size_t keep);
/* Bytes of all buffers that are on the device. */
uint64_t om_queue__here(const om_queue *q);
/* Moves a buffer to the host's memory, unless that is the device's, too. */
int om_queue__spill(om_queue *q, om_buffer *b);
int om_queue__zero(om_queue *q, const om_buffer *b, size_t from, size_t bytes);
int om_queue__write(om_queue *q, const om_buffer *b, size_t at, const void *from, size_t bytes);
/* Bytes must not overlap where they go. */
int om_queue__move(om_queue *q, const om_buffer *from, size_t from_at, const om_buffer *to,
    size_t to_at, size_t bytes);
int om_queue__copy(om_queue *q, const om_buffer *from, const om_buffer *to, size_t bytes);
/* Waits for everything before it. */
int om_queue__read(om_queue *q, const om_buffer *b, size_t at, void *to, size_t bytes);

/* clang-format off */
#define OM_ARG(X) { sizeof(X), &(X) }
#define OM_MEM(BUFFER) { sizeof(om_memory *), &(BUFFER).mem }
/* clang-format on */

/* Reads as soon as all before it is done, OM_MOST_SOON bytes at most; `to` is filled once
 * om_queue__wait(event) returned OM_OK. */
int om_queue__order(
    om_queue *q, const om_buffer *b, size_t at, void *to, size_t bytes, om_event **event);
/* Waits for the event, which is gone then; `event` may be NULL. */
int om_queue__wait(om_queue *q, om_event *event);

/* Queues a kernel over so many work-items, padded to whole work-groups; or over fewer, where that
 * keeps the device busy: work-items share the items among them. */
int om_queue__run(om_queue *q, om_kernel *kernel, const char *name, const om_arg *args,
    uint32_t count, size_t items);
/* Work-items that see to n items in batches of the device's size. */
size_t om_queue__batches(const om_queue *q, size_t n);

/* Adds what its kernels did to memory so far, where the device counts that. */
int om_queue__costs(om_queue *q, om_device_costs *sum);

/* Waits for everything queued. */
int om_queue__finish(om_queue *q);
/* The same, then what the control says. Between pieces of work that are long together. */
int om_queue__pause(om_queue *q);

/* OM_OK, or what the control says: OM_ELIMIT, OM_ESTOP. */
int om_queue__stopped(const om_queue *q);

#endif
