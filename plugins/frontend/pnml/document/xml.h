/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h: reads a PNML document, object by object.
 *
 * The handler is called when a container of objects (pnml, net, page) opens and closes. Every
 * object in a container is passed as a whole, as a small tree, and then freed, so that a document
 * takes no more memory than its largest object. Drawings and tool-specific parts (graphics,
 * toolspecific) are skipped.
 *
 * The parser is libexpat. A document type declaration is refused, so there are no entities but
 * those of XML itself, nothing outside the document is ever read, and nesting, attributes and
 * texts have limits.
 */
#ifndef PNML_XML_H
#define PNML_XML_H

#include <omen/plugin/region.h>

typedef struct pnml_element pnml_element;
struct pnml_element {
    const char *name;        /* without the namespace prefix */
    const char **attributes; /* name, value, ..., NULL */
    const char *text;        /* text directly in it, without white space at both ends */
    pnml_element *children, *next;
    uint32_t line, column;
};

/* Each function returns an om_status. Elements are valid only during the call. */
typedef struct pnml_xml_handler {
    /* Called when a pnml, net or page begins: an element without children and text. */
    int (*open)(void *self, const pnml_element *e);
    int (*close)(void *self);
    int (*object)(void *self, const pnml_element *e);
} pnml_xml_handler;

/* Reads the text and calls the handler. Returns OM_EINPUT with the place if the text is no XML or
 * exceeds a limit; the status of the handler if it fails; OM_ELIMIT or OM_ESTOP when the context
 * is stopped; OM_ENOMEM. */
int pnml_xml_read(om_context *ctx, const char *file, const char *text, size_t length,
    const pnml_xml_handler *handler, void *self);

/* Returns the value of an attribute, or NULL. */
const char *pnml_attribute(const pnml_element *e, const char *name);
/* Returns the first child of that name, or NULL; e may be NULL. */
const pnml_element *pnml_child(const pnml_element *e, const char *name);
/* Returns a copy that lives in that region, or NULL. */
const pnml_element *pnml_element_copy(om_region *a, const pnml_element *e);

#endif
