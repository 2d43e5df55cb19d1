/* SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include <string.h>

typedef struct reading {
    pnml_document *d;
    uint32_t nets;
    uint32_t open; /* containers: the document, the net, and pages in it */
    bool warned;   /* that something is passed over */
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

/* The node of that id, which is made where it is not there yet; or OM_NONE. */
static uint32_t mention(pnml_document *d, const char *id)
{
    uint32_t i = pnml_names_add(&d->ids, &d->region, id);
    if (i == OM_NONE)
        return OM_NONE;
    size_t had = d->node_room;
    pnml_node *nodes =
        om_grow(d->region.heap, d->nodes, &d->node_room, d->ids.count, sizeof *nodes);
    if (nodes == NULL)
        return OM_NONE;
    d->nodes = nodes;
    if (d->node_room > had)
        memset(nodes + had, 0, (d->node_room - had) * sizeof *nodes);
    nodes[i].id = d->ids.names[i];
    return i;
}

/* Where the first control character is, or the length: names and ids are to be printed in a line.
 */
static size_t first_control(const char *s)
{
    size_t i = 0;
    while ((unsigned char) s[i] >= ' ' && s[i] != 0x7f)
        i++;
    return i;
}

/* An attribute that must be there. */
static int required(pnml_document *d, const pnml_element *e, const char *name, const char **out)
{
    *out = pnml_attribute(e, name);
    if (*out == NULL || **out == '\0')
        return PNML_FAIL(d, *e, "'%s' has no %s", e->name, name);
    if (first_control(*out) < strlen(*out))
        return PNML_FAIL(d, *e, "there is a control character in the %s of '%s'", name, e->name);
    return OM_OK;
}

/* What the labels of an object may be, besides its name, each there once: what else there is would
 * change what the net does, and is refused. */
static int check_labels(pnml_document *d, const pnml_element *e, const char *const *allowed)
{
    unsigned seen = 0;
    for (const pnml_element *c = e->children; c != NULL; c = c->next) {
        size_t i = 0;
        while (allowed[i] != NULL && strcmp(allowed[i], c->name) != 0)
            i++;
        if (allowed[i] == NULL && strcmp(c->name, "name") != 0)
            return PNML_FAIL(d, *c, "'%s' with '%.100s' is not read", e->name, c->name);
        if ((seen & (1u << i)) != 0)
            return PNML_FAIL(d, *c, "'%s' with more than one '%s'", e->name, c->name);
        seen |= 1u << i;
    }
    return OM_OK;
}

static const char *text_of(const pnml_element *label)
{
    const pnml_element *text = pnml_child(label, "text");
    return text == NULL ? NULL : text->text;
}

/* The number in a label; `missing` where there is no such label. */
static int number_in(pnml_document *d, const pnml_element *e, const char *label, om_value least,
    om_value missing, om_value *out)
{
    const pnml_element *l = pnml_child(e, label);
    const char *text = text_of(l);
    *out = missing;
    if (l != NULL && (text == NULL || !pnml_read_number(text, least, out)))
        return PNML_FAIL(d, *(text == NULL ? l : pnml_child(l, "text")),
            "the %s of '%s' is a number from %" OM_VALUE_FORMAT " to %" OM_VALUE_FORMAT
            ", not '%.40s'",
            label, e->name, least, OM_VALUE_MAX, text == NULL ? "" : text);
    return OM_OK;
}

/* A copy of the one term below <structure> of a label, or NULL where there is no such label. */
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

/* The name of a node, in one line; NULL where there is none. */
static int read_name(pnml_document *d, const pnml_element *e, const char **out)
{
    const char *text = text_of(pnml_child(e, "name"));
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

/* The node that an object of the file is. */
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
        return PNML_FAIL(d, *e, "id '%.100s' is there twice: it is that of line %" PRIu32 ", too",
            id, n->pos.line);
    n->kind = kind;
    n->pos = position(e);
    n->refers_to = OM_NONE;
    *out = n;
    return read_name(d, e, &n->name);
}

static int read_place(pnml_document *d, const pnml_element *e)
{
    static const char *const PLAIN[] = { "initialMarking", NULL };
    static const char *const COLOURED[] = { "type", "hlinitialMarking", NULL };
    pnml_node *n = NULL;
    int rc = new_node(d, e, PNML_PLACE, &n);
    if (rc == OM_OK)
        rc = check_labels(d, e, d->coloured ? COLOURED : PLAIN);
    if (rc != OM_OK)
        return rc;
    if (!d->coloured)
        return number_in(d, e, "initialMarking", 0, 0, &n->marking);
    rc = term_in(d, e, "type", &n->sort);
    return rc != OM_OK ? rc : term_in(d, e, "hlinitialMarking", &n->initial);
}

static int read_transition(pnml_document *d, const pnml_element *e)
{
    static const char *const PLAIN[] = { NULL };
    static const char *const COLOURED[] = { "condition", NULL };
    pnml_node *n = NULL;
    int rc = new_node(d, e, PNML_TRANSITION, &n);
    if (rc == OM_OK)
        rc = check_labels(d, e, d->coloured ? COLOURED : PLAIN);
    return rc != OM_OK ? rc : term_in(d, e, "condition", &n->guard);
}

static int read_reference(pnml_document *d, const pnml_element *e, pnml_kind kind)
{
    pnml_node *n = NULL;
    const char *to;
    int rc = new_node(d, e, kind, &n);
    if (rc == OM_OK)
        rc = required(d, e, "ref", &to);
    if (rc != OM_OK)
        return rc;
    uint32_t self = pnml_names_find(&d->ids, n->id), i = mention(d, to);
    if (i == OM_NONE)
        return om_fail_memory(d->ctx);
    d->nodes[self].refers_to = i; /* nodes may have moved */
    return OM_OK;
}

static int read_arc(pnml_document *d, const pnml_element *e)
{
    static const char *const PLAIN[] = { "inscription", "type", NULL };
    static const char *const COLOURED[] = { "hlinscription", "type", NULL };
    const char *source, *target;
    int rc = required(d, e, "source", &source);
    if (rc == OM_OK)
        rc = required(d, e, "target", &target);
    if (rc == OM_OK)
        rc = check_labels(d, e, d->coloured ? COLOURED : PLAIN);
    if (rc != OM_OK)
        return rc;
    const pnml_element *type = pnml_child(e, "type");
    const char *kind = type == NULL ? NULL : pnml_attribute(type, "value");
    if (type != NULL && (kind == NULL || strcmp(kind, "normal") != 0))
        return PNML_FAIL(d, *type, "arcs of type '%.40s' are not read", kind == NULL ? "" : kind);
    pnml_arc *arcs = om_grow(d->region.heap, d->arcs, &d->arc_room, d->arc_count + 1, sizeof *arcs);
    if (arcs == NULL)
        return om_fail_memory(d->ctx);
    d->arcs = arcs;
    pnml_arc *a = &arcs[d->arc_count++];
    *a = (pnml_arc){
        .source = mention(d, source), .target = mention(d, target), .weight = 1, .pos = position(e)
    };
    if (a->source == OM_NONE || a->target == OM_NONE)
        return om_fail_memory(d->ctx);
    return d->coloured ? term_in(d, e, "hlinscription", &a->inscription)
                       : number_in(d, e, "inscription", 1, 1, &a->weight);
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

/* ---- what the reader of XML tells ---- */

static int open_net(reading *r, const pnml_element *e)
{
    pnml_document *d = r->d;
    const char *id, *type;
    if (r->nets++ != 0)
        return PNML_FAIL(d, *e, "a second net: a model is one");
    int rc = required(d, e, "id", &id);
    if (rc == OM_OK)
        rc = required(d, e, "type", &type);
    if (rc != OM_OK)
        return rc;
    const char *slash = strrchr(type, '/');
    slash = slash == NULL ? type : slash + 1;
    d->coloured = strcmp(slash, "symmetricnet") == 0;
    if (!d->coloured && strcmp(slash, "ptnet") != 0)
        return PNML_FAIL(d, *e,
            "nets of type '%.100s' are not read: P/T nets (ptnet) and symmetric nets "
            "(symmetricnet) are",
            type);
    d->name = om_region_copy(&d->region, id, strlen(id));
    return d->name == NULL ? om_fail_memory(d->ctx) : OM_OK;
}

static int open_container(void *self, const pnml_element *e)
{
    reading *r = self;
    bool is_net = strcmp(e->name, "net") == 0, is_page = strcmp(e->name, "page") == 0;
    if (is_net ? r->open != 1 : is_page ? r->open < 2 : r->open != 0)
        return PNML_FAIL(
            r->d, *e, "a '%s' cannot stand here: a document has a net, a net has pages", e->name);
    r->open++;
    return is_net ? open_net(r, e) : OM_OK;
}

static int close_container(void *self)
{
    reading *r = self;
    r->open--;
    return OM_OK;
}

/* One warning will do: there may be a million of them. */
static void pass_over(reading *r, const pnml_element *e)
{
    if (!r->warned)
        om_note(r->d->ctx, OM_NOTE_WARNING, &(om_place){ r->d->file, e->line, e->column },
            "'%.100s' is passed over, and whatever else there is besides a net", e->name);
    r->warned = true;
}

static int read_object(void *self, const pnml_element *e)
{
    reading *r = self;
    pnml_document *d = r->d;
    const char *name = e->name;
    if (r->open < 2)
        return OM_OK; /* nothing of a net */
    if (strcmp(name, "place") == 0)
        return read_place(d, e);
    if (strcmp(name, "transition") == 0)
        return read_transition(d, e);
    if (strcmp(name, "arc") == 0)
        return read_arc(d, e);
    if (strcmp(name, "referencePlace") == 0)
        return read_reference(d, e, PNML_REFERENCE_PLACE);
    if (strcmp(name, "referenceTransition") == 0)
        return read_reference(d, e, PNML_REFERENCE_TRANSITION);
    if (strcmp(name, "declaration") == 0 && d->coloured)
        return read_declaration(d, e);
    if (strcmp(name, "name") != 0)
        pass_over(r, e);
    return OM_OK;
}

int pnml_document_read(pnml_document *d, const char *text, size_t length)
{
    static const pnml_xml_handler HANDLER = { open_container, close_container, read_object };
    reading r = { .d = d };
    int rc = pnml_xml_read(d->ctx, d->file, text, length, &HANDLER, &r);
    if (rc == OM_OK && r.nets == 0)
        rc = om_fail(d->ctx, OM_EINPUT, &(om_place){ d->file, 0, 0 }, "there is no net");
    return rc != OM_OK ? rc : pnml_document_resolve(d);
}

void pnml_document_free(pnml_document *d)
{
    const om_heap *heap = d->region.heap;
    om_free(heap, d->nodes);
    om_free(heap, d->arcs);
    om_free(heap, (void *) d->declarations);
    pnml_names_free(&d->ids);
    om_region_free(&d->region);
}
