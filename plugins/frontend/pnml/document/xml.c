/* SPDX-License-Identifier: Apache-2.0 */
#include "xml.h"

#include <assert.h>
#include <expat.h>
#include <omen/plugin/control.h>

#include <string.h>

enum {
    MOST_NESTING = 1000,   /* elements; sums of n tokens may be nested n deep */
    MOST_ATTRIBUTES = 64,  /* per element */
    MOST_TEXT = 1 << 20,   /* bytes of an element's text, or of an attribute */
    MOST_OBJECT = 1 << 26, /* bytes of an object's tree */
    PIECE = 1 << 16        /* bytes passed to expat between two checks for interruption */
};

/* An open element. */
typedef struct level {
    pnml_element *element; /* in an object's tree; NULL for a container */
    pnml_element **end;    /* tail of the list of its children */
    om_text text;
} level;

typedef struct reader {
    om_context *ctx;
    const char *file;
    const pnml_xml_handler *handler;
    void *self;
    XML_Parser parser;
    om_region region; /* memory of the current object */
    size_t object_bytes;
    level levels[MOST_NESTING];
    uint32_t depth;
    uint32_t passed_over; /* number of open elements within a skipped one, including itself */
    int status;
} reader;

static om_place here(const reader *r)
{
    return (om_place){ r->file, (uint32_t) XML_GetCurrentLineNumber(r->parser),
        (uint32_t) XML_GetCurrentColumnNumber(r->parser) + 1 };
}

static void stop(reader *r, int status)
{
    if (r->status == OM_OK) {
        r->status = status;
        (void) XML_StopParser(r->parser, XML_FALSE);
    }
}

#define FAIL(r, ...)                                                \
    do {                                                            \
        om_place at_ = here(r);                                     \
        stop((r), om_fail((r)->ctx, OM_EINPUT, &at_, __VA_ARGS__)); \
    } while (0)

static const char *local_name(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon == NULL ? name : colon + 1;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Allocates memory of the current object; on failure stops the parser and returns NULL. */
static void *take(reader *r, size_t count, size_t size)
{
    void *p = NULL;
    r->object_bytes += count * size; /* no overflow: texts and attributes have limits */
    if (r->object_bytes > MOST_OBJECT)
        FAIL(r, "one object of the net takes more than %d MB", MOST_OBJECT >> 20);
    else if ((p = om_region_take(&r->region, count, size)) == NULL)
        stop(r, om_fail_memory(r->ctx));
    return p;
}

static char *copy(reader *r, const char *s, size_t length)
{
    char *p = take(r, length + 1, 1);
    if (p != NULL)
        memcpy(p, s, length);
    return p;
}

static bool copy_attributes(reader *r, const char **from, pnml_element *e)
{
    size_t count = 0;
    while (from[count] != NULL)
        count++;
    if (count > (size_t) 2 * MOST_ATTRIBUTES) {
        FAIL(r, "'%s' has more than %d attributes", e->name, MOST_ATTRIBUTES);
        return false;
    }
    const char **to = take(r, count + 1, sizeof *to);
    e->attributes = to;
    for (size_t i = 0; to != NULL && i < count; i++) {
        size_t length = strlen(from[i]);
        if (length > MOST_TEXT) {
            FAIL(r, "an attribute of '%s' has more than %d bytes", e->name, MOST_TEXT);
            return false;
        }
        if ((to[i] = copy(r, from[i], length)) == NULL)
            return false;
    }
    return to != NULL;
}

static pnml_element *new_element(reader *r, const char *name, const char **attributes)
{
    pnml_element *e = take(r, 1, sizeof *e);
    if (e == NULL || (e->name = copy(r, name, strlen(name))) == NULL ||
        !copy_attributes(r, attributes, e))
        return NULL;
    om_place at = here(r);
    e->text = "";
    e->line = at.line;
    e->column = at.column;
    return e;
}

static void XMLCALL start_element(void *data, const XML_Char *full, const XML_Char **attributes)
{
    static const char *const PASSED_OVER[] = { "graphics", "toolspecific", NULL };
    static const char *const CONTAINERS[] = { "pnml", "net", "page", NULL };
    reader *r = data;
    const char *name = local_name(full);
    level *outer = r->depth == 0 ? NULL : &r->levels[r->depth - 1];

    if (r->status != OM_OK)
        return;
    if (r->passed_over != 0 || (outer != NULL && is_one_of(name, PASSED_OVER))) {
        r->passed_over++;
        return;
    }
    if (r->depth == MOST_NESTING) {
        FAIL(r, "elements are nested more than %d deep", MOST_NESTING);
        return;
    }
    if (outer == NULL && strcmp(name, "pnml") != 0) {
        FAIL(r, "this is not PNML: its outermost element is '%.100s', not 'pnml'", name);
        return;
    }
    pnml_element *e = new_element(r, name, attributes);
    if (e == NULL)
        return;
    assert(r->depth < MOST_NESTING);
    level *l = &r->levels[r->depth++];
    l->text.length = 0;
    l->element = NULL;
    if ((outer == NULL || outer->element == NULL) && is_one_of(name, CONTAINERS)) {
        int rc = r->handler->open(r->self, e);
        om_region_reset(&r->region);
        r->object_bytes = 0;
        if (rc != OM_OK)
            stop(r, rc);
        return;
    }
    l->element = e;
    l->end = &e->children;
    if (outer != NULL && outer->element != NULL) {
        *outer->end = e;
        outer->end = &e->next;
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool close_text(reader *r, level *l)
{
    const char *s = l->text.text;
    size_t length = l->text.length;
    if (l->text.failed) {
        stop(r, om_fail_memory(r->ctx));
        return false;
    }
    for (; length != 0 && is_space(*s); length--)
        s++;
    while (length != 0 && is_space(s[length - 1]))
        length--;
    if (length != 0)
        l->element->text = copy(r, s, length);
    return r->status == OM_OK;
}

static void XMLCALL end_element(void *data, const XML_Char *name)
{
    reader *r = data;
    (void) name;
    if (r->status != OM_OK)
        return;
    if (r->passed_over != 0) {
        r->passed_over--;
        return;
    }
    int rc = OM_OK;
    assert(r->depth > 0); /* expat matches tags */
    level *l = &r->levels[--r->depth];
    assert(l->element == NULL || r->depth > 0); /* the outermost element is a container */
    if (l->element == NULL)
        rc = r->handler->close(r->self);
    else if (!close_text(r, l))
        return;
    else if (r->levels[r->depth - 1].element == NULL) { /* it lies in a container */
        rc = r->handler->object(r->self, l->element);
        om_region_reset(&r->region);
        r->object_bytes = 0;
    }
    if (rc != OM_OK)
        stop(r, rc);
}

static void XMLCALL characters(void *data, const XML_Char *s, int length)
{
    reader *r = data;
    if (r->status != OM_OK || r->passed_over != 0 || r->depth == 0)
        return;
    level *l = &r->levels[r->depth - 1];
    if (l->element == NULL) /* between objects */
        return;
    if (l->text.length + (size_t) length > MOST_TEXT)
        FAIL(r, "the text of '%s' has more than %d bytes", l->element->name, MOST_TEXT);
    else
        om_text_add_n(&l->text, s, (size_t) length);
}

/* A document type can declare entities, which stand for any amount of text, and default attributes
 * of elements. No net has one. */
static void XMLCALL declared_type(void *data, const XML_Char *name, const XML_Char *system,
    const XML_Char *public, int has_subset)
{
    reader *r = data;
    (void) system, (void) public, (void) has_subset;
    FAIL(r, "the document declares a document type, '%.100s', which is not supported", name);
}

/* Reports expat's error. */
static int failed(reader *r)
{
    enum XML_Error error = XML_GetErrorCode(r->parser);
    om_place at = here(r);
    if (error == XML_ERROR_NO_MEMORY)
        return om_fail_memory(r->ctx);
    return om_fail(r->ctx, OM_EINPUT, &at, "%s", XML_ErrorString(error));
}

static int parse(reader *r, const char *text, size_t length)
{
    int rc = OM_OK;
    for (size_t at = 0; rc == OM_OK;) {
        size_t piece = length - at < PIECE ? length - at : PIECE;
        bool last = at + piece == length;
        bool parsed = XML_Parse(r->parser, text + at, (int) piece, last) == XML_STATUS_OK;
        if (r->status != OM_OK)
            rc = r->status;
        else if (!parsed)
            rc = failed(r);
        else
            rc = om_context_stopped(r->ctx);
        if (last)
            break;
        at += piece;
    }
    assert(rc != OM_OK || (r->depth == 0 && r->passed_over == 0));
    return rc;
}

int pnml_xml_read(om_context *ctx, const char *file, const char *text, size_t length,
    const pnml_xml_handler *handler, void *self)
{
    const om_heap *heap = om_context_heap(ctx);
    reader *r = om_alloc(heap, 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(ctx);
    r->ctx = ctx;
    r->file = file;
    r->handler = handler;
    r->self = self;
    r->region.heap = heap;
    for (uint32_t i = 0; i < MOST_NESTING; i++)
        r->levels[i].text.heap = heap;
    r->parser = XML_ParserCreate(NULL);
    int rc = OM_OK;
    if (r->parser == NULL)
        rc = om_fail_memory(ctx);
    else {
        XML_SetUserData(r->parser, r);
        XML_SetElementHandler(r->parser, start_element, end_element);
        XML_SetCharacterDataHandler(r->parser, characters);
        XML_SetStartDoctypeDeclHandler(r->parser, declared_type);
        rc = parse(r, text, length);
        XML_ParserFree(r->parser);
    }
    for (uint32_t i = 0; i < MOST_NESTING; i++)
        om_text_free(&r->levels[i].text);
    om_region_free(&r->region);
    om_free(heap, r);
    return rc;
}

/* ---- trees ---- */

const char *pnml_attribute(const pnml_element *e, const char *name)
{
    for (const char **a = e->attributes; a[0] != NULL; a += 2)
        if (strcmp(local_name(a[0]), name) == 0)
            return a[1];
    return NULL;
}

const pnml_element *pnml_child(const pnml_element *e, const char *name)
{
    const pnml_element *c = e == NULL ? NULL : e->children;
    while (c != NULL && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

static bool copy_one(om_region *a, const pnml_element *from, pnml_element *to)
{
    size_t count = 0;
    while (from->attributes[count] != NULL)
        count++;
    const char **attributes = om_region_take(a, count + 1, sizeof *attributes);
    *to = (pnml_element){ .name = om_region_copy(a, from->name, strlen(from->name)),
        .attributes = attributes,
        .text = om_region_copy(a, from->text, strlen(from->text)),
        .line = from->line,
        .column = from->column };
    for (size_t i = 0; attributes != NULL && i < count; i++)
        if ((attributes[i] = om_region_copy(a, from->attributes[i], strlen(from->attributes[i]))) ==
            NULL)
            return false;
    return attributes != NULL && to->name != NULL && to->text != NULL;
}

/* The recursion is as deep as the nesting of elements. NOLINTNEXTLINE(misc-no-recursion) */
static pnml_element *copy_tree(om_region *a, const pnml_element *e)
{
    pnml_element *c = om_region_take(a, 1, sizeof *c);
    if (c == NULL || !copy_one(a, e, c))
        return NULL;
    pnml_element **end = &c->children;
    for (const pnml_element *child = e->children; child != NULL; child = child->next) {
        if ((*end = copy_tree(a, child)) == NULL)
            return NULL;
        end = &(*end)->next;
    }
    return c;
}

const pnml_element *pnml_element_copy(om_region *a, const pnml_element *e)
{
    return copy_tree(a, e);
}
