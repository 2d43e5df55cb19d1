/* SPDX-License-Identifier: Apache-2.0 */
/* runner.h: runs the commands of a table, alternating between columns. */
#ifndef OMEN_BENCH_RUNNER_H
#define OMEN_BENCH_RUNNER_H

#include "measure.h"
#include "report/results.h"

typedef struct bench_runner {
    om_context *ctx;
    bench_results *results;
    const bench_pair *set; /* variables of the command line */
    bench_pair *built_in;  /* omen, corpus, demo, cache ... */
    const char *folder;    /* for all temporary files */
    uint64_t timeout_ns;   /* limit of one command; 0: none */
    uint64_t memory;       /* memory limit of one command, in bytes; 0: none */
    uint64_t deadline_ns;  /* time of om_clock_ns() at which all commands are stopped; 0: none */
    void (*say)(void *self, const char *text); /* receives a line about each run */
    void (*on_run)(void *self, size_t column); /* called after each recorded run; or NULL */
    void *self;
} bench_runner;

/* Checks the table's requirement and sets *met. If it is not met, *why is the last line that its
 * command printed; the caller om_text_free()s it. Returns OM_ESTOP if interrupted. */
int bench_check_requirement(bench_runner *r, bool *met, om_text *why);

/* Runs one row: all rounds, the columns in turn within a round. A failure is noted in the results
 * and does not stop other columns. Returns OM_ESTOP if interrupted or at the deadline, and
 * OM_EINPUT if the table uses a variable that is not set. */
int bench_run_row(bench_runner *r, size_t row);

#endif
