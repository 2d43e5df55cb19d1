/* SPDX-License-Identifier: Apache-2.0 */
/* Propositions: their expressions in the model, read by its front end. */
#include "target.h"

#include <string.h>

int om_plan__read_ap(
    om_plan *p, const char *file, uint32_t line, uint32_t column, const char *name, om_expr *out)
{
    if (p->frontend == NULL)
        return om_fail(p->ctx, OM_EUSAGE, NULL, "no front end reads the proposition '%s'", name);
    om_text where = { .heap = p->heap };
    om_text_add(&where, file);
    if (line != 0)
        om_text_printf(&where, ":%u:%u: proposition", line, column);
    om_text_printf(&where, " '%s'", name);
    int rc = where.failed ? om_fail_memory(p->ctx)
                          : p->frontend->expression(p->model, where.text, name, out);
    if (rc == OM_OK && *out == 0)
        rc = om_fail(p->ctx, OM_EINPUT, NULL, "%s: not a proposition", where.text);
    om_text_free(&where);
    return rc;
}

int om_plan__read_ltl_aps(
    om_plan *p, const char *file, const om_ltl *l, uint32_t known, om_expr **aps)
{
    const uint32_t count = om_ltl_ap_count(l);
    om_expr *all = om_resize(p->heap, *aps, (size_t) count + 1, sizeof *all);
    if (all == NULL)
        return om_fail_memory(p->ctx);
    *aps = all;
    int rc = OM_OK;
    for (uint32_t i = known; rc == OM_OK && i < count; i++) {
        uint32_t line = 0, column = 0;
        om_ltl_ap_place(l, i, &line, &column);
        rc = om_plan__read_ap(p, file, line, column, om_ltl_ap_name(l, i), &all[i]);
    }
    return rc;
}

int om_plan__aps_of(om_plan *p, const om_target *t, const om_automaton *a, om_expr **out)
{
    const uint32_t ap_count = om_automaton_ap_count(a);
    om_expr *aps = om_alloc(p->heap, ap_count, sizeof *aps);
    if (aps == NULL)
        return om_fail_memory(p->ctx);
    for (uint32_t i = 0; i < ap_count; i++) {
        const char *name = om_automaton_ap(a, i);
        uint32_t k = 0, count = om_ltl_ap_count(t->ltl);
        while (k < count && strcmp(om_ltl_ap_name(t->ltl, k), name) != 0)
            k++;
        if (k == count) {
            om_free(p->heap, aps);
            return om_fail(p->ctx, OM_EINTERNAL, NULL,
                "the translation has a proposition '%s' that the formula does not have", name);
        }
        aps[i] = t->ltl_aps[k];
    }
    *out = aps;
    return OM_OK;
}

/* Always uses the default translator: a program that is named for the check is not run a second
 * time, and the bad prefix does not depend on it. */
int om_plan__allowed(
    om_plan *p, om_context *ctx, const om_target *t, om_automaton **out, om_expr **aps)
{
    int rc = om_translate(ctx, p->registry, NULL, t->ltl, t->obligation.formula, out);
    return rc == OM_OK ? om_plan__aps_of(p, t, *out, aps) : rc;
}
