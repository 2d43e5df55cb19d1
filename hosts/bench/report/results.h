/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results.h: the results of a suite, and functions that write, read and judge them.
 *
 * R1  A cell has at most as many samples as there are rounds.
 * R2  While a row runs, a pending cell has a sample of each round before this one; a cell that
 *     failed, is absent or hit a limit takes part in no further round.
 */
#ifndef OMEN_BENCH_RESULTS_H
#define OMEN_BENCH_RESULTS_H

#include "stats.h"
#include "suite/table.h"

typedef enum bench_cell_state {
    BENCH_PENDING,        /* not run (yet) */
    BENCH_OK,             /* every round was measured */
    BENCH_NOT_APPLICABLE, /* the column is not for this row */
    BENCH_ABSENT,         /* something that the column needs is missing on this machine */
    BENCH_FAILED,         /* a command failed, or its figures are not the expected ones */
    BENCH_LIMIT,          /* a command exceeded its time or memory limit */
    BENCH_DIFFERS /* measured, but its states differ from those of the column to agree with */
} bench_cell_state;

/* One column of one row. */
typedef struct bench_cell {
    bench_cell_state state;
    const char *note; /* the reason for the state, or NULL; lives in the table's arena */
    bench_sample *samples;
    size_t count;
} bench_cell;

/* Strings live in the table's arena. */
typedef struct bench_results {
    bench_table *table;
    size_t rounds;
    bench_cell *cells; /* row-major */
    const char *date, *commit, *machine, *command;
    const char *limits;      /* limits of one command as text, or NULL: none */
    const char *no_counters; /* why cycles are missing, or NULL */
    bool interrupted;        /* by a signal or the time budget */
} bench_results;

int bench_results_new(bench_results *out, om_context *ctx, bench_table *table, size_t rounds);
void bench_results_free(bench_results *r);
bench_cell *bench_cell_at(const bench_results *r, size_t row, size_t column);
/* Returns true if a command of the cell failed or hit a limit. */
bool bench_cell_failed(const bench_cell *c);
/* Returns true if no cell of the row is pending. */
bool bench_row_done(const bench_results *r, size_t row);
/* Discards the results of the row. */
void bench_row_clear(bench_results *r, size_t row);
/* Marks the cells of a row whose states differ from those of the column to agree with. */
int bench_row_agree(bench_results *r, om_context *ctx, size_t row);

/* Computes the median of a figure; NaN if no round knows it. */
int bench_cell_median(
    const bench_results *r, om_context *ctx, const bench_cell *c, bench_figure f, double *out);
/* Computes the mean of a / b (of a alone if b is NULL) over the rows of the given cells, as
 * bench_geomean(). */
int bench_cells_mean(om_context *ctx, bench_figure f, const bench_cell *const *a,
    const bench_cell *const *b, size_t count, bench_estimate *out);

/* ---- targets ---- */

typedef enum bench_judgement { BENCH_MET, BENCH_NOT_MET, BENCH_NOT_MEASURED } bench_judgement;

typedef struct bench_verdict {
    bench_judgement judgement;
    bench_estimate mean; /* of a geomean target; of an every target: the worst row */
    const char *worst;   /* name of the worst row, or NULL */
    double bound;        /* required bound for that row */
    size_t used, failed, missing, differing,
        below; /* numbers of rows; below: rows that miss the bound */
} bench_verdict;

/* Judges a target. *set* holds the variables of the command line, which the bound may use. */
int bench_judge(const bench_results *r, om_context *ctx, const bench_target *t,
    const bench_pair *set, bench_verdict *out);

/* ---- files ---- */

/* Appends one line for each run, after a head of '#' lines. */
void bench_put_csv(const bench_results *r, om_text *out);
/* Appends the value of a "# key: value" line of the head; returns false if there is none. */
bool bench_csv_head(const char *text, const char *key, om_text *out);
/* Finds the first run of that row and column in the file, which may belong to any suite, and sets
 * *found. Returns OM_EINPUT if the file is invalid. */
int bench_csv_sample(om_context *ctx, const char *file, const char *text, size_t length,
    const char *row, const char *column, bench_sample *out, bool *found);
enum { BENCH_FIELD_MOST = 512 };
/*
 * Looks up a field of a file of comma-separated values whose first line names the fields. The line
 * is the only one whose other fields have the wanted values. *words* holds the file's name (for
 * messages), the field, then FIELD=VALUE pairs, and ends with NULL. *found is false if no line
 * matches. Returns OM_EINPUT if two lines match or a field name is unknown; OM_ENOMEM. Fields are
 * cut to BENCH_FIELD_MOST - 1 bytes. Thread-safe.
 */
int bench_csv_look_up(om_context *ctx, const char *const *words, const char *text, size_t length,
    char value[BENCH_FIELD_MOST], bool *found);
/* Takes over the runs of complete rows of the file. Returns OM_EINPUT if the file has another
 * suite, commit or number of rounds, or is no results file. */
int bench_read_csv(
    bench_results *r, om_context *ctx, const char *file, const char *text, size_t length);

/* Appends the table of medians and ratios, and the judgements of the targets. */
int bench_put_report(
    const bench_results *r, om_context *ctx, const bench_pair *set, bool markdown, om_text *out);
/* Appends one row of the report, as progress output. */
int bench_put_row(const bench_results *r, om_context *ctx, size_t row, om_text *out);
/* Appends data and script for gnuplot; the script reads the file `data` and writes `picture`. */
int bench_put_gnuplot(const bench_results *r, om_context *ctx, const char *data,
    const char *picture, om_text *out_data, om_text *out_script);

#endif
