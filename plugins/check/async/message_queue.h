/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_queue.h: a bounded lock-free queue of messages, first in, first out. One worker puts
 * messages; several take them, one at a time.
 *
 * Concurrency: only the one producer calls queue_put(); any other threads call queue_consume();
 * queue_new() and queue_free() must run alone. No function waits: queue_put() refuses a message if
 * the queue is full, and queue_consume() returns at once if another thread is taking messages.
 */
#ifndef OMEN_CHECK_ASYNC_MESSAGE_QUEUE_H
#define OMEN_CHECK_ASYNC_MESSAGE_QUEUE_H

#include "strategy.h"

typedef struct queue queue;

/* Handles a message. Returns OM_OK, or a status that ends the consumption. */
typedef int queue_taker(void *self, const strategy_message *m);

queue *queue_new(const om_heap *heap); /* NULL if memory runs out */
void queue_free(const om_heap *heap, queue *q);
uint64_t queue_bytes(void);

/* Returns false if the queue is full. Writes before the call happen-before the message is taken. */
bool queue_put(queue *q, const strategy_message *m);
/*
 * Takes some of the messages, in order; each has been handled before any thread takes the next one
 * of this queue. Sets *any if there was a message. Returns the last status of take(); a message for
 * which take() did not return OM_OK stays at the head.
 */
int queue_consume(queue *q, queue_taker *take, void *self, bool *any);

#endif
