/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h: text from outside, one character at a time. */
#ifndef OM_BASE_UTF8_H
#define OM_BASE_UTF8_H

#include <stddef.h>

/* Length of the well-formed UTF-8 sequence that the NUL-terminated text at s begins with (1 for the
 * NUL), or 0. Nothing past the NUL is read. */
size_t om_utf8__length(const unsigned char *s);

#endif
