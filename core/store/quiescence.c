/* SPDX-License-Identifier: Apache-2.0 */
#include "quiescence.h"

#include <omen/plugin/base.h>

#include <assert.h>
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
    /* relaxed: a figure; there is one leader at a time. */
    if (ns > atomic_load_explicit(longest, memory_order_relaxed))
        atomic_store_explicit(longest, ns, memory_order_relaxed);
}

/* Waits, outside, for the end of the pause and helps while it is shared. */
static void wait_running(om_quiescence *q)
{
    for (;;) {
        /* acquire: pairs with om_quiescence__end(), after which the new indices are in place. */
        unsigned phase = atomic_load_explicit(&q->phase, memory_order_acquire);
        if (phase == OM_PHASE_RUNNING)
            return;
        if (phase == OM_PHASE_SHARED) {
            (void) atomic_fetch_add_explicit(&q->helpers, 1, memory_order_seq_cst); /* H2 */
            if (atomic_load_explicit(&q->phase, memory_order_seq_cst) == OM_PHASE_SHARED)
                q->help(q->work);
            /* release: pairs with the leader's wait for helpers. */
            (void) atomic_fetch_sub_explicit(&q->helpers, 1, memory_order_release);
        }
        (void) om_yield(OM_NAP_NS);
    }
}

void om_quiescence__enter_slowly(om_quiescence *q, om_quiescence_flag *f)
{
    do {
        assert(om_quiescence__is_inside(f)); /* H1 */
        om_quiescence__leave(f);
        wait_running(q);
        atomic_store_explicit(&f->inside, 1, memory_order_seq_cst); /* H1 */
    } while (atomic_load_explicit(&q->phase, memory_order_seq_cst) != OM_PHASE_RUNNING);
}

bool om_quiescence__begin(om_quiescence *q)
{
    unsigned running = OM_PHASE_RUNNING;
    if (!atomic_compare_exchange_strong_explicit(
            &q->phase, &running, OM_PHASE_QUIET, memory_order_seq_cst, memory_order_relaxed)) {
        wait_running(q);
        return false;
    }
    q->began_at = om_clock_ns();
    q->own_at = own_ns();
    for (unsigned i = 0; i < q->workers; i++) {
        const void *at = q->flags + i * q->stride;
        const om_quiescence_flag *f = at;
        while (atomic_load_explicit(&f->inside, memory_order_seq_cst) != 0) /* H1 */
            (void) om_yield(OM_NAP_NS);
    }
    return true;
}

void om_quiescence__share(
    om_quiescence *q, void (*help)(void *work), bool (*done)(const void *work), void *work)
{
    assert(atomic_load_explicit(&q->phase, memory_order_relaxed) == OM_PHASE_QUIET); /* H2 */
    q->help = help;
    q->work = work;
    /* seq_cst includes release: helpers see what the leader has prepared. */
    atomic_store_explicit(&q->phase, OM_PHASE_SHARED, memory_order_seq_cst);
    help(work);
    while (!done(work))
        (void) om_yield(OM_NAP_NS);
    atomic_store_explicit(&q->phase, OM_PHASE_QUIET, memory_order_seq_cst); /* H2 */
    while (atomic_load_explicit(&q->helpers, memory_order_seq_cst) != 0)
        (void) om_yield(OM_NAP_NS);
}

void om_quiescence__end(om_quiescence *q)
{
    assert(atomic_load_explicit(&q->phase, memory_order_relaxed) == OM_PHASE_QUIET); /* H2 */
    note_longest(&q->longest_ns, om_clock_ns() - q->began_at);
    note_longest(&q->longest_own_ns, own_ns() - q->own_at);
    /* seq_cst includes release: pairs with the loads of the phase in enter and wait_running(). */
    atomic_store_explicit(&q->phase, OM_PHASE_RUNNING, memory_order_seq_cst);
}
