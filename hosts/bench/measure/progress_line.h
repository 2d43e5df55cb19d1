/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress_line.h: the progress of a run and an estimate of the remaining time.
 *
 * P1  Between rows, done == row_end; during a row, done <= row_end.
 */
#ifndef OMEN_BENCH_PROGRESS_LINE_H
#define OMEN_BENCH_PROGRESS_LINE_H

#include <omen/plugin/base.h>

typedef struct bench_progress {
    bool shown;
    bool terminal; /* one line is overwritten; otherwise a new line each time */
    size_t planned, done;
    size_t row_end; /* the value of `done` at the end of the current row */
    uint64_t started_ns, deadline_ns;
} bench_progress;

/* Starts a row of that many runs; at its end, runs that did not take place count as done. */
void bench_progress_row(bench_progress *p, size_t runs);
void bench_progress_row_end(bench_progress *p);
/* Counts a run that has ended. */
void bench_progress_run(bench_progress *p);
/* Appends "12 of 340 runs, 1 min 20 s; about 36 min left", estimated from the runs so far. */
void bench_put_progress(const bench_progress *p, uint64_t now_ns, om_text *out);

#endif
