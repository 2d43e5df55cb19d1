/* SPDX-License-Identifier: Apache-2.0 */
#include "sorts.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_DEPTH = 32,       /* nesting of products */
    MOST_NESTED = 100,     /* chain of sorts that refer to each other */
    MOST_LEAVES = 256,     /* components of a product, including those of its components */
    MOST_COLOURS = 1 << 24 /* of an enumeration or a partitioned sort: each takes memory */
};

#define MOST_SIZE (UINT64_C(1) << 62) /* colours of a product */

static pnml_sort *new_sort(pnml_sorts *s, pnml_sort_kind kind, uint64_t size, const char *name)
{
    pnml_sort *sort = om_region_take(&s->region, 1, sizeof *sort);
    if (sort != NULL)
        *sort = (pnml_sort){ .kind = kind, .size = size, .name = name, .leaves = 1 };
    return sort;
}

static const char *label_of(const pnml_element *e)
{
    const char *name = pnml_attribute(e, "name");
    return name != NULL && *name != '\0' ? name : pnml_attribute(e, "id");
}

static int new_constant(
    pnml_sorts *s, const pnml_element *e, const pnml_sort *sort, uint64_t colour)
{
    const char *id = pnml_attribute(e, "id");
    size_t had = s->constant_ids.count;
    assert(colour < sort->size); /* K1 */
    if (id == NULL || *id == '\0')
        return PNML_FAIL(s->d, *e, "'%s' has no id", e->name);
    if (pnml_names_add(&s->constant_ids, &s->region, id) == OM_NONE)
        return om_fail_memory(s->d->ctx);
    if (s->constant_ids.count == had)
        return PNML_FAIL(s->d, *e, "constant '%.100s' is declared twice", id);
    if (!OM_ROOM(s->region.heap, s->constants, &s->constant_room, had + 1))
        return om_fail_memory(s->d->ctx);
    s->constants[had] = (pnml_constant){ sort, colour };
    return OM_OK;
}

static uint32_t count_children(const pnml_element *e, const char *name)
{
    uint32_t n = 0;
    for (const pnml_element *c = e->children; c != NULL; c = c->next)
        n += strcmp(c->name, name) == 0;
    return n;
}

static int only_children(pnml_sorts *s, const pnml_element *e, const char *name)
{
    for (const pnml_element *c = e->children; c != NULL; c = c->next)
        if (strcmp(c->name, name) != 0)
            return PNML_FAIL(s->d, *c, "a '%s' cannot contain '%.100s'", e->name, c->name);
    return OM_OK;
}

static int read_enumeration(
    pnml_sorts *s, const pnml_element *e, const char *name, const pnml_sort **out)
{
    uint32_t n = count_children(e, "feconstant");
    int rc = only_children(s, e, "feconstant");
    if (rc == OM_OK && (n == 0 || n > MOST_COLOURS))
        rc = PNML_FAIL(
            s->d, *e, n == 0 ? "'%s' has no constants" : "'%s' has too many constants", e->name);
    if (rc != OM_OK)
        return rc;
    pnml_sort *sort = new_sort(s, PNML_ENUMERATION, n, name);
    if (sort == NULL ||
        (sort->labels = om_region_take(&s->region, n, sizeof *sort->labels)) == NULL)
        return om_fail_memory(s->d->ctx);
    uint64_t colour = 0;
    for (const pnml_element *c = e->children; c != NULL && rc == OM_OK; c = c->next) {
        rc = new_constant(s, c, sort, colour);
        sort->labels[colour++] = label_of(c);
    }
    *out = sort;
    return rc;
}

/* Reads an integer of a range; it has at most 11 digits, as a signed number of 32 bits. */
static bool read_integer(const char *text, int64_t *out)
{
    bool negative = text != NULL && *text == '-';
    int64_t value = 0;
    const char *digits = text == NULL ? "" : text + negative, *s = digits;
    for (; *s >= '0' && *s <= '9' && s - digits < 11; s++)
        value = value * 10 + (*s - '0');
    *out = negative ? -value : value;
    return s != digits && *s == '\0';
}

static int read_range(pnml_sorts *s, const pnml_element *e, const char *name, const pnml_sort **out)
{
    int64_t start, end;
    if (!read_integer(pnml_attribute(e, "start"), &start) ||
        !read_integer(pnml_attribute(e, "end"), &end))
        return PNML_FAIL(s->d, *e, "'%s' needs numbers as start and end", e->name);
    if (end < start)
        return PNML_FAIL(
            s->d, *e, "the range from %" PRId64 " to %" PRId64 " is empty", start, end);
    pnml_sort *sort = new_sort(s, PNML_RANGE, (uint64_t) (end - start) + 1, name);
    if (sort == NULL)
        return om_fail_memory(s->d->ctx);
    sort->start = start;
    *out = sort;
    return OM_OK;
}

/* Computes sizes and strides, from the last component on. */
static int measure_product(pnml_sorts *s, const pnml_element *at, pnml_sort *p)
{
    p->leaves = 0;
    for (uint32_t i = p->count; i-- > 0;) {
        const pnml_sort *part = p->parts[i];
        p->strides[i] = p->size;
        if (part->size > MOST_SIZE / p->size)
            return PNML_FAIL(s->d, *at, "a product with more than 2^62 colours");
        assert(p->size >= 1 && part->size >= 1); /* K2 */
        p->size *= part->size;
        p->leaves += part->leaves;
        p->depth = part->depth + 1 > p->depth ? part->depth + 1 : p->depth;
        if (p->leaves > MOST_LEAVES || p->depth > MOST_DEPTH)
            return PNML_FAIL(s->d, *at,
                "a product with more than %d components, or nested deeper than %d", MOST_LEAVES,
                MOST_DEPTH);
    }
    return OM_OK;
}

int pnml_sort_product(pnml_sorts *s, const pnml_element *at, const char *name,
    const pnml_sort *const *parts, uint32_t count, const pnml_sort **out)
{
    if (count == 0)
        return PNML_FAIL(s->d, *at, "'%s' has no components", at->name);
    pnml_sort *p = new_sort(s, PNML_PRODUCT, 1, name);
    if (p == NULL || (p->parts = om_region_take(&s->region, count, sizeof(void *))) == NULL ||
        (p->strides = om_region_take(&s->region, count, sizeof *p->strides)) == NULL)
        return om_fail_memory(s->d->ctx);
    for (uint32_t i = 0; i < count; i++)
        p->parts[i] = parts[i];
    p->count = count;
    *out = p;
    return measure_product(s, at, p);
}

static int read_product(
    pnml_sorts *s, const pnml_element *e, const char *name, const pnml_sort **out)
{
    const pnml_sort *parts[MOST_LEAVES];
    uint32_t n = 0;
    for (const pnml_element *c = e->children; c != NULL; c = c->next) {
        if (n == MOST_LEAVES)
            return PNML_FAIL(s->d, *c, "a product with more than %d components", MOST_LEAVES);
        int rc = pnml_sort_of(s, c, &parts[n++]);
        if (rc != OM_OK)
            return rc;
    }
    return pnml_sort_product(s, e, name, parts, n, out);
}

/* Reads the constants in an element of a partition. */
static int read_class(pnml_sorts *s, const pnml_element *e, const pnml_sort *p, uint32_t number)
{
    for (const pnml_element *c = e->children; c != NULL; c = c->next) {
        const char *id = pnml_attribute(c, "declaration");
        uint32_t i = id == NULL ? OM_NONE : pnml_names_find(&s->constant_ids, id);
        if (strcmp(c->name, "useroperator") != 0 || i == OM_NONE || s->constants[i].sort != p->base)
            return PNML_FAIL(s->d, *c, "'%.100s' is not a constant of the partitioned sort",
                id == NULL ? c->name : id);
        assert(s->constants[i].colour < p->base->size); /* K1 */
        uint32_t *of = &p->class_of[s->constants[i].colour];
        if (*of != OM_NONE)
            return PNML_FAIL(s->d, *c, "'%.100s' is in '%.100s' already", id, p->labels[*of]);
        *of = number;
    }
    return OM_OK;
}

static int read_partition(
    pnml_sorts *s, const pnml_element *e, const char *name, const pnml_sort **out)
{
    uint32_t n = count_children(e, "partitionelement"), number = 0;
    const pnml_sort *base = NULL;
    if (n == 0 || strcmp(e->children->name, "partitionelement") == 0)
        return PNML_FAIL(s->d, *e, "a partition needs a sort and elements");
    int rc = pnml_sort_of(s, e->children, &base);
    if (rc == OM_OK && (base->kind != PNML_ENUMERATION || n > MOST_COLOURS))
        rc = PNML_FAIL(s->d, *e, "only enumerations can be partitioned");
    if (rc != OM_OK)
        return rc;
    pnml_sort *p = new_sort(s, PNML_PARTITION, n, name);
    if (p == NULL || (p->labels = om_region_take(&s->region, n, sizeof *p->labels)) == NULL ||
        (p->class_of = om_region_take(&s->region, (size_t) base->size, sizeof *p->class_of)) ==
            NULL)
        return om_fail_memory(s->d->ctx);
    memset(p->class_of, 0xff, (size_t) base->size * sizeof *p->class_of);
    p->base = base;
    for (const pnml_element *c = e->children->next; c != NULL && rc == OM_OK; c = c->next) {
        if (strcmp(c->name, "partitionelement") != 0)
            return PNML_FAIL(s->d, *c, "a 'partition' cannot contain '%.100s' here", c->name);
        rc = new_constant(s, c, p, number);
        p->labels[number] = label_of(c);
        if (rc == OM_OK)
            rc = read_class(s, c, p, number++);
    }
    for (uint64_t i = 0; i < base->size && rc == OM_OK; i++)
        if (p->class_of[i] == OM_NONE)
            rc = PNML_FAIL(s->d, *e, "'%.100s' is in no element of the partition", base->labels[i]);
    *out = p;
    return rc;
}

static int entry_sort(pnml_sorts *s, const pnml_element *e, uint32_t i, const pnml_sort **out)
{
    pnml_sort_entry *entry = &s->entries[i];
    const pnml_element *what = entry->element;
    assert(i < s->sort_ids.count);
    if (entry->sort != NULL) {
        *out = entry->sort;
        return OM_OK;
    }
    if (entry->open)
        return PNML_FAIL(
            s->d, *e, "sort '%.100s' is declared in terms of itself", s->sort_ids.names[i]);
    if (strcmp(what->name, "namedsort") == 0 &&
        (what->children == NULL || what->children->next != NULL))
        return PNML_FAIL(
            s->d, *what, "sort '%.100s' must be declared as one sort", s->sort_ids.names[i]);
    entry->open = true;
    s->naming = s->sort_ids.names[i];
    int rc = pnml_sort_of(s, strcmp(what->name, "namedsort") == 0 ? what->children : what, out);
    entry->open = false;
    entry->sort = rc == OM_OK ? *out : NULL;
    return rc;
}

static int read_sort(pnml_sorts *s, const pnml_element *e, const pnml_sort **out)
{
    const char *kind = e->name, *name = s->naming == NULL ? kind : s->naming;
    const char *id = pnml_attribute(e, "declaration");
    s->naming = NULL;
    if (strcmp(kind, "usersort") == 0) {
        uint32_t i = id == NULL ? OM_NONE : pnml_names_find(&s->sort_ids, id);
        if (i == OM_NONE)
            return PNML_FAIL(s->d, *e, "there is no sort '%.100s'", id == NULL ? "" : id);
        return entry_sort(s, e, i, out);
    }
    if (strcmp(kind, "dot") == 0)
        return (*out = new_sort(s, PNML_DOT, 1, name)) == NULL ? om_fail_memory(s->d->ctx) : OM_OK;
    if (strcmp(kind, "cyclicenumeration") == 0 || strcmp(kind, "finiteenumeration") == 0)
        return read_enumeration(s, e, name, out);
    if (strcmp(kind, "finiteintrange") == 0)
        return read_range(s, e, name, out);
    if (strcmp(kind, "productsort") == 0)
        return read_product(s, e, name, out);
    if (strcmp(kind, "partition") == 0)
        return read_partition(s, e, name, out);
    return PNML_FAIL(s->d, *e, "'%.100s' is not a sort of a symmetric net", kind);
}

int pnml_sort_of(pnml_sorts *s, const pnml_element *e, const pnml_sort **out)
{
    if (s->nesting == MOST_NESTED)
        return PNML_FAIL(s->d, *e, "sorts are nested more than %d deep", MOST_NESTED);
    s->nesting++;
    int rc = read_sort(s, e, out);
    s->nesting--;
    assert(rc != OM_OK || (*out != NULL && (*out)->size >= 1));
    return rc;
}

/* ---- declarations ---- */

static int declare_sort(pnml_sorts *s, const pnml_element *e)
{
    const char *id = pnml_attribute(e, "id");
    size_t had = s->sort_ids.count;
    if (id == NULL || *id == '\0')
        return PNML_FAIL(s->d, *e, "'%s' has no id", e->name);
    if (pnml_names_add(&s->sort_ids, &s->region, id) == OM_NONE)
        return om_fail_memory(s->d->ctx);
    if (s->sort_ids.count == had)
        return PNML_FAIL(s->d, *e, "sort '%.100s' is declared twice", id);
    if (!OM_ROOM(s->region.heap, s->entries, &s->entry_room, had + 1))
        return om_fail_memory(s->d->ctx);
    s->entries[had] = (pnml_sort_entry){ .element = e };
    return OM_OK;
}

static int declare_variable(pnml_sorts *s, const pnml_element *e)
{
    const char *id = pnml_attribute(e, "id");
    size_t had = s->variable_ids.count;
    const pnml_sort *sort = NULL;
    if (id == NULL || *id == '\0' || e->children == NULL)
        return PNML_FAIL(s->d, *e, "'%s' has no %s", e->name, e->children == NULL ? "sort" : "id");
    int rc = pnml_sort_of(s, e->children, &sort);
    if (rc != OM_OK || sort == NULL)
        return rc;
    if (sort->size > UINT32_MAX)
        return PNML_FAIL(s->d, *e, "variable '%.100s' has 2^32 colours or more", id);
    if (pnml_names_add(&s->variable_ids, &s->region, id) == OM_NONE)
        return om_fail_memory(s->d->ctx);
    if (s->variable_ids.count == had)
        return PNML_FAIL(s->d, *e, "variable '%.100s' is declared twice", id);
    if (!OM_ROOM(s->region.heap, s->variables, &s->variable_room, had + 1))
        return om_fail_memory(s->d->ctx);
    s->variables[had] = (pnml_variable){ label_of(e), sort };
    return OM_OK;
}

static bool is_sort(const pnml_element *e)
{
    return strcmp(e->name, "namedsort") == 0 || strcmp(e->name, "partition") == 0;
}

/* Declarations may refer to later ones: the names of sorts are read first, then their definitions,
 * then the variables. */
int pnml_sorts_read(pnml_sorts *s)
{
    const pnml_document *d = s->d;
    const pnml_sort *sort = NULL;
    int rc = OM_OK;
    for (size_t i = 0; i < d->declaration_count && rc == OM_OK; i++) {
        const pnml_element *e = d->declarations[i];
        if (is_sort(e))
            rc = declare_sort(s, e);
        else if (strcmp(e->name, "variabledecl") != 0)
            rc = PNML_FAIL(d, *e,
                "declarations of symmetric nets are sorts, partitions and variables, not '%.100s'",
                e->name);
    }
    for (uint32_t i = 0; i < s->sort_ids.count && rc == OM_OK; i++)
        rc = entry_sort(s, s->entries[i].element, i, &sort);
    for (size_t i = 0; i < d->declaration_count && rc == OM_OK; i++)
        if (!is_sort(d->declarations[i]))
            rc = declare_variable(s, d->declarations[i]);
    return rc != OM_OK ? rc : om_context_stopped(d->ctx);
}

void pnml_sorts_free(pnml_sorts *s)
{
    const om_heap *heap = s->region.heap;
    pnml_names_free(&s->sort_ids);
    pnml_names_free(&s->constant_ids);
    pnml_names_free(&s->variable_ids);
    OM_FREE_ALL(heap, s->entries, s->constants, s->variables);
    om_region_free(&s->region);
}

/* ---- colours ---- */

/* The recursion has at most MOST_DEPTH nested calls, and compares at most MOST_LEAVES pairs. */
bool pnml_sort_same(const pnml_sort *a, const pnml_sort *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->size != b->size || a->count != b->count)
        return false;
    if (a->kind == PNML_RANGE)
        return a->start == b->start;
    for (uint32_t i = 0; i < a->count; i++)
        if (!pnml_sort_same(a->parts[i], b->parts[i]))
            return false;
    return a->kind == PNML_DOT || a->kind == PNML_PRODUCT;
}

void pnml_sort_print(const pnml_sort *s, uint64_t colour, om_text *out)
{
    assert(colour < s->size); /* K1 */
    if (s->kind == PNML_DOT)
        om_text_add(out, "dot");
    else if (s->kind == PNML_RANGE)
        om_text_printf(out, "%" PRId64, s->start + (int64_t) colour);
    else if (s->kind != PNML_PRODUCT)
        om_text_add(out, s->labels[colour]);
    else
        for (uint32_t i = 0; i < s->count; i++) {
            om_text_add(out, i == 0 ? "(" : ", ");
            pnml_sort_print(s->parts[i], colour / s->strides[i] % s->parts[i]->size, out);
        }
    if (s->kind == PNML_PRODUCT)
        om_text_add(out, ")");
}
