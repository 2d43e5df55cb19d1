/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h: JSON text, cut into values that are parsed one by one, so that a long array is never
 * there as a whole. Brackets and strings are all that is understood here; what lies between them
 * is jansson's business.
 */
#ifndef OMEN_LASSO_SPLIT_H
#define OMEN_LASSO_SPLIT_H

#include "input.h"

#include <jansson.h>

typedef struct om_split {
    om_context *ctx;
    const om_heap *heap;
    om_place place; /* of what comes next */
    om_input input; /* not open: the text was there from the beginning */
    const char *text;
    char *buffer; /* for a file: what text is */
    size_t length, at, capacity;
} om_split;

/* Text that stays where it is; or a file ("-" is standard input). Both are ended by the same. */
void om_split__text(
    om_split *s, om_context *ctx, const char *name, const char *text, size_t length);
int om_split__open(om_split *s, om_context *ctx, const char *path);
void om_split__close(om_split *s);

/* Moves past blanks; *next is the character there, or 0 at the end. */
int om_split__peek(om_split *s, char *next);
/* Moves past blanks and this character; anything else is refused. */
int om_split__expect(om_split *s, char c);
/*
 * Between the values of an object or an array: past '[' or ',' and blanks, or past what closes it
 * (*more is false then). `first` says which.
 */
int om_split__next(om_split *s, const char *brackets, bool first, bool *more);
/* Parses the next value; the caller has the reference. Keys may come once only. */
int om_split__value(om_split *s, json_t **out);

#endif
