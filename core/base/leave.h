/* SPDX-License-Identifier: Apache-2.0 */
/* leave.h: whether a compiler may go on after the work that started it has ended. */
#ifndef OM_BASE_LEAVE_H
#define OM_BASE_LEAVE_H

#include <omen/plugin/base.h>

/* Allows it in the whole tree of contexts. */
void om_context__leave_compilers(om_context *ctx);

bool om_context__leaves_compilers(om_context *ctx);

#endif
