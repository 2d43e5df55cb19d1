/* SPDX-License-Identifier: Apache-2.0 */
/* once.h: notices that are given once per session, however often their cause occurs. */
#ifndef OM_BASE_ONCE_H
#define OM_BASE_ONCE_H

#include <omen/plugin/base.h>

typedef enum om_once {
    OM_ONCE_NOT_KEPT = 1,  /* caching is not possible */
    OM_ONCE_MADE_ANEW = 2, /* cached data is not used */
    OM_ONCE_DRIVER = 4     /* a driver's own cache is not used */
} om_once;

/* Returns true at the first call for this notice in the whole tree of contexts. */
bool om_context__once(om_context *ctx, om_once what);

#endif
