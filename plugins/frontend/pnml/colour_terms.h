/* SPDX-License-Identifier: Apache-2.0 */
/*
 * colour_terms.h: what stands at the arcs, places and transitions of a symmetric net, checked: each
 * variable is known, each sort is the one that is wanted, no multiplicity is out of bounds.
 *
 * A term is one colour or a multiset of colours (many); a guard has no sort.
 */
#ifndef PNML_COLOUR_TERMS_H
#define PNML_COLOUR_TERMS_H

#include "sorts.h"

typedef enum pnml_colour_term_kind {
    /* One colour. */
    PNML_VARIABLE, /* number: which of the scope, plus `shift` modulo its sort's size */
    PNML_CONSTANT, /* number: the colour */
    PNML_ELEMENT_OF /* the element of a partition that args[0] is in */,
    PNML_TUPLE, /* many where an argument is: all combinations */
    /* Multisets. */
    PNML_ALL,
    PNML_CLASS, /* the colours in element `number` of a partition */
    PNML_ADD,   /* of any number: without arguments it is empty */
    PNML_SUBTRACT,
    PNML_SCALE, /* number times args[0] */
    /* Guards. Comparisons have two arguments. */
    PNML_EQUAL,
    PNML_UNEQUAL,
    PNML_LESS,
    PNML_LESS_EQUAL,
    PNML_AND,
    PNML_OR,
    PNML_NOT,
    PNML_IMPLY,
    PNML_TRUTH /* number: 0 or 1 */
} pnml_colour_term_kind;

typedef struct pnml_colour_term pnml_colour_term;
struct pnml_colour_term {
    pnml_colour_term_kind kind;
    bool many;
    uint32_t count;
    const pnml_sort *sort; /* of the colours; of an element of a partition, the partition */
    const pnml_colour_term **args;
    uint64_t number, shift;
    uint64_t variables; /* of the scope, that occur in it: one bit each */
    om_written pos;
};

/* The variables of a transition, in the order in which they occur. */
enum { PNML_MOST_VARIABLES = 64 };
typedef struct pnml_scope {
    bool closed; /* an initial marking: there are none */
    uint32_t count;
    uint32_t variables[PNML_MOST_VARIABLES]; /* in pnml_sorts */
} pnml_scope;

/* Each lives in the sorts' region. OM_EINPUT with the place of what is wrong; OM_ENOMEM. */

/* A multiset over that sort, or one of its colours. */
int pnml_colour_term_read(pnml_sorts *s, pnml_scope *scope, const pnml_element *e,
    const pnml_sort *sort, const pnml_colour_term **out);
int pnml_guard_read(
    pnml_sorts *s, pnml_scope *scope, const pnml_element *e, const pnml_colour_term **out);

/* For colour_terms.c, colour_sorts.c and guards.c. */
pnml_colour_term *pnml_colour_term_new(
    pnml_sorts *s, pnml_colour_term_kind kind, const pnml_element *e, uint32_t args);
void pnml_colour_term_set(pnml_colour_term *t, uint32_t i, const pnml_colour_term *arg);
uint32_t pnml_colour_term_argument_count(const pnml_element *e);
/* The i-th argument without its <subterm>, or NULL. */
const pnml_element *pnml_colour_term_argument(const pnml_element *e, uint32_t i);
/* What stands in a <subterm>, if it is one term; or NULL. */
const pnml_element *pnml_colour_term_within(const pnml_element *subterm);
/* What an element refers to by its attribute. The range of a constant of one. */
int pnml_find_variable(pnml_sorts *s, const pnml_element *e, uint32_t *out);
int pnml_find_constant(pnml_sorts *s, const pnml_element *e, const pnml_constant **out);
int pnml_find_partition(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);
int pnml_range_of(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);
/* The sort that a term of one colour has by itself. */
int pnml_colour_term_sort(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);

#endif
