/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OMEN_NET_DIVISOR_H
#define OMEN_NET_DIVISOR_H

#include <stdint.h>

/* Returns the greatest common divisor of two numbers, which is not negative. */
static inline int64_t om_net__divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

#endif
