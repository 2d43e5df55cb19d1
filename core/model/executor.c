/* SPDX-License-Identifier: Apache-2.0 */
#include "form.h"

void om_successors_free(om_successors *s)
{
    om_free(s->heap, s->words);
    om_free(s->heap, s->transition);
    s->words = NULL;
    s->transition = NULL;
    s->count = s->capacity = 0;
}

int om_successors_reserve(om_successors *s, size_t rows, uint32_t words)
{
    if (s->stride < words)
        s->stride = words;
    words = s->stride;
    if (rows <= s->capacity && s->words != NULL)
        return OM_OK;
    size_t capacity = s->capacity < 16 ? 16 : s->capacity;
    while (capacity < rows) {
        if (capacity > SIZE_MAX / 2)
            return OM_ENOMEM;
        capacity *= 2;
    }
    if (words != 0 && capacity > SIZE_MAX / sizeof *s->words / words)
        return OM_ENOMEM;
    uint32_t *moved = om_resize(s->heap, s->words, capacity * words, sizeof *moved);
    if (moved == NULL)
        return OM_ENOMEM;
    s->words = moved;
    uint32_t *transition = om_resize(s->heap, s->transition, capacity, sizeof *transition);
    if (transition == NULL)
        return OM_ENOMEM;
    s->transition = transition;
    s->capacity = capacity;
    return OM_OK;
}

int om_executor_successors(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    out->count = 0;
    return x->append(x, vector, out);
}

const char *om_executor_who(const om_executor *x)
{
    return x->who != NULL ? x->who(x) : x->name;
}

void om_executor_close(om_executor *x)
{
    if (x != NULL)
        x->close(x);
}

int om_model__may_run(om_model *m, const om_expr *aps, uint32_t ap_count)
{
    int rc = om_model_expr_check(m, NULL);
    if (rc != OM_OK)
        return rc;
    if (!m->finished)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is not finished");
    if (ap_count > 64)
        return om_fail(m->ctx, OM_EINVAL, NULL, "more than 64 atomic propositions");
    for (uint32_t i = 0; i < ap_count; i++)
        if (!om_model__has(m, aps[i]))
            return om_fail(m->ctx, OM_EINVAL, NULL, "AP %u is no expression", i);
    return OM_OK;
}

int om_executor_open(
    om_executor **out, om_model *m, om_exec_kind kind, const om_expr *aps, uint32_t ap_count)
{
    char why[256] = "";
    const om_native_order order = { .ctx = m->ctx };
    int rc = om_model__may_run(m, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    if (kind == OM_EXEC_AUTO)
        return om_tiers__open(out, m, aps, ap_count);
    if (kind == OM_EXEC_NATIVE) {
        rc = om_native__open(out, m, aps, ap_count, &order, why, sizeof why);
        return rc != OM_EUNSUPPORTED ? rc : om_fail(m->ctx, rc, NULL, "no native code: %s", why);
    }
    rc = om_vm__open(out, m, aps, ap_count);
    return rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
}
