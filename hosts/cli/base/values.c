/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  V1  A fraction is less than 1: fewer than 10^9 billionths.
 *  V2  The fraction of a unit is less than the unit.
 */
#include "base/values.h"
#include "base/options.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads the digits after a point, in billionths; advances *text. */
static uint64_t read_fraction(const char **text)
{
    uint64_t value = 0, worth = 100000000;
    for (const char *s = *text + 1;; s++) {
        if (*s < '0' || *s > '9') {
            assert(value < 1000000000); /* V1 */
            *text = s;
            return value;
        }
        value += worth * (uint64_t) (*s - '0');
        worth /= 10;
    }
}

/* Reads a number such as "1.5s". Only a number with a unit may have a fraction. */
static bool scan_number(const char *text, const cli_unit *units, uint64_t *out)
{
    char *stop;
    errno = 0;
    unsigned long long n = strtoull(text, &stop, 10);
    const char *end = stop;
    uint64_t billionths = 0;
    if (errno != 0 || text[0] < '0' || text[0] > '9')
        return false;
    if (end[0] == '.' && end[1] >= '0' && end[1] <= '9' && units[1].suffix != NULL)
        billionths = read_fraction(&end);
    while (units->suffix != NULL && strcmp(units->suffix, end) != 0)
        units++;
    if (units->suffix == NULL || n > UINT64_MAX / units->factor - 1)
        return false;
    uint64_t rest = units->factor >= 1000000000 ? units->factor / 1000000000 * billionths
                                                : units->factor * billionths / 1000000000;
    assert(rest < units->factor); /* V2: so the sum does not overflow */
    *out = n * units->factor + rest;
    return true;
}

int cli_read_number(cli *c, const cli_option *o, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out)
{
    if (scan_number(text, units, out))
        return OM_OK;
    return om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes %s, not '%s'", o->name, wanted, text);
}

const cli_unit cli_plain_units[] = { { "", 1 }, { NULL, 0 } };
const cli_unit cli_size_units[] = { { "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
    { "T", (uint64_t) 1 << 40 }, { "KB", 1 << 10 }, { "MB", 1 << 20 }, { "GB", 1 << 30 },
    { NULL, 0 } };
const cli_unit cli_time_units[] = { { "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
    { "m", (uint64_t) 60 * 1000000000 }, { "min", (uint64_t) 60 * 1000000000 },
    { "h", (uint64_t) 3600 * 1000000000 }, { NULL, 0 } };

/* Adds the words between the bars of the text, separated by commas. */
static void put_words(const char *words, om_text *out)
{
    for (const char *s = words; *s != '\0'; s++)
        om_text_add_n(out, *s == '|' ? ", " : s, *s == '|' ? 2 : 1);
}

int cli_read_word(cli *c, const cli_option *o, const char *text, int *out)
{
    om_text known = { .heap = c->heap };
    *out = 0;
    for (const char *word = o->argument;; word++, ++*out) {
        const size_t n = strcspn(word, "|");
        if (strlen(text) == n && memcmp(text, word, n) == 0)
            return OM_OK;
        word += n;
        if (*word == '\0')
            break;
    }
    put_words(o->argument, &known);
    int rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes one of %s, not '%s'", o->name,
        known.text == NULL ? "" : known.text, text);
    om_text_free(&known);
    return rc;
}

int cli_read_limit(cli *c, const cli_option *o, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out)
{
    int rc = cli_read_number(c, o, wanted, text, units, out);
    if (rc == OM_OK && *out == 0)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--%s must be more than 0", o->name);
    return rc;
}

/* ---- setters ---- */

int cli_set_flag(cli *c, const cli_option *o, void *at, const char *value)
{
    (void) c;
    (void) o;
    (void) value;
    *(bool *) at = true;
    return OM_OK;
}

int cli_set_text(cli *c, const cli_option *o, void *at, const char *value)
{
    (void) c;
    (void) o;
    *(const char **) at = value;
    return OM_OK;
}

int cli_set_word(cli *c, const cli_option *o, void *at, const char *value)
{
    int i;
    *(const char **) at = value;
    return cli_read_word(c, o, value, &i);
}

int cli_set_choice(cli *c, const cli_option *o, void *at, const char *value)
{
    _Static_assert(sizeof(om_schedule) == sizeof(int), "enumerations are as large as numbers");
    return cli_read_word(c, o, value, at);
}

int cli_set_switch(cli *c, const cli_option *o, void *at, const char *value)
{
    int i, rc = cli_read_word(c, o, value, &i);
    *(om_switch *) at = i == 0 ? OM_SWITCH_ON : OM_SWITCH_OFF;
    return rc;
}

int cli_set_count(cli *c, const cli_option *o, void *at, const char *value)
{
    return cli_read_limit(c, o, "a number", value, cli_plain_units, at);
}

int cli_set_size(cli *c, const cli_option *o, void *at, const char *value)
{
    return cli_read_limit(c, o, "a size such as 200M or 4G", value, cli_size_units, at);
}

int cli_set_time(cli *c, const cli_option *o, void *at, const char *value)
{
    return cli_read_limit(c, o, "a time such as 500ms, 1.5s or 2m", value, cli_time_units, at);
}

int cli_set_seed(cli *c, const cli_option *o, void *at, const char *value)
{
    static const char wanted[] =
        "a number up to 9223372036854775807"; /* the range of JSON integers */
    uint64_t n = 0;
    int rc = cli_read_number(c, o, wanted, value, cli_plain_units, &n);
    if (rc == OM_OK && n > INT64_MAX)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes %s, not '%s'", o->name, wanted, value);
    *(uint64_t *) at = n;
    return rc;
}

/* ---- names of files ---- */

/* Lists the formats of a kind of output */
typedef const char *const *formats_fn(size_t *count);

/* Adds the suffixes of the formats' files. */
static void put_endings(formats_fn *all, const char *before, const char *between, om_text *out)
{
    size_t count;
    const char *const *formats = all(&count);
    for (size_t i = 0; i < count; i++)
        om_text_printf(out, "%s%s%s", i == 0 ? "" : between, before, formats[i]);
}

/* Rejects a value; `wanted` precedes the list of formats in the message. */
static int wrong_ending(cli *c, const cli_option *o, const char *wanted, formats_fn *all,
    const char *before, const char *between, const char *value)
{
    om_text endings = { .heap = c->heap };
    put_endings(all, before, between, &endings);
    int rc = endings.failed ? om_fail_memory(c->ctx)
                            : om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes %s %s, not '%s'",
                                  o->name, wanted, endings.text, value);
    om_text_free(&endings);
    return rc;
}

/* Takes a file whose suffix names a format (NULL: it names none). */
static int set_file(cli *c, const cli_option *o, const char **at, const char *value,
    const char *format, formats_fn *all)
{
    *at = value;
    return format != NULL ? OM_OK
                          : wrong_ending(c, o, "a file that ends in", all, ".", " or ", value);
}

int cli_set_lasso(cli *c, const cli_option *o, void *at, const char *value)
{
    return set_file(c, o, at, value, om_lasso_format_of(value), om_lasso_formats);
}

int cli_set_graph(cli *c, const cli_option *o, void *at, const char *value)
{
    return set_file(c, o, at, value, om_graph_format_of(value), om_graph_formats);
}

int cli_set_lasso_format(cli *c, const cli_option *o, void *at, const char *value)
{
    size_t count;
    const char *const *formats = om_lasso_formats(&count);
    *(const char **) at = value;
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i], value) == 0)
            return OM_OK;
    return wrong_ending(c, o, "one of", om_lasso_formats, "", ", ", value);
}

void cli_put_argument(const cli_option *o, om_text *out)
{
    const bool file = o->set == cli_set_lasso || o->set == cli_set_graph;
    om_text_add(out, o->argument);
    if (!file && o->set != cli_set_lasso_format)
        return;
    om_text_add(out, file ? ".(" : "");
    put_endings(o->set == cli_set_graph ? om_graph_formats : om_lasso_formats, "", "|", out);
    om_text_add(out, file ? ")" : "");
}
