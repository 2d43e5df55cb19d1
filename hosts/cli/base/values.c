/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: numbers with units, and words. */
#include "base/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads the digits after a point, in billionths; advances *text. */
static uint64_t read_fraction(const char **text)
{
    uint64_t value = 0, worth = 100000000;
    for (const char *s = *text + 1;; s++) {
        if (*s < '0' || *s > '9') {
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
    *out = n * units->factor + rest;
    return true;
}

int cli_read_number(cli *c, const char *option, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out)
{
    if (scan_number(text, units, out))
        return OM_OK;
    return om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes %s, not '%s'", option, wanted, text);
}

const cli_unit cli_plain_units[] = { { "", 1 }, { NULL, 0 } };
const cli_unit cli_size_units[] = { { "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
    { "T", (uint64_t) 1 << 40 }, { "KB", 1 << 10 }, { "MB", 1 << 20 }, { "GB", 1 << 30 },
    { NULL, 0 } };
const cli_unit cli_time_units[] = { { "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
    { "m", (uint64_t) 60 * 1000000000 }, { "min", (uint64_t) 60 * 1000000000 },
    { "h", (uint64_t) 3600 * 1000000000 }, { NULL, 0 } };

int cli_read_word(cli *c, const char *option, const char *text, const char *const *words, int *out)
{
    om_text known = { .heap = c->heap };
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            om_text_free(&known);
            return OM_OK;
        }
        om_text_printf(&known, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    int rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes one of %s, not '%s'", option,
        known.text == NULL ? "" : known.text, text);
    om_text_free(&known);
    return rc;
}

int cli_read_limit(cli *c, const char *option, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out)
{
    int rc = cli_read_number(c, option, wanted, text, units, out);
    if (rc == OM_OK && *out == 0)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--%s must be more than 0", option);
    return rc;
}
