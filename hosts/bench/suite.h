/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: a suite from its table to its files. main.c runs one, or several that a table names. */
#ifndef OMEN_BENCH_SUITE_H
#define OMEN_BENCH_SUITE_H

#include "options.h"
#include "progress.h"
#include "runner.h"

enum { BENCH_NOT_MET_STATUS = 10, BENCH_FAILED_STATUS = 20, BENCH_NOT_MEASURED_STATUS = 30 };
enum { BENCH_PATHS = 4096 };

/* What all suites of a run share. */
typedef struct bench_host {
    om_context *ctx;
    bench_options opt;
    bench_pair *built_in;
    char home[BENCH_PATHS];    /* the folder of this program */
    char scratch[BENCH_PATHS]; /* "" while there is none */
    uint64_t started_ns;
    bench_progress progress;
    bool stopped;            /* by a signal or the time: nothing more is run */
    const char *no_pictures; /* why gnuplot has drawn nothing, or NULL */
} bench_host;

typedef struct bench_suite {
    bench_host *host;
    bench_table table;
    bench_results results;
    om_text base;     /* of the files of --out */
    om_text pictures; /* of its views: of NAME in PICTURES-NAME.svg; empty: there are none */
    bool met;         /* the table's requirement */
} bench_suite;

/* A line for whoever watches; a bench_host is `self`. */
void bench_say(void *self, const char *text);
bool bench_exists(const char *path);
/* A whole file, by way of a temporary name: a reader sees the old one or the new one. */
int bench_write_file(om_context *ctx, const char *base, const char *suffix, const om_text *text);
/* Behind the last '/'. */
const char *bench_last_name(const char *path);

/* The results of the table, which was read: empty, or those of --from. The name of the program and
 * its arguments are for the head. OM_EUSAGE where --out has results already. */
int bench_suite_begin(bench_suite *b, int argc, char **argv);
/* What a command may take, by the command line or else the table: nanoseconds, bytes; 0: any. */
uint64_t bench_suite_timeout(const bench_suite *b);
uint64_t bench_suite_memory(const bench_suite *b);
/* Is the row one of --rows, or are there none? */
bool bench_suite_wants(const bench_suite *b, const char *row);
/* How many runs are to be made. */
size_t bench_suite_runs(const bench_suite *b);
/* Makes them, and writes the files after each row. */
int bench_suite_measure(bench_suite *b);
/* Writes all files that were asked for, as things are now. */
int bench_suite_write(bench_suite *b);
/* Draws its views beside its files, or for the page alone; where that is not possible the host says
 * why. */
int bench_suite_draw(bench_suite *b);
/* The exit status: 0, 10, 20 or 30. */
int bench_suite_status(bench_suite *b, int *out);
void bench_suite_free(bench_suite *b);

#endif
