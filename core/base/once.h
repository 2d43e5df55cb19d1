/* SPDX-License-Identifier: Apache-2.0 */
/* once.h: what is said once in a session, however often it happens. */
#ifndef OM_BASE_ONCE_H
#define OM_BASE_ONCE_H

#include <omen/plugin/base.h>

typedef enum om_once {
    OM_ONCE_NOT_KEPT = 1,  /* nothing can be cached */
    OM_ONCE_MADE_ANEW = 2, /* what is cached is not used */
    OM_ONCE_DRIVER = 4     /* a driver's own cache is not used */
} om_once;

/* Is it the first time for this context and all that belong to its tree? */
bool om_context__once(om_context *ctx, om_once what);

#endif
