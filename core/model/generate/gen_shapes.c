/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of text that are equal up to their numbers have the same shape: the guards of several
 * instances of a process, say. The text of a shape is written once, and takes those numbers that
 * differ from a table with a row for each piece.
 *
 * Guards and effects of kernels are put shape by shape. Rows of native code and assertions are
 * leaves of a decision tree, which call the functions of their shapes if these have several pieces
 * and much text (om_gen__is_apart()); otherwise they are written in place.
 *
 * Numbers in names (t1) do not count, so pieces with a shape in common use the same names. A label
 * of a switch and a number that does not fit 32 bits cannot come from the table.
 */
#include "gen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of a text ---- */

typedef struct number {
    const char *at, *end; /* of its digits and its suffix */
    uint32_t value;
    bool is_unsigned;
} number;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_name(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_label(const char *begin, const char *at)
{
    if (at > begin && at[-1] == '-')
        at--;
    return at - begin >= 5 && memcmp(at - 5, "case ", 5) == 0;
}

/* Finds the next number that could come from a table, in the text from `begin`. If there is none,
 * its place is the end. */
static number next_number(const char *begin, const char *from, const char *end)
{
    for (const char *at = from; at < end; at++) {
        if (!is_digit(*at) || (at > begin && is_of_name(at[-1])))
            continue;
        number n = { at, at, 0, false };
        uint64_t value = 0;
        for (; n.end < end && is_digit(*n.end); n.end++)
            value = value > UINT32_MAX ? value : value * 10 + (uint64_t) (*n.end - '0');
        n.is_unsigned = n.end < end && *n.end == 'u';
        n.end += n.is_unsigned;
        n.value = (uint32_t) value;
        if (value <= (n.is_unsigned ? UINT32_MAX : INT32_MAX) && !is_label(begin, at))
            return n;
        at = n.end - 1;
    }
    return (number){ end, end, 0, false };
}

/* ---- shapes ---- */

static const char *begin_of(const om_gen_shapes *s, uint32_t i)
{
    return s->text.text + (i == 0 ? 0 : s->pieces[i - 1].end);
}

static const char *end_of(const om_gen_shapes *s, uint32_t i)
{
    return s->text.text + s->pieces[i].end;
}

static uint64_t hash_of(const char *begin, const char *end)
{
    uint64_t h = 14695981039346656037u;
    for (const char *at = begin; at < end;) {
        const number n = next_number(begin, at, end);
        for (; at < n.at; at++)
            h = (h ^ (unsigned char) *at) * 1099511628211u;
        h = (h ^ n.is_unsigned) * 1099511628211u;
        at = n.end;
    }
    return h;
}

static bool same_shape(const om_gen_shapes *s, uint32_t i, uint32_t k)
{
    const char *a = begin_of(s, i), *b = begin_of(s, k);
    while (a < end_of(s, i)) {
        const number m = next_number(begin_of(s, i), a, end_of(s, i));
        const number n = next_number(begin_of(s, k), b, end_of(s, k));
        if (m.at - a != n.at - b || m.is_unsigned != n.is_unsigned ||
            (m.at == m.end) != (n.at == n.end) || memcmp(a, b, (size_t) (m.at - a)) != 0)
            return false;
        a = m.end;
        b = n.end;
    }
    return b == end_of(s, k);
}

typedef struct keyed {
    uint64_t hash;
    uint32_t piece;
} keyed;

static int by_hash(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->piece < b->piece ? -1 : a->piece > b->piece;
}

/* Pieces with the same hash are neighbours in ascending order. */
static void join(om_gen_shapes *s, const keyed *all)
{
    uint32_t first = OM_NONE; /* of the last shape */
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t piece = all[i].piece;
        if (i == 0 || all[i].hash != all[i - 1].hash || !same_shape(s, first, piece)) {
            first = piece;
            continue;
        }
        s->pieces[piece].first = first;
        s->pieces[s->pieces[first].last].next = piece;
        s->pieces[first].last = piece;
    }
}

static void find_shapes(om_gen *g, om_gen_shapes *s)
{
    keyed *all = NULL;
    if (!OM_NEW(g->m->heap, all, s->count)) {
        g->memory = true;
        return;
    }
    for (uint32_t i = 0; i < s->count; i++)
        all[i] = (keyed){ hash_of(begin_of(s, i), end_of(s, i)), i };
    qsort(all, s->count, sizeof *all, by_hash);
    join(s, all);
    om_free(g->m->heap, all);
}

void om_gen__add_piece(om_gen *g, om_gen_shapes *s, uint32_t group)
{
    if (!OM_ROOM(g->m->heap, s->pieces, &s->capacity, (size_t) s->count + 1)) {
        g->memory = true;
        return;
    }
    s->pieces[s->count] = (om_gen_piece){
        .end = s->text.length, .group = group, .first = s->count, .next = OM_NONE, .last = s->count
    };
    s->count++;
}

/* ---- the table ---- */

/* The numbers of a shape's pieces. */
typedef struct columns {
    uint32_t count, pieces;
    uint32_t *values; /* by piece, then by number */
    uint32_t *place;  /* by number: in a row, or OM_NONE if it is the same in all pieces */
} columns;

static bool same_column(const columns *c, uint32_t i, uint32_t k)
{
    for (size_t row = 0; row < c->pieces; row++)
        if (c->values[row * c->count + i] != c->values[row * c->count + k])
            return false;
    return true;
}

static bool is_constant(const columns *c, uint32_t i)
{
    for (size_t row = 1; row < c->pieces; row++)
        if (c->values[row * c->count + i] != c->values[i])
            return false;
    return true;
}

/* Sets the place of each number: equal columns have one. Returns the length of a row. */
static uint32_t place_columns(columns *c)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        c->place[i] = OM_NONE;
        if (is_constant(c, i))
            continue;
        for (uint32_t k = 0; k < i && c->place[i] == OM_NONE; k++)
            if (c->place[k] != OM_NONE && same_column(c, i, k))
                c->place[i] = c->place[k];
        if (c->place[i] == OM_NONE)
            c->place[i] = length++;
    }
    return length;
}

static bool read_columns(const om_heap *heap, const om_gen_shapes *s, uint32_t first, columns *c)
{
    const char *begin = begin_of(s, first), *end = end_of(s, first);
    *c = (columns){ 0 };
    for (number n = next_number(begin, begin, end); n.at < end; n = next_number(begin, n.end, end))
        c->count++;
    for (uint32_t i = first; i != OM_NONE; i = s->pieces[i].next)
        c->pieces++;
    if (!OM_NEW(heap, c->place, c->count) ||
        !OM_NEW(heap, c->values, (size_t) c->count * c->pieces))
        return false;
    uint32_t *to = c->values;
    for (uint32_t i = first; i != OM_NONE; i = s->pieces[i].next) {
        begin = begin_of(s, i);
        end = end_of(s, i);
        for (number n = next_number(begin, begin, end); n.at < end;
             n = next_number(begin, n.end, end))
            *to++ = n.value;
    }
    assert(to == c->values + (size_t) c->count * c->pieces);
    return true;
}

/* Adds the rows of the shape's pieces to the table. */
static void add_rows(om_gen_shapes *s, uint32_t first, const columns *c, uint32_t length)
{
    const uint32_t *values = c->values;
    for (uint32_t i = first; i != OM_NONE; i = s->pieces[i].next, values += c->count) {
        uint32_t place = 0;
        s->pieces[i].row = s->numbers;
        s->numbers += length;
        for (uint32_t k = 0; k < c->count; k++)
            if (c->place[k] == place) {
                om_text_printf(&s->rows, "%u,", values[k]);
                place++;
            }
        if (length != 0)
            om_text_add(&s->rows, "\n");
    }
}

/* Writes the text of a shape with its numbers: p[3] is number 3 of the row. */
static void put_text(om_gen *g, const om_gen_shapes *s, uint32_t first, const columns *c)
{
    const char *begin = begin_of(s, first), *end = end_of(s, first), *at = begin;
    for (uint32_t i = 0; i < c->count; i++) {
        const number n = next_number(begin, at, end);
        const bool same = c->place[i] == OM_NONE;
        om_text_add_n(g->out, at, (size_t) ((same ? n.end : n.at) - at));
        if (!same)
            om_text_printf(g->out, n.is_unsigned ? "p[%u]" : "(om_i32)p[%u]", c->place[i]);
        at = n.end;
    }
    om_text_add_n(g->out, at, (size_t) (end - at));
}

/* A function costs a call and loads of its numbers, and the text of its calls. */
enum { SHORT = 150 /* bytes */, FEW = 2 /* pieces */ };

bool om_gen__is_apart(const om_gen_shapes *s, uint32_t piece)
{
    const uint32_t first = s->pieces[piece].first;
    uint32_t pieces = 0;
    for (uint32_t i = first; i != OM_NONE && pieces <= FEW; i = s->pieces[i].next)
        pieces++;
    return pieces > FEW && end_of(s, first) - begin_of(s, first) > SHORT;
}

void om_gen__put_shape(om_gen *g, om_gen_shapes *s, uint32_t first)
{
    columns c = { 0 };
    assert(s->pieces[first].first == first);
    if (s->pieces[first].next == OM_NONE) {
        om_text_add_n(g->out, begin_of(s, first), (size_t) (end_of(s, first) - begin_of(s, first)));
        return;
    }
    s->tabled = true;
    if (read_columns(g->m->heap, s, first, &c)) {
        add_rows(s, first, &c, place_columns(&c));
        put_text(g, s, first, &c);
    } else {
        g->memory = true;
    }
    OM_FREE_ALL(g->m->heap, c.place, c.values);
}

void om_gen__put_apart(om_gen *g, om_gen_shapes *s, const char *prefix, const char *parameters)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->pieces[i].first != i || !om_gen__is_apart(s, i))
            continue;
        om_text_printf(g->out, "%s_%u(%s)\n{\n", prefix, i, parameters);
        om_gen__put_shape(g, s, i);
        om_text_add(g->out, "return 0u;\n}\n");
    }
    g->apart = s;
}

static void put_table(om_gen *g, const om_gen_shapes *s, const char *name)
{
    if (!s->tabled)
        return;
    om_text_printf(g->out, "%s const om_u32 om_gen_%s_row[] = {\n",
        g->form.steps ? "static" : "OM_CONSTANT", name);
    if (s->numbers == 0) /* an array is not empty */
        om_text_add(g->out, "0");
    else
        om_text_add_n(g->out, s->rows.text, s->rows.length);
    om_text_add(g->out, "};\n");
    if (s->apart)
        return;
    om_text_printf(g->out, "OM_CONSTANT const om_u32 om_gen_%s_at[] = {", name);
    for (uint32_t i = 0; i < s->count; i++)
        om_text_printf(g->out, "%s%u,", i % 16 == 0 ? "\n" : "", s->pieces[i].row);
    om_text_add(g->out, "\n};\n");
}

void om_gen__put_shapes(
    om_gen *g, om_gen_shapes *s, const char *name, void (*put)(om_gen *g, om_gen_shapes *s))
{
    om_text body = { .heap = g->m->heap }, *out = g->out;
    s->rows.heap = g->m->heap;
    g->memory = g->memory || s->text.failed;
    if (!g->memory && s->text.length > s->plain)
        find_shapes(g, s);
    if (!g->memory) {
        g->out = &body;
        put(g, s);
        g->out = out;
        put_table(g, s, name);
        om_text_add_n(out, body.text, body.length);
        g->memory = g->memory || body.failed || s->rows.failed;
    }
    om_text_free(&body);
    om_text_free(&s->rows);
    om_text_free(&s->text);
    om_free(g->m->heap, s->pieces);
}
