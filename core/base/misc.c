/* SPDX-License-Identifier: Apache-2.0 */
/* Functions too small for files of their own: version, clock, random numbers, nearest names. */
#include "sized.h"

#include <omen/host/omen.h>

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <time.h>

const char *om_version(void)
{
    return OMEN_VERSION;
}

uint64_t om_clock_ns(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

bool om_yield(uint32_t nap_ns)
{
    enum { QUICK_NS = 300000, NAPS = 256 };
    static _Thread_local unsigned naps; /* number of calls until the next yield */
    if (naps != 0) {
        naps--;
        if (nap_ns != 0)
            (void) nanosleep(&(struct timespec){ 0, (long) nap_ns }, NULL);
        return false;
    }
    const uint64_t before = om_clock_ns();
    (void) sched_yield();
    if (om_clock_ns() - before > QUICK_NS)
        naps = NAPS;
    return true;
}

/* splitmix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA
 * 2014). */
uint64_t om_random_next(om_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The upper half of a product with n, without a division unless the lower half shows that some
 * values could be too frequent (D. Lemire, Fast random integer generation in an interval, ACM
 * Transactions on Modeling and Computer Simulation 29, 2019). */
static uint32_t below_narrow(om_random *r, uint32_t n)
{
    uint64_t product = (om_random_next(r) >> 32) * n;
    if ((uint32_t) product < n)
        for (uint32_t least = -n % n; (uint32_t) product < least;)
            product = (om_random_next(r) >> 32) * n;
    return (uint32_t) (product >> 32);
}

uint64_t om_random_below(om_random *r, uint64_t n)
{
    assert(n > 0);
    if (n <= UINT32_MAX)
        return below_narrow(r, (uint32_t) n);
    /* Values after the last whole multiple of n would make small results more frequent. */
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t x;
    do
        x = om_random_next(r);
    while (x >= limit);
    return x % n;
}

enum { NEAREST_LENGTH = 64 };

/* Levenshtein distance of two short strings, one row of the table at a time (R. Wagner, M. Fischer,
 * The string-to-string correction problem, JACM 1974). */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    assert(n <= NEAREST_LENGTH && m <= NEAREST_LENGTH);
    size_t row[NEAREST_LENGTH + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

/* Returns the only name that begins with `name`, or NULL. */
static const char *completed(const char *name, size_t n, const char *const *names, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; n != 0 && i < count; i++)
        if (strncmp(name, names[i], n) == 0) {
            if (found != NULL)
                return NULL;
            found = names[i];
        }
    return found;
}

const char *om_nearest(const char *name, const char *const *names, size_t count)
{
    size_t n = strlen(name), best = n < 3 ? 1 : n / 3;
    const char *found = completed(name, n, names, count);
    if (found != NULL || n > NEAREST_LENGTH)
        return found;
    for (size_t i = 0; i < count; i++) {
        size_t m = strlen(names[i]);
        if (m > NEAREST_LENGTH)
            continue;
        size_t d = distance(name, n, names[i], m);
        if (d < best || (d == best && found == NULL)) {
            best = d;
            found = names[i];
        }
    }
    return found;
}

/* ---- sized structs ---- */

bool om_sized__copy(void *to, size_t known, size_t least, const void *from)
{
    size_t size;
    assert(least <= known && least >= sizeof size);
    memcpy(&size, from, sizeof size);
    if (size < least)
        return false;
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *) from)[i] != 0)
            return false;
    memset(to, 0, known);
    memcpy(to, from, size < known ? size : known);
    return true;
}
