/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a table; parse.c reads one. */
#include "table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct bench_block {
    bench_block *next;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *bench_arena_alloc(bench_arena *a, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    bench_block *b = om_alloc(a->heap, 1, sizeof *b + count * size);
    if (b == NULL)
        return NULL;
    b->next = a->blocks;
    a->blocks = b;
    return b->bytes;
}

char *bench_arena_text(bench_arena *a, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : bench_arena_alloc(a, length + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void bench_arena_free(bench_arena *a)
{
    while (a->blocks != NULL) {
        bench_block *next = a->blocks->next;
        om_free(a->heap, a->blocks);
        a->blocks = next;
    }
}

/* ---- names ---- */

size_t bench_find_column(const bench_table *t, const char *name)
{
    size_t i = 0;
    while (i < t->column_count && strcmp(t->columns[i].name, name) != 0)
        i++;
    return i;
}

size_t bench_baseline_of(const bench_table *t, size_t column)
{
    assert(column < t->column_count);
    const char *base = t->columns[column].versus != NULL ? t->columns[column].versus : t->baseline;
    size_t i = base == NULL ? t->column_count : bench_find_column(t, base);
    return i == column ? t->column_count : i;
}

const char *bench_lookup(const bench_pair *pairs, const char *name)
{
    for (; pairs != NULL; pairs = pairs->next)
        if (strcmp(pairs->name, name) == 0)
            return pairs->value;
    return NULL;
}

int bench_add_pair(
    bench_arena *a, om_context *ctx, bench_pair **list, const char *name, const char *value)
{
    bench_pair *p = bench_arena_alloc(a, 1, sizeof *p);
    if (p != NULL) {
        p->name = bench_arena_text(a, name, strlen(name));
        p->value = bench_arena_text(a, value, strlen(value));
    }
    if (p == NULL || p->name == NULL || p->value == NULL)
        return om_fail_memory(ctx);
    p->next = *list;
    *list = p;
    return OM_OK;
}

void bench_table_free(bench_table *t)
{
    const om_heap *heap = t->arena.heap;
    if (heap == NULL)
        return;
    om_free(heap, t->columns);
    om_free(heap, t->rows);
    om_free(heap, t->targets);
    om_free(heap, t->views);
    bench_arena_free(&t->arena);
    *t = (bench_table){ 0 };
}

/* ---- times and sizes ---- */

typedef struct unit {
    const char *name;
    double size;
} unit;

/* Reads a number followed by one of the units, and converts it to the first unit. */
static bool quantity(const char *text, const unit *units, double most, double *out)
{
    char *stop;
    double n = strtod(text, &stop);
    size_t i = 0;
    while (units[i].name != NULL && strcmp(units[i].name, stop) != 0)
        i++;
    *out = n * units[i].size;
    return text[0] >= '0' && text[0] <= '9' && units[i].name != NULL && *out > 0 && *out <= most;
}

bool bench_read_time(const char *text, uint64_t *out)
{
    static const unit units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "m", 60 }, { "h", 3600 },
        { NULL, 0 } };
    double seconds;
    if (!quantity(text, units, 1e8, &seconds) || seconds < 0.001)
        return false;
    *out = (uint64_t) (seconds * 1e9);
    return true;
}

bool bench_read_size(const char *text, uint64_t *out)
{
    static const unit units[] = { { "", 1 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 },
        { "T", 1e12 }, { NULL, 0 } };
    double bytes;
    if (!quantity(text, units, 1e15, &bytes) || bytes < 1)
        return false;
    *out = (uint64_t) bytes;
    return true;
}

/* ---- ${NAME} ---- */

enum { DEPTH = 8, STEPS = 1000, NAME_MOST = 64, EXPANDED_MOST = 1 << 16 };

static const char *find(const bench_scope *scope, const char *name, size_t length)
{
    char copy[NAME_MOST];
    const char *value = NULL;
    if (length >= sizeof copy)
        return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    for (size_t i = 0; i < BENCH_LISTS && value == NULL; i++)
        value = bench_lookup(scope->lists[i], copy);
    return value;
}

/* The state of one expansion. */
typedef struct expansion {
    om_context *ctx;
    const bench_scope *scope;
    const om_place *place;
    unsigned steps;
    om_text *out;
} expansion;

/* Values may refer to other names; cyclic references and expansions with too many steps fail. */
static int expand(expansion *e, const char *word, unsigned depth)
{
    while (*word != '\0') {
        const char *dollar = strstr(word, "${");
        if (dollar == NULL) {
            om_text_add(e->out, word);
            break;
        }
        const char *name = dollar + 2, *end = strchr(name, '}');
        om_text_add_n(e->out, word, (size_t) (dollar - word));
        if (end == NULL)
            return om_fail(e->ctx, OM_EINPUT, e->place, "'${' without '}'");
        int length = end - name < NAME_MOST ? (int) (end - name) : NAME_MOST;
        const char *value = find(e->scope, name, (size_t) (end - name));
        if (value == NULL)
            return om_fail(e->ctx, OM_EINPUT, e->place, "no variable '%.*s'", length, name);
        if (depth == DEPTH || ++e->steps > STEPS || e->out->length > EXPANDED_MOST)
            return om_fail(e->ctx, OM_EINPUT, e->place, "'${%.*s}' refers to itself", length, name);
        int rc = expand(e, value, depth + 1);
        if (rc != OM_OK)
            return rc;
        word = end + 1;
    }
    return e->out->failed ? om_fail_memory(e->ctx) : OM_OK;
}

int bench_expand(om_context *ctx, const bench_scope *scope, const om_place *place, const char *word,
    om_text *out)
{
    expansion e = { ctx, scope, place, 0, out };
    return expand(&e, word, 0);
}
