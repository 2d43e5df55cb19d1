/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h: a bounded lock-free queue of messages, first in, first out, that one worker puts into,
 * and several take from, one of them at a time.
 *
 * Who may call what together: queue_put() by the one producer; queue_consume() by any others;
 * queue_rest(), queue_new() and queue_free() alone. Nobody waits in any of them: a full queue takes
 * nothing, and of one that somebody else takes from the others keep away.
 */
#ifndef OMEN_CHECK_ASYNC_QUEUE_H
#define OMEN_CHECK_ASYNC_QUEUE_H

#include "strategy.h"

typedef struct queue queue;

/* What is done with a message: OM_OK, or a status that ends it. */
typedef int queue_taker(void *self, const strategy_message *m);

queue *queue_new(const om_heap *heap); /* NULL: there is no memory */
void queue_free(const om_heap *heap, queue *q);
uint64_t queue_bytes(void);

/* False: it is full. What was done before is seen by who takes the message. */
bool queue_put(queue *q, const strategy_message *m);
/*
 * Takes some of the messages, in their order, each of which has been dealt with before the next one
 * of this queue is taken by anybody. *any is set where there was one. Returns what take() did; the
 * message that it did not return OM_OK for is at the head still.
 */
int queue_consume(queue *q, queue_taker *take, void *self, bool *any);

#endif
