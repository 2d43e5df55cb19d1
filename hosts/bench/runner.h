/* SPDX-License-Identifier: Apache-2.0 */
/* runner.h: runs the commands of a table, alternating. */
#ifndef OMEN_BENCH_RUNNER_H
#define OMEN_BENCH_RUNNER_H

#include "measure.h"
#include "results.h"

typedef struct bench_runner {
    om_context *ctx;
    bench_results *results;
    const bench_pair *set;                     /* variables of the command line */
    bench_pair *built_in;                      /* omen, corpus, demo, cache ... */
    const char *folder;                        /* for everything temporary */
    uint64_t timeout_ns;                       /* for one command; 0: none */
    uint64_t memory;                           /* likewise, bytes; 0: any */
    uint64_t deadline_ns;                      /* of om_clock_ns(): all are stopped then; 0: none */
    void (*say)(void *self, const char *text); /* a line about each run */
    void (*on_run)(void *self, size_t column); /* a run that counts has ended; or NULL */
    void *self;
} bench_runner;

/* Can anything be measured? *met; where not, *why is what the table's command said last, the
 * caller's to om_text_free(). OM_ESTOP when interrupted. */
int bench_check_requirement(bench_runner *r, bool *met, om_text *why);

/* Runs one row: all rounds, columns in turn within a round. What fails is noted in the results;
 * other columns go on. OM_ESTOP when interrupted, or at the deadline; OM_EINPUT where the table
 * asks for variables that nobody has set. */
int bench_run_row(bench_runner *r, size_t row);

#endif
