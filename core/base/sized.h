/* SPDX-License-Identifier: Apache-2.0 */
/* sized.h: structs that begin with their size, filled in by callers of possibly another version. */
#ifndef OM_BASE_SIZED_H
#define OM_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies such a struct into `to`, which has `known` bytes; members that an older caller does not
 * have are zeroed. Returns false if the struct has fewer than `least` bytes, the size of its first
 * version, or if it has non-zero bytes after `known`, which would be ignored.
 */
bool om_sized__copy(void *to, size_t known, size_t least, const void *from);

#endif
