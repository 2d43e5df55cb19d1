/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations that terms refer to, and the sorts of terms without an expected sort. */
#include "colour_terms.h"

#include <assert.h>
#include <string.h>

static bool is(const pnml_element *e, const char *name)
{
    return strcmp(e->name, name) == 0;
}

uint32_t pnml_colour_term_argument_count(const pnml_element *e)
{
    uint32_t n = 0;
    for (const pnml_element *c = e->children; c != NULL; c = c->next)
        n += is(c, "subterm");
    return n;
}

const pnml_element *pnml_colour_term_within(const pnml_element *subterm)
{
    const pnml_element *e = subterm->children;
    return e != NULL && e->next == NULL ? e : NULL;
}

const pnml_element *pnml_colour_term_argument(const pnml_element *e, uint32_t i)
{
    for (const pnml_element *c = e->children; c != NULL; c = c->next)
        if (is(c, "subterm") && i-- == 0)
            return pnml_colour_term_within(c);
    return NULL;
}

pnml_colour_term *pnml_colour_term_new(
    pnml_sorts *s, pnml_colour_term_kind kind, const pnml_element *e, uint32_t args)
{
    pnml_colour_term *t = om_region_take(&s->region, 1, sizeof *t);
    if (t == NULL || (t->args = om_region_take(&s->region, args, sizeof(void *))) == NULL)
        return NULL;
    t->kind = kind;
    t->count = args;
    t->pos = (om_written){ e->line, e->column };
    return t;
}

void pnml_colour_term_set(pnml_colour_term *t, uint32_t i, const pnml_colour_term *arg)
{
    assert(i < t->count);
    t->args[i] = arg;
    t->variables |= arg->variables;
}

int pnml_find_variable(pnml_sorts *s, const pnml_element *e, uint32_t *out)
{
    const char *id = pnml_attribute(e, "refvariable");
    *out = id == NULL ? OM_NONE : pnml_names_find(&s->variable_ids, id);
    if (*out == OM_NONE)
        return PNML_FAIL(s->d, *e, "there is no variable '%.100s'", id == NULL ? "" : id);
    return OM_OK;
}

int pnml_find_constant(pnml_sorts *s, const pnml_element *e, const pnml_constant **out)
{
    const char *id = pnml_attribute(e, "declaration");
    uint32_t i = id == NULL ? OM_NONE : pnml_names_find(&s->constant_ids, id);
    if (i == OM_NONE)
        return PNML_FAIL(s->d, *e, "there is no constant '%.100s'", id == NULL ? "" : id);
    *out = &s->constants[i];
    return OM_OK;
}

int pnml_find_partition(pnml_sorts *s, const pnml_element *e, const pnml_sort **out)
{
    const char *id = pnml_attribute(e, "refpartition");
    uint32_t i = id == NULL ? OM_NONE : pnml_names_find(&s->sort_ids, id);
    if (i == OM_NONE || s->entries[i].sort->kind != PNML_PARTITION)
        return PNML_FAIL(s->d, *e, "there is no partition '%.100s'", id == NULL ? "" : id);
    *out = s->entries[i].sort;
    return OM_OK;
}

int pnml_range_of(pnml_sorts *s, const pnml_element *e, const pnml_sort **out)
{
    if (e->children == NULL)
        return PNML_FAIL(s->d, *e, "'%s' does not name its range", e->name);
    int rc = pnml_sort_of(s, e->children, out);
    if (rc == OM_OK && (*out)->kind != PNML_RANGE)
        rc = PNML_FAIL(s->d, *e, "'%s' does not name its range", e->name);
    return rc;
}

static int tuple_sort(pnml_sorts *s, const pnml_element *e, const pnml_sort **out)
{
    uint32_t n = pnml_colour_term_argument_count(e), i = 0;
    const pnml_sort **parts = om_region_take(&s->region, n, sizeof(void *)), *part = NULL;
    if (parts == NULL)
        return om_fail_memory(s->d->ctx);
    for (const pnml_element *c = e->children; c != NULL; c = c->next) {
        const pnml_element *arg = is(c, "subterm") ? pnml_colour_term_within(c) : NULL;
        if (arg == NULL)
            return PNML_FAIL(s->d, *c, "'%s' needs one term in each 'subterm'", e->name);
        int rc = pnml_colour_term_sort(s, arg, &part);
        if (rc != OM_OK)
            return rc;
        parts[i++] = part;
    }
    *out = part;
    return n == 1 ? OM_OK : pnml_sort_product(s, e, e->name, parts, n, out);
}

int pnml_colour_term_sort(pnml_sorts *s, const pnml_element *e, const pnml_sort **out)
{
    const pnml_constant *constant = NULL;
    uint32_t variable = OM_NONE;
    int rc = OM_OK;
    if (is(e, "variable")) {
        if ((rc = pnml_find_variable(s, e, &variable)) == OM_OK)
            *out = s->variables[variable].sort;
        return rc;
    }
    if (is(e, "useroperator")) {
        if ((rc = pnml_find_constant(s, e, &constant)) == OM_OK && constant != NULL)
            *out = constant->sort;
        return rc;
    }
    if (is(e, "dotconstant")) {
        static const pnml_sort DOT = { .kind = PNML_DOT, .size = 1, .name = "dot", .leaves = 1 };
        *out = &DOT;
        return OM_OK;
    }
    if (is(e, "successor") || is(e, "predecessor")) {
        const pnml_element *arg = pnml_colour_term_argument(e, 0);
        return arg != NULL ? pnml_colour_term_sort(s, arg, out)
                           : PNML_FAIL(s->d, *e, "'%s' has no term in a 'subterm'", e->name);
    }
    if (is(e, "finiteintrangeconstant"))
        return pnml_range_of(s, e, out);
    if (is(e, "partitionelementof"))
        return pnml_find_partition(s, e, out);
    if (is(e, "tuple"))
        return tuple_sort(s, e, out);
    return PNML_FAIL(s->d, *e, "'%.100s' is not a term for a single colour", e->name);
}
