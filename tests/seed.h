/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed.h: the random cases of a suite, and its time budget.
 *
 * OMEN_SEED moves the first case. cmake/bootstrap.sh and .ci/ derive it from the commit, so that
 * each commit is tested with its own cases, and the same commit always with the same cases. Without
 * it, a suite runs the cases that the test names. A failure prints the number of its case, which
 * runs alone as `test_NAME NUMBER 1 ...` without OMEN_SEED. OMEN_BUDGET bounds the CPU time of a
 * suite in seconds, including its children: a slow machine or a sanitizer runs fewer cases, not a
 * longer test.
 */
#ifndef OMEN_TESTS_SEED_H
#define OMEN_TESTS_SEED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

static inline uint64_t seed_number(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

/* Returns the first case of a suite, from its argument. */
static inline uint64_t seed_first(const char *argument)
{
    return strtoull(argument, NULL, 10) + seed_number("OMEN_SEED");
}

/* Returns the number of cases after which a suite may expect the coverage that `fixed` known cases
 * have. */
static inline uint64_t seed_enough(uint64_t fixed)
{
    return seed_number("OMEN_SEED") == 0 ? fixed : 10 * fixed;
}

static inline uint64_t seed_cpu_seconds(int who)
{
    struct rusage used;
    (void) getrusage(who, &used);
    return (uint64_t) used.ru_utime.tv_sec + (uint64_t) used.ru_stime.tv_sec;
}

/* Returns true if the suite may run another case, after `done` of `*count`. If the budget is spent,
 * sets `*count` to `done`, so that expectations of the whole suite fit. */
static inline bool seed_goes_on(uint64_t done, uint64_t *count)
{
    const uint64_t budget = seed_number("OMEN_BUDGET");
    if (done < *count && budget > 0 && done > 0 &&
        seed_cpu_seconds(RUSAGE_SELF) + seed_cpu_seconds(RUSAGE_CHILDREN) >= budget)
        *count = done;
    return done < *count;
}

#endif
