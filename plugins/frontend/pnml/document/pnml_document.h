/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pnml_document.h: the contents of a PNML file (ISO/IEC 15909-2): the nodes and arcs of its net,
 * with pages and references resolved. That is all of a P/T net; the coloured parts of a symmetric
 * net are kept as XML elements for symmetric/ and unfold/.
 */
#ifndef PNML_DOCUMENT_H
#define PNML_DOCUMENT_H

#include "names.h"
#include "xml.h"

#include <omen/plugin/model.h>

typedef enum pnml_kind {
    PNML_MENTIONED, /* named by an arc or a reference; no node has this kind after reading */
    PNML_PLACE,
    PNML_TRANSITION,
    PNML_REFERENCE_PLACE,
    PNML_REFERENCE_TRANSITION
} pnml_kind;

#define PNML_NO_CAPACITY OM_VALUE_MAX

typedef struct pnml_node {
    pnml_kind kind;
    const char *id;
    const char *name; /* NULL if none is given */
    om_written pos;
    om_value marking;   /* initial tokens of a place of a P/T net */
    om_value capacity;  /* its capacity, or PNML_NO_CAPACITY */
    uint32_t refers_to; /* for a reference: its node, which is no reference after resolving */
    /* For a symmetric net, the element below <structure>, or NULL */
    const pnml_element *sort, *initial; /* for a place */
    const pnml_element *guard;          /* for a transition */
} pnml_node;

/* All kinds but the normal one lead from a place to a transition. */
typedef enum pnml_arc_kind {
    PNML_ARC_NORMAL,
    PNML_ARC_INHIBITOR, /* requires fewer tokens than the weight */
    PNML_ARC_RESET,     /* takes all tokens */
    PNML_ARC_READ       /* requires as many tokens as the weight, and leaves them */
} pnml_arc_kind;

/* An arc from a place to a transition or from a transition to a place. */
typedef struct pnml_arc {
    pnml_arc_kind kind;
    uint32_t source, target;         /* nodes; no references after resolving */
    om_value weight;                 /* for a P/T net; at least 1 */
    const pnml_element *inscription; /* for a symmetric net, as above */
    om_written pos;
} pnml_arc;

/* Zero-initialise with ctx, file and both heaps set. */
typedef struct pnml_document {
    om_context *ctx;
    const char *file; /* file name for messages */
    om_region region;
    bool coloured;         /* true for a symmetric net */
    bool special;          /* has capacities, or arcs that are not normal */
    bool noted;            /* the warning about a dialect has been given */
    bool turn_known;       /* `turn` is set */
    om_value turn;         /* priority of all transitions so far (plain.c) */
    char token_colour[64]; /* only colour of tokens in use, in PIPE's files; "": none so far */
    const char *name;      /* name of the net, or its id */
    pnml_names ids;        /* node i has the id with number i */
    pnml_node *nodes;      /* ids.count of them */
    pnml_arc *arcs;
    size_t node_room, arc_count, arc_room;
    const pnml_element **declarations; /* elements below <declarations> of a symmetric net */
    size_t declaration_count, declaration_room;
} pnml_document;

/* Reads the text. Returns OM_EINPUT with the place of the error; OM_ENOMEM; OM_ELIMIT or OM_ESTOP
 * when the context is stopped. */
int pnml_document_read(pnml_document *d, const char *text, size_t length);
/* Completes reading: resolves references, and checks which nodes each arc connects. */
int pnml_document_resolve(pnml_document *d);
void pnml_document_free(pnml_document *d);

/* R1: after resolving, each arc leads from a place to a transition or vice versa, directly. */
static inline bool pnml_arc_is_resolved(const pnml_document *d, const pnml_arc *a)
{
    const pnml_kind from = d->nodes[a->source].kind, to = d->nodes[a->target].kind;
    return (from == PNML_PLACE && to == PNML_TRANSITION) ||
           (from == PNML_TRANSITION && to == PNML_PLACE);
}

/* Records a failure at a position of the file and returns OM_EINPUT. */
#define PNML_FAIL(d, position, ...)                                                  \
    ((void) om_fail((d)->ctx, OM_EINPUT,                                             \
         &(om_place){ (d)->file, (position).line, (position).column }, __VA_ARGS__), \
        (int) OM_EINPUT)

/* Reads decimal digits with a value from `least` to OM_VALUE_MAX. Otherwise returns false and
 * leaves *out unchanged. */
bool pnml_read_number(const char *text, om_value least, om_value *out);

#endif
