/* SPDX-License-Identifier: Apache-2.0 */
/* Views as text. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void bench_put_entry_name(const bench_ratio *e, om_text *out)
{
    om_text_add(out, e->column);
    if (e->over != NULL)
        om_text_printf(out, " / %s", e->over);
}

static bool is_time(bench_figure f)
{
    return f == BENCH_WALL || f == BENCH_CPU || f == BENCH_USER || f == BENCH_SYS ||
           f == BENCH_CHILDREN_CPU || f == BENCH_OWN_CPU || f == BENCH_SECONDS ||
           f == BENCH_LONGEST_PAUSE || f == BENCH_LONGEST_PAUSE_CPU || f == BENCH_BLOCKED;
}

static bool is_size(bench_figure f)
{
    return f == BENCH_PEAK || f == BENCH_OWN_PEAK || f == BENCH_AUXILIARY;
}

int bench_view_prefers(const bench_view *v)
{
    const bool ratio = v->kind == BENCH_VIEW_MEAN && v->entries[0].over != NULL;
    if (ratio)
        return is_time(v->figure) ? 1 : 0;
    return is_time(v->figure) || is_size(v->figure) || v->figure == BENCH_EXPANSIONS ||
                   v->figure == BENCH_TRANSITIONS
               ? -1
               : 0;
}

/* Appends a number with commas between groups of three digits. */
static void put_count(double n, om_text *out)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", n);
    for (int i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0)
            om_text_add(out, ",");
        om_text_add_n(out, digits + i, 1);
    }
}

void bench_put_shown(const bench_view *v, double value, om_text *out)
{
    if (isnan(value))
        om_text_add(out, "-");
    else if (v->kind == BENCH_VIEW_PERCENT)
        om_text_printf(out, "%.1f %%", value);
    else if (v->kind == BENCH_VIEW_MEAN && v->entries[0].over != NULL)
        om_text_printf(out, "%.2f", value);
    else if (is_time(v->figure))
        om_text_printf(out, "%.*f s", value < 10 ? 3 : 1, value);
    else if (is_size(v->figure))
        om_text_printf(out, "%.1f MB", value / 1e6);
    else if (value >= 1000 && value < 1e15)
        put_count(value, out);
    else
        om_text_printf(out, "%.4g", value);
}

static const char *why(const bench_results *r, const bench_view *v, size_t row, const char **column)
{
    for (size_t i = 0; i <= v->entry_count; i++) {
        const char *names[] = { i == v->entry_count ? v->to : v->entries[i].column,
            i == v->entry_count ? NULL : v->entries[i].over };
        for (size_t k = 0; k < 2; k++) {
            if (names[k] == NULL)
                continue;
            const bench_cell *c = bench_cell_at(r, row, bench_find_column(r->table, names[k]));
            if (bench_cell_failed(c)) {
                *column = names[k];
                return c->note == NULL ? "failed" : c->note;
            }
        }
    }
    return "";
}

void bench_put_left_out(
    const bench_results *r, const bench_view *v, const bench_shown *s, om_text *out)
{
    if (s->left_out_count != 0)
        om_text_printf(
            out, "Left out: %zu row%s", s->left_out_count, s->left_out_count == 1 ? "" : "s");
    for (size_t i = 0; i < s->left_out_count; i++) {
        const char *column = "";
        const char *text = why(r, v, s->left_out[i], &column);
        om_text_printf(out, "%s %s (%s: %s)", i == 0 ? ":" : ",",
            r->table->rows[s->left_out[i]].name, column, text);
    }
    if (s->left_out_count != 0)
        om_text_add(out, ". ");
    if (s->differing != 0)
        om_text_printf(out, "Not counted: %zu run%s whose product has other states. ", s->differing,
            s->differing == 1 ? "" : "s");
}

/* ---- a table ---- */

static void put_cell(const bench_view *v, const bench_line *line, size_t i, om_text *out)
{
    const bench_entry *e = &line->entries[i];
    bench_put_shown(v, e->value.value, out);
    if (!isnan(e->value.low))
        om_text_printf(out, " [%.2f, %.2f]", e->value.low, e->value.high);
    if (e->rows != 0 && e->rows != line->rows)
        om_text_printf(out, " (%zu)", e->rows);
}

/* The columns of plain text are aligned. */
static void put_padded(om_text *out, const om_text *cell, size_t width, bool left)
{
    const char *text = cell->text == NULL ? "" : cell->text;
    om_text_printf(out, left ? "%-*s" : "%*s", (int) width, text);
}

/* Cell 0 is the label, cell 1 the number of rows; fills the head if line is NULL. */
static void fill_cell(const bench_view *v, const bench_line *line, size_t i, om_text *out)
{
    if (i == 0)
        om_text_add(out, line == NULL ? "" : line->label.text);
    else if (i == 1 && line == NULL)
        om_text_add(out, "rows");
    else if (i == 1)
        om_text_printf(out, "%zu", line->rows);
    else if (line == NULL)
        bench_put_entry_name(&v->entries[i - 2], out);
    else
        put_cell(v, line, i - 2, out);
}

static void put_line(
    const om_text *cells, const size_t *widths, size_t width, bool markdown, om_text *out)
{
    for (size_t k = 0; k < width; k++) {
        om_text_add(out, markdown ? (k == 0 ? "| " : " | ") : k == 0 ? "" : "  ");
        put_padded(out, &cells[k], widths[k], k == 0);
    }
    om_text_add(out, markdown ? " |\n" : "\n");
}

static int put_table(
    om_context *ctx, const bench_view *v, const bench_shown *s, bool markdown, om_text *out)
{
    const om_heap *heap = om_context_heap(ctx);
    const size_t width = v->entry_count + 2, lines = s->count + 1;
    om_text *cells = om_alloc(heap, lines * width, sizeof *cells);
    size_t *widths = om_alloc(heap, width, sizeof *widths);
    int rc = cells == NULL || widths == NULL ? om_fail_memory(ctx) : OM_OK;
    for (size_t i = 0; cells != NULL && i < lines * width; i++)
        cells[i].heap = heap;
    for (size_t i = 0; rc == OM_OK && i < lines; i++)
        for (size_t k = 0; k < width; k++) {
            om_text *cell = &cells[i * width + k];
            fill_cell(v, i == 0 ? NULL : &s->lines[i - 1], k, cell);
            if (cell->failed)
                rc = om_fail_memory(ctx);
            widths[k] = cell->length > widths[k] ? cell->length : widths[k];
        }
    for (size_t i = 0; rc == OM_OK && i < lines; i++) {
        put_line(&cells[i * width], widths, width, markdown, out);
        for (size_t k = 0; markdown && i == 0 && k <= width; k++)
            om_text_add(out, k == width ? "|\n" : k == 0 ? "|---" : "|--:");
    }
    for (size_t i = 0; cells != NULL && i < lines * width; i++)
        om_text_free(&cells[i]);
    om_free(heap, cells);
    om_free(heap, widths);
    return rc;
}

int bench_put_views(const bench_results *r, om_context *ctx, bool markdown, om_text *out)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < r->table->view_count; i++) {
        const bench_view *v = &r->table->views[i];
        bench_shown s = { 0 };
        rc = bench_show(r, ctx, v, &s);
        if (rc != OM_OK)
            break;
        om_text_printf(out, "\n%s%s%s", markdown ? "## " : "", v->title, markdown ? "\n\n" : "\n");
        if (!bench_shown_any(v, &s))
            om_text_add(out, "not measured\n");
        else
            rc = put_table(ctx, v, &s, markdown, out);
        om_text_add(out, s.left_out_count + s.differing != 0 && markdown ? "\n" : "");
        bench_put_left_out(r, v, &s, out);
        om_text_add(out, s.left_out_count + s.differing != 0 ? "\n" : "");
        bench_shown_free(ctx, &s);
    }
    return rc == OM_OK && out->failed ? om_fail_memory(ctx) : rc;
}
