/* SPDX-License-Identifier: Apache-2.0 */
/* The report for readers: a table of medians and ratios, and the judgements of the targets. */
#include "predict.h"
#include "view.h"

#include <math.h>
#include <string.h>

/* ---- a grid of texts ---- */

enum { GRID = 10 };
static const char *const head[GRID] = { "row", "column", "runs", "states", "cpu s", "wall s",
    "peak MB", "B/state", "ratio [95 %]", "" };

typedef struct grid {
    om_text cells[GRID];
} grid;

static void grid_free(grid *lines, size_t count, const om_heap *heap)
{
    for (size_t i = 0; lines != NULL && i < count; i++)
        for (size_t k = 0; k < GRID; k++)
            om_text_free(&lines[i].cells[k]);
    om_free(heap, lines);
}

static void put_estimate(om_text *out, const bench_estimate *e)
{
    if (isnan(e->value))
        om_text_add(out, "-");
    else if (isnan(e->low))
        om_text_printf(out, "%.3g", e->value);
    else
        om_text_printf(out, "%.3g [%.3g, %.3g]", e->value, e->low, e->high);
}

static int put_median(const bench_results *r, om_context *ctx, const bench_cell *c, bench_figure f,
    double unit, int digits, om_text *out)
{
    double value = NAN;
    int rc = bench_cell_median(r, ctx, c, f, &value);
    digits += digits == 2 && value < 1; /* seconds below 1 have one more digit */
    if (isnan(value))
        om_text_add(out, "-");
    else
        om_text_printf(out, "%.*f", digits, value / unit);
    return rc;
}

/* Appends how many times better the cell is than its baseline. */
static int put_ratio(
    const bench_results *r, om_context *ctx, size_t row, size_t column, om_text *out)
{
    const bench_cell *c = bench_cell_at(r, row, column);
    size_t base = bench_baseline_of(r->table, column);
    bench_estimate e = { NAN, NAN, NAN };
    int rc = OM_OK;
    if (base == r->table->column_count || c->state != BENCH_OK)
        return OM_OK;
    const bench_cell *b = bench_cell_at(r, row, base);
    if (b->state != BENCH_OK)
        return OM_OK;
    rc = bench_cells_mean(ctx, r->table->figure, &b, &c, 1, &e);
    put_estimate(out, &e);
    return rc;
}

static const char *state_text(const bench_cell *c)
{
    switch (c->state) {
    case BENCH_ABSENT:
        return "ABSENT: ";
    case BENCH_FAILED:
    case BENCH_LIMIT:
        return "FAILED: ";
    case BENCH_DIFFERS:
        return "STATES DIFFER: ";
    default:
        return "";
    }
}

static int fill_line(const bench_results *r, om_context *ctx, size_t row, size_t column, grid *g)
{
    static const struct {
        double unit;
        bench_figure figure;
        int digits;
    } shown[] = { { 1, BENCH_STATES, 0 }, { 1, BENCH_CPU, 2 }, { 1, BENCH_WALL, 2 },
        { 1e6, BENCH_PEAK, 1 }, { 1, BENCH_PEAK_PER_STATE, 1 } };
    const bench_cell *c = bench_cell_at(r, row, column);
    int rc = OM_OK;

    om_text_add(&g->cells[0], r->table->rows[row].name);
    om_text_add(&g->cells[1], r->table->columns[column].name);
    om_text_printf(&g->cells[2], "%zu", c->count);
    for (size_t i = 0; rc == OM_OK && i < sizeof shown / sizeof *shown; i++)
        rc = put_median(
            r, ctx, c, shown[i].figure, shown[i].unit, shown[i].digits, &g->cells[3 + i]);
    if (rc == OM_OK)
        rc = put_ratio(r, ctx, row, column, &g->cells[8]);
    om_text_add(&g->cells[9], state_text(c));
    om_text_add(&g->cells[9], c->note == NULL ? "" : c->note);
    for (size_t k = 0; rc == OM_OK && k < GRID; k++)
        if (g->cells[k].failed)
            rc = om_fail_memory(ctx);
    return rc;
}

static const char *text_of(const om_text *t)
{
    return t->text == NULL ? "" : t->text;
}

/* Numbers are right-aligned, names left-aligned. */
static void put_line(om_text *out, const char *const *cells, const size_t *widths, bool markdown)
{
    for (size_t k = 0; k < GRID; k++) {
        bool left = k < 2 || k == GRID - 1;
        int width = (int) widths[k], pad = width - (int) strlen(cells[k]);
        om_text_add(out, markdown ? "| " : k == 0 ? "" : "  ");
        if (!left)
            om_text_printf(out, "%*s", pad, "");
        om_text_add(out, cells[k]);
        if (left && (markdown || k != GRID - 1))
            om_text_printf(out, "%*s", pad, "");
        om_text_add(out, markdown ? " " : "");
    }
    while (!markdown && !out->failed && out->length != 0 && out->text[out->length - 1] == ' ')
        out->length--; /* the next text overwrites it */
    om_text_add(out, markdown ? "|\n" : "\n");
}

static void put_grid(const grid *lines, size_t count, bool heads, bool markdown, om_text *out)
{
    static const size_t least[GRID] = { 16, 10, 4, 9, 7, 7, 8, 7, 18, 0 };
    const char *cells[GRID];
    size_t widths[GRID];
    for (size_t k = 0; k < GRID; k++) {
        widths[k] = strlen(head[k]) > least[k] ? strlen(head[k]) : least[k];
        for (size_t i = 0; k != GRID - 1 && i < count; i++)
            if (lines[i].cells[k].length > widths[k])
                widths[k] = lines[i].cells[k].length;
    }
    if (heads)
        put_line(out, head, widths, markdown);
    if (markdown)
        om_text_add(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n");
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < GRID; k++)
            cells[k] = text_of(&lines[i].cells[k]);
        put_line(out, cells, widths, markdown);
    }
}

/* Returns the note of a column that was absent in every row to which it applies, otherwise NULL. */
static const char *absent_everywhere(const bench_results *r, size_t column)
{
    const char *note = NULL;
    for (size_t row = 0; row < r->table->row_count; row++) {
        const bench_cell *c = bench_cell_at(r, row, column);
        if (c->state != BENCH_ABSENT && c->state != BENCH_NOT_APPLICABLE &&
            c->state != BENCH_PENDING)
            return NULL;
        note = c->state == BENCH_ABSENT ? c->note : note;
    }
    return note;
}

static int put_rows(const bench_results *r, om_context *ctx, size_t from, size_t to, bool heads,
    bool markdown, om_text *out)
{
    const om_heap *heap = om_context_heap(ctx);
    size_t columns = r->table->column_count, room = (to - from) * columns, count = 0;
    grid *lines = om_alloc(heap, room, sizeof *lines);
    int rc = lines == NULL ? om_fail_memory(ctx) : OM_OK;

    for (size_t i = 0; rc == OM_OK && i < room; i++)
        for (size_t k = 0; k < GRID; k++)
            lines[i].cells[k].heap = heap;
    for (size_t row = from; rc == OM_OK && row < to; row++)
        for (size_t i = 0; rc == OM_OK && i < columns; i++) {
            bench_cell_state state = bench_cell_at(r, row, i)->state;
            if (state != BENCH_PENDING && state != BENCH_NOT_APPLICABLE &&
                absent_everywhere(r, i) == NULL)
                rc = fill_line(r, ctx, row, i, &lines[count++]);
        }
    if (rc == OM_OK)
        put_grid(lines, count, heads, markdown, out);
    grid_free(lines, room, heap);
    return rc;
}

int bench_put_row(const bench_results *r, om_context *ctx, size_t row, om_text *out)
{
    return put_rows(r, ctx, row, row + 1, false, false, out);
}

/* ---- means over the rows ---- */

static int put_mean(const bench_results *r, om_context *ctx, size_t column, bench_figure f,
    bool markdown, om_text *out)
{
    const bench_table *t = r->table;
    const om_heap *heap = om_context_heap(ctx);
    size_t base = bench_baseline_of(t, column), count = 0;
    const bench_cell **a = om_alloc(heap, t->row_count, sizeof(bench_cell *));
    const bench_cell **b = om_alloc(heap, t->row_count, sizeof(bench_cell *));
    bench_estimate e = { NAN, NAN, NAN };
    int rc = a == NULL || b == NULL ? om_fail_memory(ctx) : OM_OK;

    for (size_t row = 0; rc == OM_OK && row < t->row_count; row++) {
        const bench_cell *x = bench_cell_at(r, row, base), *y = bench_cell_at(r, row, column);
        if (x->state != BENCH_OK || y->state != BENCH_OK)
            continue;
        a[count] = x;
        b[count++] = y;
    }
    if (rc == OM_OK && count != 0)
        rc = bench_cells_mean(ctx, f, a, b, count, &e);
    if (rc == OM_OK && !isnan(e.value)) {
        om_text_printf(out, "%sgeometric mean of %s, %s / %s: ", markdown ? "- " : "",
            bench_figure_names[f], t->columns[base].name, t->columns[column].name);
        put_estimate(out, &e);
        om_text_printf(out, " over %zu row%s\n", count, count == 1 ? "" : "s");
    }
    om_free(heap, a);
    om_free(heap, b);
    return rc;
}

/* ---- targets ---- */

static const char *judgement_text(bench_judgement j)
{
    return j == BENCH_MET ? "met" : j == BENCH_NOT_MET ? "NOT MET" : "not measured";
}

static void put_rows_left_out(const bench_verdict *v, om_text *out)
{
    const struct {
        size_t count;
        const char *why;
    } out_of[] = { { v->failed, "failed" }, { v->missing, "not measured" },
        { v->differing, "left out: states differ" } };
    om_text_printf(out, ", over %zu row%s", v->used, v->used == 1 ? "" : "s");
    for (size_t i = 0; i < 3; i++)
        if (out_of[i].count != 0)
            om_text_printf(out, ", %zu %s", out_of[i].count, out_of[i].why);
}

static int put_target(const bench_results *r, om_context *ctx, const bench_target *t,
    const bench_pair *set, bool markdown, om_text *out)
{
    bench_verdict v;
    int rc = bench_judge(r, ctx, t, set, &v);
    if (rc != OM_OK)
        return rc;
    om_text_add(out, markdown ? "- **" : "");
    om_text_add(out, judgement_text(v.judgement));
    om_text_printf(out, "%s: %s: %s of %s %s%s%s is ", markdown ? "**" : "", t->text,
        t->every ? "the worst" : "geometric mean", bench_figure_names[t->figure], t->column,
        t->over == NULL ? "" : " / ", t->over == NULL ? "" : t->over);
    put_estimate(out, &v.mean);
    if (v.worst != NULL)
        om_text_printf(out, " (%s)", v.worst);
    if (!isnan(v.bound))
        om_text_printf(out, ", target %s %.6g", t->at_least ? ">=" : "<=", v.bound);
    if (t->every && v.below != 0)
        om_text_printf(out, ", missed by %zu", v.below);
    put_rows_left_out(&v, out);
    om_text_add(out, "\n");
    return OM_OK;
}

static void put_head(const bench_results *r, bool markdown, om_text *out)
{
    const bench_table *t = r->table;
    const char *dash = markdown ? "- " : "";
    om_text_printf(out, "%s%s%s%s\n\n", markdown ? "# " : "", t->suite,
        t->title == NULL ? "" : ": ", t->title == NULL ? "" : t->title);
    om_text_printf(out, "%s%s, commit %s, %zu round%s\n%s%s\n", dash, r->date, r->commit, r->rounds,
        r->rounds == 1 ? "" : "s", dash, r->machine);
    om_text_printf(out, "%s%s%s\n", markdown ? "- `" : "", r->command, markdown ? "`" : "");
    if (r->interrupted)
        om_text_printf(out, "%sstopped before all rows were run\n", dash);
    if (r->no_counters != NULL)
        om_text_printf(out, "%sno cycles and cache misses: %s\n", dash, r->no_counters);
    for (size_t i = 0; i < t->column_count; i++)
        if (absent_everywhere(r, i) != NULL)
            om_text_printf(out, "%scolumn %s is absent: %s\n", dash, t->columns[i].name,
                absent_everywhere(r, i));
    for (const bench_pair *n = t->notes; n != NULL; n = n->next)
        om_text_printf(out, "%s%s\n", dash, n->value);
    om_text_add(out, "\n");
}

int bench_put_report(
    const bench_results *r, om_context *ctx, const bench_pair *set, bool markdown, om_text *out)
{
    const bench_table *t = r->table;
    int rc;

    put_head(r, markdown, out);
    rc = put_rows(r, ctx, 0, t->row_count, true, markdown, out);
    om_text_add(out, "\n");
    if (t->baseline != NULL)
        om_text_printf(out,
            "The ratio is %s of the column named below / %s of the column itself.%s",
            bench_figure_names[t->figure], bench_figure_names[t->figure], markdown ? "\n\n" : "\n");
    for (int f = 0; f < BENCH_FIGURES; f++)
        for (size_t i = 0; rc == OM_OK && i < t->column_count; i++)
            if (bench_baseline_of(t, i) != t->column_count && (t->also[f] || f == (int) t->figure))
                rc = put_mean(r, ctx, i, (bench_figure) f, markdown, out);
    if (rc == OM_OK)
        rc = bench_put_predictions(r, ctx, markdown, out);
    if (rc == OM_OK)
        rc = bench_put_views(r, ctx, markdown, out);
    om_text_add(out, t->target_count == 0 ? "" : markdown ? "\n## Targets\n\n" : "\n");
    for (size_t i = 0; rc == OM_OK && i < t->target_count; i++)
        rc = put_target(r, ctx, &t->targets[i], set, markdown, out);
    return rc == OM_OK && out->failed ? om_fail_memory(ctx) : rc;
}
