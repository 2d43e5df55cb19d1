/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h: the computed form of a view (table.h): a line for each group of rows, an entry for each
 * of its columns.
 *
 * A row for which one of the view's columns failed or hit a limit is left out for all columns,
 * because sums over different rows are not comparable; such rows are counted. If a column is not
 * for a row, is absent there or has other states, only this column's entry omits the row: the entry
 * states its number of rows, and a percentage refers to the other column's sum over the same rows.
 * A column without any run leaves no row out.
 */
#ifndef OMEN_BENCH_VIEW_H
#define OMEN_BENCH_VIEW_H

#include "results.h"

typedef struct bench_entry {
    bench_estimate value; /* NaN: nothing was measured; only means have an interval */
    size_t rows;          /* number of rows in the value */
} bench_entry;

typedef struct bench_line {
    om_text label;
    size_t rows; /* rows of the group that are not left out */
    bench_entry *entries;
} bench_line;

typedef struct bench_shown {
    bench_line
        *lines; /* in the order of the rows; if there are several, the last one covers all rows */
    size_t count;
    size_t *left_out; /* indices of rows */
    size_t left_out_count;
    size_t differing; /* entries of rows whose states differ from those of another column */
} bench_shown;

/* Computes a view. Returns OM_OK or OM_ENOMEM; the caller calls bench_shown_free(). */
int bench_show(const bench_results *r, om_context *ctx, const bench_view *v, bench_shown *out);
void bench_shown_free(om_context *ctx, bench_shown *s);

/* Returns true unless every entry is unknown. */
bool bench_shown_any(const bench_view *v, const bench_shown *s);
/* Appends "a" or "a / b". */
void bench_put_entry_name(const bench_ratio *e, om_text *out);
/* Returns which entry of a line is the best: -1: the least, 1: the greatest (speed-ups), 0:
 * undefined. */
int bench_view_prefers(const bench_view *v);
/* Appends a value of the view with its unit; "-" for NaN. */
void bench_put_shown(const bench_view *v, double value, om_text *out);
/* Returns true if the row belongs to the view and no column of the view failed on it. */
bool bench_row_shown(const bench_results *r, const bench_view *v, size_t row);
/* Appends a sentence with the rows left out and the reason; nothing if there are none. */
void bench_put_left_out(
    const bench_results *r, const bench_view *v, const bench_shown *s, om_text *out);
/* Appends the views of a table for the report. */
int bench_put_views(const bench_results *r, om_context *ctx, bool markdown, om_text *out);

#endif
