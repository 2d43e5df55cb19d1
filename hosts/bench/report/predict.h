/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predict.h: upper bounds of the speed of published devices, derived from their memory traffic.
 * Computation, kernel launches and caches are not modelled.
 */
#ifndef OMEN_BENCH_PREDICT_H
#define OMEN_BENCH_PREDICT_H

#include "results.h"

/* Returns the published bandwidth, in bytes per second, of a device given by its driver's name; NaN
 * if unknown. */
double bench_bandwidth_of(const char *name);

/* A prediction from the counts per transition: transitions per second, and the limiting resource (a
 * constant). */
typedef struct bench_prediction {
    double rate;
    const char *limit;
} bench_prediction;
/* Predicts for a memory bandwidth in bytes per second; the rate is NaN if a count is missing. */
bench_prediction bench_predict(const bench_sample *counts, double bandwidth);

/*
 * Appends the counts of rows that have counts, and states per second and bytes per state of rows
 * that a device has explored. If such a row also has counts, the share of the device's bandwidth
 * and the upper bounds for the published devices follow, for the same number of transitions per
 * state.
 */
int bench_put_predictions(const bench_results *r, om_context *ctx, bool markdown, om_text *out);

#endif
