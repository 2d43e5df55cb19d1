/* SPDX-License-Identifier: Apache-2.0 */
/* The use of the kinds of code by workers. Another kind takes over at any time: up to NOTE_STATES
 * states (cursor.c) that it expands are counted for the kind before it. */
#include "product_impl.h"

#include <assert.h>
#include <time.h>

/* Processor time of the calling thread. */
static uint64_t own_ns(void)
{
    struct timespec t = { 0 };
    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

void om_cursor__note_use(om_cursor *c)
{
    om_product_counter *k = &c->p->counters[c->worker];
    /* relaxed: this worker alone writes it. */
    const uint64_t states = atomic_load_explicit(&k->expansions, memory_order_relaxed);
    const uint64_t ns = own_ns();
    const pthread_t self = pthread_self();
    if (c->noted_ns != 0 && pthread_equal(c->noted_by, self)) {
        assert(states >= c->noted && ns >= c->noted_ns && c->code < OM_CODES);
        k->use.states[c->code] += states - c->noted;
        k->use.cpu_ns[c->code] += ns - c->noted_ns;
    }
    c->code = om_executor__code(c->p->spec.executor);
    c->noted = states;
    c->noted_ns = ns;
    c->noted_by = self;
}

void om_product__add_use(const om_product *p, om_code_use *sum)
{
    for (unsigned i = 0; i < p->spec.workers; i++)
        for (int code = 0; code < OM_CODES; code++) {
            sum->states[code] += p->counters[i].use.states[code];
            sum->cpu_ns[code] += p->counters[i].use.cpu_ns[code];
        }
}
