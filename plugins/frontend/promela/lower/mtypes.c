/* SPDX-License-Identifier: Apache-2.0 */
/* The names of mtype values, for display. */
#include "lower.h"

#include <string.h>

static bool same_set(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool has(const pml_names *n, const pml_mtype *m)
{
    return n->all || same_set(n->set, m->set);
}

/* The list runs from the last declaration to the first, so the name declared first prevails. */
static int fill(pml_lowering *l, pml_names *n)
{
    const pml_mtype *all = l->file->mtypes;
    for (const pml_mtype *m = all; m != NULL; m = m->next)
        if (has(n, m) && (uint32_t) m->value >= n->count)
            n->count = (uint32_t) m->value + 1;
    n->of = om_region_take(&l->file->region, (size_t) n->count + 1, sizeof *n->of);
    if (n->of == NULL)
        return om_fail_memory(l->file->ctx);
    for (const pml_mtype *m = all; m != NULL; m = m->next)
        if (has(n, m))
            n->of[m->value] = m->name;
    return OM_OK;
}

int pml_mtype_names(pml_lowering *l, const pml_variable *v, const pml_names **out)
{
    const bool all = v == NULL;
    pml_names *n = l->names;
    while (n != NULL && (n->all != all || (!all && !same_set(n->set, v->set))))
        n = n->next;
    *out = n;
    if (n != NULL)
        return OM_OK;
    n = om_region_take(&l->file->region, 1, sizeof *n);
    if (n == NULL)
        return om_fail_memory(l->file->ctx);
    n->all = all;
    n->set = all ? NULL : v->set;
    int rc = fill(l, n);
    if (rc != OM_OK)
        return rc;
    n->next = l->names;
    l->names = n;
    *out = n;
    return OM_OK;
}

int pml_name_values(pml_lowering *l, const pml_variable *v, om_slot *slot)
{
    const pml_names *names = NULL;
    slot->enumerators = 0;
    slot->enumerator_names = NULL;
    if (v->type != PML_MTYPE)
        return OM_OK;
    int rc = pml_mtype_names(l, v, &names);
    if (rc != OM_OK)
        return rc;
    slot->enumerators = names->count;
    slot->enumerator_names = names->of;
    return OM_OK;
}
