/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiescence.h: pauses in which no worker uses an index, so that one of them may change it.
 *
 * A worker enters before it reads an index and leaves before it waits for anything. Who wants to
 * change an index begins a pause: it becomes the leader, waits until nobody is inside, and leads
 * until it ends the pause. While the pause is SHARED, whoever waits for its end helps the leader.
 *
 * Two handshakes are of the "each writes its own flag, then reads the other's" kind, where both
 * sides need sequential consistency so that at least one sees the other:
 *  H1  a worker writes `inside`, reads `phase`; the leader writes `phase`, reads every `inside`;
 *  H2  a helper adds to `helpers`, reads `phase`; the leader leaves SHARED, reads `helpers`.
 * There is one leader at a time: who turns RUNNING to QUIET with a compare-and-swap.
 */
#ifndef OM_STORE_QUIESCENCE_H
#define OM_STORE_QUIESCENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Workers run; the leader is, or will be, alone; the leader and its helpers work. */
enum { OM_PHASE_RUNNING, OM_PHASE_QUIET, OM_PHASE_SHARED };

/* A worker's own, on a cache line that no other worker writes to. */
typedef struct om_quiescence_flag {
    atomic_uint inside; /* 1 while it may read indices */
} om_quiescence_flag;

typedef struct om_quiescence {
    atomic_uint phase, helpers;
    void (*help)(void *work); /* while SHARED, and what it takes: om_quiescence__share() */
    void *work;
    const unsigned char *flags; /* om_quiescence_flag of worker 0; the next is `stride` bytes on */
    size_t stride;
    unsigned workers;
    uint64_t began_at, own_at;       /* the leader's: on the clock, of its own processor time */
    _Atomic uint64_t longest_ns;     /* of a pause; written by leaders */
    _Atomic uint64_t longest_own_ns; /* of the leader's own time, put aside or not */
} om_quiescence;

void om_quiescence__enter_slowly(om_quiescence *q, om_quiescence_flag *f);

/* Enters; waits, and helps, while somebody leads. */
static inline void om_quiescence__enter(om_quiescence *q, om_quiescence_flag *f)
{
    atomic_store_explicit(&f->inside, 1, memory_order_seq_cst); /* H1 */
    if (atomic_load_explicit(&q->phase, memory_order_seq_cst) != OM_PHASE_RUNNING)
        om_quiescence__enter_slowly(q, f);
}

static inline void om_quiescence__leave(om_quiescence_flag *f)
{
    /* release: what the worker did inside is before what a leader does after (H1). */
    atomic_store_explicit(&f->inside, 0, memory_order_release);
}

/* From outside: makes the caller the leader, with nobody inside. False: another led, and is done.
 */
bool om_quiescence__begin(om_quiescence *q);
/* The leader's: everybody helps, which takes parts of the work until none is left, until done()
 * says that all is done and the last helper has left. */
void om_quiescence__share(
    om_quiescence *q, void (*help)(void *work), bool (*done)(const void *work), void *work);
/* The leader's last word. */
void om_quiescence__end(om_quiescence *q);

#endif
