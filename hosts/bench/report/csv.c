/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads results as comma-separated values (RFC 4180, lines end with LF): a line for each
 * run, after a head of "# key: value" lines. The file holds everything that a report needs. A
 * resumed run reads it.
 */
#include "csv_field.h"
#include "results.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_field(om_text *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        om_text_add(out, text);
        return;
    }
    om_text_add(out, "\"");
    for (; *text != '\0'; text++)
        om_text_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    om_text_add(out, "\"");
}

static const char *const states[] = { [BENCH_PENDING] = "pending",
    [BENCH_OK] = "ok",
    [BENCH_NOT_APPLICABLE] = "none",
    [BENCH_ABSENT] = "absent",
    [BENCH_FAILED] = "failed",
    [BENCH_LIMIT] = "limit",
    [BENCH_DIFFERS] = "differs" };

static void put_run(const bench_results *r, size_t row, size_t column, size_t round, om_text *out)
{
    const bench_cell *c = bench_cell_at(r, row, column);
    const bench_sample *s = round < c->count ? &c->samples[round] : NULL;
    put_field(out, r->table->rows[row].name);
    om_text_add(out, ",");
    put_field(out, r->table->columns[column].name);
    om_text_printf(out, ",%zu,%s,", s == NULL ? 0 : round + 1, states[c->state]);
    put_field(out, s == NULL ? "" : s->verdict);
    om_text_add(out, ",");
    put_field(out, s == NULL ? "" : s->executor);
    for (size_t f = 0; f < BENCH_FIGURES; f++) {
        om_text_add(out, ",");
        if (s != NULL && !isnan(s->figures[f]))
            om_text_printf(out, "%.9g", s->figures[f]);
    }
    om_text_add(out, ",");
    put_field(out, c->note == NULL ? "" : c->note);
    om_text_add(out, "\n");
}

void bench_put_csv(const bench_results *r, om_text *out)
{
    const bench_table *t = r->table;
    om_text_printf(out,
        "# suite: %s\n# commit: %s\n# date: %s\n# machine: %s\n# command: %s\n"
        "# rounds: %zu\n",
        t->suite, r->commit, r->date, r->machine, r->command, r->rounds);
    if (r->limits != NULL)
        om_text_printf(out, "# limits: %s\n", r->limits);
    om_text_add(out, "row,column,round,state,verdict,executor");
    for (size_t f = 0; f < BENCH_FIGURES; f++)
        om_text_printf(out, ",%s", bench_figure_names[f]);
    om_text_add(out, ",note\n");
    for (size_t row = 0; row < t->row_count; row++)
        for (size_t column = 0; column < t->column_count; column++) {
            const bench_cell *c = bench_cell_at(r, row, column);
            if (c->state == BENCH_PENDING)
                continue;
            for (size_t k = 0; k < c->count || k == 0; k++)
                put_run(r, row, column, k, out);
        }
}

/* ---- reading ---- */

enum { FIXED = 6, FIELDS = FIXED + BENCH_FIGURES + 1 };

typedef struct reader reader;
struct reader {
    bench_results *r; /* NULL: one sample is searched for */
    om_context *ctx;
    /* Called for each line that describes a run. */
    int (*take)(reader *r);
    const char *row, *column; /* the row and column searched for */
    bench_sample *sample;
    bool found;
    bench_figure figures[FIELDS]; /* the figure of each field; older results lack some figures */
    size_t wanted;                /* number of fields of a line */
    const char *file;
    bench_csv_place p;
    char fields[FIELDS][BENCH_FIELD_MOST];
    size_t count;
};

static int fail(const reader *r, const char *what)
{
    om_place place = { r->file, r->p.line, 0 };
    return om_fail(r->ctx, OM_EINPUT, &place, "%s", what);
}

void bench_csv_field(bench_csv_place *p, char *out, size_t room)
{
    assert(p->at <= p->end && room > 0);
    bool inside = p->at < p->end && *p->at == '"';
    size_t n = 0;
    p->at += inside;
    for (; p->at < p->end; p->at++) {
        if (inside && *p->at == '"') {
            if (p->at + 1 == p->end || p->at[1] != '"') {
                p->at++;
                break;
            }
            p->at++;
        } else if (!inside && (*p->at == ',' || *p->at == '\n'))
            break;
        if (n + 1 < room)
            out[n++] = *p->at;
        p->line += *p->at == '\n';
    }
    out[n] = '\0';
}

static int read_record(reader *r)
{
    r->count = 0;
    for (;;) {
        if (r->count == FIELDS)
            return fail(r, "too many fields");
        bench_csv_field(&r->p, r->fields[r->count++], BENCH_FIELD_MOST);
        if (r->p.at == r->p.end || *r->p.at == '\n')
            return OM_OK;
        if (*r->p.at != ',')
            return fail(r, "expected a comma");
        r->p.at++;
    }
}

/* Fails if a "# key: value" line differs from the current run. */
static int check_line(const reader *r, size_t length)
{
    char rounds[24];
    const struct {
        const char *key, *value;
    } wanted[] = { { "suite", r->r->table->suite }, { "commit", r->r->commit },
        { "rounds", rounds }, { "limits", r->r->limits == NULL ? "none" : r->r->limits } };
    om_place place = { r->file, r->p.line, 0 };

    (void) snprintf(rounds, sizeof rounds, "%zu", r->r->rounds);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t n = strlen(wanted[i].key) + 4; /* "# " and ": " */
        if (length < n || memcmp(r->p.at + 2, wanted[i].key, n - 4) != 0 || r->p.at[n - 2] != ':')
            continue;
        if (length - n != strlen(wanted[i].value) ||
            memcmp(r->p.at + n, wanted[i].value, length - n) != 0)
            return om_fail(r->ctx, OM_EINPUT, &place, "%s was '%.*s', but is now '%s'",
                wanted[i].key, (int) (length - n < 200 ? length - n : 200), r->p.at + n,
                wanted[i].value);
    }
    return OM_OK;
}

static int check_head(reader *r)
{
    const char *stop = memchr(r->p.at, '\n', (size_t) (r->p.end - r->p.at));
    size_t length = (size_t) ((stop == NULL ? r->p.end : stop) - r->p.at);
    int rc = r->r == NULL ? OM_OK : check_line(r, length);
    r->p.at += length;
    return rc;
}
bool bench_csv_head(const char *text, const char *key, om_text *out)
{
    while (text[0] == '#' && text[1] == ' ') {
        size_t n = strcspn(text, "\n"), k = strlen(key);
        if (strncmp(text + 2, key, k) == 0 && text[2 + k] == ':' && text[3 + k] == ' ') {
            om_text_add_n(out, text + k + 4, n - k - 4);
            return true;
        }
        text += n + (text[n] == '\n');
    }
    return false;
}

static int read_number(const reader *r, const char *text, double *out)
{
    char *stop = NULL;
    *out = *text == '\0' ? NAN : strtod(text, &stop);
    return *text == '\0' || *stop == '\0' ? OM_OK : fail(r, "not a number");
}

static int read_state(const reader *r, const char *text, bench_cell_state *out)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i], text) == 0) {
            *out = (bench_cell_state) i;
            return OM_OK;
        }
    return fail(r, "unknown state");
}

static void copy(char *out, size_t size, const char *text)
{
    size_t n = strlen(text);
    n = n < size ? n : size - 1;
    memcpy(out, text, n);
    out[n] = '\0';
}

static int read_sample(const reader *r, bench_sample *s)
{
    assert(r->wanted <= FIELDS && r->count == r->wanted);
    int rc = OM_OK;
    bench_sample_clear(s);
    copy(s->verdict, sizeof s->verdict, r->fields[4]);
    copy(s->executor, sizeof s->executor, r->fields[5]);
    for (size_t i = FIXED; rc == OM_OK && i + 1 < r->wanted; i++)
        rc = read_number(r, r->fields[i], &s->figures[r->figures[i]]);
    return rc;
}

/* Rows and columns that the table no longer has are skipped. */
static int take_record(reader *r)
{
    bench_results *all = r->r;
    const bench_table *t = all->table;
    size_t row = 0, column = bench_find_column(t, r->fields[1]);
    double round = 0;
    int rc;

    while (row < t->row_count && strcmp(t->rows[row].name, r->fields[0]) != 0)
        row++;
    if (row == t->row_count || column == t->column_count)
        return OM_OK;
    bench_cell *c = bench_cell_at(all, row, column);
    rc = read_number(r, r->fields[2], &round);
    if (rc == OM_OK)
        rc = read_state(r, r->fields[3], &c->state);
    const char *note = r->fields[r->wanted - 1];
    c->note = *note == '\0' ? NULL : bench_arena_text(&all->table->arena, note, strlen(note));
    if (rc != OM_OK || round == 0)
        return rc;
    if (round != (double) (c->count + 1) || c->count == all->rounds)
        return fail(r, "not the next round");
    assert(c->count < all->rounds); /* R1 */
    return read_sample(r, &c->samples[c->count++]);
}

static int look_at_record(reader *r)
{
    if (r->found || strcmp(r->fields[0], r->row) != 0 || strcmp(r->fields[1], r->column) != 0 ||
        strcmp(r->fields[2], "1") != 0)
        return OM_OK;
    r->found = true;
    return read_sample(r, r->sample);
}

/* The named figures must be known; some known figures may be missing. */
static int read_names(reader *r)
{
    if (r->count <= FIXED + 1 || strcmp(r->fields[r->count - 1], "note") != 0)
        return fail(r, "not results of a suite");
    r->wanted = r->count;
    for (size_t i = FIXED; i + 1 < r->count; i++) {
        r->figures[i] = bench_find_figure(r->fields[i]);
        if (r->figures[i] == BENCH_FIGURES)
            return fail(r, "the results have other figures");
    }
    return OM_OK;
}

static int read_run(reader *r)
{
    return r->count == r->wanted ? r->take(r)
                                 : fail(r, "the number of fields differs from the number of names");
}

/* A row is taken over as a whole or not at all. A column that failed is run again, because it may
 * succeed now. A column that hit a limit is not, because the limits are the same. */
static void drop_incomplete(bench_results *r)
{
    for (size_t row = 0; row < r->table->row_count; row++)
        for (size_t i = 0; i < r->table->column_count; i++) {
            const bench_cell *c = bench_cell_at(r, row, i);
            bool whole = (c->state == BENCH_OK || c->state == BENCH_DIFFERS)
                             ? c->count == r->rounds
                             : c->state == BENCH_NOT_APPLICABLE || c->state == BENCH_ABSENT ||
                                   c->state == BENCH_LIMIT;
            if (!whole)
                bench_row_clear(r, row);
        }
}

/* Reads a whole file. The reader is zeroed except for the members that take() needs. */
static int read_all(reader *in, const char *text, size_t length)
{
    bool named = false;
    int rc = OM_OK;
    in->p.at = text;
    in->p.end = text + length;
    in->p.line = 1;
    while (rc == OM_OK && in->p.at < in->p.end) {
        if (!named && *in->p.at == '#')
            rc = check_head(in);
        else {
            rc = read_record(in);
            if (rc == OM_OK)
                rc = named ? read_run(in) : read_names(in);
            named = true;
        }
        if (rc == OM_OK && in->p.at < in->p.end)
            in->p.at++, in->p.line++;
    }
    return rc == OM_OK && !named ? fail(in, "not results of a suite") : rc;
}

int bench_csv_sample(om_context *ctx, const char *file, const char *text, size_t length,
    const char *row, const char *column, bench_sample *out, bool *found)
{
    reader *in = om_alloc(om_context_heap(ctx), 1, sizeof *in);
    *found = false;
    if (in == NULL)
        return om_fail_memory(ctx);
    in->ctx = ctx;
    in->file = file;
    in->take = look_at_record;
    in->row = row;
    in->column = column;
    in->sample = out;
    int rc = read_all(in, text, length);
    *found = rc == OM_OK && in->found;
    om_free(om_context_heap(ctx), in);
    return rc;
}

int bench_read_csv(
    bench_results *r, om_context *ctx, const char *file, const char *text, size_t length)
{
    reader *in = om_alloc(om_context_heap(ctx), 1, sizeof *in);
    if (in == NULL)
        return om_fail_memory(ctx);
    in->r = r;
    in->ctx = ctx;
    in->file = file;
    in->take = take_record;
    int rc = read_all(in, text, length);
    om_free(om_context_heap(ctx), in);
    if (rc != OM_OK)
        for (size_t row = 0; row < r->table->row_count; row++)
            bench_row_clear(r, row);
    else
        drop_incomplete(r);
    return rc;
}
