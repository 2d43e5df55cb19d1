/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: how far a run is, and how long it may still take. */
#ifndef OMEN_BENCH_PROGRESS_H
#define OMEN_BENCH_PROGRESS_H

#include <omen/plugin/base.h>

typedef struct bench_progress {
    bool shown;
    bool terminal; /* one line, written anew; else a line each time */
    size_t planned, done;
    size_t row_end; /* what `done` is when the row under way has ended */
    uint64_t started_ns, deadline_ns;
} bench_progress;

/* A row of that many runs begins; runs of it that do not take place are passed over at its end. */
void bench_progress_row(bench_progress *p, size_t runs);
void bench_progress_row_end(bench_progress *p);
/* A run has ended. */
void bench_progress_run(bench_progress *p);
/* "12 of 340 runs, 1 min 20 s; about 36 min left": by what those so far have taken. */
void bench_put_progress(const bench_progress *p, uint64_t now_ns, om_text *out);

#endif
