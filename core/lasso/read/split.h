/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h: splits JSON text into values that are parsed one by one, so that a long array is never
 * in memory as a whole. This code only understands brackets and strings; jansson parses the rest.
 */
#ifndef OMEN_LASSO_SPLIT_H
#define OMEN_LASSO_SPLIT_H

#include "files/input.h"

#include <jansson.h>

typedef struct om_split {
    om_context *ctx;
    const om_heap *heap;
    om_place place; /* place of the next value */
    om_input input; /* not open for text that is in memory from the start */
    const char *text;
    char *buffer; /* backing memory of `text` for a file */
    size_t length, at, capacity;
} om_split;

/* Opens text, which is borrowed, or a file ("-" is standard input). om_split__close() ends both. */
void om_split__text(
    om_split *s, om_context *ctx, const char *name, const char *text, size_t length);
int om_split__open(om_split *s, om_context *ctx, const char *path);
void om_split__close(om_split *s);

/* Skips blanks; *next is the character there, or 0 at the end. */
int om_split__peek(om_split *s, char *next);
/* Skips blanks and this character; fails on any other character. */
int om_split__expect(om_split *s, char c);
/* Moves to the next value of an object or an array: past '[' or ',' and blanks, or past the closing
 * bracket (*more is false then). `first` is true before the first value. */
int om_split__next(om_split *s, const char *brackets, bool first, bool *more);
/* Parses the next value; the caller owns the reference. Duplicate keys are errors. */
int om_split__value(om_split *s, json_t **out);

#endif
