/* SPDX-License-Identifier: Apache-2.0 */
#include "labels.h"

#include "states.h"

#include <assert.h>

int om_lasso__labels(om_context *ctx, const om_lasso *l, om_model *m, const om_expr *aps,
    uint32_t count, om_label **out)
{
    om_executor *x = NULL;
    om_lasso_states states = { 0 };
    const uint32_t *state, *before;
    om_label *labels = om_alloc(om_context_heap(ctx), l->count, sizeof *labels);
    int rc = labels == NULL ? om_fail_memory(ctx) : om_executor_open(&x, m, OM_EXEC_VM, aps, count);
    if (rc == OM_OK)
        rc = om_lasso_states__open(&states, l, m);
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        om_fault fault = 0;
        assert(x != NULL);
        rc = om_context_stopped(ctx);
        if (rc == OM_OK)
            rc = om_lasso_states__next(&states, &state, &before);
        if (rc != OM_OK)
            break;
        labels[i] = x->labels(x, state, &fault);
        if (fault != 0)
            rc = om_fail(ctx, OM_EINPUT, NULL, "the property cannot be evaluated in state %zu", i);
    }
    om_lasso_states__close(&states);
    om_executor_close(x);
    if (rc == OM_OK)
        *out = labels;
    else
        om_free(om_context_heap(ctx), labels);
    return rc;
}
