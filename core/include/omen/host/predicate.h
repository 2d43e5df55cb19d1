/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predicate.h: what can be said of a marking of a Petri net: linear inequalities, joined by "and"
 * and "or".
 *
 * Predicates are made into a region, never change, and live as long as that; they may share what
 * they are made of. Who makes them is alone with the region; any number of threads may read them.
 * Those that make them return NULL when memory is out, and may be given NULL then: only the last
 * result need be looked at.
 */
#ifndef OMEN_PREDICATE_H
#define OMEN_PREDICATE_H

#include <omen/plugin/net.h>

typedef enum om_predicate_kind {
    OM_PREDICATE_FALSE,
    OM_PREDICATE_TRUE,
    OM_PREDICATE_LINEAR, /* the sum of factor * tokens over the terms is at least `least` */
    OM_PREDICATE_AND,    /* of two arguments or more, none of which is an AND, or constant */
    OM_PREDICATE_OR      /* likewise */
} om_predicate_kind;

typedef struct om_net_term {
    uint32_t place;
    om_wide factor; /* not 0 */
} om_net_term;

typedef struct om_predicate {
    om_predicate_kind kind;
    uint32_t count; /* of terms, in ascending order of their places, each there once; or args */
    om_wide least;
    const om_net_term *terms;
    const struct om_predicate *const *args;
} om_predicate;

/* What a place's tokens are in a net that has another numbering, or lacks the place: a constant
 * and a sum over that net. One an old place. */
typedef struct om_net_image {
    om_wide constant;
    const om_net_term *terms;
    uint32_t count;
} om_net_image;

/* A sum of tokens and a constant, as it is built up: zero-initialise with heap set, and give the
 * terms back to om_free(). Places may come in any order, and again. */
typedef struct om_net_sum {
    const om_heap *heap;
    om_net_term *terms;
    size_t count, room;
    om_wide constant;
    bool failed;    /* memory was out, */
    bool too_large; /* or a number, or the factors together, are beyond what is computed with */
} om_net_sum;

/* Adds factor * tokens of a place; factor may be 0. */
OM_API void om_net_sum_add(om_net_sum *s, uint32_t place, om_wide factor);
/* Adds factor * the image. */
OM_API void om_net_sum_join(om_net_sum *s, const om_net_image *image, om_wide factor);

OM_API const om_predicate *om_predicate_constant(om_region *r, bool value);
/* The sum is at least so much; constant where every marking, or none, has that. The sum is put in
 * order. NULL, too, where the sum has failed, as it does (too_large) where factors are more than
 * OM_VALUE_MAX together. */
OM_API const om_predicate *om_predicate_linear(om_region *r, om_net_sum *s, om_wide least);
/* Negation ends at the inequalities. */
OM_API const om_predicate *om_predicate_not(om_region *r, const om_predicate *p);
/* Of any number; constants are gone where they decide nothing. NULL where one is NULL. */
OM_API const om_predicate *om_predicate_join(
    om_region *r, om_predicate_kind kind, const om_predicate *const *args, size_t count);
/* One of the transitions first .. first + count - 1 can fire. */
OM_API const om_predicate *om_predicate_fireable(
    om_region *r, const om_net *net, uint32_t first, uint32_t count);

/* marking: tokens by place. */
OM_API bool om_predicate_holds(const om_predicate *p, const om_value *marking);
/* Sets seen[place] for the places that it speaks of. */
OM_API void om_predicate_places(const om_predicate *p, uint8_t *seen);

/* The predicate that says of the other net's markings what this one says of the images. */
OM_API const om_predicate *om_predicate_translate(
    om_region *r, const om_predicate *p, const om_net_image *images);

/* The same predicate where no place has more tokens than its bound, simpler where that decides
 * something. */
OM_API const om_predicate *om_predicate_bounded(
    om_region *r, const om_predicate *p, const om_net *net);

#endif
