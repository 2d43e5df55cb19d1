/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the part of a table that describes a view; parse.c parses the rest. */
#include "parse_impl.h"

#include <assert.h>
#include <string.h>

static bench_view *view(bench_parser *r)
{
    assert(r->t->view_count != 0);
    return &r->t->views[r->t->view_count - 1];
}

int bench_parse__view(bench_parser *r)
{
    bench_table *t = r->t;
    bench_view v = { .title = r->words[2].text, .place = r->words[0].place };
    int rc = bench_parse__name(r, 1, &v.name);
    for (size_t i = 0; rc == OM_OK && i < t->view_count; i++)
        if (strcmp(t->views[i].name, v.name) == 0)
            rc = bench_parse__fail(r, 1, "a view of this name already exists");
    if (rc != OM_OK)
        return rc;
    bench_view *moved =
        om_grow(t->arena.heap, t->views, &t->view_room, t->view_count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    t->views = moved;
    t->views[t->view_count++] = v;
    return OM_OK;
}

/* Reads the kind of a view: sum FIGURE, percent FIGURE COLUMN, mean FIGURE, average FIGURE, most
 * FIGURE. */
static int kind(bench_parser *r, bench_view_kind what)
{
    bench_view *v = view(r);
    if (v->has_kind)
        return bench_parse__fail(r, 0, "the view already has a kind");
    v->has_kind = true;
    v->kind = what;
    return bench_parse__figure(r, 1, &v->figure);
}

static int on_sum(bench_parser *r)
{
    return kind(r, BENCH_VIEW_SUM);
}

static int on_percent(bench_parser *r)
{
    view(r)->to = r->words[2].text;
    return kind(r, BENCH_VIEW_PERCENT);
}

static int on_mean(bench_parser *r)
{
    return kind(r, BENCH_VIEW_MEAN);
}

static int on_average(bench_parser *r)
{
    return kind(r, BENCH_VIEW_AVERAGE);
}

static int on_most(bench_parser *r)
{
    return kind(r, BENCH_VIEW_MOST);
}

static int on_of(bench_parser *r)
{
    bench_view *v = view(r);
    int rc = OM_OK;
    v->entry_count = r->count - 1;
    v->entries = bench_arena_alloc(&r->t->arena, v->entry_count, sizeof *v->entries);
    if (v->entries == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = 1; rc == OM_OK && i < r->count; i++)
        rc = bench_parse__ratio(r, i, &v->entries[i - 1]);
    return rc;
}

static int on_by(bench_parser *r)
{
    const char *variable = NULL;
    int rc = OM_OK;
    for (size_t i = 1; rc == OM_OK && i < r->count; i++)
        rc = bench_parse__name(r, i, &variable);
    return rc == OM_OK ? bench_parse__words_from(r, 1, &view(r)->by) : rc;
}

static int on_only(bench_parser *r)
{
    view(r)->only_value = r->words[2].text;
    return bench_parse__name(r, 1, &view(r)->only);
}

static int on_plot(bench_parser *r)
{
    static const char *const names[] = { "none", "bars", "scatter" };
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], r->words[1].text) == 0) {
            view(r)->plot = (bench_plot) i;
            return OM_OK;
        }
    return bench_parse__fail(r, 1, "expected none, bars or scatter");
}

const bench_directive bench_parse__for_views[] = {
    { "sum", 1, 1, on_sum },
    { "percent", 2, 2, on_percent },
    { "mean", 1, 1, on_mean },
    { "average", 1, 1, on_average },
    { "most", 1, 1, on_most },
    { "of", 1, BENCH_PARSE_WORDS, on_of },
    { "by", 1, BENCH_PARSE_WORDS, on_by },
    { "only", 2, 2, on_only },
    { "plot", 1, 1, on_plot },
    { NULL, 0, 0, NULL },
};

int bench_parse__check_view(bench_parser *r, const bench_view *v)
{
    int rc = bench_parse__column_named(r, &v->place, v->to);
    if (rc == OM_OK && (!v->has_kind || v->entry_count == 0))
        rc = om_fail(r->ctx, OM_EINPUT, &v->place, "view %s needs %s", v->name,
            v->has_kind ? "'of COLUMN...'" : "one of: sum, percent, mean, average, most");
    if (rc == OM_OK && v->plot == BENCH_PLOT_SCATTER && v->entry_count != 2)
        rc = om_fail(
            r->ctx, OM_EINPUT, &v->place, "view %s: a scatter plot needs two columns", v->name);
    for (size_t i = 0; rc == OM_OK && i < v->entry_count; i++) {
        rc = bench_parse__column_named(r, &v->place, v->entries[i].column);
        if (rc == OM_OK)
            rc = bench_parse__column_named(r, &v->place, v->entries[i].over);
        if (rc == OM_OK && v->entries[i].over != NULL && v->kind != BENCH_VIEW_MEAN)
            rc = om_fail(
                r->ctx, OM_EINPUT, &v->place, "view %s: only a mean can have ratios", v->name);
    }
    return rc;
}
