/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h: a table of commands, read from a text file (README.md beside this file has the format).
 *
 * Rows are what is measured (a model), columns are how (a program with its options). Words may hold
 * ${NAME}, which is expanded when a row is about to be run.
 */
#ifndef OMEN_BENCH_TABLE_H
#define OMEN_BENCH_TABLE_H

#include "figures.h"

#include <omen/plugin/base.h>

/* ---- memory that lives as long as a table ---- */

typedef struct bench_block bench_block;
typedef struct bench_arena {
    const om_heap *heap;
    bench_block *blocks;
} bench_arena;
/* Zeroed bytes, or NULL. */
void *bench_arena_alloc(bench_arena *a, size_t count, size_t size);
char *bench_arena_text(bench_arena *a, const char *text, size_t length);
void bench_arena_free(bench_arena *a);

/* ---- what a file says ---- */

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
    BENCH_FORMAT_PAN,    /* what SPIN's pan prints */
    BENCH_FORMAT_LTSMIN, /* what dve2lts-mc prints */
    BENCH_FORMAT_COUNTS  /* what a device that traces counts, of omen explore --json */
} bench_format;

/* A figure that a file of comma-separated values has: FILE FIELD KEY=VALUE..., not expanded. */
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
    const char *when; /* a variable; the column is for rows that have it */
    /* Shell lines: a condition, once a row; once a row; before each run. */
    const char *only_if, *prepare, *before;
    bench_pair *env, *expect;
    bool warm; /* one run that is not recorded, with these words behind its command */
    bench_words warm_words;
    const char *status; /* the exit status that is wanted, or NULL: 0 */
    bench_figure published_figure;
    const char *recorded; /* the column of that name in these results (.csv), the same row */
    const char *recorded_column;
    bench_listed *listed;
    bench_words best; /* in each round the one of these columns that has the least figure */
    bench_figure best_figure;
    const char *scaled_by; /* published x (its figure in the same round / scaled_base) */
    bench_figure scaled_figure;
    double scaled_base;
    const char *versus;     /* its baseline, where that is not the table's; itself: no ratio */
    const char *agree;      /* the column whose states these are, or a few more */
    const char *agree_when; /* a variable: only in rows that have it; NULL: in all */
    double tolerance;
} bench_column;

/* What a view shows of the rows of a line, for each of its columns. */
typedef enum bench_view_kind {
    BENCH_VIEW_SUM,     /* sums of medians */
    BENCH_VIEW_PERCENT, /* those, in percent of another column's over the same rows */
    BENCH_VIEW_AVERAGE, /* arithmetic means of medians; greatest ones */
    BENCH_VIEW_MOST,
    BENCH_VIEW_MEAN /* geometric means of medians, or of their ratios */
} bench_view_kind;

typedef enum bench_plot { BENCH_PLOT_NONE, BENCH_PLOT_BARS, BENCH_PLOT_SCATTER } bench_plot;

/* One entry of a view. */
typedef struct bench_ratio {
    const char *column, *over; /* over: NULL, or what it is divided by */
} bench_ratio;

/* A table that papers print: a line for each value of some variables of the rows, and one for all.
 */
typedef struct bench_view {
    const char *name, *title;
    om_place place;
    bench_view_kind kind;
    bool has_kind;
    bench_figure figure;
    const char *to; /* of BENCH_VIEW_PERCENT: the column that is 100 */
    bench_ratio *entries;
    size_t entry_count;
    bench_words by;
    const char *only, *only_value; /* rows with this value of a variable, or NULL */
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
    bool every; /* each row by itself; else the geometric mean */
    bench_figure figure;
    const char *column, *over; /* column / over; over may be NULL */
    bool at_least;
    const char *bound; /* a number, once expanded */
    const char *where; /* a variable of the row, or NULL: all rows */
    char where_op;     /* '<' '>' '=' */
    double where_bound;
} bench_target;

typedef struct bench_table {
    bench_arena arena;
    const char *suite, *title, *baseline;
    bench_figure figure;      /* what the ratios compare */
    bool also[BENCH_FIGURES]; /* means of ratios of these are reported too */
    uint64_t rounds;
    uint64_t timeout_ns, memory; /* for one command: nanoseconds, bytes; 0: none */
    bench_words members; /* suites that this one stands for; then it has no columns of its own */
    bench_pair *variables;
    bench_words require; /* a command without which nothing can be measured */
    bench_pair *notes;   /* values alone, in the order of the file */
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

/* OM_EINPUT with file:line:column where the text is no table. */
int bench_table_parse(
    bench_table *out, om_context *ctx, const char *file, const char *text, size_t length);
int bench_table_read(bench_table *out, om_context *ctx, const char *file);
void bench_table_free(bench_table *t);

/* "500ms", "90s", "20m", "2h", or seconds: in nanoseconds; false where it is no such thing. */
bool bench_read_time(const char *text, uint64_t *out);
/* "200M", "4G", or bytes; K, M, G and T are powers of 1000. */
bool bench_read_size(const char *text, uint64_t *out);

/* The index of a column, or column_count. */
size_t bench_find_column(const bench_table *t, const char *name);
/* The column that ratios of this one are to: an index, or column_count where there is none. */
size_t bench_baseline_of(const bench_table *t, size_t column);
const char *bench_lookup(const bench_pair *pairs, const char *name);
/* Puts a pair in front of the list. OM_OK or OM_ENOMEM. */
int bench_add_pair(
    bench_arena *a, om_context *ctx, bench_pair **list, const char *name, const char *value);

enum { BENCH_LISTS = 4 };
/* Where ${NAME} is looked up: the first list that has it. */
typedef struct bench_scope {
    const bench_pair *lists[BENCH_LISTS];
} bench_scope;
/* Appends the word with every ${NAME} replaced; OM_EINPUT where there is no such name. */
int bench_expand(om_context *ctx, const bench_scope *scope, const om_place *place, const char *word,
    om_text *out);

#endif
