/* SPDX-License-Identifier: Apache-2.0 */
#include "trail.h"

#include <omen/host/lasso.h>

#include <assert.h>
#include <string.h>

/* Marks, in the field of step numbers. */
enum { MARK_CYCLE = -1, MARK_CLAIM = -2, MARK_MERGED = -4, MARK_ORDER = -5, MARK_ORDER_LAST = -8 };

typedef struct reader {
    om_trail *t;
    const char *at, *line_start, *end;
    uint32_t line;
} reader;

static om_place place_of(const reader *r)
{
    return (om_place){ r->t->file, r->line, (uint32_t) (r->at - r->line_start) + 1 };
}

static int wrong(const reader *r, const char *wanted)
{
    const om_place place = place_of(r);
    if (r->at == r->end)
        return om_fail(r->t->ctx, OM_EINPUT, &place, "expected %s, found the end", wanted);
    const unsigned char c = (unsigned char) *r->at;
    if (c == '\n')
        return om_fail(
            r->t->ctx, OM_EINPUT, &place, "expected %s, found the end of the line", wanted);
    if (c < ' ' || c > '~')
        return om_fail(
            r->t->ctx, OM_EINPUT, &place, "expected %s, found a byte that is not text", wanted);
    return om_fail(r->t->ctx, OM_EINPUT, &place, "expected %s, found \"%c\"", wanted, c);
}

/* number = ['-'] DIGIT {DIGIT}, below 2^31 */
static int read_number(reader *r, int64_t *out, uint32_t *column)
{
    static const char what[] = "a number";
    const reader first = *r;
    bool negative = r->at < r->end && *r->at == '-';
    *column = (uint32_t) (r->at - r->line_start) + 1;
    *out = 0;
    r->at += negative;
    if (r->at == r->end || *r->at < '0' || *r->at > '9')
        return wrong(r, what);
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        *out = *out * 10 + (*r->at - '0');
        if (*out > INT32_MAX)
            return om_fail(r->t->ctx, OM_EINPUT, &(om_place){ r->t->file, first.line, *column },
                "this number is too large");
    }
    *out = negative ? -*out : *out;
    return OM_OK;
}

static int expect(reader *r, char c, const char *what)
{
    if (r->at == r->end || *r->at != c)
        return wrong(r, what);
    r->at++;
    return OM_OK;
}

static int add_step(reader *r, const om_trail_step *step)
{
    om_trail *t = r->t;
    const om_heap *heap = om_context_heap(t->ctx);
    if (!OM_ROOM(heap, t->steps, &t->capacity, t->count + 1))
        return om_fail_memory(t->ctx);
    t->steps[t->count++] = *step;
    return OM_OK;
}

static int misplaced(const reader *r, const char *what)
{
    return om_fail(r->t->ctx, OM_EINPUT, &(om_place){ r->t->file, r->line, 1 }, "%s", what);
}

static int read_mark(reader *r, int64_t mark, int64_t value)
{
    om_trail *t = r->t;
    if (mark == MARK_CYCLE) {
        if (t->cycle != OM_NO_LOOP)
            return misplaced(r, "the cycle begins twice");
        t->cycle = t->count;
        return OM_OK;
    }
    if (t->count != 0 || t->cycle != OM_NO_LOOP)
        return misplaced(r, "this line must come before all steps");
    if (mark == MARK_CLAIM) {
        if (t->claim != OM_NONE)
            return misplaced(r, "there is more than one claim");
        if (value < 0)
            return misplaced(r, "expected the number of a claim");
        t->claim = (uint32_t) value;
    } else if (mark == MARK_MERGED)
        t->merged = true;
    else if (mark > MARK_ORDER || mark < MARK_ORDER_LAST)
        return misplaced(r, "this number belongs to no step and no mark");
    return OM_OK;
}

static uint32_t or_none(int64_t number)
{
    return number == -1 ? OM_NONE : (uint32_t) number;
}

/* line = number ':' number ':' number END_OF_LINE */
static int read_line(reader *r)
{
    assert(r->at == r->line_start);
    int64_t number[3];
    uint32_t column[3];
    int rc = OM_OK;
    for (int i = 0; i < 3 && rc == OM_OK; i++) {
        rc = i == 0 ? OM_OK : expect(r, ':', "\":\"");
        if (rc == OM_OK)
            rc = read_number(r, &number[i], &column[i]);
    }
    if (rc == OM_OK && r->at < r->end && *r->at == '\r')
        r->at++;
    if (rc == OM_OK)
        rc = expect(r, '\n', "the end of the line");
    if (rc != OM_OK)
        return rc;
    if (number[0] < 0)
        return read_mark(r, number[0], number[1]);
    for (int i = 1; i < 3; i++)
        if (number[i] < -1)
            return om_fail(r->t->ctx, OM_EINPUT, &(om_place){ r->t->file, r->line, column[i] },
                "expected the number of a %s", i == 1 ? "process" : "statement");
    om_trail_step step = { r->line, column[1], column[2], or_none(number[1]), or_none(number[2]) };
    if (r->t->claim != OM_NONE && step.process != OM_NONE && step.process-- == 0)
        return OM_OK; /* the claim's own move */
    return add_step(r, &step);
}

int om_trail__read(om_trail *t, om_context *ctx, const char *file, const char *text, size_t length)
{
    enum { ASK_EVERY = 4096 };
    reader r = { .t = t, .at = text, .line_start = text, .end = text + length, .line = 1 };
    int rc = OM_OK;
    *t = (om_trail){ .ctx = ctx, .file = file, .cycle = OM_NO_LOOP, .claim = OM_NONE, .lines = 1 };
    while (rc == OM_OK && r.at < r.end) {
        rc = r.line % ASK_EVERY == 0 ? om_context_stopped(ctx) : OM_OK;
        if (rc == OM_OK)
            rc = read_line(&r);
        r.line_start = r.at;
        t->lines = r.line++;
    }
    return rc;
}

void om_trail__free(om_trail *t)
{
    if (t->ctx != NULL)
        om_free(om_context_heap(t->ctx), t->steps);
    *t = (om_trail){ .ctx = NULL };
}
