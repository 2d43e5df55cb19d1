/* SPDX-License-Identifier: Apache-2.0 */
/* Only in builds with OMEN_YIELDS. */
#include <omen/plugin/base.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

void om_yield__point(void);

enum { RATE = 64, SPINS = 512, SLEEP_NS = 50000 };

/* A yield point has no argument that could carry its state, so the state is global and
 * thread-local. */
static atomic_uint threads;
static _Thread_local struct {
    uint64_t rate; /* 0: not initialised */
    om_random random;
} own;

static void begin(void)
{
    char *end = NULL;
    const char *text = getenv("OMEN_YIELDS");
    uint64_t seed = text == NULL ? 1 : strtoull(text, &end, 10);
    uint64_t rate = end != NULL && *end == ':' ? strtoull(end + 1, NULL, 10) : RATE;
    own.rate = rate == 0 ? RATE : rate;
    /* relaxed: a number. */
    own.random.state = (seed << 32) + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
}

static void spin(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        atomic_signal_fence(memory_order_seq_cst); /* keeps the compiler from removing the loop */
}

void om_yield__point(void)
{
    if (own.rate == 0)
        begin();
    if (om_random_below(&own.random, own.rate) != 0)
        return;
    uint64_t way = om_random_below(&own.random, 16);
    if (way == 0) {
        struct timespec t = { 0, (long) om_random_below(&own.random, SLEEP_NS) };
        (void) nanosleep(&t, NULL);
    } else if (way < 8) {
        spin((unsigned) om_random_below(&own.random, SPINS));
    } else {
        (void) sched_yield();
    }
}
