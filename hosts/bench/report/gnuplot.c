/* SPDX-License-Identifier: Apache-2.0 */
/* Figures for gnuplot: a group of bars per row, a bar per column, with the range of its rounds. */
#include "results.h"

#include <math.h>

static void range(const bench_cell *c, bench_figure f, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < c->count; i++) {
        double x = c->samples[i].figures[f];
        *low = isnan(*low) || x < *low ? x : *low;
        *high = isnan(*high) || x > *high ? x : *high;
    }
}

static void put_number(om_text *out, double x)
{
    if (isnan(x))
        om_text_add(out, " ?");
    else
        om_text_printf(out, " %.6g", x);
}

static int put_data(const bench_results *r, om_context *ctx, om_text *out)
{
    const bench_table *t = r->table;
    om_text_printf(out, "# %s of suite %s; for each column: median, least, most\n# row",
        bench_figure_names[t->figure], t->suite);
    for (size_t i = 0; i < t->column_count; i++)
        om_text_printf(out, " %s", t->columns[i].name);
    om_text_add(out, "\n");
    for (size_t row = 0; row < t->row_count; row++) {
        om_text_printf(out, "\"%s\"", t->rows[row].name);
        for (size_t i = 0; i < t->column_count; i++) {
            const bench_cell *c = bench_cell_at(r, row, i);
            double median = NAN, low, high;
            int rc = bench_cell_median(r, ctx, c, t->figure, &median);
            if (rc != OM_OK)
                return rc;
            range(c, t->figure, &low, &high);
            put_number(out, median);
            put_number(out, low);
            put_number(out, high);
        }
        om_text_add(out, "\n");
    }
    return OM_OK;
}

int bench_put_gnuplot(const bench_results *r, om_context *ctx, const char *data,
    const char *picture, om_text *out_data, om_text *out_script)
{
    const bench_table *t = r->table;
    int rc = put_data(r, ctx, out_data);
    if (rc != OM_OK)
        return rc;
    om_text_printf(out_script,
        "# gnuplot script\nset terminal svg size 1200,500 noenhanced\nset output '%s'\n"
        "set title '%s, commit %s'\nset ylabel '%s'\nset logscale y\nset datafile missing '?'\n"
        "set style data histograms\nset style histogram errorbars gap 1\nset style fill solid\n"
        "set xtics rotate by -45\nset key top left\nplot ",
        picture, t->suite, r->commit, bench_figure_names[t->figure]);
    for (size_t i = 0; i < t->column_count; i++)
        om_text_printf(out_script, "%s'%s' using %zu:%zu:%zu:xtic(1) title '%s'",
            i == 0 ? "" : ", \\\n     ", data, 3 * i + 2, 3 * i + 3, 3 * i + 4, t->columns[i].name);
    om_text_add(out_script, "\n");
    return out_data->failed || out_script->failed ? om_fail_memory(ctx) : OM_OK;
}
