/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h: what keeps workers out of the indices while one of them grows.
 *
 * A worker enters before it looks at an index and leaves before it waits for anything. Who wants to
 * change an index closes the gate, waits until nobody is inside, and is the leader until it opens
 * the gate again. While the gate is MOVING, whoever waits at it helps the leader.
 *
 * Two handshakes are of the "each writes its own flag, then reads the other's" kind, where both
 * sides need sequential consistency so that at least one sees the other:
 *  H1  a worker writes `inside`, reads `state`; the leader writes `state`, reads every `inside`;
 *  H2  a helper adds to `helpers`, reads `state`; the leader leaves MOVING, reads `helpers`.
 * There is one leader at a time: who closes the open gate with a compare-and-swap.
 */
#ifndef OM_STORE_GATE_H
#define OM_STORE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OM_GATE_OPEN, OM_GATE_CLOSED, OM_GATE_MOVING };

/* One worker's place at the gate; on a cache line that no other worker writes to. */
typedef struct om_gate_place {
    atomic_uint inside; /* 1 while it may look at indices */
} om_gate_place;

typedef struct om_gate {
    atomic_uint state, helpers;
    void (*help)(void *work); /* takes parts of the leader's work until none is left */
    void *work;
    const unsigned char *places; /* om_gate_place of worker 0; the next is `stride` bytes on */
    size_t stride;
    unsigned workers;
    uint64_t closed_at, own_at;      /* the leader's: on the clock, of its own processor time */
    _Atomic uint64_t longest_ns;     /* from closing to opening; written by leaders */
    _Atomic uint64_t longest_own_ns; /* of the leader's own time, put aside or not */
} om_gate;

void om_gate__enter_slowly(om_gate *g, om_gate_place *p);

/* Enters; waits, and helps, while somebody leads. */
static inline void om_gate_enter(om_gate *g, om_gate_place *p)
{
    atomic_store_explicit(&p->inside, 1, memory_order_seq_cst); /* H1 */
    if (atomic_load_explicit(&g->state, memory_order_seq_cst) != OM_GATE_OPEN)
        om_gate__enter_slowly(g, p);
}

static inline void om_gate_leave(om_gate_place *p)
{
    /* release: what the worker did inside is before what a leader does after (H1). */
    atomic_store_explicit(&p->inside, 0, memory_order_release);
}

/* From outside: makes the caller the leader, with nobody inside. False: another led, and is done.
 */
bool om_gate_close(om_gate *g);
/* The leader's: everybody helps, until done() says that all is done and the last has looked away.
 */
void om_gate_move(om_gate *g, bool (*done)(const void *work));
/* The leader's last word. */
void om_gate_open(om_gate *g);

#endif
