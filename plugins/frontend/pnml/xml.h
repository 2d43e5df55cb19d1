/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h: a PNML document, object by object.
 *
 * What contains objects (pnml, net, page) is told of when it opens and closes; everything that
 * stands in one of these is given whole, as a small tree, and forgotten. So a document takes no
 * more memory than its largest object, however many it has. Drawings and what is meant for certain
 * tools (graphics, toolspecific) are passed over.
 *
 * libexpat parses. A document type declaration is refused, so there are no entities but those of
 * XML itself, nothing outside the document is ever read, and nesting, attributes and texts have
 * limits.
 */
#ifndef PNML_XML_H
#define PNML_XML_H

#include <omen/plugin/region.h>

typedef struct pnml_element pnml_element;
struct pnml_element {
    const char *name;        /* without a namespace's prefix */
    const char **attributes; /* name, value, ..., NULL */
    const char *text;        /* what stands directly in it, white space at both ends taken off */
    pnml_element *children, *next;
    uint32_t line, column;
};

/* Each returns an om_status. Elements live as long as the call. */
typedef struct pnml_xml_handler {
    /* A pnml, net or page begins: an element without children and text. */
    int (*open)(void *self, const pnml_element *e);
    int (*close)(void *self);
    int (*object)(void *self, const pnml_element *e);
} pnml_xml_handler;

/* Reads the text and tells the handler of it. OM_EINPUT with the place for what is no XML, or
 * passes a limit; what a handler returns; OM_ELIMIT or OM_ESTOP when the context is stopped;
 * OM_ENOMEM. */
int pnml_xml_read(om_context *ctx, const char *file, const char *text, size_t length,
    const pnml_xml_handler *handler, void *self);

/* The value of an attribute, or NULL. */
const char *pnml_attribute(const pnml_element *e, const char *name);
/* The first child of that name, or NULL; e may be NULL. */
const pnml_element *pnml_child(const pnml_element *e, const char *name);
/* A copy that lives in that region, or NULL. */
const pnml_element *pnml_element_copy(om_region *a, const pnml_element *e);

#endif
