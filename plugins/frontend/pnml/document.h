/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.h: what stands in a PNML file (ISO/IEC 15909-2): the nodes and arcs of its net, with
 * pages and references resolved. Of a P/T net that is all; what is coloured in a symmetric net is
 * kept as it is written, for colour.h to make sense of.
 */
#ifndef PNML_DOCUMENT_H
#define PNML_DOCUMENT_H

#include "names.h"
#include "xml.h"

#include <omen/plugin/model.h>

typedef enum pnml_kind {
    PNML_MENTIONED, /* by an arc or a reference; after reading there is none of these */
    PNML_PLACE,
    PNML_TRANSITION,
    PNML_REFERENCE_PLACE,
    PNML_REFERENCE_TRANSITION
} pnml_kind;

#define PNML_NO_CAPACITY OM_VALUE_MAX

typedef struct pnml_node {
    pnml_kind kind;
    const char *id;
    const char *name; /* NULL: none is given */
    om_written pos;
    om_value marking;   /* of a place of a P/T net, in the beginning; */
    om_value capacity;  /* and the most that it may have, or PNML_NO_CAPACITY */
    uint32_t refers_to; /* of a reference: the node, no reference itself once all is read */
    /* Of a symmetric net, what stands below <structure>; or NULL. */
    const pnml_element *sort, *initial; /* of a place */
    const pnml_element *guard;          /* of a transition */
} pnml_node;

/* All but normal ones lead from a place to a transition. */
typedef enum pnml_arc_kind {
    PNML_ARC_NORMAL,
    PNML_ARC_INHIBITOR, /* there must be fewer tokens than the weight */
    PNML_ARC_RESET,     /* takes all that there are */
    PNML_ARC_READ       /* there must be as many as the weight, and they stay */
} pnml_arc_kind;

/* From a place to a transition, or the other way round. */
typedef struct pnml_arc {
    pnml_arc_kind kind;
    uint32_t source, target;         /* nodes, no references once all is read */
    om_value weight;                 /* of a P/T net; at least 1 */
    const pnml_element *inscription; /* of a symmetric net, as above */
    om_written pos;
} pnml_arc;

/* Zero-initialise with ctx, file and both heaps set. */
typedef struct pnml_document {
    om_context *ctx;
    const char *file; /* for messages */
    om_region region;
    bool coloured;         /* a symmetric net */
    bool special;          /* there are capacities, or arcs that are not normal */
    bool noted;            /* a warning names whose dialect it is */
    bool turn_known;       /* which transitions come first, where there is an order: */
    om_value turn;         /* of all that there were so far (plain.c) */
    char token_colour[64]; /* the only one that is used, in PIPE's words; "": none so far */
    const char *name;      /* of the net, or its id */
    pnml_names ids;        /* node i has the id with number i */
    pnml_node *nodes;      /* ids.count of them */
    pnml_arc *arcs;
    size_t node_room, arc_count, arc_room;
    const pnml_element **declarations; /* what stands below <declarations> of a symmetric net */
    size_t declaration_count, declaration_room;
} pnml_document;

/* Reads the text. OM_EINPUT with the place of what is wrong; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when
 * the context is stopped. */
int pnml_document_read(pnml_document *d, const char *text, size_t length);
/* The end of reading: which nodes references stand for, and what arcs lie between. */
int pnml_document_resolve(pnml_document *d);
void pnml_document_free(pnml_document *d);

/* Records a failure at a position of the file and gives OM_EINPUT. */
#define PNML_FAIL(d, position, ...)                                                  \
    ((void) om_fail((d)->ctx, OM_EINPUT,                                             \
         &(om_place){ (d)->file, (position).line, (position).column }, __VA_ARGS__), \
        (int) OM_EINPUT)

/* Decimal digits, from `least` to OM_VALUE_MAX? Nothing is changed if not. */
bool pnml_read_number(const char *text, om_value least, om_value *out);

#endif
