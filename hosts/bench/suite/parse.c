/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a table.
 *
 *   file      = { line }
 *   line      = [ directive { word } ] [ '#' anything ] end
 *   word      = { character but blank, '"', '#' at its start }
 *             | '"' { character | '\' character } '"'
 *   directive = one of the names in `for_table`, `bench_parse__for_columns`,
 *               `bench_parse__for_views`
 *
 * A '\' before the end of a line joins the line with the next one, without the blanks at its start.
 */
#include "parse_impl.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20 };

int bench_parse__fail(bench_parser *r, size_t i, const char *what)
{
    assert(i < r->count);
    return om_fail(r->ctx, OM_EINPUT, &r->words[i].place, "%s: %s", r->words[0].text, what);
}

/* ---- words ---- */

static om_place here(const bench_parser *r)
{
    assert(r->line_start <= r->at && r->at <= r->end);
    return (om_place){ r->file, r->line, (uint32_t) (r->at - r->line_start) + 1 };
}

static void next_line(bench_parser *r)
{
    r->at++;
    r->line++;
    r->line_start = r->at;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Skips a '\' at the end of a line and the blanks at the start of the next line. */
static bool continued(bench_parser *r)
{
    if (*r->at != '\\' || r->at + 1 >= r->end || r->at[1] != '\n')
        return false;
    r->at++;
    next_line(r);
    while (r->at < r->end && blank(*r->at))
        r->at++;
    return true;
}

/* Moves to the next word of the line; returns false at its end. */
static bool skip(bench_parser *r)
{
    while (r->at < r->end) {
        if (blank(*r->at))
            r->at++;
        else if (!continued(r))
            break;
    }
    if (r->at < r->end && *r->at == '#')
        while (r->at < r->end && *r->at != '\n')
            r->at++;
    return r->at < r->end && *r->at != '\n';
}

/* Reads a quoted word; the reader is at its opening quote. */
static int quoted(bench_parser *r, om_text *out)
{
    om_place start = here(r);
    r->at++;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n') {
        if (continued(r))
            continue;
        if (*r->at == '\\' && r->at + 1 < r->end)
            r->at++;
        om_text_add_n(out, r->at++, 1);
    }
    if (r->at == r->end || *r->at != '"')
        return om_fail(r->ctx, OM_EINPUT, &start, "missing '\"' at the end of the string");
    r->at++;
    if (r->at < r->end && !blank(*r->at) && *r->at != '\n' && *r->at != '\\') {
        om_place place = here(r);
        return om_fail(r->ctx, OM_EINPUT, &place, "expected a space after '\"'");
    }
    return OM_OK;
}

static int read_word(bench_parser *r)
{
    assert(r->count < BENCH_PARSE_WORDS && r->at < r->end);
    om_text text = { .heap = r->t->arena.heap };
    bench_word *w = &r->words[r->count];
    int rc = OM_OK;

    w->place = here(r);
    if (*r->at == '"')
        rc = quoted(r, &text);
    else {
        const char *start = r->at;
        while (r->at < r->end && !blank(*r->at) && *r->at != '\n')
            r->at++;
        om_text_add_n(&text, start, (size_t) (r->at - start));
    }
    if (rc == OM_OK && text.failed)
        rc = om_fail_memory(r->ctx);
    if (rc == OM_OK) {
        w->text = bench_arena_text(&r->t->arena, text.text == NULL ? "" : text.text, text.length);
        rc = w->text == NULL ? om_fail_memory(r->ctx) : OM_OK;
        r->count++;
    }
    om_text_free(&text);
    return rc;
}

static int read_line(bench_parser *r)
{
    int rc = OM_OK;
    r->count = 0;
    while (rc == OM_OK && skip(r)) {
        if (r->count == BENCH_PARSE_WORDS) {
            om_place place = here(r);
            return om_fail(r->ctx, OM_EINPUT, &place, "more than %d words", BENCH_PARSE_WORDS);
        }
        rc = read_word(r);
    }
    return rc;
}

/* ---- values ---- */

int bench_parse__number(bench_parser *r, size_t i, double low, double high, double *out)
{
    char *stop;
    errno = 0;
    *out = strtod(r->words[i].text, &stop);
    if (stop == r->words[i].text || *stop != '\0' || errno != 0 || !isfinite(*out))
        return bench_parse__fail(r, i, "not a number");
    return *out < low || *out > high ? bench_parse__fail(r, i, "out of range") : OM_OK;
}

int bench_parse__figure(bench_parser *r, size_t i, bench_figure *out)
{
    *out = bench_find_figure(r->words[i].text);
    if (*out != BENCH_FIGURES)
        return OM_OK;
    const char *near = om_nearest(r->words[i].text, bench_figure_names, BENCH_FIGURES);
    return om_fail(r->ctx, OM_EINPUT, &r->words[i].place, "no figure '%s'%s%s%s", r->words[i].text,
        near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
}

/* Reads a name that is valid in a file name and between ${ and }. */
int bench_parse__name(bench_parser *r, size_t i, const char **out)
{
    const char *s = r->words[i].text;
    *out = s;
    if (*s == '\0' || strlen(s) > 60 || *s == '.')
        return bench_parse__fail(r, i, "not a valid name");
    for (; *s != '\0'; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
                strchr("._-", *s) != NULL))
            return bench_parse__fail(
                r, i, "a name may only have letters, digits, '.', '_' and '-'");
    return OM_OK;
}

int bench_parse__words_from(bench_parser *r, size_t from, bench_words *out)
{
    assert(from <= r->count);
    const char **list = bench_arena_alloc(&r->t->arena, r->count - from + 1, sizeof *list);
    if (list == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = from; i < r->count; i++)
        list[i - from] = r->words[i].text;
    *out = (bench_words){ list, r->count - from };
    return OM_OK;
}

int bench_parse__ratio(bench_parser *r, size_t i, bench_ratio *out)
{
    const char *text = r->words[i].text, *slash = strchr(text, '/');
    size_t n = slash == NULL ? strlen(text) : (size_t) (slash - text);
    out->column = bench_arena_text(&r->t->arena, text, n);
    out->over = slash == NULL ? NULL : slash + 1;
    return out->column == NULL ? om_fail_memory(r->ctx) : OM_OK;
}

/* ---- directives for the whole table ---- */

static int on_suite(bench_parser *r)
{
    return bench_parse__name(r, 1, &r->t->suite);
}

static int on_title(bench_parser *r)
{
    r->t->title = r->words[1].text;
    return OM_OK;
}

static int on_rounds(bench_parser *r)
{
    double n = 0;
    int rc = bench_parse__number(r, 1, 1, BENCH_ROUNDS_MOST, &n);
    if (rc == OM_OK)
        r->t->rounds = (uint64_t) n;
    return rc;
}

static int on_timeout(bench_parser *r)
{
    return bench_read_time(r->words[1].text, &r->t->timeout_ns)
               ? OM_OK
               : bench_parse__fail(r, 1, "expected a time such as 90s or 5m");
}

static int on_memory(bench_parser *r)
{
    return bench_read_size(r->words[1].text, &r->t->memory)
               ? OM_OK
               : bench_parse__fail(r, 1, "expected a size such as 500M or 4G");
}

static int on_run(bench_parser *r)
{
    const char *name = NULL;
    int rc = OM_OK;
    for (size_t i = 1; rc == OM_OK && i < r->count; i++)
        rc = bench_parse__name(r, i, &name);
    return rc == OM_OK ? bench_parse__words_from(r, 1, &r->t->members) : rc;
}

static int on_compare(bench_parser *r)
{
    return bench_parse__figure(r, 1, &r->t->figure);
}

static int on_also(bench_parser *r)
{
    int rc = OM_OK;
    for (size_t i = 1; rc == OM_OK && i < r->count; i++) {
        bench_figure f;
        rc = bench_parse__figure(r, i, &f);
        if (rc == OM_OK)
            r->t->also[f] = true;
    }
    return rc;
}

static int on_baseline(bench_parser *r)
{
    r->t->baseline = r->words[1].text;
    return OM_OK;
}

static int on_set(bench_parser *r)
{
    const char *variable = NULL;
    int rc = bench_parse__name(r, 1, &variable);
    return rc != OM_OK
               ? rc
               : bench_add_pair(&r->t->arena, r->ctx, &r->t->variables, variable, r->words[2].text);
}

/* Notes are appended, so that they keep their order. */
static int on_note(bench_parser *r)
{
    bench_pair **last = &r->t->notes;
    while (*last != NULL)
        last = &(*last)->next;
    return bench_add_pair(&r->t->arena, r->ctx, last, "note", r->words[1].text);
}

static int on_row(bench_parser *r)
{
    bench_table *t = r->t;
    bench_row row = { .place = r->words[0].place };
    int rc = bench_parse__name(r, 1, &row.name);
    for (size_t i = 0; rc == OM_OK && i < t->row_count; i++)
        if (strcmp(t->rows[i].name, row.name) == 0)
            rc = bench_parse__fail(r, 1, "a row of this name already exists");
    for (size_t i = 2; rc == OM_OK && i < r->count; i++) {
        const char *equals = strchr(r->words[i].text, '=');
        if (equals == NULL || equals == r->words[i].text)
            return bench_parse__fail(r, i, "expected NAME=VALUE");
        const char *variable =
            bench_arena_text(&t->arena, r->words[i].text, (size_t) (equals - r->words[i].text));
        rc = variable == NULL
                 ? om_fail_memory(r->ctx)
                 : bench_add_pair(&t->arena, r->ctx, &row.variables, variable, equals + 1);
    }
    if (rc == OM_OK)
        rc = bench_add_pair(&t->arena, r->ctx, &row.variables, "row", row.name);
    if (rc != OM_OK)
        return rc;
    bench_row *moved =
        om_grow(t->arena.heap, t->rows, &t->row_room, t->row_count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    t->rows = moved;
    t->rows[t->row_count++] = row;
    return OM_OK;
}

/* where VARIABLE < NUMBER */
static int target_where(bench_parser *r, bench_target *out)
{
    const char *op = r->words[9].text;
    int rc = bench_parse__name(r, 8, &out->where);
    if (rc == OM_OK && (strlen(op) != 1 || strchr("<>=", *op) == NULL))
        rc = bench_parse__fail(r, 9, "expected '<', '>' or '='");
    out->where_op = *op;
    return rc == OM_OK ? bench_parse__number(r, 10, -HUGE_VAL, HUGE_VAL, &out->where_bound) : rc;
}

/* target TEXT every|geomean FIGURE COLUMN[/COLUMN] >=|<= NUMBER [where VARIABLE <|>|= NUMBER] */
static int on_target(bench_parser *r)
{
    bench_table *t = r->t;
    bench_target g = { .text = r->words[1].text, .place = r->words[0].place };
    const char *kind = r->words[2].text, *op;
    bench_ratio columns = { NULL, NULL };
    int rc;

    if (r->count != 7 && (r->count != 11 || strcmp(r->words[7].text, "where") != 0))
        return bench_parse__fail(
            r, 0, "expected TEXT KIND FIGURE COLUMNS OP NUMBER [where VARIABLE OP NUMBER]");
    g.every = strcmp(kind, "every") == 0;
    if (!g.every && strcmp(kind, "geomean") != 0)
        return bench_parse__fail(r, 2, "expected 'every' or 'geomean'");
    rc = bench_parse__figure(r, 3, &g.figure);
    if (rc == OM_OK)
        rc = bench_parse__ratio(r, 4, &columns);
    g.column = columns.column;
    g.over = columns.over;
    op = r->words[5].text;
    g.at_least = strcmp(op, ">=") == 0;
    if (rc == OM_OK && !g.at_least && strcmp(op, "<=") != 0)
        rc = bench_parse__fail(r, 5, "expected '>=' or '<='");
    g.bound = r->words[6].text;
    if (rc == OM_OK && r->count == 11)
        rc = target_where(r, &g);
    if (rc != OM_OK)
        return rc;
    bench_target *moved =
        om_grow(t->arena.heap, t->targets, &t->target_room, t->target_count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    t->targets = moved;
    t->targets[t->target_count++] = g;
    return OM_OK;
}

static int on_require(bench_parser *r)
{
    return bench_parse__words_from(r, 1, &r->t->require);
}

static int on_column(bench_parser *r)
{
    bench_table *t = r->t;
    bench_column c = { .place = r->words[0].place };
    int rc = bench_parse__name(r, 1, &c.name);
    if (rc == OM_OK && bench_find_column(t, c.name) != t->column_count)
        rc = bench_parse__fail(r, 1, "a column of this name already exists");
    if (rc != OM_OK)
        return rc;
    bench_column *moved =
        om_grow(t->arena.heap, t->columns, &t->column_room, t->column_count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    t->columns = moved;
    t->columns[t->column_count++] = c;
    return OM_OK;
}

/* ---- lines ---- */

static const bench_directive for_table[] = {
    { "suite", 1, 1, on_suite },
    { "title", 1, 1, on_title },
    { "rounds", 1, 1, on_rounds },
    { "timeout", 1, 1, on_timeout },
    { "memory", 1, 1, on_memory },
    { "run", 1, BENCH_PARSE_WORDS, on_run },
    { "compare", 1, 1, on_compare },
    { "also", 1, BENCH_FIGURES, on_also },
    { "baseline", 1, 1, on_baseline },
    { "set", 2, 2, on_set },
    { "note", 1, 1, on_note },
    { "require", 1, BENCH_PARSE_WORDS, on_require },
    { "row", 1, BENCH_PARSE_WORDS, on_row },
    { "target", 6, 10, on_target },
    { "column", 1, 1, on_column },
    { "view", 2, 2, bench_parse__view },
    { NULL, 0, 0, NULL },
};
static const bench_directive *const levels[] = { for_table, bench_parse__for_columns,
    bench_parse__for_views };
enum { LEVELS = 3, NAMES = 64 };

static int unknown_directive(bench_parser *r)
{
    const char *names[NAMES];
    size_t count = 0;
    for (size_t k = 0; k < LEVELS; k++)
        for (const bench_directive *d = levels[k]; d->name != NULL && count < NAMES; d++)
            names[count++] = d->name;
    assert(count < NAMES); /* all names fit */
    const char *near = om_nearest(r->words[0].text, names, count);
    if (near != NULL)
        return om_fail(r->ctx, OM_EINPUT, &r->words[0].place,
            "unknown directive '%s'; did you mean '%s'?", r->words[0].text, near);
    return om_fail(
        r->ctx, OM_EINPUT, &r->words[0].place, "unknown directive '%s'", r->words[0].text);
}

static int on_line(bench_parser *r)
{
    const bench_directive *found = NULL;
    size_t level = 0;
    for (size_t k = 0; k < LEVELS && found == NULL; k++)
        for (const bench_directive *d = levels[k]; d->name != NULL && found == NULL; d++)
            if (strcmp(d->name, r->words[0].text) == 0) {
                found = d;
                level = k;
            }
    if (found == NULL)
        return unknown_directive(r);
    if (r->count - 1 < found->least || r->count - 1 > found->most)
        return bench_parse__fail(
            r, 0, r->count - 1 < found->least ? "too few words" : "too many words");
    if (level == 1 && r->t->column_count == 0)
        return bench_parse__fail(r, 0, "must come after a column");
    if (level == 2 && r->t->view_count == 0)
        return bench_parse__fail(r, 0, "must come after a view");
    return found->read(r);
}

/* ---- checks at the end ---- */

int bench_parse__column_named(bench_parser *r, const om_place *place, const char *wanted)
{
    if (wanted == NULL || bench_find_column(r->t, wanted) != r->t->column_count)
        return OM_OK;
    return om_fail(r->ctx, OM_EINPUT, place, "no column '%s'", wanted);
}

static int check(bench_parser *r)
{
    bench_table *t = r->t;
    om_place top = { r->file, 1, 1 };
    int rc = OM_OK;
    if (t->suite == NULL)
        return om_fail(r->ctx, OM_EINPUT, &top, "the table has no line 'suite NAME'");
    if (t->members.count != 0)
        return t->column_count + t->row_count + t->view_count + t->target_count == 0
                   ? OM_OK
                   : om_fail(r->ctx, OM_EINPUT, &top,
                         "a table that runs other suites has no rows, columns, views or targets");
    if (t->column_count == 0 || t->row_count == 0)
        return om_fail(r->ctx, OM_EINPUT, &top, "the table has no %s",
            t->column_count == 0 ? "column" : "row");
    rc = bench_parse__column_named(r, &top, t->baseline);
    for (size_t i = 0; rc == OM_OK && i < t->column_count; i++)
        rc = bench_parse__check_column(r, &t->columns[i]);
    for (size_t i = 0; rc == OM_OK && i < t->target_count; i++) {
        const bench_target *g = &t->targets[i];
        rc = bench_parse__column_named(r, &g->place, g->column);
        if (rc == OM_OK)
            rc = bench_parse__column_named(r, &g->place, g->over);
    }
    for (size_t i = 0; rc == OM_OK && i < t->view_count; i++)
        rc = bench_parse__check_view(r, &t->views[i]);
    return rc;
}

int bench_table_parse(
    bench_table *out, om_context *ctx, const char *file, const char *text, size_t length)
{
    const om_heap *heap = om_context_heap(ctx);
    bench_table t = { .arena = { .heap = heap }, .figure = BENCH_CPU, .rounds = 3 };
    bench_parser r = { &t, ctx, text, text + length, text, NULL, 1, { { NULL, { NULL, 0, 0 } } },
        0 };
    int rc = OM_OK;

    r.file = bench_arena_text(&t.arena, file, strlen(file));
    if (r.file == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK && memchr(text, '\0', length) != NULL)
        rc = om_fail(ctx, OM_EINPUT, &(om_place){ r.file, 1, 1 }, "the file has a zero byte");
    while (rc == OM_OK && r.at < r.end) {
        rc = read_line(&r);
        if (rc == OM_OK && r.count != 0)
            rc = on_line(&r);
        if (rc == OM_OK && r.at < r.end)
            next_line(&r);
    }
    if (rc == OM_OK)
        rc = check(&r);
    if (rc == OM_OK)
        *out = t;
    else
        bench_table_free(&t);
    return rc;
}

int bench_table_read(bench_table *out, om_context *ctx, const char *file)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(ctx, file, TEXT_MOST, &text, &length);
    if (rc == OM_OK)
        rc = bench_table_parse(out, ctx, file, text, length);
    om_free(om_context_heap(ctx), text);
    return rc;
}
