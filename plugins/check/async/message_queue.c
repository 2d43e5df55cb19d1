/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring. The producer moves the tail; the consumer that holds `taken` moves the head. Both only
 * grow; entry i is at i mod ROOM. Entries from the head up to the tail have been put and not taken.
 */
#include "message_queue.h"

#include <assert.h>

/* ROOM: capacity in messages. BATCH: messages that are taken before the next queue has its turn. */
enum { ROOM = 1 << 14, BATCH = 1 << 8, LINE = 64 };

struct queue {
    strategy_message ring[ROOM];
    char apart[LINE];
    _Atomic uint64_t tail;
    uint64_t free_until; /* the producer's: entries below are known to be free */
    char from[LINE];     /* separates the producer's fields from the consumers' */
    _Atomic uint64_t head;
    atomic_bool taken;
    char others[LINE];
};

queue *queue_new(const om_heap *heap)
{
    queue *q = om_alloc(heap, 1, sizeof *q);
    if (q == NULL)
        return NULL;
    atomic_init(&q->tail, 0);
    atomic_init(&q->head, 0);
    atomic_init(&q->taken, false);
    q->free_until = ROOM;
    return q;
}

void queue_free(const om_heap *heap, queue *q)
{
    om_free(heap, q);
}

uint64_t queue_bytes(void)
{
    return sizeof(queue);
}

bool queue_put(queue *q, const strategy_message *m)
{
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    if (tail == q->free_until) {
        /* acquire: entries below have been read; pairs with the release of the head. */
        q->free_until = ROOM + atomic_load_explicit(&q->head, memory_order_acquire);
        if (tail == q->free_until)
            return false;
    }
    assert(tail < q->free_until);
    q->ring[tail % ROOM] = *m;
    /* release: the entry is written; pairs with the acquire in queue_consume(). */
    atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
    return true;
}

int queue_consume(queue *q, queue_taker *take, void *self, bool *any)
{
    int rc = OM_OK;
    /* acquire: sees the head that the last consumer wrote; pairs with the release below. */
    if (atomic_load_explicit(&q->taken, memory_order_relaxed) ||
        atomic_exchange_explicit(&q->taken, true, memory_order_acquire))
        return OM_OK;
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    /* acquire: pairs with the release in queue_put(). */
    uint64_t end = atomic_load_explicit(&q->tail, memory_order_acquire);
    assert(head <= end && end - head <= ROOM);
    end = end - head > BATCH ? head + BATCH : end;
    *any = *any || head < end;
    while (head < end && (rc = take(self, &q->ring[head % ROOM])) == OM_OK)
        head++;
    /* release, both: for queue_put(), entries have been read; for the next consumer, the head is
     * written. */
    atomic_store_explicit(&q->head, head, memory_order_release);
    atomic_store_explicit(&q->taken, false, memory_order_release);
    return rc;
}
