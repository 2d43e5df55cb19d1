/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of plug-ins, by the table that the plug-in exports: names, ranges and defaults are
 * checked here, once for all, so that its code gets numbers that it said it can take.
 */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

size_t om_options__count(const om_option *table)
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

/* The integer at s, which must be n characters long. */
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

static int one(om_context *ctx, const char *who, const om_option *table, const char *s, size_t n,
    int64_t *values)
{
    const char *equals = memchr(s, '=', n);
    size_t name = equals == NULL ? n : (size_t) (equals - s);
    const om_option *o = find(table, s, name);
    int64_t value = 1;

    if (o == NULL)
        return om_fail(ctx, OM_EUSAGE, NULL, "%s has no option '%.*s'", who, (int) name, s);
    if (equals != NULL && !read_value(equals + 1, n - name - 1, &value))
        return om_fail(ctx, OM_EUSAGE, NULL, "%s: option %s takes a whole number, not '%.*s'", who,
            o->name, (int) (n - name - 1), equals + 1);
    if (value < o->low || value > o->high)
        return om_fail(ctx, OM_EUSAGE, NULL,
            "%s: option %s must be between %" PRId64 " and %" PRId64 ", not %" PRId64, who, o->name,
            o->low, o->high, value);
    values[o - table] = value;
    return OM_OK;
}

int om_options__parse(
    om_context *ctx, const char *who, const om_option *table, const char *text, int64_t *values)
{
    for (size_t i = 0; i < om_options__count(table); i++)
        values[i] = table[i].dflt;
    while (text != NULL && *text != '\0') {
        size_t n = strcspn(text, ",");
        int rc = one(ctx, who, table, text, n, values);
        if (rc != OM_OK)
            return rc;
        text += n;
        if (*text == ',')
            text++;
    }
    return OM_OK;
}
