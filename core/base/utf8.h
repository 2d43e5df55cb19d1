/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h: decoding of external text, one character at a time. */
#ifndef OM_BASE_UTF8_H
#define OM_BASE_UTF8_H

#include <stddef.h>

/* Returns the length of the well-formed UTF-8 sequence at the beginning of the NUL-terminated text
 * s (1 for the NUL), or 0 if there is none. Does not read past the NUL. */
size_t om_utf8__length(const unsigned char *s);

#endif
