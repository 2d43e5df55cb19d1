/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <omen/base.h>

#include <sched.h>
#include <time.h>

/* Processor time of the calling thread. */
static uint64_t own_ns(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static void note_longest(_Atomic uint64_t *longest, uint64_t ns)
{
    /* relaxed: a figure; leaders come one after the other. */
    if (ns > atomic_load_explicit(longest, memory_order_relaxed))
        atomic_store_explicit(longest, ns, memory_order_relaxed);
}

/* Outside: waits until the gate is open, and helps where there is something to help. */
static void wait_open(om_gate *g)
{
    for (;;) {
        /* acquire: pairs with om_gate_open(), after which the new indices are in place. */
        unsigned state = atomic_load_explicit(&g->state, memory_order_acquire);
        if (state == OM_GATE_OPEN)
            return;
        if (state == OM_GATE_MOVING) {
            (void) atomic_fetch_add_explicit(&g->helpers, 1, memory_order_seq_cst); /* H2 */
            if (atomic_load_explicit(&g->state, memory_order_seq_cst) == OM_GATE_MOVING)
                g->help(g->work);
            /* release: pairs with the leader's wait for helpers. */
            (void) atomic_fetch_sub_explicit(&g->helpers, 1, memory_order_release);
        }
        (void) sched_yield();
    }
}

void om_gate__enter_slowly(om_gate *g, om_gate_place *p)
{
    do {
        om_gate_leave(p);
        wait_open(g);
        atomic_store_explicit(&p->inside, 1, memory_order_seq_cst); /* H1 */
    } while (atomic_load_explicit(&g->state, memory_order_seq_cst) != OM_GATE_OPEN);
}

bool om_gate_close(om_gate *g)
{
    unsigned open = OM_GATE_OPEN;
    if (!atomic_compare_exchange_strong_explicit(
            &g->state, &open, OM_GATE_CLOSED, memory_order_seq_cst, memory_order_relaxed)) {
        wait_open(g);
        return false;
    }
    g->closed_at = om_clock_ns();
    g->own_at = own_ns();
    for (unsigned i = 0; i < g->workers; i++) {
        const void *at = g->places + i * g->stride;
        const om_gate_place *p = at;
        while (atomic_load_explicit(&p->inside, memory_order_seq_cst) != 0) /* H1 */
            (void) sched_yield();
    }
    return true;
}

void om_gate_move(om_gate *g, bool (*done)(const void *work))
{
    /* seq_cst includes release: helpers see what the leader has prepared. */
    atomic_store_explicit(&g->state, OM_GATE_MOVING, memory_order_seq_cst);
    g->help(g->work);
    while (!done(g->work))
        (void) sched_yield();
    atomic_store_explicit(&g->state, OM_GATE_CLOSED, memory_order_seq_cst); /* H2 */
    while (atomic_load_explicit(&g->helpers, memory_order_seq_cst) != 0)
        (void) sched_yield();
}

void om_gate_open(om_gate *g)
{
    note_longest(&g->longest_ns, om_clock_ns() - g->closed_at);
    note_longest(&g->longest_own_ns, own_ns() - g->own_at);
    /* seq_cst includes release: pairs with the loads of the state in enter and wait_open(). */
    atomic_store_explicit(&g->state, OM_GATE_OPEN, memory_order_seq_cst);
}
