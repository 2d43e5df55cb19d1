/* SPDX-License-Identifier: Apache-2.0 */
#include "results.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int bench_results_new(bench_results *out, om_context *ctx, bench_table *table, size_t rounds)
{
    bench_results r = { .table = table, .rounds = rounds };
    size_t cells = table->row_count * table->column_count;
    r.cells = bench_arena_alloc(&table->arena, cells, sizeof *r.cells);
    if (r.cells == NULL)
        return om_fail_memory(ctx);
    for (size_t i = 0; i < cells; i++) {
        r.cells[i].samples = bench_arena_alloc(&table->arena, rounds, sizeof(bench_sample));
        if (r.cells[i].samples == NULL)
            return om_fail_memory(ctx);
    }
    r.date = r.commit = r.machine = r.command = "unknown";
    *out = r;
    return OM_OK;
}

bench_cell *bench_cell_at(const bench_results *r, size_t row, size_t column)
{
    assert(row < r->table->row_count && column < r->table->column_count); /* T1 */
    return &r->cells[row * r->table->column_count + column];
}

bool bench_cell_failed(const bench_cell *c)
{
    return c->state == BENCH_FAILED || c->state == BENCH_LIMIT;
}

bool bench_row_done(const bench_results *r, size_t row)
{
    for (size_t i = 0; i < r->table->column_count; i++)
        if (bench_cell_at(r, row, i)->state == BENCH_PENDING)
            return false;
    return true;
}

void bench_row_clear(bench_results *r, size_t row)
{
    for (size_t i = 0; i < r->table->column_count; i++) {
        bench_cell *c = bench_cell_at(r, row, i);
        *c = (bench_cell){ .samples = c->samples };
    }
}

/* ---- agreement ---- */

static int differs(bench_results *r, om_context *ctx, bench_cell *c, double states, double other,
    const char *column)
{
    om_text note = { .heap = om_context_heap(ctx) };
    om_text_printf(&note, "%.0f states, but %s has %.0f", states, column, other);
    c->state = BENCH_DIFFERS;
    c->note = note.failed ? NULL : bench_arena_text(&r->table->arena, note.text, note.length);
    om_text_free(&note);
    return c->note == NULL ? om_fail_memory(ctx) : OM_OK;
}

int bench_row_agree(bench_results *r, om_context *ctx, size_t row)
{
    const bench_table *t = r->table;
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < t->column_count; i++) {
        const bench_column *column = &t->columns[i];
        bench_cell *c = bench_cell_at(r, row, i);
        if (column->agree == NULL || c->state != BENCH_OK ||
            (column->agree_when != NULL &&
                bench_lookup(t->rows[row].variables, column->agree_when) == NULL))
            continue;
        const bench_cell *other = bench_cell_at(r, row, bench_find_column(t, column->agree));
        for (size_t k = 0; rc == OM_OK && k < c->count && k < other->count; k++) {
            double states = c->samples[k].figures[BENCH_STATES];
            double wanted = other->samples[k].figures[BENCH_STATES];
            /* Written so that an unknown count does not agree. */
            if (!(states >= wanted && states <= wanted + column->tolerance)) {
                rc = differs(r, ctx, c, states, wanted, column->agree);
                break;
            }
        }
    }
    return rc;
}

/* ---- figures ---- */

/* Collects the rounds of a cell in which the figure is known. */
static size_t known(const bench_cell *c, bench_figure f, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(c->samples[i].figures[f]))
            out[n++] = c->samples[i].figures[f];
    return n;
}

int bench_cell_median(
    const bench_results *r, om_context *ctx, const bench_cell *c, bench_figure f, double *out)
{
    assert(c->count <= r->rounds); /* R1 */
    const om_heap *heap = om_context_heap(ctx);
    double *values = om_alloc(heap, r->rounds, sizeof *values);
    int rc = values == NULL ? OM_ENOMEM : bench_median(heap, values, known(c, f, values), out);
    om_free(heap, values);
    return rc == OM_OK ? OM_OK : om_fail_memory(ctx);
}

/* Collects the rounds in which both cells know the figure, in pairs. */
static size_t pairs(
    const bench_cell *a, const bench_cell *b, bench_figure f, double *out_a, double *out_b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count && (b == NULL || i < b->count); i++) {
        double x = a->samples[i].figures[f], y = b == NULL ? 1 : b->samples[i].figures[f];
        if (isnan(x) || isnan(y))
            continue;
        out_a[n] = x;
        out_b[n++] = y;
    }
    return n;
}

int bench_cells_mean(om_context *ctx, bench_figure f, const bench_cell *const *a,
    const bench_cell *const *b, size_t count, bench_estimate *out)
{
    const om_heap *heap = om_context_heap(ctx);
    size_t room = 1;
    for (size_t i = 0; i < count; i++)
        room += a[i]->count;
    bench_rounds *rows = om_alloc(heap, count, sizeof *rows);
    double *values = om_alloc(heap, room, 2 * sizeof *values), *next = values;
    int rc = rows == NULL || values == NULL ? OM_ENOMEM : OM_OK;

    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        double *x = next, *y = next + a[i]->count;
        size_t n = pairs(a[i], b == NULL ? NULL : b[i], f, x, y);
        rows[i] = (bench_rounds){ x, b == NULL ? NULL : y, n };
        next = y + a[i]->count;
        assert(n <= a[i]->count && next <= values + 2 * room);
    }
    if (rc == OM_OK)
        rc = bench_geomean(heap, rows, count, out);
    om_free(heap, rows);
    om_free(heap, values);
    return rc == OM_OK ? OM_OK : om_fail_memory(ctx);
}
