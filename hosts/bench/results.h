/* SPDX-License-Identifier: Apache-2.0 */
/* results.h: what was measured, as it is kept, written, read again and judged. */
#ifndef OMEN_BENCH_RESULTS_H
#define OMEN_BENCH_RESULTS_H

#include "stats.h"
#include "table.h"

typedef enum bench_cell_state {
    BENCH_PENDING,        /* not run (yet) */
    BENCH_OK,             /* every round */
    BENCH_NOT_APPLICABLE, /* the column is not for this row */
    BENCH_ABSENT,         /* what the column needs is not on this machine */
    BENCH_FAILED,         /* a command failed, or its figures are not the expected ones */
    BENCH_LIMIT,          /* a command took longer, or more memory, than it may */
    BENCH_DIFFERS         /* measured, but its states are not those of the column to agree with */
} bench_cell_state;

/* One column of one row. */
typedef struct bench_cell {
    bench_cell_state state;
    const char *note; /* why, or NULL; lives in the table's arena */
    bench_sample *samples;
    size_t count;
} bench_cell;

/* Strings live in the table's arena. */
typedef struct bench_results {
    bench_table *table;
    size_t rounds;
    bench_cell *cells; /* row-major */
    const char *date, *commit, *machine, *command;
    const char *limits;      /* for one command, or NULL: none */
    const char *no_counters; /* why cycles are missing, or NULL */
    bool interrupted;        /* by a signal or the time budget */
} bench_results;

int bench_results_new(bench_results *out, om_context *ctx, bench_table *table, size_t rounds);
void bench_results_free(bench_results *r);
bench_cell *bench_cell_at(const bench_results *r, size_t row, size_t column);
/* A command failed, or hit a limit. */
bool bench_cell_failed(const bench_cell *c);
/* Nothing in this row is pending. */
bool bench_row_done(const bench_results *r, size_t row);
/* Forgets what the row has. */
void bench_row_clear(bench_results *r, size_t row);
/* Marks the cells of a row whose states are not those that they are to agree with. */
int bench_row_agree(bench_results *r, om_context *ctx, size_t row);

/* The median of a figure; NaN where there is none. */
int bench_cell_median(
    const bench_results *r, om_context *ctx, const bench_cell *c, bench_figure f, double *out);
/* a / b (or a alone where b is NULL) over the rows whose cells are given, as bench_geomean(). */
int bench_cells_mean(om_context *ctx, bench_figure f, const bench_cell *const *a,
    const bench_cell *const *b, size_t count, bench_estimate *out);

/* ---- targets ---- */

typedef enum bench_judgement { BENCH_MET, BENCH_NOT_MET, BENCH_NOT_MEASURED } bench_judgement;

typedef struct bench_verdict {
    bench_judgement judgement;
    bench_estimate mean; /* of geomean; for every: of the row that is worst */
    const char *worst;   /* its name, or NULL */
    double bound;        /* what was wanted there */
    size_t used, failed, missing, differing, below; /* rows; below: that miss the bound */
} bench_verdict;

/* set: variables of the command line, for the bound. */
int bench_judge(const bench_results *r, om_context *ctx, const bench_target *t,
    const bench_pair *set, bench_verdict *out);

/* ---- files ---- */

/* Every run on a line, with a head of '#' lines. */
void bench_put_csv(const bench_results *r, om_text *out);
/* The value of a "# key: value" line of its head; false where there is none. */
bool bench_csv_head(const char *text, const char *key, om_text *out);
/* The first run of that row and column in the file, whatever suite it is of; *found. OM_EINPUT. */
int bench_csv_sample(om_context *ctx, const char *file, const char *text, size_t length,
    const char *row, const char *column, bench_sample *out, bool *found);
enum { BENCH_FIELD_MOST = 512 };
/*
 * A field of any file of comma-separated values whose first line names its fields, in the only line
 * of it that has what is wanted in others. words: the file's name (for messages), the field, then
 * FIELD=VALUE of the line; NULL at the end. *found is false where there is no such line. OM_EINPUT
 * where there are two, or where no field has one of these names; OM_ENOMEM. Fields are cut to
 * BENCH_FIELD_MOST - 1 bytes. Any thread.
 */
int bench_csv_look_up(om_context *ctx, const char *const *words, const char *text, size_t length,
    char value[BENCH_FIELD_MOST], bool *found);
/* Takes over the runs of rows that are complete in it. OM_EINPUT where it is of another suite or
 * commit, or of other rounds, or no such file at all. */
int bench_read_csv(
    bench_results *r, om_context *ctx, const char *file, const char *text, size_t length);

/* The table of medians and ratios, and what became of the targets. */
int bench_put_report(
    const bench_results *r, om_context *ctx, const bench_pair *set, bool markdown, om_text *out);
/* One row of it, for whoever watches. */
int bench_put_row(const bench_results *r, om_context *ctx, size_t row, om_text *out);
/* Data and script for gnuplot; the script reads `data`, a file name, and writes `picture`. */
int bench_put_gnuplot(const bench_results *r, om_context *ctx, const char *data,
    const char *picture, om_text *out_data, om_text *out_script);

#endif
