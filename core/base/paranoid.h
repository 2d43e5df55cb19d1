/* SPDX-License-Identifier: Apache-2.0 */
/* paranoid.h: OM_CHECK(c) is an assertion that is too expensive for every build; enabled by
 * -DOM_PARANOID, and type-checked otherwise. Cheap invariants use assert(). */
#ifndef OM_BASE_PARANOID_H
#define OM_BASE_PARANOID_H

#include <assert.h>

#ifdef OM_PARANOID
#define OM_CHECK(c) assert(c)
#else
#define OM_CHECK(c) ((void) sizeof((c) ? 1 : 0))
#endif

#endif
