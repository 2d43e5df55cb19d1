/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiescence.h: pauses in which no worker uses an index, so that one of them may change it.
 *
 * A worker enters before it reads an index and leaves before it waits for anything. A worker that
 * wants to change an index begins a pause: it becomes the leader, waits until no worker is inside,
 * and leads until it ends the pause. While the pause is SHARED, the workers that wait for its end
 * help the leader.
 *
 * Two handshakes are of the "each writes its own flag, then reads the other's" kind: both sides
 * need sequential consistency so that at least one sees the other:
 *  H1  a worker writes `inside`, reads `phase`; the leader writes `phase`, reads every `inside`;
 *  H2  a helper adds to `helpers`, reads `phase`; the leader leaves SHARED, reads `helpers`. There
 *      is one leader at a time: the worker that turns RUNNING to QUIET with a compare-and-swap.
 */
#ifndef OM_STORE_QUIESCENCE_H
#define OM_STORE_QUIESCENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Workers run; the leader is, or will be, alone; the leader and its helpers work. */
enum { OM_PHASE_RUNNING, OM_PHASE_QUIET, OM_PHASE_SHARED };

/* The flag of one worker, on a cache line that no other worker writes to. */
typedef struct om_quiescence_flag {
    atomic_uint inside; /* 1 while the worker may read indices */
} om_quiescence_flag;

typedef struct om_quiescence {
    atomic_uint phase, helpers;
    void (*help)(void *work); /* called while SHARED, with `work`: om_quiescence__share() */
    void *work;
    const unsigned char *flags; /* om_quiescence_flag of worker 0; the next is `stride` bytes on */
    size_t stride;
    unsigned workers;
    uint64_t began_at, own_at;   /* start of the pause: clock and processor time of the leader */
    _Atomic uint64_t longest_ns; /* longest pause; written by leaders */
    _Atomic uint64_t longest_own_ns; /* longest pause in processor time of its leader */
} om_quiescence;

void om_quiescence__enter_slowly(om_quiescence *q, om_quiescence_flag *f);

/* Enters. While another worker leads, waits and helps. */
static inline void om_quiescence__enter(om_quiescence *q, om_quiescence_flag *f)
{
    atomic_store_explicit(&f->inside, 1, memory_order_seq_cst); /* H1 */
    if (atomic_load_explicit(&q->phase, memory_order_seq_cst) != OM_PHASE_RUNNING)
        om_quiescence__enter_slowly(q, f);
}

static inline void om_quiescence__leave(om_quiescence_flag *f)
{
    /* release: the worker's accesses inside happen before the leader's changes (H1). */
    atomic_store_explicit(&f->inside, 0, memory_order_release);
}

/* True between enter and leave; for the thread of this worker. */
static inline bool om_quiescence__is_inside(const om_quiescence_flag *f)
{
    return atomic_load_explicit(&f->inside, memory_order_relaxed) != 0;
}

/* True during a pause; for its leader and helpers. */
static inline bool om_quiescence__is_paused(const om_quiescence *q)
{
    return atomic_load_explicit(&q->phase, memory_order_relaxed) != OM_PHASE_RUNNING;
}

/* Makes the caller, which is outside, the leader and waits until no worker is inside. Returns false
 * if another worker led; its pause is over then. */
bool om_quiescence__begin(om_quiescence *q);
/* Leader only. All waiting workers call help(), which takes parts of the work until none is left.
 * Returns after done() has returned true and the last helper has left. */
void om_quiescence__share(
    om_quiescence *q, void (*help)(void *work), bool (*done)(const void *work), void *work);
/* Ends the pause; the last call of a leader. */
void om_quiescence__end(om_quiescence *q);

#endif
