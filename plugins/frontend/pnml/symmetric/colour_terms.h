/* SPDX-License-Identifier: Apache-2.0 */
/*
 * colour_terms.h: the terms at the arcs, places and transitions of a symmetric net. They are
 * checked: each variable is declared, each sort is the expected one, no multiplicity is out of
 * bounds.
 *
 * A term is one colour or a multiset of colours (many); a guard has no sort.
 */
#ifndef PNML_COLOUR_TERMS_H
#define PNML_COLOUR_TERMS_H

#include "sorts.h"

typedef enum pnml_colour_term_kind {
    /* One colour */
    PNML_VARIABLE, /* variable `number` of the scope, plus `shift` modulo its sort's size */
    PNML_CONSTANT, /* number: the colour */
    PNML_ELEMENT_OF /* the element of a partition that contains args[0] */,
    PNML_TUPLE, /* many if an argument is: all combinations */
    /* Multisets */
    PNML_ALL,
    PNML_CLASS, /* the colours in element `number` of a partition */
    PNML_ADD,   /* any number of arguments; the empty multiset without arguments */
    PNML_SUBTRACT,
    PNML_SCALE, /* number times args[0] */
    /* Guards; comparisons have two arguments */
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
    const pnml_sort *sort; /* sort of the colours; for PNML_CLASS, the partition */
    const pnml_colour_term **args;
    uint64_t number, shift;
    uint64_t variables; /* variables of the scope that occur in it, one bit each */
    om_written pos;
};

/* The variables of a transition, in the order of their occurrence. */
enum { PNML_MOST_VARIABLES = 64 };
typedef struct pnml_scope {
    bool closed; /* in an initial marking: variables are not allowed */
    uint32_t count;
    uint32_t variables[PNML_MOST_VARIABLES]; /* in pnml_sorts */
} pnml_scope;

/* Terms live in the sorts' region. Functions return OM_EINPUT with the place of the error, or
 * OM_ENOMEM. */

/* Reads a multiset over that sort, or one of its colours. */
int pnml_colour_term_read(pnml_sorts *s, pnml_scope *scope, const pnml_element *e,
    const pnml_sort *sort, const pnml_colour_term **out);
int pnml_guard_read(
    pnml_sorts *s, pnml_scope *scope, const pnml_element *e, const pnml_colour_term **out);

/* Shared by colour_terms.c, colour_sorts.c and guards.c. */
pnml_colour_term *pnml_colour_term_new(
    pnml_sorts *s, pnml_colour_term_kind kind, const pnml_element *e, uint32_t args);
void pnml_colour_term_set(pnml_colour_term *t, uint32_t i, const pnml_colour_term *arg);
uint32_t pnml_colour_term_argument_count(const pnml_element *e);
/* Returns the i-th argument without its <subterm>, or NULL. */
const pnml_element *pnml_colour_term_argument(const pnml_element *e, uint32_t i);
/* Returns the term in a <subterm> if there is exactly one, else NULL. */
const pnml_element *pnml_colour_term_within(const pnml_element *subterm);
/* Find the declaration that an element refers to by its attribute. pnml_range_of() finds the range
 * of a constant. */
int pnml_find_variable(pnml_sorts *s, const pnml_element *e, uint32_t *out);
int pnml_find_constant(pnml_sorts *s, const pnml_element *e, const pnml_constant **out);
int pnml_find_partition(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);
int pnml_range_of(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);
/* Finds the sort of a term for one colour, without an expected sort. */
int pnml_colour_term_sort(pnml_sorts *s, const pnml_element *e, const pnml_sort **out);

#endif
