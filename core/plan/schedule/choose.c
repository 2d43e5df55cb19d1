/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choice of the checker for a part: matches the descriptors of checkers (check.h) with what is
 * needed. No checker is known here by name.
 */
#include "product.h"
#include "attempt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char named_alone[] = "it runs only if it is named";

/* Returns why a checker is not suitable, or NULL. Sets its rank and the effort of converting the
 * automaton for it. */
static const char *why_not(
    const om_checker *c, const om_need *need, uint32_t *rank, uint64_t *effort)
{
    const uint32_t strength = 1u << need->strength;
    const om_conversion *how;
    *rank = 0;
    *effort = om_plan__effort(need->forms, c->acceptance, &how);
    if (((c->flags & OM_CHECKER_DEVICE) != 0) != need->on_device)
        return need->on_device ? "it runs on the CPU" : "it runs on a device";
    if (need->on_device && need->forms->fair)
        return "kernels do not support fairness marks";
    if (need->forms->unmarked && (c->product & OM_PRODUCT_FAIR_PROCESSES) == 0)
        return "fairness for this many processes depends on which process moves, but it supports "
               "only acceptance sets";
    if ((c->strengths & strength) == 0)
        return "it does not support such parts";
    if (om_product__lacks(c->product) != NULL)
        return om_product__lacks(c->product);
    if (*effort == UINT64_MAX)
        return "the automaton cannot be converted to its acceptance";
    for (const om_rank *r = c->ranks; r != NULL && r->strengths != 0 && *rank == 0; r++)
        if ((r->strengths & strength) != 0 && r->least <= need->workers &&
            (r->most == 0 || need->workers <= r->most))
            *rank = r->rank;
    return *rank == 0 ? named_alone : NULL;
}

/* Orders suitable checkers first; then by effort (acceptance.c), by rank, by name. */
static int by_merit(const void *x, const void *y)
{
    const om_choice *a = x, *b = y;
    if ((a->why_not != NULL) != (b->why_not != NULL))
        return a->why_not != NULL ? 1 : -1;
    if (a->effort != b->effort)
        return a->effort > b->effort ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? 1 : -1;
    return strcmp(a->checker->head.name, b->checker->head.name);
}

int om_plan__choices(const om_plan *p, const om_need *need, om_choice **out, size_t *count)
{
    const size_t all = om_registry_count(p->registry);
    om_choice *list = om_alloc(p->heap, all, sizeof *list);
    *count = 0;
    if (list == NULL)
        return om_fail_memory(p->ctx);
    for (size_t i = 0; i < all; i++) {
        const om_plugin *plugin = om_registry_entry(p->registry, i)->plugin;
        if (plugin == NULL || plugin->kind != OM_PLUGIN_CHECKER)
            continue;
        om_choice *c = &list[(*count)++];
        c->checker = (const om_checker *) (const void *) plugin;
        c->why_not = why_not(c->checker, need, &c->rank, &c->effort);
    }
    qsort(list, *count, sizeof *list, by_merit);
    *out = list;
    return OM_OK;
}

int om_plan__best(const om_plan *p, const om_need *need, const om_checker **out)
{
    om_choice *list = NULL;
    size_t count = 0;
    int rc = om_plan__choices(p, need, &list, &count);
    *out = rc == OM_OK && count > 0 && list[0].why_not == NULL ? list[0].checker : NULL;
    om_free(p->heap, list);
    return rc;
}

/* Adds "; use A, B or C": the best checkers on the CPU for that number of workers, if there are
 * any. */
static int add_alternatives_of(
    const om_plan *p, const om_need *need, unsigned workers, om_text *out, bool *some)
{
    enum { MOST = 3 };
    const om_need on_cpu = { need->strength, need->forms, workers, false };
    om_choice *list = NULL;
    size_t count = 0, n = 0;
    int rc = om_plan__choices(p, &on_cpu, &list, &count);
    while (rc == OM_OK && n < count && n < MOST && list[n].why_not == NULL)
        n++;
    *some = n != 0;
    for (size_t i = 0; i < n; i++)
        om_text_printf(out, "%s%s",
            i == 0       ? "; use "
            : i + 1 == n ? " or "
                         : ", ",
            list[i].checker->head.name);
    om_free(p->heap, list);
    return rc;
}

/* Adds alternatives as a checker is chosen: for all workers, else for a single one. */
static int add_alternatives(const om_plan *p, const om_need *need, om_text *out)
{
    bool some = false;
    int rc = add_alternatives_of(p, need, need->workers, out, &some);
    return rc == OM_OK && !some && need->workers > 1 ? add_alternatives_of(p, need, 1, out, &some)
                                                     : rc;
}

int om_plan__refuse(
    const om_plan *p, int rc, const om_need *need, const char *name, const char *why)
{
    om_text text = { .heap = p->heap };
    om_text_printf(&text, "checker %s%s", name, why);
    int got = add_alternatives(p, need, &text);
    if (got == OM_OK && text.failed)
        got = om_fail_memory(p->ctx);
    if (got == OM_OK)
        got = om_fail(p->ctx, rc, NULL, "%s", text.text);
    om_text_free(&text);
    return got;
}

int om_plan__vet(const om_plan *p, const om_need *need, const om_checker *c)
{
    char text[128];
    uint32_t rank;
    uint64_t effort;
    const char *reason = why_not(c, need, &rank, &effort);
    if (reason == NULL || reason == named_alone)
        return OM_OK;
    if ((c->strengths & 1u << need->strength) == 0)
        (void) snprintf(
            text, sizeof text, " is not sound for %s automata", om_strength_name(need->strength));
    else
        (void) snprintf(text, sizeof text, ": %s", reason);
    return om_plan__refuse(p, OM_EUSAGE, need, c->head.name, text);
}
