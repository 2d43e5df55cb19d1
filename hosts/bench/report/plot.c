/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"
#include "measure/measure.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Distinguishable on light and dark backgrounds, and with most colour vision deficiencies (Tol,
 * bright and muted). */
static const char *const colours[] = { "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee",
    "#aa3377", "#ee8866", "#44bb99", "#999999", "#882255" };
enum { COLOURS = sizeof colours / sizeof *colours, WIDTH = 960, HEIGHT = 420 };

/* ---- selection of entries ---- */

/* Entries without any value get no bar and no name. */
static bool drawn(const bench_shown *s, size_t entry)
{
    for (size_t i = 0; i < s->count; i++)
        if (!isnan(s->lines[i].entries[entry].value.value))
            return true;
    return false;
}

static bool has_intervals(const bench_view *v, const bench_shown *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < v->entry_count; k++)
            if (!isnan(s->lines[i].entries[k].value.low))
                return true;
    return false;
}

/* Returns true if values differ so much that small ones would not be visible on a linear scale. */
static bool wants_logarithm(const bench_view *v, const bench_shown *s)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < v->entry_count; k++) {
            const double x = s->lines[i].entries[k].value.value;
            least = x > 0 && x < least ? x : least;
            most = x > most ? x : most;
        }
    return v->kind == BENCH_VIEW_SUM && most > 50 * least;
}

static void put_number(om_text *out, double x)
{
    if (isnan(x))
        om_text_add(out, " ?");
    else
        om_text_printf(out, " %.6g", x);
}

static void put_bar_data(const bench_view *v, const bench_shown *s, om_text *out)
{
    om_text_add(out, "# line; for each column: value, low, high\n");
    for (size_t i = 0; i < s->count; i++) {
        om_text_printf(out, "\"%s\"", s->lines[i].label.text);
        for (size_t k = 0; k < v->entry_count; k++) {
            const bench_estimate *e = &s->lines[i].entries[k].value;
            put_number(out, e->value);
            put_number(out, isnan(e->low) ? e->value : e->low);
            put_number(out, isnan(e->high) ? e->value : e->high);
        }
        om_text_add(out, "\n");
    }
}

/* The points of a scatter plot. */
typedef struct points {
    om_text *data;
    om_text names;    /* names of the groups, one per line */
    double low, high; /* range of all values */
} points;

static const char *group_of(const bench_results *r, const bench_view *v, size_t row)
{
    const char *name =
        v->by.count == 0 ? "" : bench_lookup(r->table->rows[row].variables, v->by.words[0]);
    return name == NULL ? "-" : name;
}

/* Returns true if an earlier row has the same value of the view's first variable. */
static bool is_repeated(const bench_results *r, const bench_view *v, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(group_of(r, v, i), group_of(r, v, row)) == 0)
            return true;
    return false;
}

/* *added: both values are known. */
static int put_point(const bench_results *r, om_context *ctx, const bench_view *v, size_t row,
    points *p, bool *added)
{
    assert(v->entry_count == 2); /* T2 */
    double x[2] = { NAN, NAN };
    int rc = OM_OK;
    for (size_t k = 0; rc == OM_OK && k < 2; k++) {
        const bench_cell *c =
            bench_cell_at(r, row, bench_find_column(r->table, v->entries[k].column));
        if (c->state == BENCH_OK)
            rc = bench_cell_median(r, ctx, c, v->figure, &x[k]);
    }
    *added = rc == OM_OK && x[0] > 0 && x[1] > 0;
    for (size_t k = 0; *added && k < 2; k++) {
        p->low = x[k] < p->low ? x[k] : p->low;
        p->high = x[k] > p->high ? x[k] : p->high;
    }
    if (*added)
        om_text_printf(p->data, "%.6g %.6g \"%s\"\n", x[0], x[1], r->table->rows[row].name);
    return rc;
}

/* One block for each value of the first variable, separated by two blank lines. */
static int put_points(const bench_results *r, om_context *ctx, const bench_view *v, points *p)
{
    const size_t rows = r->table->row_count;
    int rc = OM_OK;
    for (size_t first = 0; rc == OM_OK && first < rows; first++) {
        size_t count = 0;
        if (is_repeated(r, v, first))
            continue;
        for (size_t row = first; rc == OM_OK && row < rows; row++) {
            bool added = false;
            if (bench_row_shown(r, v, row) &&
                strcmp(group_of(r, v, row), group_of(r, v, first)) == 0)
                rc = put_point(r, ctx, v, row, p, &added);
            count += added;
        }
        if (count != 0) {
            om_text_add(p->data, "\n\n");
            om_text_printf(&p->names, "%s\n", group_of(r, v, first));
        }
    }
    return rc;
}

/* ---- scripts ---- */

/* Appends text in gnuplot's single quotes, in which ' is doubled. */
static void put_quoted(om_text *out, const char *text)
{
    om_text_add(out, "'");
    for (; *text != '\0'; text++)
        om_text_add_n(out, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    om_text_add(out, "'");
}

static void put_axis_name(const bench_view *v, om_text *out)
{
    const char *figure = bench_figure_names[v->figure];
    if (v->kind == BENCH_VIEW_PERCENT)
        om_text_printf(out, "'%s, %% of %s'", figure, v->to);
    else
        om_text_printf(out, "'%s%s'", figure,
            v->kind == BENCH_VIEW_SUM       ? ", sum"
            : v->kind == BENCH_VIEW_AVERAGE ? ", mean"
            : v->kind == BENCH_VIEW_MOST    ? ", greatest"
            : v->entries[0].over == NULL    ? ", geometric mean"
                                            : ", ratio (geometric mean)");
}

static void put_style(const bench_view *v, om_text *out)
{
    om_text_add(out, "# gnuplot script\nset encoding utf8\nset datafile missing '?'\nset title ");
    put_quoted(out, v->title);
    om_text_add(out, "\nset border 3 lc rgb '#888888'\nset tics nomirror textcolor rgb 'black'\n"
                     "set errorbars 0.5 lc rgb '#777777' lw 1\n"
                     "set grid ytics lc rgb '#cccccc' lw 0.6 lt 1\n"
                     "set key outside right top vertical Left reverse noenhanced samplen 1\n");
    for (size_t i = 0; i < COLOURS; i++)
        om_text_printf(out, "set linetype %zu lc rgb '%s' lw 1.5 pt 7\n", i + 1, colours[i]);
    om_text_printf(out, "set linetype cycle %d\n", COLOURS);
}

static void put_bar_script(
    const bench_view *v, const bench_shown *s, const char *data, om_text *out)
{
    const bool intervals = has_intervals(v, s);
    const char *before = "plot ";
    om_text_add(out, "set ylabel ");
    put_axis_name(v, out);
    om_text_printf(out,
        "\nset style data histograms\nset style histogram %s gap 1.2\n"
        "set style fill solid 0.9 noborder\nset boxwidth 0.92 relative\n%s",
        intervals ? "errorbars lw 1" : "clustered",
        wants_logarithm(v, s) ? "set logscale y\n" : "set yrange [0:*]\n");
    om_text_printf(out, "set xrange [-0.6:%.1f]\nset xtics scale 0 %s noenhanced\n",
        (double) s->count - 0.4, s->count > 6 ? "rotate by -35 left" : "norotate center");
    if (v->kind == BENCH_VIEW_PERCENT || v->entries[0].over != NULL)
        om_text_printf(out,
            "set arrow 1 from graph 0, first %d to graph 1, first %d nohead "
            "lc rgb '#888888' dt 2 front\n",
            v->kind == BENCH_VIEW_PERCENT ? 100 : 1, v->kind == BENCH_VIEW_PERCENT ? 100 : 1);
    om_text_add(out, "draw = \"");
    for (size_t k = 0; k < v->entry_count; k++) {
        if (!drawn(s, k))
            continue;
        om_text_printf(out, "%s", before);
        om_text_printf(out, "'%s' using %zu", data, 3 * k + 2);
        if (intervals)
            om_text_printf(out, ":%zu:%zu", 3 * k + 3, 3 * k + 4);
        om_text_add(out, ":xtic(1) title '");
        bench_put_entry_name(&v->entries[k], out);
        om_text_add(out, "'");
        before = ", ";
    }
    om_text_add(out, "\"\n");
}

static void put_scatter_script(const bench_view *v, const points *p, const char *data, om_text *out)
{
    assert(0 < p->low && p->low <= p->high && p->high < INFINITY);
    const char *names = p->names.text;
    const double low = p->low / 1.3, high = p->high * 1.3;
    om_text_add(out, "set xlabel '");
    bench_put_entry_name(&v->entries[0], out);
    om_text_printf(out, ": %s'\nset ylabel '", bench_figure_names[v->figure]);
    bench_put_entry_name(&v->entries[1], out);
    om_text_printf(out,
        ": %s'\nset logscale xy\nset grid xtics ytics lc rgb '#cccccc' lw 0.6 lt 1\n"
        "set size square\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
        "draw = \"plot x with lines lc rgb '#888888' dt 2 notitle",
        bench_figure_names[v->figure], low, high, low, high);
    for (size_t i = 0; *names != '\0'; i++) {
        const size_t n = strcspn(names, "\n");
        om_text_printf(out, ", '%s' index %zu using 1:2 with points lt %zu ps 1 title '%.*s'", data,
            i, i + 1, (int) n, names);
        names += n + 1;
    }
    om_text_add(out, "\"\n");
}

/* Appends commands for both output files, with the title above each picture. */
static void put_outputs(const char *name, om_text *out)
{
    om_text_printf(out,
        "set terminal svg size %d,%d noenhanced font 'sans-serif,13'\nset output '%s.svg'\n"
        "eval(draw)\nset output\n"
        "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
        "  set terminal pngcairo size %d,%d noenhanced font 'sans-serif,11'\n} else {\n"
        "  set terminal png size %d,%d\n}\nset output '%s.png'\neval(draw)\nset output\n",
        WIDTH, HEIGHT, name, WIDTH, HEIGHT, WIDTH, HEIGHT, name);
}

static int put_scatter(const bench_results *r, om_context *ctx, const bench_view *v,
    const char *file, om_text *data, om_text *script)
{
    points p = { data, { .heap = om_context_heap(ctx) }, INFINITY, 0 };
    int rc = put_points(r, ctx, v, &p);
    if (rc == OM_OK && p.names.failed)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK && p.names.length != 0) {
        put_style(v, script);
        put_scatter_script(v, &p, file, script);
    }
    om_text_free(&p.names);
    return rc;
}

int bench_put_plot(const bench_results *r, om_context *ctx, const bench_view *v, const char *name,
    om_text *data, om_text *script)
{
    om_text file = { .heap = om_context_heap(ctx) };
    bench_shown s = { 0 };
    int rc = v->plot == BENCH_PLOT_NONE ? OM_OK : bench_show(r, ctx, v, &s);
    if (rc != OM_OK || v->plot == BENCH_PLOT_NONE)
        return rc;
    om_text_printf(&file, "%s.dat", name);
    if (file.failed)
        rc = om_fail_memory(ctx);
    else if (v->plot == BENCH_PLOT_SCATTER)
        rc = put_scatter(r, ctx, v, file.text, data, script);
    else if (bench_shown_any(v, &s)) {
        put_bar_data(v, &s, data);
        put_style(v, script);
        put_bar_script(v, &s, file.text, script);
    }
    if (rc == OM_OK && script->length != 0)
        put_outputs(name, script);
    if (rc == OM_OK && (data->failed || script->failed))
        rc = om_fail_memory(ctx);
    om_text_free(&file);
    bench_shown_free(ctx, &s);
    return rc;
}

/* ---- gnuplot ---- */

int bench_draw(om_context *ctx, const char *folder, const char *name, const char **why)
{
    om_text script = { .heap = om_context_heap(ctx) };
    char program[] = "gnuplot", *env[] = { NULL };
    bench_outcome o = { 0 };
    om_text_printf(&script, "%s.gp", name);
    int rc = script.failed ? om_fail_memory(ctx) : OM_OK;
    *why = NULL;
    if (rc == OM_OK) {
        char *argv[] = { program, script.text, NULL };
        const bench_command command = { argv, env, folder, (uint64_t) 60 * 1000000000, 0 };
        rc = bench_measure(ctx, &command, &o);
    }
    if (rc == OM_OK && o.status == 127)
        *why = "gnuplot is not installed";
    else if (rc == OM_OK && o.status != 0)
        *why = "gnuplot failed";
    bench_outcome_free(ctx, &o);
    om_text_free(&script);
    return rc;
}
