/* SPDX-License-Identifier: Apache-2.0 */
/* sized.h: structs that begin with their size, which callers of another version fill in. */
#ifndef OM_BASE_SIZED_H
#define OM_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies such a struct into `to`, of `known` bytes, all that an older caller does not have zeroed.
 * False: it has fewer than `least` bytes, which its first version had, or more than are known here
 * and not all of them zero, so that something would be left undone.
 */
bool om_sized__copy(void *to, size_t known, size_t least, const void *from);

#endif
