/* SPDX-License-Identifier: Apache-2.0 */
/* context.h: set-up and tear-down of test groups whose state is a context. */
#ifndef OMEN_TESTS_CONTEXT_H
#define OMEN_TESTS_CONTEXT_H

#include <omen/plugin/base.h>

static inline int context_set_up(void **state)
{
    om_context *ctx = NULL;
    int rc = om_context_new(&ctx, NULL);
    *state = ctx;
    return rc;
}

static inline int context_tear_down(void **state)
{
    om_context_free(*state);
    return 0;
}

#endif
