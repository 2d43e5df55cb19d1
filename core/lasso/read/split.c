/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value ends where its brackets are closed, outside strings. This file finds that end byte by
 * byte; jansson, which gets the whole value, decides whether it is JSON. For a file, memory holds
 * the current value and a piece that was read ahead.
 */
#include "split.h"

#include <assert.h>
#include <string.h>

enum { PIECE = 1 << 16 };

void om_split__text(om_split *s, om_context *ctx, const char *name, const char *text, size_t length)
{
    *s = (om_split){ .ctx = ctx,
        .heap = om_context_heap(ctx),
        .place = { name, 1, 1 },
        .text = text,
        .length = length };
}

int om_split__open(om_split *s, om_context *ctx, const char *path)
{
    om_split__text(s, ctx, path, "", 0);
    return om_input__open(&s->input, ctx, path);
}

void om_split__close(om_split *s)
{
    om_input__close(&s->input);
    om_free(s->heap, s->buffer);
    s->buffer = NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int bad(om_split *s, const char *what)
{
    return om_fail(s->ctx, OM_EINPUT, &s->place, "not JSON: %s", what);
}

/* Reads more text, and drops the text before `at`. *any is false at the end. */
static int fill(om_split *s, bool *any)
{
    *any = false;
    if (s->input.path == NULL)
        return OM_OK;
    assert(s->at <= s->length);
    size_t kept = s->length - s->at;
    if (kept > 0)
        memmove(s->buffer, s->buffer + s->at, kept);
    s->at = 0;
    s->length = kept;
    if (!OM_ROOM(s->heap, s->buffer, &s->capacity, kept + PIECE))
        return om_fail_memory(s->ctx);
    s->text = s->buffer;
    size_t got = 0;
    int rc = om_input__read(&s->input, s->ctx, s->buffer + kept, s->capacity - kept, &got);
    s->length += got;
    *any = got > 0;
    return rc == OM_OK ? om_context_stopped(s->ctx) : rc;
}

/* Skips n characters. */
static void pass(om_split *s, size_t n)
{
    assert(n <= s->length - s->at);
    for (; n > 0; n--) {
        bool line = s->text[s->at++] == '\n';
        s->place.line += line;
        s->place.column = line ? 1 : s->place.column + 1;
    }
}

int om_split__peek(om_split *s, char *next)
{
    for (;;) {
        while (s->at < s->length && is_blank(s->text[s->at]))
            pass(s, 1);
        bool any = false;
        int rc = s->at < s->length ? OM_OK : fill(s, &any);
        if (rc != OM_OK)
            return rc;
        if (s->at == s->length) {
            *next = '\0';
            return OM_OK;
        }
        *next = s->text[s->at];
        if (*next == '\0')
            return bad(s, "a NUL character");
        if (!is_blank(*next))
            return OM_OK;
    }
}

int om_split__expect(om_split *s, char c)
{
    char next, what[] = "' ' is expected here";
    int rc = om_split__peek(s, &next);
    what[1] = c;
    if (rc == OM_OK && next != c)
        rc = bad(s, what);
    if (rc == OM_OK)
        pass(s, 1);
    return rc;
}

int om_split__next(om_split *s, const char *brackets, bool first, bool *more)
{
    char next;
    int rc = first ? om_split__expect(s, brackets[0]) : OM_OK;
    if (rc == OM_OK)
        rc = om_split__peek(s, &next);
    *more = rc == OM_OK && next != brackets[1];
    if (rc == OM_OK && !*more)
        pass(s, 1);
    else if (rc == OM_OK && !first)
        rc = om_split__expect(s, ',');
    return rc;
}

/* The scanned part of a value. */
typedef struct json_extent {
    size_t length, depth;
    bool quoted, escaped;
    bool complete;
} json_extent;

/* Adds one more character to the value, or ends it. */
static void extend(json_extent *e, char c)
{
    if (e->escaped || (e->quoted && c != '"' && c != '\\')) {
        e->escaped = false;
    } else if (e->quoted) {
        e->escaped = c == '\\';
        e->quoted = c == '\\';
        e->complete = c == '"' && e->depth == 0;
    } else if (c == '"') {
        e->quoted = true;
    } else if (c == '[' || c == '{') {
        e->depth++;
    } else if ((c == ']' || c == '}') && e->depth > 0) {
        e->complete = --e->depth == 0;
    } else if (e->depth == 0 && (is_blank(c) || c == ',' || c == ':' || c == ']' || c == '}')) {
        e->complete = true; /* after a number or a word: c is not part of it */
        return;
    }
    e->length++;
}

/* Finds the length of the value that begins here. */
static int find_extent(om_split *s, size_t *length)
{
    json_extent e = { 0, 0, false, false, false };
    bool any = true;
    int rc = OM_OK;
    while (rc == OM_OK && any && !e.complete) {
        while (s->at + e.length < s->length && !e.complete)
            extend(&e, s->text[s->at + e.length]);
        if (!e.complete)
            rc = fill(s, &any);
    }
    *length = e.length;
    return rc;
}

int om_split__value(om_split *s, json_t **out)
{
    size_t length = 0;
    json_error_t error;
    char next;
    int rc = om_split__peek(s, &next);
    if (rc == OM_OK)
        rc = find_extent(s, &length);
    if (rc != OM_OK)
        return rc;
    *out = json_loadb(s->text + s->at, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (*out == NULL) {
        om_place at = s->place;
        at.column = (error.line <= 1 ? at.column : 1) +
                    (uint32_t) (error.column > 0 ? error.column - 1 : 0);
        at.line += error.line > 1 ? (uint32_t) error.line - 1 : 0;
        if (json_error_code(&error) == json_error_out_of_memory)
            return om_fail_memory(s->ctx);
        return om_fail(s->ctx, OM_EINPUT, &at, "not JSON: %s", error.text);
    }
    pass(s, length);
    return OM_OK;
}
