/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the part of a table that describes a column; parse.c parses the rest. */
#include "parse_impl.h"

#include <assert.h>
#include <string.h>

static bench_column *column(bench_parser *r)
{
    assert(r->t->column_count != 0);
    return &r->t->columns[r->t->column_count - 1];
}

static int on_when(bench_parser *r)
{
    return bench_parse__name(r, 1, &column(r)->when);
}

static int on_needs(bench_parser *r)
{
    return bench_parse__words_from(r, 1, &column(r)->needs);
}

static int on_format(bench_parser *r)
{
    static const char *const words[] = { "none", "omen", "pan", "ltsmin", "counts" };
    for (int i = 0; i < 5; i++)
        if (strcmp(words[i], r->words[1].text) == 0) {
            column(r)->format = (bench_format) i;
            return OM_OK;
        }
    return bench_parse__fail(r, 1, "expected none, omen, pan, ltsmin or counts");
}

static int on_if(bench_parser *r)
{
    column(r)->only_if = r->words[1].text;
    return OM_OK;
}

static int on_prepare(bench_parser *r)
{
    column(r)->prepare = r->words[1].text;
    return OM_OK;
}

static int on_before(bench_parser *r)
{
    column(r)->before = r->words[1].text;
    return OM_OK;
}

static int on_warm(bench_parser *r)
{
    column(r)->warm = true;
    return bench_parse__words_from(r, 1, &column(r)->warm_words);
}

static int on_env(bench_parser *r)
{
    const char *variable = NULL;
    int rc = bench_parse__name(r, 1, &variable);
    return rc != OM_OK
               ? rc
               : bench_add_pair(&r->t->arena, r->ctx, &column(r)->env, variable, r->words[2].text);
}

static int on_command(bench_parser *r)
{
    return bench_parse__words_from(r, 1, &column(r)->command);
}

static int on_published(bench_parser *r)
{
    int rc = bench_parse__figure(r, 1, &column(r)->published_figure);
    return rc == OM_OK ? bench_parse__words_from(r, 2, &column(r)->published) : rc;
}

static int on_best(bench_parser *r)
{
    int rc = bench_parse__figure(r, 1, &column(r)->best_figure);
    return rc == OM_OK ? bench_parse__words_from(r, 2, &column(r)->best) : rc;
}

static int on_recorded(bench_parser *r)
{
    column(r)->recorded = r->words[1].text;
    return bench_parse__name(r, 2, &column(r)->recorded_column);
}

static int on_listed(bench_parser *r)
{
    bench_listed *l = bench_arena_alloc(&r->t->arena, 1, sizeof *l);
    if (l == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = 4; i < r->count; i++)
        if (strchr(r->words[i].text, '=') == NULL)
            return bench_parse__fail(r, i, "expected FIELD=VALUE");
    l->next = column(r)->listed;
    column(r)->listed = l;
    int rc = bench_parse__figure(r, 1, &l->figure);
    return rc == OM_OK ? bench_parse__words_from(r, 2, &l->words) : rc;
}

static int on_scaled(bench_parser *r)
{
    bench_column *c = column(r);
    int rc = bench_parse__figure(r, 2, &c->scaled_figure);
    c->scaled_by = r->words[1].text;
    return rc == OM_OK ? bench_parse__number(r, 3, 1e-9, 1e12, &c->scaled_base) : rc;
}

static int on_status(bench_parser *r)
{
    column(r)->status = r->words[1].text;
    return OM_OK;
}

static int on_expect(bench_parser *r)
{
    const char *what = r->words[1].text;
    bench_figure ignored;
    int rc = strcmp(what, "verdict") == 0 || strcmp(what, "executor") == 0
                 ? OM_OK
                 : bench_parse__figure(r, 1, &ignored);
    return rc != OM_OK
               ? rc
               : bench_add_pair(&r->t->arena, r->ctx, &column(r)->expect, what, r->words[2].text);
}

static int on_versus(bench_parser *r)
{
    column(r)->versus = r->words[1].text;
    return OM_OK;
}

static int on_agree(bench_parser *r)
{
    int rc = bench_parse__number(r, 2, 0, 1e9, &column(r)->tolerance);
    column(r)->agree = r->words[1].text;
    return rc == OM_OK && r->count == 4 ? bench_parse__name(r, 3, &column(r)->agree_when) : rc;
}

const bench_directive bench_parse__for_columns[] = {
    { "when", 1, 1, on_when },
    { "needs", 1, BENCH_PARSE_WORDS, on_needs },
    { "format", 1, 1, on_format },
    { "if", 1, 1, on_if },
    { "prepare", 1, 1, on_prepare },
    { "before", 1, 1, on_before },
    { "warm", 0, BENCH_PARSE_WORDS, on_warm },
    { "env", 2, 2, on_env },
    { "command", 1, BENCH_PARSE_WORDS, on_command },
    { "published", 2, BENCH_PARSE_WORDS, on_published },
    { "best", 2, BENCH_PARSE_WORDS, on_best },
    { "recorded", 2, 2, on_recorded },
    { "listed", 4, BENCH_PARSE_WORDS, on_listed },
    { "scaled", 3, 3, on_scaled },
    { "status", 1, 1, on_status },
    { "expect", 2, 2, on_expect },
    { "agree", 2, 3, on_agree },
    { "versus", 1, 1, on_versus },
    { NULL, 0, 0, NULL },
};

/* ---- checks at the end ---- */

static int check_best(bench_parser *r, const bench_column *c)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < c->best.count; i++) {
        rc = bench_parse__column_named(r, &c->place, c->best.words[i]);
        if (rc == OM_OK &&
            r->t->columns[bench_find_column(r->t, c->best.words[i])].command.count == 0)
            rc = om_fail(r->ctx, OM_EINPUT, &c->place,
                "column %s is the best of a column that is not run", c->name);
    }
    return rc;
}

int bench_parse__check_column(bench_parser *r, const bench_column *c)
{
    bool published = c->published.count != 0;
    int ways = published + (c->command.count != 0) + (c->best.count != 0) + (c->recorded != NULL) +
               (c->listed != NULL);
    int rc = bench_parse__column_named(r, &c->place, c->agree);
    if (rc == OM_OK)
        rc = bench_parse__column_named(r, &c->place, c->versus);
    if (rc == OM_OK)
        rc = bench_parse__column_named(r, &c->place, c->scaled_by);
    if (rc != OM_OK)
        return rc;
    if (ways != 1)
        return om_fail(r->ctx, OM_EINPUT, &c->place,
            "column %s needs one of: command, published, recorded, listed, best", c->name);
    if (c->scaled_by == NULL)
        return check_best(r, c);
    if (!published)
        return om_fail(r->ctx, OM_EINPUT, &c->place,
            "column %s: only published figures can be scaled", c->name);
    if (r->t->columns[bench_find_column(r->t, c->scaled_by)].command.count == 0)
        return om_fail(r->ctx, OM_EINPUT, &c->place,
            "column %s is scaled by a column that is not run", c->name);
    return OM_OK;
}
