/* SPDX-License-Identifier: Apache-2.0 */
/* test_quotient_host.c with a filter and with keys of 70 bits. */
#define OM_FILTER 8
#define KEY_BITS 70u
#define SHIFTS 0x3e2000ull /* words of 32, 30 and 8 bits */
#include "test_quotient_host.c"
