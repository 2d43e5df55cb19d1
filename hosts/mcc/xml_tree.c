/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an XML document as a tree: no document type, and only the entities predefined by XML. */
#include "xml_tree.h"

#include <expat.h>
#include <string.h>

enum { CHUNK = 1 << 20, MOST_BYTES = 1 << 30 };

typedef struct open_element {
    mcc_element *element;
    const mcc_element **end; /* destination of its next child */
    size_t text;             /* start of its text in `text` of the reading */
} open_element;

typedef struct reading {
    cli *c;
    const char *file;
    om_region *region;
    XML_Parser parser;
    open_element *open;
    size_t depth, room;
    om_text text; /* of all open elements, concatenated */
    const mcc_element *root;
    int rc;
} reading;

static om_place here(const reading *r)
{
    return (om_place){ r->file, (uint32_t) XML_GetCurrentLineNumber(r->parser),
        (uint32_t) XML_GetCurrentColumnNumber(r->parser) + 1 };
}

static void stop(reading *r, int rc)
{
    r->rc = r->rc == OM_OK ? rc : r->rc;
    (void) XML_StopParser(r->parser, XML_FALSE);
}

static const char *local_name(const char *tag)
{
    const char *colon = strrchr(tag, ':');
    return colon == NULL ? tag : colon + 1;
}

static void XMLCALL begin_element(void *self, const char *tag, const char **attributes)
{
    reading *r = self;
    const om_place place = here(r);
    (void) attributes;
    if (r->depth == MCC_DEPTH) {
        stop(r, om_fail(r->c->ctx, OM_EINPUT, &place, "elements nest deeper than %d", MCC_DEPTH));
        return;
    }
    open_element *grown = om_grow(r->c->heap, r->open, &r->room, r->depth + 1, sizeof *grown);
    mcc_element *made = om_region_take(r->region, 1, sizeof *made);
    if (grown != NULL)
        r->open = grown;
    const char *name = local_name(tag);
    name = made == NULL ? NULL : om_region_copy(r->region, name, strlen(name));
    if (grown == NULL || name == NULL) {
        stop(r, om_fail_memory(r->c->ctx));
        return;
    }
    *made = (mcc_element){ .tag = name, .text = "", .place = place };
    if (r->depth == 0)
        r->root = made;
    else {
        *r->open[r->depth - 1].end = made;
        r->open[r->depth - 1].end = &made->next;
    }
    r->open[r->depth++] = (open_element){ made, &made->first, r->text.length };
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void XMLCALL end_element(void *self, const char *tag)
{
    reading *r = self;
    open_element *e = &r->open[--r->depth];
    const char *text = r->text.text == NULL ? "" : r->text.text + e->text;
    size_t n = r->text.length - e->text;
    (void) tag;
    while (n > 0 && is_blank(text[0]))
        text++, n--;
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    if (n > 0 && (e->element->text = om_region_copy(r->region, text, n)) == NULL)
        stop(r, om_fail_memory(r->c->ctx));
    r->text.length = e->text;
}

static void XMLCALL take_text(void *self, const char *text, int n)
{
    reading *r = self;
    om_text_add_n(&r->text, text, (size_t) n);
    if (r->text.failed)
        stop(r, om_fail_memory(r->c->ctx));
}

static void XMLCALL refuse_doctype(
    void *self, const char *name, const char *system, const char *public, int internal)
{
    reading *r = self;
    const om_place place = here(r);
    (void) name;
    (void) system;
    (void) public;
    (void) internal;
    stop(r, om_fail(r->c->ctx, OM_EINPUT, &place, "a document type declaration is not supported"));
}

static int parse_chunk(reading *r, const char *text, size_t length, bool end)
{
    if (XML_Parse(r->parser, text, (int) length, end) == XML_STATUS_OK)
        return om_context_stopped(r->c->ctx);
    const om_place place = here(r);
    if (r->rc != OM_OK)
        return r->rc;
    if (XML_GetErrorCode(r->parser) == XML_ERROR_NO_MEMORY)
        return om_fail_memory(r->c->ctx);
    return om_fail(
        r->c->ctx, OM_EINPUT, &place, "%s", XML_ErrorString(XML_GetErrorCode(r->parser)));
}

static int parse(reading *r, const char *text, size_t length)
{
    int rc = OM_OK;
    r->parser = XML_ParserCreate(NULL);
    if (r->parser == NULL)
        return om_fail_memory(r->c->ctx);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(r->parser, take_text);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    for (bool end = false; !end && rc == OM_OK;) {
        const size_t n = length < CHUNK ? length : CHUNK;
        end = n == length;
        rc = parse_chunk(r, text, n, end);
        text += n;
        length -= n;
    }
    XML_ParserFree(r->parser);
    return rc;
}

int mcc_read_xml(cli *c, const char *file, om_region *region, const mcc_element **out)
{
    reading r = { .c = c, .file = file, .region = region, .text = { .heap = c->heap } };
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(c->ctx, file, MOST_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = parse(&r, text, length);
    om_free(c->heap, text);
    om_text_free(&r.text);
    om_free(c->heap, r.open);
    *out = r.root;
    return rc;
}
