/* SPDX-License-Identifier: Apache-2.0 */
/* parse_impl.h: declarations shared by the files that parse a table. */
#ifndef OMEN_BENCH_PARSE_IMPL_H
#define OMEN_BENCH_PARSE_IMPL_H

#include "table.h"

enum { BENCH_PARSE_WORDS = 64 };

typedef struct bench_word {
    const char *text;
    om_place place;
} bench_word;

typedef struct bench_parser {
    bench_table *t;
    om_context *ctx;
    const char *at, *end, *line_start;
    const char *file;
    uint32_t line;
    bench_word words[BENCH_PARSE_WORDS]; /* the words of one line; [0] is the directive */
    size_t count;
} bench_parser;

typedef struct bench_directive {
    const char *name;
    size_t least, most; /* number of words after the directive */
    int (*read)(bench_parser *r);
} bench_directive;

/* Directives that belong to the column or view above them; each array ends with a NULL name. */
extern const bench_directive bench_parse__for_columns[], bench_parse__for_views[];

/* Each function reads word i of the line and reports errors at its place. */
int bench_parse__fail(bench_parser *r, size_t i, const char *what);
int bench_parse__number(bench_parser *r, size_t i, double low, double high, double *out);
int bench_parse__figure(bench_parser *r, size_t i, bench_figure *out);
/* Reads a name that is valid in a file name and between ${ and }. */
int bench_parse__name(bench_parser *r, size_t i, const char **out);
int bench_parse__words_from(bench_parser *r, size_t from, bench_words *out);
/* Reads "A/B" or "A"; the columns are looked up after the whole table has been read. */
int bench_parse__ratio(bench_parser *r, size_t i, bench_ratio *out);

/* Reads `view NAME TITLE`, which starts a view. */
int bench_parse__view(bench_parser *r);
/* Fails unless the table has the column or `wanted` is NULL. */
int bench_parse__column_named(bench_parser *r, const om_place *place, const char *wanted);
/* Checks that are only possible after the whole table has been read. */
int bench_parse__check_column(bench_parser *r, const bench_column *c);
int bench_parse__check_view(bench_parser *r, const bench_view *v);

#endif
