/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predict.h: how fast published devices would be, by what their memory would have to do. An upper
 * bound: of computing, of launches and of what lies in a cache nothing is said.
 */
#ifndef OMEN_BENCH_PREDICT_H
#define OMEN_BENCH_PREDICT_H

#include "results.h"

/* Published bytes a second of a device of that name, as its driver gives it; NaN: not known. */
double bench_bandwidth_of(const char *name);

/* What is predicted from the counts of a transition: transitions a second, and what is in the way
 * (a constant). */
typedef struct bench_prediction {
    double rate;
    const char *limit;
} bench_prediction;
/* For memory of so many bytes a second; NaN where a count is missing. */
bench_prediction bench_predict(const bench_sample *counts, double bandwidth);

/* For each row that has both counts and a rate measured on a device, what each published device
 * would do with as many transitions a state, and what share of its bandwidth the measured one used.
 * Nothing where no row has counts. */
int bench_put_predictions(const bench_results *r, om_context *ctx, bool markdown, om_text *out);

#endif
