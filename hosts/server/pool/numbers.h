/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h: sets of devices as text: their numbers in ascending order, "0,2", or "none". */
#ifndef OMEND_NUMBERS_H
#define OMEND_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest text, of all 64 devices: 10 numbers of one digit, 54 of two, and a comma or
 * the end after each. */
enum { NUMBERS_MOST = 10 + 54 * 2 + 64 };

/* Returns the device numbers as bits; 0 if the text has no numbers. */
uint64_t numbers_read(const char *text);
void numbers_write(uint64_t bits, char out[NUMBERS_MOST]);

#endif
