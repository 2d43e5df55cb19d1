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

/* The counts of rows that have some; and for rows that a device has explored, its states a second
 * and bytes a state; where there are counts, also the share of its bandwidth that is, and what each
 * published device would do at most with as many transitions a state. */
int bench_put_predictions(const bench_results *r, om_context *ctx, bool markdown, om_text *out);

#endif
