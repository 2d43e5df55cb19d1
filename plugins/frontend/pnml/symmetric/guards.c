/* SPDX-License-Identifier: Apache-2.0 */
#include "colour_terms.h"

#include <string.h>

typedef struct comparison {
    const char *name;
    pnml_colour_term_kind kind;
    bool swapped; /* a > b is b < a */
    bool ordered; /* not defined for the colours of products */
    bool partition;
} comparison;

static const comparison COMPARISONS[] = {
    { "equality", PNML_EQUAL, false, false, false },
    { "inequality", PNML_UNEQUAL, false, false, false },
    { "lessthan", PNML_LESS, false, true, false },
    { "lessthanorequal", PNML_LESS_EQUAL, false, true, false },
    { "greaterthan", PNML_LESS, true, true, false },
    { "greaterthanorequal", PNML_LESS_EQUAL, true, true, false },
    { "ltp", PNML_LESS, false, true, true },
    { "gtp", PNML_LESS, true, true, true },
};

typedef struct connective {
    const char *name;
    pnml_colour_term_kind kind;
    uint32_t least, most; /* number of arguments */
} connective;

static const connective CONNECTIVES[] = {
    { "and", PNML_AND, 1, UINT32_MAX },
    { "or", PNML_OR, 1, UINT32_MAX },
    { "not", PNML_NOT, 1, 1 },
    { "imply", PNML_IMPLY, 2, 2 },
};

static int read_comparison(pnml_sorts *s, pnml_scope *scope, const pnml_element *e,
    const comparison *c, const pnml_colour_term **out)
{
    const pnml_element *a = pnml_colour_term_argument(e, 0), *b = pnml_colour_term_argument(e, 1);
    const pnml_sort *sort = NULL;
    const pnml_colour_term *left = NULL, *right = NULL;
    if (pnml_colour_term_argument_count(e) != 2 || a == NULL || b == NULL)
        return PNML_FAIL(s->d, *e, "'%s' compares two terms, each in a 'subterm'", e->name);
    int rc = pnml_colour_term_sort(s, a, &sort);
    if (rc == OM_OK && c->ordered && sort->kind == PNML_PRODUCT)
        rc = PNML_FAIL(s->d, *e, "'%s' does not apply to products", e->name);
    if (rc == OM_OK && c->partition && sort->kind != PNML_PARTITION)
        rc = PNML_FAIL(s->d, *e, "'%s' applies only to elements of partitions", e->name);
    if (rc == OM_OK)
        rc = pnml_colour_term_read(s, scope, a, sort, &left);
    if (rc == OM_OK)
        rc = pnml_colour_term_read(s, scope, b, sort, &right);
    if (rc == OM_OK && (left->many || right->many))
        rc = PNML_FAIL(s->d, *e, "'%s' compares single colours", e->name);
    pnml_colour_term *t = rc == OM_OK ? pnml_colour_term_new(s, c->kind, e, 2) : NULL;
    if (t == NULL)
        return rc == OM_OK ? om_fail_memory(s->d->ctx) : rc;
    pnml_colour_term_set(t, 0, c->swapped ? right : left);
    pnml_colour_term_set(t, 1, c->swapped ? left : right);
    *out = t;
    return OM_OK;
}

static int read_connective(pnml_sorts *s, pnml_scope *scope, const pnml_element *e,
    const connective *c, const pnml_colour_term **out)
{
    uint32_t n = pnml_colour_term_argument_count(e), i = 0;
    if (n < c->least || n > c->most)
        return PNML_FAIL(s->d, *e, "'%s' with %" PRIu32 " terms", e->name, n);
    pnml_colour_term *t = pnml_colour_term_new(s, c->kind, e, n);
    if (t == NULL)
        return om_fail_memory(s->d->ctx);
    for (const pnml_element *sub = e->children; sub != NULL; sub = sub->next) {
        const pnml_colour_term *arg = NULL;
        if (strcmp(sub->name, "subterm") != 0 || sub->children == NULL ||
            sub->children->next != NULL)
            return PNML_FAIL(s->d, *sub, "'%s' needs one term in each 'subterm'", e->name);
        int rc = pnml_guard_read(s, scope, sub->children, &arg);
        if (rc != OM_OK)
            return rc;
        pnml_colour_term_set(t, i++, arg);
    }
    *out = t;
    return OM_OK;
}

static int read_truth(pnml_sorts *s, const pnml_element *e, const pnml_colour_term **out)
{
    const char *value = pnml_attribute(e, "value");
    bool yes = value != NULL && strcmp(value, "true") == 0;
    if (!yes && (value == NULL || strcmp(value, "false") != 0))
        return PNML_FAIL(s->d, *e, "'%s' must be true or false", e->name);
    pnml_colour_term *t = pnml_colour_term_new(s, PNML_TRUTH, e, 0);
    if (t == NULL)
        return om_fail_memory(s->d->ctx);
    t->number = yes;
    *out = t;
    return OM_OK;
}

/* The recursion is as deep as the document's nesting, which has a limit. */
int pnml_guard_read(
    pnml_sorts *s, pnml_scope *scope, const pnml_element *e, const pnml_colour_term **out)
{
    for (size_t i = 0; i < sizeof COMPARISONS / sizeof *COMPARISONS; i++)
        if (strcmp(e->name, COMPARISONS[i].name) == 0)
            return read_comparison(s, scope, e, &COMPARISONS[i], out);
    for (size_t i = 0; i < sizeof CONNECTIVES / sizeof *CONNECTIVES; i++)
        if (strcmp(e->name, CONNECTIVES[i].name) == 0)
            return read_connective(s, scope, e, &CONNECTIVES[i], out);
    if (strcmp(e->name, "booleanconstant") == 0)
        return read_truth(s, e, out);
    return PNML_FAIL(s->d, *e, "'%.100s' is not a condition of a symmetric net", e->name);
}
