/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with units, as in options and submissions. The functions return false, with *out
 * unchanged, if the text is invalid or the number is too large. */
#ifndef OMEND_UNITS_H
#define OMEND_UNITS_H

#include <stdbool.h>
#include <stdint.h>

bool units_read_number(const char *text, uint64_t *out);
/* Bytes: "500M", "4G"; K, M, G and T are powers of 1024. */
bool units_read_size(const char *text, uint64_t *out);
/* Nanoseconds: "250ms", "90s", "10m", "2h", "7d"; seconds without a unit. */
bool units_read_time(const char *text, uint64_t *out);

#endif
