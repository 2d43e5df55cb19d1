/* SPDX-License-Identifier: Apache-2.0 */
#include "colour_terms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Terms, and so the recursion here, are as deep as the document's nesting, which has a limit
 * (xml.h). */

typedef struct term_reader {
    pnml_sorts *s;
    pnml_scope *scope;
    uint64_t scale; /* product of the multiplicities around the term */
} term_reader;

static bool is(const pnml_element *e, const char *name)
{
    return strcmp(e->name, name) == 0;
}

static int wrong_sort(
    const term_reader *r, const pnml_element *e, const pnml_sort *has, const pnml_sort *wanted)
{
    return PNML_FAIL(
        r->s->d, *e, "this is of sort '%.100s', but '%.100s' is expected", has->name, wanted->name);
}

static int no_argument(const term_reader *r, const pnml_element *e)
{
    return PNML_FAIL(
        r->s->d, *e, "'%s' does not have the terms that it needs, each in a 'subterm'", e->name);
}

/* ---- terms, top down ---- */

static int read_term(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out);

static int read_argument(term_reader *r, const pnml_element *e, uint32_t i, const pnml_sort *sort,
    const pnml_colour_term **out)
{
    const pnml_element *arg = pnml_colour_term_argument(e, i);
    return arg == NULL ? no_argument(r, e) : read_term(r, arg, sort, out);
}

static int done(
    const term_reader *r, pnml_colour_term *t, const pnml_sort *sort, const pnml_colour_term **out)
{
    if (t == NULL)
        return om_fail_memory(r->s->d->ctx);
    t->sort = sort;
    *out = t;
    return OM_OK;
}

static int read_variable(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    pnml_scope *scope = r->scope;
    uint32_t v = OM_NONE, i = 0;
    int rc = pnml_find_variable(r->s, e, &v);
    if (rc != OM_OK)
        return rc;
    if (scope->closed)
        return PNML_FAIL(r->s->d, *e, "an initial marking cannot have variables");
    if (!pnml_sort_same(r->s->variables[v].sort, sort))
        return wrong_sort(r, e, r->s->variables[v].sort, sort);
    while (i < scope->count && scope->variables[i] != v)
        i++;
    if (i == PNML_MOST_VARIABLES)
        return PNML_FAIL(
            r->s->d, *e, "a transition with more than %d variables", PNML_MOST_VARIABLES);
    if (i == scope->count)
        scope->variables[scope->count++] = v;
    assert(i < scope->count && scope->count <= PNML_MOST_VARIABLES);
    pnml_colour_term *t = pnml_colour_term_new(r->s, PNML_VARIABLE, e, 0);
    if (t != NULL) {
        t->number = i;
        t->variables = UINT64_C(1) << i;
    }
    return done(r, t, sort, out);
}

static int make_constant(term_reader *r, const pnml_element *e, const pnml_sort *sort,
    uint64_t colour, const pnml_colour_term **out)
{
    assert(colour < sort->size); /* K1 */
    pnml_colour_term *t = pnml_colour_term_new(r->s, PNML_CONSTANT, e, 0);
    if (t != NULL)
        t->number = colour;
    return done(r, t, sort, out);
}

/* Reads a constant. If the base sort is expected, an element of a partition stands for all its
 * colours. */
static int read_constant(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    const pnml_constant *c = NULL;
    int rc = pnml_find_constant(r->s, e, &c);
    if (rc != OM_OK)
        return rc;
    if (c->sort == sort)
        return make_constant(r, e, sort, c->colour, out);
    if (c->sort->kind != PNML_PARTITION || c->sort->base != sort)
        return wrong_sort(r, e, c->sort, sort);
    pnml_colour_term *t = pnml_colour_term_new(r->s, PNML_CLASS, e, 0);
    if (t == NULL)
        return om_fail_memory(r->s->d->ctx);
    t->many = true;
    t->number = c->colour;
    return done(r, t, c->sort, out);
}

static int read_range_constant(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    const pnml_sort *range = NULL;
    const char *text = pnml_attribute(e, "value");
    char *end = NULL;
    int rc = pnml_range_of(r->s, e, &range);
    if (rc != OM_OK)
        return rc;
    if (!pnml_sort_same(range, sort))
        return wrong_sort(r, e, range, sort);
    int64_t value = text == NULL ? 0 : strtoll(text, &end, 10);
    if (text == NULL || end == text || *end != '\0' || value < range->start ||
        (uint64_t) (value - range->start) >= range->size)
        return PNML_FAIL(r->s->d, *e, "'%.40s' is not in the range from %" PRId64 " to %" PRId64,
            text == NULL ? "" : text, range->start, range->start + (int64_t) range->size - 1);
    return make_constant(r, e, sort, (uint64_t) (value - range->start), out);
}

/* Reads the successor or predecessor of one colour; the last and the first are neighbours. */
static int read_step(term_reader *r, const pnml_element *e, const pnml_sort *sort, uint64_t by,
    const pnml_colour_term **out)
{
    const pnml_colour_term *arg = NULL;
    if (sort->kind != PNML_ENUMERATION && sort->kind != PNML_RANGE)
        return PNML_FAIL(r->s->d, *e, "'%s' applies to enumerations and ranges, not to '%.100s'",
            e->name, sort->name);
    int rc = pnml_colour_term_argument_count(e) == 1 ? read_argument(r, e, 0, sort, &arg)
                                                     : no_argument(r, e);
    if (rc != OM_OK || arg == NULL)
        return rc;
    if (arg->kind != PNML_VARIABLE && arg->kind != PNML_CONSTANT)
        return PNML_FAIL(r->s->d, *e, "'%s' applies to a single colour", e->name);
    pnml_colour_term *t = pnml_colour_term_new(r->s, arg->kind, e, 0);
    if (t == NULL)
        return om_fail_memory(r->s->d->ctx);
    t->number = arg->number;
    t->variables = arg->variables;
    if (arg->kind == PNML_VARIABLE)
        t->shift = (arg->shift + by) % sort->size;
    else
        t->number = (arg->number + by) % sort->size;
    return done(r, t, sort, out);
}

static int read_element_of(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    const pnml_sort *partition = NULL;
    const pnml_colour_term *arg = NULL;
    int rc = pnml_find_partition(r->s, e, &partition);
    if (rc == OM_OK && partition != sort)
        rc = wrong_sort(r, e, partition, sort);
    if (rc == OM_OK)
        rc = pnml_colour_term_argument_count(e) == 1 ? read_argument(r, e, 0, partition->base, &arg)
                                                     : no_argument(r, e);
    if (rc == OM_OK && arg != NULL && arg->many)
        rc = PNML_FAIL(r->s->d, *e, "'%s' applies to a single colour", e->name);
    if (rc != OM_OK || arg == NULL)
        return rc;
    pnml_colour_term *t = pnml_colour_term_new(r->s, PNML_ELEMENT_OF, e, 1);
    if (t != NULL)
        pnml_colour_term_set(t, 0, arg);
    return done(r, t, sort, out);
}

static int read_tuple(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    uint32_t n = pnml_colour_term_argument_count(e), i = 0;
    if (n == 1 && (sort->kind != PNML_PRODUCT || sort->count != 1)) /* <x> is x */
        return read_argument(r, e, 0, sort, out);
    if (sort->kind != PNML_PRODUCT || sort->count != n)
        return PNML_FAIL(
            r->s->d, *e, "a tuple of %" PRIu32 ", but '%.100s' is expected", n, sort->name);
    pnml_colour_term *t = pnml_colour_term_new(r->s, PNML_TUPLE, e, n);
    if (t == NULL)
        return om_fail_memory(r->s->d->ctx);
    for (const pnml_element *c = e->children; c != NULL; c = c->next, i++) {
        const pnml_element *arg = is(c, "subterm") ? pnml_colour_term_within(c) : NULL;
        const pnml_colour_term *read_arg = NULL;
        int rc = arg == NULL ? no_argument(r, e) : read_term(r, arg, sort->parts[i], &read_arg);
        if (rc != OM_OK || read_arg == NULL)
            return rc;
        pnml_colour_term_set(t, i, read_arg);
        t->many |= read_arg->many;
    }
    return done(r, t, sort, out);
}

static int read_all(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    const pnml_sort *of = NULL;
    if (e->children == NULL)
        return PNML_FAIL(r->s->d, *e, "'%s' does not name its sort", e->name);
    int rc = pnml_sort_of(r->s, e->children, &of);
    if (rc != OM_OK)
        return rc;
    if (!pnml_sort_same(of, sort))
        return wrong_sort(r, e, of, sort);
    pnml_colour_term *t = pnml_colour_term_new(r->s, is(e, "all") ? PNML_ALL : PNML_ADD, e, 0);
    if (t != NULL)
        t->many = true;
    return done(r, t, sort, out);
}

/* add takes any number of terms, subtract two. */
static int read_sum(term_reader *r, const pnml_element *e, const pnml_sort *sort,
    pnml_colour_term_kind kind, const pnml_colour_term **out)
{
    uint32_t n = pnml_colour_term_argument_count(e), i = 0;
    if (n == 0 || (kind == PNML_SUBTRACT && n != 2))
        return no_argument(r, e);
    pnml_colour_term *t = pnml_colour_term_new(r->s, kind, e, n);
    if (t == NULL)
        return om_fail_memory(r->s->d->ctx);
    t->many = true;
    for (const pnml_element *c = e->children; c != NULL; c = c->next, i++) {
        const pnml_element *arg = is(c, "subterm") ? pnml_colour_term_within(c) : NULL;
        const pnml_colour_term *read_arg = NULL;
        int rc = arg == NULL ? no_argument(r, e) : read_term(r, arg, sort, &read_arg);
        if (rc != OM_OK || read_arg == NULL)
            return rc;
        pnml_colour_term_set(t, i, read_arg);
    }
    return done(r, t, sort, out);
}

/* Reads a multiple of a multiset: a number, then the multiset. */
static int read_scale(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    const pnml_element *number = pnml_colour_term_argument(e, 0);
    const pnml_colour_term *arg = NULL;
    om_value value = 0;
    if (pnml_colour_term_argument_count(e) != 2 || number == NULL)
        return no_argument(r, e);
    const char *text = is(number, "numberconstant") ? pnml_attribute(number, "value") : NULL;
    if (text == NULL || !pnml_read_number(text, 0, &value))
        return PNML_FAIL(r->s->d, *number,
            "a multiplicity must be a number from 0 to %" OM_VALUE_FORMAT, OM_VALUE_MAX);
    uint64_t around = r->scale;
    r->scale *= (uint64_t) value;
    if (r->scale > (uint64_t) OM_VALUE_MAX)
        return PNML_FAIL(r->s->d, *number, "more than %" OM_VALUE_FORMAT " tokens", OM_VALUE_MAX);
    assert(value == 0 || r->scale / (uint64_t) value == around); /* no overflow */
    int rc = read_argument(r, e, 1, sort, &arg);
    r->scale = around;
    if (rc != OM_OK || arg == NULL)
        return rc;
    pnml_colour_term *t = pnml_colour_term_new(r->s, PNML_SCALE, e, 1);
    if (t != NULL) {
        t->many = true;
        t->number = (uint64_t) value;
        pnml_colour_term_set(t, 0, arg);
    }
    return done(r, t, sort, out);
}

static int read_term(
    term_reader *r, const pnml_element *e, const pnml_sort *sort, const pnml_colour_term **out)
{
    if (is(e, "variable"))
        return read_variable(r, e, sort, out);
    if (is(e, "useroperator"))
        return read_constant(r, e, sort, out);
    if (is(e, "dotconstant") && sort->kind == PNML_DOT)
        return make_constant(r, e, sort, 0, out);
    if (is(e, "finiteintrangeconstant"))
        return read_range_constant(r, e, sort, out);
    if (is(e, "successor"))
        return read_step(r, e, sort, 1, out);
    if (is(e, "predecessor"))
        return read_step(r, e, sort, sort->size - 1, out);
    if (is(e, "partitionelementof"))
        return read_element_of(r, e, sort, out);
    if (is(e, "tuple"))
        return read_tuple(r, e, sort, out);
    if (is(e, "all") || is(e, "empty"))
        return read_all(r, e, sort, out);
    if (is(e, "add"))
        return read_sum(r, e, sort, PNML_ADD, out);
    if (is(e, "subtract"))
        return read_sum(r, e, sort, PNML_SUBTRACT, out);
    if (is(e, "numberof") || is(e, "scalarproduct"))
        return read_scale(r, e, sort, out);
    if (is(e, "dotconstant"))
        return PNML_FAIL(
            r->s->d, *e, "this is of sort 'dot', but '%.100s' is expected", sort->name);
    return PNML_FAIL(r->s->d, *e, "'%.100s' is not a term of a symmetric net", e->name);
}

int pnml_colour_term_read(pnml_sorts *s, pnml_scope *scope, const pnml_element *e,
    const pnml_sort *sort, const pnml_colour_term **out)
{
    term_reader r = { s, scope, 1 };
    return read_term(&r, e, sort, out);
}
