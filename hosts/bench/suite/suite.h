/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: runs a suite from its table to its files. main.c runs one suite, or several that a table
 * names. */
#ifndef OMEN_BENCH_SUITE_H
#define OMEN_BENCH_SUITE_H

#include "options.h"
#include "measure/progress_line.h"
#include "measure/runner.h"

enum { BENCH_NOT_MET_STATUS = 10, BENCH_FAILED_STATUS = 20, BENCH_NOT_MEASURED_STATUS = 30 };
enum { BENCH_PATHS = 4096 };

/* State that all suites of a run share. */
typedef struct bench_host {
    om_context *ctx;
    bench_options opt;
    bench_pair *built_in;
    char home[BENCH_PATHS];    /* the folder of this program */
    char scratch[BENCH_PATHS]; /* scratch folder; "" if there is none */
    uint64_t started_ns;
    bench_progress progress;
    bool stopped; /* a signal or the time limit ended the run: no further command is started */
    const char *no_pictures; /* why gnuplot has drawn nothing, or NULL */
} bench_host;

typedef struct bench_suite {
    bench_host *host;
    bench_table table;
    bench_results results;
    om_text base;     /* path of the files of --out, without suffix */
    om_text pictures; /* view NAME is drawn in PICTURES-NAME.svg; empty: no pictures */
    bool met;         /* the table's requirement is met */
} bench_suite;

/* Prints a progress line; `self` is a bench_host. */
void bench_say(void *self, const char *text);
bool bench_exists(const char *path);
/* Writes a whole file through a temporary name, so that a reader sees either the old file or the
 * new one. */
int bench_write_file(om_context *ctx, const char *base, const char *suffix, const om_text *text);
/* Returns the part after the last '/'. */
const char *bench_last_name(const char *path);

/* Prepares the results of the table, which has been read: empty, or those of --from. argv is
 * recorded in the head. Returns OM_EUSAGE if --out already has results. */
int bench_suite_begin(bench_suite *b, int argc, char **argv);
/* Return the limits of one command, from the command line or else the table: nanoseconds, bytes; 0:
 * none. */
uint64_t bench_suite_timeout(const bench_suite *b);
uint64_t bench_suite_memory(const bench_suite *b);
/* Returns true if --rows names the row or was not given. */
bool bench_suite_wants(const bench_suite *b, const char *row);
/* Returns the number of runs to be made. */
size_t bench_suite_runs(const bench_suite *b);
/* Makes the runs, and writes the files after each row. */
int bench_suite_measure(bench_suite *b);
/* Writes all requested files with the current results. */
int bench_suite_write(bench_suite *b);
/* Draws the suite's views beside its files, or for the page alone. If that is impossible, the
 * host's no_pictures holds the reason. */
int bench_suite_draw(bench_suite *b);
/* Computes the exit status: 0, 10, 20 or 30. */
int bench_suite_status(bench_suite *b, int *out);
void bench_suite_free(bench_suite *b);

#endif
