/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"
#include "plain.h"

#include <assert.h>
#include <string.h>

typedef struct reading {
    pnml_document *d;
    uint32_t nets;
    uint32_t open; /* number of open containers: the document, the net, and pages in it */
} reading;

bool pnml_read_number(const char *text, om_value least, om_value *out)
{
    om_wide value = 0;
    const char *s = text;
    for (; *s >= '0' && *s <= '9' && value <= OM_VALUE_MAX; s++)
        value = value * 10 + (*s - '0');
    if (s == text || *s != '\0' || value > OM_VALUE_MAX || value < least)
        return false;
    *out = (om_value) value;
    return true;
}

static om_written position(const pnml_element *e)
{
    return (om_written){ e->line, e->column };
}

/* Returns the node of that id, which is created if necessary; OM_NONE if memory runs out. */
static uint32_t mention(pnml_document *d, const char *id)
{
    uint32_t i = pnml_names_add(&d->ids, &d->region, id);
    if (i == OM_NONE)
        return OM_NONE;
    size_t had = d->node_room;
    if (!OM_ROOM(d->region.heap, d->nodes, &d->node_room, d->ids.count))
        return OM_NONE;
    assert(i < d->ids.count && d->ids.count <= d->node_room);
    if (d->node_room > had)
        memset(d->nodes + had, 0, (d->node_room - had) * sizeof *d->nodes);
    d->nodes[i].id = d->ids.names[i];
    return i;
}

/* Returns the index of the first control character, or the length: names and ids are printed in
 * one line. */
static size_t first_control(const char *s)
{
    size_t i = 0;
    while ((unsigned char) s[i] >= ' ' && s[i] != 0x7f)
        i++;
    return i;
}

/* Finds an attribute that is required. */
static int required(pnml_document *d, const pnml_element *e, const char *name, const char **out)
{
    *out = pnml_attribute(e, name);
    if (*out == NULL || **out == '\0')
        return PNML_FAIL(d, *e, "'%s' has no %s", e->name, name);
    if (first_control(*out) < strlen(*out))
        return PNML_FAIL(d, *e, "there is a control character in the %s of '%s'", name, e->name);
    return OM_OK;
}

/* Copies the one term below <structure> of a label; leaves *out unchanged if there is no such
 * label. */
static int term_in(
    pnml_document *d, const pnml_element *e, const char *label, const pnml_element **out)
{
    const pnml_element *l = pnml_child(e, label), *structure = pnml_child(l, "structure");
    if (l == NULL)
        return OM_OK;
    if (structure == NULL || structure->children == NULL)
        return PNML_FAIL(d, *l, "'%s' has no term in a 'structure'", label);
    if (structure->children->next != NULL)
        return PNML_FAIL(d, *structure->children->next, "'%s' has more than one term", label);
    *out = pnml_element_copy(&d->region, structure->children);
    return *out == NULL ? om_fail_memory(d->ctx) : OM_OK;
}

/* Reads the name of a node, as one line; leaves *out unchanged if there is none. */
static int read_name(pnml_document *d, const pnml_element *e, const char **out)
{
    const char *text = pnml_text_of(pnml_child(e, "name"));
    if (text == NULL && !d->coloured)
        text = pnml_attribute(e, "name");
    if (text == NULL || *text == '\0')
        return OM_OK;
    char *name = om_region_copy(&d->region, text, strlen(text));
    if (name == NULL)
        return om_fail_memory(d->ctx);
    for (char *c = name + first_control(name); *c != '\0'; c += first_control(c))
        *c = ' ';
    *out = name;
    return OM_OK;
}

/* Creates the node of an object of the file. */
static int new_node(pnml_document *d, const pnml_element *e, pnml_kind kind, pnml_node **out)
{
    const char *id;
    int rc = required(d, e, "id", &id);
    if (rc != OM_OK)
        return rc;
    uint32_t i = mention(d, id);
    if (i == OM_NONE)
        return om_fail_memory(d->ctx);
    pnml_node *n = &d->nodes[i];
    if (n->kind != PNML_MENTIONED)
        return PNML_FAIL(
            d, *e, "id '%.100s' is used twice (first in line %" PRIu32 ")", id, n->pos.line);
    n->kind = kind;
    n->pos = position(e);
    n->refers_to = OM_NONE;
    *out = n;
    return read_name(d, e, &n->name);
}

static const pnml_known NODE_ATTRIBUTES[] = { { .name = "id" }, { .name = NULL } };

static int read_coloured_place(pnml_document *d, const pnml_element *e, pnml_node *n)
{
    static const pnml_known LABELS[] = { { .name = "type" }, { .name = "hlinitialMarking" },
        { .name = NULL } };
    int rc = pnml_check_attributes(d, e, NODE_ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, LABELS);
    if (rc == OM_OK)
        rc = term_in(d, e, "type", &n->sort);
    return rc != OM_OK ? rc : term_in(d, e, "hlinitialMarking", &n->initial);
}

static int read_place(pnml_document *d, const pnml_element *e)
{
    pnml_node *n = NULL;
    int rc = new_node(d, e, PNML_PLACE, &n);
    if (rc != OM_OK)
        return rc;
    return d->coloured ? read_coloured_place(d, e, n) : pnml_plain_place(d, e, n);
}

static int read_transition(pnml_document *d, const pnml_element *e)
{
    static const pnml_known LABELS[] = { { .name = "condition" }, { .name = NULL } };
    pnml_node *n = NULL;
    int rc = new_node(d, e, PNML_TRANSITION, &n);
    if (rc == OM_OK && !d->coloured)
        return pnml_plain_transition(d, e);
    if (rc == OM_OK)
        rc = pnml_check_attributes(d, e, NODE_ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, LABELS);
    return rc != OM_OK ? rc : term_in(d, e, "condition", &n->guard);
}

static int read_reference(pnml_document *d, const pnml_element *e, pnml_kind kind)
{
    static const pnml_known ATTRIBUTES[] = { { .name = "id" }, { .name = "ref" },
        { .name = NULL } };
    static const pnml_known NO_LABELS[] = { { .name = NULL } };
    pnml_node *n = NULL;
    const char *to;
    int rc = new_node(d, e, kind, &n);
    if (rc == OM_OK)
        rc = required(d, e, "ref", &to);
    if (rc == OM_OK)
        rc = pnml_check_attributes(d, e, ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, NO_LABELS);
    if (rc != OM_OK)
        return rc;
    uint32_t self = pnml_names_find(&d->ids, n->id), i = mention(d, to);
    if (i == OM_NONE)
        return om_fail_memory(d->ctx);
    d->nodes[self].refers_to = i; /* n may be invalid: the nodes may have moved */
    return OM_OK;
}

/* Inhibitor and reset arcs of symmetric nets, whose limits would be multisets, are not supported.
 */
static int read_coloured_arc(pnml_document *d, const pnml_element *e, pnml_arc *out)
{
    static const pnml_known ATTRIBUTES[] = { { .name = "id" }, { .name = "source" },
        { .name = "target" }, { .name = NULL } };
    static const pnml_known LABELS[] = { { .name = "hlinscription" }, { .name = "type" },
        { .name = NULL } };
    int rc = pnml_check_attributes(d, e, ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, LABELS);
    if (rc != OM_OK)
        return rc;
    const pnml_element *type = pnml_child(e, "type");
    const char *kind = type == NULL ? NULL : pnml_attribute(type, "value");
    if (type != NULL && (kind == NULL || strcmp(kind, "normal") != 0))
        return PNML_FAIL(d, *type, "arcs of type '%.40s' are not supported in symmetric nets",
            kind == NULL ? "" : kind);
    out->weight = 1;
    return term_in(d, e, "hlinscription", &out->inscription);
}

static int read_arc(pnml_document *d, const pnml_element *e)
{
    const char *source, *target;
    pnml_arc arc = { .pos = position(e) };
    int rc = required(d, e, "source", &source);
    if (rc == OM_OK)
        rc = required(d, e, "target", &target);
    if (rc == OM_OK)
        rc = d->coloured ? read_coloured_arc(d, e, &arc) : pnml_plain_arc(d, e, &arc);
    if (rc != OM_OK)
        return rc;
    if (!OM_ROOM(d->region.heap, d->arcs, &d->arc_room, d->arc_count + 1))
        return om_fail_memory(d->ctx);
    arc.source = mention(d, source);
    arc.target = mention(d, target);
    if (arc.source == OM_NONE || arc.target == OM_NONE)
        return om_fail_memory(d->ctx);
    d->arcs[d->arc_count++] = arc;
    return OM_OK;
}

static int read_declaration(pnml_document *d, const pnml_element *e)
{
    const pnml_element *all = pnml_child(pnml_child(e, "structure"), "declarations");
    if (all == NULL)
        return PNML_FAIL(d, *e, "'declaration' has no 'declarations' in a 'structure'");
    for (const pnml_element *c = all->children; c != NULL; c = c->next) {
        const pnml_element **grown = om_grow(d->region.heap, (void *) d->declarations,
            &d->declaration_room, d->declaration_count + 1, sizeof(const pnml_element *));
        if (grown == NULL)
            return om_fail_memory(d->ctx);
        d->declarations = grown;
        grown[d->declaration_count] = pnml_element_copy(&d->region, c);
        if (grown[d->declaration_count] == NULL)
            return om_fail_memory(d->ctx);
        d->declaration_count++;
    }
    return OM_OK;
}

/* ---- handlers of the XML reader ---- */

static const char *const YES[] = { "true", NULL };
static const pnml_known NET_ATTRIBUTES[] = { { .name = "id" }, { .name = "type" },
    { .name = "name" }, { .name = "active", .values = YES, .dialect = PNML_TAPAAL },
    { .name = NULL } };
static const pnml_known OTHER_ATTRIBUTES[] = { { .name = "id" }, { .name = "name" },
    { .name = NULL } };

static int open_net(reading *r, const pnml_element *e)
{
    pnml_document *d = r->d;
    const char *id, *type;
    if (r->nets++ != 0)
        return PNML_FAIL(d, *e, "a second net: a model is a single net");
    int rc = required(d, e, "id", &id);
    if (rc == OM_OK)
        rc = required(d, e, "type", &type);
    if (rc != OM_OK)
        return rc;
    const char *slash = strrchr(type, '/'), *dialect = NULL;
    d->coloured = strcmp(slash == NULL ? type : slash + 1, "symmetricnet") == 0;
    if (!d->coloured && !pnml_plain_type(type, &dialect))
        return PNML_FAIL(d, *e,
            "nets of type '%.100s' are not supported, only P/T nets (ptnet) and symmetric nets "
            "(symmetricnet)",
            type);
    pnml_note_dialect(d, e, type, dialect);
    rc = pnml_check_attributes(d, e, NET_ATTRIBUTES);
    if (rc != OM_OK)
        return rc;
    d->name = om_region_copy(&d->region, id, strlen(id));
    return d->name == NULL ? om_fail_memory(d->ctx) : OM_OK;
}

static int open_container(void *self, const pnml_element *e)
{
    reading *r = self;
    bool is_net = strcmp(e->name, "net") == 0, is_page = strcmp(e->name, "page") == 0;
    if (is_net ? r->open != 1 : is_page ? r->open < 2 : r->open != 0)
        return PNML_FAIL(
            r->d, *e, "a '%s' is not allowed here: a document has a net, a net has pages", e->name);
    r->open++;
    return is_net ? open_net(r, e) : pnml_check_attributes(r->d, e, OTHER_ATTRIBUTES);
}

static int close_container(void *self)
{
    reading *r = self;
    assert(r->open > 0);
    r->open--;
    return OM_OK;
}

/* Accepts objects beside the net, or beside its nodes and arcs, that make no difference to it. */
static int read_other(reading *r, const pnml_element *e)
{
    static const pnml_known BESIDE_NET[] = { { .name = "name" },
        { .name = "query", .dialect = PNML_TAPAAL }, { .name = "queries", .dialect = PNML_TAPAAL },
        { .name = "k-bound", .dialect = PNML_TAPAAL },
        { .name = "constant", .dialect = PNML_TAPAAL },
        { .name = "feature", .dialect = PNML_TAPAAL }, { .name = NULL } };
    static const pnml_known IN_NET[] = { { .name = "name" },
        { .name = "declaration", .dialect = PNML_TAPAAL },
        { .name = "labels", .dialect = PNML_PIPE }, { .name = "token", .dialect = PNML_PIPE },
        { .name = "definition", .dialect = PNML_PIPE },
        { .name = "stategroup", .dialect = PNML_PIPE },
        { .name = "finalmarkings", .dialect = PNML_PROM }, { .name = NULL } };
    for (const pnml_known *k = r->open < 2 ? BESIDE_NET : IN_NET; k->name != NULL; k++)
        if (strcmp(k->name, e->name) == 0) {
            pnml_note_dialect(r->d, e, k->name, k->dialect);
            return OM_OK;
        }
    return PNML_FAIL(r->d, *e, "'%.100s' is not supported", e->name);
}

static int read_object(void *self, const pnml_element *e)
{
    reading *r = self;
    pnml_document *d = r->d;
    assert(r->open > 0);
    const char *name = e->name;
    if (r->open < 2)
        return read_other(r, e);
    if (strcmp(name, "place") == 0)
        return read_place(d, e);
    if (strcmp(name, "transition") == 0)
        return read_transition(d, e);
    if (strcmp(name, "arc") == 0 || (!d->coloured && pnml_plain_is_arc(name)))
        return read_arc(d, e);
    if (strcmp(name, "referencePlace") == 0)
        return read_reference(d, e, PNML_REFERENCE_PLACE);
    if (strcmp(name, "referenceTransition") == 0)
        return read_reference(d, e, PNML_REFERENCE_TRANSITION);
    if (strcmp(name, "declaration") == 0 && d->coloured)
        return read_declaration(d, e);
    return read_other(r, e);
}

int pnml_document_read(pnml_document *d, const char *text, size_t length)
{
    static const pnml_xml_handler HANDLER = { open_container, close_container, read_object };
    reading r = { .d = d };
    int rc = pnml_xml_read(d->ctx, d->file, text, length, &HANDLER, &r);
    assert(rc != OM_OK || r.open == 0);
    if (rc == OM_OK && r.nets == 0)
        rc = om_fail(d->ctx, OM_EINPUT, &(om_place){ d->file, 0, 0 }, "the document has no net");
    return rc != OM_OK ? rc : pnml_document_resolve(d);
}

void pnml_document_free(pnml_document *d)
{
    const om_heap *heap = d->region.heap;
    OM_FREE_ALL(heap, d->nodes, d->arcs);
    om_free(heap, (void *) d->declarations);
    pnml_names_free(&d->ids);
    om_region_free(&d->region);
}
