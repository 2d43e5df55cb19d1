/* SPDX-License-Identifier: Apache-2.0 */
/* Judges whether the figures meet the targets of a suite. */
#include "results.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the column applies to the row. */
static bool for_row(const bench_column *c, const bench_row *row)
{
    return c->when == NULL || bench_lookup(row->variables, c->when) != NULL;
}

static bool applies(const bench_target *t, const bench_row *row)
{
    if (t->where == NULL)
        return true;
    const char *text = bench_lookup(row->variables, t->where);
    char *stop;
    double n = text == NULL ? NAN : strtod(text, &stop);
    return t->where_op == '<'   ? n < t->where_bound
           : t->where_op == '>' ? n > t->where_bound
                                : n == t->where_bound;
}

/* The bound may differ from row to row. */
static int bound_of(const bench_results *r, om_context *ctx, const bench_target *t,
    const bench_row *row, const bench_pair *set, double *out)
{
    const bench_scope scope = { { row->variables, set, r->table->variables, NULL } };
    om_text text = { .heap = om_context_heap(ctx) };
    char *stop = NULL;
    int rc = bench_expand(ctx, &scope, &t->place, t->bound, &text);
    if (rc == OM_OK) {
        *out = text.text == NULL ? NAN : strtod(text.text, &stop);
        if (text.text == NULL || stop == text.text || *stop != '\0' || !isfinite(*out))
            rc = om_fail(ctx, OM_EINPUT, &t->place, "target: '%s' is not a number", t->bound);
    }
    om_text_free(&text);
    return rc;
}

/* Returns true if a row can be used; otherwise counts it under the most severe reason. */
static bool usable(bench_verdict *v, const bench_cell *a, const bench_cell *b)
{
    bench_cell_state x = a->state, y = b == NULL ? BENCH_OK : b->state;
    if (x == BENCH_NOT_APPLICABLE || y == BENCH_NOT_APPLICABLE)
        return false;
    if (bench_cell_failed(a) || (b != NULL && bench_cell_failed(b)))
        v->failed++;
    else if (x == BENCH_DIFFERS || y == BENCH_DIFFERS)
        v->differing++;
    else if (x != BENCH_OK || y != BENCH_OK)
        v->missing++;
    else
        return true;
    return false;
}

static bool misses(const bench_target *t, double value, double bound)
{
    return t->at_least ? !(value >= bound) : !(value <= bound);
}

/* Returns the margin of a row relative to its bound; less is worse. */
static double room_of(const bench_target *t, double value, double bound)
{
    return t->at_least ? value / bound : bound / value;
}

/* The rows that a target covers. */
typedef struct gathered {
    const bench_cell **a, **b;
    size_t count;
    double bound; /* bound of the last row */
} gathered;

static int gather(const bench_results *r, om_context *ctx, const bench_target *t,
    const bench_pair *set, gathered *g, bench_verdict *out)
{
    const bench_table *table = r->table;
    size_t column = bench_find_column(table, t->column);
    size_t over = t->over == NULL ? 0 : bench_find_column(table, t->over);
    double least = INFINITY;

    for (size_t i = 0; i < table->row_count; i++) {
        const bench_cell *a = bench_cell_at(r, i, column);
        const bench_cell *b = t->over == NULL ? NULL : bench_cell_at(r, i, over);
        bench_estimate e;
        int rc;
        if (!applies(t, &table->rows[i]) || !for_row(&table->columns[column], &table->rows[i]) ||
            (b != NULL && !for_row(&table->columns[over], &table->rows[i])) || !usable(out, a, b))
            continue;
        rc = bound_of(r, ctx, t, &table->rows[i], set, &g->bound);
        if (rc == OM_OK)
            rc = bench_cells_mean(ctx, t->figure, &a, b == NULL ? NULL : &b, 1, &e);
        if (rc != OM_OK)
            return rc;
        if (isnan(e.value)) { /* a figure that could not be taken on this machine */
            out->missing++;
            continue;
        }
        assert(g->count < table->row_count && out->used == g->count);
        g->a[g->count] = a;
        g->b[g->count++] = b;
        out->used++;
        if (!t->every)
            continue;
        out->below += misses(t, e.value, g->bound);
        if (room_of(t, e.value, g->bound) < least) {
            least = room_of(t, e.value, g->bound);
            out->mean = e;
            out->bound = g->bound;
            out->worst = table->rows[i].name;
        }
    }
    return OM_OK;
}

int bench_judge(const bench_results *r, om_context *ctx, const bench_target *t,
    const bench_pair *set, bench_verdict *out)
{
    const om_heap *heap = om_context_heap(ctx);
    gathered g = { .bound = NAN };
    int rc = OM_OK;

    *out = (bench_verdict){ .mean = { NAN, NAN, NAN }, .bound = NAN };
    g.a = om_alloc(heap, r->table->row_count, sizeof(bench_cell *));
    g.b = om_alloc(heap, r->table->row_count, sizeof(bench_cell *));
    if (g.a == NULL || g.b == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = gather(r, ctx, t, set, &g, out);
    if (rc == OM_OK && !t->every && g.count != 0) {
        rc = bench_cells_mean(
            ctx, t->figure, g.a, t->over == NULL ? NULL : g.b, g.count, &out->mean);
        out->below = misses(t, out->mean.value, g.bound);
        out->bound = g.bound;
    }
    /* A target with failed rows is not met. Unmeasured rows alone do not make a target unmet. */
    assert(rc != OM_OK || (out->used == g.count && out->below <= out->used));
    bool known = t->every ? out->below != 0 : out->below != 0 && out->missing == 0;
    out->judgement = out->failed != 0 || known             ? BENCH_NOT_MET
                     : out->missing != 0 || out->used == 0 ? BENCH_NOT_MEASURED
                                                           : BENCH_MET;
    om_free(heap, g.a);
    om_free(heap, g.b);
    return rc;
}
