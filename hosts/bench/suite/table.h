/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h: a table of commands, read from a text file (README.md beside this file has the format).
 *
 * Rows are the measured inputs (models); columns are the ways to measure them (a program with its
 * options). Words may contain ${NAME}, which is expanded just before a row is run.
 *
 * T1  The columns that columns, targets and views of a table name are columns of the table.
 * T2  A view has a kind and entries; one in percent has a column `to`, a scatter plot two entries.
 */
#ifndef OMEN_BENCH_TABLE_H
#define OMEN_BENCH_TABLE_H

#include "report/figures.h"

#include <omen/plugin/base.h>

/* ---- memory that lives as long as a table ---- */

typedef struct bench_block bench_block;
typedef struct bench_arena {
    const om_heap *heap;
    bench_block *blocks;
} bench_arena;
/* Returns zeroed bytes, or NULL. */
void *bench_arena_alloc(bench_arena *a, size_t count, size_t size);
char *bench_arena_text(bench_arena *a, const char *text, size_t length);
void bench_arena_free(bench_arena *a);

/* ---- contents of a file ---- */

typedef struct bench_pair {
    const char *name, *value;
    struct bench_pair *next;
} bench_pair;

typedef struct bench_words {
    const char **words; /* not expanded */
    size_t count;
} bench_words;

typedef enum bench_format {
    BENCH_FORMAT_NONE,
    BENCH_FORMAT_OMEN,   /* a JSON object of omen --json */
    BENCH_FORMAT_PAN,    /* output of SPIN's pan */
    BENCH_FORMAT_LTSMIN, /* output of dve2lts-mc */
    BENCH_FORMAT_COUNTS  /* counts of a tracing device, from omen explore --json */
} bench_format;

/* A figure from a file of comma-separated values: FILE FIELD KEY=VALUE..., not expanded. */
typedef struct bench_listed {
    bench_figure figure;
    bench_words words;
    struct bench_listed *next;
} bench_listed;

typedef struct bench_column {
    const char *name;
    om_place place;
    bench_format format;
    bench_words command, needs, published;
    const char *when; /* a variable; the column applies to rows that have it */
    /* Shell lines: only_if is a condition, tested once per row; prepare runs once per row; before
     * runs before each run. */
    const char *only_if, *prepare, *before;
    bench_pair *env, *expect;
    bool warm; /* one run that is not recorded, with warm_words appended to its command */
    bench_words warm_words;
    const char *status; /* the expected exit status, or NULL: 0 */
    bench_figure published_figure;
    const char *recorded; /* a results file (.csv) that supplies the same row of recorded_column */
    const char *recorded_column;
    bench_listed *listed;
    bench_words best; /* in each round, the one of these columns that has the least best_figure */
    bench_figure best_figure;
    const char
        *scaled_by; /* published x (scaled_figure of this column in the same round / scaled_base) */
    bench_figure scaled_figure;
    double scaled_base;
    const char *versus; /* its baseline, if other than the table's; itself: no ratio */
    const char *agree;  /* the column whose number of states this one must equal, or exceed by up to
                           `tolerance` */
    const char *agree_when; /* a variable: only in rows that have it; NULL: in all */
    double tolerance;
} bench_column;

/* What a view computes for each of its columns from the rows of a line. */
typedef enum bench_view_kind {
    BENCH_VIEW_SUM,     /* sums of medians */
    BENCH_VIEW_PERCENT, /* sums, in percent of another column's sum over the same rows */
    BENCH_VIEW_AVERAGE, /* arithmetic means of medians; the next one: greatest medians */
    BENCH_VIEW_MOST,
    BENCH_VIEW_MEAN /* geometric means of medians, or of their ratios */
} bench_view_kind;

typedef enum bench_plot { BENCH_PLOT_NONE, BENCH_PLOT_BARS, BENCH_PLOT_SCATTER } bench_plot;

/* One entry of a view. */
typedef struct bench_ratio {
    const char *column, *over; /* over: the divisor, or NULL */
} bench_ratio;

/* A table as printed in papers: a line for each value of some variables of the rows, and one for
 * all. */
typedef struct bench_view {
    const char *name, *title;
    om_place place;
    bench_view_kind kind;
    bool has_kind;
    bench_figure figure;
    const char *to; /* for BENCH_VIEW_PERCENT: the column that is 100 % */
    bench_ratio *entries;
    size_t entry_count;
    bench_words by;
    const char *only, *only_value; /* only rows with this value of a variable, or NULL */
    bench_plot plot;
} bench_view;

typedef struct bench_row {
    const char *name;
    om_place place;
    bench_pair *variables;
} bench_row;

typedef struct bench_target {
    const char *text;
    om_place place;
    bool every; /* applies to each row separately; otherwise to the geometric mean */
    bench_figure figure;
    const char *column, *over; /* column / over; over may be NULL */
    bool at_least;
    const char *bound; /* a number after expansion */
    const char *where; /* a variable of the row, or NULL: all rows */
    char where_op;     /* '<' '>' '=' */
    double where_bound;
} bench_target;

typedef struct bench_table {
    bench_arena arena;
    const char *suite, *title, *baseline;
    bench_figure figure;      /* figure that the ratios compare */
    bool also[BENCH_FIGURES]; /* further figures whose mean ratios are reported */
    uint64_t rounds;
    uint64_t timeout_ns, memory; /* limits of one command: nanoseconds, bytes; 0: none */
    bench_words members;         /* suites that this one runs; it then has no columns of its own */
    bench_pair *variables;
    bench_words require; /* a command that must succeed before anything is measured */
    bench_pair *notes;   /* only the values are used, in the order of the file */
    bench_column *columns;
    size_t column_count, column_room;
    bench_row *rows;
    size_t row_count, row_room;
    bench_target *targets;
    size_t target_count, target_room;
    bench_view *views;
    size_t view_count, view_room;
} bench_table;

enum { BENCH_ROUNDS_MOST = 1000 };

/* Parses a table. Returns OM_EINPUT with file:line:column if the text is not a valid table. */
int bench_table_parse(
    bench_table *out, om_context *ctx, const char *file, const char *text, size_t length);
int bench_table_read(bench_table *out, om_context *ctx, const char *file);
void bench_table_free(bench_table *t);

/* Reads "500ms", "90s", "20m", "2h", or seconds, into nanoseconds; returns false if the text is
 * none of these. */
bool bench_read_time(const char *text, uint64_t *out);
/* Reads "200M", "4G", or bytes; K, M, G and T are powers of 1000. */
bool bench_read_size(const char *text, uint64_t *out);

/* Returns the index of a column, or column_count if there is none. */
size_t bench_find_column(const bench_table *t, const char *name);
/* Returns the index of the column that this one's ratios refer to, or column_count if there is
 * none. */
size_t bench_baseline_of(const bench_table *t, size_t column);
const char *bench_lookup(const bench_pair *pairs, const char *name);
/* Prepends a pair to the list. Returns OM_OK or OM_ENOMEM. */
int bench_add_pair(
    bench_arena *a, om_context *ctx, bench_pair **list, const char *name, const char *value);

enum { BENCH_LISTS = 4 };
/* The lists in which ${NAME} is looked up; the first list that has it wins. */
typedef struct bench_scope {
    const bench_pair *lists[BENCH_LISTS];
} bench_scope;
/* Appends the word with every ${NAME} replaced; returns OM_EINPUT if a name is unknown. */
int bench_expand(om_context *ctx, const bench_scope *scope, const om_place *place, const char *word,
    om_text *out);

#endif
