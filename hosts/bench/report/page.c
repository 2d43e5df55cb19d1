/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PICTURE_MOST = 4 << 20 };

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--soft:#59636e;--line:#d1d9e0;"
    "--bar:#4477aa2e;--best:#228833;--card:#f6f8fa;--grid:#d8dee4}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#0f1318;--ink:#e4e9ef;--soft:#9aa5b1;"
    "--line:#343c46;--bar:#66ccee33;--best:#5ac86f;--card:#171c23;--grid:#343c46}}\n"
    "body{margin:0 auto;padding:1.5rem 1.2rem 4rem;max-width:66rem;background:var(--ground);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0}h2{margin:3rem 0 .5rem;padding-top:1rem;"
    "border-top:3px solid var(--line)}h3{margin:2.2rem 0 .4rem}\n"
    "p,li{max-width:50rem}.soft,dt,figcaption{color:var(--soft)}a{color:inherit}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.8rem 0}"
    "dd{margin:0;overflow-wrap:anywhere}code{font-size:.86em;overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "font-size:.9rem;margin:.6rem 0}th,td{padding:.22rem .7rem;border-bottom:1px solid "
    "var(--line);text-align:right;white-space:nowrap}th:first-child{text-align:left}"
    "thead th{color:var(--soft);font-weight:600;vertical-align:bottom;white-space:normal}tbody "
    "th{font-weight:500}\n"
    "tr.all>*{border-top:2px solid var(--soft);font-weight:600}"
    "td.v{background:linear-gradient(90deg,var(--bar) var(--w),transparent var(--w))}"
    "td.best{color:var(--best);font-weight:700}td small{color:var(--soft);font-weight:400}\n"
    "figure{margin:.6rem 0;padding:.6rem;background:var(--card);border:1px solid var(--line);"
    "border-radius:8px;overflow-x:auto}figure svg{display:block;width:100%;height:auto;"
    "min-width:36rem}figure svg text{fill:var(--ink)}"
    "figure svg [stroke='rgb(204, 204, 204)']{stroke:var(--grid)}"
    "figure svg [stroke='black'],figure svg [stroke='rgb(  0,   0,   0)']{stroke:var(--ink)}\n"
    "details{margin:.7rem 0}summary{cursor:pointer;font-weight:600}"
    ".bad{color:#c4314b}@media(prefers-color-scheme:dark){.bad{color:#ff8296}}\n"
    "@media print{details{display:block}body{max-width:none}}\n";

/* ---- texts ---- */

/* Appends escaped text; characters that XML does not allow are left out. */
static void put(om_text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *as = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as != NULL)
            om_text_add(out, as);
        else if ((unsigned char) *text >= ' ' || *text == '\n' || *text == '\t')
            om_text_add_n(out, text, 1);
    }
}

static void put_term(om_text *out, const char *name, const char *value)
{
    om_text_printf(out, "<dt>%s</dt><dd>", name);
    put(out, value);
    om_text_add(out, "</dd>\n");
}

/* Appends the head of a part's results, or the values that all parts share. */
static void put_origin(const bench_results *r, om_text *out)
{
    om_text_add(out, "<dl>\n");
    put_term(out, "date", r->date);
    put_term(out, "commit", r->commit);
    put_term(out, "machine", r->machine);
    put_term(out, "command", r->command);
    om_text_add(out, "</dl>\n");
}

static size_t rows_done(const bench_results *r)
{
    size_t done = 0;
    for (size_t row = 0; row < r->table->row_count; row++)
        done += bench_row_done(r, row);
    return done;
}

/* ---- pictures ---- */

/* Prefixes names within a picture with the picture's name, because one page contains several. */
static void put_svg(const char *svg, const char *name, om_text *out)
{
    static const char *const before[] = { " id='", " id=\"", "href='#", "href=\"#", "url(#" };
    enum { MARKS = sizeof before / sizeof *before };
    while (*svg != '\0') {
        size_t k = 0;
        while (k < MARKS && strncmp(svg, before[k], strlen(before[k])) != 0)
            k++;
        const size_t n = k == MARKS ? 1 : strlen(before[k]);
        om_text_add_n(out, svg, n);
        if (k != MARKS)
            om_text_printf(out, "%s-", name);
        svg += n;
    }
}

static int put_picture(const bench_page_part *p, om_context *ctx, const bench_view *v, om_text *out)
{
    om_text path = { .heap = om_context_heap(ctx) };
    char *text = NULL;
    size_t length = 0;
    int rc = OM_OK;
    if (p->pictures == NULL || v->plot == BENCH_PLOT_NONE)
        return OM_OK;
    om_text_printf(&path, "%s-%s.svg", p->pictures, v->name);
    if (path.failed)
        rc = om_fail_memory(ctx);
    else if (access(path.text, R_OK) == 0)
        rc = om_read_file(ctx, path.text, PICTURE_MOST, &text, &length);
    const char *svg = text == NULL ? NULL : strstr(text, "<svg");
    if (rc == OM_OK && svg != NULL) {
        om_text name = { .heap = path.heap };
        om_text_printf(&name, "%s-%s", p->results->table->suite, v->name);
        om_text_add(out, "<figure>");
        if (!name.failed)
            put_svg(svg, name.text, out);
        om_text_add(out, "</figure>\n");
        rc = name.failed ? om_fail_memory(ctx) : OM_OK;
        om_text_free(&name);
    }
    om_free(path.heap, text);
    om_text_free(&path);
    return rc;
}

/* ---- tables ---- */

/* Returns the best entry of a line that covers all of its rows, or entry_count; *most is the
 * greatest value. */
static size_t best_of(const bench_view *v, const bench_line *line, double *most)
{
    const int sign = bench_view_prefers(v);
    size_t best = v->entry_count, known = 0;
    *most = 0;
    for (size_t i = 0; i < v->entry_count; i++) {
        const double x = line->entries[i].value.value;
        if (isnan(x))
            continue;
        known++;
        *most = x > *most ? x : *most;
        if (line->entries[i].rows == line->rows &&
            (best == v->entry_count || sign * x > sign * line->entries[best].value.value))
            best = i;
    }
    return known > 1 && sign != 0 ? best : v->entry_count;
}

static void put_entry(
    const bench_view *v, const bench_line *line, size_t i, bool best, double most, om_text *out)
{
    const bench_entry *e = &line->entries[i];
    if (isnan(e->value.value)) {
        om_text_add(out, "<td class=\"soft\">-</td>");
        return;
    }
    om_text_printf(out, "<td class=\"v%s\" style=\"--w:%.1f%%\">", best ? " best" : "",
        most > 0 ? 100 * e->value.value / most : 0);
    bench_put_shown(v, e->value.value, out);
    if (!isnan(e->value.low))
        om_text_printf(out, " <small>[%.2f, %.2f]</small>", e->value.low, e->value.high);
    if (e->rows != line->rows)
        om_text_printf(out, " <small>(%zu row%s)</small>", e->rows, e->rows == 1 ? "" : "s");
    om_text_add(out, "</td>");
}

static void put_table(const bench_view *v, const bench_shown *s, om_text *out)
{
    om_text_add(out, "<div class=\"wide\"><table><thead><tr><th></th><th>rows</th>");
    for (size_t i = 0; i < v->entry_count; i++) {
        om_text_add(out, "<th>");
        bench_put_entry_name(&v->entries[i], out);
        om_text_add(out, "</th>");
    }
    om_text_add(out, "</tr></thead><tbody>\n");
    for (size_t k = 0; k < s->count; k++) {
        const bench_line *line = &s->lines[k];
        double most = 0;
        const size_t best = best_of(v, line, &most);
        om_text_printf(
            out, "<tr%s><th>", s->count > 1 && k + 1 == s->count ? " class=\"all\"" : "");
        put(out, line->label.text);
        om_text_printf(out, "</th><td>%zu</td>", line->rows);
        for (size_t i = 0; i < v->entry_count; i++)
            put_entry(v, line, i, i == best, most, out);
        om_text_add(out, "</tr>\n");
    }
    om_text_add(out, "</tbody></table></div>\n");
}

static int put_left_out(const bench_results *r, om_context *ctx, const bench_view *v,
    const bench_shown *s, om_text *out)
{
    om_text text = { .heap = om_context_heap(ctx) };
    bench_put_left_out(r, v, s, &text);
    int rc = text.failed ? om_fail_memory(ctx) : OM_OK;
    if (rc == OM_OK && text.length != 0) {
        om_text_add(out, "<p class=\"soft\">");
        put(out, text.text);
        om_text_add(out, "</p>\n");
    }
    om_text_free(&text);
    return rc;
}

static int put_view(const bench_page_part *p, om_context *ctx, const bench_view *v, om_text *out)
{
    bench_shown s = { 0 };
    int rc = bench_show(p->results, ctx, v, &s);
    if (rc != OM_OK)
        return rc;
    om_text_printf(out, "<h3 id=\"%s-%s\">", p->results->table->suite, v->name);
    put(out, v->title);
    om_text_add(out, "</h3>\n");
    if (!bench_shown_any(v, &s))
        om_text_add(out, "<p class=\"soft\">Not measured.</p>\n");
    else {
        rc = put_picture(p, ctx, v, out);
        put_table(v, &s, out);
    }
    if (rc == OM_OK)
        rc = put_left_out(p->results, ctx, v, &s, out);
    bench_shown_free(ctx, &s);
    return rc;
}

/* ---- every row ---- */

static void put_cell(const bench_view *v, const bench_cell *c, double value, om_text *out)
{
    const bool bad = bench_cell_failed(c) || c->state == BENCH_DIFFERS;
    om_text_add(out, bad ? "<td class=\"bad\" title=\"" : "<td title=\"");
    put(out, c->note == NULL ? "" : c->note);
    om_text_add(out, "\">");
    if (c->state == BENCH_OK || c->state == BENCH_DIFFERS)
        bench_put_shown(v, value, out);
    om_text_add(out, bench_cell_failed(c)        ? (c->state == BENCH_LIMIT ? "limit" : "failed")
                     : c->state == BENCH_DIFFERS ? " (states differ)"
                     : c->state == BENCH_ABSENT  ? "absent"
                                                 : "");
    om_text_add(out, "</td>");
}

static int put_rows(const bench_results *r, om_context *ctx, om_text *out)
{
    const bench_table *t = r->table;
    bench_ratio none = { "", NULL };
    const bench_view v = { .kind = BENCH_VIEW_SUM, .figure = t->figure, .entries = &none };
    int rc = OM_OK;
    om_text_printf(out,
        "<details><summary>Every row: %s, median of %zu round%s</summary>\n<div "
        "class=\"wide\"><table><thead><tr><th></th>",
        bench_figure_names[t->figure], r->rounds, r->rounds == 1 ? "" : "s");
    for (size_t i = 0; i < t->column_count; i++)
        om_text_printf(out, "<th>%s</th>", t->columns[i].name);
    om_text_add(out, "</tr></thead><tbody>\n");
    for (size_t row = 0; rc == OM_OK && row < t->row_count; row++) {
        if (!bench_row_done(r, row))
            continue;
        om_text_printf(out, "<tr><th>%s</th>", t->rows[row].name);
        for (size_t i = 0; rc == OM_OK && i < t->column_count; i++) {
            const bench_cell *c = bench_cell_at(r, row, i);
            double value = NAN;
            rc = bench_cell_median(r, ctx, c, t->figure, &value);
            put_cell(&v, c, value, out);
        }
        om_text_add(out, "</tr>\n");
    }
    om_text_add(out, "</tbody></table></div></details>\n");
    return rc;
}

static void put_commands(const bench_table *t, om_text *out)
{
    om_text_add(out, "<details><summary>Commands</summary>\n<dl>\n");
    for (size_t i = 0; i < t->column_count; i++) {
        om_text_printf(out, "<dt>%s</dt><dd><code>", t->columns[i].name);
        for (size_t k = 0; k < t->columns[i].command.count; k++) {
            om_text_add(out, k == 0 ? "" : " ");
            put(out, t->columns[i].command.words[k]);
        }
        om_text_add(out, "</code></dd>\n");
    }
    om_text_add(out, "</dl></details>\n");
}

/* ---- a part ---- */

/* Returns why a column has no run at all; NULL if it has one or the reason is unknown. */
static const char *never_measured(const bench_results *r, size_t column)
{
    const char *note = NULL;
    for (size_t row = 0; row < r->table->row_count; row++) {
        const bench_cell *c = bench_cell_at(r, row, column);
        if (c->count != 0)
            return NULL;
        note = c->note != NULL ? c->note : note;
    }
    return note;
}

/* The first column of those with the same reason lists them all. */
static void put_absent(const bench_results *r, size_t column, om_text *out)
{
    const char *why = never_measured(r, column), *before = "<li>Not measured: <b>";
    for (size_t i = 0; i < r->table->column_count && why != NULL; i++) {
        const char *other = never_measured(r, i);
        if (other == NULL || strcmp(other, why) != 0)
            continue;
        if (i < column)
            return;
        om_text_printf(out, "%s%s", before, r->table->columns[i].name);
        before = ", ";
    }
    if (why == NULL)
        return;
    om_text_add(out, "</b>: ");
    put(out, why);
    om_text_add(out, "</li>\n");
}

static void put_facts(const bench_results *r, om_text *out)
{
    const bench_table *t = r->table;
    om_text_printf(out, "<p>%zu of %zu rows, %zu round%s each%s%s.</p>\n<ul>\n", rows_done(r),
        t->row_count, r->rounds, r->rounds == 1 ? "" : "s",
        r->limits == NULL ? "" : "; limits of a run: ", r->limits == NULL ? "" : r->limits);
    if (r->interrupted)
        om_text_add(out, "<li>Stopped before all rows were run.</li>\n");
    for (size_t i = 0; i < t->column_count; i++)
        put_absent(r, i, out);
    for (const bench_pair *n = t->notes; n != NULL; n = n->next) {
        om_text_add(out, "<li>");
        put(out, n->value);
        om_text_add(out, "</li>\n");
    }
    om_text_add(out, "</ul>\n");
}

static int put_part(const bench_page *page, const bench_page_part *p, om_context *ctx, om_text *out)
{
    const bench_table *t = p->results->table;
    int rc = OM_OK;
    om_text_printf(out, "<section id=\"%s\">\n<h2>", t->suite);
    put(out, t->title == NULL ? t->suite : t->title);
    om_text_add(out, "</h2>\n");
    if (page->count == 1)
        put_origin(p->results, out);
    put_facts(p->results, out);
    for (size_t i = 0; rc == OM_OK && i < t->view_count; i++)
        rc = put_view(p, ctx, &t->views[i], out);
    if (rc == OM_OK)
        rc = put_rows(p->results, ctx, out);
    put_commands(t, out);
    om_text_add(out, "</section>\n");
    return rc;
}

static void put_contents(const bench_page *p, om_text *out)
{
    om_text_add(out, "<nav><ul>\n");
    for (size_t i = 0; i < p->count; i++) {
        const bench_table *t = p->parts[i].results->table;
        om_text_printf(out, "<li><a href=\"#%s\">", t->suite);
        put(out, t->title == NULL ? t->suite : t->title);
        om_text_add(out, "</a><ul>\n");
        for (size_t k = 0; k < t->view_count; k++) {
            om_text_printf(out, "<li><a href=\"#%s-%s\">", t->suite, t->views[k].name);
            put(out, t->views[k].title);
            om_text_add(out, "</a></li>\n");
        }
        om_text_add(out, "</ul></li>\n");
    }
    om_text_add(out, "</ul></nav>\n");
}

int bench_put_page(const bench_page *p, om_context *ctx, om_text *out)
{
    int rc = OM_OK;
    om_text_add(out,
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>"
        "<meta charset=\"utf-8\"/><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"/>\n<title>");
    put(out, p->title);
    om_text_printf(out, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>", style);
    put(out, p->title);
    om_text_add(out, "</h1>\n");
    if (p->count > 1)
        put_origin(p->parts[0].results, out);
    for (const bench_pair *n = p->notes; n != NULL; n = n->next) {
        om_text_add(out, "<p>");
        put(out, n->value);
        om_text_add(out, "</p>\n");
    }
    if (p->no_pictures != NULL)
        om_text_printf(out, "<p class=\"soft\">No plots: %s.</p>\n", p->no_pictures);
    put_contents(p, out);
    for (size_t i = 0; rc == OM_OK && i < p->count; i++)
        rc = put_part(p, &p->parts[i], ctx, out);
    om_text_add(out, "</body></html>\n");
    return rc == OM_OK && out->failed ? om_fail_memory(ctx) : rc;
}
