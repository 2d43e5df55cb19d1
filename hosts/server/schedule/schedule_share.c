/* SPDX-License-Identifier: Apache-2.0 */
/* Dominant shares, and usage that decays by half-lives. */
#include "schedule_impl.h"

#include <assert.h>
#include <math.h>

/* Upper bound of usage, so that its sums and products stay finite. */
static const double MOST_USAGE = 1e30;

static double part(uint64_t held, uint64_t of)
{
    return held == 0 ? 0 : held >= of ? 1 : (double) held / (double) of;
}

static uint64_t slots(const schedule_device *device)
{
    return device->slots == 0 ? 1 : device->slots;
}

/* Share of all devices that work: each counts as a slot's part of it, or as the part of its memory
 * if that is larger. */
static double device_share(const schedule_pool *pool, const schedule_running *held)
{
    double sum = 0;
    uint64_t all = 0;
    for (uint32_t i = 0; i < schedule__device_count(pool); i++) {
        const schedule_device *d = &pool->devices[i];
        all += !d->broken;
        if (d->broken || (held->devices >> i & 1) == 0)
            continue;
        double by_slot = held->device_alone ? 1 : 1 / (double) slots(d);
        sum += fmax(by_slot, part(held->device_memory, d->memory));
    }
    return all == 0 ? 0 : sum / (double) all;
}

double schedule_share(const schedule_pool *pool, const schedule_running *held)
{
    double threads = part(held->threads, pool->threads), memory = part(held->memory, pool->memory);
    const double share = fmax(fmax(threads, memory), device_share(pool, held));
    assert(share >= 0 && share <= 1);
    return share;
}

double schedule_usage(double usage, double share, uint64_t ms, uint64_t half_life)
{
    double t = (double) ms, h = (double) half_life;
    usage = usage >= 0 ? fmin(usage, MOST_USAGE) : 0;
    share = share >= 0 ? fmin(share, MOST_USAGE) : 0;
    if (half_life == 0)
        usage += share * t;
    else /* u' = share - u * ln 2 / h */
        usage = usage * exp2(-t / h) - share * h / log(2) * expm1(-t / h * log(2));
    assert(usage >= 0);
    return fmin(usage, MOST_USAGE);
}
