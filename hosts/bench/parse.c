/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a table.
 *
 *   file      = { line }
 *   line      = [ directive { word } ] [ '#' anything ] end     ; '\' before the end: goes on
 *   word      = { character but blank, '"', '#' at its start } | '"' { character | '\' character }
 * '"' a '\' before the end of a line joins it with the next, less the blanks there directive = one
 * of the names in `directives` below
 */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, TEXT_MOST = 1 << 20 };

typedef struct word {
    const char *text;
    om_place place;
} word;

typedef struct reader {
    bench_table *t;
    om_context *ctx;
    const char *at, *end, *line_start;
    const char *file;
    uint32_t line;
    word words[WORDS]; /* of one line; [0] is the directive */
    size_t count;
} reader;

static int fail(reader *r, size_t i, const char *what)
{
    return om_fail(r->ctx, OM_EINPUT, &r->words[i].place, "%s: %s", r->words[0].text, what);
}

/* ---- words ---- */

static om_place here(const reader *r)
{
    return (om_place){ r->file, r->line, (uint32_t) (r->at - r->line_start) + 1 };
}

static void next_line(reader *r)
{
    r->at++;
    r->line++;
    r->line_start = r->at;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Passes over a '\' that ends a line, with the blanks that the next one starts with. */
static bool continued(reader *r)
{
    if (*r->at != '\\' || r->at + 1 >= r->end || r->at[1] != '\n')
        return false;
    r->at++;
    next_line(r);
    while (r->at < r->end && blank(*r->at))
        r->at++;
    return true;
}

/* Moves to the next word of the line; false at its end. */
static bool skip(reader *r)
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

/* Behind the opening quote. */
static int quoted(reader *r, om_text *out)
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
        return om_fail(r->ctx, OM_EINPUT, &start, "no '\"' ends this text");
    r->at++;
    if (r->at < r->end && !blank(*r->at) && *r->at != '\n' && *r->at != '\\') {
        om_place place = here(r);
        return om_fail(r->ctx, OM_EINPUT, &place, "a blank must follow '\"'");
    }
    return OM_OK;
}

static int read_word(reader *r)
{
    om_text text = { .heap = r->t->arena.heap };
    word *w = &r->words[r->count];
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

static int read_line(reader *r)
{
    int rc = OM_OK;
    r->count = 0;
    while (rc == OM_OK && skip(r)) {
        if (r->count == WORDS) {
            om_place place = here(r);
            return om_fail(r->ctx, OM_EINPUT, &place, "more than %d words", WORDS);
        }
        rc = read_word(r);
    }
    return rc;
}

/* ---- values ---- */

static int number(reader *r, size_t i, double low, double high, double *out)
{
    char *stop;
    errno = 0;
    *out = strtod(r->words[i].text, &stop);
    if (stop == r->words[i].text || *stop != '\0' || errno != 0 || !isfinite(*out))
        return fail(r, i, "not a number");
    return *out < low || *out > high ? fail(r, i, "out of range") : OM_OK;
}

static int figure(reader *r, size_t i, bench_figure *out)
{
    *out = bench_find_figure(r->words[i].text);
    if (*out != BENCH_FIGURES)
        return OM_OK;
    const char *near = om_nearest(r->words[i].text, bench_figure_names, BENCH_FIGURES);
    return om_fail(r->ctx, OM_EINPUT, &r->words[i].place, "no figure '%s'%s%s%s", r->words[i].text,
        near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
}

/* A name that can stand in a file name, and between ${ and }. */
static int name(reader *r, size_t i, const char **out)
{
    const char *s = r->words[i].text;
    *out = s;
    if (*s == '\0' || strlen(s) > 60 || *s == '.')
        return fail(r, i, "not a name");
    for (; *s != '\0'; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
                strchr("._-", *s) != NULL))
            return fail(r, i, "names have letters, digits, '.', '_' and '-'");
    return OM_OK;
}

static int words_from(reader *r, size_t from, bench_words *out)
{
    const char **list = bench_arena_alloc(&r->t->arena, r->count - from + 1, sizeof *list);
    if (list == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = from; i < r->count; i++)
        list[i - from] = r->words[i].text;
    *out = (bench_words){ list, r->count - from };
    return OM_OK;
}

static bench_column *column(reader *r)
{
    return &r->t->columns[r->t->column_count - 1];
}

/* ---- directives for the whole table ---- */

static int on_suite(reader *r)
{
    return name(r, 1, &r->t->suite);
}

static int on_title(reader *r)
{
    r->t->title = r->words[1].text;
    return OM_OK;
}

static int on_rounds(reader *r)
{
    double n = 0;
    int rc = number(r, 1, 1, BENCH_ROUNDS_MOST, &n);
    r->t->rounds = (uint64_t) n;
    return rc;
}

static int on_compare(reader *r)
{
    return figure(r, 1, &r->t->figure);
}

static int on_also(reader *r)
{
    int rc = OM_OK;
    for (size_t i = 1; rc == OM_OK && i < r->count; i++) {
        bench_figure f;
        rc = figure(r, i, &f);
        if (rc == OM_OK)
            r->t->also[f] = true;
    }
    return rc;
}

static int on_baseline(reader *r)
{
    r->t->baseline = r->words[1].text;
    return OM_OK;
}

static int on_set(reader *r)
{
    const char *variable = NULL;
    int rc = name(r, 1, &variable);
    return rc != OM_OK
               ? rc
               : bench_add_pair(&r->t->arena, r->ctx, &r->t->variables, variable, r->words[2].text);
}

/* Appended, so that notes keep their order. */
static int on_note(reader *r)
{
    bench_pair **last = &r->t->notes;
    while (*last != NULL)
        last = &(*last)->next;
    return bench_add_pair(&r->t->arena, r->ctx, last, "note", r->words[1].text);
}

static int on_row(reader *r)
{
    bench_table *t = r->t;
    bench_row row = { .place = r->words[0].place };
    int rc = name(r, 1, &row.name);
    for (size_t i = 0; rc == OM_OK && i < t->row_count; i++)
        if (strcmp(t->rows[i].name, row.name) == 0)
            rc = fail(r, 1, "there is a row of that name already");
    for (size_t i = 2; rc == OM_OK && i < r->count; i++) {
        const char *equals = strchr(r->words[i].text, '=');
        if (equals == NULL || equals == r->words[i].text)
            return fail(r, i, "NAME=VALUE is wanted");
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

/* "A/B" or "A"; the columns are looked up when the whole table is there. */
static int target_columns(reader *r, size_t i, bench_target *out)
{
    const char *text = r->words[i].text, *slash = strchr(text, '/');
    size_t n = slash == NULL ? strlen(text) : (size_t) (slash - text);
    out->column = bench_arena_text(&r->t->arena, text, n);
    out->over = slash == NULL ? NULL : slash + 1;
    return out->column == NULL ? om_fail_memory(r->ctx) : OM_OK;
}

/* where VARIABLE < NUMBER */
static int target_where(reader *r, bench_target *out)
{
    const char *op = r->words[9].text;
    int rc = name(r, 8, &out->where);
    if (rc == OM_OK && (strlen(op) != 1 || strchr("<>=", *op) == NULL))
        rc = fail(r, 9, "'<', '>' or '=' is wanted");
    out->where_op = *op;
    return rc == OM_OK ? number(r, 10, -HUGE_VAL, HUGE_VAL, &out->where_bound) : rc;
}

/* target TEXT every|geomean FIGURE COLUMN[/COLUMN] >=|<= NUMBER [where VARIABLE <|>|= NUMBER] */
static int on_target(reader *r)
{
    bench_table *t = r->t;
    bench_target g = { .text = r->words[1].text, .place = r->words[0].place };
    const char *kind = r->words[2].text, *op;
    int rc;

    if (r->count != 7 && (r->count != 11 || strcmp(r->words[7].text, "where") != 0))
        return fail(
            r, 0, "TEXT KIND FIGURE COLUMNS OP NUMBER [where VARIABLE OP NUMBER] is wanted");
    g.every = strcmp(kind, "every") == 0;
    if (!g.every && strcmp(kind, "geomean") != 0)
        return fail(r, 2, "'every' or 'geomean' is wanted");
    rc = figure(r, 3, &g.figure);
    if (rc == OM_OK)
        rc = target_columns(r, 4, &g);
    op = r->words[5].text;
    g.at_least = strcmp(op, ">=") == 0;
    if (rc == OM_OK && !g.at_least && strcmp(op, "<=") != 0)
        rc = fail(r, 5, "'>=' or '<=' is wanted");
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

/* ---- directives for a column ---- */

static int on_column(reader *r)
{
    bench_table *t = r->t;
    bench_column c = { .place = r->words[0].place };
    int rc = name(r, 1, &c.name);
    if (rc == OM_OK && bench_find_column(t, c.name) != t->column_count)
        rc = fail(r, 1, "there is a column of that name already");
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

static int on_when(reader *r)
{
    return name(r, 1, &column(r)->when);
}

static int on_needs(reader *r)
{
    return words_from(r, 1, &column(r)->needs);
}

static int on_format(reader *r)
{
    static const char *const words[] = { "none", "omen", "pan", "ltsmin", "counts" };
    for (int i = 0; i < 5; i++)
        if (strcmp(words[i], r->words[1].text) == 0) {
            column(r)->format = (bench_format) i;
            return OM_OK;
        }
    return fail(r, 1, "none, omen, pan, ltsmin or counts is wanted");
}

static int on_require(reader *r)
{
    return words_from(r, 1, &r->t->require);
}

static int on_if(reader *r)
{
    column(r)->only_if = r->words[1].text;
    return OM_OK;
}

static int on_prepare(reader *r)
{
    column(r)->prepare = r->words[1].text;
    return OM_OK;
}

static int on_before(reader *r)
{
    column(r)->before = r->words[1].text;
    return OM_OK;
}

static int on_warm(reader *r)
{
    column(r)->warm = true;
    return words_from(r, 1, &column(r)->warm_words);
}

static int on_env(reader *r)
{
    const char *variable = NULL;
    int rc = name(r, 1, &variable);
    return rc != OM_OK
               ? rc
               : bench_add_pair(&r->t->arena, r->ctx, &column(r)->env, variable, r->words[2].text);
}

static int on_command(reader *r)
{
    return words_from(r, 1, &column(r)->command);
}

static int on_published(reader *r)
{
    int rc = figure(r, 1, &column(r)->published_figure);
    return rc == OM_OK ? words_from(r, 2, &column(r)->published) : rc;
}

static int on_best(reader *r)
{
    int rc = figure(r, 1, &column(r)->best_figure);
    return rc == OM_OK ? words_from(r, 2, &column(r)->best) : rc;
}

static int on_recorded(reader *r)
{
    column(r)->recorded = r->words[1].text;
    return name(r, 2, &column(r)->recorded_column);
}

static int on_scaled(reader *r)
{
    bench_column *c = column(r);
    int rc = figure(r, 2, &c->scaled_figure);
    c->scaled_by = r->words[1].text;
    return rc == OM_OK ? number(r, 3, 1e-9, 1e12, &c->scaled_base) : rc;
}

static int on_status(reader *r)
{
    column(r)->status = r->words[1].text;
    return OM_OK;
}

static int on_expect(reader *r)
{
    const char *what = r->words[1].text;
    bench_figure ignored;
    int rc = strcmp(what, "verdict") == 0 || strcmp(what, "executor") == 0 ? OM_OK
                                                                           : figure(r, 1, &ignored);
    return rc != OM_OK
               ? rc
               : bench_add_pair(&r->t->arena, r->ctx, &column(r)->expect, what, r->words[2].text);
}

static int on_versus(reader *r)
{
    column(r)->versus = r->words[1].text;
    return OM_OK;
}

static int on_agree(reader *r)
{
    column(r)->agree = r->words[1].text;
    return number(r, 2, 0, 1e9, &column(r)->tolerance);
}

/* ---- lines ---- */

typedef struct directive {
    const char *name;
    bool column;        /* belongs to the column above it */
    size_t least, most; /* words behind it */
    int (*read)(reader *r);
} directive;

static const directive directives[] = {
    { "suite", false, 1, 1, on_suite },
    { "title", false, 1, 1, on_title },
    { "rounds", false, 1, 1, on_rounds },
    { "compare", false, 1, 1, on_compare },
    { "also", false, 1, BENCH_FIGURES, on_also },
    { "baseline", false, 1, 1, on_baseline },
    { "set", false, 2, 2, on_set },
    { "note", false, 1, 1, on_note },
    { "require", false, 1, WORDS, on_require },
    { "row", false, 1, WORDS, on_row },
    { "target", false, 6, 10, on_target },
    { "column", false, 1, 1, on_column },
    { "when", true, 1, 1, on_when },
    { "needs", true, 1, WORDS, on_needs },
    { "format", true, 1, 1, on_format },
    { "if", true, 1, 1, on_if },
    { "prepare", true, 1, 1, on_prepare },
    { "before", true, 1, 1, on_before },
    { "warm", true, 0, WORDS, on_warm },
    { "env", true, 2, 2, on_env },
    { "command", true, 1, WORDS, on_command },
    { "published", true, 2, WORDS, on_published },
    { "best", true, 2, WORDS, on_best },
    { "recorded", true, 2, 2, on_recorded },
    { "scaled", true, 3, 3, on_scaled },
    { "status", true, 1, 1, on_status },
    { "expect", true, 2, 2, on_expect },
    { "agree", true, 2, 2, on_agree },
    { "versus", true, 1, 1, on_versus },
};
enum { DIRECTIVES = sizeof directives / sizeof *directives };

static int unknown_directive(reader *r)
{
    const char *names[DIRECTIVES];
    for (size_t i = 0; i < DIRECTIVES; i++)
        names[i] = directives[i].name;
    const char *near = om_nearest(r->words[0].text, names, DIRECTIVES);
    if (near != NULL)
        return om_fail(r->ctx, OM_EINPUT, &r->words[0].place, "no '%s'; did you mean '%s'?",
            r->words[0].text, near);
    return om_fail(r->ctx, OM_EINPUT, &r->words[0].place, "no '%s' in a table", r->words[0].text);
}

static int on_line(reader *r)
{
    const directive *d = directives;
    while (d < directives + DIRECTIVES && strcmp(d->name, r->words[0].text) != 0)
        d++;
    if (d == directives + DIRECTIVES)
        return unknown_directive(r);
    if (r->count - 1 < d->least || r->count - 1 > d->most)
        return fail(r, 0, r->count - 1 < d->least ? "too few words" : "too many words");
    if (d->column && r->t->column_count == 0)
        return fail(r, 0, "stands above every column");
    return d->read(r);
}

/* ---- what can only be checked at the end ---- */

static int column_named(reader *r, const om_place *place, const char *wanted)
{
    if (wanted == NULL || bench_find_column(r->t, wanted) != r->t->column_count)
        return OM_OK;
    return om_fail(r->ctx, OM_EINPUT, place, "no column '%s'", wanted);
}

static int check_best(reader *r, const bench_column *c)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < c->best.count; i++) {
        rc = column_named(r, &c->place, c->best.words[i]);
        if (rc == OM_OK &&
            r->t->columns[bench_find_column(r->t, c->best.words[i])].command.count == 0)
            rc = om_fail(r->ctx, OM_EINPUT, &c->place,
                "column %s is the best of one that is not run", c->name);
    }
    return rc;
}

static int check_column(reader *r, const bench_column *c)
{
    bool published = c->published.count != 0;
    int ways = published + (c->command.count != 0) + (c->best.count != 0) + (c->recorded != NULL);
    int rc = column_named(r, &c->place, c->agree);
    if (rc == OM_OK)
        rc = column_named(r, &c->place, c->versus);
    if (rc == OM_OK)
        rc = column_named(r, &c->place, c->scaled_by);
    if (rc != OM_OK)
        return rc;
    if (ways != 1)
        return om_fail(r->ctx, OM_EINPUT, &c->place,
            "column %s needs one of: a command, published or recorded figures, the best of others",
            c->name);
    if (c->scaled_by == NULL)
        return check_best(r, c);
    if (!published)
        return om_fail(
            r->ctx, OM_EINPUT, &c->place, "column %s: only published figures are scaled", c->name);
    if (r->t->columns[bench_find_column(r->t, c->scaled_by)].command.count == 0)
        return om_fail(
            r->ctx, OM_EINPUT, &c->place, "column %s is scaled by one that is not run", c->name);
    return OM_OK;
}

static int check(reader *r)
{
    bench_table *t = r->t;
    om_place top = { r->file, 1, 1 };
    int rc = OM_OK;
    if (t->suite == NULL)
        return om_fail(r->ctx, OM_EINPUT, &top, "the table has no 'suite NAME'");
    if (t->column_count == 0 || t->row_count == 0)
        return om_fail(r->ctx, OM_EINPUT, &top, "the table has no %s",
            t->column_count == 0 ? "column" : "row");
    rc = column_named(r, &top, t->baseline);
    for (size_t i = 0; rc == OM_OK && i < t->column_count; i++)
        rc = check_column(r, &t->columns[i]);
    for (size_t i = 0; rc == OM_OK && i < t->target_count; i++) {
        const bench_target *g = &t->targets[i];
        rc = column_named(r, &g->place, g->column);
        if (rc == OM_OK)
            rc = column_named(r, &g->place, g->over);
    }
    return rc;
}

int bench_table_parse(
    bench_table *out, om_context *ctx, const char *file, const char *text, size_t length)
{
    const om_heap *heap = om_context_heap(ctx);
    bench_table t = { .arena = { .heap = heap }, .figure = BENCH_CPU, .rounds = 3 };
    reader r = { &t, ctx, text, text + length, text, NULL, 1, { { NULL, { NULL, 0, 0 } } }, 0 };
    int rc = OM_OK;

    r.file = bench_arena_text(&t.arena, file, strlen(file));
    if (r.file == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK && memchr(text, '\0', length) != NULL)
        rc = om_fail(ctx, OM_EINPUT, &(om_place){ r.file, 1, 1 }, "there is a NUL in it");
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
