/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *suffix;
    uint64_t factor;
} unit;

static bool read_with(const char *text, const unit *units, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    while (units->suffix != NULL && strcmp(units->suffix, end) != 0)
        units++;
    if (errno != 0 || units->suffix == NULL || n > INT64_MAX / units->factor)
        return false;
    *out = n * units->factor;
    return true;
}

bool units_read_number(const char *text, uint64_t *out)
{
    static const unit plain[] = { { "", 1 }, { NULL, 0 } };
    return read_with(text, plain, out);
}

bool units_read_size(const char *text, uint64_t *out)
{
    static const unit sizes[] = { { "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
        { "T", (uint64_t) 1 << 40 }, { "KB", 1 << 10 }, { "MB", 1 << 20 }, { "GB", 1 << 30 },
        { NULL, 0 } };
    return read_with(text, sizes, out);
}

bool units_read_time(const char *text, uint64_t *out)
{
    static const uint64_t second = 1000000000;
    const unit times[] = { { "", second }, { "s", second }, { "ms", second / 1000 },
        { "m", 60 * second }, { "min", 60 * second }, { "h", 3600 * second },
        { "d", second * 3600 * 24 }, { NULL, 0 } };
    return read_with(text, times, out);
}
