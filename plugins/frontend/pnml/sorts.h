/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorts.h: the sorts, constants and variables that a symmetric net declares.
 *
 * A colour is a number below the size of its sort: the position in an enumeration, the distance
 * from the start of a range, and of a product mixed radix with the last component turning fastest.
 */
#ifndef PNML_SORTS_H
#define PNML_SORTS_H

#include "document.h"

typedef enum pnml_sort_kind {
    PNML_DOT,
    PNML_ENUMERATION, /* cyclic ones, too */
    PNML_RANGE,
    PNML_PRODUCT,
    PNML_PARTITION /* its colours are its elements */
} pnml_sort_kind;

typedef struct pnml_sort pnml_sort;
struct pnml_sort {
    pnml_sort_kind kind;
    uint64_t size;         /* colours, at least 1 */
    const char *name;      /* for messages */
    int64_t start;         /* of a range */
    uint32_t count, depth; /* components of a product; products in each other */
    uint32_t leaves;       /* what is no product in it */
    const pnml_sort **parts;
    uint64_t *strides;   /* of a component: how much one more of it adds to the colour */
    const char **labels; /* of an enumeration or partition, by colour */
    /* Of a partition: what it divides, and in which of its elements each colour is. */
    const pnml_sort *base;
    uint32_t *class_of;
};

/* An enumeration's constant, or an element of a partition: a colour. */
typedef struct pnml_constant {
    const pnml_sort *sort;
    uint64_t colour;
} pnml_constant;

typedef struct pnml_variable {
    const char *name;
    const pnml_sort *sort; /* fewer than 2^32 colours */
} pnml_variable;

/* What stands for a sort's declaration while it is being read. */
typedef struct pnml_sort_entry {
    const pnml_element *element;
    const pnml_sort *sort; /* NULL: not read yet */
    bool open;             /* being read: whoever comes back here goes round in a circle */
} pnml_sort_entry;

/* Zero-initialise with d, region.heap and the three names' heaps set. */
typedef struct pnml_sorts {
    const pnml_document *d;
    om_region region;
    pnml_names sort_ids, constant_ids, variable_ids;
    pnml_sort_entry *entries;
    size_t entry_room;
    pnml_constant *constants;
    size_t constant_room;
    pnml_variable *variables;
    size_t variable_room;
    uint32_t nesting;   /* sorts being read */
    const char *naming; /* of the next one that is written out, or NULL */
} pnml_sorts;

/* Reads all declarations of the document. OM_EINPUT with the place of what is wrong; OM_ENOMEM;
 * OM_ELIMIT or OM_ESTOP when stopped. */
int pnml_sorts_read(pnml_sorts *s);
void pnml_sorts_free(pnml_sorts *s);

/* The sort that an element stands for: usersort, or a sort written out. */
int pnml_sort_of(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);
/* A product of these (copied); also for a tuple whose sort is not declared. */
int pnml_sort_product(pnml_sorts *s, const pnml_element *at, const char *name,
    const pnml_sort *const *parts, uint32_t count, const pnml_sort **out);
/* The same colours? */
bool pnml_sort_same(const pnml_sort *a, const pnml_sort *b);
/* A colour as one reads it: "(1, a)". */
void pnml_sort_print(const pnml_sort *s, uint64_t colour, om_text *out);

#endif
