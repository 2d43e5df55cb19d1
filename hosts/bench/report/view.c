/* SPDX-License-Identifier: Apache-2.0 */
#include "view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- selection of rows ---- */

static bool in_view(const bench_results *r, const bench_view *v, size_t row)
{
    if (v->only == NULL)
        return true;
    const char *value = bench_lookup(r->table->rows[row].variables, v->only);
    return value != NULL && strcmp(value, v->only_value) == 0;
}

/* Returns true if the column has a run in any row of the view. */
static bool measured(const bench_results *r, const bench_view *v, size_t column)
{
    for (size_t row = 0; row < r->table->row_count; row++)
        if (in_view(r, v, row) && bench_cell_at(r, row, column)->state == BENCH_OK)
            return true;
    return false;
}

static bool spoils(const bench_results *r, const bench_view *v, size_t row, const char *name)
{
    const size_t column = name == NULL ? 0 : bench_find_column(r->table, name);
    return name != NULL && bench_cell_failed(bench_cell_at(r, row, column)) &&
           measured(r, v, column);
}

bool bench_row_shown(const bench_results *r, const bench_view *v, size_t row)
{
    if (!in_view(r, v, row) || spoils(r, v, row, v->to))
        return false;
    for (size_t i = 0; i < v->entry_count; i++)
        if (spoils(r, v, row, v->entries[i].column) || spoils(r, v, row, v->entries[i].over))
            return false;
    return true;
}

/* Returns the cell if it was measured, otherwise NULL. */
static const bench_cell *usable(const bench_results *r, size_t row, const char *name)
{
    const bench_cell *c = bench_cell_at(r, row, bench_find_column(r->table, name));
    return c->state == BENCH_OK ? c : NULL;
}

/* ---- groups ---- */

static void put_label(const bench_results *r, const bench_view *v, size_t row, om_text *out)
{
    for (size_t i = 0; i < v->by.count; i++) {
        const char *value = bench_lookup(r->table->rows[row].variables, v->by.words[i]);
        om_text_printf(out, "%s%s", i == 0 ? "" : " ", value == NULL ? "-" : value);
    }
}

static size_t find_line(const bench_shown *s, const char *label)
{
    size_t i = 0;
    while (i < s->count && strcmp(s->lines[i].label.text, label) != 0)
        i++;
    return i;
}

/* Stores the line of each row in `line_of` (SIZE_MAX: none); s->lines has room for all. */
static int group(
    const bench_results *r, om_context *ctx, const bench_view *v, bench_shown *s, size_t *line_of)
{
    const om_heap *heap = om_context_heap(ctx);
    for (size_t row = 0; row < r->table->row_count; row++) {
        om_text label = { .heap = heap };
        line_of[row] = SIZE_MAX;
        if (v->by.count == 0 || !in_view(r, v, row) || !bench_row_done(r, row))
            continue;
        put_label(r, v, row, &label);
        if (label.failed)
            return om_fail_memory(ctx);
        line_of[row] = find_line(s, label.text);
        assert(line_of[row] <= s->count && s->count <= row);
        if (line_of[row] == s->count)
            s->lines[s->count++].label = label;
        else
            om_text_free(&label);
    }
    return OM_OK;
}

/* ---- entries ---- */

/* The rows of one line. */
typedef struct span {
    const size_t *line_of;
    size_t line; /* SIZE_MAX: every line */
} span;

static bool in_span(const bench_results *r, const bench_view *v, const span *s, size_t row)
{
    return (s->line == SIZE_MAX || s->line_of[row] == s->line) && bench_row_done(r, row) &&
           bench_row_shown(r, v, row);
}

/* Computes a sum, a percentage, an average or a maximum. */
static int add_up(const bench_results *r, om_context *ctx, const bench_view *v, const span *s,
    const char *column, bench_entry *out)
{
    assert((v->kind == BENCH_VIEW_PERCENT) == (v->to != NULL)); /* T2 */
    double sum = 0, base = 0, most = 0;
    int rc = OM_OK;
    for (size_t row = 0; rc == OM_OK && row < r->table->row_count; row++) {
        double x = NAN, y = 0;
        if (!in_span(r, v, s, row))
            continue;
        const bench_cell *a = usable(r, row, column);
        const bench_cell *b = v->to == NULL ? a : usable(r, row, v->to);
        if (a == NULL || b == NULL)
            continue;
        rc = bench_cell_median(r, ctx, a, v->figure, &x);
        if (rc == OM_OK && v->to != NULL)
            rc = bench_cell_median(r, ctx, b, v->figure, &y);
        if (isnan(x) || isnan(y))
            continue;
        sum += x;
        base += y;
        most = x > most ? x : most;
        out->rows++;
    }
    if (out->rows != 0)
        out->value.value = v->kind == BENCH_VIEW_AVERAGE ? sum / (double) out->rows
                           : v->kind == BENCH_VIEW_MOST  ? most
                           : v->to == NULL               ? sum
                           : base > 0                    ? 100 * sum / base
                                                         : NAN;
    return rc;
}

/* Computes the geometric mean. */
static int average(const bench_results *r, om_context *ctx, const bench_view *v, const span *s,
    const bench_ratio *e, bench_entry *out)
{
    assert(v->kind == BENCH_VIEW_MEAN);
    const om_heap *heap = om_context_heap(ctx);
    const size_t rows = r->table->row_count;
    const bench_cell **a = om_alloc(heap, rows, sizeof(bench_cell *));
    const bench_cell **b = om_alloc(heap, rows, sizeof(bench_cell *));
    int rc = a == NULL || b == NULL ? om_fail_memory(ctx) : OM_OK;
    for (size_t row = 0; rc == OM_OK && row < rows; row++) {
        bench_estimate one = { NAN, NAN, NAN };
        if (!in_span(r, v, s, row))
            continue;
        assert(out->rows <= row);
        a[out->rows] = usable(r, row, e->column);
        b[out->rows] = e->over == NULL ? a[out->rows] : usable(r, row, e->over);
        if (a[out->rows] == NULL || b[out->rows] == NULL)
            continue;
        rc = bench_cells_mean(
            ctx, v->figure, &a[out->rows], e->over == NULL ? NULL : &b[out->rows], 1, &one);
        out->rows += !isnan(one.value);
    }
    if (rc == OM_OK && out->rows != 0)
        rc =
            bench_cells_mean(ctx, v->figure, a, e->over == NULL ? NULL : b, out->rows, &out->value);
    om_free(heap, a);
    om_free(heap, b);
    return rc;
}

static int fill_line(
    const bench_results *r, om_context *ctx, const bench_view *v, const span *s, bench_line *line)
{
    int rc = OM_OK;
    line->entries = om_alloc(om_context_heap(ctx), v->entry_count, sizeof *line->entries);
    if (line->entries == NULL)
        return om_fail_memory(ctx);
    for (size_t row = 0; row < r->table->row_count; row++)
        line->rows += in_span(r, v, s, row);
    for (size_t i = 0; rc == OM_OK && i < v->entry_count; i++) {
        line->entries[i].value = (bench_estimate){ NAN, NAN, NAN };
        rc = v->kind == BENCH_VIEW_MEAN
                 ? average(r, ctx, v, s, &v->entries[i], &line->entries[i])
                 : add_up(r, ctx, v, s, v->entries[i].column, &line->entries[i]);
    }
    return rc;
}

static void note_left_out(const bench_results *r, const bench_view *v, bench_shown *s)
{
    for (size_t row = 0; row < r->table->row_count; row++) {
        if (!in_view(r, v, row) || !bench_row_done(r, row))
            continue;
        if (!bench_row_shown(r, v, row)) {
            s->left_out[s->left_out_count++] = row;
            continue;
        }
        for (size_t i = 0; i < v->entry_count; i++)
            s->differing +=
                bench_cell_at(r, row, bench_find_column(r->table, v->entries[i].column))->state ==
                BENCH_DIFFERS;
    }
}

int bench_show(const bench_results *r, om_context *ctx, const bench_view *v, bench_shown *out)
{
    const om_heap *heap = om_context_heap(ctx);
    const size_t rows = r->table->row_count;
    size_t *line_of = om_alloc(heap, rows, sizeof *line_of);
    bench_shown s = { 0 };
    int rc = OM_OK;

    s.lines = om_alloc(heap, rows + 1, sizeof *s.lines);
    s.left_out = om_alloc(heap, rows, sizeof *s.left_out);
    if (line_of == NULL || s.lines == NULL || s.left_out == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = group(r, ctx, v, &s, line_of);
    for (size_t i = 0; rc == OM_OK && i < s.count; i++)
        rc = fill_line(r, ctx, v, &(span){ line_of, i }, &s.lines[i]);
    if (rc == OM_OK && s.count != 1) {
        bench_line *all = &s.lines[s.count++];
        all->label.heap = heap;
        om_text_add(&all->label, "all");
        rc = all->label.failed ? om_fail_memory(ctx)
                               : fill_line(r, ctx, v, &(span){ line_of, SIZE_MAX }, all);
    }
    if (rc == OM_OK)
        note_left_out(r, v, &s);
    om_free(heap, line_of);
    if (rc == OM_OK)
        *out = s;
    else
        bench_shown_free(ctx, &s);
    return rc;
}

void bench_shown_free(om_context *ctx, bench_shown *s)
{
    const om_heap *heap = om_context_heap(ctx);
    for (size_t i = 0; i < s->count; i++) {
        om_text_free(&s->lines[i].label);
        om_free(heap, s->lines[i].entries);
    }
    om_free(heap, s->lines);
    om_free(heap, s->left_out);
    *s = (bench_shown){ 0 };
}

bool bench_shown_any(const bench_view *v, const bench_shown *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < v->entry_count; k++)
            if (!isnan(s->lines[i].entries[k].value.value))
                return true;
    return false;
}
