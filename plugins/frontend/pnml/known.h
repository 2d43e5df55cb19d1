/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h: which attributes and labels objects may have. What is not known to be harmless may
 * change what the net does, and is refused with its place.
 */
#ifndef PNML_KNOWN_H
#define PNML_KNOWN_H

#include "document.h"

/* An attribute or a label that is read, or known to make no difference. */
typedef struct pnml_known {
    const char *name;
    const char *const
        *values;         /* what it may be, up to NULL; NULL: anything, whoever reads it checks */
    const char *dialect; /* whose it is; NULL: the standard's */
    bool many;           /* a label that may stand there more than once */
} pnml_known;

/* Lists end with a name NULL. OM_OK or OM_EINPUT. Namespaces and schemas are no matter. */
int pnml_check_attributes(pnml_document *d, const pnml_element *e, const pnml_known *known);
/* The children of an object, besides its name. */
int pnml_check_labels(pnml_document *d, const pnml_element *e, const pnml_known *known);
/* A label that has a text and nothing else. */
int pnml_check_text(pnml_document *d, const pnml_element *label);

/* Says once that the document is read as some editors write it. */
void pnml_note_dialect(
    pnml_document *d, const pnml_element *e, const char *what, const char *dialect);

/* What is written in a label: its text or, as PIPE has it, its value. NULL: nothing. */
const char *pnml_text_of(const pnml_element *label);

#define PNML_TAPAAL "TAPAAL"
#define PNML_PROM "ProM and pm4py"
#define PNML_PIPE "PIPE"
#define PNML_SEVERAL "several editors"

#endif
