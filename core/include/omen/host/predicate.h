/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predicate.h: predicates over markings of a Petri net: linear inequalities, joined by "and" and
 * "or".
 *
 * Predicates are allocated in a region, never change, and live as long as the region; they may
 * share parts. While one thread makes predicates, no other may use the region; any number of
 * threads may read them. The functions that make predicates return NULL if memory runs out and
 * accept NULL arguments, so only the last result needs a check.
 */
#ifndef OMEN_PREDICATE_H
#define OMEN_PREDICATE_H

#include <omen/plugin/net.h>

typedef enum om_predicate_kind {
    OM_PREDICATE_FALSE,
    OM_PREDICATE_TRUE,
    OM_PREDICATE_LINEAR, /* the sum of factor * tokens over the terms is at least `least` */
    /* Of at least two arguments, none of which is an AND or a constant. */
    OM_PREDICATE_AND,
    OM_PREDICATE_OR /* likewise, none an OR */
} om_predicate_kind;

typedef struct om_net_term {
    uint32_t place;
    om_wide factor; /* not 0 */
} om_net_term;

typedef struct om_predicate {
    om_predicate_kind kind;
    /* Of terms, in ascending order of places, without repetition; or of args. */
    uint32_t count;
    om_wide least;
    const om_net_term *terms;
    const struct om_predicate *const *args;
} om_predicate;

/* The tokens of a place, expressed in a net that has other numbers or lacks the place: a constant
 * plus a sum over that net. One image per old place. */
typedef struct om_net_image {
    om_wide constant;
    const om_net_term *terms;
    uint32_t count;
} om_net_image;

/* A sum of tokens plus a constant, under construction: initialise to zero with heap set, and free
 * the terms with om_free(). Places may be added in any order and repeatedly. */
typedef struct om_net_sum {
    const om_heap *heap;
    om_net_term *terms;
    size_t count, room;
    om_wide constant;
    bool failed;    /* memory ran out */
    bool too_large; /* a number, or the sum of the factors, exceeds the range */
} om_net_sum;

/* Adds factor * tokens of a place; factor may be 0. */
OM_API void om_net_sum_add(om_net_sum *s, uint32_t place, om_wide factor);
/* Adds factor * image. */
OM_API void om_net_sum_join(om_net_sum *s, const om_net_image *image, om_wide factor);

OM_API const om_predicate *om_predicate_constant(om_region *r, bool value);
/* Makes "sum >= least"; a constant if all markings, or none, satisfy it. Sorts the sum. Also NULL
 * if the sum has failed; it fails (too_large) if the factors together exceed OM_VALUE_MAX. */
OM_API const om_predicate *om_predicate_linear(om_region *r, om_net_sum *s, om_wide least);
/* Makes the negation, down to the inequalities. */
OM_API const om_predicate *om_predicate_not(om_region *r, const om_predicate *p);
/* Joins any number of predicates; constants that do not decide the result are dropped. NULL if an
 * argument is NULL. */
OM_API const om_predicate *om_predicate_join(
    om_region *r, om_predicate_kind kind, const om_predicate *const *args, size_t count);
/* Makes "one of the transitions first .. first + count - 1 is enabled". */
OM_API const om_predicate *om_predicate_fireable(
    om_region *r, const om_net *net, uint32_t first, uint32_t count);

/* Evaluates the predicate. marking: tokens by place. */
OM_API bool om_predicate_holds(const om_predicate *p, const om_value *marking);
/* Sets seen[place] for all places of the predicate. */
OM_API void om_predicate_places(const om_predicate *p, uint8_t *seen);

/* Replaces each place by its image: the result is a predicate over the other net. */
OM_API const om_predicate *om_predicate_translate(
    om_region *r, const om_predicate *p, const om_net_image *images);

/* Simplifies the predicate under the assumption that no place exceeds its bound. */
OM_API const om_predicate *om_predicate_bounded(
    om_region *r, const om_predicate *p, const om_net *net);
/* The same, under the assumption that each place also has at least least[place] tokens. */
OM_API const om_predicate *om_predicate_within(
    om_region *r, const om_predicate *p, const om_net *net, const om_value *least);
/* Sets least[place] to a number of tokens that the place has in all reachable markings of a net
 * whose places have bounds (om_net_bound()). OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP if the context
 * is stopped. */
OM_API int om_net_least(const om_net *net, om_value *least);

#endif
