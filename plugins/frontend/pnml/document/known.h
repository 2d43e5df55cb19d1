/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h: the attributes and labels that objects may have. Anything that is not known to be
 * harmless could change what the net does, and is refused with its place.
 */
#ifndef PNML_KNOWN_H
#define PNML_KNOWN_H

#include "pnml_document.h"

/* An attribute or a label that is read, or known to make no difference. */
typedef struct pnml_known {
    const char *name;
    /* permitted values, up to NULL; NULL: any, checked by the code that reads it */
    const char *const *values;
    const char *dialect; /* the editors that write it; NULL: in the standard */
    bool many;           /* a label that may occur more than once */
} pnml_known;

/* Checks the attributes; a list ends with a name NULL. Namespaces and schemas are ignored. Returns
 * OM_OK or OM_EINPUT. */
int pnml_check_attributes(pnml_document *d, const pnml_element *e, const pnml_known *known);
/* Checks the children of an object, besides its name. */
int pnml_check_labels(pnml_document *d, const pnml_element *e, const pnml_known *known);
/* Checks that a label has one text and nothing else. */
int pnml_check_text(pnml_document *d, const pnml_element *label);

/* Warns once that the document is read as some editors write it. */
void pnml_note_dialect(
    pnml_document *d, const pnml_element *e, const char *what, const char *dialect);

/* Returns the text of a label or, in PIPE's files, its value; NULL if it has none. */
const char *pnml_text_of(const pnml_element *label);

#define PNML_TAPAAL "TAPAAL"
#define PNML_PROM "ProM and pm4py"
#define PNML_PIPE "PIPE"
#define PNML_SEVERAL "several editors"

#endif
