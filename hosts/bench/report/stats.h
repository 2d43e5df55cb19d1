/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h: medians, ratios of medians and their geometric means, with confidence intervals.
 *
 * Intervals are percentile bootstraps (Efron, Tibshirani: An Introduction to the Bootstrap, 1993,
 * chapter 13) at 95 %. Rounds are drawn with replacement, and both sides of a ratio use the same
 * draw, because the runs of one round shared the same machine conditions. Rows are never drawn:
 * they are the whole population, not a sample. The generator has a fixed seed, so the same figures
 * give the same interval.
 */
#ifndef OMEN_BENCH_STATS_H
#define OMEN_BENCH_STATS_H

#include <omen/plugin/base.h>

/* value is NaN if unknown; low and high are NaN below two rounds, or if a draw has no mean. */
typedef struct bench_estimate {
    double value, low, high;
} bench_estimate;

/* The figures of one row: `count` rounds of a and, unless b is NULL, of its divisor b. */
typedef struct bench_rounds {
    const double *a, *b;
    size_t count;
} bench_rounds;

/* Computes the median; NaN for no values. Returns OM_OK or OM_ENOMEM. */
int bench_median(const om_heap *heap, const double *values, size_t count, double *out);

/* Computes the geometric mean over the rows of median(a) / median(b), or of median(a). It is NaN if
 * a row has no rounds or a median is not positive. */
int bench_geomean(const om_heap *heap, const bench_rounds *rows, size_t count, bench_estimate *out);

#endif
