/* SPDX-License-Identifier: Apache-2.0 */
/* csv_field.h: a field of comma-separated values (RFC 4180; lines end with LF). */
#ifndef OMEN_BENCH_CSV_FIELD_H
#define OMEN_BENCH_CSV_FIELD_H

#include <stddef.h>
#include <stdint.h>

/* The position of a reader. */
typedef struct bench_csv_place {
    const char *at, *end;
    uint32_t line;
} bench_csv_place;

/* Reads a field and the comma or line end after it. A field longer than *room* - 1 bytes is cut. */
void bench_csv_field(bench_csv_place *p, char *out, size_t room);

#endif
