/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the properties of an examination: property files of the Model Checking Contest, 2011 and
 * later. */
#include "xml_tree.h"
#include "formulas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a net, sorted by id */
typedef struct node_list {
    const om_net_node **nodes;
    uint32_t count;
    const char *what;
} node_list;

typedef struct reader {
    mcc *m;
    om_region *r;
    node_list places, transitions;
    const om_predicate **fireable; /* [transition node]: NULL: not made yet */
    int rc;                        /* the first failure; later calls return NULL */
} reader;

/* ---- names ---- */

static int compare_nodes(const void *a, const void *b)
{
    const om_net_node *const *x = a, *const *y = b;
    return strcmp((*x)->id, (*y)->id);
}

static bool make_index(reader *d, node_list *x, const om_net_node *nodes, uint32_t count)
{
    x->nodes = om_region_take(d->r, (size_t) count + 1, sizeof(const om_net_node *));
    if (x->nodes == NULL)
        return false;
    x->count = count;
    for (uint32_t i = 0; i < count; i++)
        x->nodes[i] = &nodes[i];
    if (count > 1)
        qsort(x->nodes, count, sizeof(const om_net_node *), compare_nodes);
    return true;
}

static const om_net_node *fail_name(reader *d, const mcc_element *e, const node_list *x)
{
    const char **names = om_alloc(d->m->c->heap, (size_t) x->count + 1, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < x->count; i++)
        names[i] = x->nodes[i]->id;
    const char *nearest = names == NULL ? NULL : om_nearest(e->text, names, x->count);
    d->rc = om_fail(d->m->c->ctx, OM_EINPUT, &e->place, "the net has no %s '%s'%s%s%s", x->what,
        e->text, nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
        nearest == NULL ? "" : "'?");
    om_free(d->m->c->heap, names);
    return NULL;
}

/* Returns the node that the element names. */
static const om_net_node *find(reader *d, const mcc_element *e, const node_list *x)
{
    uint32_t low = 0, high = x->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(x->nodes[middle]->id, e->text);
        if (order == 0)
            return x->nodes[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return fail_name(d, e, x);
}

static bool is(const mcc_element *e, const char *tag)
{
    return strcmp(e->tag, tag) == 0;
}

static void *fail(reader *d, const mcc_element *e, const char *wanted)
{
    if (d->rc == OM_OK)
        d->rc = om_fail(
            d->m->c->ctx, OM_EINPUT, &e->place, "<%s> is not valid here: %s", e->tag, wanted);
    return NULL;
}

static void *fail_memory(reader *d)
{
    if (d->rc == OM_OK)
        d->rc = om_fail_memory(d->m->c->ctx);
    return NULL;
}

/* Returns the only child, or NULL with a message. */
static const mcc_element *only(reader *d, const mcc_element *e)
{
    if (e->first != NULL && e->first->next == NULL)
        return e->first;
    if (d->rc == OM_OK)
        d->rc = om_fail(d->m->c->ctx, OM_EINPUT, &e->place,
            "<%s> must have exactly one element, not %s", e->tag,
            e->first == NULL ? "none" : "several");
    return NULL;
}

/* ---- predicates ---- */

/* Adds the tokens of the listed places; those of a coloured place are summed. */
static void add_tokens(reader *d, const mcc_element *e, om_net_sum *s, om_wide factor)
{
    for (const mcc_element *p = e->first; p != NULL && d->rc == OM_OK; p = p->next) {
        if (!is(p, "place")) {
            (void) fail(d, p, "a place is expected");
            return;
        }
        const om_net_node *n = find(d, p, &d->places);
        for (uint32_t i = 0; n != NULL && i < n->count; i++)
            om_net_sum_add(s, n->first + i, factor);
    }
}

static void add_constant(reader *d, const mcc_element *e, om_net_sum *s, om_wide factor)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(e->text, &end, 10);
    if (end == e->text || *end != '\0' || errno != 0 || value > INT64_C(1) << 40 ||
        value < -(INT64_C(1) << 40))
        d->rc = om_fail(d->m->c->ctx, OM_EINPUT, &e->place,
            "'%s' is not a number that fits in 40 bits", e->text);
    else
        s->constant += factor * value;
}

static void add_number(reader *d, const mcc_element *e, om_net_sum *s, om_wide factor)
{
    if (e == NULL)
        return;
    if (is(e, "tokens-count"))
        add_tokens(d, e, s, factor);
    else if (is(e, "integer-constant"))
        add_constant(d, e, s, factor);
    else
        (void) fail(d, e, "a number is expected");
}

static const om_predicate *too_large(reader *d, const mcc_element *e, const om_net_sum *s)
{
    if (!s->failed || d->rc != OM_OK)
        return NULL;
    d->rc = s->too_large ? om_fail(d->m->c->ctx, OM_EUNSUPPORTED, &e->place,
                               "the comparison has too many places to sum")
                         : om_fail_memory(d->m->c->ctx);
    return NULL;
}

/* a <= b becomes b - a >= 0. */
static const om_predicate *read_comparison(reader *d, const mcc_element *e)
{
    om_net_sum s = { .heap = d->m->c->heap };
    const mcc_element *a = e->first, *b = a == NULL ? NULL : a->next;
    if (b == NULL || b->next != NULL)
        return fail(d, e, "two numbers are expected");
    add_number(d, a, &s, -1);
    add_number(d, b, &s, 1);
    const om_predicate *p = d->rc == OM_OK ? om_predicate_linear(d->r, &s, 0) : NULL;
    if (p == NULL && d->rc == OM_OK)
        (void) (s.failed ? too_large(d, e, &s) : fail_memory(d));
    om_free(s.heap, s.terms);
    return p;
}

/* Returns the predicate that some binding of the node can fire. It can be large, so formulas share
 * it. */
static const om_predicate *fireable(reader *d, const om_net_node *n)
{
    const om_predicate **at = &d->fireable[n - d->m->net->transition_nodes];
    if (*at == NULL)
        *at = om_predicate_fireable(d->r, d->m->net, n->first, n->count);
    return *at;
}

/* Reads: some transition of the list can fire, with some binding. */
static const om_predicate *read_fireable(reader *d, const mcc_element *e)
{
    const om_predicate *any = om_predicate_constant(d->r, false);
    for (const mcc_element *t = e->first; t != NULL && d->rc == OM_OK; t = t->next) {
        const om_net_node *n = is(t, "transition") ? find(d, t, &d->transitions)
                                                   : fail(d, t, "a transition is expected");
        if (n == NULL)
            return NULL;
        const om_predicate *both[] = { any, fireable(d, n) };
        any = any != NULL && any->kind == OM_PREDICATE_FALSE
                  ? both[1]
                  : om_predicate_join(d->r, OM_PREDICATE_OR, both, 2);
    }
    return any == NULL ? fail_memory(d) : any;
}

/* Makes the predicate that no transition can fire. */
static const om_predicate *read_deadlock(reader *d)
{
    const om_predicate *p = om_predicate_not(
        d->r, om_predicate_fireable(d->r, d->m->net, 0, d->m->net->transition_count));
    return p == NULL ? fail_memory(d) : p;
}

static const om_predicate *read_atom(reader *d, const mcc_element *e)
{
    if (is(e, "integer-le"))
        return read_comparison(d, e);
    if (is(e, "is-fireable"))
        return read_fireable(d, e);
    if (is(e, "deadlock"))
        return read_deadlock(d);
    if (is(e, "true") || is(e, "false"))
        return om_predicate_constant(d->r, is(e, "true"));
    return fail(d, e, "a formula is expected");
}

/* ---- formulas ---- */

typedef struct connective {
    const char *tag;
    mcc_kind kind;
    uint32_t least, most; /* number of arguments */
} connective;

static const connective CONNECTIVES[] = {
    { "negation", MCC_NOT, 1, 1 },
    { "conjunction", MCC_AND, 1, UINT32_MAX },
    { "disjunction", MCC_OR, 1, UINT32_MAX },
    { "next", MCC_NEXT, 1, 1 },
    { "finally", MCC_FINALLY, 1, 1 },
    { "globally", MCC_GLOBALLY, 1, 1 },
    { "until", MCC_UNTIL, 2, 2 },
};

static uint32_t child_count(const mcc_element *e)
{
    uint32_t n = 0;
    for (const mcc_element *a = e->first; a != NULL; a = a->next)
        n++;
    return n;
}

static const mcc_formula *read_formula(reader *d, const mcc_element *e);

/* <until> has its arguments within <before> and <reach>. */
static const mcc_formula *read_argument(reader *d, const mcc_element *e, bool wrapped, bool first)
{
    if (!wrapped)
        return read_formula(d, e);
    if (!is(e, first ? "before" : "reach"))
        return fail(d, e, first ? "<before> is expected" : "<reach> is expected");
    const mcc_element *within = only(d, e);
    return within == NULL ? NULL : read_formula(d, within);
}

static const mcc_formula *read_connective(reader *d, const mcc_element *e, const connective *k)
{
    const uint32_t count = child_count(e);
    uint32_t n = 0;
    if (count < k->least || count > k->most)
        return fail(d, e, "wrong number of arguments");
    const mcc_formula **args = om_region_take(d->r, count, sizeof(const mcc_formula *));
    if (args == NULL)
        return fail_memory(d);
    for (const mcc_element *a = e->first; a != NULL; a = a->next, n++)
        if ((args[n] = read_argument(d, a, k->kind == MCC_UNTIL, n == 0)) == NULL)
            return NULL;
    const mcc_formula *f = mcc_formula_make(d->r, k->kind, args, count);
    return f == NULL ? fail_memory(d) : f;
}

/* The recursion is as deep as the document, which is limited. */
static const mcc_formula *read_formula(reader *d, const mcc_element *e)
{
    d->rc = om_context_stopped(d->m->c->ctx); /* atoms of large coloured nets are large */
    if (d->rc != OM_OK)
        return NULL;
    for (size_t i = 0; i < sizeof CONNECTIVES / sizeof *CONNECTIVES; i++)
        if (is(e, CONNECTIVES[i].tag))
            return read_connective(d, e, &CONNECTIVES[i]);
    const om_predicate *p = read_atom(d, e);
    if (p == NULL)
        return d->rc == OM_OK ? fail_memory(d) : NULL;
    const mcc_formula *f = mcc_formula_atom(d->r, p);
    return f == NULL ? fail_memory(d) : f;
}

/* ---- properties ---- */

static void read_bound(reader *d, const mcc_element *e, mcc_property *p)
{
    om_net_sum s = { .heap = d->m->c->heap };
    p->question = MCC_BOUND;
    add_tokens(d, e, &s, 1);
    /* Normalises the sum. */
    const om_predicate *any = d->rc == OM_OK ? om_predicate_linear(d->r, &s, 1) : NULL;
    om_net_term *terms = any == NULL ? NULL : om_region_take(d->r, s.count + 1, sizeof *terms);
    if (s.failed)
        (void) too_large(d, e, &s);
    else if (terms == NULL)
        (void) fail_memory(d);
    for (size_t i = 0; terms != NULL && i < s.count; i++)
        terms[i] = s.terms[i];
    p->terms = terms;
    p->term_count = (uint32_t) s.count;
    om_free(s.heap, s.terms);
}

/* Reads EF or AG of a predicate over markings; any other formula after A is a formula over runs. */
static void read_quantified(reader *d, const mcc_element *e, mcc_property *p)
{
    const bool some = is(e, "exists-path");
    const mcc_element *within = only(d, e);
    const mcc_formula *inner = within == NULL ? NULL : read_formula(d, within);
    if (inner == NULL)
        return;
    p->question = MCC_RUNS;
    p->formula = inner;
    const bool finally = inner->kind == MCC_FINALLY && inner->args[0]->kind == MCC_ATOM;
    const bool globally = inner->kind == MCC_GLOBALLY && inner->args[0]->kind == MCC_ATOM;
    if (inner->kind == MCC_ATOM &&
        (inner->atom->kind == OM_PREDICATE_TRUE || inner->atom->kind == OM_PREDICATE_FALSE)) {
        p->question = some ? MCC_POSSIBLE : MCC_ALWAYS;
        p->predicate = inner->atom;
    } else if (some ? finally : globally) {
        p->question = some ? MCC_POSSIBLE : MCC_ALWAYS;
        p->predicate = inner->args[0]->atom;
    } else if (some) {
        (void) fail(d, e, "only formulas about all runs, EF and AG are supported");
    }
}

static void read_property(reader *d, const mcc_element *e, mcc_property *p)
{
    const mcc_element *question = NULL;
    for (const mcc_element *a = e->first; a != NULL; a = a->next) {
        if (is(a, "id"))
            p->id = a->text;
        if (is(a, "formula"))
            question = only(d, a);
    }
    if (d->rc != OM_OK)
        return;
    if (p->id == NULL || question == NULL)
        d->rc = om_fail(d->m->c->ctx, OM_EINPUT, &e->place, "a property without %s",
            p->id == NULL ? "an <id>" : "a <formula>");
    else if (is(question, "place-bound"))
        read_bound(d, question, p);
    else if (is(question, "all-paths") || is(question, "exists-path"))
        read_quantified(d, question, p);
    else
        (void) fail(d, question, "a quantifier is expected");
}

static void read_set(reader *d, const mcc_element *root)
{
    mcc *m = d->m;
    size_t count = 0;
    if (!is(root, "property-set")) {
        (void) fail(d, root, "<property-set> is expected");
        return;
    }
    for (const mcc_element *e = root->first; e != NULL; e = e->next)
        count += is(e, "property");
    m->properties = om_region_take(d->r, count + 1, sizeof *m->properties);
    if (m->properties == NULL) {
        (void) fail_memory(d);
        return;
    }
    for (const mcc_element *e = root->first; e != NULL && d->rc == OM_OK; e = e->next)
        if (is(e, "property"))
            read_property(d, e, &m->properties[m->count++]);
}

int mcc_read_properties(mcc *m)
{
    reader d = { .m = m,
        .r = &m->region,
        .places = { .what = "place" },
        .transitions = { .what = "transition" } };
    const mcc_element *root = NULL;
    int rc = mcc_read_xml(m->c, m->property_file.text, &m->region, &root);
    if (rc != OM_OK)
        return rc;
    if (!make_index(&d, &d.places, m->net->place_nodes, m->net->place_node_count) ||
        !make_index(&d, &d.transitions, m->net->transition_nodes, m->net->transition_node_count))
        return om_fail_memory(m->c->ctx);
    d.fireable = om_region_take(
        &m->region, (size_t) m->net->transition_node_count + 1, sizeof(const om_predicate *));
    if (d.fireable == NULL)
        return om_fail_memory(m->c->ctx);
    read_set(&d, root);
    return d.rc;
}
