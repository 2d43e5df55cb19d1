/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h: what a view (table.h) comes to: a line for each group of rows, an entry for each of its
 * columns.
 *
 * A row where one of the view's columns failed or hit a limit is left out for all of them, since
 * sums over different rows say nothing of each other; it is counted. Where a column is not for a
 * row, is absent there or has other states, that row is not in this column's entry alone: the
 * entry says how many rows it is over, and a percentage is of the other column's sum over the same
 * rows. A column that has no run at all leaves nothing out.
 */
#ifndef OMEN_BENCH_VIEW_H
#define OMEN_BENCH_VIEW_H

#include "results.h"

typedef struct bench_entry {
    bench_estimate value; /* NaN: nothing was measured; without an interval but of means */
    size_t rows;          /* that it is over */
} bench_entry;

typedef struct bench_line {
    om_text label;
    size_t rows; /* of the group that are not left out */
    bench_entry *entries;
} bench_line;

typedef struct bench_shown {
    bench_line *lines; /* in the order of the rows; where there are several, the last is of all */
    size_t count;
    size_t *left_out; /* rows */
    size_t left_out_count;
    size_t differing; /* entries of rows whose states are not those of another column */
} bench_shown;

/* OM_OK, or OM_ENOMEM; the caller's to bench_shown_free(). */
int bench_show(const bench_results *r, om_context *ctx, const bench_view *v, bench_shown *out);
void bench_shown_free(om_context *ctx, bench_shown *s);

/* What has been measured at all: false where every entry is unknown. */
bool bench_shown_any(const bench_view *v, const bench_shown *s);
/* "a" or "a / b". */
void bench_put_entry_name(const bench_ratio *e, om_text *out);
/* Which entry of a line does best: -1: the least, 1: the greatest (speed-ups), 0: no saying. */
int bench_view_prefers(const bench_view *v);
/* A value of the view with its unit; "-" for NaN. */
void bench_put_shown(const bench_view *v, double value, om_text *out);
/* Does this row belong to the view, with no column of it failed? */
bool bench_row_shown(const bench_results *r, const bench_view *v, size_t row);
/* What was left out, and why, in a sentence; nothing where nothing was. */
void bench_put_left_out(
    const bench_results *r, const bench_view *v, const bench_shown *s, om_text *out);
/* The views of a table, for the report. */
int bench_put_views(const bench_results *r, om_context *ctx, bool markdown, om_text *out);

#endif
