/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t numbers_read(const char *text)
{
    uint64_t bits = 0;
    for (const char *s = text; *s >= '0' && *s <= '9';) {
        char *end;
        unsigned long n = strtoul(s, &end, 10);
        if (n < 64)
            bits |= (uint64_t) 1 << n;
        s = *end == ',' ? end + 1 : end;
    }
    return bits;
}

void numbers_write(uint64_t bits, char out[NUMBERS_MOST])
{
    size_t n = 0;
    if (bits == 0)
        (void) snprintf(out, NUMBERS_MOST, "none");
    for (unsigned i = 0; i < 64; i++)
        if ((bits >> i & 1) != 0)
            n += (size_t) snprintf(out + n, NUMBERS_MOST - n, "%s%u", n == 0 ? "" : ",", i);
    assert(n < NUMBERS_MOST && numbers_read(out) == bits);
}
