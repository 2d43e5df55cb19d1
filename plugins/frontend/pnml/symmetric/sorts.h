/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorts.h: the sorts, constants and variables that a symmetric net declares.
 *
 * A colour is a number below the size of its sort: the position in an enumeration, the distance
 * from the start of a range, and for a product a mixed-radix number whose last component varies
 * fastest.
 *
 * K1  A colour is below the size of its sort.
 * K2  A product has at most 2^62 colours: sums of a value times a stride do not overflow.
 */
#ifndef PNML_SORTS_H
#define PNML_SORTS_H

#include "document/pnml_document.h"

typedef enum pnml_sort_kind {
    PNML_DOT,
    PNML_ENUMERATION, /* including cyclic ones */
    PNML_RANGE,
    PNML_PRODUCT,
    PNML_PARTITION /* its colours are its elements */
} pnml_sort_kind;

typedef struct pnml_sort pnml_sort;
struct pnml_sort {
    pnml_sort_kind kind;
    uint64_t size;         /* number of colours, at least 1 */
    const char *name;      /* for messages */
    int64_t start;         /* for a range */
    uint32_t count, depth; /* components of a product; nesting depth of products */
    uint32_t leaves;       /* number of components that are no products */
    const pnml_sort **parts;
    uint64_t *strides;   /* by component: the weight of its value in the colour */
    const char **labels; /* for an enumeration or partition, by colour */
    /* For a partition: its base sort, and the element of each colour of it */
    const pnml_sort *base;
    uint32_t *class_of;
};

/* A constant of an enumeration, or an element of a partition: a colour. */
typedef struct pnml_constant {
    const pnml_sort *sort;
    uint64_t colour;
} pnml_constant;

typedef struct pnml_variable {
    const char *name;
    const pnml_sort *sort; /* fewer than 2^32 colours */
} pnml_variable;

/* A declared sort, which may not have been read yet. */
typedef struct pnml_sort_entry {
    const pnml_element *element;
    const pnml_sort *sort; /* NULL if not read yet */
    bool open;             /* being read: reaching it again means a cycle */
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
    uint32_t nesting;   /* number of sorts being read */
    const char *naming; /* name for the next sort that is written out, or NULL */
} pnml_sorts;

/* Reads all declarations of the document. Returns OM_EINPUT with the place of the error;
 * OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped. */
int pnml_sorts_read(pnml_sorts *s);
void pnml_sorts_free(pnml_sorts *s);

/* Finds the sort of an element: a usersort, or a sort written out. */
int pnml_sort_of(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);
/* Makes a product of these sorts, which are copied; also for a tuple whose sort is not declared. */
int pnml_sort_product(pnml_sorts *s, const pnml_element *at, const char *name,
    const pnml_sort *const *parts, uint32_t count, const pnml_sort **out);
/* Returns true if the sorts have the same colours. */
bool pnml_sort_same(const pnml_sort *a, const pnml_sort *b);
/* Appends a colour in readable form: "(1, a)". */
void pnml_sort_print(const pnml_sort *s, uint64_t colour, om_text *out);

#endif
