/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up a figure in a file of comma-separated values that another program wrote. */
#include "csv_field.h"
#include "results.h"

#include <assert.h>
#include <string.h>

enum { FIELDS_MOST = 64, KEYS_MOST = 16 };

typedef struct finder {
    om_context *ctx;
    const char *file;
    bench_csv_place p;
    char fields[FIELDS_MOST][BENCH_FIELD_MOST];
    size_t count;
    size_t wanted;          /* the field whose value is wanted */
    size_t keys[KEYS_MOST]; /* fields that identify the line */
    const char *values[KEYS_MOST];
    size_t key_count;
} finder;

static int fail(const finder *f, const char *what)
{
    om_place place = { f->file, f->p.line, 0 };
    return om_fail(f->ctx, OM_EINPUT, &place, "%s", what);
}

/* Reads the next line that is not empty; f->count is 0 if there is none. */
static int read_line(finder *f)
{
    f->count = 0;
    while (f->p.at < f->p.end && *f->p.at == '\n') {
        f->p.at++;
        f->p.line++;
    }
    while (f->p.at < f->p.end) {
        if (f->count == FIELDS_MOST)
            return fail(f, "too many fields");
        bench_csv_field(&f->p, f->fields[f->count++], BENCH_FIELD_MOST);
        if (f->p.at == f->p.end || *f->p.at == '\n')
            break;
        if (*f->p.at != ',')
            return fail(f, "expected a comma");
        f->p.at++;
    }
    return OM_OK;
}

static int find_field(const finder *f, const char *name, size_t length, size_t *out)
{
    for (*out = 0; *out < f->count; ++*out)
        if (strlen(f->fields[*out]) == length && memcmp(f->fields[*out], name, length) == 0)
            return OM_OK;
    om_place place = { f->file, f->p.line, 0 };
    return om_fail(f->ctx, OM_EINPUT, &place, "no field '%.*s'", (int) length, name);
}

static int read_names(finder *f, const char *const *words)
{
    assert(words[0] != NULL && words[1] != NULL && f->key_count == 0);
    int rc = read_line(f);
    if (rc == OM_OK)
        rc = find_field(f, words[1], strlen(words[1]), &f->wanted);
    for (size_t i = 2; rc == OM_OK && words[i] != NULL; i++) {
        const char *equals = strchr(words[i], '=');
        if (equals == NULL || f->key_count == KEYS_MOST)
            return fail(f, equals == NULL ? "expected FIELD=VALUE" : "too many conditions");
        rc = find_field(f, words[i], (size_t) (equals - words[i]), &f->keys[f->key_count]);
        f->values[f->key_count++] = equals + 1;
    }
    return rc;
}

static bool is_it(const finder *f)
{
    for (size_t i = 0; i < f->key_count; i++)
        if (f->keys[i] >= f->count || strcmp(f->fields[f->keys[i]], f->values[i]) != 0)
            return false;
    return f->wanted < f->count;
}

int bench_csv_look_up(om_context *ctx, const char *const *words, const char *text, size_t length,
    char value[BENCH_FIELD_MOST], bool *found)
{
    finder *f = om_alloc(om_context_heap(ctx), 1, sizeof *f);
    *found = false;
    if (f == NULL)
        return om_fail_memory(ctx);
    f->ctx = ctx;
    f->file = words[0];
    f->p = (bench_csv_place){ text, text + length, 1 };
    int rc = read_names(f, words);
    if (rc == OM_OK)
        rc = read_line(f);
    for (; rc == OM_OK && f->count != 0; rc = read_line(f)) {
        if (!is_it(f))
            continue;
        if (*found) {
            rc = fail(f, "more than one matching line");
            break;
        }
        *found = true;
        memcpy(value, f->fields[f->wanted], BENCH_FIELD_MOST);
    }
    om_free(om_context_heap(ctx), f);
    return rc;
}
