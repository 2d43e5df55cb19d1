/* SPDX-License-Identifier: Apache-2.0 */
/* xml_tree.h: an XML document as a tree. */
#ifndef OMEN_MCC_XML_TREE_H
#define OMEN_MCC_XML_TREE_H

#include "base/session.h"

typedef struct mcc_element {
    const char *tag;  /* without a prefix */
    const char *text; /* own text, without surrounding blanks; "" if there is none */
    om_place place;
    const struct mcc_element *first, *next; /* of its children; of its siblings */
} mcc_element;

/* Reads a file into the region. MCC_DEPTH is the maximum nesting of elements. The file's name is
 * borrowed. OM_OK; OM_EIO; OM_EINPUT; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
enum { MCC_DEPTH = 1000 };
int mcc_read_xml(cli *c, const char *file, om_region *r, const mcc_element **out);

#endif
