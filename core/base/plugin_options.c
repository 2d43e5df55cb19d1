/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of plug-ins, by the tables that the plug-in exports. Names, ranges and defaults are
 * checked here for all plug-ins, so that a plug-in only gets values that its table permits.
 */
#include "plugin_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

size_t om_plugin_options__count(const om_option *table)
{
    size_t n = 0;
    while (table != NULL && table[n].name != NULL)
        n++;
    return n;
}

static const om_option *find(const om_option *table, const char *name, size_t length)
{
    for (; table != NULL && table->name != NULL; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

/* Reads the integer at s, which must be n characters long. */
static bool read_value(const char *s, size_t n, int64_t *out)
{
    char digits[32], *end;
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, s, n);
    digits[n] = '\0';
    errno = 0;
    *out = strtoll(digits, &end, 10);
    return errno == 0 && *end == '\0';
}

const char *const *om_plugin_options__names(const om_option_names *names, const om_option *option)
{
    for (; names != NULL && names->option != NULL; names++)
        if (strcmp(names->option, option->name) == 0)
            return names->names;
    return NULL;
}

/* The plug-in whose options are read. */
typedef struct reader {
    om_context *ctx;
    const char *who;
    const om_option *table;
    const om_option_names *names;
} reader;

static int take_number(const reader *r, const om_option *o, const char *s, size_t n, int64_t *value)
{
    if (!read_value(s, n, value))
        return om_fail(r->ctx, OM_EUSAGE, NULL, "%s: option %s must be a whole number, not '%.*s'",
            r->who, o->name, (int) n, s);
    if (*value < o->low || *value > o->high)
        return om_fail(r->ctx, OM_EUSAGE, NULL,
            "%s: option %s must be between %" PRId64 " and %" PRId64 ", not %" PRId64, r->who,
            o->name, o->low, o->high, *value);
    return OM_OK;
}

static int take_name(const reader *r, const om_option *o, const char *const *names, const char *s,
    size_t n, int64_t *value)
{
    om_text list = { .heap = om_context_heap(r->ctx) };
    for (size_t i = 0; names[i] != NULL; i++)
        if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0) {
            *value = o->low + (int64_t) i;
            return OM_OK;
        }
    for (size_t i = 0; names[i] != NULL; i++)
        om_text_printf(&list, "%s%s", i == 0 ? "" : names[i + 1] == NULL ? " or " : ", ", names[i]);
    int rc = list.failed ? om_fail_memory(r->ctx)
                         : om_fail(r->ctx, OM_EUSAGE, NULL, "%s: option %s must be %s, not '%.*s'",
                               r->who, o->name, list.text, (int) n, s);
    om_text_free(&list);
    return rc;
}

static int one(const reader *r, const char *s, size_t n, int64_t *values)
{
    const char *equals = memchr(s, '=', n);
    size_t name = equals == NULL ? n : (size_t) (equals - s);
    const om_option *o = find(r->table, s, name);
    if (o == NULL)
        return om_fail(r->ctx, OM_EUSAGE, NULL, "%s has no option '%.*s'", r->who, (int) name, s);
    const char *const *names = om_plugin_options__names(r->names, o);
    const char *value = equals == NULL ? names == NULL ? "1" : "" : equals + 1;
    size_t length = equals == NULL ? strlen(value) : n - name - 1;
    int64_t *to = &values[o - r->table];
    return names == NULL ? take_number(r, o, value, length, to)
                         : take_name(r, o, names, value, length, to);
}

int om_plugin_options__parse(om_context *ctx, const char *who, const om_option *table,
    const om_option_names *names, const char *text, int64_t *values)
{
    const reader r = { ctx, who, table, names };
    for (size_t i = 0; i < om_plugin_options__count(table); i++)
        values[i] = table[i].dflt;
    while (text != NULL && *text != '\0') {
        size_t n = strcspn(text, ",");
        int rc = one(&r, text, n, values);
        if (rc != OM_OK)
            return rc;
        text += n;
        if (*text == ',')
            text++;
    }
    return OM_OK;
}
